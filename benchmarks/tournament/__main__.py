"""The command line of the tournament, from the root of the project.

``python -m benchmarks.tournament run search --methods ucb,wayfare,control --trials 60 --seeds 8``
``python -m benchmarks.tournament run report --methods ucb,wayfare --trials 30,60,100``
``python -m benchmarks.tournament run report --methods ucb,wayfare --trials 300 --seeds 8 --condition budget``
``python -m benchmarks.tournament page``
``python -m benchmarks.tournament optima``

``run`` runs methods of the catalogue and of ``candidates.py`` on the problems that a default is searched on, or on
those that it is reported on, by which nothing is chosen. Studies are kept in ``results/`` beside this file; only what
is missing there, or was run by other code, is run. Then it prints what these methods come to, against a baseline.
``page`` runs nothing: it shows the studies that are kept in the tables and pictures of README.md, docs/evidence and
docs/method.md.
``optima`` looks for places that are better than the stored ones.
"""

import argparse
import sys
from pathlib import Path
from typing import get_args

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tournament.functions import development, function_named, reporting
from tournament.optima import search
from tournament.page import ROOT, write_pages
from tournament.studies import RESULTS, Condition, jobs_for, run_missing
from tournament.tables import summary
from wayfare.errors import InvalidInput


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        if options.command == "run":
            return compete(options)
        return optima() if options.command == "optima" else page(options)
    except InvalidInput as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m benchmarks.tournament",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", required=True)
    sub = commands.add_parser("run", help="run methods and compare them")
    sub.add_argument("part", choices=("search", "report"), help="the problems to search on, or to report on")
    sub.add_argument("--methods", required=True, help="names of methods and candidates, by commas")
    sub.add_argument("--trials", default="60", help="numbers of trials, by commas (default 60)")
    sub.add_argument("--seeds", type=int, help="how many (default 8 to search, 20 to report)")
    sub.add_argument("--problems", default="", help="names of problems, by commas (default all of the part)")
    sub.add_argument("--condition", default="plain", choices=get_args(Condition))
    sub.add_argument("--baseline", default="ucb")
    sub.add_argument("--jobs", type=int, default=2)
    sub.add_argument("--results", type=Path, default=RESULTS, help="the folder where studies are kept")
    sub = commands.add_parser("page", help="fill our pages from what is kept, without running anything")
    sub.add_argument("--results", type=Path, default=RESULTS, help="the folder where studies are kept")
    commands.add_parser("optima", help="look for places better than the stored ones")
    return top


def compete(options: argparse.Namespace) -> int:
    methods, trials = words(options.methods), [int(number) for number in words(options.trials)]
    seeds = options.seeds or (8 if options.part == "search" else 20)
    jobs = jobs_for(options.part, methods, trials, seeds, options.condition, words(options.problems))
    rows = run_missing(jobs, options.results, options.jobs)
    for horizon in trials:
        print(f"\nT = {horizon}\n\n{summary(rows, methods, horizon, options.baseline, options.condition)}")
    return 0


def words(text: str) -> list[str]:
    return list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))


def page(options: argparse.Namespace) -> int:
    for file in write_pages(ROOT, options.results):
        print(file)
    return 0


def optima() -> int:
    worse = 0
    for name in [*development(), *reporting()]:
        function = function_named(name)
        place, value = search(function, log2_places=15, starts=64)
        if value > function.optimum + 1e-6 * function.spread:
            worse += 1
            print(f"{name}: {value!r} at {place.tolist()} of the unit cube, stored is {function.optimum!r}")
    print(f"{worse} of the stored places are not the best", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())

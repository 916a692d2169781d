"""The command line of the tournament, from the root of the project.

``python -m benchmarks.tournament develop --methods ucb,tucb --trials 100 --seeds 6 --jobs 2``
``python -m benchmarks.tournament report --methods ucb,wayfare --trials 30,60,100``
``python -m benchmarks.tournament search --methods ucb,wayfare,control --trials 60 --seeds 8``
``python -m benchmarks.tournament page``
``python -m benchmarks.tournament optima``

``develop`` runs methods of the catalogue and of ``candidates.py`` on the development functions, with seeds
from 1000 on; ``search`` does so on problems of more kinds, machines with choices, tables and maps among them.
``report`` runs on the reporting functions, with seeds from 0 on, and shows the targets; of the candidates it takes
only the one called wayfare, unless asked for ablations. All keep what they ran in ``results/`` beside this file, run
only what is missing there, and score all that is there of these methods and seeds; the tables there keep other
methods, too.
``page`` runs nothing: it shows the table of the report in the tables and pictures of README.md and docs/method.md.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tournament.candidates import CANDIDATES, builder
from tournament.functions import development, function_named, reporting
from tournament.optima import search
from tournament.page import ROOT, write_pages
from tournament.report import BASELINE, SUBJECT, show, tables, targets, write_markdown
from tournament.run import DEVELOPMENT_SEEDS, read_csv, run, with_others, write_csv
from tournament.search import search as search_default
from wayfare.errors import InvalidInput
from wayfare.planning.catalogue import CATALOGUE

HERE = Path(__file__).resolve().parent


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        if options.command == "page":
            return page(options)
        if options.command == "search":
            trials = [int(number) for number in words(options.trials)]
            search_default(words(options.methods), trials, options.seeds, options.jobs)
            return 0
        return optima() if options.command == "optima" else compete(options)
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
    for command, help_ in (("develop", "search a method"), ("report", "report on the one that was found")):
        sub = commands.add_parser(command, help=help_)
        sub.add_argument("--methods", required=True, help="names of methods and candidates, by commas")
        sub.add_argument("--trials", default="100", help="numbers of trials, by commas (default 100)")
        sub.add_argument("--seeds", type=int, default=8 if command == "develop" else 20)
        sub.add_argument("--jobs", type=int, default=2)
        sub.add_argument("--functions", default="", help="names, by commas (default all of the set)")
        sub.add_argument("--fresh", default="", help="methods to run again though they are kept, by commas")
        sub.add_argument("--baseline", default=BASELINE)
        sub.add_argument("--results", type=Path, default=HERE / "results")
    sub.add_argument("--ablations", action="store_true", help="also take candidates not called wayfare")
    sub = commands.add_parser("page", help="fill our pages from the report, without running anything")
    sub.add_argument("--results", type=Path, default=HERE / "results")
    sub = commands.add_parser("search", help="search a method on problems of every kind")
    sub.add_argument("--methods", required=True, help="names of methods and candidates, by commas")
    sub.add_argument("--trials", default="60", help="numbers of trials, by commas (default 60)")
    sub.add_argument("--seeds", type=int, default=8)
    sub.add_argument("--jobs", type=int, default=2)
    commands.add_parser("optima", help="look for places better than the stored ones")
    return top


def compete(options: argparse.Namespace) -> int:
    is_report = options.command == "report"
    names, fresh = words(options.methods), words(options.fresh)
    if is_report and not options.ablations:
        refuse_candidates(names)
    mine = reporting() if is_report else development()
    functions = words(options.functions) or list(mine)
    first = 0 if is_report else DEVELOPMENT_SEEDS
    title = "reporting" if is_report else "development"
    rows, failures = run(
        {name: builder(name) for name in names},
        functions,
        [int(trials) for trials in words(options.trials)],
        range(first, first + options.seeds),
        options.jobs,
        options.results / f"{title}.jsonl",
        report=is_report,
        fresh=fresh,
    )
    made = tables(rows, names, options.baseline)
    if is_report and SUBJECT in names:
        table, passed = targets(rows, functions)
        made.insert(0, table)
        if not passed:  # a result like any other, and no failure
            print("Not all targets are reached: the first table says which are missed.", file=sys.stderr)
    show(made)
    table_file = options.results / f"{title}.csv"
    write_csv(with_others(rows, table_file, builder), table_file)
    write_markdown(f"Tournament, {title}", made, failures, options.results / f"{title}.md")
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    return 1 if failures else 0


def words(text: str) -> list[str]:
    return list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))


def refuse_candidates(names: list[str]) -> None:
    for name in names:
        if name in CANDIDATES and name not in CATALOGUE and name != SUBJECT:
            raise InvalidInput(f"{name} is a candidate; the reporting set is for {SUBJECT}, or --ablations")


def page(options: argparse.Namespace) -> int:
    for file in write_pages(read_csv(options.results / "reporting.csv"), ROOT):
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

"""What the examples share: their command line, and a table of two methods beside each other."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from matplotlib.figure import Figure

import wayfare as wf
from wayfare._core.arrays import Values

Done = TypeVar("Done")
"""What an example leaves behind: a finished study, mostly."""
Run = Callable[[str, int, int], Done]
"""A method, a seed and a number of trials, or of what the example is long in, to what was done."""
Figures = Mapping[str, Callable[[Done], float]]
"""What to report of it, by its heading, which names the unit."""


def tell(
    run: Run[Done],
    figures: Figures[Done],
    draw: Callable[[Mapping[str, Done]], Figure],
    *,
    trials: int,
    short: int,
    truth: str,
    in_what: str = "trials",
    methods: Sequence[str] = ("wayfare", "ucb"),
) -> None:
    """Run the example that was called: print its report and draw its picture, or print a table of seeds.

    ``truth`` is a line on what there was to find.
    """
    name = Path(sys.argv[0]).stem
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--out", type=Path, default=Path("out", f"{name}.png"), help="where to draw")
    parser.add_argument("--short", action="store_true", help=f"{short} {in_what}, not {trials}")
    parser.add_argument("--seeds", type=int, default=0, help="compare over so many seeds, and draw nothing")
    options = parser.parse_args()
    trials = short if options.short else trials
    if options.seeds:
        print_seeds(run, figures, methods, trials, options.seeds)
        print(truth)
        return
    done = {method: run(method, 0, trials) for method in methods}
    print_table(
        ["method", *figures], [[method, *(shown(of(one)) for of in figures.values())] for method, one in done.items()]
    )
    print(truth)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    draw(done).savefig(options.out, dpi=150)
    print(f"drawn: {options.out.as_posix()}")


def print_seeds(run: Run[Done], figures: Figures[Done], methods: Sequence[str], trials: int, seeds: int) -> None:
    """Print the mean of each figure over the seeds, the lowest and the highest."""
    rows = []
    for method in methods:
        done = [run(method, seed, trials) for seed in range(seeds)]
        table = np.array([[of(one) for of in figures.values()] for one in done])
        for words, over in (("mean", np.mean), ("lowest", np.min), ("highest", np.max)):
            rows.append([method, words, *map(shown, over(table, axis=0))])
    print_table(["method", f"of {seeds} seeds", *figures], rows)


def print_table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns as wide as they need to be, the first to the left."""
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    for row in (heading, *rows):
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join([first.strip().ljust(widths[0]), *others]))


def shown(value: float) -> str:
    """Return a number to four digits."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{float(value):.4g}"


def kept(study: wf.Study) -> Values:
    """Return the place that a study would have us keep."""
    return study.trials[study.best().trial].x

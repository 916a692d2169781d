"""Fill docs/progress.md with the tables of the committed rows; the words of the page are written by hand."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from blocks import fill_blocks
from progress.calibration import CHECKS, LEVELS, Row, held, read_rows
from wayfare.bench.report import markdown

PAGE = Path(__file__).resolve().parents[2] / "docs" / "progress.md"
STATED = (0.5, 0.7, 0.8, 0.9, 0.95)
"""The bounds whose coverage is shown."""
BINS = ((0.0, 0.1), (0.1, 0.5), (0.5, 0.8), (0.8, 0.97), (0.97, 1.0))
"""Of what is said of the best place being found."""
LEAST, MOST = 0.80, 0.97
"""How often a bound stated with 90% must hold."""


def blocks(develop: Sequence[Row], report: Sequence[Row]) -> dict[str, str]:
    """Return what the page shows, by the names of its blocks."""
    return {
        "verdict": verdict(report),
        "bounds": bounds(develop, report),
        "found": found(report),
        "functions": functions(report),
    }


def verdict(rows: Sequence[Row]) -> str:
    """Return the claim, and whether it holds."""
    share = held(rows, 0.9)
    many = len({row.function for row in rows}), len({row.seed for row in rows})
    word = "holds" if LEAST <= share <= MOST else "MISSED"
    return (
        f"On {many[0]} functions and {many[1]} seeds, {len(rows)} statements: the bound stated with 90% held in "
        f"{share:.1%} of them; asked for was {LEAST:.0%} to {MOST:.0%}: {word}."
    )


def bounds(develop: Sequence[Row], report: Sequence[Row]) -> str:
    """Return how often bounds of several probabilities hold, after few results and after many."""
    head = ["stated", *(f"{part}, after {check}" for part in ("chosen on", "reported") for check in CHECKS)]
    table = [
        [f"{level:.0%}", *(f"{held(_after(rows, check), level):.1%}" for rows in (develop, report) for check in CHECKS)]
        for level in STATED
    ]
    return markdown(head, table)


def found(rows: Sequence[Row]) -> str:
    """Return how often the best place was found, by what was said of it."""
    table = []
    for low, high in BINS:
        some = [row for row in rows if low <= row.below < high or row.below == high == 1.0]
        right = np.mean([row.gain <= row.tolerance for row in some]) if some else np.nan
        said = np.mean([row.below for row in some]) if some else np.nan
        table.append([f"{low:.0%} to {high:.0%}", str(len(some)), f"{said:.0%}", f"{right:.0%}"])
    return markdown(["said", "statements", "said on average", "right"], table)


def functions(rows: Sequence[Row]) -> str:
    """Return for each function how often the 90% bound held, and how wide it was beside what was to gain."""
    names = list(dict.fromkeys(row.function for row in rows))
    at, table = LEVELS.index(0.9), []
    for name in names:
        own = [row for row in rows if row.function == name]
        cells = []
        for check in CHECKS:
            some = _after(own, check)
            cells += [f"{held(some, 0.9):.0%}", f"{np.median([row.quantiles[at] for row in some]):.3g}"]
            cells += [f"{np.median([row.gain for row in some]):.3g}"]
        table.append([name, *cells])
    return markdown(
        ["function", *(f"{word}, {check}" for check in CHECKS for word in ("held", "bound", "true"))], table
    )


def _after(rows: Sequence[Row], check: int) -> list[Row]:
    return [row for row in rows if row.results == check]


def write() -> None:
    """Write the page anew."""
    PAGE.write_text(fill_blocks(PAGE.read_text(), blocks(read_rows("develop"), read_rows("report"))))

"""The report on a suite: tables as Markdown and CSV, and figures, in a folder of their own."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from wayfare.bench.cell import Cell, Measured
from wayfare.bench.compare import Comparison, comparisons
from wayfare.bench.results import KEYS, as_csv, write_whole
from wayfare.bench.suites import Suite
from wayfare.bench.tables import (
    COUNTED,
    Sheet,
    cpu_table,
    means_sheet,
    means_table,
    methods_of,
    ratios_sheet,
    ratios_table,
    wins_sheet,
    wins_table,
)
from wayfare.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LEGEND = (
    "Per trial, the less the better: mean over the seeds ± two standard errors, the median in brackets. "
    "*Simple regret* is that of the place one would keep, *last half* is over the last half of the trials. "
    "A star marks the methods that no other beats in both mean regret and mean movement."
)
PAIRED = (
    "Geometric means of ratios paired by seed, with 95% intervals by Student's t on the logarithms: over the "
    "seeds on one problem, and for *all* over the problems, each with its mean. A dash: something is zero, "
    "so there is no such ratio."
)
WON = "Under how many seeds each method was the best of all; those that tie share the win."


def write_report(
    cells: Sequence[Measured],
    folder: Path,
    name: str,
    baseline: str,
    on_file: Callable[[Path], None] = lambda file: None,
    asked: Suite | None = None,
) -> None:
    """Write ``report.md``, its tables as CSV and its figures into ``folder``.

    ``asked`` is the suite that was asked for, if that is known: the report says which of its runs are missing.
    """
    from wayfare.bench.figures import draw_curves, draw_fronts, looks

    every = comparisons(cells)
    if baseline not in methods_of(every):
        raise InvalidInput(f"baseline: {baseline!r} is not among the methods, {', '.join(methods_of(every))}")
    folder.mkdir(parents=True, exist_ok=True)
    sheets: dict[str, Sheet] = {
        "means": means_sheet(every),
        "ratios": ratios_sheet(every, baseline),
        "wins": wins_sheet(every),
    }
    for title, sheet in sheets.items():
        write_whole(folder / f"{title}.csv", as_csv(sheet.head, sheet.rows))
        on_file(folder / f"{title}.csv")
    look = looks(methods_of(every))
    figures: dict[str, Callable[[], Figure]] = {"front.png": partial(draw_fronts, every, look)}
    for one in every:
        figures[f"curves-{one.setting.file}.png"] = partial(draw_curves, one, look)
    for file, draw in figures.items():
        draw().savefig(folder / file, dpi=150)
        on_file(folder / file)
    write_whole(folder / "report.md", page(cells, every, name, baseline, asked))
    on_file(folder / "report.md")


def page(
    cells: Sequence[Measured], every: Sequence[Comparison], name: str, baseline: str, asked: Suite | None = None
) -> str:
    """Return the report as Markdown."""
    if asked is not None and not {cell.cell for cell in cells} <= set(asked.cells()):
        asked = None  # that was of another run
    command = asked.command if asked else f"wayfare bench run {name}"
    seeds = len({cell.cell.seed for cell in cells})
    versions = ", ".join(f"{package} {version}" for package, version in cells[0].versions.items())
    parts = [
        f"# The suite `{name}`",
        f"{len(cells)} runs, {len(methods_of(every))} methods, {seeds} seeds; {versions}. "
        f"Made by `{command}` and `wayfare bench report {name}`.",
    ]
    if lost := missing(cells, asked):
        which = f"{len(lost)}, {in_short(lost)}"
        parts.append(f"**Missing runs: {which}.** Ratios and wins are over the seeds that are there.")
    parts += ["## Regret against movement", "![mean regret against mean movement](front.png)", LEGEND]
    for one in every:
        parts += [f"### {one.setting}", means_table(one)]
        parts.append(f"![regret and movement over the trials](curves-{one.setting.file}.png)")
    if len(methods_of(every)) > 1:
        parts += ["## Paired ratios", PAIRED, "### all", ratios_table(every, baseline)]
        for one in every if len(every) > 1 else ():
            parts += [f"### {one.setting}", ratios_table(every, baseline, str(one.setting))]
        parts += ["## Wins", WON, *(wins_table(every, measure) for measure in COUNTED)]
    if not all(math.isnan(cell.planner_cpu) for cell in cells):
        parts += ["## Planner CPU", "Seconds per run, one thread.", cpu_table(every)]
    return "\n\n".join(parts) + "\n"


def missing(cells: Sequence[Measured], asked: Suite | None = None) -> list[Cell]:
    """Return the cells that were asked for, or else are in the full grid of those that are there, but not."""
    there = {one.cell for one in cells}
    if asked is not None:
        return [cell for cell in asked.cells() if cell not in there]
    axes = [dict.fromkeys(getattr(one.cell, key) for one in cells) for key in KEYS]
    grid = (evolve(cells[0].cell, **dict(zip(KEYS, keys, strict=True))) for keys in product(*axes))
    return [cell for cell in grid if cell not in there]


def in_short(lost: Sequence[Cell], most: int = 4) -> str:
    """Return whose runs are missing: ``mine:bad on branin, levy; tucb on branin``; of many methods some."""
    problems: dict[str, dict[str, None]] = {}
    for cell in lost:
        problems.setdefault(cell.method, {})[cell.problem] = None
    named = [f"{method} on {', '.join(on)}" for method, on in problems.items()]
    more = [f"{len(named) - most} more"] if len(named) > most else []
    return "; ".join([*named[:most], *more])

"""The report on a suite: tables as Markdown and CSV, and figures, in a folder of their own.

It only presents measurements, so it may change without making them those of other code (``cell.REPORTING``).
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from attrs import astuple, evolve

from wayfare._core.arrays import Values
from wayfare.bench.cell import MEASURES, Cell, Measured
from wayfare.bench.compare import ALL, Comparison, Ratio, Ratios, comparisons, front, methods_of, ratios, wins
from wayfare.bench.compare import two_standard_errors as two_errors
from wayfare.bench.figures import draw_curves, draw_fronts, looks
from wayfare.bench.results import KEYS, as_csv, write_whole
from wayfare.bench.suites import Suite
from wayfare.errors import InvalidInput

COUNTED = ("mean_regret", "simple_regret", "mean_movement")
"""The measures of which wins are counted."""
FRONT = "*Lower left is better: less movement and less regret. The line joins the methods that no other beats in both.*"
CURVES = "*Lower is better on both sides: regret on the left, movement on the right. The bands hold all seeds.*"
LEGEND = (
    "Per trial, the less the better: mean over the seeds ± two standard errors, the median in brackets. "
    "*Simple regret* is that of the place one would keep, *last half* is over the last half of the trials, and "
    "*L_T* = R_T + C_T is the paper's loss, regret and movement added up as they stand, each in its own unit. "
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
    """Write ``report.md``, its tables as CSV and its figures into ``folder``, and call ``on_file`` with each file.

    If the suite that was ``asked`` for is known, the report names the runs that are missing.
    """
    every = comparisons(cells)
    methods = methods_of(every)
    if baseline not in methods:
        raise InvalidInput(f"baseline: {baseline!r} is not among the methods, {', '.join(methods)}")
    folder.mkdir(parents=True, exist_ok=True)
    sheets = {"means": means_sheet(every), "ratios": ratios_sheet(every, baseline), "wins": wins_sheet(every)}
    look = looks(methods)
    figures = {"front.png": partial(draw_fronts, every, look)}
    figures |= {f"curves-{one.setting.file}.png": partial(draw_curves, one, look) for one in every}
    for title, sheet in sheets.items():
        write_whole(folder / f"{title}.csv", as_csv(*sheet))
        on_file(folder / f"{title}.csv")
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
        asked = None  # it belongs to another run
    command = asked.command if asked else f"wayfare bench run {name}"
    methods, seeds = methods_of(every), len({cell.cell.seed for cell in cells})
    versions = ", ".join(f"{package} {version}" for package, version in cells[0].versions.items())
    parts = [
        f"# The suite `{name}`",
        f"{len(cells)} runs, {len(methods)} methods, {seeds} seeds; {versions}. "
        f"Made by `{command}` and `wayfare bench report {name}`.",
    ]
    if lost := missing(cells, asked):
        which = f"{len(lost)}, {runs_in_short(lost)}"
        parts.append(f"**Missing runs: {which}.** Ratios and wins are over the seeds that are there.")
    parts += ["## Regret against movement", "![mean regret against mean movement](front.png)", FRONT, LEGEND]
    for one in every:
        parts += [f"### {one.setting}", means_table(one)]
        parts += [f"![regret and movement over the trials](curves-{one.setting.file}.png)", CURVES]
    if len(methods) > 1:
        found = ratios(every, baseline)
        parts += ["## Paired ratios", PAIRED]
        for setting in [ALL, *(str(one.setting) for one in every if len(every) > 1)]:
            parts += [f"### {setting}", ratios_table(found, setting, baseline)]
        parts += ["## Wins", WON, *(wins_table(every, measure) for measure in COUNTED)]
    if not all(math.isnan(cell.planner_cpu) for cell in cells):
        parts += ["## Planner CPU", "Seconds per run, one thread.", cpu_table(every)]
    return "\n\n".join(parts) + "\n"


def missing(cells: Sequence[Measured], asked: Suite | None = None) -> list[Cell]:
    """Return the missing cells of the suite that was asked for, or else of the full grid of the cells."""
    there = {one.cell for one in cells}
    if asked is not None:
        return [cell for cell in asked.cells() if cell not in there]
    axes = [dict.fromkeys(getattr(one.cell, key) for one in cells) for key in KEYS]
    grid = (evolve(cells[0].cell, **dict(zip(KEYS, keys, strict=True))) for keys in product(*axes))
    return [cell for cell in grid if cell not in there]


def runs_in_short(cells: Sequence[Cell], most: int = 4) -> str:
    """Return ``mine:bad on branin, levy; tucb on branin``, with ``most`` methods at most."""
    problems: dict[str, dict[str, None]] = {}
    for cell in cells:
        problems.setdefault(cell.method, {})[cell.problem] = None
    named = [f"{method} on {', '.join(on)}" for method, on in problems.items()]
    more = [f"{len(named) - most} more"] if len(named) > most else []
    return "; ".join([*named[:most], *more])


class Sheet(NamedTuple):
    """Rows for a CSV file."""

    head: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table, its first column flush left, the others flush right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def means_sheet(every: Sequence[Comparison]) -> Sheet:
    """Return mean, median and two standard errors of every measure."""
    rows: list[tuple[object, ...]] = []
    for one in every:
        best = front(one)
        for method, measure in product(one.cells, MEASURES):
            values = one.values(method, measure)
            numbers = (len(values), float(values.mean()), float(np.median(values)), _blank(two_errors(values)))
            rows.append((*astuple(one.setting), method, measure, *numbers, int(method in best)))
    head = ("problem", "trials", "delay", "method", "measure", "seeds", "mean", "median", "two_se", "on_front")
    return Sheet(head, rows)


def means_table(one: Comparison) -> str:
    """Return ``mean ± two standard errors (median)`` of each method and measure; a star marks the front."""
    best, rows = front(one), []
    for method in one.cells:
        values = [one.values(method, measure) for measure in MEASURES]
        cells = [f"{mean_in_short(each)} ({np.median(each):.3g})" for each in values]
        rows.append([f"{method} \\*" if method in best else method, *cells])
    unit = f" [{one.unit}]" if one.unit else ""
    return markdown(["method", *(words + unit * ("movement" in words) for words in MEASURES.values())], rows)


def mean_in_short(values: Values, mark: str = "") -> str:
    """Return ``mean ± two standard errors``, the mean between ``mark``."""
    spread = two_errors(values)
    return f"{mark}{values.mean():.3g}{mark}" + ("" if math.isnan(spread) else f" ± {spread:.2g}")


def ratios_sheet(every: Sequence[Comparison], baseline: str) -> Sheet:
    """Return all ratios against the baseline."""
    rows = [
        (setting, method, baseline, measure, one.pairs, _blank(one.mean), _blank(one.low), _blank(one.high))
        for (setting, method, measure), one in ratios(every, baseline).items()
        if method != baseline
    ]
    return Sheet(("setting", "method", "baseline", "measure", "pairs", "ratio", "low", "high"), rows)


def ratios_table(found: Ratios, setting: str, baseline: str) -> str:
    """Return the ratios of each method against the baseline: geometric mean [95% interval]."""
    methods = dict.fromkeys(method for _, method, _ in found if method != baseline)
    rows = [[method, *(ratio_in_short(found[setting, method, measure]) for measure in MEASURES)] for method in methods]
    return markdown([f"over {baseline}", *MEASURES.values()], rows)


def ratio_in_short(ratio: Ratio) -> str:
    """Return ``mean [low, high]``, or a dash."""
    if math.isnan(ratio.mean):
        return "-"
    interval = "" if math.isnan(ratio.low) else f" [{brief(ratio.low)}, {brief(ratio.high)}]"
    return brief(ratio.mean) + interval


def brief(ratio: float) -> str:
    """Return a ratio with two decimals; far from one, with one digit and its power of ten."""
    return f"{ratio:.2f}" if 0.01 <= ratio < 100 else f"{ratio:.0e}"


def wins_sheet(every: Sequence[Comparison]) -> Sheet:
    """Return the number of seeds under which each method was the best."""
    rows = [
        (*astuple(one.setting), method, measure, won)
        for one, measure in product(every, COUNTED)
        for method, won in wins(one, measure).items()
    ]
    return Sheet(("problem", "trials", "delay", "method", "measure", "wins"), rows)


def wins_table(every: Sequence[Comparison], measure: str) -> str:
    """Return the seeds won by each method, setting by setting, and in all."""
    won = [wins(one, measure) for one in every]
    rows = []
    for method in methods_of(every):
        counts = [by_method.get(method, 0.0) for by_method in won]
        rows.append([method, *(f"{count:.3g}" for count in (*counts, sum(counts)))])
    return markdown([MEASURES[measure], *(str(one.setting) for one in every), ALL], rows)


def cpu_table(every: Sequence[Comparison]) -> str:
    """Return the mean planner CPU of a run, in seconds."""
    rows = []
    for method in methods_of(every):
        cells = [one.cells.get(method, {}).values() for one in every]
        seconds = [np.mean([cell.planner_cpu for cell in own]) if own else math.nan for own in cells]
        rows.append([method, *("-" if math.isnan(mean) else f"{mean:.2g}" for mean in seconds)])
    return markdown(["planner CPU [s]", *(str(one.setting) for one in every)], rows)


def _blank(value: float) -> float | str:
    return "" if math.isnan(value) else value

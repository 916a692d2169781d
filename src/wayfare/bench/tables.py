"""The tables of a report, each as Markdown for readers and as rows for a CSV file."""

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from wayfare._core.arrays import Points
from wayfare.bench.cell import MEASURES
from wayfare.bench.compare import Comparison, Ratio, front, paired_ratio, pooled_ratio, two_standard_errors, wins

COUNTED = ("mean_regret", "simple_regret", "mean_movement")
"""The measures of which wins are counted."""
ALL = "all"


@frozen
class Sheet:
    """Rows for a CSV file."""

    head: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table, its first column flush left, the others flush right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def means_sheet(every: Sequence[Comparison]) -> Sheet:
    """Return mean, median and two standard errors of every measure."""
    rows = []
    for one in every:
        best = front(one)
        for method in one.cells:
            for measure in MEASURES:
                values = one.values(method, measure)
                spread = blank(two_standard_errors(values))
                numbers = (len(values), float(values.mean()), float(np.median(values)), spread)
                rows.append((*where(one), method, measure, *numbers, int(method in best)))
    head = ("problem", "trials", "delay", "method", "measure", "seeds", "mean", "median", "two_se", "on_front")
    return Sheet(head, rows)


def means_table(one: Comparison) -> str:
    """Return the measures of each method: mean ± two standard errors (median); a star is on the front."""
    best = front(one)
    units = [f" [{one.unit}]" if "movement" in measure and one.unit else "" for measure in MEASURES]
    head = ["method", *(words + unit for words, unit in zip(MEASURES.values(), units, strict=True))]
    rows = []
    for method in one.cells:
        cells = [in_short(one, method, measure) for measure in MEASURES]
        rows.append([f"{method} \\*" if method in best else method, *cells])
    return markdown(head, rows)


def in_short(one: Comparison, method: str, measure: str) -> str:
    """Return ``mean ± two standard errors (median)``."""
    values = one.values(method, measure)
    spread = two_standard_errors(values)
    about = "" if math.isnan(spread) else f" ± {spread:.2g}"
    return f"{values.mean():.3g}{about} ({np.median(values):.3g})"


def ratios(every: Sequence[Comparison], baseline: str) -> dict[tuple[str, str, str], Ratio]:
    """Return the paired ratios by setting, method and measure; ``"all"`` is over all problems."""
    found = {}
    for method in methods_of(every):
        for measure in MEASURES:
            by_problem: dict[str, list[Points]] = {}
            for one in every:
                pairs = one.pairs(method, baseline, measure)
                found[str(one.setting), method, measure] = paired_ratio(pairs)
                by_problem.setdefault(one.setting.problem, []).append(pairs)
            found[ALL, method, measure] = pooled_ratio([np.concatenate(own) for own in by_problem.values()])
    return found


def ratios_sheet(every: Sequence[Comparison], baseline: str) -> Sheet:
    """Return all ratios against the baseline."""
    head = ("setting", "method", "baseline", "measure", "pairs", "ratio", "low", "high")
    rows = [
        (setting, method, baseline, measure, one.pairs, blank(one.mean), blank(one.low), blank(one.high))
        for (setting, method, measure), one in ratios(every, baseline).items()
        if method != baseline
    ]
    return Sheet(head, rows)


def ratios_table(every: Sequence[Comparison], baseline: str, setting: str = ALL) -> str:
    """Return the ratios of each method against the baseline: geometric mean [95% interval]."""
    found = ratios(every, baseline)
    rows = [
        [method, *(ratio_in_short(found[setting, method, measure]) for measure in MEASURES)]
        for method in methods_of(every)
        if method != baseline
    ]
    return markdown([f"over {baseline}", *MEASURES.values()], rows)


def ratio_in_short(ratio: Ratio) -> str:
    """Return ``mean [low, high]``, or a dash."""
    if math.isnan(ratio.mean):
        return "-"
    interval = "" if math.isnan(ratio.low) else f" [{brief(ratio.low)}, {brief(ratio.high)}]"
    return brief(ratio.mean) + interval


def brief(ratio: float) -> str:
    """Return two decimals, or, of what is far from one, one digit."""
    return f"{ratio:.2f}" if 0.01 <= ratio < 100 else f"{ratio:.0e}"


def wins_sheet(every: Sequence[Comparison]) -> Sheet:
    """Return under how many seeds each method was the best."""
    rows = [
        (*where(one), method, measure, won)
        for one in every
        for measure in COUNTED
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
    return markdown([MEASURES[measure], *(str(one.setting) for one in every), "all"], rows)


def cpu_table(every: Sequence[Comparison]) -> str:
    """Return the mean planner CPU of a run, in seconds."""
    rows = []
    for method in methods_of(every):
        cells = [one.cells.get(method, {}).values() for one in every]
        seconds = [np.mean([cell.planner_cpu for cell in own]) if own else math.nan for own in cells]
        rows.append([method, *("-" if math.isnan(mean) else f"{mean:.2g}" for mean in seconds)])
    return markdown(["planner CPU [s]", *(str(one.setting) for one in every)], rows)


def methods_of(every: Sequence[Comparison]) -> list[str]:
    """Return all methods, in the order they come."""
    return list(dict.fromkeys(method for one in every for method in one.cells))


def where(one: Comparison) -> tuple[str, int, int]:
    """Return the first columns of a sheet."""
    return one.setting.problem, one.setting.trials, one.setting.delay


def blank(value: float) -> float | str:
    """Return a number, or an empty cell where there is none."""
    return "" if math.isnan(value) else value

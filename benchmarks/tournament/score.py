"""What the runs come to: paired ratios to a baseline, who is dominated, and which targets hold.

Two rows are a pair if they have the function, the seed and the number of trials in common; then they have
the noise, the start and the travel cost in common too. A ratio is the geometric mean over the functions of
the geometric mean over their pairs, so every function has the same weight. Its 95% interval is Student's t on
the logarithms: *by function*, on one mean per function, which says how it would be on other functions; or
*over cells*, on all pairs as if they were independent, which is narrower. For a single function only the
latter exists.

A regret below a thousandth of the function's spread counts as that thousandth, a tenth of the low noise, and
a movement below a thousandth of a crossing of the box as that: else a zero would decide a mean.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

import numpy as np
from attrs import frozen
from scipy.stats import t as student

from tournament.functions import function_named
from tournament.problems import crossing
from tournament.run import Row
from wayfare.errors import InvalidInput

Measure = Literal["movement", "mean_regret", "last_half_regret", "simple_regret"]
MEASURES: dict[Measure, str] = {
    "movement": "movement",
    "mean_regret": "mean regret",
    "last_half_regret": "last-half regret",
    "simple_regret": "simple regret",
}
LEAST = 1e-3
Logs = dict[str, list[float]]
"""Of each function the logarithms of its paired ratios."""


@frozen
class Ratio:
    """A geometric mean, its two intervals, and how many pairs and functions are behind it."""

    mean: float
    by_function: tuple[float, float]
    over_cells: tuple[float, float]
    pairs: int
    functions: int

    @property
    def interval(self) -> tuple[float, float]:
        """The interval by function, or over cells if there is one function only."""
        return self.by_function if self.functions > 1 else self.over_cells

    def __str__(self) -> str:
        """Say the mean and the interval: ``0.42 [0.31, 0.57]``."""
        low, high = self.interval
        # With two or three pairs an interval may reach to the stars.
        end = f"{high:.2f}" if high < 100 else "100+"
        return f"{self.mean:.2f}" + ("" if np.isnan(low) else f" [{low:.2f}, {end}]")


def floored(row: Row, measure: Measure) -> float:
    """Return what was measured, but never less than is worth telling apart."""
    function = function_named(row.function)
    least = LEAST * (crossing(function, row.travel) if measure == "movement" else function.spread)
    return max(float(getattr(row, measure)), least)


def paired_logs(
    rows: Sequence[Row], method: str, baseline: str, measure: Measure, trials: int, functions: Sequence[str]
) -> Logs:
    """Return the logarithms of the ratios, for functions with at least one pair."""
    mine, base = (
        {(row.function, row.seed): row for row in rows if row.method == name and row.trials == trials}
        for name in (method, baseline)
    )
    logs: Logs = defaultdict(list)
    for cell in sorted(mine.keys() & base.keys()):
        if cell[0] in functions:
            logs[cell[0]].append(float(np.log(floored(mine[cell], measure) / floored(base[cell], measure))))
    return dict(logs)


def ratio(logs: Logs) -> Ratio:
    """Return the ratio behind the logarithms."""
    if not logs:
        raise InvalidInput("no pairs to compare")
    means = np.array([np.mean(values) for values in logs.values()])
    cells = np.concatenate(list(logs.values()))
    mean = float(means.mean())
    return Ratio(float(np.exp(mean)), interval(means, mean), interval(cells, mean), len(cells), len(means))


def interval(logs: np.ndarray[tuple[int], np.dtype[np.float64]], mean: float) -> tuple[float, float]:
    """Return the 95% interval about the mean, as a factor; not a number if there is only one value."""
    if len(logs) < 2:
        return float("nan"), float("nan")
    half = float(student.ppf(0.975, len(logs) - 1)) * float(logs.std(ddof=1)) / len(logs) ** 0.5
    return float(np.exp(mean - half)), float(np.exp(mean + half))


def dominators(
    rows: Sequence[Row], method: str, others: Sequence[str], trials: int, functions: Sequence[str]
) -> dict[str, list[str]]:
    """Return, by function, those that have both less movement and less mean regret than ``method``.

    Less by the geometric mean over the pairs of that function. Functions without any are left out.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for other in others:
        if other == method:
            continue
        moves = paired_logs(rows, other, method, "movement", trials, functions)
        regrets = paired_logs(rows, other, method, "mean_regret", trials, functions)
        for function in moves:
            if np.mean(moves[function]) < 0 and np.mean(regrets[function]) < 0:
                found[function].append(other)
    return dict(found)


def groups(functions: Sequence[str]) -> dict[str, list[str]]:
    """Return the functions by what they are compared as: all, d >= 6, corner."""
    named = {name: function_named(name) for name in functions}
    return {
        "all": list(named),
        "d >= 6": [name for name, function in named.items() if function.d >= 6],
        "corner": [name for name, function in named.items() if "corner" in function.characters],
    }

"""Compare methods: paired ratios with intervals, wins, and the front of regret against movement.

Methods are paired by seed, because under one seed they share the start and the noise.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import numpy as np
from attrs import evolve, field, frozen
from scipy.stats import t as student

from wayfare._core.arrays import Points, Values
from wayfare.bench.cell import MEASURES, Measured
from wayfare.bench.named import portable

ByMethod = dict[str, dict[int, Measured]]
"""The cells of each method by seed."""
ALL = "all"
"""The setting that stands for all problems together."""


@frozen
class Setting:
    """The setting that methods are compared in: a problem, a number of trials, and a delay of results in trials."""

    problem: str
    trials: int
    delay: int

    @property
    def file(self) -> str:
        """The setting as part of a file name."""
        return f"{portable(self.problem)}-T{self.trials}" + (f"-late{self.delay}" if self.delay else "")

    def __str__(self) -> str:
        """Return ``branin, T = 100, results 10 late``."""
        late = f", results {self.delay} late" if self.delay else ""
        return f"{self.problem}, T = {self.trials}{late}"


@frozen(eq=False)
class Comparison:
    """All cells of one setting, by method and seed, and the unit of movement."""

    setting: Setting
    unit: str
    cells: ByMethod = field(repr=False)

    def values(self, method: str, measure: str) -> Values:
        """Return a measure, seed by seed."""
        return np.array([cell.measure(measure) for cell in self.cells[method].values()])

    def mean(self, method: str, measure: str) -> float:
        """Return the mean over the seeds."""
        return float(self.values(method, measure).mean())

    def pairs(self, method: str, baseline: str, measure: str) -> Points:
        """Return the measures of a method and of its baseline, a row per seed that both have."""
        ours, theirs = self.cells.get(method, {}), self.cells.get(baseline, {})
        rows = [(ours[seed].measure(measure), theirs[seed].measure(measure)) for seed in ours if seed in theirs]
        return np.array(rows).reshape(-1, 2)


def comparisons(cells: Iterable[Measured]) -> list[Comparison]:
    """Return the cells grouped by setting, in the order they come."""
    found: dict[Setting, Comparison] = {}
    for one in cells:
        setting = Setting(one.cell.problem, one.cell.trials, one.cell.delay)
        comparison = found.setdefault(setting, Comparison(setting, one.unit, {}))
        comparison.cells.setdefault(one.cell.method, {})[one.cell.seed] = one
    return list(found.values())


def methods_of(every: Sequence[Comparison]) -> list[str]:
    """Return all methods, in the order they come."""
    return list(dict.fromkeys(method for one in every for method in one.cells))


def two_standard_errors(values: Values) -> float:
    """Return twice the standard error of the mean; NaN for a single value."""
    n = len(values)
    return float(2 * values.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan


@frozen
class Ratio:
    """The geometric mean of paired ratios and its 95% interval; NaN if it does not exist."""

    mean: float
    low: float
    high: float
    pairs: int


def paired_ratio(pairs: Points) -> Ratio:
    """Return the ratio of the first column to the second, by Student's t on the logarithms.

    A zero has no logarithm: then there is no such ratio, and no pair is dropped to make one.
    """
    n = len(pairs)
    if n == 0 or not (pairs > 0).all():
        return Ratio(math.nan, math.nan, math.nan, n)
    logs = np.log(pairs[:, 0]) - np.log(pairs[:, 1])
    mean = float(logs.mean())
    half = float(student.ppf(0.975, n - 1) * logs.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan
    return Ratio(math.exp(mean), math.exp(mean - half), math.exp(mean + half), n)


def pooled_ratio(by_problem: Sequence[Points]) -> Ratio:
    """Return the ratio over several problems, each of the same weight; the interval is over the problems.

    Seeds of one problem, or its results after 30 and after 60 trials, are no new evidence on other problems.
    """
    every = [paired_ratio(pairs) for pairs in by_problem]
    if len(every) == 1:
        return every[0]
    means = np.array([[ratio.mean, 1.0] for ratio in every]).reshape(-1, 2)
    pooled = paired_ratio(means if np.isfinite(means).all() else means[:0])
    return evolve(pooled, pairs=sum(ratio.pairs for ratio in every))


Ratios = dict[tuple[str, str, str], Ratio]
"""Paired ratios by setting, method and measure; the setting ``ALL`` is over all problems."""


def ratios(every: Sequence[Comparison], baseline: str) -> Ratios:
    """Return the paired ratios of every method, the baseline included."""
    found: Ratios = {}
    for method, measure in product(methods_of(every), MEASURES):
        by_problem: dict[str, list[Points]] = {}
        for one in every:
            pairs = one.pairs(method, baseline, measure)
            found[str(one.setting), method, measure] = paired_ratio(pairs)
            by_problem.setdefault(one.setting.problem, []).append(pairs)
        found[ALL, method, measure] = pooled_ratio([np.concatenate(own) for own in by_problem.values()])
    return found


def wins(comparison: Comparison, measure: str) -> Mapping[str, float]:
    """Return the number of seeds under which each method was the best, of those that all have; ties share the win."""
    cells = comparison.cells
    won = dict.fromkeys(cells, 0.0)
    for seed in set.intersection(*map(set, cells.values())):
        values = {method: by_seed[seed].measure(measure) for method, by_seed in cells.items()}
        best = [method for method, value in values.items() if value == min(values.values())]
        for method in best:
            won[method] += 1 / len(best)
    return won


def on_front(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Return for each point whether no other is as low in both coordinates and lower in one."""
    return [not any(a <= x and b <= y and (a, b) != (x, y) for a, b in points) for x, y in points]


def front(comparison: Comparison) -> set[str]:
    """Return the methods that no other beats in both mean regret and mean movement."""
    mean, methods = comparison.mean, comparison.cells
    marked = on_front([(mean(method, "mean_movement"), mean(method, "mean_regret")) for method in methods])
    return {method for method, on in zip(methods, marked, strict=True) if on}

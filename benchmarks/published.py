"""The numbers that the paper's authors published of their later setting, beside ours.

docs/bibliography.md says where they were read, and what could not be confirmed.
"""

import math
from collections.abc import Sequence

from wayfare.bench.compare import Comparison
from wayfare.bench.report import markdown, mean_in_short

TRIALS = 200
SOURCE = (
    "*Theirs* is read off the figures of the authors' public notebook, to about 3%: ten replications, at t = "
    "200, with their own implementation of each method. Bold where ours is at or below theirs. R/t is mean "
    "regret, C/t mean movement."
)
METHODS = ("tucb", "tts", "ucb", "ts", "mini", "snake", "gs", "lhs-route", "random")
MEASURED = ("mean_regret", "mean_movement")
_NONE = (math.nan, math.nan)
# Each pair is (R/t, C/t).
_ROWS: dict[str, tuple[tuple[float, float], ...]] = {
    "griewank2": (
        *((0.31, 3.5), (0.33, 3.0), (0.52, 12.5), (0.96, 22.5), (0.57, 2.1)),
        *((0.94, 7.5), (1.03, 0.0), (1.06, 3.4), (1.06, 20.7)),
    ),
    "dropwave2": (
        *((0.535, 0.73), (0.535, 0.87), (0.585, 1.3), (0.66, 2.35), (0.80, 0.05)),
        *((0.69, 1.5), (0.88, 0.0), (0.87, 0.87), (0.87, 5.35)),
    ),
    "levy4": (
        *((0.26, 0.43), (0.25, 0.52), _NONE, (0.53, 1.48), (0.39, 0.42)),
        *((0.83, 1.23), (0.67, 0.06), (7.2, 1.75), (7.2, 4.7)),
    ),
    "ackley8": (
        *((5.8, 3.3), (6.6, 2.7), (7.6, 10.0), (10.2, 11.5), (6.8, 6.1)),
        *((11.1, 10.0), (14.0, 0.0), (15.1, 13.3), (15.1, 22.5)),
    ),
    "hartmann6": (
        *((0.41, 0.11), (0.48, 0.105), (0.67, 0.22), (1.50, 0.78), (1.37, 0.08)),
        *((1.93, 0.53), (1.0, 0.025), (3.05, 0.49), (3.05, 0.965)),
    ),
}
PUBLISHED = {problem: dict(zip(METHODS, row, strict=True)) for problem, row in _ROWS.items()}
"""By problem and method: mean regret and mean movement. They did not show UCB on Levy."""


def published_section(every: Sequence[Comparison]) -> str:
    """Return the part of a report that shows our numbers beside theirs; empty if they published none of it."""
    theirs = [one for one in every if is_published(one)]
    parts = ["## Beside the published numbers", SOURCE] if theirs else []
    for one in theirs:
        parts += [f"### {one.setting}, beside theirs", published_table(one)]
    return "\n\n".join(parts)


def is_published(one: Comparison) -> bool:
    """Return whether the authors published numbers for this setting."""
    return one.setting.problem in PUBLISHED and one.setting.trials == TRIALS and one.setting.delay == 0


def published_table(one: Comparison) -> str:
    """Return our mean regret and movement beside theirs, method by method; a dash where they showed none."""
    theirs = PUBLISHED[one.setting.problem]
    rows = []
    for method in one.cells:
        row = [method]
        for measure, value in zip(MEASURED, theirs.get(method, _NONE), strict=True):
            ours = one.values(method, measure)
            bold = "**" if ours.mean() <= value else ""
            row += [mean_in_short(ours, bold), shown(value)]
        rows.append(row)
    unit = f" [{one.unit}]" if one.unit else ""
    return markdown(["method", "R/t", "theirs", "C/t" + unit, "theirs"], rows)


def shown(value: float) -> str:
    """Return a published number, or a dash."""
    return "-" if math.isnan(value) else f"{value:g}"


def goal_table(every: Sequence[Comparison], ours: Sequence[str]) -> str:
    """Return where each of ``ours`` stands against their ``tucb``, problem by problem, as ratios of means."""
    rows = []
    for one in filter(is_published, every):
        theirs = PUBLISHED[one.setting.problem]["tucb"]
        row = [one.setting.problem]
        for method in ours:
            at = [one.mean(method, measure) / value for measure, value in zip(MEASURED, theirs, strict=True)]
            row += [*(f"{ratio:.2f}" for ratio in at), "yes" if max(at) <= 1 else "no"]
        rows.append(row)
    head = [words for method in ours for words in (f"{method} R/t", f"{method} C/t", "both")]
    return markdown(["over their tucb", *head], rows)

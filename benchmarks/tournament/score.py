"""Ratios of what two methods did in the same studies.

A ratio is the geometric mean over the problems of the geometric mean over their pairs, so every problem has the same
weight. Its 95% interval is Student's t on the logarithms, on one mean per problem: it says how it would be on other
problems. For a single problem it is on the pairs themselves.
"""

import numpy as np
from attrs import frozen
from scipy.stats import t as student

from wayfare.errors import InvalidInput

Logs = dict[str, list[float]]
"""Of each problem the logarithms of its paired ratios."""


@frozen
class Ratio:
    """A geometric mean and its 95% interval; the interval is not a number if there is a single value."""

    mean: float
    interval: tuple[float, float]

    def __str__(self) -> str:
        """Say the mean and the interval: ``0.42 [0.31, 0.57]``."""
        low, high = self.interval
        # With two or three pairs an interval may reach to the stars.
        end = f"{high:.2f}" if high < 100 else "100+"
        return f"{self.mean:.2f}" + ("" if np.isnan(low) else f" [{low:.2f}, {end}]")


def ratio(logs: Logs) -> Ratio:
    """Return the ratio behind the logarithms."""
    if not logs:
        raise InvalidInput("no pairs to compare")
    means = np.array([np.mean(values) for values in logs.values()])
    mean = float(means.mean())
    spread = means if len(means) > 1 else np.concatenate(list(logs.values()))
    if len(spread) < 2:
        return Ratio(float(np.exp(mean)), (float("nan"), float("nan")))
    half = float(student.ppf(0.975, len(spread) - 1)) * float(spread.std(ddof=1)) / len(spread) ** 0.5
    return Ratio(float(np.exp(mean)), (float(np.exp(mean - half)), float(np.exp(mean + half))))

"""Exponents: the slope between logarithms, fitted seed by seed, with a 95% interval."""

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from wayfare._core.arrays import Values


@frozen
class Exponent:
    """A mean and its 95% interval by Student's t over the seeds; infinitely wide for one seed."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return ``0.498 [0.493, 0.503]``."""
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def slope(x: Sequence[float] | Values, y: Sequence[float] | Values) -> float:
    """Return the power b of the y = a x^b that fits best, every point with the same relative error."""
    log_x, log_y = np.log(np.asarray(x)), np.log(np.asarray(y))
    shift = log_x - log_x.mean()
    return float(shift @ log_y / (shift @ shift))


def exponent(slopes: Sequence[float]) -> Exponent:
    """Return the mean of the slopes of the seeds, which are independent of each other."""
    from scipy.special import stdtrit

    mean, n = float(np.mean(slopes)), len(slopes)
    if n < 2:
        return Exponent(mean, -math.inf, math.inf)
    margin = float(stdtrit(n - 1, 0.975) * np.std(slopes, ddof=1) / math.sqrt(n))
    return Exponent(mean, mean - margin, mean + margin)

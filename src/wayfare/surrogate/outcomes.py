"""Outcomes as a model sees them: brought to mean zero and unit spread, and runs of results summed up by their mean.

Priors on hyperparameters then mean the same whatever the user's unit, and a run of a thousand results at one
place costs a fit no more than one result does.
"""

import math

import numpy as np
from attrs import frozen

from wayfare._core.arrays import Order, Values
from wayfare.surrogate.history import History

LEAST_NOISE = 1e-10
"""Least noise variance of a mean, in standard units, below which rounding makes a covariance singular."""


@frozen
class Standard:
    """The shift and scale that standardise outcomes: ``(y - shift) / scale``.

    Works from 1e-300 to 1e300: the spread is taken after dividing by half the range, so no square overflows.
    If there is no spread to speak of (one outcome, or all alike to rounding), the scale is a guess: twelve
    times a known noise, so that the function is taken to vary by far more than that, else the size of the
    outcomes and at least 1.

    Runs count as often as they have results and with the scatter within them, as if each result stood by
    itself; a run of unknown variance counts as so many equal results.
    """

    shift: float
    scale: float
    is_constant: bool

    @classmethod
    def of_history(cls, history: History) -> "Standard":
        """Return the standard of all results of a history."""
        if (history.counts == 1).all():
            return cls.of(history.y, history.noise)
        means, counts = history.y, history.counts
        known = np.isfinite(history.variances)
        within = np.zeros(len(means))
        within[known] = np.sqrt(history.variances[known] * (1.0 - 1.0 / counts[known]))
        # No run has a population sd above half its range, so as for single outcomes this is no spread.
        middle, half = _middle(means)
        half = max(half, float(within.max()))
        if _is_nothing(middle, half):
            return cls.of(np.array([middle]), history.noise)
        z, within = (means - middle) / half, within / half
        shares = counts / counts.sum()
        mean = float(shares @ z)
        spread = float(shares @ (np.square(z - mean) + np.square(within)))
        return cls(middle + half * mean, half * float(np.sqrt(spread)), False)

    @classmethod
    def of(cls, y: Values, noise: float | None = None) -> "Standard":
        """Return the standard of the outcomes ``y``; ``noise`` is the known sd of one of them."""
        middle, half = _middle(y) if len(y) else (0.0, 0.0)
        if _is_nothing(middle, half):
            return cls(middle, max(1.0, abs(middle)) if noise is None else 12.0 * noise, True)
        z = (y - middle) / half
        # ddof=1 would be larger by sqrt(2) on two outcomes; the population spread keeps them at +-1.
        return cls(middle + half * float(z.mean()), half * float(z.std()), False)

    def variance_of(self, noise: float) -> float:
        """Return a known noise as a variance in standard units, within the range that a model can use."""
        return min(max(noise / self.scale, 1e-3), 1e3) ** 2

    def apply(self, y: Values) -> Values:
        """Return the outcomes in standard units."""
        return np.zeros(len(y)) if self.is_constant else (y - self.shift) / self.scale


def _middle(y: Values) -> tuple[float, float]:
    """Return the middle and half of the range of the outcomes."""
    low, high = float(y.min()), float(y.max())
    return low / 2 + high / 2, high / 2 - low / 2


def _is_nothing(middle: float, half: float) -> bool:
    return half <= 1e-13 * abs(middle) or half < 1e-307


@frozen(eq=False)
class Repeats:
    """The number of results that each mean stands for, and their scatter about it, in standard units.

    Given the value f at its place, the n results of a run have the density N(mean; f, noise / n) times
    one without f, ``n^(-1/2) (2 pi noise)^(-(n - 1) / 2) exp(-squares / (2 noise))``. So the means with their
    noise and, summed over all runs, three numbers tell the model as much as the single results would. A run
    whose variance is unknown (or too large for a float) counts in none of the three.

    Attributes:
        counts: the number of results behind each mean.
        freedom: the sum of n - 1.
        squares: the sum of the squared deviations from the means.
        logs: the sum of log n.
    """

    counts: Values
    freedom: float
    squares: float
    logs: float

    @classmethod
    def of(cls, history: History, standard: Standard) -> "Repeats | None":
        """Return the repeats of a history; None if every result stands for itself."""
        if (history.counts == 1).all():
            return None
        counts = history.counts.astype(np.float64)
        known = np.isfinite(history.variances)
        runs = counts[known]
        deviations = np.sqrt(history.variances[known]) / standard.scale  # first the root: no square overflows
        squares = float((runs - 1.0) @ np.square(deviations))
        return cls(counts, float((runs - 1.0).sum()), squares, float(np.log(runs).sum()))

    def at(self, rows: Order) -> "Repeats":
        """Return the repeats of some of the means, with the scatter of all: that costs nothing more."""
        return Repeats(self.counts[rows], self.freedom, self.squares, self.logs)

    def noises(self, noise: float) -> Values:
        """Return the noise variance of each mean, if ``noise`` is that of one result."""
        return np.maximum(noise / self.counts, LEAST_NOISE)

    def peak(self, low: float, high: float) -> tuple[float, float, float]:
        """Return the log noise within bounds that explains the scatter best, its log density, and the peak's width.

        The width is that under a prior of width 1, so no more. ``freedom`` must be above 0.
        """
        best = min(max(math.log(max(self.squares / self.freedom, 1e-300)), low), high)
        return best, self.evidence(best)[0], 1.0 / math.sqrt(1.0 + 0.5 * self.freedom)

    def evidence(self, log_noise: float) -> tuple[float, float]:
        """Return the log density of the scatter within the runs, and its derivative by ``log_noise``."""
        misfit = self.squares * math.exp(-log_noise)
        value = -0.5 * (self.freedom * (math.log(2 * math.pi) + log_noise) + misfit + self.logs)
        return value, 0.5 * (misfit - self.freedom)

"""What runs of results at one place say of the noise, so that their means can stand for them."""

import math

import numpy as np
from attrs import frozen

from wayfare._core.arrays import Order, Values
from wayfare.surrogate.history import History
from wayfare.surrogate.outcomes import Standard

LEAST = 1e-10
"""The least noise variance of a mean, in standard units, below which rounding makes a covariance singular."""


@frozen(eq=False)
class Repeats:
    """How many results each mean stands for, and how those scattered about it, in standard units.

    Given the value f at its place, the n results of a run have the density N(mean; f, noise / n) times
    one without f, ``n^(-1/2) (2 pi noise)^(-(n - 1) / 2) exp(-squares / (2 noise))``. So the means with their
    noise and, summed over all runs, three numbers say of the model what the single results would:
    ``freedom`` is the sum of n - 1, ``squares`` that of the squared deviations from the means, ``logs``
    that of log n. A run whose variance nobody said (or is too large for a float) counts in none of them; its
    mean is all there is.
    """

    counts: Values
    freedom: float
    squares: float
    logs: float

    @classmethod
    def of(cls, history: History, standard: Standard) -> "Repeats | None":
        """Return the repeats of a history; None where every result stands for itself."""
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
        return np.maximum(noise / self.counts, LEAST)

    def peak(self, low: float, high: float) -> tuple[float, float, float]:
        """Return the log noise within bounds that explains the scatter best, how well, and the peak's width.

        The width is that under a prior of width 1, so no more. Some scatter must be known, be it none
        (``freedom`` above 0).
        """
        best = min(max(math.log(max(self.squares / self.freedom, 1e-300)), low), high)
        return best, self.evidence(best)[0], 1.0 / math.sqrt(1.0 + 0.5 * self.freedom)

    def evidence(self, log_noise: float) -> tuple[float, float]:
        """Return the log density of the scatter within the runs, and its derivative by ``log_noise``."""
        misfit = self.squares * math.exp(-log_noise)
        value = -0.5 * (self.freedom * (math.log(2 * math.pi) + log_noise) + misfit + self.logs)
        return value, 0.5 * (misfit - self.freedom)

"""Outcomes brought to mean zero and unit spread, whatever their range."""

import numpy as np
from attrs import frozen

from wayfare._core.arrays import Order, Values
from wayfare.surrogate.history import History


@frozen
class Standard:
    """The shift and scale that standardise outcomes: ``(y - shift) / scale``.

    Works from 1e-300 to 1e300: the spread is taken after dividing by half the range, so no square overflows.
    Where there is no spread to speak of (one outcome, or all alike to rounding), the scale is a guess: twelve
    times a known noise, so that the function is taken to vary by far more than that, else the size of the
    outcomes and at least 1.

    Runs count as often as they have results and with the scatter within them, as if each result stood by
    itself; a run whose variance nobody said as so many results alike.
    """

    shift: float
    scale: float
    is_constant: bool

    @classmethod
    def of_history(cls, history: History) -> "Standard":
        """Return the standard of all results of a history."""
        if (history.counts == 1).all():
            return cls.of(history.y, history.noise)
        return cls.of_runs(history.y, history.counts, history.variances, history.noise)

    @classmethod
    def of(cls, y: Values, noise: float | None = None) -> "Standard":
        """Return the standard of the outcomes ``y``; ``noise`` is the known sd of one of them."""
        if len(y) == 0:
            return cls(0.0, 1.0 if noise is None else 12.0 * noise, True)
        low, high = float(y.min()), float(y.max())
        middle, half = low / 2 + high / 2, high / 2 - low / 2
        if half <= 1e-13 * abs(middle) or half < 1e-307:
            return cls(middle, max(1.0, abs(middle)) if noise is None else 12.0 * noise, True)
        z = (y - middle) / half
        # ddof=1 would be larger by sqrt(2) on two outcomes; the population spread keeps them at +-1.
        return cls(middle + half * float(z.mean()), half * float(z.std()), False)

    @classmethod
    def of_runs(cls, means: Values, counts: Order, variances: Values, noise: float | None = None) -> "Standard":
        """Return the standard of the results behind ``means``, at least one."""
        known = np.isfinite(variances)
        within = np.zeros(len(means))
        within[known] = np.sqrt(variances[known] * (1.0 - 1.0 / counts[known]))
        low, high = float(means.min()), float(means.max())
        # No run has a population sd above half its range, so as of single outcomes this is no spread.
        middle, half = low / 2 + high / 2, max(high / 2 - low / 2, float(within.max()))
        if half <= 1e-13 * abs(middle) or half < 1e-307:
            return cls.of(np.array([middle]), noise)
        z, within = (means - middle) / half, within / half
        shares = counts / counts.sum()
        mean = float(shares @ z)
        spread = float(shares @ (np.square(z - mean) + np.square(within)))
        return cls(middle + half * mean, half * float(np.sqrt(spread)), False)

    def variance_of(self, noise: float) -> float:
        """Return a known noise as a variance in standard units, within what a model can use."""
        return min(max(noise / self.scale, 1e-3), 1e3) ** 2

    def apply(self, y: Values) -> Values:
        """Return the outcomes in standard units."""
        if self.is_constant:
            return np.zeros(len(y))
        return (y - self.shift) / self.scale

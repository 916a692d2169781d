"""Hyperparameters of the GP, their priors, and the log posterior density with its gradient."""

import math
from functools import lru_cache

import numpy as np
from attrs import frozen

from wayfare._core import lazy_scipy
from wayfare._core.arrays import Features, Order, Values
from wayfare.surrogate.history import Notes
from wayfare.surrogate.kernels import Kernel
from wayfare.surrogate.repeats import LEAST, Repeats

FLOOR = 1e-6
"""The least noise variance, in standard units: keeps the covariance of repeated places invertible."""


@frozen(eq=False)
class Hyper:
    """Length-scales (one per active axis, in the unit cube), variance and noise in standard units."""

    lengths: Values
    variance: float
    noise: float

    def to_vector(self) -> Values:
        """Return the logarithms, the form in which they are fitted."""
        return np.asarray(np.log(np.concatenate([self.lengths, [self.variance, self.noise]])))

    @classmethod
    def from_vector(cls, theta: Values) -> "Hyper":
        """Return the hyperparameters whose logarithms are ``theta``."""
        values = np.exp(theta)
        return cls(values[:-2], float(values[-2]), float(values[-1]))

    def to_notes(self) -> Notes:
        """Return them as plain values, to be stored with a plan."""
        return {"lengths": self.lengths.tolist(), "variance": self.variance, "noise": self.noise}

    @classmethod
    def from_notes(cls, notes: Notes) -> "Hyper":
        """Return the hyperparameters stored with a plan."""
        return cls(np.array(notes["lengths"], dtype=float), float(notes["variance"]), float(notes["noise"]))


@frozen(eq=False)
class Prior:
    """Independent normal priors on the logarithms, and the box they are fitted in.

    The length-scale prior moves with the square root of the dimension (Hvarfner, Hellsten and Nardi 2024). It
    peaks where BoTorch 0.12's does (a log-normal of location sqrt(2) + log(d)/2 and scale sqrt(3), whose
    density peaks at exp(location - 3)), but is narrower, with scale 1: from a handful of results a wide prior
    can believe in very long length-scales, and never look at the rest of the space again. The noise prior is
    the same as there, a log-normal of location -4 and scale 1.
    """

    mean: Values
    sd: Values
    low: Values
    high: Values

    @classmethod
    def of(cls, axes: int) -> "Prior":
        """Return the prior for ``axes`` active axes."""
        length = math.sqrt(2) - 3 + 0.5 * math.log(max(axes, 1))
        return cls(
            mean=np.array([length] * axes + [0.0, -5.0]),
            sd=np.ones(axes + 2),
            low=np.array([math.log(0.01)] * axes + [math.log(0.01), math.log(FLOOR)]),
            high=np.array([math.log(100.0)] * axes + [math.log(100.0), math.log(4.0)]),
        )

    def density(self, theta: Values) -> tuple[float, Values]:
        """Return the log density up to a constant, and its gradient."""
        z = (theta - self.mean) / self.sd
        return -0.5 * float(z @ z), -z / self.sd


class Evidence:
    """The log marginal likelihood of standardised outcomes, with its gradient in the logarithms.

    The constant mean is profiled out (generalised least squares). By the envelope theorem the gradient is
    that at the profiled mean held fixed. All is symmetric, so what can be done on the lower triangle alone is
    done there: squared differences per axis, computed once and kept as one row per axis. With ``repeats``
    the outcomes are means of runs, and value and gradient those of the single results behind them.
    """

    def __init__(
        self, kernel: Kernel, features: Features, groups: Order, z: Values, repeats: Repeats | None = None
    ) -> None:
        self._kernel, self._n, self._repeats = kernel, len(z), repeats
        self._z_and_one = np.column_stack([z, np.ones(len(z))])
        self._row, self._column, self._flat = lower_triangle(len(z))
        self._squares = np.zeros((int(groups.max(initial=-1)) + 1, len(self._row)))
        for column, group in enumerate(groups):
            feature = features[:, column]
            self._squares[group] += np.square(feature[self._row] - feature[self._column])

    def __call__(self, theta: Values) -> tuple[float, Values]:
        """Return the log marginal likelihood and its gradient; minus infinity where not positive definite."""
        n = self._n
        weights = np.exp(-2.0 * theta[:-2])
        variance, noise = math.exp(theta[-2]), math.exp(theta[-1])
        k, slope = self._kernel.slope(weights @ self._squares)
        covariance = np.zeros((n, n), order="F")
        flat = covariance.reshape(-1, order="F")
        flat[self._flat] = variance * k
        noises = noise if self._repeats is None else self._repeats.noises(noise)
        flat[:: n + 1] = variance + noises
        factor, failed = lazy_scipy.dpotrf(covariance, lower=1, clean=0, overwrite_a=1)
        if failed:
            return -math.inf, np.zeros_like(theta)
        log_det = 2.0 * float(np.log(factor.diagonal()).sum())
        solved, _ = lazy_scipy.dpotrs(factor, self._z_and_one, lower=1)
        mean = gls_mean(solved[:, 1], self._z_and_one[:, 0])
        alpha = solved[:, 0] - mean * solved[:, 1]
        fit = float((self._z_and_one[:, 0] - mean) @ alpha)
        value = -0.5 * (fit + log_det + n * math.log(2 * math.pi))
        inverse, _ = lazy_scipy.dpotri(factor, lower=1, overwrite_c=1)
        # The gradient of the value by the covariance, times two: below the diagonal, and its trace.
        below = alpha[self._row] * alpha[self._column] - inverse.reshape(-1, order="F")[self._flat]
        trace = float(alpha @ alpha) - float(inverse.diagonal().sum())
        gradient = np.empty_like(theta)
        gradient[:-2] = -2.0 * variance * weights * (self._squares @ (below * slope))
        gradient[-2] = variance * (0.5 * trace + float(below @ k))
        gradient[-1] = 0.5 * noise * trace
        if self._repeats is not None:
            scatter, pull = self._repeats.evidence(float(theta[-1]))
            moving = np.where(noises > LEAST, noises, 0.0)
            gradient[-1] = 0.5 * float(moving @ (alpha * alpha - inverse.diagonal())) + pull
            value += scatter
        return value, gradient


def gls_mean(row_sums: Values, z: Values) -> float:
    """Return the constant that fits ``z`` best under the inverse covariance with these row sums."""
    total = float(row_sums.sum())
    return float(row_sums @ z) / total if total > 0 else float(z.mean())


@lru_cache(maxsize=64)
def lower_triangle(n: int) -> tuple[Order, Order, Order]:
    """Return rows, columns and column-major positions of the entries below the diagonal."""
    row, column = np.tril_indices(n, -1)
    return row, column, row + n * column

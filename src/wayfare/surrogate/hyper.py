"""Kernels and hyperparameters of the GP: their prior, the evidence with its gradient, and the MAP fit.

Kernels are functions of the squared scaled distance. Choices are one-hot columns with a common length-scale (see
``Space.encode``), so that it counts each differing choice once: the Hamming kernel is the same formula. The fit looks
at several starts and climbs from the best two that have a chance: at our sizes a climb is the slowest part of a plan.
"""

import math
from functools import lru_cache
from typing import Protocol

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core import lazy_scipy
from wayfare._core.arrays import Features, Matrix, Order, Values
from wayfare.errors import ModelError
from wayfare.surrogate.history import LEAST_NOISE, Notes, Repeats

NOISE_FLOOR = 1e-6
"""Least noise variance, in standard units: keeps the covariance of repeated places invertible."""
SUBSET = 256
"""Beyond this many results the hyperparameters are fitted on a diverse subset of that size."""
CLIMBS, ITERATIONS = 2, 40
"""Number of starts to climb from at most, and of steps in each climb."""
HOPELESS = 6.0
"""A start this far (in log density) from where the best one ended is not climbed."""


class Kernel(Protocol):
    """A kernel of unit variance, ``k(x, x') = profile(|x - x'|^2)`` in scaled features."""

    name: str

    def profile(self, r2: Matrix) -> Matrix:
        """Return the covariance at squared distances ``r2``."""

    def slope(self, r2: Matrix) -> tuple[Matrix, Matrix]:
        """Return the covariance and its derivative by ``r2``."""

    def frequencies(self, n: int, p: int, rng: Generator) -> Matrix:
        """Return (n, p) frequencies drawn from the kernel's spectral density.

        Args:
            n: the number of frequencies.
            p: the number of feature columns.
            rng: draws them.
        """


@frozen
class RBF:
    """The squared exponential kernel: infinitely smooth functions."""

    name = "rbf"

    def profile(self, r2: Matrix) -> Matrix:
        """Return exp(-r2 / 2)."""
        return np.exp(-0.5 * r2)

    def slope(self, r2: Matrix) -> tuple[Matrix, Matrix]:
        """Return the covariance and its derivative by ``r2``."""
        k = np.exp(-0.5 * r2)
        return k, -0.5 * k

    def frequencies(self, n: int, p: int, rng: Generator) -> Matrix:
        """Return normal frequencies."""
        return rng.standard_normal((n, p))


@frozen
class Matern52:
    """The Matérn kernel of smoothness 5/2: twice differentiable functions."""

    name = "matern52"

    def profile(self, r2: Matrix) -> Matrix:
        """Return (1 + a + a^2/3) exp(-a) with a = sqrt(5 r2)."""
        a = np.sqrt(5.0 * r2)
        # In place: this is the innermost product of every prediction.
        k = a * (1.0 / 3.0)
        k += 1.0
        k *= a
        k += 1.0
        np.negative(a, out=a)
        k *= np.exp(a, out=a)
        return k

    def slope(self, r2: Matrix) -> tuple[Matrix, Matrix]:
        """Return the covariance and its derivative by ``r2``, finite at zero distance."""
        a = np.sqrt(5.0 * r2)
        decay = np.exp(-a)
        tail = (1.0 + a) * decay
        return tail + (5.0 / 3.0) * r2 * decay, (-5.0 / 6.0) * tail

    def frequencies(self, n: int, p: int, rng: Generator) -> Matrix:
        """Return multivariate t frequencies with 5 degrees of freedom."""
        normal = rng.standard_normal((n, p))
        return normal / np.sqrt(rng.chisquare(5.0, (n, 1)) / 5.0)


KERNELS: dict[str, Kernel] = {kernel.name: kernel for kernel in (RBF(), Matern52())}


def squared_distances(a: Features, b: Features) -> Matrix:
    """Return the (n, m) squared distances between scaled features.

    By the inner product: its rounding error, about 1e-16 of the squared norm, is far below any noise
    variance we allow, and it is several times faster than differences.
    """
    r2 = a @ (-2.0 * b.T)
    r2 += np.einsum("ij,ij->i", a, a)[:, None]
    r2 += np.einsum("ij,ij->i", b, b)[None, :]
    return np.maximum(r2, 0.0, out=r2)


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
    """Independent normal priors of scale 1 on the logarithms, and the box they are fitted in.

    The length-scale prior moves with the square root of the dimension (Hvarfner, Hellsten and Nardi 2024). It
    peaks where BoTorch 0.12's does (a log-normal of location sqrt(2) + log(d)/2 and scale sqrt(3), whose
    density peaks at exp(location - 3)), but is narrower, with scale 1: from a handful of results a wide prior
    can believe in very long length-scales, and never look at the rest of the space again. The noise prior is
    the same as there, a log-normal of location -4 and scale 1.
    """

    mean: Values
    low: Values
    high: Values

    @classmethod
    def of(cls, axes: int) -> "Prior":
        """Return the prior for ``axes`` active axes."""
        length = math.sqrt(2) - 3 + 0.5 * math.log(max(axes, 1))
        return cls(
            mean=np.array([length] * axes + [0.0, -5.0]),
            low=np.array([math.log(0.01)] * axes + [math.log(0.01), math.log(NOISE_FLOOR)]),
            high=np.array([math.log(100.0)] * axes + [math.log(100.0), math.log(4.0)]),
        )

    def density(self, theta: Values) -> tuple[float, Values]:
        """Return the log density up to a constant, and its gradient."""
        z = theta - self.mean
        return -0.5 * float(z @ z), -z


class Evidence:
    """The log marginal likelihood of standardised outcomes, with its gradient in the logarithms.

    The constant mean is profiled out (generalised least squares). By the envelope theorem the gradient is
    that at the profiled mean held fixed. With ``repeats`` the outcomes are means of runs, and value and
    gradient those of the single results behind them.
    """

    def __init__(
        self, kernel: Kernel, features: Features, groups: Order, z: Values, repeats: Repeats | None = None
    ) -> None:
        self._kernel, self._n, self._repeats = kernel, len(z), repeats
        self._z_and_one = np.column_stack([z, np.ones(len(z))])
        # All is symmetric, so the squared differences per axis are kept for the lower triangle alone.
        self._row, self._column, self._flat = _lower_triangle(len(z))
        self._squares = np.zeros((int(groups.max(initial=-1)) + 1, len(self._row)))
        for column, group in enumerate(groups):
            feature = features[:, column]
            self._squares[group] += np.square(feature[self._row] - feature[self._column])

    def __call__(self, theta: Values) -> tuple[float, Values]:
        """Return the log marginal likelihood and its gradient; minus infinity where not positive definite."""
        # 1. The covariance and its factor.
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
        # 2. The value, at the mean that fits best.
        log_det = 2.0 * float(np.log(factor.diagonal()).sum())
        solved, _ = lazy_scipy.dpotrs(factor, self._z_and_one, lower=1)
        mean = gls_mean(solved[:, 1], self._z_and_one[:, 0])
        alpha = solved[:, 0] - mean * solved[:, 1]
        fit = float((self._z_and_one[:, 0] - mean) @ alpha)
        value = -0.5 * (fit + log_det + n * math.log(2 * math.pi))
        inverse, _ = lazy_scipy.dpotri(factor, lower=1, overwrite_c=1)
        # 3. The gradient of the value by the covariance, times two: below the diagonal, and its trace.
        below = alpha[self._row] * alpha[self._column] - inverse.reshape(-1, order="F")[self._flat]
        trace = float(alpha @ alpha) - float(inverse.diagonal().sum())
        # 4. The gradient by the logarithms, and what the scatter within runs adds.
        gradient = np.empty_like(theta)
        gradient[:-2] = -2.0 * variance * weights * (self._squares @ (below * slope))
        gradient[-2] = variance * (0.5 * trace + float(below @ k))
        gradient[-1] = 0.5 * noise * trace
        if self._repeats is not None:
            scatter, pull = self._repeats.evidence(float(theta[-1]))
            moving = np.where(noises > LEAST_NOISE, noises, 0.0)
            gradient[-1] = 0.5 * float(moving @ (alpha * alpha - inverse.diagonal())) + pull
            value += scatter
        return value, gradient


def gls_mean(row_sums: Values, z: Values) -> float:
    """Return the constant that fits ``z`` best under the inverse covariance with these row sums."""
    total = float(row_sums.sum())
    return float(row_sums @ z) / total if total > 0 else float(z.mean())


@lru_cache(maxsize=64)
def _lower_triangle(n: int) -> tuple[Order, Order, Order]:
    """Return rows, columns and column-major positions of the entries below the diagonal."""
    row, column = np.tril_indices(n, -1)
    return row, column, row + n * column


def fit_hyper(
    kernel: Kernel,
    features: Features,
    groups: Order,
    z: Values,
    repeats: Repeats | None,
    noise: float | None,
    warm: Hyper | None,
    rng: Generator,
) -> Hyper:
    """Return the hyperparameters of highest posterior density.

    ``noise`` is the known noise variance in standard units, or None to fit it; ``warm`` is where the last plan
    ended. The likelihood is often bimodal (all noise or all signal; one long axis or the other), hence the
    several starts. With ``repeats`` the outcomes ``z`` are means of runs, and up to ``SUBSET`` results in all the
    steps are those that the single results would lead to.

    Raises:
        ModelError: no start led to a positive definite covariance.
    """
    from scipy.optimize import Bounds, minimize  # slow to import, and reading a study does without

    # 1. The data: a subset if there are many.
    if len(z) > SUBSET:
        chosen = diverse_subset(features, SUBSET, rng)
        features, z = features[chosen], z[chosen]
        repeats = None if repeats is None else repeats.at(chosen)
    evidence = Evidence(kernel, features, groups, z, repeats)

    # 2. The starts: where the last plan ended, the mode of the prior, and a shorter and a longer one.
    axes = int(groups.max(initial=-1)) + 1
    prior = Prior.of(axes)
    low, high = prior.low.copy(), prior.high.copy()
    if noise is not None:
        low[-1] = high[-1] = np.log(max(noise, NOISE_FLOOR))
    shift = np.array([1.2] * axes + [0.0, 0.0])
    starts = [prior.mean, prior.mean - shift, prior.mean + shift]
    if warm is not None and len(warm.lengths) == axes:
        starts.insert(0, warm.to_vector())
    looked_at = np.clip(starts, low, high)
    # With more repeats than this their scatter dwarfs all else and settles the noise. Then every start has that
    # noise, or the one nearest to it would alone be climbed; the climbs go in steps of its accuracy, and count
    # heights from its own, for they end when they gain little of the whole.
    peak, pace = 0.0, np.ones_like(low)
    if repeats is not None and repeats.freedom > SUBSET:
        log_noise, peak, pace[-1] = repeats.peak(low[-1], high[-1])
        looked_at[:, -1] = log_noise

    def loss(theta: Values) -> tuple[float, Values]:
        value, slope = evidence(theta)
        if not np.isfinite(value):
            return 1e25, np.zeros_like(theta)
        belief, pull = prior.density(theta)
        return peak - value - belief, -slope - pull

    def paced(steps: Values) -> tuple[float, Values]:
        value, slope = loss(steps * pace)
        return value, slope * pace

    def climb(start: Values) -> tuple[float, Values]:
        result = minimize(
            paced,
            start / pace,
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(low / pace, high / pace),
            options={"maxiter": ITERATIONS, "ftol": 1e-5, "gtol": 1e-2},
        )
        return float(result.fun), np.asarray(result.x) * pace

    # 3. Climb from the best start, and from the next if it has a chance.
    looks = sorted(((loss(start)[0], start) for start in looked_at), key=lambda look: look[0])
    value, theta = climb(looks[0][1])
    for height, start in looks[1:CLIMBS]:
        if height < value + HOPELESS:
            value, theta = min((value, theta), climb(start), key=lambda climbed: climbed[0])
    if not np.isfinite(theta).all() or value >= 1e24:
        raise ModelError("no hyperparameters give a positive definite covariance")
    return Hyper.from_vector(theta)


def diverse_subset(features: Features, size: int, rng: Generator) -> Order:
    """Return ``size`` rows, half by farthest-point traversal and half at random.

    Late in a study most results sit at the optimum; a purely random subset would see little else, and
    teach the model that the world is flat there.
    """
    chosen = [int(rng.integers(len(features)))]
    gap = np.full(len(features), np.inf)
    while len(chosen) < size // 2:
        gap = np.minimum(gap, np.square(features - features[chosen[-1]]).sum(axis=1))
        gap[chosen[-1]] = -1.0  # among repeats of one place the distances tie at zero; take no row twice
        chosen.append(int(gap.argmax()))
    rest = np.setdiff1d(np.arange(len(features)), chosen)
    return np.concatenate([np.array(chosen), rng.choice(rest, size - len(chosen), replace=False)])

"""The hyperparameters of the GP: their prior, the evidence with its gradient, and the fit.

The fit looks at several starts and climbs from the best two that have a chance: at our sizes a climb is the slowest
part of a plan. From the peak it goes some standard deviations of the posterior towards doubt (``cautious``).
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core import lazy_scipy
from wayfare._core.arrays import Features, Mask, Matrix, Order, Values
from wayfare.errors import ModelError
from wayfare.surrogate.history import LEAST_NOISE, Repeats
from wayfare.surrogate.kernels import MEAN, Kernel, choices_among, offsets_among

NOISE_FLOOR = 1e-6
"""Least noise variance, in standard units: keeps the covariance of repeated places invertible."""
SUBSET = 256
"""Beyond this many results the hyperparameters are fitted on a diverse subset of that size."""
CLIMBS, ITERATIONS = 2, 40
"""Number of starts to climb from at most, and of steps in each climb."""
LEAST_GAIN, LEAST_SLOPE = 1e-5, 1e-2
"""A climb ends where a step gains less than this share of the height, or where the slope is no larger."""
HOPELESS = 6.0
"""A start this far (in log density) from where the best one ended is not climbed."""
DOUBT = 1.25
"""How many standard deviations of their posterior the hyperparameters are moved towards doubt."""
SMOOTHER = 2.0
"""By how much (in log density) outcomes must favour a smoother kernel before it is preferred."""
COMBINED = -2.0
"""Prior mean of the log variance of what a combination of choices adds; that of a single choice is larger, -1."""


@frozen(eq=False)
class Prior:
    """Independent normal priors on the logarithms, and the box they are fitted in.

    The length-scale prior moves with the square root of the dimension (Hvarfner, Hellsten and Nardi 2024). It
    peaks where BoTorch 0.12's does (a log-normal of location sqrt(2) + log(d)/2 and scale sqrt(3), whose
    density peaks at exp(location - 3)), but is narrower, with scale 1: from a handful of results a wide prior
    can believe in very long length-scales, and never look at the rest of the space again. Under two values of a
    choice the shapes are taken to be alike: their length-scale is about 1 (a correlation of 0.5), where that of an axis
    is 0.2 to 0.5. The variance may be several times that of the results, which may all be from one corner, and the
    noise of any size down to none.
    """

    mean: Values
    sd: Values
    low: Values
    high: Values

    @classmethod
    def of(cls, groups: Order) -> "Prior":
        """Return the prior for these feature columns' active axes."""
        choices, axes = choices_among(groups), int(groups.max(initial=-1)) + 1
        c = offsets_among(groups)
        length = math.sqrt(2) - 3 + 0.5 * math.log(max(axes, 1))
        mean = np.array([length] * axes + [-1.0] * c + [1.0, -6.0])
        mean[choices] = 0.0
        mean[axes + len(choices) : -2] = COMBINED
        return cls(
            mean=mean,
            sd=np.array([1.0] * (axes + c) + [1.5, 2.0]),
            low=np.log([0.01] * axes + [1e-3] * c + [0.01, NOISE_FLOOR]),
            high=np.log([100.0] * (axes + c) + [100.0, 4.0]),
        )

    def density(self, theta: Values) -> tuple[float, Values]:
        """Return the log density up to a constant, and its gradient."""
        z = (theta - self.mean) / self.sd
        return -0.5 * float(z @ z), -z / self.sd


class Pairs:
    """The covariances of some pairs of places as functions of the hyperparameters' logarithms."""

    def __init__(self, kernel: Kernel, groups: Order, a: Features, b: Features) -> None:
        self._kernel = kernel
        self._axes = int(groups.max(initial=-1)) + 1
        self._squares = np.zeros((self._axes, len(a)))
        for column, group in enumerate(groups):
            self._squares[group] += np.square(a[:, column] - b[:, column])
        self._same = 1.0 - self._squares[choices_among(groups)]
        if offsets_among(groups) > len(self._same):
            self._same = np.vstack([self._same, self._same.prod(axis=0)])

    def at(self, theta: Values) -> Values:
        """Return the covariances."""
        axes = self._axes
        self._theta, self._weights, self._offsets = theta, np.exp(-2.0 * theta[:axes]), np.exp(theta[axes:-2])
        self._variance = math.exp(theta[-2])
        self._k, self._slope = self._kernel.slope(self._weights @ self._squares)
        covariances = self._variance * self._k
        covariances += MEAN
        if len(self._same):
            covariances += self._offsets @ self._same
        return covariances

    def gradient(self, pull: Values) -> Values:
        """Return the gradient of ``pull @ covariances`` where they were asked for last; nothing pulls at the noise."""
        lengths = -2.0 * self._variance * self._weights * (self._squares @ (pull * self._slope))
        offsets = self._offsets * (self._same @ pull)
        return np.concatenate([lengths, offsets, [self._variance * float(pull @ self._k), 0.0]])


class Evidence:
    """The log marginal likelihood of standardised outcomes, with its gradient in the logarithms.

    The constant mean and the offsets of choices are integrated out. With ``repeats`` the outcomes are means of runs,
    and value and gradient those of the single results behind them.
    """

    def __init__(
        self, kernel: Kernel, features: Features, groups: Order, z: Values, repeats: Repeats | None = None
    ) -> None:
        self._kernel, self._features, self._groups, self._z, self._repeats = kernel, features, groups, z, repeats
        self._axes = int(groups.max(initial=-1)) + 1
        # All is symmetric, so the pairs are those of the lower triangle.
        self._row, self._column, self._flat = _lower_triangle(len(z))
        self._pairs = Pairs(kernel, groups, features[self._row], features[self._column])

    def __call__(self, theta: Values) -> tuple[float, Values]:
        """Return the log marginal likelihood and its gradient; minus infinity where not positive definite."""
        # 1. The covariance, its factor, and the value.
        factor, noises = self._factor(theta)
        if factor is None:
            return -math.inf, np.zeros_like(theta)
        value, alpha = self._density(factor)
        # 2. The gradient of the value by the covariance, times two: below the diagonal, and on it.
        inverse, _ = lazy_scipy.dpotri(factor, lower=1, overwrite_c=1)
        below = alpha[self._row] * alpha[self._column] - inverse.reshape(-1, order="F")[self._flat]
        diagonal = alpha * alpha - inverse.diagonal()
        # 3. The gradient by the logarithms, and what the scatter within runs adds.
        gradient = self._pairs.gradient(below) + 0.5 * float(diagonal.sum()) * self._on_diagonal(theta)
        gradient[-1] = 0.5 * float(diagonal @ np.where(noises > LEAST_NOISE, noises, 0.0))
        if self._repeats is not None:
            scatter, pull = self._repeats.evidence(float(theta[-1]))
            gradient[-1] += pull
            value += scatter
        return value, gradient

    def value(self, theta: Values) -> float:
        """Return the log marginal likelihood alone, in less than half the time."""
        factor, _ = self._factor(theta)
        if factor is None:
            return -math.inf
        scatter = 0.0 if self._repeats is None else self._repeats.evidence(float(theta[-1]))[0]
        return self._density(factor)[0] + scatter

    def _density(self, factor: Matrix) -> tuple[float, Values]:
        """Return the log density of the outcomes, and the covariance's inverse times them."""
        log_det = 2.0 * float(np.log(factor.diagonal()).sum())
        alpha, _ = lazy_scipy.dpotrs(factor, self._z, lower=1)
        return -0.5 * (float(self._z @ alpha) + log_det + len(self._z) * math.log(2 * math.pi)), alpha

    def doubt(self, theta: Values, places: Features) -> Values:
        """Return the gradient of the mean logarithm of the predictive variance at ``places``."""
        factor, noises = self._factor(theta)
        n, m = len(self._z), len(places)
        if factor is None:
            return np.zeros_like(theta)
        cross = Pairs(self._kernel, self._groups, np.repeat(self._features, m, axis=0), np.tile(places, (n, 1)))
        k = cross.at(theta).reshape(n, m)
        weights, _ = lazy_scipy.dpotrs(factor, k, lower=1)
        total = MEAN + float(np.exp(theta[self._axes : -1]).sum())
        # variance = total - k' K^-1 k, and so its change is that of total, less 2 w' dk, plus w' dK w with w = K^-1 k.
        share = 1.0 / (m * np.maximum(total - np.einsum("ij,ij->j", k, weights), 1e-12))
        both = (weights * share) @ weights.T
        gradient = float(share.sum() + both.diagonal().sum()) * self._on_diagonal(theta)
        gradient += self._pairs.gradient(2.0 * both[self._row, self._column])
        gradient -= cross.gradient((2.0 * weights * share).ravel())
        gradient[-1] = float(both.diagonal() @ np.where(noises > LEAST_NOISE, noises, 0.0))
        return gradient

    def _factor(self, theta: Values) -> tuple[Matrix | None, Values]:
        """Return the Cholesky factor of the covariance, None if there is none, and the noise variances."""
        n = len(self._z)
        noise = math.exp(theta[-1])
        noises = np.full(n, noise) if self._repeats is None else self._repeats.noises(noise)
        covariance = np.empty((n, n), order="F")  # of which the lower triangle is filled, and used
        flat = covariance.reshape(-1, order="F")
        flat[self._flat] = self._pairs.at(theta)
        flat[:: n + 1] = MEAN + float(np.exp(theta[self._axes : -1]).sum()) + noises
        factor, failed = lazy_scipy.dpotrf(covariance, lower=1, clean=0, overwrite_a=1)
        return (None if failed else factor), noises

    def _on_diagonal(self, theta: Values) -> Values:
        """Return the gradient of the variance at a place, but for the noise."""
        gradient = np.zeros_like(theta)
        gradient[self._axes : -1] = np.exp(theta[self._axes : -1])
        return gradient


@lru_cache(maxsize=64)
def _lower_triangle(n: int) -> tuple[Order, Order, Order]:
    """Return rows, columns and column-major positions of the entries below the diagonal."""
    row, column = np.tril_indices(n, -1)
    return row, column, row + n * column


class Fitted(NamedTuple):
    """A kernel and its hyperparameters as logarithms.

    Attributes:
        kernel: that of the smooth part.
        peak: the logarithms of highest posterior density.
        cautious: those ``DOUBT`` standard deviations nearer to doubt.
    """

    kernel: Kernel
    peak: Values
    cautious: Values


def fit_hyper(
    kernels: Sequence[Kernel],
    features: Features,
    groups: Order,
    z: Values,
    repeats: Repeats | None,
    noise: float | None,
    warm: Values | None,
    places: Features,
    rng: Generator,
) -> Fitted:
    """Return the kernel that explains the outcomes best, with the hyperparameters that do, and a more doubtful setting.

    The first kernel is kept unless the density under another is higher by ``SMOOTHER``. The likelihood is often bimodal
    (all noise or all signal; one long axis or the other), hence the several starts.
    With ``repeats`` the outcomes are means of runs, and up to ``SUBSET`` results in all the steps are those that the
    single results would lead to.

    Args:
        kernels: to choose from, the roughest first.
        features: (n, p) the places of the results, in the unit cube.
        groups: for each feature column, which active axis it belongs to.
        z: the outcomes in standard units.
        repeats: the results behind each outcome; None if they stand for themselves.
        noise: the known noise variance in standard units; None to fit it.
        warm: the peak that the last plan found; None if there is none.
        places: where doubt is judged, in the unit cube.
        rng: chooses a subset of many results.

    Raises:
        ModelError: no start led to a positive definite covariance.
    """
    from scipy.optimize import fmin_l_bfgs_b  # slow to import, and reading a study does without

    # 1. The data: a subset if there are many.
    if len(z) > SUBSET:
        chosen = diverse_subset(features, SUBSET, rng)
        features, z = features[chosen], z[chosen]
        repeats = None if repeats is None else repeats.at(chosen)
    evidences = [Evidence(kernel, features, groups, z, repeats) for kernel in kernels]

    # 2. The starts: where the last plan ended, the mode of the prior, and a shorter and a longer one.
    axes = int(groups.max(initial=-1)) + 1
    prior = Prior.of(groups)
    low, high = prior.low.copy(), prior.high.copy()
    if noise is not None:
        low[-1] = high[-1] = np.log(max(noise, NOISE_FLOOR))
    shift = np.concatenate([np.full(axes, 1.2), np.zeros(len(low) - axes)])
    starts = [prior.mean, prior.mean - shift, prior.mean + shift]
    if warm is not None and len(warm) == len(low):
        starts.insert(0, warm)
    looked_at = np.clip(starts, low, high)
    # With more repeats than this their scatter dwarfs all else and settles the noise. Then every start has that
    # noise, or the one nearest to it would alone be climbed; the climbs go in steps of its accuracy, and count
    # heights from its own, for they end when they gain little of the whole.
    peak, pace = 0.0, np.ones_like(low)
    if repeats is not None and repeats.freedom > SUBSET:
        log_noise, peak, pace[-1] = repeats.peak(low[-1], high[-1])
        looked_at[:, -1] = log_noise

    def height(start: Values) -> float:
        value = evidences[0].value(start)
        return peak - value - prior.density(start)[0] if np.isfinite(value) else 1e25

    def loss(evidence: Evidence, theta: Values) -> tuple[float, Values]:
        value, slope = evidence(theta)
        if not np.isfinite(value):
            return 1e25, np.zeros_like(theta)
        belief, pull = prior.density(theta)
        return peak - value - belief, -slope - pull

    def paced(steps: Values, evidence: Evidence) -> tuple[float, Values]:
        value, slope = loss(evidence, steps * pace)
        return value, slope * pace

    bounds = list(zip(low / pace, high / pace, strict=True))

    def climb(evidence: Evidence, start: Values) -> tuple[float, Values]:
        steps, least, _ = fmin_l_bfgs_b(
            paced,
            start / pace,
            args=(evidence,),
            bounds=bounds,
            factr=LEAST_GAIN / np.finfo(np.float64).eps,
            pgtol=LEAST_SLOPE,
            maxiter=ITERATIONS,
        )
        return float(least), np.asarray(steps) * pace

    # 3. Climb from the best start, and from the next if it has a chance; with other kernels from where that ended.
    kernel, evidence = kernels[0], evidences[0]
    looks = sorted(((height(start), start) for start in looked_at), key=lambda look: look[0])
    value, theta = climb(evidence, looks[0][1])
    for least, start in looks[1:CLIMBS]:
        if least < value + HOPELESS:
            value, theta = min((value, theta), climb(evidence, start), key=lambda climbed: climbed[0])
    for other, its in zip(kernels[1:], evidences[1:], strict=True):
        found, there = climb(its, theta)
        if found + SMOOTHER < value:
            kernel, evidence, value, theta = other, its, found, there
    if not np.isfinite(theta).all() or value >= 1e24:
        raise ModelError("no hyperparameters give a positive definite covariance")
    # 4. The step towards doubt.
    h = 0.05 * pace
    flat = loss(evidence, theta)[1]
    bend = np.array([(loss(evidence, theta + step)[1] - flat) / step.sum() for step in np.diag(h)])
    step = cautious(bend, evidence.doubt(theta, places), prior.sd, high > low)
    return Fitted(kernel, theta, np.clip(theta + DOUBT * step, low, high))


def cautious(bend: Matrix, doubt: Values, widest: Values, free: Mask) -> Values:
    """Return the step of one posterior standard deviation that raises the predictive variance most.

    One setting of the hyperparameters is surer than the data allow. Averaging over many costs a solve for each of them
    at every place; going to the doubtful side of the one gives intervals as well calibrated, at the cost of one. With
    many results the posterior is narrow, and the step small.

    Args:
        bend: the Hessian of the negative log posterior at its peak.
        doubt: the gradient of the logarithm of the predictive variance.
        widest: the standard deviations of the prior; those of the posterior are taken to be little wider.
        free: which hyperparameters are not known.
    """
    step = np.zeros_like(doubt)
    scale = widest[free]
    # In units of the prior's sd the prior alone bends by 1.
    values, vectors = np.linalg.eigh(0.5 * (bend + bend.T)[np.ix_(free, free)] * np.outer(scale, scale))
    slope = vectors.T @ (doubt[free] * scale)
    towards = slope / np.maximum(values, 0.5)
    length = math.sqrt(max(float(slope @ towards), 1e-300))
    step[free] = scale * (vectors @ towards) / length
    return step


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

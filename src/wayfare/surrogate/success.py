"""The probability that a visit gives a value: a Gaussian process classifier.

A visit succeeds if a latent function plus standard normal noise is above zero (a probit link). The latent function has
the covariance of the GP, about a mean at which most visits succeed. Its posterior is approximated at its mode (Laplace;
Rasmussen and Williams 2006, algorithm 3.1). Few failures say little about length-scales, so none is fitted: the
predictions of several are averaged, each weighted by how well it explains the outcomes.
"""

import math

import numpy as np
from attrs import evolve, frozen

from wayfare._core import lazy_scipy
from wayfare._core.arrays import Features, Matrix, Points, Values
from wayfare.space import AnySpace
from wayfare.surrogate.hyper import SUBSET, Prior
from wayfare.surrogate.kernels import Covariance, Hyper, Matern52

LATENT_MEAN = 2.5
"""Prior mean of the latent function: where nothing is known, six or seven visits of eight succeed."""
STRETCHES = (0.5, 1.0, 2.0)
"""The length-scales tried, as multiples of those that the prior of the GP holds most likely."""
STEPS = 50
"""The most steps of Newton's method to the mode; about eight are needed."""


@frozen(eq=False)
class Latent:
    """The belief in the latent function under one setting of the length-scales.

    Attributes:
        covariance: the prior covariance.
        features: (n, p) the embedded places of the outcomes.
        slope: (n,) the gradient of the log likelihood at the mode.
        root: (n,) the square roots of its negative second derivatives.
        factor: the Cholesky factor of 1 + root K root.
        evidence: the log of the approximate marginal likelihood.
    """

    covariance: Covariance
    features: Features
    slope: Values
    root: Values
    factor: Matrix
    evidence: float

    @classmethod
    def of(cls, covariance: Covariance, features: Features, labels: Values) -> "Latent":
        """Return the belief after outcomes.

        Args:
            covariance: the prior covariance.
            features: (n, p) the features of the places, in the unit cube.
            labels: (n,) 1 for success, -1 for failure.
        """
        places, n = covariance.embed(features), len(labels)
        k = covariance.between(places, places)
        # Newton's method in ``pull``, with the latent values at LATENT_MEAN + k pull.
        pull = step = np.zeros(n)
        height = -math.inf
        for _ in range(STEPS):
            g = k @ (pull + step)
            log_density, slope, root = _likelihood(LATENT_MEAN + g, labels)
            reached = log_density - 0.5 * float((pull + step) @ g)
            if reached < height:
                step = 0.5 * step
                continue
            gain, height, pull = reached - height, reached, pull + step
            factor = lazy_scipy.cholesky(np.eye(n) + root[:, None] * k * root, lower=True)
            if gain < 1e-9:
                break
            b = np.square(root) * g + slope
            step = b - root * _solve(factor, root * (k @ b)) - pull
        return cls(covariance, places, slope, root, factor, height - float(np.log(factor.diagonal()).sum()))

    def success(self, features: Features) -> Values:
        """Return the probability of success at places with these features."""
        cross = self.covariance.between(self.features, self.covariance.embed(features))
        rows, _ = lazy_scipy.dtrtrs(self.factor, self.root[:, None] * cross, lower=1)
        variance = np.maximum(self.covariance.total - np.einsum("ij,ij->j", rows, rows), 0.0)
        return np.asarray(np.exp(lazy_scipy.log_ndtr((LATENT_MEAN + self.slope @ cross) / np.sqrt(1.0 + variance))))


def _likelihood(f: Values, labels: Values) -> tuple[float, Values, Values]:
    """Return the log likelihood of the latent values, its gradient, and the roots of its negative curvature."""
    z = labels * f
    logs = lazy_scipy.log_ndtr(z)
    ratio = np.exp(-0.5 * z * z - 0.5 * math.log(2 * math.pi) - logs)
    return float(logs.sum()), labels * ratio, np.sqrt(np.maximum(ratio * (ratio + z), 1e-12))


def _solve(factor: Matrix, b: Values) -> Values:
    solved, _ = lazy_scipy.dpotrs(factor, b, lower=1)
    return np.asarray(solved)


@frozen(eq=False)
class Success:
    """The probability that a visit gives a value, at any place; a certainty as long as none failed."""

    space: AnySpace
    latents: tuple[Latent, ...]
    weights: Values

    @classmethod
    def of(cls, space: AnySpace, good: Points, bad: Points) -> "Success":
        """Return the belief after outcomes.

        Args:
            space: where the places are.
            good: the places where visits succeeded.
            bad: the places where they failed.
        """
        if not len(bad):
            return cls(space, (), np.empty(0))
        worked, failed = space.encode(good), space.encode(bad)
        worked, failed = _some(worked, failed), _some(failed, worked)
        features = np.vstack([worked, failed])
        labels = np.repeat([1.0, -1.0], [len(worked), len(failed)])
        axes = int(space.groups.max(initial=-1)) + 1
        mode = Hyper.from_vector(Prior.of(space.groups).mean, axes)
        latents = tuple(
            Latent.of(
                Covariance.of(Matern52(), evolve(mode, lengths=stretch * mode.lengths), space.groups), features, labels
            )
            for stretch in STRETCHES
        )
        heights = np.array([latent.evidence for latent in latents])
        weights = np.exp(heights - heights.max())
        return cls(space, latents, weights / weights.sum())

    @property
    def is_certain(self) -> bool:
        """Whether no visit failed yet."""
        return not self.latents

    def at(self, x: Points) -> Values:
        """Return the probability of success at each place."""
        if self.is_certain:
            return np.ones(len(x))
        features = self.space.encode(x)
        return np.asarray(self.weights @ np.array([latent.success(features) for latent in self.latents]))


def _some(features: Features, others: Features) -> Features:
    """Return the rows, or of very many half of ``SUBSET``: every so many of them, and those nearest to the others."""
    n = SUBSET // 2
    if len(features) <= n:
        return features
    gaps = np.array([np.square(others - row).sum(axis=1).min(initial=math.inf) for row in features])
    spread = np.linspace(0, len(features) - 1, n // 2).astype(np.intp)
    rest = np.setdiff1d(np.argsort(gaps, kind="stable"), spread, assume_unique=True)
    return np.asarray(features[np.concatenate([spread, rest[: n - n // 2]])])

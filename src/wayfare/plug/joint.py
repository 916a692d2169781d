"""A belief made of a joint normal distribution: mean and covariance at any places, as other packages' models give them.

Hallucinated places, tracking and drawn functions follow from these two alone, so a model needs no more to plan with.
"""

import zlib
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, field, frozen
from numpy.random import Generator

from wayfare._core import lazy_scipy
from wayfare._core.arrays import Features, Matrix, Points, Values
from wayfare.space import AnySpace
from wayfare.surrogate import Marginals, Paths
from wayfare.surrogate.history import LEAST_NOISE, Notes, Standard

Joint: TypeAlias = Callable[[Features], tuple[Values, Matrix]]
"""Returns mean and covariance of the function itself, without noise, at places of the unit cube, in standard units."""

CHUNK = 256
"""At how many places a model is asked at once: the covariance among them is wasted."""
INDUCING = 256
"""At how many places a drawn function is drawn jointly."""
JITTER = 1e-8
"""Added to the diagonal of a covariance before it is factored, as a part of its mean."""


def _at_least(noise: float) -> float:
    return max(float(noise), LEAST_NOISE)


@frozen(eq=False)
class JointPosterior:
    """The belief of a model, given hallucinated places.

    Attributes:
        space: where the traveller may go.
        joint: the model.
        noise: the noise variance of one result, in standard units.
        standard: how results were standardised.
        notes: the numbers that decided this belief.
        pending: the hallucinated places, in the unit cube.
    """

    space: AnySpace
    joint: Joint
    noise: float = field(converter=_at_least)
    standard: Standard
    notes: Notes
    pending: Features = field()

    @pending.default
    def _none(self) -> Features:
        return self.space.encode(np.empty((0, self.space.d)))

    def marginals(self, x: Points) -> Marginals:
        """Return mean and standard deviation of the latent function at ``x``."""
        return self.track(x).marginals

    def condition(self, x: Points) -> "JointPosterior":
        """Return the belief after hallucinating a result at each of ``x``."""
        return evolve(self, pending=np.vstack([self.pending, self.space.encode(x)])) if len(x) else self

    def track(self, x: Points) -> "JointTracker":
        """Return the marginals at ``x``, ready to be conditioned on places among them."""
        return JointTracker(self, self.space.encode(x))

    def paths(self, n: int, rng: Generator) -> Paths:
        """Return ``n`` functions drawn from this belief.

        They are drawn jointly at some places, and in between as these say (FITC: Snelson and Ghahramani 2006); what
        these leave open is drawn for each place by itself, from a stream of its own, so that a path is a function.
        """
        places = self.space.encode(self.space.sample(INDUCING, rng))
        _, cross, _ = self.about(places)
        covariance = self.joint(places)[1] - cross.T @ cross
        covariance.flat[:: len(places) + 1] += JITTER * (1.0 + float(np.diag(covariance).mean()))
        factor = lazy_scipy.cholesky(covariance, lower=True, check_finite=False)
        weights, seed = rng.standard_normal((len(places), n)), int(rng.integers(2**32))

        def draws(x: Points) -> Matrix:
            there = self.space.encode(x)
            mean, rows, variance = self.about(there)
            between = _solve_lower(factor, self.covariance(places, there) - cross.T @ rows)
            left = np.sqrt(np.maximum(variance - np.einsum("ij,ij->j", between, between), 0.0))
            own = np.array(
                [np.random.default_rng([seed, zlib.crc32(row.tobytes())]).standard_normal(n) for row in there]
            )
            values: Matrix = mean[:, None] + between.T @ weights + left[:, None] * own.reshape(len(x), n)
            return self.standard.shift + self.standard.scale * values

        return draws

    def about(self, there: Features) -> tuple[Values, Matrix, Values]:
        """Return mean, what the pending places explain (rows to be squared), and the variance that is left."""
        mean, variance = np.empty(len(there)), np.empty(len(there))
        for at in range(0, len(there), CHUNK):
            mean[at : at + CHUNK], covariance = self.joint(there[at : at + CHUNK])
            variance[at : at + CHUNK] = np.diag(covariance)
        rows = _solve_lower(self._factor, self.covariance(self.pending, there))
        return mean, rows, variance - np.einsum("ij,ij->j", rows, rows)

    def covariance(self, here: Features, there: Features) -> Matrix:
        """Return the (n, m) covariance between places, without that the pending ones are known."""
        found = np.empty((len(here), len(there)))
        for at in range(0, len(there) if len(here) else 0, CHUNK):
            chunk = there[at : at + CHUNK]
            found[:, at : at + CHUNK] = self.joint(np.vstack([here, chunk]))[1][: len(here), len(here) :]
        return found

    @cached_property
    def _factor(self) -> Matrix:
        if not len(self.pending):
            return np.zeros((0, 0))
        covariance = self.joint(self.pending)[1] + self.noise * np.eye(len(self.pending))
        return np.asarray(lazy_scipy.cholesky(covariance, lower=True, check_finite=False))


class JointTracker:
    """Marginals at fixed places under rank-one conditioning, as ``GPTracker``."""

    def __init__(self, posterior: JointPosterior, there: Features) -> None:
        self._posterior, self._there = posterior, there
        self._mean, self._rows, self._variance = posterior.about(there)

    @property
    def marginals(self) -> Marginals:
        """The marginals now."""
        standard = self._posterior.standard
        sd = np.sqrt(np.maximum(self._variance, 1e-18))
        return Marginals(standard.shift + standard.scale * self._mean, standard.scale * sd)

    def add(self, index: int) -> None:
        """Condition on the place numbered ``index``."""
        posterior = self._posterior
        covariance = posterior.covariance(self._there[index : index + 1], self._there)[0]
        covariance -= self._rows[:, index] @ self._rows
        row = covariance / np.sqrt(max(float(self._variance[index]), 0.0) + posterior.noise)
        self._variance = self._variance - row * row
        self._rows = np.vstack([self._rows, row])


def without_noise(mean: Any, covariance: Any) -> tuple[Values, Matrix, float]:
    """Return mean and covariance of the function at all places but the last, and the noise that was in it.

    A model may give the covariance of results, noise and all. The last two places are the same one: their covariance is
    the variance of the function, and what their variance has on top is noise.
    """
    mean, covariance = np.asarray(mean, dtype=np.float64).ravel(), np.array(covariance, dtype=np.float64)
    noise = max(float(covariance[-1, -1] - covariance[-1, -2]), 0.0)
    covariance.flat[:: len(covariance) + 1] -= noise
    return mean[:-1], covariance[:-1, :-1], noise


def _solve_lower(factor: Matrix, b: Matrix) -> Matrix:
    """Return the solution of ``factor @ x = b`` for a lower triangle."""
    return np.asarray(lazy_scipy.dtrtrs(factor, b, lower=1)[0]) if len(b) else b

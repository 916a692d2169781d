"""The rows that a Gaussian process is conditioned on: results merged by place and, of very many, with their neighbours.

A covariance of n rows takes n^3 operations to factor, and the results of a long study are mostly repeats of few places,
or crowd around one. Merging the results at one place loses nothing (``Repeats``). What merging neighbours loses is
known, and counts as noise.
"""

from functools import lru_cache

import numpy as np
from attrs import field, frozen

from wayfare._core import lazy_scipy
from wayfare._core.arrays import Features, Matrix, Order, Points, Values
from wayfare.surrogate.history import History, Repeats, Standard
from wayfare.surrogate.hyper import SUBSET
from wayfare.surrogate.kernels import Covariance

FEW = SUBSET
"""Up to so many results each is a row of its own: nothing is saved by merging them."""
MOST_ROWS = 5000
"""Beyond so many places neighbours are merged."""
KEPT = 4
"""How many factors are kept: a plan needs that of the objective, and one for each limit on what is measured."""


@frozen(eq=False)
class Rows:
    """Places with the mean outcome in standard units and the results behind it; each once, if they are many.

    ``repeats`` is None if every result is a row of its own.
    """

    x: Points
    z: Values
    repeats: Repeats | None

    @classmethod
    def of(cls, history: History, standard: Standard) -> "Rows":
        """Return the rows of a history, its outcomes in units of ``standard``."""
        z = standard.apply(history.y)
        first, which = history.distinct if history.told > FEW else (np.arange(history.told),) * 2
        if len(first) == history.told:
            return cls(history.x, z, Repeats.of(history, standard))
        return cls(history.x[first], *Repeats.merged(history, standard, z, which))

    def noises(self, noise: float) -> Values:
        """Return the noise variance of each row, if ``noise`` is that of one result."""
        return np.full(len(self.z), noise) if self.repeats is None else self.repeats.noises(noise)


@frozen(eq=False)
class Factored:
    """Rows as a GP uses them: embedded, with their noise, and the Cholesky factor of their covariance.

    Attributes:
        features: (m, p) the embedded places.
        noises: (m,) the noise variance of each.
        z: (m,) the outcomes.
        factor: (m, m) the lower factor.
    """

    features: Features
    noises: Values
    z: Values
    factor: Matrix

    @classmethod
    def of(cls, covariance: Covariance, features: Features, rows: Rows) -> "Factored":
        """Return the rows factored; of more than ``MOST_ROWS``, neighbours are merged.

        What takes long depends on the places alone. It is kept for the next plan, and is the same, bit for bit, where
        it has to be worked out again.

        Args:
            covariance: of the places.
            features: the embedded places of the rows.
            rows: the rows.
        """
        noises = rows.noises(covariance.hyper.noise)
        if len(features) <= FEW:
            return cls(features, noises, rows.z, factor_of(covariance, features, noises))
        best = np.argsort(-rows.z, kind="stable")[: MOST_ROWS // 2] if len(features) > MOST_ROWS else np.arange(0)
        cells = _cells(_Input(covariance, features, noises, best))
        if len(cells.at) == len(features):
            return cls(features, noises, rows.z, cells.factor)
        z = np.asarray(np.bincount(cells.which, weights=cells.weights * rows.z), dtype=np.float64)
        return cls(features[cells.at], cells.noises, z, cells.factor)

    def with_rows(self, covariance: Covariance, features: Features, noises: Values, z: Values) -> "Factored":
        """Return these rows and further ones, which stand for themselves."""
        return Factored(
            np.vstack([self.features, features]),
            np.concatenate([self.noises, noises]),
            np.concatenate([self.z, z]),
            extended(covariance, self.factor, self.features, features, noises),
        )


def factor_of(covariance: Covariance, features: Features, noises: Values) -> Matrix:
    """Return the lower Cholesky factor of the covariance of places with their noise."""
    if not len(features):
        return np.zeros((0, 0))
    matrix = covariance.between(features, features)
    matrix.flat[:: len(features) + 1] += noises
    return np.asarray(lazy_scipy.cholesky(matrix, lower=True, check_finite=True))


def extended(covariance: Covariance, factor: Matrix, features: Features, new: Features, noises: Values) -> Matrix:
    """Return the factor with further places, block by block: [[L, 0], [side.T, that of the Schur complement]].

    Args:
        covariance: of the places.
        factor: L, of the places so far.
        features: the places so far, embedded.
        new: the further places, embedded.
        noises: the noise variance of each of them.
    """
    n, m = len(features), len(new)
    corner = covariance.between(new, new)
    corner.flat[:: m + 1] += noises
    side = solve_lower(factor, covariance.between(features, new))
    both = np.zeros((n + m, n + m), order="F")
    both[:n, :n] = factor
    both[n:, :n] = side.T
    both[n:, n:] = lazy_scipy.cholesky(corner - side.T @ side, lower=True, check_finite=False)
    return both


def solve_lower(factor: Matrix, b: Matrix, transposed: bool = False) -> Matrix:
    """Return the solution of ``factor @ x = b`` for a lower triangle (of ``factor.T @ x = b`` if transposed).

    The diagonal of a Cholesky factor is positive, so the solve cannot fail.
    """
    return np.asarray(lazy_scipy.dtrtrs(factor, b, lower=1, trans=int(transposed))[0]) if len(b) else b


class _Cells:
    """Which rows are kept, the cell of each row and its weight there, and the noise and factor of the cells."""

    def __init__(self, at: Order, which: Order, weights: Values, noises: Values, factor: Matrix) -> None:
        factor.flags.writeable = False
        self.at, self.which, self.weights, self.noises, self.factor = at, which, weights, noises, factor


@frozen
class _Input:
    """The input that the cells of rows depend on; equal if all numbers are, bit by bit."""

    covariance: Covariance = field(eq=False)
    features: Features = field(eq=False)
    noises: Values = field(eq=False)
    best: Order = field(eq=False)
    _key: bytes = field(init=False)

    @_key.default
    def _bits(self) -> bytes:
        hyper = self.covariance.hyper
        numbers = (hyper.lengths, hyper.offsets, np.array([hyper.variance, hyper.noise]))
        parts = (*numbers, self.features, self.noises, self.best)
        return self.covariance.kernel.name.encode() + b"".join(part.tobytes() for part in parts)


@lru_cache(maxsize=KEPT)
def _cells(rows: _Input) -> _Cells:
    """Return the rows in cells, each around a place that is kept.

    Kept are the places of the best results, where details matter, and of the others those that are least known given
    the ones kept before. Each other place counts towards the kept one that it is most alike, as far as that helps
    (``_weights``).
    """
    covariance, features, noises = rows.covariance, rows.features, rows.noises
    n = len(features)
    if not len(rows.best):
        return _Cells(np.arange(n), np.arange(n), np.ones(n), noises, factor_of(covariance, features, noises))
    kept = rows.best.tolist()
    alike = covariance.between(features[kept], features)
    nearest, which = alike.max(axis=0), alike.argmax(axis=0)
    nearest[kept], which[kept] = np.inf, np.arange(len(kept))
    while len(kept) < MOST_ROWS:
        at = int(nearest.argmin())
        here = covariance.between(features[at : at + 1], features)[0]
        closer = here > nearest
        nearest[closer], which[closer] = here[closer], len(kept)
        nearest[at], which[at] = np.inf, len(kept)
        kept.append(at)
    shift = np.where(np.isinf(nearest), 0.0, 2.0 * np.maximum(covariance.total - nearest, 0.0))
    weights = _weights(which, shift, noises, noises[kept])
    merged = np.asarray(np.bincount(which, weights=weights * (weights * noises + shift)), dtype=np.float64)
    return _Cells(np.array(kept), which, weights, merged, factor_of(covariance, features[kept], merged))


def _weights(which: Order, shift: Values, noises: Values, own: Values) -> Values:
    """Return the weights of rows in the mean of their cell that leave the least variance, at worst.

    The mean of results y_j, with weights w_j, differs from the function at the kept place by a variance of at most
    sum(w_j^2 noise_j + w_j shift_j), however their differences hang together. That is least for
    w_j = max(0, (level - shift_j) / (2 noise_j)), with the level at which the weights of a cell add up to 1. So a row
    that differs too much has no weight, and no row makes a kept place less known.

    Args:
        which: for each row, its cell.
        shift: for each row, the variance of the difference between the function there and at the kept place.
        noises: the noise variance of each row.
        own: of each cell, the noise variance of the kept row.
    """
    low, high = np.zeros(len(own)), 2.0 * own  # at which the weight of the kept row alone is 1
    for _ in range(60):
        level = 0.5 * (low + high)
        full = np.bincount(which, weights=np.maximum(level[which] - shift, 0.0) / (2.0 * noises)) >= 1.0
        low, high = np.where(full, low, level), np.where(full, level, high)
    weights = np.maximum(high[which] - shift, 0.0) / (2.0 * noises)
    return np.asarray(weights / np.bincount(which, weights=weights)[which])

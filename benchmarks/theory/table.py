"""A Gaussian process on a table of places, its kernel and noise known: what a proof assumes.

The belief is a mean and a covariance over the table, so a plan costs what the table costs, whether it rests
on a hundred results or on a hundred thousand.
"""

import math

import numpy as np
from attrs import define, field, frozen
from numpy.random import Generator

from wayfare._core.arrays import Matrix, Order, Points, Values, read_only
from wayfare.surrogate import Marginals
from wayfare.surrogate.history import History, Notes

LEAST = 1e-10
"""Added to a covariance before it is factored: that of many results is singular to rounding."""


def matern(x: Points, length: float) -> Matrix:
    """Return the Matérn-5/2 covariance between all rows of ``x``, its variance being one."""
    apart = np.sqrt(np.square(x[:, None, :] - x[None, :, :]).sum(axis=2)) * (math.sqrt(5.0) / length)
    return np.asarray((1.0 + apart + apart * apart / 3.0) * np.exp(-apart))


@frozen(eq=False)
class TableGP:
    """A surrogate for the places of ``table``.

    ``prior`` is their covariance, ``noise`` the variance of a result.
    """

    table: Points = field(converter=read_only)
    prior: Matrix = field(converter=read_only)
    noise: float

    def fit(self, history: History, rng: Generator) -> "TableBelief":
        """Return the belief after ``history``; nothing is fitted, for all is known."""
        return self.recall(history, {})

    def recall(self, history: History, notes: Notes) -> "TableBelief":
        """Return the belief after ``history``."""
        at, m = rows_of(history.x, self.table), len(self.table)
        counts = np.bincount(at, weights=history.counts, minlength=m)
        sums = np.bincount(at, weights=history.counts * history.y, minlength=m)
        seen = np.flatnonzero(counts)
        among = self.prior[np.ix_(seen, seen)] + np.diag(self.noise / counts[seen])
        gain = np.linalg.solve(among, self.prior[seen]) if len(seen) else np.empty((0, m))
        mean = gain.T @ (sums[seen] / counts[seen])
        return TableBelief(self.table, mean, self.prior - self.prior[:, seen] @ gain, self.noise)


@define(eq=False, on_setattr=None)
class TableBelief:
    """Mean and covariance over the table."""

    table: Points
    mean: Values
    covariance: Matrix
    noise: float

    @property
    def notes(self) -> Notes:
        """Say that nothing was fitted."""
        return {"step": "known"}

    def marginals(self, x: Points) -> Marginals:
        """Return mean and standard deviation at rows of the table."""
        at = rows_of(x, self.table)
        return Marginals(self.mean[at], spread(self.covariance.diagonal()[at]))

    def condition(self, x: Points) -> "TableBelief":
        """Return the belief after hallucinating results at ``x``."""
        if not len(x):
            return self
        tracker = self.track(self.table)
        for row in rows_of(x, self.table):
            tracker.add(int(row))
        return TableBelief(self.table, self.mean, tracker.covariance, self.noise)

    def track(self, x: Points) -> "TableTracker":
        """Return the marginals at ``x``, ready to be conditioned."""
        at = rows_of(x, self.table)
        return TableTracker(self.mean[at], self.covariance[np.ix_(at, at)], self.noise)

    def paths(self, n: int, rng: Generator) -> "TablePaths":
        """Return ``n`` functions on the table drawn from the belief."""
        values, vectors = np.linalg.eigh(self.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return TablePaths(self.table, self.mean[:, None] + root @ rng.standard_normal((len(root), n)))


class TableTracker:
    """Marginals at fixed places; a hallucinated result takes one rank off their covariance."""

    def __init__(self, mean: Values, covariance: Matrix, noise: float) -> None:
        self._mean, self.covariance, self._noise = mean, covariance, noise

    @property
    def marginals(self) -> Marginals:
        """The marginals now."""
        return Marginals(self._mean, spread(self.covariance.diagonal()))

    def add(self, index: int) -> None:
        """Condition on the place numbered ``index``."""
        column = self.covariance[:, index]
        gain = column / math.sqrt(max(float(column[index]), 0.0) + self._noise)
        self.covariance = self.covariance - np.outer(gain, gain)


@frozen(eq=False)
class TablePaths:
    """Functions on the table."""

    table: Points
    values: Matrix

    def __call__(self, x: Points) -> Matrix:
        """Return their values at rows of the table."""
        return np.asarray(self.values[rows_of(x, self.table)])


def spread(variances: Values) -> Values:
    """Return standard deviations, however little is left of the variances."""
    return np.asarray(np.sqrt(np.maximum(variances, LEAST)))


def rows_of(x: Points, table: Points) -> Order:
    """Return which rows of the table these places are."""
    if x is table or (len(x) == len(table) and np.array_equal(x, table)):
        return np.arange(len(table))
    apart = np.abs(x[:, None, :] - table[None, :, :]).max(axis=2, initial=0.0)
    return np.asarray(apart.argmin(axis=1))

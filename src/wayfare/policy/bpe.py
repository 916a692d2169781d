"""Batched pure exploration, as it is proven: the policy behind the convergence of planning ahead.

The places are a fixed finite set and the kernel is fixed. A batch is spread by its own places alone, and rules places
out by its own results alone, so that the noise of a result had no part in where it was taken. That is what the sharp
confidence bound of Li and Scarlett needs, and what wastes most of the results at a few hundred trials.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare._core import checks, lazy_scipy
from wayfare._core.arrays import Features, Mask, Matrix, Points, Values, unique_rows
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.policy.acquisition import MAX_WHOLE, away, first_look
from wayfare.policy.base import Runs, Situation, valid
from wayfare.space import AnySpace
from wayfare.surrogate.history import LEAST_NOISE, History, Standard
from wayfare.surrogate.kernels import KERNELS, squared_distances

MANY = 4
"""By how many times a batch must be larger than the set for the covariance of the whole set to be cheaper."""
TIE = 1e-9
"""Variances this close, as a share of the largest, count as equal: the first of such places is taken."""


@frozen
class BPE:
    """Batched pure exploration (Li and Scarlett 2022), on the ``LogLog`` schedule.

    Every place of a batch has the largest standard deviation given those before it in the batch; a place may come
    several times. After the batch, mean and standard deviation are those of a Gaussian process of mean zero given this
    batch's results alone, and a place stays in the set if its upper confidence bound reaches the highest lower one in
    the set. The bounds are ``norm + noise / sqrt(ridge) sqrt(2 log(|X| B / delta))`` standard deviations wide, for
    ``|X|`` places and at most B = ceil(log2 log2 T) + 1 batches.

    A batch is what was told between two plans. The results of an opening belong to the first batch, and those known
    before the study to none. Nothing is stored: the sets are worked out again from the history at every plan.

    The proof asks that ``kernel``, ``length``, ``mean``, ``spread``, ``norm`` and ``noise`` be stated before any
    result. By default the unit of the results is taken from the first batch: that departs from it, and so does a space
    whose places may be visited only once, or a limit that keeps the traveller from a place.

    Attributes:
        places: how many places are scattered over a space that is infinite, or has more than 10,000.
        kernel: ``"matern52"`` or ``"rbf"``, with variance 1 in units of ``spread``.
        length: length-scale of all axes, as a share of the diagonal of the unit cube.
        ridge: what is added to the diagonal of the covariance, lambda in the paper; a noise variance in units of
            ``spread`` squared.
        norm: bound on the norm of the function in the kernel's space, in units of ``spread``; at least the largest
            departure from ``mean``.
        noise: sub-Gaussian scale of a result; None for the study's noise, else the ``ridge``'s.
        delta: probability that a bound fails.
        mean: what is subtracted from results; None for the mean of the first batch.
        spread: what they are divided by then; None for the standard deviation of the first batch.
    """

    places: int = field(default=1000, validator=valid(checks.count, 1, named=True))
    kernel: str = "matern52"
    length: float = field(default=0.2, validator=valid(checks.positive, named=True))
    ridge: float = field(default=0.01, validator=valid(checks.positive, named=True))
    norm: float = field(default=3.0, validator=valid(checks.not_negative, named=True))
    noise: float | None = field(default=None, validator=valid(checks.not_negative, named=True))
    delta: float = field(default=0.1, validator=valid(checks.positive, named=True))
    mean: float | None = field(default=None, validator=valid(checks.number, named=True))
    spread: float | None = field(default=None, validator=valid(checks.positive, named=True))

    def __attrs_post_init__(self) -> None:
        if self.kernel not in KERNELS:
            raise InvalidInput(f"BPE: kernel must be one of {', '.join(KERNELS)}, got {self.kernel!r}")
        if self.delta >= 1:
            raise InvalidInput(f"BPE: delta must be below 1, it is a probability, got {self.delta:g}")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Runs:
        """Return the places of the batch, each once with its number of results."""
        history, space = situation.history, situation.space
        # 1. The set X, and what the finished batches have left of it.
        x = self.candidates(history)
        done, begun = batches(history)
        left = self.survivors(x, history, done, history.handed_out + situation.left)
        # 2. Without the places that cannot be visited now; if none is left, any that can.
        x = x[left & space.contains(x)]
        open_now = away(situation, x)
        x = open_now if len(open_now) else x
        if not len(x):
            x = first_look(situation, rng)
        # 3. The places of largest standard deviation, each given this batch alone.
        embed = self._embedding(space)
        picks = x[self._spread(embed(x), embed(begun), min(size, len(x)) if space.once else size, space.once)]
        first, which = unique_rows(picks)
        return Runs(picks[first], np.bincount(which))

    def candidates(self, history: History) -> Points:
        """Return the set X: all places, or the same sample in every study and the place visited first."""
        space = history.space
        x = space.everything(MAX_WHOLE)
        if x is None:
            first = history.visited[:1]
            x = np.vstack([space.sample(self.places, stream(0, "bpe")), first[space.contains(first)]])
        return np.asarray(x[unique_rows(x)[0]])

    def survivors(self, x: Points, history: History, done: Sequence[slice], trials: int) -> Mask:
        """Return which places no batch has ruled out, each set within the one before.

        Args:
            x: the set X.
            history: the results.
            done: the rows of the results of each finished batch.
            trials: the number of trials of the study, T.
        """
        left = np.ones(len(x), dtype=np.bool_)
        if not done:
            return left
        # 1. The unit of the results, and with it the width of the bounds.
        unit = Standard.of_history(history.until(done[0].stop, since=done[0].start))
        shift = unit.shift if self.mean is None else self.mean
        scale = unit.scale if self.spread is None else self.spread
        noise = history.noise if self.noise is None else self.noise
        share = 1.0 if noise is None else noise / scale / math.sqrt(self.ridge)
        width = self.norm + share * math.sqrt(2.0 * math.log(len(x) * most_batches(trials) / self.delta))
        # 2. Batch by batch, what its own results rule out among the places left by those before it.
        embed = self._embedding(history.space)
        features = embed(x)
        for rows in done:
            places, counts, y = history.x[rows], history.counts[rows], history.y[rows]
            first, which = unique_rows(places)
            n: Values = np.bincount(which, weights=counts).astype(np.float64)
            z = (np.bincount(which, weights=counts * y) / n - shift) / scale
            mean, sd = self._belief(features, embed(places[first]), z, n)
            left &= mean + width * sd >= (mean - width * sd)[left].max()
        return left

    def _embedding(self, space: AnySpace) -> Callable[[Points], Features]:
        """Return the function from places to features whose unit is the length-scale."""
        axes = int(space.groups.max(initial=-1)) + 1
        return lambda x: space.encode(x) / (self.length * math.sqrt(max(axes, 1)))

    def _covariance(self, a: Features, b: Features) -> Matrix:
        return KERNELS[self.kernel].profile(squared_distances(a, b))

    def _belief(self, x: Features, at: Features, z: Values, counts: Values) -> tuple[Values, Values]:
        """Return mean and sd at ``x`` given means ``z`` of so many results at different places."""
        factor = self._factor(at, counts)
        rows = _solve_lower(factor, self._covariance(at, x))
        variance = 1.0 - np.einsum("ij,ij->j", rows, rows)
        return _solve_lower(factor, z) @ rows, np.sqrt(np.maximum(variance, 0.0))

    def _factor(self, at: Features, counts: Values) -> Matrix:
        """Return the Cholesky factor of the covariance of means of so many results."""
        matrix = self._covariance(at, at) + np.diag(np.maximum(self.ridge / counts, LEAST_NOISE))
        return np.asarray(lazy_scipy.cholesky(matrix, lower=True))

    def _spread(self, x: Features, begun: Features, size: int, once: bool) -> list[int]:
        """Return the numbers of ``size`` places, each of largest variance given ``begun`` and those before it.

        Every place taken adds a row to ``L^-1 k(taken, x)``, L being the Cholesky factor of their covariance. If there
        are far fewer places than are taken, the covariance of the places is kept instead, which does not grow.
        """
        used, many = len(begun), size > MANY * len(x)
        rows = np.empty((used if many else used + size, len(x)))
        rows[:used] = _solve_lower(self._factor(begun, np.ones(used)), self._covariance(begun, x)) if used else 0.0
        variance = 1.0 - np.einsum("ij,ij->j", rows[:used], rows[:used])
        among = self._covariance(x, x) - rows.T @ rows if many else None
        picks: list[int] = []
        for _ in range(size):
            pick = int((variance >= (1.0 - TIE) * variance.max()).argmax())
            row = self._covariance(x[[pick]], x)[0] - rows[:used, pick] @ rows[:used] if among is None else among[pick]
            row = row / math.sqrt(max(float(row[pick]), 0.0) + self.ridge)
            variance -= row * row
            if once:
                variance[pick] = -np.inf
            if among is None:
                rows[used] = row
                used += 1
            else:
                among -= np.outer(row, row)
            picks.append(pick)
        return picks


def batches(history: History) -> tuple[list[slice], Points]:
    """Return the rows of the results of each finished batch, and the places that the batch under way has already.

    What an opening planned belongs to the first batch. A result that comes late counts in the batch in which it comes:
    its place was chosen before any result of that batch was known, and so the bound holds for it, too.
    """
    begin = min(history.past[0].told, history.told) if history.past else history.told
    planned = [min(past.told, history.told) for past in history.past if not past.is_opening]
    if not planned:
        return [], np.vstack([history.x[begin:], history.pending])
    ends = [begin, *planned[1:], history.told]
    return [slice(a, b) for a, b in pairwise(ends) if a < b], history.x[:0]


def most_batches(trials: int) -> int:
    """Return ceil(log2 log2 T) + 1, the most batches that T trials have."""
    return math.ceil(math.log2(max(1.0, math.log2(max(1, trials))))) + 1


def _solve_lower(factor: Matrix, b: Matrix) -> Matrix:
    """Return the solution of ``factor @ x = b`` for the lower triangle of a Cholesky factor."""
    return np.asarray(lazy_scipy.dtrtrs(factor, b, lower=1)[0])

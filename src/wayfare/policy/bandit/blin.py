"""BLiN: batched Lipschitz narrowing of a box to the cubes that may hold the best place.

Edges shrink from stage to stage and are stated as levels: at level k a cube has edge 2^-k.
"""

import math
from itertools import accumulate, takewhile
from typing import Literal

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Order, Points, Values, unique_rows
from wayfare.errors import InvalidInput
from wayfare.policy.bandit.arms import check_known, counted, means_of, set_noise, share
from wayfare.policy.bandit.cubes import Box, Cells, split
from wayfare.policy.base import Runs, Situation, valid
from wayfare.space import AnySpace
from wayfare.surrogate.history import History

MAX_LEVEL = 30
"""No finer than a billionth of an axis."""


def dyadic_levels(ratio: float) -> list[int]:
    """Return 1, 2, 3, …: edges halved at every stage, O(log T) of them.

    The undivided cube is left out, because there is no other cube to compare it with. ``ratio`` is T / log T for noise
    and Lipschitz constant 1, or as much more as a result tells more. An edge below 1 / sqrt(ratio) is of no use: a
    single cube of it would take all results.
    """
    return list(range(1, min(MAX_LEVEL, max(1, math.ceil(math.log2(max(2.0, ratio)) / 2))) + 1))


def ace_levels(ratio: float, d: int, zooming: float) -> list[int]:
    """Return the levels of the ACE sequence of Feng et al. 2022: O(log log T) stages.

    Sums S of c, eta c, eta^2 c, … with c = (z + 1) / ((d + 2) (z + 2)) log2(ratio) and eta = (d + 1 - z) / (d + 2), for
    d axes and the zooming dimension z. Each S gives two levels, rounded down and up; equal ones and the undivided cube
    are left out. The limit is log2(ratio) / (z + 2): the scale at which a cube's width and the noise left after T
    results weigh the same.
    """
    first = (zooming + 1) / ((d + 2) * (zooming + 2)) * math.log2(max(2.0, ratio))
    eta = (d + 1 - zooming) / (d + 2)
    sums = list(accumulate(takewhile(lambda c: c > 1e-9, (first * eta**i for i in range(100_000)))))
    # The sum never quite reaches its limit: a sum that is a hair off a whole number is that number.
    levels = {*(math.floor(one + 1e-6) for one in sums), *(math.ceil(one - 1e-6) for one in sums)}
    return sorted({min(MAX_LEVEL, max(1, level)) for level in levels})


def pulls(level: int, need: float) -> int:
    """Return how many results a cube of that level needs, if one of edge 1 needs ``need``."""
    return max(1, math.ceil(need * 4.0**level - 1e-9))


@frozen(eq=False)
class _Stage:
    """Cubes of one size that may hold the best place: the results each has or will have, and those it needs besides."""

    centres: Points
    pulled: Order
    lacking: Order


@frozen
class BLiN:
    """Every cube that may hold the best place, equally often, then the cubes within them (Feng et al. 2022).

    A cube of edge r, in the unit cube of the axes, is visited at its centre ``constant * noise^2 log T / (lipschitz
    r)^2`` times in a row, all cubes of a stage on one tour. Then those are dropped whose mean falls short of the best
    by ``elimination * lipschitz * r``, and the others are split. Put it on the ``Horizon`` schedule.

    When the results left do not suffice for a whole stage, or the last edge is done, all of them go to the centre of
    the best cube of the last stage: a stage without its test would be regret for nothing, and one place needs no more
    movement. Before the first test they are shared evenly.

    The proofs ask for a constant of 16 and an elimination of 4, far too cautious for an affordable horizon: at T = 1e5
    regret was up to eight times that of UCB1 on a mesh. Visits are at centres, so without noise the cube of the best
    place is short by r / 2 at most; the other quarter of the elimination is for noise.

    The stage is recomputed from the results at every plan, in the order they arrived, each counted for the cube that
    holds it; results in no remaining cube are skipped. A cube whose centre only failed, or was skipped on the last
    route, is left out if others are left.

    Attributes:
        edges: how fast they shrink: ``"dyadic"`` halves them, in O(log T) stages; ``"ace"`` takes O(log log T) stages.
        constant: results per cube, relative to the theory's unit.
        elimination: how far a mean may fall short, relative to the change across a cube.
        lipschitz: the largest change of the function, in units of ``y``, when every axis moves by its whole length.
        noise: standard deviation of one result; None for the study's, which must know it.
        zooming_dimension: for ``"ace"``; None for the number of axes.
    """

    edges: Literal["ace", "dyadic"] = "ace"
    constant: float = field(default=1.0, validator=valid(checks.positive, named=True))
    elimination: float = field(default=0.75, validator=valid(checks.positive, named=True))
    lipschitz: float = field(default=1.0, validator=valid(checks.positive, named=True))
    noise: float | None = field(default=None, validator=valid(checks.positive, named=True))
    zooming_dimension: float | None = field(default=None, validator=valid(checks.not_negative, named=True))
    needs_whole_space = True

    def __attrs_post_init__(self) -> None:
        if self.edges not in ("ace", "dyadic"):
            raise InvalidInput(f"BLiN: edges must be 'ace' or 'dyadic', got {self.edges!r}")

    def suits(self, space: AnySpace, direction: str, noise: float | None) -> None:
        """Refuse a study that is not in a box of real axes, or does not know its noise."""
        Box.of(space, "BLiN")
        check_known(self.noise, noise, "BLiN")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Runs:
        """Return the centres of the cubes of this stage, each with the results it still needs."""
        stage, best = self._stage(Box.of(situation.space, "BLiN"), situation.history, size)
        if stage is not None and (stage.lacking.sum() <= size or best is None):
            # Before the first test all results are shared out, even if they do not suffice.
            counts = stage.lacking if stage.lacking.sum() <= size else share(size, stage.pulled)
            return Runs(stage.centres[counts > 0], counts[counts > 0])
        if best is not None:
            return Runs(best, [size])
        # More cubes than results: some of them, blindly.
        drawn = situation.space.sample(size, rng)
        return Runs.of(drawn[unique_rows(drawn)[0]])

    def _stage(self, box: Box, history: History, size: int) -> tuple[_Stage | None, Points | None]:
        """Return the current stage, and the best place of the last one that is done.

        There is no stage after the last edge, nor one of more cubes than results: it cannot be completed.
        """
        horizon = history.handed_out + size
        # How many results a cube of edge 1 would need, but for ``constant``.
        need = (set_noise(self.noise, history) / self.lipschitz) ** 2 * math.log(max(2, horizon))
        cells, level, used, best = np.zeros((1, box.d), dtype=np.intp), 0, 0, None
        pending, coming = history.pending, history.pending_counts
        for finer in self._levels(horizon / need, box.d):
            # 1. Split the cubes that are left, unless there would be more than results to visit them with.
            room = size + int(history.counts[used:].sum() + coming.sum())
            if len(cells) * 2.0 ** ((finer - level) * box.d) > room:
                return None, best
            cells, level = _open(box, split(cells, 2 ** (finer - level)), finer, history.closed), finer

            # 2. Fill them with results; stop at the first stage that lacks some.
            results = pulls(level, self.constant * need)
            counts, sums, used = _filled(box, cells, level, results, history, used)
            pulled = counts + counted(box.index(cells, pending, 2**level), coming, len(cells))
            if (pulled < results).any():
                return _Stage(box.centres(cells, 2**level), pulled, np.maximum(results - pulled, 0)), best
            if (counts < results).any():  # the pending ones made it whole, and are used up
                pending, coming = pending[:0], coming[:0]

            # 3. Drop the cubes whose mean falls short.
            means = means_of(sums, counts)
            if counts.any():
                best = box.centres(cells[[int(np.nanargmax(means))]], 2**level)
            bar = self.elimination * self.lipschitz * 0.5**level
            cells = cells[~(np.nanmax(means, initial=-np.inf) - means >= bar)]
        return None, best

    def _levels(self, ratio: float, d: int) -> list[int]:
        """Return the levels of the stages, the coarsest first."""
        if self.edges == "dyadic":
            return dyadic_levels(ratio)
        return ace_levels(ratio, d, d if self.zooming_dimension is None else self.zooming_dimension)


def _open(box: Box, cells: Cells, level: int, closed: Points) -> Cells:
    """Return the cubes whose centre is open, or all, if none is left."""
    at = box.index(cells, closed, 2**level)
    # A closed place that is not the centre says nothing of the centre.
    there = np.isclose(box.centres(cells, 2**level)[at], closed, rtol=1e-9, atol=0).all(axis=1)
    left = np.ones(len(cells), dtype=bool)
    left[at[(at >= 0) & there]] = False
    return cells[left] if left.any() else cells


def _filled(box: Box, cells: Cells, level: int, need: int, history: History, used: int) -> tuple[Order, Values, int]:
    """Return how many results each cube has and their sums, and how many of the history are used by then.

    Results are taken in the order they arrived, until every cube has ``need`` of them.
    """
    counts, sums = np.zeros(len(cells), dtype=np.intp), np.zeros(len(cells))
    lacking = len(cells)
    at = box.index(cells, history.x[used:], 2**level)
    for cell, y, n in zip(at, history.y[used:], history.counts[used:], strict=True):
        used += 1
        if cell < 0:
            continue
        lacking -= int(counts[cell] < need <= counts[cell] + n)
        counts[cell] += n
        sums[cell] += n * y
        if not lacking:
            break
    return counts, sums, used

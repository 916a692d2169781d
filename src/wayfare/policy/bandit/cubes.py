"""A box of real axes as the unit cube, cut into equal cells; and the bandits that treat places of a box as arms.

``MeshUCB1`` fixes a mesh of arms beforehand, ``Zooming`` adds arms where no arm is near. Both ignore travel costs: the
baselines of ``BLiN``, which narrows the box to the cubes that may hold the best place. Its edges shrink from stage to
stage and are stated as levels: at level k a cube has edge 2^-k.
"""

import math
from itertools import accumulate, takewhile
from typing import Any, Literal

import numpy as np
from attrs import field, frozen
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core import checks
from wayfare._core.arrays import Mask, Matrix, Order, Points, Values, unique_rows
from wayfare.errors import InvalidInput
from wayfare.policy.bandit.arms import (
    MAX_ARMS,
    Arms,
    added_up,
    counted,
    expected_means,
    means_of,
    set_noise,
    share,
    ucb1_index,
)
from wayfare.policy.base import Runs, Situation, valid
from wayfare.space import AnySpace, Real, Space
from wayfare.surrogate.history import History

Cells = NDArray[np.intp]
"""(n, d): for each cell its number along each axis that varies, from 0."""


@frozen
class MeshUCB1:
    """UCB1 among the centres of equal cells, one at a time (Kleinberg 2004).

    A result counts for the cell that holds it.

    Attributes:
        cells: their number along each axis; None for as many as cells of edge (log T / T)^(1 / (d + 2)) need: then the
            loss to the mesh and that to the number of arms weigh the same.
        c: weight of exploration.
        scale: range of the values.
    """

    cells: int | None = field(default=None, validator=valid(checks.count, 1, named=True))
    c: float = field(default=2.0, validator=valid(checks.not_negative, named=True))
    scale: float = field(default=1.0, validator=valid(checks.positive, named=True))
    needs_whole_space = True

    def suits(self, space: AnySpace, direction: str, noise: float | None) -> None:
        """Refuse a study that is not in a box of real axes."""
        Box.of(space, "MeshUCB1")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""
        history, box = situation.history, Box.of(situation.space, "MeshUCB1")
        parts = self.cells or mesh_parts(history.handed_out + situation.left, box.d)
        if parts**box.d > MAX_ARMS:
            raise InvalidInput(
                f"MeshUCB1: {parts} cells along each of {box.d} axes are more than {MAX_ARMS}; set cells"
            )
        cells = every_cell(parts, box.d)
        arms = Arms.among(box.centres(cells, parts), lambda x: box.index(cells, x, parts), history)
        return arms.best(ucb1_index(arms.expected, arms.pulled, int(arms.pulled.sum()), self.c, self.scale))


def mesh_parts(horizon: int, d: int) -> int:
    """Return how many cells of edge (log T / T)^(1 / (d + 2)) an axis takes."""
    horizon = max(3, horizon)
    return math.ceil(math.pow(horizon / math.log(horizon), 1 / (d + 2)) - 1e-9)


def suits_box(self: Any, space: AnySpace, direction: str, noise: float | None) -> None:
    """Refuse a study that is not in a box of real axes, or does not know its noise."""
    who = type(self).__name__
    Box.of(space, who)
    if self.noise is None and noise is None:
        raise InvalidInput(
            f"{who} needs to know the standard deviation of one result: say noise= when the study is created"
        )


@frozen
class Zooming:
    """The arm with the highest mean + 2 radius, and a new one wherever none is near (Kleinberg et al. 2008).

    Arms are the places with results or pending ones. If any place is farther from every arm than that arm's radius over
    ``lipschitz`` (largest difference along any axis, in the unit cube), the barest such place is visited next and so
    becomes an arm; else the arm of the highest index is. The radius of an arm with n results is
    ``noise * sqrt(c log T / (1 + n))``.

    Attributes:
        lipschitz: the largest change of the function across the unit cube, in units of the result.
        noise: standard deviation of one result; None for the study's, which must know it.
        c: weight of exploration.
        mesh: bare places are looked for on an even mesh of at most this many points, so no two arms are nearer to each
            other than that.
    """

    lipschitz: float = field(default=1.0, validator=valid(checks.positive, named=True))
    noise: float | None = field(default=None, validator=valid(checks.positive, named=True))
    c: float = field(default=2.0, validator=valid(checks.positive, named=True))
    mesh: int = field(default=4096, validator=valid(checks.count, 1, named=True))
    needs_whole_space = True
    suits = suits_box

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""
        history, box = situation.history, Box.of(situation.space, "Zooming")
        table, counts, means = _known_arms(history)
        radii = zooming_radius(counts, history.handed_out + situation.left, set_noise(self.noise, history), self.c)
        every = self._mesh(box)
        mesh = every[~_among(every, history.closed)]
        bare = bareness(sup_distances(box.space.encode(table), box.space.encode(mesh)), radii, self.lipschitz)
        if bare.max(initial=-np.inf) > 0:
            return mesh[[int(bare.argmax())]]
        if not len(table):
            return every[:1]
        shut = _among(table, history.closed)
        return table[[int(np.where(shut & ~shut.all(), -np.inf, zooming_index(means, radii)).argmax())]]

    def _mesh(self, box: "Box") -> Points:
        """Return the mesh, the middle of the box first, so that a study begins there."""
        parts = math.floor(self.mesh ** (1 / box.d) + 1e-9)
        if parts < 2:
            raise InvalidInput(
                f"Zooming: a mesh of {self.mesh} points does not cut {box.d} axes; raise mesh to {2**box.d}"
            )
        return np.vstack([box.centres(every_cell(1, box.d), 1), box.centres(every_cell(parts, box.d), parts)])


def zooming_radius(counts: Order, horizon: int, noise: float = 1.0, c: float = 2.0) -> Values:
    """Return noise * sqrt(c log T / (1 + n)): how far an arm's mean may be off."""
    return noise * np.sqrt(c * math.log(max(2, horizon)) / (1 + counts))


def zooming_index(means: Values, radii: Values) -> Values:
    """Return mean + 2 radius: an upper bound for all places near the arm."""
    return means + 2 * radii


def bareness(distances: Matrix, radii: Values, lipschitz: float = 1.0) -> Values:
    """Return how far each place is from the nearest ball of an arm, of radius / lipschitz; above 0 if in none.

    ``distances`` is (arms, places).
    """
    return np.asarray((distances - (radii / lipschitz)[:, None]).min(axis=0, initial=np.inf))


def _known_arms(history: History) -> tuple[Points, Order, Values]:
    """Return the places with results or pending ones, their numbers of both, and their means."""
    x = np.vstack([history.x, history.pending])
    # Places outside the space are no arms: they belong to -1.
    inside = history.space.contains(x)
    first, which = unique_rows(x[inside])
    at = np.full(len(x), -1)
    at[inside] = which
    counts, sums = added_up(at[: history.told], history.y, history.counts, len(first))
    pending = counted(at[history.told :], history.pending_counts, len(first))
    return x[inside][first], counts + pending, expected_means(sums, counts)


def _among(x: Points, others: Points) -> Mask:
    """Return which places are among the others."""
    return np.asarray((x[:, None, :] == others[None]).all(axis=2).any(axis=1))


@frozen(eq=False)
class Box:
    """The unit cube of the axes that vary. A cell is half-open, but the last one has its upper side too."""

    space: Space
    columns: Order

    @classmethod
    def of(cls, space: AnySpace, who: str) -> "Box":
        """Return the box, or refuse the space for the policy named ``who``."""
        if not isinstance(space, Space):
            raise InvalidInput(f"{who} needs a box of Real axes, got a table of places; use BaSE for a table")
        for rules, kind in ((space.regions, "forbidden"), (space.constraints, "a constraint")):
            if rules:
                raise InvalidInput(
                    f"{who} needs a whole box, and {rules[0]} is {kind}; narrow the axes, list the "
                    "allowed places, Places(...), and use BaSE, or take the default method"
                )
        for axis in space.axes:
            if axis.width and not isinstance(axis, Real):
                raise InvalidInput(
                    f"{who} needs a box of Real axes, and axis {axis.name!r} is {type(axis).__name__}; "
                    "make it Real, or list the places, Places(...), and use BaSE"
                )
        columns = np.flatnonzero([axis.width for axis in space.axes])
        if not len(columns):
            raise InvalidInput(f"{who} needs an axis that varies; all axes of this space are fixed")
        return cls(space, columns)

    @property
    def d(self) -> int:
        """How many axes vary."""
        return len(self.columns)

    def centres(self, cells: Cells, parts: int) -> Points:
        """Return the places in the middle of cells of edge 1 / ``parts``."""
        unit = np.zeros((len(cells), self.space.d))
        unit[:, self.columns] = (cells + 0.5) / parts
        return self.space.at(unit)

    def cells(self, x: Points, parts: int) -> Cells:
        """Return the cell of edge 1 / ``parts`` that each place is in; -1 along all axes if it is in none."""
        unit = self.space.encode(x)
        cells = np.minimum(np.floor(unit * parts), parts - 1).astype(np.intp)
        cells[~self.space.contains(x)] = -1
        return cells

    def index(self, cells: Cells, x: Points, parts: int) -> Order:
        """Return which of ``cells`` each place is in, -1 for none of them."""
        known = {cell.tobytes(): i for i, cell in enumerate(np.ascontiguousarray(cells))}
        return np.array([known.get(cell.tobytes(), -1) for cell in self.cells(x, parts)], dtype=np.intp)


def every_cell(parts: int, d: int) -> Cells:
    """Return all cells of a cube cut into ``parts`` along each axis, the last axis running fastest."""
    return split(np.zeros((1, d), dtype=np.intp), parts)


def split(cells: Cells, parts: int) -> Cells:
    """Return the cells that come of cutting each into ``parts`` along each axis."""
    d = cells.shape[1]
    powers = parts ** np.arange(d - 1, -1, -1)
    inner: Cells = np.arange(parts**d)[:, None] // powers % parts
    return np.reshape(cells[:, None, :] * parts + inner[None], (-1, d))


def sup_distances(a: Matrix, b: Matrix) -> Matrix:
    """Return (n, m): the largest difference along any axis."""
    distances = np.zeros((len(a), len(b)))
    # Axis by axis: all differences at once would take d times the memory.
    for column in range(a.shape[1]):
        np.maximum(distances, np.abs(a[:, column, None] - b[None, :, column]), out=distances)
    return distances


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
    suits = suits_box

    def __attrs_post_init__(self) -> None:
        if self.edges not in ("ace", "dyadic"):
            raise InvalidInput(f"BLiN: edges must be 'ace' or 'dyadic', got {self.edges!r}")

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
        zooming = box.d if self.zooming_dimension is None else self.zooming_dimension
        ratio = horizon / need
        for finer in dyadic_levels(ratio) if self.edges == "dyadic" else ace_levels(ratio, box.d, zooming):
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

"""A box of real axes as the unit cube, cut into equal cells."""

import math

import numpy as np
from attrs import frozen
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core import checks
from wayfare._core.arrays import Mask, Matrix, Order, Points, Values, unique_rows
from wayfare.errors import InvalidInput
from wayfare.policy.bandit.arms import (
    MOST_ARMS,
    Arms,
    added_up,
    check_known,
    checked_noise,
    expected_means,
    set_noise,
    ucb1_index,
)
from wayfare.policy.base import Situation
from wayfare.space import AnySpace, Real, Space
from wayfare.surrogate.history import History

Cells = NDArray[np.intp]
"""(n, d): for each cell its number along each axis that varies, from 0."""


@frozen(eq=False)
class Box:
    """The unit cube of the axes that vary. A cell is half-open, but the last one has its upper side too."""

    space: Space
    columns: Order

    @classmethod
    def of(cls, space: AnySpace, who: str) -> "Box":
        """Return the box, or say which axis stands in the way."""
        if not isinstance(space, Space):
            raise InvalidInput(f"{who} needs a box of Real axes, got a table of places; use BaSE for a table")
        if space.forbidden:
            raise InvalidInput(
                f"{who} needs a whole box, and {space.forbidden[0]} is forbidden; narrow the axes, list the "
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
    for column in range(a.shape[1]):
        np.maximum(distances, np.abs(a[:, column, None] - b[None, :, column]), out=distances)
    return distances


# UCB1 on an even mesh: the plain way to make a box into arms. Blind to movement.


@frozen
class MeshUCB1:
    """UCB1 among the centres of equal cells, one at a time (Kleinberg 2004).

    There are ``cells`` along each axis, or as many as cells of edge (log T / T)^(1 / (d + 2)) need: then
    the loss to the mesh and that to the number of arms weigh the same. A result counts for the cell that
    holds it. Put it on the ``Horizon`` schedule, which knows T: it returns one place all the same.
    """

    cells: int | None = None
    c: float = 2.0
    scale: float = 1.0

    def __attrs_post_init__(self) -> None:
        if self.cells is not None:
            checks.count(self.cells, "MeshUCB1: cells", 1)
        checks.not_negative(self.c, "MeshUCB1: c")
        checks.positive(self.scale, "MeshUCB1: scale")

    def suits(self, space: AnySpace, direction: str, noise: float | None) -> None:
        """Refuse a study that is not in a box of real axes."""
        Box.of(space, "MeshUCB1")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""
        history, box = situation.history, Box.of(situation.space, "MeshUCB1")
        parts = self.cells or mesh_parts(history.handed_out + size, box.d)
        if parts**box.d > MOST_ARMS:
            raise InvalidInput(
                f"MeshUCB1: {parts} cells along each of {box.d} axes are more than {MOST_ARMS}; set cells"
            )
        cells = every_cell(parts, box.d)
        arms = Arms.among(box.centres(cells, parts), lambda x: box.index(cells, x, parts), history)
        n = arms.pulled
        return arms.best(ucb1_index(arms.expected, n, int(n.sum()), self.c, self.scale))


def mesh_parts(horizon: int, d: int) -> int:
    """Return how many cells of edge (log T / T)^(1 / (d + 2)) an axis takes."""
    horizon = max(3, horizon)
    return math.ceil(math.pow(horizon / math.log(horizon), 1 / (d + 2)) - 1e-9)


# The zooming algorithm: arms are added where no arm speaks for a place. Blind to movement.


def zooming_radius(counts: Order, horizon: int, noise: float = 1.0, c: float = 2.0) -> Values:
    """Return noise * sqrt(c log T / (1 + n)): how far an arm's mean may be off."""
    return noise * np.sqrt(c * math.log(max(2, horizon)) / (1 + counts))


def zooming_index(means: Values, radii: Values) -> Values:
    """Return mean + 2 radius: a bound on all that the arm speaks for."""
    return means + 2 * radii


def bareness(distances: Matrix, radii: Values, lipschitz: float = 1.0) -> Values:
    """Return how far each place is from the nearest ball, above 0 where no arm speaks for it.

    ``distances`` is (arms, places). An arm speaks for what lies within radius / lipschitz.
    """
    return np.asarray((distances - (radii / lipschitz)[:, None]).min(axis=0, initial=np.inf))


@frozen
class Zooming:
    """The arm with the highest mean + 2 radius, and a new one wherever none is near (Kleinberg et al. 2008).

    Arms are the places with results, or with some still out. If any place is farther from every arm than
    that arm's radius over ``lipschitz`` (largest difference along any axis, in the unit cube), the barest
    such place is visited next and so becomes an arm; else the arm of the highest index is. The radius of an
    arm with n results is ``noise * sqrt(c log T / (1 + n))``. Bare places are looked for on an even mesh of
    at most ``mesh`` points, so no two arms of it are nearer to each other than that. Put it on the
    ``Horizon`` schedule, which knows T: it returns one place all the same.
    """

    lipschitz: float = 1.0
    noise: float | None = None
    c: float = 2.0
    mesh: int = 4096

    def __attrs_post_init__(self) -> None:
        checks.positive(self.lipschitz, "Zooming: lipschitz")
        checked_noise(self.noise, "Zooming")
        checks.positive(self.c, "Zooming: c")
        checks.count(self.mesh, "Zooming: mesh", 1)

    def suits(self, space: AnySpace, direction: str, noise: float | None) -> None:
        """Refuse a study that is not in a box of real axes, or does not know its noise."""
        Box.of(space, "Zooming")
        check_known(self.noise, noise, "Zooming")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""
        history, box = situation.history, Box.of(situation.space, "Zooming")
        table, counts, means = known_arms(history)
        arms = box.space.encode(table)
        radii = zooming_radius(counts, history.handed_out + size, set_noise(self.noise, history), self.c)
        mesh = without(self._mesh(box), history.closed)
        bare = bareness(sup_distances(arms, box.space.encode(mesh)), radii, self.lipschitz)
        if bare.max(initial=-np.inf) > 0:
            return mesh[[int(bare.argmax())]]
        if not len(table):
            return self._mesh(box)[:1]
        shut = among(table, history.closed)
        index = zooming_index(means, radii)
        return table[[int(np.where(shut & ~shut.all(), -np.inf, index).argmax())]]

    def _mesh(self, box: Box) -> Points:
        """Return the mesh, the middle of the box first, so that a study begins there."""
        parts = math.floor(self.mesh ** (1 / box.d) + 1e-9)
        if parts < 2:
            raise InvalidInput(
                f"Zooming: a mesh of {self.mesh} points does not cut {box.d} axes; raise mesh to {2**box.d}"
            )
        middle = np.zeros((1, box.d), dtype=np.intp)
        return np.vstack([box.centres(middle, 1), box.centres(every_cell(parts, box.d), parts)])


def known_arms(history: History) -> tuple[Points, Order, Values]:
    """Return the places with results, or some still out, their numbers of both, and their means."""
    x = np.vstack([history.x, history.pending])
    inside = history.space.contains(x)
    x, n = x[inside], int(inside[: history.told].sum())
    first, which = unique_rows(x)
    y, told = history.y[inside[: history.told]], history.counts[inside[: history.told]]
    counts, sums = added_up(which[:n], y, told, len(first))
    coming = history.pending_counts[inside[history.told :]]
    out, _ = added_up(which[n:], np.zeros(len(coming)), coming, len(first))
    return x[first], counts + out, expected_means(sums, counts)


def among(x: Points, others: Points) -> Mask:
    """Return which places are among the others."""
    return np.asarray((x[:, None, :] == others[None]).all(axis=2).any(axis=1))


def without(x: Points, others: Points) -> Points:
    """Return the places that are not among the others."""
    return x[~among(x, others)]

"""A box of real axes as the unit cube, cut into equal cells; and the bandits that treat places of a box as arms.

``MeshUCB1`` fixes a mesh of arms beforehand, ``Zooming`` adds arms where no arm is near. Both ignore travel costs: the
baselines of ``BLiN``.
"""

import math

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
    check_known,
    counted,
    expected_means,
    set_noise,
    ucb1_index,
)
from wayfare.policy.base import Situation, valid
from wayfare.space import AnySpace, Real, Space
from wayfare.surrogate.history import History

Cells = NDArray[np.intp]
"""(n, d): for each cell its number along each axis that varies, from 0."""


@frozen
class MeshUCB1:
    """UCB1 among the centres of equal cells, one at a time (Kleinberg 2004).

    A result counts for the cell that holds it. Put it on the ``Horizon`` schedule, which knows T; it still returns one
    place.

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
        parts = self.cells or mesh_parts(history.handed_out + size, box.d)
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


@frozen
class Zooming:
    """The arm with the highest mean + 2 radius, and a new one wherever none is near (Kleinberg et al. 2008).

    Arms are the places with results or pending ones. If any place is farther from every arm than that arm's radius over
    ``lipschitz`` (largest difference along any axis, in the unit cube), the barest such place is visited next and so
    becomes an arm; else the arm of the highest index is. The radius of an arm with n results is
    ``noise * sqrt(c log T / (1 + n))``. Put it on the ``Horizon`` schedule, which knows T; it still returns one place.

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

    def suits(self, space: AnySpace, direction: str, noise: float | None) -> None:
        """Refuse a study that is not in a box of real axes, or does not know its noise."""
        Box.of(space, "Zooming")
        check_known(self.noise, noise, "Zooming")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""
        history, box = situation.history, Box.of(situation.space, "Zooming")
        table, counts, means = _known_arms(history)
        radii = zooming_radius(counts, history.handed_out + size, set_noise(self.noise, history), self.c)
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
    # Axis by axis: all differences at once would take d times the memory.
    for column in range(a.shape[1]):
        np.maximum(distances, np.abs(a[:, column, None] - b[None, :, column]), out=distances)
    return distances

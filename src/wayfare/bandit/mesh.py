"""UCB1 on an even mesh: the plain way to make a box into arms. Blind to movement."""

import math

from attrs import frozen
from numpy.random import Generator

from wayfare import door
from wayfare.arrays import Points
from wayfare.bandit.arms import MOST_ARMS, Arms
from wayfare.bandit.cubes import Box, every_cell
from wayfare.bandit.indexed import ucb1_index
from wayfare.errors import InvalidInput
from wayfare.situation import Situation
from wayfare.space import AnySpace


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
            door.count(self.cells, "MeshUCB1: cells", 1)
        door.not_negative(self.c, "MeshUCB1: c")
        door.positive(self.scale, "MeshUCB1: scale")

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

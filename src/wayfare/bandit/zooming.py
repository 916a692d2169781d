"""The zooming algorithm: arms are added where no arm speaks for a place. Blind to movement."""

import math

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare import door
from wayfare.arrays import Mask, Matrix, Order, Points, Values, unique_rows
from wayfare.bandit.arms import added_up, expected_means
from wayfare.bandit.cubes import Box, every_cell, sup_distances
from wayfare.bandit.noise import check_known, checked_noise, set_noise
from wayfare.errors import InvalidInput
from wayfare.history import History
from wayfare.situation import Situation
from wayfare.space import AnySpace


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
        door.positive(self.lipschitz, "Zooming: lipschitz")
        checked_noise(self.noise, "Zooming")
        door.positive(self.c, "Zooming: c")
        door.count(self.mesh, "Zooming: mesh", 1)

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

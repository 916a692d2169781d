"""Where a study looks first: the places of its first route, besides the one it begins at."""

from typing import Protocol

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare import door
from wayfare.arrays import Points, Values, no_points, unique_rows
from wayfare.space import AnySpace, Places, Space


class Opening(Protocol):
    """Says which places to visit before anything is believed."""

    def places(self, space: AnySpace, start: Values, rng: Generator) -> Points:
        """Return more places for the first route, besides ``start``, where the study begins; may be none.

        They are places of the space, in no order; where a place may be visited only once, none comes twice
        and none is the start. With fewer trials left, only the first of them are visited.
        """
        ...


@frozen
class JustStart:
    """No more places: the first result is waited for, and the next place chosen by it."""

    def places(self, space: AnySpace, start: Values, rng: Generator) -> Points:
        """Return none."""
        return no_points(space.d)


@frozen
class Survey:
    """A few places on one short route, so that not only the start's surroundings are known.

    As many as there are axes to move along, and at least ``least``. Together with the start they share the
    space evenly (``Space.survey``), so none is spent where the start is; in a table of places they are the
    nearest ones to such a net over its box. No place comes twice, so where there are few there may be fewer.
    """

    least: int = 3

    def __attrs_post_init__(self) -> None:
        door.count(self.least, "Survey: least", 1)

    def places(self, space: AnySpace, start: Values, rng: Generator) -> Points:
        """Return the places, none of them the start."""
        n = max(self.least, len(np.unique(space.groups)))
        if isinstance(space, Places):
            found = nearest_rows(space, start, space.frame.survey(start, n, rng))
        elif isinstance(space, Space):
            found = space.survey(start, n, rng)
        else:  # of a space of another make only a sample is to be had
            found = space.without(start[None, :]).sample(n, rng)
        kept, _ = unique_rows(np.vstack([start, found]))
        return found[kept[1:] - 1]


def nearest_rows(space: Places, start: Values, wanted: Points) -> Points:
    """Return for each place that is wanted the nearest one in the table, but none twice and not the start."""
    table = space.encode(space.table)
    free = space.index(space.table) != space.index(start[None, :])
    rows: list[int] = []
    for place in space.encode(wanted)[: int(free.sum())]:
        away = np.square(table - place).sum(axis=1)
        rows.append(int(np.where(free, away, np.inf).argmin()))
        free[rows[-1]] = False
    return space.table[rows]

"""Where a study looks first: the places of its first route, besides the one it begins at."""

from typing import Protocol

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Features, Points, Values, no_points, unique_rows
from wayfare.errors import InvalidInput
from wayfare.planning.reachable import LOOKED, Within
from wayfare.policy import in_space
from wayfare.route import ShortRoute, plan_route
from wayfare.space import AnySpace, Places, Space
from wayfare.space.places import nearest_rows
from wayfare.surrogate.history import History
from wayfare.travel import TravelCost, priced


class Opening(Protocol):
    """Says which places to visit before anything is believed."""

    def places(self, space: AnySpace, start: Values, travel: TravelCost, rng: Generator) -> Points:
        """Return more places for the first route, besides ``start``, where the study begins; may be none.

        They are places of the space, in no order; where a place may be visited only once, none comes twice
        and none is the start. Only the first of them are visited if they are more than a third of the trials.
        """
        ...


@frozen
class JustStart:
    """No more places: the first result is waited for, and the next place chosen by it."""

    def places(self, space: AnySpace, start: Values, travel: TravelCost, rng: Generator) -> Points:
        """Return none."""
        return no_points(space.d)


@frozen
class NoOpening:
    """Not even the start: the policy chooses the first route like any other."""

    def places(self, space: AnySpace, start: Values, travel: TravelCost, rng: Generator) -> Points:
        """Return none."""
        return no_points(space.d)


@frozen
class Survey:
    """A few places on one short route, so that not only the start's surroundings are known.

    As many as there are axes to move along, and at least ``least``. Together with the start they are a Latin
    hypercube about the middle of the space (``Space.survey``), so none is spent where the start is; in a
    table of places they are the nearest ones to such a design over its box. Of ``designs`` drawn, the one
    with the shortest route is walked. No place comes twice, so where there are few there may be fewer.
    """

    least: int = 4
    designs: int = 8

    def __attrs_post_init__(self) -> None:
        checks.count(self.least, "Survey: least", 1)
        checks.count(self.designs, "Survey: designs", 1)

    def places(self, space: AnySpace, start: Values, travel: TravelCost, rng: Generator) -> Points:
        """Return the places, none of them the start."""
        n = max(self.least, len(np.unique(space.groups)))
        drawn = [design(space, start, n, rng) for _ in range(self.designs)]
        routes = [plan_route(travel, start, places, None, ShortRoute(), rng) for places in drawn]
        # Where places coincided a design has fewer of them; that must not be what makes its route short.
        return min(zip(drawn, routes, strict=True), key=lambda one: (-len(one[0]), one[1].cost))[0]


def design(space: AnySpace, start: Values, n: int, rng: Generator) -> Points:
    """Return about ``n`` places spread over the space, all different and none the start."""
    if isinstance(space, Places):
        wanted = space.encode(space.frame.survey(start, n, rng))
        found = nearest_rows(space, space.table, start, wanted)
    elif isinstance(space, Space):
        found = space.survey(start, n, rng)
    elif isinstance(space, Within):
        table = space.known if space.is_whole else space.sample(LOOKED, rng)
        found = nearest_rows(space, table, start, boxed(space, table, design(space.space, start, n, rng)))
    else:  # of a space of another make only a sample is to be had
        found = space.without(start[None, :]).sample(n, rng)
    kept, _ = unique_rows(np.vstack([start, found]))
    return found[kept[1:] - 1]


def boxed(space: AnySpace, table: Points, wanted: Points) -> Features:
    """Return where the places would be if the box around the table's were the whole space; in its cube."""
    near = space.encode(table)
    low, high = near.min(axis=0), near.max(axis=0)
    return np.asarray(low + space.encode(wanted) * (high - low))


def first_route(
    opening: Opening, space: AnySpace, travel: TravelCost, history: History, left: int, rng: Generator
) -> Points:
    """Return the places a study begins with: the first one, and what the opening adds to it.

    That is a third of the trials that are left at most: what is looked at must be learned from.
    """
    first = first_place(space, travel, history, rng)
    more = opening.places(space, first[0], travel, rng)
    more = in_space(f"opening {type(opening).__name__}", more, space.without(first))
    return np.vstack([first, more[: left // 3]])


def first_place(space: AnySpace, travel: TravelCost, history: History, rng: Generator) -> Points:
    """Return where a study begins: at its start if that is in the space, else the place nearest to it.

    So all methods look there on their first route, and those without an opening do not move before they have
    its result; with one, the start may be passed later on that route where that is no longer.
    Without a start it is a draw, and free to reach. In a finite space the nearest place is the cheapest one.
    """
    if history.position is None:
        return space.sample(1, rng)
    start = history.position[None, :]
    table = space.everything(10_000)
    if space.contains(start).all() or table is None:
        return space.snap(start)
    if len(table) == 0:
        raise InvalidInput("no places at all: the space is empty")
    return table[[int(priced(travel, start, table)[0].argmin())]]

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
from wayfare.surrogate.history import History
from wayfare.travel import TravelCost, priced


class Opening(Protocol):
    """Chooses the places of the first route, before there is any result."""

    def places(self, space: AnySpace, start: Values, travel: TravelCost, rng: Generator) -> Points | None:
        """Return places for the first route besides ``start``; None to leave the first route to the policy.

        Args:
            space: where the traveller may go. If a place may be visited only once, none may come twice or be the start.
            start: where the study begins; it is on the first route in any case.
            travel: the cost of moving.
            rng: the only source of chance.

        Returns:
            Rows of the space, in no order. Only the first are visited if they are more than a third of the trials.
        """
        ...


@frozen
class JustStart:
    """The start alone: the policy chooses the next place once its result is known."""

    def places(self, space: AnySpace, start: Values, travel: TravelCost, rng: Generator) -> Points:
        """Return an empty table."""
        return no_points(space.d)


@frozen
class NoOpening:
    """No opening: the policy chooses the first route like any other, and the start is not visited for its own sake."""

    def places(self, space: AnySpace, start: Values, travel: TravelCost, rng: Generator) -> None:
        """Return None."""


@frozen
class Survey:
    """A few places on one short route, so that more is known than the surroundings of the start.

    There are as many as axes to move along, and at least ``least``. With the start they are a Latin hypercube about the
    middle of the space (``Space.survey``), so none is spent near the start; in a table they are the places nearest to
    such a design over its box. Of ``designs`` draws, the one with the shortest route is used. No place comes twice.
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


def nearest_rows(space: AnySpace, table: Points, start: Values, wanted: Features) -> Points:
    """Return for each place that is wanted the nearest one in the table, but none twice and not the start."""
    encoded, free = space.encode(table), (table != start).any(axis=1)
    rows: list[int] = []
    for place in wanted:
        if not free.any():
            break
        away = np.square(encoded - place).sum(axis=1)
        rows.append(int(np.where(free, away, np.inf).argmin()))
        free &= (table != table[rows[-1]]).any(axis=1)
    return np.asarray(table[rows])


def first_places(
    opening: Opening, space: AnySpace, travel: TravelCost, history: History, left: int, rng: Generator
) -> Points | None:
    """Return the places of the first route: where the study begins, and those of the opening; None if it has none.

    The opening may use a third of the trials that are left: what it finds must be learned from.
    """
    first = _first_place(space, travel, history, rng)
    more = opening.places(space, first[0], travel, rng)
    if more is None:
        return None
    more = in_space(f"opening {type(opening).__name__}", more, space.without(first))
    return np.vstack([first, more[: left // 3]])


def _first_place(space: AnySpace, travel: TravelCost, history: History, rng: Generator) -> Points:
    """Return where a study begins: at its start if that is in the space, else at the nearest place.

    Without a start it is drawn, and free to reach. In a finite space the nearest place is the cheapest one to reach.
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

"""Where a study looks first: the places of its first route, besides the one it begins at."""

from typing import Protocol

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Points, Values, no_points
from wayfare.errors import InvalidInput
from wayfare.policy import in_space
from wayfare.route import ShortRoute, plan_route
from wayfare.space import AnySpace
from wayfare.space.designs import distinct
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
        drawn = [distinct(start, space.survey(start, n, rng)) for _ in range(self.designs)]
        routes = [plan_route(travel, start, places, None, ShortRoute(), rng) for places in drawn]
        # Where places coincided a design has fewer of them; that must not be what makes its route short.
        return min(zip(drawn, routes, strict=True), key=lambda one: (-len(one[0]), one[1].cost))[0]


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

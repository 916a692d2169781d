"""A batch put in visiting order, and what each leg of the way costs."""

from itertools import pairwise

import numpy as np
from attrs import field, frozen
from attrs.validators import ge
from numpy.random import Generator

from wayfare._core.arrays import Matrix, Order, Points, Values, read_only, unique_rows, whole
from wayfare.errors import InvalidInput
from wayfare.route.base import RoutePlanner, check_costs
from wayfare.route.exact import HeldKarp
from wayfare.route.search import refined
from wayfare.travel import TravelCost, priced, rough


@frozen(eq=False)
class Route:
    """Places in visiting order."""

    places: Points = field(converter=read_only)
    order: Order = field(converter=whole)
    """Where each stop stood in the batch."""
    legs: Values = field(converter=read_only)
    """The cost of reaching each stop; the first is from where the traveller stood."""
    last_leg: float = 0.0
    """The cost of going on to the fixed end, if there is one."""
    unit: str = ""
    """What the costs are counted in."""

    def __len__(self) -> int:
        return len(self.order)

    @property
    def cost(self) -> float:
        """The cost of the whole way."""
        return float(self.legs.sum()) + self.last_leg

    def __str__(self) -> str:
        """Say how long it is and in which order."""
        return f"{len(self)} stops, {self.cost:.6g} {self.unit}".rstrip() + f": {self.order.tolist()}"


def plan_route(
    cost: TravelCost, position: Values | None, batch: Points, end: Values | None, planner: RoutePlanner, rng: Generator
) -> Route:
    """Return the batch as a route from ``position``, over to ``end`` if there is one.

    Equal places are one stop to the planner and visited in a row. With no ``position`` the route
    starts anywhere and its first leg is free. A ``cost`` that is not finite, negative, of the wrong
    shape or that raises is refused. Where all costs between the stops would take long, rough ones decide
    the order; legs are always exact.
    """
    if batch.ndim != 2:
        raise InvalidInput(f"a batch must have shape (n, d), got {batch.shape}")
    if len(batch) == 0:
        return Route(batch, np.empty(0, dtype=np.intp), np.empty(0), unit=cost.unit)
    distinct, which = unique_rows(batch)
    stops = batch[distinct]
    stand_in = rough(cost, len(stops))
    guide = cost if stand_in is None else stand_in
    first = np.zeros(len(stops))
    last = None
    if position is not None:
        first = priced(guide, _one_place(position, batch, "position"), stops)[0]
    if end is not None:
        last = priced(guide, stops, _one_place(end, batch, "end"))[:, 0]
    between = priced(guide, stops, stops)
    visits = np.asarray(planner.order(first, between, last, rng), dtype=np.intp)
    if not np.array_equal(np.sort(visits), np.arange(len(stops))):
        raise InvalidInput(
            f"{type(planner).__name__} must return each of {len(stops)} stops once, got {visits.tolist()}"
        )
    turn = np.empty(len(stops), dtype=np.intp)
    turn[visits] = np.arange(len(stops))
    # Sorting by turn puts equal places in a row; being stable, it keeps them as they came.
    order = np.argsort(turn[which], kind="stable")
    at = which[order]
    if stand_in is not None:
        return _exact(cost, position, batch[order], end, order)
    legs = np.concatenate([first[at[:1]], between[at[:-1], at[1:]]])
    last_leg = 0.0 if last is None else float(last[at[-1]])
    return Route(batch[order], order, legs, last_leg, cost.unit)


def _exact(cost: TravelCost, position: Values | None, places: Points, end: Values | None, order: Order) -> Route:
    """Return the route through these places, each leg priced by itself."""
    way = [*([] if position is None else [position]), *places, *([] if end is None else [end])]
    legs = np.array([priced(cost, here[None], there[None])[0, 0] for here, there in pairwise(way)])
    if position is None:
        legs = np.concatenate([[0.0], legs])
    return Route(places, order, legs[: len(places)], float(legs[len(places) :].sum()), cost.unit)


def _one_place(place: Values, batch: Points, name: str) -> Points:
    """Return the place as a table of one row, if it has as many axes as the batch."""
    if place.shape != batch.shape[1:]:
        raise InvalidInput(f"{name} must have {batch.shape[1]} axes like the batch, got shape {place.shape}")
    return place[None]


# A first route, for the search to improve.


@frozen
class NearestNext:
    """Always on to the stop that costs least: quick, and mostly 5 to 35% too long."""

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return the stops as a traveller would take them who never looks ahead."""
        check_costs(first, between, last)
        return nearest_next(first, between)


def nearest_next(first: Values, between: Matrix) -> Order:
    """Return the route that always goes on to the stop that costs least, the earliest if several do."""
    n = len(first)
    order = np.empty(n, dtype=np.intp)
    left = np.ones(n, dtype=bool)
    costs = first
    for k in range(n):
        order[k] = np.where(left, costs, np.inf).argmin()
        left[order[k]] = False
        costs = between[order[k]]
    return order


# The planners: the shortest route that a few milliseconds can find, and the order as it came.


@frozen
class ShortRoute:
    """The best route up to ``exact_to`` stops, and a very good one beyond.

    Beyond, it kicks and improves the route ``kicks`` times per stop. With the default of 2 that is
    within 1% of the best known on average, in about 4 ms for 15 stops, 0.1 s for 100, 1 s for 500
    and 5 s for 2000 (benchmarks/routes.md). Costs that depend on the direction beyond a climb take
    twice as long, for 1 to 2%; if they are random both ways, for some 10%: there raise ``kicks``.
    """

    exact_to: int = field(default=10, validator=ge(1))
    kicks: int = field(default=2, validator=ge(0))

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return the stops in the best order found."""
        n = check_costs(first, between, last)
        if n <= self.exact_to:
            return HeldKarp(limit=n).order(first, between, last, rng)
        return refined(nearest_next(first, between), first, between, last, self.kicks * n, rng)


@frozen
class AsGiven:
    """The order the policy chose the stops in, for methods that do not mind the way."""

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return 0, 1, 2, ..."""
        return np.arange(check_costs(first, between, last))

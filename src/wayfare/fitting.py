"""Which places of a batch can be visited within a budget, and in which order: an orienteering choice."""

import numpy as np
from numpy.random import Generator

from wayfare.arrays import Matrix, Order, Values
from wayfare.policy import Runs
from wayfare.reach import Reach
from wayfare.route import Route, RoutePlanner, plan_route
from wayfare.travel import priced


def fitted(reach: Reach, batch: Runs, planner: RoutePlanner, rng: Generator) -> tuple[Route, Order]:
    """Return a route through what fits of the batch, and how many results to take at each stop.

    Where all of it fits, it is the route there would be without a budget. Otherwise places are kept in the
    order the policy chose them, each if a way through it and those before it, and then home, can be paid; of
    a run as many results as can be. After every stop the way home can be paid. No stops if no place fits.
    """
    travel, here = reach.travel, reach.position
    route = plan_route(travel, here, batch.places, None, planner, rng)
    counts = batch.counts[route.order]
    if reach.fit_so_far(route.places, route.legs, counts) == len(route):
        return route, counts
    batch, inserted = affordable(reach, batch)
    for end in (None, reach.end):
        route = plan_route(travel, here, batch.places, end, planner, rng)
        counts = batch.counts[route.order]
        if reach.fit_so_far(route.places, route.legs, counts) == len(route):
            return route, counts
    return until_it_ends(reach, batch, inserted)


def affordable(reach: Reach, batch: Runs) -> tuple[Runs, Order]:
    """Return the part of a batch that can be paid, and an order in which it can."""
    x, run_cost = batch.places, reach.run_cost
    first, between, last = reach.legs(x), priced(reach.travel, x, x), reach.ways_home(x)
    route: list[int] = []
    counts: dict[int, int] = {}
    paid = 0.0
    for stop in range(len(x)):
        added = insertion_costs(route, stop, first, between, last)
        gap = int(added.argmin())
        count = int(batch.counts[stop])
        way = paid + float(added[gap])
        if run_cost > 0:
            count = min(count, int(max(0.0, reach.left - way) / run_cost))
        if count < 1 or way + count * run_cost > reach.left:
            continue
        route.insert(gap, stop)
        counts[stop], paid = count, way + count * run_cost
    kept = sorted(route)
    order = np.searchsorted(kept, route).astype(np.intp)
    return Runs(x[kept], [counts[stop] for stop in kept]), order


def insertion_costs(route: list[int], stop: int, first: Values, between: Matrix, last: Values) -> Values:
    """Return the extra cost of putting ``stop`` into each gap of a route that ends at home.

    Gap 0 is before the first stop and the last is before the way home. Right for asymmetric costs too.
    """
    if not route:
        return np.asarray(first[[stop]] + last[stop])
    at = np.array(route)
    onto = np.concatenate([first[[stop]], between[at, stop]])
    onward = np.concatenate([between[stop, at], last[[stop]]])
    instead = np.concatenate([first[at[:1]], between[at[:-1], at[1:]], last[at[-1:]]])
    return np.asarray(onto + onward - instead)


def until_it_ends(reach: Reach, batch: Runs, order: Order) -> tuple[Route, Order]:
    """Return the batch in this order, up to the first stop from which the way home cannot be paid.

    There is one only where a detour is cheaper than the direct way. If it is the first, what was chosen first
    is visited alone: as it was kept when there was nothing else, it can be.
    """
    alone = np.zeros(min(1, len(order)), dtype=np.intp)
    for tried in (order, alone):
        x, counts = batch.places[tried], batch.counts[tried]
        legs = np.concatenate([reach.legs(x[:1]), np.diagonal(priced(reach.travel, x[:-1], x[1:]))])
        n = reach.fit_so_far(x, legs, counts)
        if n:
            break
    rank = np.argsort(np.argsort(tried[:n]))
    return Route(x[:n], rank, legs[:n], unit=reach.travel.unit), counts[:n]

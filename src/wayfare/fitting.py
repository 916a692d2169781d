"""Which places of a batch can be visited within limits, and in which order: an orienteering choice."""

from collections.abc import Callable

import numpy as np
from attrs import evolve
from numpy.random import Generator

from wayfare.arrays import Matrix, Order, Values
from wayfare.policy import Runs
from wayfare.reach import Reach
from wayfare.route import Route, RoutePlanner, Shuffled, plan_route
from wayfare.travel import priced
from wayfare.trips import in_fewer_trips, in_range, straight_legs, with_trips
from wayfare.way import Way

Finish = Callable[[Way], Way]
"""What is put into a route once it is ordered."""


def fitted(
    reach: Reach, batch: Runs, planner: RoutePlanner, rng: Generator, finish: Finish | None = None
) -> Way:
    """Return a way through what fits of the batch.

    Where all of it fits, it is the way there would be without a budget. Otherwise places are kept in the
    order the policy chose them, each if a way through it and those before it, and then home, can be paid; of
    a run as many results as can be. There are fewer where what ``finish`` puts in would not fit otherwise.
    After every stop the way home can be paid. No stops if no place fits.
    """

    def laid(part: Runs, end: Values | None) -> Way:
        route = plan_route(reach.travel, reach.position, part.places, end, planner, rng)
        if not isinstance(planner, Shuffled):  # whose order is left to chance on purpose
            route = in_fewer_trips(reach, route, part.counts[route.order])
        way = Way.of(route, part)
        return with_steps(reach, with_trips(reach, way if finish is None else finish(way)))

    def fits(way: Way) -> bool:
        return reach.fit_so_far(way.route.places, way.route.legs, way.counts) == len(way)

    counts = in_range(reach, batch.places, batch.counts)
    batch = Runs(batch.places[counts > 0], counts[counts > 0])
    way = laid(batch, None)
    if way.homes.any():
        way = min(way, laid(batch, reach.end), key=lambda one: one.route.cost)
    if fits(way):
        return way
    if reach.limits.trip is not None:
        return first_that_fit(batch, lambda part: laid(part, reach.end), fits)
    batch, inserted = affordable(reach, batch)
    for end in (None, reach.end):
        way = laid(batch, end)
        if fits(way):
            return way
    if finish is not None:
        way = first_that_fit(batch, lambda part: laid(part, reach.end), fits)
    return way if fits(way) and len(way) else until_it_ends(reach, batch, inserted)


def first_that_fit(batch: Runs, laid: Callable[[Runs], Way], fits: Callable[[Way], bool]) -> Way:
    """Return a way through the first places of a batch, as many as fit."""
    few, many = 0, len(batch.places)
    way = laid(Runs(batch.places[:0], batch.counts[:0]))
    while many - few > 1:
        n = (few + many) // 2
        tried = laid(Runs(batch.places[:n], batch.counts[:n]))
        if fits(tried):
            few, way = n, tried
        else:
            many = n
    return way


def with_steps(reach: Reach, way: Way) -> Way:
    """Return the way with stops put in wherever a leg is too long; without the places no steps lead to."""
    steps, here = reach.steps, reach.position
    if steps is None:
        return way
    steps = evolve(steps, space=steps.space.without(way.route.places))
    leads: list[Values] = []
    order, counts = [], []
    for place, chosen, count in zip(way.route.places, way.route.order, way.counts, strict=True):
        lead = steps.between(here, place)
        if lead is None:
            continue
        leads.extend(lead)
        order += [chosen] * len(lead)
        counts += [*[1] * (len(lead) - 1), count]
        steps = evolve(steps, space=steps.space.without(lead))
        here = place
    x = np.array(leads).reshape(-1, way.route.places.shape[1])
    chosen = np.array(order, dtype=np.intp)
    return way.along(x, chosen, straight_legs(reach, x), np.array(counts, dtype=np.intp))


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


def until_it_ends(reach: Reach, batch: Runs, order: Order) -> Way:
    """Return the batch in this order, up to the first stop from which the way home cannot be paid.

    There is one only where a detour is cheaper than the direct way, or results are taken in between. If it is
    the first, what was chosen first is visited alone: as it was kept when there was nothing else, it can be.
    """
    way = Way.nowhere(reach.travel.unit, batch.places.shape[1])
    for tried in (order, np.zeros(min(1, len(order)), dtype=np.intp)):
        x = batch.places[tried]
        straight = Way.of(Route(x, tried, straight_legs(reach, x), unit=reach.travel.unit), batch)
        way = with_steps(reach, straight)
        n = reach.fit_so_far(way.route.places, way.route.legs, way.counts)
        way = way.first(n)
        if n:
            break
    return way

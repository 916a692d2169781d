"""A batch laid out as a way within limits: its order, and what is put in on the way."""

from collections.abc import Callable, Iterator

import numpy as np
from attrs import evolve, frozen
from numpy.random import Generator

from wayfare._core.arrays import Order, Points, Values
from wayfare.planning.itinerary import Way
from wayfare.planning.orienteering import affordable
from wayfare.planning.reach import Reach
from wayfare.planning.trips import fit_a_trip, in_fewer_trips, straight_legs, with_trips
from wayfare.policy import Runs
from wayfare.route import Route, RoutePlanner, Shuffled, plan_route

Finish = Callable[[Way], Way]
"""What is put into a route once it is ordered."""


@frozen(eq=False)
class Layout:
    """A batch laid out: the ``whole`` way through it, and the first ``results`` of it, to be walked.

    ``own`` is the whole way as the planner ordered it, where some of that was left to chance.
    """

    whole: Way
    results: int
    own: Way | None = None

    @property
    def way(self) -> Way:
        """What of it is to be walked."""
        return self.whole.within(self.results)


def fitted(
    reach: Reach, batch: Runs, planner: RoutePlanner, rng: Generator, results: int, finish: Finish | None = None
) -> Layout:
    """Return a way through what fits of the batch, for so many results.

    Where all of it fits, it is the way there would be without a budget. Otherwise it leads through what can
    be paid: an orienteering choice. No order is left to chance then if none such fits, and there are fewer
    places where what ``finish`` puts in would not fit otherwise. After every stop the way home can be paid.
    No stops if no place fits.
    """
    own = planner.planner if isinstance(planner, Shuffled) else planner

    def finished(route: Route, part: Runs) -> Way:
        way = Way.of(route, part)
        return with_steps(reach, with_trips(reach, way if finish is None else finish(way)))

    def routed(part: Runs, end: Values | None, closed: bool) -> Route:
        route = plan_route(reach.travel, reach.position, part.places, end, own, rng)
        # What a planner leaves to chance is left to it on purpose.
        return route if isinstance(own, Shuffled) else in_fewer_trips(reach, route, part, closed)

    def ordered(part: Runs, end: Values | None) -> tuple[Route, Way]:
        routes = [routed(part, end, end is not None)]
        ways = [finished(routes[0], part)]
        if end is None and ways[0].homes.any():  # with visits home, the order of one that ends there may be shorter
            routes.append(routed(part, reach.home, closed=False))
            ways.append(finished(routes[1], part))
        return min(zip(routes, ways, strict=True), key=lambda one: one[1].within(results).route.cost)

    def laid(part: Runs, end: Values | None) -> Layout:
        route, way = ordered(part, end)
        if not isinstance(planner, Shuffled):
            return Layout(way, results)
        return Layout(finished(shuffled(reach, route, planner, rng), part), results, way)

    counts = fit_a_trip(reach, batch.places, batch.counts)
    batch = Runs(batch.places[counts > 0], counts[counts > 0])
    layout = laid(batch, None)
    if fits(reach, layout.way):
        return layout
    batch, inserted = affordable(reach, batch)

    def tries() -> Iterator[Layout]:
        layouts = []
        for end in (None, reach.home):
            layouts.append(laid(batch, end))
            yield layouts[-1]
        yield from (Layout(one.own, results) for one in layouts if one.own is not None)
        yield Layout(finished(in_order(reach, batch.places, inserted), batch), results)
        if finish is not None or reach.steps is not None:
            yield first_that_fit(reach, batch, lambda part: Layout(ordered(part, reach.home)[1], results))

    for layout in tries():
        if len(layout.way) and fits(reach, layout.way):
            return layout
    return Layout(until_it_ends(reach, batch, inserted), results)


def shuffled(reach: Reach, route: Route, planner: Shuffled, rng: Generator) -> Route:
    """Return the route with some of its stops exchanged; visits to one place stay in a row."""
    moves = np.flatnonzero((route.places[1:] != route.places[:-1]).any(axis=1)) + 1
    stays = np.split(np.arange(len(route)), moves)
    turns = planner.exchanged(np.arange(len(stays)), rng)
    order = np.concatenate([stays[turn] for turn in turns])
    return evolve(in_order(reach, route.places, order), order=route.order[order])


def in_order(reach: Reach, places: Points, order: Order) -> Route:
    """Return the places in this order, straight from stop to stop."""
    x = places[order]
    return Route(x, order, straight_legs(reach, x), unit=reach.travel.unit)


def fits(reach: Reach, way: Way) -> bool:
    """Return whether the way home can be paid from every stop."""
    return reach.fit_so_far(way.route.places, way.route.legs, way.counts) == len(way)


def first_that_fit(reach: Reach, batch: Runs, laid: Callable[[Runs], Layout]) -> Layout:
    """Return a way through the first places of a batch, as many as fit."""
    few, many = 0, len(batch.places)
    layout = laid(Runs(batch.places[:0], batch.counts[:0]))
    while many - few > 1:
        n = (few + many) // 2
        tried = laid(Runs(batch.places[:n], batch.counts[:n]))
        if fits(reach, tried.way):
            few, layout = n, tried
        else:
            many = n
    return layout


def with_steps(reach: Reach, way: Way) -> Way:
    """Return the way with stops put in wherever a leg is too long; without the places no steps lead to."""
    steps, here = reach.steps, reach.position
    if steps is None:
        return way
    steps = evolve(steps, space=steps.space.without(way.route.places))
    leads: list[Values] = []
    order, counts, between = [], [], []
    for place, chosen, count in zip(way.route.places, way.route.order, way.counts, strict=True):
        lead = steps.between(here, place)
        if lead is None:
            continue
        leads.extend(lead)
        order += [chosen] * len(lead)
        counts += [*[1] * (len(lead) - 1), count]
        between += [*[True] * (len(lead) - 1), False]
        steps = evolve(steps, space=steps.space.without(lead))
        here = place
    x = np.array(leads).reshape(-1, way.route.places.shape[1])
    stepped = way.along(x, np.array(order, dtype=np.intp), straight_legs(reach, x), np.array(counts, dtype=np.intp))
    return evolve(stepped, between=np.array(between, dtype=np.bool_))


def until_it_ends(reach: Reach, batch: Runs, order: Order) -> Way:
    """Return the batch in this order, up to the first stop from which the way home cannot be paid.

    There is one only where a detour is cheaper than the direct way, or stops are put in on the way. If it is
    the first, what was chosen first is visited alone: as it was kept when there was nothing else, it can be.
    """
    way = Way.nowhere(reach.travel.unit, batch.places.shape[1])
    for tried in (order, np.zeros(min(1, len(order)), dtype=np.intp)):
        way = with_steps(reach, with_trips(reach, Way.of(in_order(reach, batch.places, tried), batch)))
        way = way.first(reach.fit_so_far(way.route.places, way.route.legs, way.counts))
        if len(way):
            break
    return way

"""A batch laid out as a way within limits: its order, and what is put in on the way."""

from collections.abc import Callable
from copy import deepcopy

import numpy as np
from attrs import evolve, frozen
from numpy.random import Generator

from wayfare.affording import affordable
from wayfare.arrays import Order, Values
from wayfare.policy import Runs
from wayfare.reach import Reach
from wayfare.route import Route, RoutePlanner, Shuffled, plan_route
from wayfare.trips import fit_a_trip, in_fewer_trips, straight_legs, with_trips
from wayfare.way import Way

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
    reach: Reach,
    batch: Runs,
    planner: RoutePlanner,
    rng: Generator,
    results: int,
    finish: Finish | None = None,
) -> Layout:
    """Return a way through what fits of the batch, for so many results.

    Where all of it fits, it is the way there would be without a budget. Otherwise it leads through what can
    be paid: an orienteering choice. There are fewer places where what ``finish`` puts in would not fit
    otherwise. After every stop the way home can be paid. No stops if no place fits.
    """

    def ordered(part: Runs, end: Values | None, by: RoutePlanner, draws: Generator) -> Way:
        route = plan_route(reach.travel, reach.position, part.places, end, by, draws)
        if not isinstance(by, Shuffled):  # whose order is left to chance on purpose
            route = in_fewer_trips(reach, route, part.counts[route.order])
        way = Way.of(route, part)
        return with_steps(reach, with_trips(reach, way if finish is None else finish(way)))

    def shortest(part: Runs, end: Values | None, by: RoutePlanner, draws: Generator) -> Way:
        way = ordered(part, end, by, draws)
        if isinstance(by, Shuffled) or end is reach.end or not way.homes.any():
            return way
        other = ordered(part, reach.end, by, draws)
        return min(way, other, key=lambda one: one.within(results).route.cost)

    def laid(part: Runs, end: Values | None) -> Layout:
        if not isinstance(planner, Shuffled):
            return Layout(shortest(part, end, planner, rng), results)
        own = shortest(part, end, planner.planner, deepcopy(rng))  # it draws what it would draw alone
        return Layout(shortest(part, end, planner, rng), results, own)

    counts = fit_a_trip(reach, batch.places, batch.counts)
    batch = Runs(batch.places[counts > 0], counts[counts > 0])
    layout = laid(batch, None)
    if fits(reach, layout.way):
        return layout
    batch, inserted = affordable(reach, batch)
    for end in (None, reach.end):
        layout = laid(batch, end)
        if fits(reach, layout.way):
            return layout
    if finish is not None:
        layout = first_that_fit(reach, batch, lambda part: laid(part, reach.end))
        if len(layout.way):
            return layout
    return Layout(until_it_ends(reach, batch, inserted), results)


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
    stepped = way.along(
        x, np.array(order, dtype=np.intp), straight_legs(reach, x), np.array(counts, dtype=np.intp)
    )
    return evolve(stepped, between=np.array(between, dtype=np.bool_))


def until_it_ends(reach: Reach, batch: Runs, order: Order) -> Way:
    """Return the batch in this order, up to the first stop from which the way home cannot be paid.

    There is one only where a detour is cheaper than the direct way, or stops are put in on the way. If it is
    the first, what was chosen first is visited alone: as it was kept when there was nothing else, it can be.
    """
    way = Way.nowhere(reach.travel.unit, batch.places.shape[1])
    for tried in (order, np.zeros(min(1, len(order)), dtype=np.intp)):
        x = batch.places[tried]
        straight = Way.of(Route(x, tried, straight_legs(reach, x), unit=reach.travel.unit), batch)
        way = with_steps(reach, with_trips(reach, straight))
        way = way.first(reach.fit_so_far(way.route.places, way.route.legs, way.counts))
        if len(way):
            break
    return way

"""Lay a batch out as an itinerary within the limits: its order, its visits home, and what is put in on the way.

If the whole batch fits, its order is the one there would be without a budget. If not, stops are dropped (a greedy
orienteering heuristic): they are considered in the order the policy picked them, each is inserted where the detour is
cheapest, and kept if the whole route, with the return home, is still affordable.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from attrs import evolve, field, frozen
from numpy.random import Generator

from wayfare._core.arrays import Matrix, Order, Points, Values
from wayfare.planning.itinerary import Itinerary
from wayfare.planning.reach import Reach
from wayfare.planning.trips import Trips, fit_a_trip, in_fewer_trips, with_trips
from wayfare.policy import Runs
from wayfare.route import Route, RoutePlanner, plan_route, randomised
from wayfare.route.base import Randomised
from wayfare.surrogate.history import Notes
from wayfare.travel import priced

Finish: TypeAlias = Callable[[Itinerary], Itinerary]
"""Adds stops to a route once it is ordered, such as visits to an anchor."""
Insertion: TypeAlias = Callable[[list[int], int, list[int]], tuple[float, int]]
"""Cost of a route with a further stop and the return home, and the gap that is cheapest for it."""
GAPS_TRIED = 5
"""With trips, number of gaps of a route in which a stop is tried: those that are cheapest without trips."""


@frozen(eq=False)
class Plan:
    """A batch laid out as a route.

    Attributes:
        whole: the itinerary through all of the batch that fits.
        results: how many results may be taken.
        unshuffled: the same in the planner's own order, if the order was partly left to chance.
        notes: what decided the plan, as the surrogate noted it.
    """

    whole: Itinerary
    results: int
    unshuffled: Itinerary | None = None
    notes: Notes = field(factory=dict)

    @property
    def itinerary(self) -> Itinerary:
        """The part to be walked: the first stops, for ``results`` results at most."""
        return self.whole.for_results(self.results)


def lay_out(
    reach: Reach, batch: Runs, planner: RoutePlanner, rng: Generator, results: int, finish: Finish | None = None
) -> Plan:
    """Return an itinerary through the part of the batch that fits; the return home is affordable from every stop.

    Args:
        reach: where the traveller stands, and what is left.
        batch: the places, and how many results to take at each.
        planner: puts them in order.
        rng: the only source of chance.
        results: how many results may be taken in all.
        finish: adds stops to a route once it is ordered; if they do not fit, the batch is shortened.
    """
    drawing = _Drawing(reach, planner, rng, results, finish)
    # 1. Drop what no trip can reach.   2. The unconstrained route, if it fits.
    batch = batch if reach.limits.trip is None else fit_a_trip(reach, batch)
    plan = drawing.laid_out(batch, None)
    if drawing.fits(plan):
        return plan
    # 3. Else the affordable part: in any order, in one that ends at home, in the planner's own instead of a shuffled
    # one, in the order of insertion, and with fewer places if ``finish`` or steps add stops.
    batch, inserted = affordable(reach, batch)
    for plan in drawing.tries(batch, inserted):
        if len(plan.itinerary) and drawing.fits(plan):
            return plan
    # 4. Else as far as it goes.
    return Plan(until_it_ends(reach, batch, inserted), results)


@frozen(eq=False)
class _Drawing:
    """The arguments of ``lay_out``, and the steps that share them."""

    reach: Reach
    planner: RoutePlanner
    rng: Generator
    results: int
    finish: Finish | None

    def fits(self, plan: Plan) -> bool:
        """Return whether the return home is affordable from every stop that will be visited."""
        return self.reach.stops_paid(plan.itinerary) == len(plan.itinerary)

    def laid_out(self, batch: Runs, end: Values | None) -> Plan:
        """Return the batch in the planner's order, then shuffled if the planner shuffles."""
        route, stops = self.ordered(batch, end)
        if (shuffler := randomised(self.planner)) is None:
            return Plan(stops, self.results)
        return Plan(self.finished(_shuffled(self.reach, route, shuffler, self.rng), batch), self.results, stops)

    def ordered(self, batch: Runs, end: Values | None) -> tuple[Route, Itinerary]:
        """Return the batch in the planner's own order, from the traveller to ``end`` if that is given."""
        routes = [self.routed(batch, end, end is not None)]
        drafts = [self.finished(routes[0], batch)]
        if (
            end is None and drafts[0].homes.any()
        ):  # with visits home, the order of a route that ends there may be shorter
            routes.append(self.routed(batch, self.reach.home, closed=False))
            drafts.append(self.finished(routes[1], batch))
        return min(zip(routes, drafts, strict=True), key=lambda one: one[1].for_results(self.results).cost)

    def routed(self, batch: Runs, end: Values | None, closed: bool) -> Route:
        """Return the route through the batch."""
        shuffler = randomised(self.planner)
        own = self.planner if shuffler is None else shuffler.planner
        route = plan_route(self.reach.travel, self.reach.position, batch.places, end, own, self.rng)
        # An order left to chance on purpose is not improved.
        in_trips = self.reach.limits.trip is not None and randomised(own) is None
        return in_fewer_trips(self.reach, route, batch, closed) if in_trips else route

    def finished(self, route: Route, batch: Runs) -> Itinerary:
        """Return the route with what ``finish``, trips and steps add to it."""
        stops = Itinerary.of(route, batch)
        stops = stops if self.finish is None else self.finish(stops)
        return with_steps(self.reach, stops if self.reach.limits.trip is None else with_trips(self.reach, stops))

    def tries(self, batch: Runs, inserted: Order) -> Iterator[Plan]:
        """Yield plans for an affordable batch, the most wanted first."""
        plans = []
        for end in (None, self.reach.home):
            plans.append(self.laid_out(batch, end))
            yield plans[-1]
        yield from (Plan(plan.unshuffled, self.results) for plan in plans if plan.unshuffled is not None)
        yield Plan(self.finished(_in_order(self.reach, batch.places, inserted), batch), self.results)
        if self.finish is not None or self.reach.steps is not None:
            yield self.of_first(batch)

    def of_first(self, batch: Runs) -> Plan:
        """Return a plan for the first places of the batch, as many as fit (by bisection)."""

        def of(n: int) -> Plan:
            part = Runs(batch.places[:n], batch.counts[:n])
            return Plan(self.ordered(part, self.reach.home)[1], self.results)

        few, many, plan = 0, len(batch.places), of(0)
        while many - few > 1:
            n = (few + many) // 2
            tried = of(n)
            if self.fits(tried):
                few, plan = n, tried
            else:
                many = n
        return plan


def _shuffled(reach: Reach, route: Route, planner: Randomised, rng: Generator) -> Route:
    """Return the route with some of its stops exchanged; visits to one place stay in a row."""
    moves = np.flatnonzero((route.places[1:] != route.places[:-1]).any(axis=1)) + 1
    stays = np.split(np.arange(len(route)), moves)
    turns = planner.exchanged(np.arange(len(stays)), rng)
    order = np.concatenate([stays[turn] for turn in turns])
    return evolve(_in_order(reach, route.places, order), order=route.order[order])


def _in_order(reach: Reach, places: Points, order: Order) -> Route:
    """Return the places in this order, straight from stop to stop."""
    x = places[order]
    return Route(x, order, reach.legs_through(x), unit=reach.travel.unit)


def with_steps(reach: Reach, stops: Itinerary) -> Itinerary:
    """Return the itinerary with stops put in where a leg is too long, and without the places that no steps lead to."""
    steps, here = reach.steps, reach.position
    if steps is None:
        return stops
    steps = evolve(steps, space=steps.space.without(stops.places))
    leads: list[Values] = []
    picked, counts, between = [], [], []
    for place, chosen, count in zip(stops.places, stops.picked, stops.counts, strict=True):
        lead = steps.between(here, place)
        if lead is None:
            continue
        leads.extend(lead)
        picked += [chosen] * len(lead)
        counts += [*[1] * (len(lead) - 1), count]
        between += [*[True] * (len(lead) - 1), False]
        steps = evolve(steps, space=steps.space.without(lead))
        here = place
    x = np.array(leads).reshape(-1, stops.places.shape[1])
    whole = np.array(picked, dtype=np.intp), reach.legs_through(x), np.array(counts, dtype=np.intp)
    return evolve(stops.through(x, *whole), between=np.array(between, dtype=np.bool_))


def until_it_ends(reach: Reach, batch: Runs, order: Order) -> Itinerary:
    """Return the batch in this order, up to the first stop from which the return home is too dear.

    There is one only if a detour is cheaper than the direct way, or stops are put in on the way. If it is the first,
    the place picked first is visited alone: it was kept when there was nothing else, so it is affordable.
    """
    stops = Itinerary.empty(reach.travel.unit, batch.places.shape[1])
    for tried in (order, np.zeros(min(1, len(order)), dtype=np.intp)):
        stops = Itinerary.of(_in_order(reach, batch.places, tried), batch)
        stops = with_steps(reach, with_trips(reach, stops))
        stops = stops.first(reach.stops_paid(stops))
        if len(stops):
            break
    return stops


def affordable(reach: Reach, batch: Runs) -> tuple[Runs, Order]:
    """Return the affordable part of a batch, and an order in which it is.

    Each place is kept if a route through it and those kept before it, with the return home, is affordable; of several
    results wanted at a place, as many as are.
    """
    insertion = _straight(reach, batch) if reach.limits.trip is None else _in_trips(reach, batch)
    route: list[int] = []
    counts = [0] * len(batch.places)
    for stop, wanted in enumerate(batch.counts.tolist()):
        counts[stop] = _most(insertion, route, stop, counts, wanted, reach.left)
        if counts[stop]:
            route.insert(insertion(route, stop, counts)[1], stop)
    kept = sorted(route)
    order = np.searchsorted(kept, route).astype(np.intp)
    return Runs(batch.places[kept], [counts[stop] for stop in kept]), order


def _most(insertion: Insertion, route: list[int], stop: int, counts: list[int], wanted: int, left: float) -> int:
    """Return how many of the results wanted at a stop are affordable."""

    def cost(count: int) -> float:
        return insertion(route, stop, [*counts[:stop], count, *counts[stop + 1 :]])[0]

    return bisect_right(range(1, wanted + 1), left, key=cost)


def _straight(reach: Reach, batch: Runs) -> Insertion:
    """Return the cost of insertions if the traveller goes straight from stop to stop.

    A leg longer than a step costs at least the results at the stops that must be put in.
    """
    x, here = batch.places, reach.position
    first, between, last = reach.legs_to(x), priced(reach.travel, x, x), reach.legs_home(x)
    if reach.steps is not None:
        between = between + reach.dwell * reach.steps.least(x, x)
        if here is not None:
            first = first + reach.dwell * reach.steps.least(here[None, :], x)[0]

    def insertion(route: list[int], stop: int, counts: list[int]) -> tuple[float, int]:
        added = _insertion_costs(route, stop, first, between, last)
        gap = int(added.argmin())
        legs = sum(float(between[a, b]) for a, b in pairwise(route))
        ends = float(first[route[0]] + last[route[-1]]) if route else 0.0
        return ends + legs + float(added[gap]) + reach.dwell * sum(counts), gap

    return insertion


def _in_trips(reach: Reach, batch: Runs) -> Insertion:
    """Return the cost of insertions with visits home where they cost least."""
    known = evolve(Trips.of(reach, batch.places, batch.counts), a_day=0.0)
    first, between, last = (np.array(costs) for costs in (known.first, known.between, known.home))

    def insertion(route: list[int], stop: int, counts: list[int]) -> tuple[float, int]:
        trips = evolve(known, dwell=[reach.dwell * count for count in counts])
        added = _insertion_costs(route, stop, first, between, last)
        costs = {}
        for gap in np.argsort(added, kind="stable")[:GAPS_TRIED].tolist():
            longer = [*route[:gap], stop, *route[gap:]]
            costs[gap] = trips.cost(longer, closed=True) + sum(trips.dwell)
        gap = min(costs, key=lambda one: costs[one])
        return costs[gap], gap

    return insertion


def _insertion_costs(route: list[int], stop: int, first: Values, between: Matrix, last: Values) -> Values:
    """Return the extra cost of putting ``stop`` into each gap of a route that ends at home.

    Gap 0 is before the first stop and the last is before the return home. Right for asymmetric costs too.
    """
    if not route:
        return np.asarray(first[[stop]] + last[stop])
    at = np.array(route)
    onto = np.concatenate([first[[stop]], between[at, stop]])
    onward = np.concatenate([between[stop, at], last[[stop]]])
    instead = np.concatenate([first[at[:1]], between[at[:-1], at[1:]], last[at[-1:]]])
    return np.asarray(onto + onward - instead)

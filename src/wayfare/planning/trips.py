"""Trips: an itinerary cut into pieces that begin and end at home, each as long as a battery lasts."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from attrs import evolve, frozen

from wayfare._core.arrays import Mask, Order, Points
from wayfare._core.tolerance import COST_RTOL
from wayfare.planning.itinerary import Itinerary
from wayfare.planning.reach import Reach
from wayfare.policy import Runs
from wayfare.route import Route
from wayfare.travel import priced, rough

EFFORT = 30_000
"""Number of orders tried to shorten a route with trips, times its stops."""


def with_trips(reach: Reach, stops: Itinerary) -> Itinerary:
    """Return the itinerary with the cheapest visits home that keep every trip within its limit.

    Every stop must be in range: it fits a trip of its own. The budget is not looked at.
    """
    if reach.limits.trip is None or not len(stops):
        return stops
    walk = evolve(reach, left=math.inf).walk(cheapest_homes(reach, stops))
    return evolve(stops, legs=walk.legs, homes=walk.homes)


def cheapest_homes(reach: Reach, stops: Itinerary) -> Itinerary:
    """Return the stops with visits home planned where they cost least; unchanged if trips cannot be kept to."""
    if reach.limits.trip is None or not len(stops):
        return stops
    cost, homes = Trips.of(reach, stops.places, stops.counts).cheapest(range(len(stops)))
    return evolve(stops, homes=homes) if cost < math.inf else stops


def in_fewer_trips(reach: Reach, route: Route, batch: Runs, closed: bool) -> Route:
    """Return the route of a batch in an order that is shorter with the visits home, if moving stops finds one.

    If ``closed``, the return home from the last stop counts as well.
    """
    if reach.limits.trip is None or len(route) < 2:
        return route
    trips = Trips.of(reach, route.places, batch.counts[route.order])
    order = trips.improved(list(range(len(route))), closed)
    places = route.places[order]
    return evolve(route, places=places, order=route.order[order], legs=reach.legs_through(places))


def fit_a_trip(reach: Reach, batch: Runs) -> Runs:
    """Return the places of a batch that fit a trip of their own, each with as many results as fit."""
    if reach.limits.trip is None:
        return batch
    x = batch.places
    spare = reach.trip - reach.legs_from_home(x) - reach.legs_home(x)
    counts = np.where(spare >= reach.dwell, batch.counts, 0)
    if reach.dwell > 0:
        counts = np.minimum(counts, np.floor(np.maximum(spare, 0.0) / reach.dwell).astype(np.intp))
    return Runs(x[counts > 0], counts[counts > 0])


@frozen(eq=False)
class Trips:
    """The cost of visiting stops in any order, with the visits home where they cost least.

    Costs are plain lists, because thousands of orders of a few stops are priced. On a large map they are approximate.

    Attributes:
        first: cost of reaching each stop from where the traveller stands.
        between: cost from each stop (row) to each other (column).
        out: cost of reaching each stop from home.
        home: cost of returning home from each stop.
        dwell: cost of the results at each stop.
        reach: what is left of the trip under way, and what a trip may cost.
        restart: cost of going home from where the traveller stands.
        a_day: what a further trip counts on top. A day is worth its length: none begins while there is time left in the
            one before, however near home is.
    """

    first: list[float]
    between: list[list[float]]
    out: list[float]
    home: list[float]
    dwell: list[float]
    reach: Reach
    restart: float
    a_day: float = 0.0

    @classmethod
    def of(cls, reach: Reach, x: Points, counts: Order) -> "Trips":
        """Return the costs of these stops."""
        guide = rough(reach.travel, len(x)) or reach.travel
        return cls(
            reach.legs_to(x).tolist(),
            priced(guide, x, x).tolist(),
            reach.legs_from_home(x).tolist(),
            reach.legs_home(x).tolist(),
            (reach.dwell * counts).tolist(),
            reach,
            reach.restart,
            reach.trip if reach.limits.is_day else 0.0,
        )

    def cheapest(self, order: Sequence[int]) -> tuple[float, Mask]:
        """Return the least cost of reaching the last stop, with ``a_day`` for each trip, and before which to go home.

        A dynamic program over where trips begin: exact for this order. Infinite if the trips cannot be kept to.
        """
        n, trip_cost = len(order), self.reach.limits.trip_cost + self.a_day
        # Least cost of standing at home, about to set out for each stop; -1 stands for the trip under way.
        begun = [math.inf] * n
        begun[0] = self.restart + self.a_day
        before = [-1] * n  # the stop at which the trip before began
        last, least = -1, math.inf
        for start in range(-1, n):
            cost = 0.0 if start < 0 else begun[start]
            if cost >= least:
                continue
            used, limit = 0.0, self.reach.trip_left if start < 0 else self.reach.trip
            for at in range(max(start, 0), n):
                stop = order[at]
                if at == start:  # from home
                    leg = self.out[stop]
                elif at == 0:
                    leg = self.first[stop]
                else:
                    leg = self.between[order[at - 1]][stop]
                used, cost = used + leg + self.dwell[stop], cost + leg
                if used + self.home[stop] > limit:
                    break
                if at == n - 1:
                    if cost < least:
                        last, least = start, cost
                elif cost + self.home[stop] + trip_cost < begun[at + 1]:
                    begun[at + 1], before[at + 1] = cost + self.home[stop] + trip_cost, start
        homes = np.zeros(n, dtype=np.bool_)
        while last >= 0:
            homes[last] = True
            last = before[last]
        return least, homes

    def cost(self, order: list[int], closed: bool) -> float:
        """Return the least cost of visiting the stops in this order; if ``closed``, with the return home."""
        return self.cheapest(order)[0] + (self.home[order[-1]] if closed else 0.0)

    def improved(self, order: list[int], closed: bool) -> list[int]:
        """Return an order that no move of ``_moved`` makes cheaper, or the best found within ``EFFORT``."""
        least, tried = self.cost(order, closed), 0
        while tried < EFFORT:
            for new in _moved(order):
                tried += len(order)
                cost = self.cost(new, closed)
                if cost < least * (1 - COST_RTOL):
                    order, least = new, cost
                    break
                if tried >= EFFORT:
                    break
            else:
                break
        return order


def _moved(order: list[int]) -> Iterator[list[int]]:
    """Yield the orders with up to three stops moved elsewhere, in either direction, or more of them reversed."""
    n = len(order)
    for start in range(n):
        for end in range(start + 1, n + 1):
            piece, rest = order[start:end], order[:start] + order[end:]
            for gap in range(len(rest) + 1) if len(piece) <= 3 else (start,):
                for turned in (piece, piece[::-1]):
                    yield rest[:gap] + turned + rest[gap:]

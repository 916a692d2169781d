"""Trips: a way cut into pieces that each begin and end at home, as long as a battery lasts."""

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from attrs import evolve, frozen

from wayfare._core.arrays import Mask, Order, Points, Values
from wayfare.planning.itinerary import Way
from wayfare.planning.reach import Reach
from wayfare.policy import Runs
from wayfare.route import Route
from wayfare.travel import priced, rough

EFFORT = 30_000
"""To make a way with trips shorter, so many orders are tried, divided by its stops."""


def with_trips(reach: Reach, way: Way) -> Way:
    """Return the way with the cheapest visits home that keep every trip within its limit.

    Every stop must be in range: on a trip of its own, home and back.
    """
    if reach.limits.trip is None or not len(way):
        return way
    x, counts = way.route.places, way.counts
    planned = Trips.of(reach, x, counts).cheapest(range(len(x)))[1]
    legs, homes = ridden(reach, x, counts, planned)
    return way.along(x, way.route.order, legs, counts, homes)


def in_fewer_trips(reach: Reach, route: Route, batch: Runs, closed: bool) -> Route:
    """Return a batch's route in an order that is shorter with the visits home, if moving stops finds one.

    If it is ``closed``, the way home from its last stop counts as well.
    """
    if reach.limits.trip is None or len(route) < 2:
        return route
    trips = Trips.of(reach, route.places, batch.counts[route.order])
    order = trips.improved(list(range(len(route))), closed)
    places = route.places[order]
    return evolve(route, places=places, order=route.order[order], legs=straight_legs(reach, places))


@frozen(eq=False)
class Trips:
    """What a way costs in any order of its stops, with the visits home where they are cheapest.

    Plain lists, for it is asked thousands of times about a few stops. Roughly, on a large map.
    """

    first: list[float]
    between: list[list[float]]
    out: list[float]
    home: list[float]
    dwell: list[float]
    reach: Reach
    restart: float

    @classmethod
    def of(cls, reach: Reach, x: Points, counts: Order) -> "Trips":
        """Return the costs of these stops."""
        guide = rough(reach.travel, len(x)) or reach.travel
        return cls(
            reach.legs(x).tolist(),
            priced(guide, x, x).tolist(),
            reach.ways_out(x).tolist(),
            reach.ways_home(x).tolist(),
            (reach.dwell * counts).tolist(),
            reach,
            reach.restart,
        )

    def cheapest(self, order: "list[int] | range") -> tuple[float, Mask]:
        """Return what the way costs up to its last stop, and before which stops to go home on it."""
        n, anew = len(order), self.reach.limits.trip_cost
        begun = [math.inf] * n  # the least cost to stand at home, about to set out for each stop
        begun[0] = self.restart
        before = [-1] * n  # where the trip before began: at that stop from home, or, -1, under way
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
                elif cost + self.home[stop] + anew < begun[at + 1]:
                    begun[at + 1], before[at + 1] = cost + self.home[stop] + anew, start
        homes = np.zeros(n, dtype=np.bool_)
        while last >= 0:
            homes[last] = True
            last = before[last]
        return least, homes

    def cost(self, order: list[int], closed: bool) -> float:
        """Return what the way costs up to its last stop; if it is ``closed``, from there home as well."""
        return self.cheapest(order)[0] + (self.home[order[-1]] if closed else 0.0)

    def improved(self, order: list[int], closed: bool) -> list[int]:
        """Return an order that no such move makes cheaper, or as far as the effort goes."""
        least, tried = self.cost(order, closed), 0
        while tried < EFFORT:
            for new in moved(order):
                tried += len(order)
                cost = self.cost(new, closed)
                if cost < least * (1 - 1e-9):
                    order, least = new, cost
                    break
                if tried >= EFFORT:
                    break
            else:
                break
        return order


def moved(order: list[int]) -> Iterator[list[int]]:
    """Yield the orders with up to three stops put elsewhere, either way round, or more of them turned."""
    n = len(order)
    for start in range(n):
        for end in range(start + 1, n + 1):
            piece, rest = order[start:end], order[:start] + order[end:]
            for gap in range(len(rest) + 1) if len(piece) <= 3 else (start,):
                for turned in (piece, piece[::-1]):
                    yield rest[:gap] + turned + rest[gap:]


def ridden(reach: Reach, x: Points, counts: Order, planned: Mask | None = None) -> tuple[Values, Mask]:
    """Return what the legs cost in this order, and before which stops one goes home first.

    One does where that was planned, and where the trip would not last otherwise.
    """
    straight = straight_legs(reach, x)
    if reach.limits.trip is None:
        return straight, np.zeros(len(x), dtype=np.bool_)
    out, home, dwell = reach.ways_out(x), reach.ways_home(x), reach.dwell * counts
    legs, homes = straight.copy(), np.zeros(len(x), dtype=np.bool_)
    left, back = reach.trip_left, reach.restart
    for stop in range(len(x)):
        leg = straight[stop]
        wanted = planned is not None and bool(planned[stop])
        if back < math.inf and (wanted or leg + dwell[stop] + home[stop] > left):
            homes[stop], left, leg = True, reach.trip, out[stop]
            legs[stop] = back + leg
        left -= leg + dwell[stop]
        back = home[stop] + reach.limits.trip_cost
    return legs, homes


def cheapest_homes(reach: Reach, x: Points, counts: Order) -> Mask:
    """Return before which stops one goes home in this order: where it is cheapest, else where one must."""
    if reach.limits.trip is None or not len(x):
        return np.zeros(len(x), dtype=np.bool_)
    cost, homes = Trips.of(reach, x, counts).cheapest(range(len(x)))
    return homes if cost < math.inf else ridden(reach, x, counts)[1]


def straight_legs(reach: Reach, x: Points) -> Values:
    """Return what each stop costs from the one before, the first from where the traveller stands."""
    between = [float(priced(reach.travel, a[None, :], b[None, :])[0, 0]) for a, b in pairwise(x)]
    return np.concatenate([reach.legs(x[:1]), between])


def fit_a_trip(reach: Reach, x: Points, counts: Order) -> Order:
    """Return how many of the results wanted at each place fit into a trip of its own; 0 if none do."""
    if reach.limits.trip is None:
        return counts
    spare = reach.trip - reach.ways_out(x) - reach.ways_home(x)
    most = np.where(spare >= reach.dwell, counts, 0)
    if reach.dwell > 0:
        most = np.minimum(most, np.floor(np.maximum(spare, 0.0) / reach.dwell).astype(np.intp))
    return np.asarray(most)

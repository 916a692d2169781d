"""Which places of a batch can be paid for: kept in the order they were chosen, each where it costs least."""

from bisect import bisect_right
from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from attrs import evolve

from wayfare._core.arrays import Matrix, Order, Values
from wayfare.planning.reach import Reach
from wayfare.planning.trips import Trips
from wayfare.policy import Runs
from wayfare.travel import priced

Insertion: TypeAlias = Callable[[list[int], int, list[int]], tuple[float, int]]
"""Of a route, a further stop and the results at each: what the way home then costs, and the gap for it."""
TRIED = 5
"""With trips, in how many gaps of a route a stop is tried: those where it costs least without them."""


def affordable(reach: Reach, batch: Runs) -> tuple[Runs, Order]:
    """Return the part of a batch that can be paid, and an order in which it can.

    Each place is kept if a way through it and those kept before it, and then home, can be paid; of a run,
    as many results as can be.
    """
    insertion = straight(reach, batch) if reach.limits.trip is None else in_trips(reach, batch)
    route: list[int] = []
    counts = [0] * len(batch.places)
    for stop, wanted in enumerate(batch.counts.tolist()):
        counts[stop] = most(insertion, route, stop, counts, wanted, reach.left)
        if counts[stop]:
            route.insert(insertion(route, stop, counts)[1], stop)
    kept = sorted(route)
    order = np.searchsorted(kept, route).astype(np.intp)
    return Runs(batch.places[kept], [counts[stop] for stop in kept]), order


def most(insertion: Insertion, route: list[int], stop: int, counts: list[int], wanted: int, left: float) -> int:
    """Return how many of the results wanted at a stop can be paid."""

    def cost(count: int) -> float:
        return insertion(route, stop, [*counts[:stop], count, *counts[stop + 1 :]])[0]

    return bisect_right(range(1, wanted + 1), left, key=cost)


def straight(reach: Reach, batch: Runs) -> Insertion:
    """Return what insertions cost if one goes straight from stop to stop.

    With the results at as many stops in between as a leg must have where it is longer than a step.
    """
    x, here = batch.places, reach.position
    first, between, last = reach.legs(x), priced(reach.travel, x, x), reach.ways_home(x)
    if reach.steps is not None:
        between = between + reach.dwell * reach.steps.least(x, x)
        if here is not None:
            first = first + reach.dwell * reach.steps.least(here[None, :], x)[0]

    def insertion(route: list[int], stop: int, counts: list[int]) -> tuple[float, int]:
        added = insertion_costs(route, stop, first, between, last)
        gap = int(added.argmin())
        legs = sum(float(between[a, b]) for a, b in pairwise(route))
        ends = float(first[route[0]] + last[route[-1]]) if route else 0.0
        return ends + legs + float(added[gap]) + reach.dwell * sum(counts), gap

    return insertion


def in_trips(reach: Reach, batch: Runs) -> Insertion:
    """Return what insertions cost with visits home where they are cheapest."""
    known = Trips.of(reach, batch.places, batch.counts)
    first, between, last = (np.array(costs) for costs in (known.first, known.between, known.home))

    def insertion(route: list[int], stop: int, counts: list[int]) -> tuple[float, int]:
        trips = evolve(known, dwell=[reach.dwell * count for count in counts])
        added = insertion_costs(route, stop, first, between, last)
        costs = {}
        for gap in np.argsort(added, kind="stable")[:TRIED].tolist():
            way = [*route[:gap], stop, *route[gap:]]
            costs[gap] = trips.cost(way, closed=True) + sum(trips.dwell)
        gap = min(costs, key=lambda one: costs[one])
        return costs[gap], gap

    return insertion


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

"""A better version of a route: its costs made comparable, closed into a ring, and searched."""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from wayfare.arrays import Matrix, Order, Values
from wayfare.route.base import path_cost
from wayfare.route.directed import Directed
from wayfare.route.improve import Row, ThreeOpt
from wayfare.route.level import leveled, scaled
from wayfare.route.near import near_stops
from wayfare.route.ring import Ring
from wayfare.route.search import search

BOND = -9.0
"""Cost of the leg that ties end to start: so low that no move and no kick of unit costs cuts it."""

BOXED = 600
"""Up to here cost tables become lists of floats, which are read fastest; beyond they would fill memory."""


def refined(
    order: Order, first: Values, between: Matrix, last: Values | None, kicks: int, rng: Generator
) -> Order:
    """Return ``order`` after local search and ``kicks`` kicks; never a route that costs more."""
    costs = scaled(first, between, last)
    level = leveled(*costs)
    if level is not None:
        found = _search_both_ways(order, *level, kicks, rng)
    else:
        found = _search_directed(order, *costs, kicks, rng)
    # The search has scaled and levelled costs, which round; the promise is about those given.
    return min(order, found, key=lambda at: path_cost(at, first, between, last))


def _search_both_ways(
    order: Order, first: Values, between: Matrix, last: Values, kicks: int, rng: Generator
) -> Order:
    """Search a ring of the stops, the start ``n`` and the end ``n + 1``, which are tied together."""
    n = len(order)
    costs = np.full((n + 2, n + 2), np.inf)
    costs[:n, :n] = between
    costs[n, :n] = costs[:n, n] = first
    costs[n + 1, :n] = costs[:n, n + 1] = last
    np.fill_diagonal(costs, np.inf)
    near = near_stops(costs, n)
    costs[n, n + 1] = costs[n + 1, n] = BOND
    ring = Ring([n, *order.tolist(), n + 1])
    rows = _rows(costs)
    search(ring, rows, ThreeOpt(rows, near), kicks, rng)
    stops = ring.read(ring.where[n], n + 2)
    # The ring may have been turned around as a whole: then the end comes right after the start.
    return np.array(stops[1:-1] if stops[-1] == n + 1 else stops[:1:-1], dtype=np.intp)


def _search_directed(
    order: Order, first: Values, between: Matrix, last: Values, kicks: int, rng: Generator
) -> Order:
    """Search a ring of the stops and one depot ``n``, left at the first leg and reached at the last."""
    n = len(order)
    costs = np.full((n + 1, n + 1), np.inf)
    costs[:n, :n] = between
    costs[n, :n] = first
    costs[:n, n] = last
    np.fill_diagonal(costs, np.inf)
    # Only half of the near stops lie ahead on the route, so it takes twice as many.
    near = near_stops(costs, n, count=20)
    ring = Ring([n, *order.tolist()])
    rows = _rows(costs)
    search(ring, rows, Directed(rows, near), kicks, rng)
    return np.array(ring.stops[1:], dtype=np.intp)


def _rows(costs: Matrix) -> Sequence[Row]:
    """Return the rows in a form that plain Python reads fast."""
    if len(costs) <= BOXED:
        rows: list[list[float]] = costs.tolist()
        return rows
    return [array("d", row.tobytes()) for row in costs]

"""Iterated local search: shake a small part of the route, improve around it, keep what is no worse."""

from array import array
from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator

from wayfare._core.arrays import Matrix, Order, Values
from wayfare.route.base import path_cost
from wayfare.route.bounds import spanning_tree
from wayfare.route.level import leveled, scaled
from wayfare.route.moves import TINY, Directed, Ring, Row, ThreeOpt

Descent = Callable[[Ring, list[int]], float]
"""Improves a ring around the given stops and returns the gain."""

LONGEST = 30
"""Stops in each stretch that a kick moves: kicks are local, so mending them is quick."""
FOUR_LEGS = 4.0
"""A kick that costs more, with costs of at most 1, cut the bond of start and end: not worth mending."""


def search(ring: Ring, costs: Sequence[Row], descend: Descent, kicks: int, rng: Generator) -> None:
    """Improve the ring, then ``kicks`` times kick it and improve it where it was kicked.

    Bounded by kicks and never by time, so the same ``rng`` gives the same ring.
    """
    n = len(ring)
    descend(ring, rng.permutation(n).tolist())
    ring.keep()
    longest = min(LONGEST, (n - 1) // 3)
    if longest < 1:
        return
    lengths = rng.integers(1, longest + 1, size=(kicks, 3))
    starts = (rng.random(kicks) * (n - lengths.sum(axis=1))).astype(int)
    for start, (one, two, three) in zip(starts.tolist(), lengths.tolist(), strict=True):
        extra, ends = _kick(ring, costs, start, one, two, three)
        if extra > FOUR_LEGS or descend(ring, ends) < extra - TINY:
            ring.undo()
        else:
            ring.keep()


def _kick(ring: Ring, costs: Sequence[Row], start: int, one: int, two: int, three: int) -> tuple[float, list[int]]:
    """Turn ``a [b..c] [d..e] [f..g] h`` into ``a [f..g] [d..e] [b..c] h``; return the extra cost.

    This double bridge (Martin, Otto and Felten, 1991) changes four legs without turning anything
    around. One 3-opt move cannot take it back, so the search does not just return.
    """
    begin_two = start + 1 + one
    begin_three = begin_two + two
    after = begin_three + three
    stops, n = ring.stops, len(ring)
    a, b, c, d = stops[start], stops[start + 1], stops[begin_two - 1], stops[begin_two]
    e, f, g, h = stops[begin_three - 1], stops[begin_three], stops[after - 1], stops[after % n]
    new = costs[a][f] + costs[g][d] + costs[e][b] + costs[c][h]
    old = costs[a][b] + costs[c][d] + costs[e][f] + costs[g][h]
    ring.write(start + 1, stops[begin_three:after] + stops[begin_two:begin_three] + stops[start + 1 : begin_two])
    return new - old, [a, b, c, d, e, f, g, h]


# Which stops are worth trying next to each stop.


TREES = 2
"""One tree would leave some clusters a single way in; more than two changed nothing we could measure."""


def near_stops(costs: Matrix, n: int, count: int = 8) -> list[list[int]]:
    """Return for each row the ``count`` cheapest columns and its neighbours in trees, cheapest first.

    All the cheapest may lie in one cluster. The cheapest spanning tree adds the few long legs that
    join clusters; the next trees, which share no leg with those before, add the alternatives.
    Only the first ``n`` rows are stops: start and end, which follow, are near by price but join
    nothing, so they stay out of the trees. Infinite costs (as on the diagonal) are left out.
    """
    size = len(costs)
    count = min(count, size - 1)
    cheapest = np.argpartition(costs, count - 1, axis=1)[:, :count]
    codes = (np.arange(size)[:, None] * size + cheapest).ravel()
    if count < size - 1:
        either_way = np.minimum(costs[:n, :n], costs[:n, :n].T)
        for _ in range(TREES):
            one, other = spanning_tree(either_way)
            codes = np.concatenate([codes, one * size + other, other * size + one])
            either_way[one, other] = either_way[other, one] = np.inf
        codes = np.unique(codes)
    row, column = np.divmod(codes, size)
    cost = costs[row, column]
    ranked = np.lexsort((column, cost, row))
    ranked = ranked[np.isfinite(cost[ranked])]
    columns = column[ranked].tolist()
    ends = np.cumsum(np.bincount(row[ranked], minlength=size)).tolist()
    return [columns[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)]


# A better version of a route: its costs made comparable, closed into a ring, and searched.


BOND = -9.0
"""Cost of the leg that ties end to start: so low that no move and no kick of unit costs cuts it."""

BOXED = 600
"""Up to here cost tables become lists of floats, which are read fastest; beyond they would fill memory."""


def refined(order: Order, first: Values, between: Matrix, last: Values | None, kicks: int, rng: Generator) -> Order:
    """Return ``order`` after local search and ``kicks`` kicks; never a route that costs more."""
    costs = scaled(first, between, last)
    level = leveled(*costs)
    if level is not None:
        found = _search_both_ways(order, *level, kicks, rng)
    else:
        found = _search_directed(order, *costs, kicks, rng)
    # The search has scaled and levelled costs, which round; the promise is about those given.
    return min(order, found, key=lambda at: path_cost(at, first, between, last))


def _search_both_ways(order: Order, first: Values, between: Matrix, last: Values, kicks: int, rng: Generator) -> Order:
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


def _search_directed(order: Order, first: Values, between: Matrix, last: Values, kicks: int, rng: Generator) -> Order:
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

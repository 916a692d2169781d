"""The same search for stops that are points whose distances are the costs, without a table of them all.

Thousands of stops have millions of costs, of which the search reads some hundred per stop. So near stops come from a
k-d tree, a cost is computed when it is first read, and the rows that the cheapest spanning tree needs are dropped
once they are read: memory grows with the stops and not with their square.
"""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from wayfare._core.arrays import Order, Values, unique_rows
from wayfare.route.moves import Row
from wayfare.route.search import BOND, cheapest_first, search_tied, spanning_tree, walk_around
from wayfare.travel.embedding import Distance, Embedding, Point

NEAR = 6
"""Near stops of each, beside its edges of the tree: more take longer, fewer make routes longer."""


def short_order(first: Values, points: Embedding, last: Values | None, kicks: float, rng: Generator) -> Order:
    """Return the stops in the better of two orders: the search's, and that of the walk around their spanning tree.

    Equal points are visited in a row: else they would be the only near stops of each other.

    Args:
        first: cost of reaching each stop from the start.
        points: the stops.
        last: cost from each stop to the end, or None to end anywhere.
        kicks: how many per stop.
        rng: the only source of chance.
    """
    # 1. The distinct points.
    distinct, which = unique_rows(points.points)
    at, begin = Embedding(points.points[distinct], points.norm), first[distinct]
    end = None if last is None else last[distinct]
    # 2. The better order.
    tree = spanning_tree(at, int((begin if end is None else end).argmin()))
    walk = walk_around(tree, int(begin.argmin()))
    found = refined_among(walk, tree, begin, at, end, int(kicks * len(at)), rng)
    visits = min(walk, found, key=lambda order: order_cost(order, begin, at, end))
    # 3. Every stop at its point.
    return np.argsort(np.argsort(visits)[which], kind="stable")


def order_cost(order: Order, first: Values, points: Embedding, last: Values | None) -> float:
    """Return the cost of visiting the stops in this order."""
    end = 0.0 if last is None else float(last[order[-1]])
    return float(first[order[0]]) + float(points.pairs(order[:-1], order[1:]).sum()) + end


def refined_among(
    order: Order,
    tree: tuple[Order, Order],
    first: Values,
    points: Embedding,
    last: Values | None,
    kicks: int,
    rng: Generator,
) -> Order:
    """Return ``order`` after local search and ``kicks`` kicks.

    Args:
        order: the stops as they stand.
        tree: the edges of their cheapest spanning tree, which lead from cluster to cluster.
        first: cost of reaching each stop from the start.
        points: the stops.
        last: cost from each stop to the end, or None to end anywhere.
        kicks: how many.
        rng: the only source of chance.
    """
    # The search expects costs from 0 to 1.
    ends = [first - first.min(), np.zeros_like(first) if last is None else last - last.min()]
    top = max(points.extent, *(float(end.max()) for end in ends))
    if top > 0:
        ends, points = [end / top for end in ends], points * (1 / top)
    start, end = ends
    return search_tied(order, _rows(start, points, end), _near(tree, start, points, end), kicks, rng)


def _near(tree: tuple[Order, Order], start: Values, points: Embedding, end: Values) -> list[list[int]]:
    """Return the ``NEAR`` cheapest legs of each stop, of the start ``n`` and of the end ``n + 1``, and the tree's."""
    n = len(points)
    count = min(NEAR, n - 1)
    # 1. Of each stop: the nearest others, the start and the end; the cheapest of these, and its edges of the tree.
    found, costs = points.nearest(count)
    found = np.column_stack([found, np.full(n, n), np.full(n, n + 1)])
    costs = np.column_stack([costs, start, end])
    kept = np.argsort(costs, axis=1, kind="stable")[:, :count]
    one, other = tree
    rows = [np.repeat(np.arange(n), count), one, other]
    columns = [np.take_along_axis(found, kept, 1).ravel(), other, one]
    # 2. Of the start and the end: the stops that are cheapest to reach, or to end from.
    for end_row, legs in ((n, start), (n + 1, end)):
        rows.append(np.full(count, end_row))
        columns.append(np.argsort(legs, kind="stable")[:count])
    # 3. Each once, cheapest first.
    row, column = np.divmod(np.unique(np.concatenate(rows) * (n + 2) + np.concatenate(columns)), n + 2)
    stop, place = np.where(row < n, row, column), np.where(row < n, column, row)
    costs = np.where(place == n, start[stop], end[stop])
    among = place < n
    costs[among] = points.pairs(stop[among], place[among])
    return cheapest_first(n + 2, row, column, costs)


def _rows(start: Values, points: Embedding, end: Values) -> Sequence[Row]:
    """Return the costs from each stop, from the start ``n`` and from the end ``n + 1``."""
    n = len(points)
    stops: list[Point] = list(map(tuple, points.points.tolist()))
    rows = [_Costs(at, stops, points.distance) for at in stops]
    for row, to_start, to_end in zip(rows, start.tolist(), end.tolist(), strict=True):
        row[n], row[n + 1] = to_start, to_end
    return [*rows, [*start.tolist(), np.inf, BOND], [*end.tolist(), BOND, np.inf]]


class _Costs(dict[int, float]):
    """The costs from one stop to others, each computed when it is first read."""

    __slots__ = ("at", "distance", "stops")

    def __init__(self, at: Point, stops: Sequence[Point], distance: Distance) -> None:
        self.at, self.stops, self.distance = at, stops, distance

    def __missing__(self, other: int) -> float:
        cost = self[other] = self.distance(self.at, self.stops[other])
        return cost

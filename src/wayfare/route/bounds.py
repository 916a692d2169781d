"""What no route can beat: lower bounds, to judge routes whose optimum is unknown."""

import numpy as np

from wayfare._core.arrays import Matrix, Order, Values


def spanning_tree(costs: Matrix) -> tuple[Order, Order]:
    """Return the two ends of each edge of a cheapest tree joining all stops (Prim, 1957).

    ``costs`` must be symmetric; its diagonal is ignored.
    """
    n = len(costs)
    joined_to = np.zeros(n, dtype=np.intp)
    added = np.empty(max(n - 1, 0), dtype=np.intp)
    outside = np.ones(n, dtype=bool)
    reach = np.full(n, np.inf)
    newest = 0
    for k in range(n - 1):
        outside[newest] = False
        reach[newest] = np.inf
        closer = outside & (costs[newest] < reach)
        reach[closer] = costs[newest, closer]
        joined_to[closer] = newest
        newest = int(reach.argmin())
        added[k] = newest
    return joined_to[added], added


def spanning_tree_bound(first: Values, between: Matrix, last: Values | None = None) -> float:
    """Return a cost no route goes below: a route is a tree too, so the cheapest tree costs no more.

    Asymmetric costs are first lowered to the cheaper of both directions, which keeps the bound.
    """
    n = len(first)
    if n == 0:
        return 0.0
    both_ways = np.minimum(between, between.T)
    tree = both_ways[spanning_tree(both_ways)].sum()
    end = 0.0 if last is None else float(last.min())
    return float(first.min() + tree + end)


def range_bound(position: float | None, stops: Values) -> float:
    """Return the length of the shortest walk along a line through all ``stops``.

    From inside the range the shorter side is walked twice; with no ``position`` the walk
    starts at an end.
    """
    if len(stops) == 0:
        return 0.0
    low, high = float(stops.min()), float(stops.max())
    if position is None:
        return high - low
    return high - low + min(abs(position - low), abs(high - position))

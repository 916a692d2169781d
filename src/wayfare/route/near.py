"""Which stops are worth trying next to each stop."""

import numpy as np

from wayfare.arrays import Matrix
from wayfare.route.bounds import spanning_tree


def near_stops(costs: Matrix, count: int = 10) -> list[list[int]]:
    """Return for each row the ``count`` cheapest columns, cheapest first, and its neighbours in a tree.

    The cheapest spanning tree adds the few long legs that join clusters: without it, every near
    stop may lie in the same cluster. Infinite costs (as on the diagonal) are left out.
    """
    n = len(costs)
    count = min(count, n - 1)
    pairs = np.arange(n)[:, None] * n + np.argpartition(costs, count - 1, axis=1)[:, :count]
    codes = pairs.ravel()
    if count < n - 1:
        one, other = spanning_tree(np.minimum(costs, costs.T))
        codes = np.unique(np.concatenate([codes, one * n + other, other * n + one]))
    row, column = np.divmod(codes, n)
    cost = costs[row, column]
    ranked = np.lexsort((column, cost, row))
    ranked = ranked[np.isfinite(cost[ranked])]
    columns = column[ranked].tolist()
    ends = np.cumsum(np.bincount(row[ranked], minlength=n)).tolist()
    return [columns[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)]

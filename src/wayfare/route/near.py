"""Which stops are worth trying next to each stop."""

import numpy as np

from wayfare.arrays import Matrix
from wayfare.route.bounds import spanning_tree

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

"""Iterated local search: kick a small part of the route, improve around it, keep the result unless it is worse.

Costs are first made comparable (scaled to 1, and symmetric wherever that ranks all routes alike), and the route is
closed into a ring, so that its first and last legs are legs like all others.
"""

from array import array
from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator

from wayfare._core.arrays import Matrix, Order, Values
from wayfare._core.tolerance import COST_RTOL
from wayfare.route.base import path_cost
from wayfare.route.moves import MIN_GAIN, Directed, Ring, Row, ThreeOpt
from wayfare.travel.embedding import Embedding

Costs = tuple[Values, Matrix, Values]
"""First legs, legs between stops, last legs."""
Descent = Callable[[Ring, list[int]], float]
"""Improves a ring around the given stops and returns the gain."""

BOND = -9.0
"""Cost of the leg that ties end to start: so low that no move and no kick of unit costs cuts it."""
MAX_KICK_STOPS = 30
"""Stops in each stretch that a kick moves: kicks are local, so repairing them is quick."""
MAX_KICK_COST = 4.0
"""A kick changes four legs of at most 1: one that costs more has cut the bond of start and end."""
MAX_LIST_ROWS = 600
"""Up to this size cost tables become lists of floats, which are read fastest; beyond they would fill memory."""
TREES = 2
"""One tree would leave some clusters a single way in; more than two made no measurable difference."""


def refined(order: Order, first: Values, between: Matrix, last: Values | None, kicks: int, rng: Generator) -> Order:
    """Return ``order`` after local search and ``kicks`` kicks; never a route that costs more."""
    costs = scaled(first, between, last)
    level = leveled(*costs)
    found = _search_directed(order, *costs, kicks, rng) if level is None else _search_tied(order, *level, kicks, rng)
    # The search has scaled and levelled costs, which round; the promise is about those given.
    return min(order, found, key=lambda at: path_cost(at, first, between, last))


def scaled(first: Values, between: Matrix, last: Values | None) -> Costs:
    """Return costs from 0 to 1 that rank all routes alike.

    Every route pays at least the cheapest first leg and the cheapest last leg, so these are subtracted: a far start
    would drown the differences that matter.
    """
    end = np.zeros_like(first) if last is None else last
    first, end = first - first.min(), end - end.min()
    top = max(float(first.max()), float(between.max()), float(end.max()))
    return (first / top, between / top, end / top) if top > 0 else (first, between, end)


def leveled(first: Values, between: Matrix, last: Values) -> Costs | None:
    """Return symmetric costs that rank all routes alike, or None if there are none.

    Often the two directions of a leg differ by what each stop's "height" explains: the cost from i to j is level(i, j)
    + height(j) - height(i), as with a hill, a current, or a machine that heats slowly and cools fast. Over a route the
    climbs add up to height(last stop) - height(first stop), so they can be charged to the first and last leg, and the
    legs between are symmetric. Symmetric costs are returned as they are. Takes and returns costs from 0 to about 1.
    """
    height = (between[0] - between[:, 0]) / 2
    climb = height - height[:, None]
    level = between - climb
    if np.abs(level - level.T).max() > COST_RTOL:
        return None
    # Neither direction has a negative cost, so level >= |climb| >= 0 but for rounding.
    return scaled(first - height, np.maximum((level + level.T) / 2, 0.0), last + height)


def _search_tied(order: Order, first: Values, between: Matrix, last: Values, kicks: int, rng: Generator) -> Order:
    """Search a ring of the stops, the start ``n`` and the end ``n + 1``, which are tied together."""
    n = len(order)
    costs = tied_costs(first, between, last, np.inf)
    near = near_stops(costs, n)
    costs[n, n + 1] = costs[n + 1, n] = BOND
    return search_tied(order, _rows(costs), near, kicks, rng)


def search_tied(order: Order, rows: Sequence[Row], near: Sequence[Sequence[int]], kicks: int, rng: Generator) -> Order:
    """Return the order after a search of its ring; ``rows`` and ``near`` have the start and the end as well."""
    n = len(order)
    ring = Ring([n, *order.tolist(), n + 1])
    search(ring, rows, ThreeOpt(rows, near), kicks, rng)
    stops = ring.read(ring.where[n], n + 2)
    # The ring may have been turned around as a whole: then the end comes right after the start.
    return np.array(stops[1:-1] if stops[-1] == n + 1 else stops[:1:-1], dtype=np.intp)


def _search_directed(order: Order, first: Values, between: Matrix, last: Values, kicks: int, rng: Generator) -> Order:
    """Search a ring of the stops and one depot ``n``, left at the first leg and reached at the last."""
    n = len(order)
    costs = depot_costs(first, between, last, np.inf)
    # Only half of the near stops lie ahead on the route, so it takes twice as many.
    near = near_stops(costs, n, count=20)
    ring, rows = Ring([n, *order.tolist()]), _rows(costs)
    search(ring, rows, Directed(rows, near), kicks, rng)
    return np.array(ring.stops[1:], dtype=np.intp)


def tied_costs(first: Values, between: Matrix, last: Values, elsewhere: float) -> Matrix:
    """Return the costs of the stops, the start ``n`` and the end ``n + 1``; from each to itself, ``elsewhere``."""
    n = len(first)
    costs = np.full((n + 2, n + 2), elsewhere)
    costs[:n, :n] = between
    costs[n, :n] = costs[:n, n] = first
    costs[n + 1, :n] = costs[:n, n + 1] = last
    np.fill_diagonal(costs, elsewhere)
    return costs


def depot_costs(first: Values, between: Matrix, last: Values, elsewhere: float) -> Matrix:
    """Return the costs of the stops and the depot ``n``, which is start and end; from each to itself, ``elsewhere``."""
    costs = np.block([[between, last[:, None]], [first, elsewhere]])
    np.fill_diagonal(costs, elsewhere)
    return costs


def _rows(costs: Matrix) -> Sequence[Row]:
    """Return the rows in a form that plain Python reads fast."""
    rows: list[Row] = costs.tolist() if len(costs) <= MAX_LIST_ROWS else [array("d", row.tobytes()) for row in costs]
    return rows


def search(ring: Ring, costs: Sequence[Row], descend: Descent, kicks: int, rng: Generator) -> None:
    """Improve the ring, then ``kicks`` times kick it and improve it where it was kicked.

    Bounded by kicks and never by time, so the same ``rng`` gives the same ring.
    """
    n = len(ring)
    descend(ring, rng.permutation(n).tolist())
    ring.keep()
    longest = min(MAX_KICK_STOPS, (n - 1) // 3)
    if longest < 1:
        return
    lengths = rng.integers(1, longest + 1, size=(kicks, 3))
    starts = (rng.random(kicks) * (n - lengths.sum(axis=1))).astype(int)
    for start, (one, two, three) in zip(starts.tolist(), lengths.tolist(), strict=True):
        extra, ends = _kick(ring, costs, start, one, two, three)
        if extra > MAX_KICK_COST or descend(ring, ends) < extra - MIN_GAIN:
            ring.undo()
        else:
            ring.keep()


def _kick(ring: Ring, costs: Sequence[Row], start: int, one: int, two: int, three: int) -> tuple[float, list[int]]:
    """Turn ``a [b..c] [d..e] [f..g] h`` into ``a [f..g] [d..e] [b..c] h``; return the extra cost.

    This double bridge (Martin, Otto and Felten, 1991) changes four legs without turning any stretch around. One 3-opt
    move cannot take it back, so the search does not just return.
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


def near_stops(costs: Matrix, n: int, count: int = 8) -> list[list[int]]:
    """Return for each row the ``count`` cheapest columns and its neighbours in trees, cheapest first.

    All the cheapest may lie in one cluster. The cheapest spanning tree adds the few long legs that join clusters; the
    next trees, which share no leg with those before, add the alternatives. Only the first ``n`` rows are stops: start
    and end, which follow, are near by price but join no clusters, so they stay out of the trees. Infinite costs (as on
    the diagonal) are left out.
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
    finite = np.isfinite(cost)
    return cheapest_first(size, row[finite], column[finite], cost[finite])


def cheapest_first(size: int, row: Order, column: Order, cost: Values) -> list[list[int]]:
    """Return the columns of each of ``size`` rows, cheapest first."""
    ranked = np.lexsort((column, cost, row))
    columns = column[ranked].tolist()
    ends = np.cumsum(np.bincount(row, minlength=size)).tolist()
    return [columns[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)]


def tree_walk(first: Values, between: Matrix, last: Values | None) -> Order:
    """Return the stops in the order in which a walk around their cheapest spanning tree comes to them.

    Let no detour between stops, or from a stop to the end, be cheaper, and no leg cost more than ``a`` times its way
    back. Then this route costs at most ``1 + a`` times the shortest: twice if costs are symmetric (Rosenkrantz, Stearns
    and Lewis, 1977).

    The walk enters at the stop that is cheapest to reach, goes along every edge of the tree there and back, except for
    the edges towards the stop from which the end is cheapest: these it goes along once. An edge is priced both ways
    together, which is at most ``1 + a`` times one way. The shortest route is a tree of such edges too, and pays a first
    and a last leg as well.
    """
    if not len(first):
        return np.empty(0, dtype=np.intp)
    start = int(first.argmin())
    goal = start if last is None else int(last.argmin())
    return walk_around(spanning_tree(between / 2 + between.T / 2, goal), start)


def walk_around(tree: tuple[Order, Order], start: int) -> Order:
    """Return the stops in the order of a walk around a tree from ``start``, with the root in its last branch."""
    towards_goal, added = tree
    parent = [-1] * (len(added) + 1)
    branches: list[list[int]] = [[] for _ in parent]
    for near, far in zip(towards_goal.tolist(), added.tolist(), strict=True):
        parent[far] = near
        branches[near].append(far)
    order: list[int] = []
    done, at = -1, start
    while at != -1:
        # All of the tree around this stop, but for the branch walked already and the way on to the goal.
        ahead = [branch for branch in branches[at][::-1] if branch != done]
        order.append(at)
        while ahead:
            order.append(ahead.pop())
            ahead += branches[order[-1]][::-1]
        done, at = at, parent[at]
    return np.array(order, dtype=np.intp)


def spanning_tree(costs: Matrix | Embedding, root: int = 0) -> tuple[Order, Order]:
    """Return the two ends of each edge of a cheapest tree joining all stops, the end nearer the root first.

    ``costs`` must be symmetric; its diagonal is ignored (Prim, 1957). Each of its rows is read once.
    """
    n = len(costs)
    joined_to = np.zeros(n, dtype=np.intp)
    added = np.empty(max(n - 1, 0), dtype=np.intp)
    outside = np.ones(n, dtype=bool)
    reach = np.full(n, np.inf)
    newest = root
    for k in range(n - 1):
        outside[newest] = False
        reach[newest] = np.inf
        from_newest = costs[newest]
        closer = outside & (from_newest < reach)
        reach[closer] = from_newest[closer]
        joined_to[closer] = newest
        newest = int(reach.argmin())
        added[k] = newest
    return joined_to[added], added

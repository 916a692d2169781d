"""More effort for large tables: the fast-tsp solver, finished and checked at exact costs."""

from types import ModuleType

import numpy as np
from attrs import field, frozen
from attrs.validators import ge, gt
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core.arrays import Matrix, Order, Values
from wayfare.errors import InvalidInput
from wayfare.route.base import check_costs, path_cost
from wayfare.route.level import leveled, scaled
from wayfare.route.planner import ShortRoute
from wayfare.route.search import refined

LARGEST = 65_535
"""fast-tsp computes with 16-bit integers."""


@frozen
class FastTsp:
    """The better of ``ShortRoute`` and ``seconds`` of fast-tsp.

    fast-tsp rounds costs to 16-bit integers, so its route is improved further at exact costs. It
    is bounded by time and draws its own random numbers: **the same input may give another
    route**. Needs ``pip install 'wayfare[route]'``.
    """

    seconds: float = field(default=10.0, validator=gt(0))
    kicks: int = field(default=2, validator=ge(0))

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return the stops in the better of both orders."""
        n = check_costs(first, between, last)
        solver = _fast_tsp()
        ours_rng, finish_rng = rng.spawn(2)
        ours = ShortRoute(kicks=self.kicks).order(first, between, last, ours_rng)
        if n <= ShortRoute().exact_to:
            return ours
        costs = scaled(first, between, last)
        level = leveled(*costs)
        if level is not None:
            tour = solver.find_tour(_tied(*level), self.seconds)
            theirs = _between(tour, n, n + 1)
        else:
            tour = solver.find_tour(_doubled(*costs), self.seconds)
            theirs = _between(tour, n, 2 * n + 1)[1::2]
        candidates = [ours]
        # fast-tsp promises no ring in particular: one that parts end from start is no route.
        if np.array_equal(np.sort(theirs), np.arange(n)):
            candidates.append(refined(theirs, first, between, last, 0, finish_rng))
        return min(candidates, key=lambda at: path_cost(at, first, between, last))


def _fast_tsp() -> ModuleType:
    try:
        import fast_tsp
    except ImportError as error:
        raise InvalidInput("effort='high' needs the fast-tsp solver: pip install 'wayfare[route]'") from error
    module: ModuleType = fast_tsp
    return module


def _tied(first: Values, between: Matrix, last: Values) -> NDArray[np.uint16]:
    """Return symmetric costs of the stops, the start ``n`` and the end ``n + 1``, tied by a free leg."""
    n = len(first)
    costs = np.zeros((n + 2, n + 2))
    costs[:n, :n] = between
    # A ring that parts start from end has four of these legs and not two: 2 more in all.
    costs[n, :n] = costs[:n, n] = first + 1
    costs[n + 1, :n] = costs[:n, n + 1] = last + 1
    return _whole(costs)


def _doubled(first: Values, between: Matrix, last: Values) -> NDArray[np.uint16]:
    """Return symmetric costs of two copies of each stop and of the depot ``n``.

    A traveller leaves from the first copy and arrives at the second, ``n + 1`` further, and goes
    from one to the other for free; two copies of the same kind have no business together.
    """
    n = len(first)
    leave, arrive = slice(None, n + 1), slice(n + 1, None)
    one_way = np.ones((n + 1, n + 1))
    one_way[:n, :n] += between
    one_way[n, :n] += first
    one_way[:n, n] += last
    np.fill_diagonal(one_way, 0.0)
    costs = np.full((2 * n + 2, 2 * n + 2), 3.0)
    costs[leave, arrive] = one_way
    costs[arrive, leave] = one_way.T
    return _whole(costs)


def _whole(costs: Matrix) -> NDArray[np.uint16]:
    np.fill_diagonal(costs, 0.0)
    whole: NDArray[np.uint16] = np.rint(costs * (LARGEST / costs.max())).astype(np.uint16)
    return whole


def _between(tour: list[int], start: int, end: int) -> Order:
    """Return the ring read from ``start`` on, in the direction that comes to ``end`` last."""
    at = tour.index(start)
    stops = tour[at + 1 :] + tour[:at]
    if stops[0] == end:
        stops.reverse()
    return np.array(stops[:-1], dtype=np.intp)

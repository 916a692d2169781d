"""``Nearby``: the cost between two cells of a large map, searched for around them and proven there."""

from collections.abc import Callable
from functools import cached_property, lru_cache

import numpy as np
from attrs import frozen

from wayfare.arrays import Order, Values
from wayfare.travel.landmarks import Landmarks
from wayfare.travel.ways import Ways

AROUND = (0.1, 0.5)
"""How far the first window and the next reach beyond the two cells, as a share of how far they are apart."""
MORE = 4
"""How many cells they reach further than that."""
LARGEST = 1 / 8
"""The share of the map that a window may take; beyond, a search of the whole map is no slower."""
ROUNDING = 1e-9
"""How much cheaper than any way that leaves the window, in proportion, a way must be to count as shortest."""
KEPT = 2**16
"""How many costs are kept."""


@frozen(eq=False)
class Nearby:
    """The costs of single ways, to the last digit those of a search of the whole map."""

    ways: Ways

    @cached_property
    def cost(self) -> Callable[[int, int], float]:
        """What it costs to go from one cell to another, by their numbers; infinite if there is no way."""
        return lru_cache(maxsize=KEPT)(self._search)

    def _search(self, start: int, end: int) -> float:
        searches = self.ways.searches
        if searches.component[start] != searches.component[end]:
            return np.inf
        inside, limit = np.inf, 0.0
        for around in AROUND:
            window = self._window(start, end, around)
            if window.size > LARGEST * self.ways.rates.size:
                break
            # The shortest way costs no more than one inside. Where there is none, it leaves the window.
            inside, leaving = self._within(window, start, end, inside)
            if inside <= (1 - ROUNDING) * leaving:
                return inside
            limit = inside if inside < np.inf else 2 * leaving
        if limit:
            return searches.cost_within(start, end, limit)
        return float(searches.costs(np.array([start]), np.array([end]))[0, 0])

    def _window(self, start: int, end: int, around: float) -> Order:
        """Return the (rows, columns) numbers of the cells around both, -1 where one is blocked."""
        corners = np.sort(np.divmod(self.ways.places[[start, end]], self.ways.rates.shape[1]))
        more = int(around * np.diff(corners).max()) + MORE
        (top, bottom), (left, right) = corners
        return self.ways.number[
            max(0, top - more) : bottom + more + 1, max(0, left - more) : right + more + 1
        ]

    def _within(self, window: Order, start: int, end: int, limit: float) -> tuple[float, float]:
        """Return the cost of the shortest way in the window, and what all that leave it cost at least.

        Of both, infinity may stand for more than ``limit``.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        inside = window[window >= 0]
        steps = self.ways.searches.graph[inside]
        first = min(inside[0], steps.indices.min(initial=inside[0]))
        last = max(inside[-1], steps.indices.max(initial=inside[-1]))
        outside = len(inside)  # one node for all other cells, from which nothing leads on
        node = np.full(last - first + 1, outside, dtype=np.int32)
        node[inside - first] = np.arange(outside, dtype=np.int32)
        to = node[steps.indices - first]
        shape = outside + 1, outside + 1
        graph = csr_array((steps.data, to, np.append(steps.indptr, steps.nnz)), shape=shape)
        found = dijkstra(graph, indices=[int(node[start - first])], limit=limit)[0]
        cost = float(found[node[end - first]])
        exits = np.flatnonzero(to == outside)
        origin = np.searchsorted(steps.indptr, exits, side="right") - 1
        paid, onto = found[origin] + steps.data[exits], steps.indices[exits]
        return cost, self._leaving(paid, onto, end, cost)

    def _leaving(self, paid: Values, onto: Order, end: int, cost: float) -> float:
        """Return what ways cost at least that go on from these cells, for each of which so much was paid.

        A straight line at the least rate mostly proves that a way of ``cost`` is shorter; where it does not,
        landmarks may.
        """
        down, right = (self.ways.at(onto) - self.ways.at(np.array([end]))).T
        ahead = self._least * np.hypot(down, right)
        leaving = float((paid + ahead).min(initial=np.inf))
        if cost <= (1 - ROUNDING) * leaving:
            return leaving
        return float((paid + np.maximum(ahead, self._landmarks.at_least(onto, end))).min(initial=np.inf))

    @cached_property
    def _landmarks(self) -> Landmarks:
        return Landmarks(self.ways)

    @cached_property
    def _least(self) -> float:
        return float(self.ways.rates[self.ways.rates > 0].min())

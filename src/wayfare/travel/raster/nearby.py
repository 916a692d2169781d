"""The exact cost between two cells of a large map, searched for around them and proven there.

A plan prices a few single legs, and a search of a million cells for each takes too long. ``Landmarks`` bound
the cost of any path from below; ``Nearby`` uses them to show that no path outside its window is cheaper.
"""

from collections.abc import Callable
from functools import cached_property, lru_cache

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from wayfare._core.arrays import Matrix, Order, Values
from wayfare._core.tolerance import COST_RTOL
from wayfare.travel.raster.graph import CellGraph
from wayfare.travel.raster.search import Graph

MARGIN_SHARE = 0.1
"""How far the window reaches beyond the two cells, as a share of how far they are apart."""
MARGIN_CELLS = 4
"""How many cells it reaches further than that."""
LARGEST_WINDOW = 1 / 32
"""The share of the map that a window may take; beyond, most of what lies in it is far from any short path."""
FIRST_LIMIT = 1.05
"""The cost that a path of which nothing is known may have at first, times its lower bound."""
LIMIT_GROWTH = 1.2
"""By how much the limit grows if there is no path within it."""
KEPT_LEGS = 2**16
"""How many costs are kept."""
LANDMARKS = 4
"""Each takes a search of the whole map. Eight proved hardly more paths, and took twice as long."""
BLOCK_SIDE = 8
"""Landmarks take or leave cells in blocks of so many by so many."""


@frozen(eq=False)
class Nearby:
    """The costs of single legs, to the last digit those of a search of the whole map.

    A window around both cells mostly has the shortest path, and proves it. If it does not, the search goes
    on among the cells that landmarks cannot rule out.
    """

    graph: CellGraph

    @cached_property
    def cost(self) -> Callable[[int, int], float]:
        """The cost from one cell to another, by their numbers; infinite if there is no path."""
        return lru_cache(maxsize=KEPT_LEGS)(self._search)

    @cached_property
    def landmarks(self) -> "Landmarks":
        """Those of the map; they are searched for by the first leg that needs them, or by ``prepare``."""
        return Landmarks(self.graph)

    def _search(self, start: int, end: int) -> float:
        component = self.graph.searches.component
        if start == end:
            return 0.0
        if component[start] != component[end]:
            return np.inf
        # 1. In a window, if it is small. 2. Below a limit, among the cells that landmarks cannot rule out: the
        # cost of the path in the window or, without one, a guess that grows until a path costs less.
        limit = np.inf
        window = self._window(start, end)
        if window.size <= LARGEST_WINDOW * self.graph.cells.rates.size:
            limit, leaving = self._within(window[window >= 0], start, end)
            if limit <= (1 - COST_RTOL) * leaving:
                return limit
        if limit == np.inf:
            limit = FIRST_LIMIT * float(self._at_least(np.array([start]), end)[0])
        while (cost := self._among(start, end, limit)) > limit:
            limit = cost if cost < np.inf else LIMIT_GROWTH * limit
        return cost

    def _window(self, start: int, end: int) -> Order:
        """Return the (rows, columns) numbers of the cells around both, -1 where one is blocked."""
        corners = np.sort(self.graph.cells.grid_index(np.array([start, end])))
        more = int(MARGIN_SHARE * np.diff(corners).max()) + MARGIN_CELLS
        (top, bottom), (left, right) = corners
        rows, columns = slice(max(0, top - more), bottom + more + 1), slice(max(0, left - more), right + more + 1)
        return self.graph.cells.number[rows, columns]

    def _within(self, cells: Order, start: int, end: int) -> tuple[float, float]:
        """Return the cost of the shortest path over these cells, and a lower bound of one that leaves them."""
        found, steps, to = self._searched(cells, start)
        cost = float(found[np.searchsorted(cells, end)])
        exits = np.flatnonzero(to == len(cells))
        origin = np.searchsorted(steps.indptr, exits, side="right") - 1
        paid, onto = found[origin] + steps.data[exits], steps.indices[exits].astype(np.intp)
        # A straight line mostly proves it, and landmarks cost some searches once.
        leaving = float((paid + self._straight(onto, end)).min(initial=np.inf))
        if cost > (1 - COST_RTOL) * leaving:
            leaving = float((paid + self._at_least(onto, end)).min(initial=np.inf))
        return cost, leaving

    def _among(self, start: int, end: int, limit: float) -> float:
        """Return the cost of the shortest path if it is no more than ``limit``; else more than that."""
        cells = self.landmarks.between(start, end, (1 + COST_RTOL) * limit)
        return float(self._searched(cells, start)[0][np.searchsorted(cells, end)])

    def _searched(self, cells: Order, start: int) -> tuple[Values, Graph, NDArray[np.int32]]:
        """Return the costs from ``start`` over these cells, their steps, and to which of them each step leads.

        Steps that lead elsewhere all lead to one more, which nothing leads on from.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        steps, n = self.graph.searches.graph[cells], len(cells)
        first = min(cells[0], steps.indices.min(initial=cells[0]))
        last = max(cells[-1], steps.indices.max(initial=cells[-1]))
        node = np.full(last - first + 1, n, dtype=np.int32)
        node[cells - first] = np.arange(n, dtype=np.int32)
        to = node[steps.indices - first]
        graph = csr_array((steps.data, to, np.append(steps.indptr, steps.nnz)), shape=(n + 1, n + 1))
        return dijkstra(graph, indices=[int(np.searchsorted(cells, start))])[0], steps, to

    def _at_least(self, cells: Order, end: int) -> Values:
        """Return a lower bound of the costs from these cells to ``end``."""
        return np.maximum(self._straight(cells, end), self.landmarks.at_least(cells, end))

    def _straight(self, cells: Order, end: int) -> Values:
        """Return the costs of straight lines from these cells to ``end``, at the least rate of the map."""
        offsets = self.graph.cells.offsets
        return np.asarray(self._least_rate * np.hypot(*(offsets(cells) - offsets(np.array([end]))).T))

    @cached_property
    def _least_rate(self) -> float:
        return float(self.graph.cells.rates[self.graph.cells.rates > 0].min())


@frozen(eq=False)
class Landmarks:
    """Lower bounds of costs, from the exact costs between a few cells far from each other and every cell.

    A path between two cells costs at least by how much a landmark is farther from one than from the other
    (the triangle inequality; Goldberg and Harrelson 2005). Unlike a straight line at the least rate, this
    knows of hard ground and of detours.
    """

    graph: CellGraph

    def prepare(self) -> None:
        """Do now what the first question would wait for: a search for each, and one to find the first."""
        self._blocks_at_least(0)

    def at_least(self, cells: Order, end: int) -> Values:
        """Return a lower bound of the costs from these cells to ``end``, if there is a path at all."""
        return np.asarray(np.abs(self._costs[:, cells] - self._costs[:, [end]]).max(axis=0, initial=0.0))

    def between(self, start: int, end: int, limit: float) -> Order:
        """Return all cells that a path from ``start`` to ``end`` of at most this cost may pass, and more."""
        kept = np.flatnonzero(self._blocks_at_least(start) + self._blocks_at_least(end) <= limit)
        by_block, begin = self._blocks
        size = np.diff(begin)[kept]
        within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        return np.sort(by_block[np.repeat(begin[kept], size) + within])

    def _blocks_at_least(self, cell: int) -> Values:
        """(blocks,): a lower bound of the costs from a cell to any cell of each block."""
        (low, high), here = self._range, self._costs[:, [cell]]
        return np.asarray(np.maximum(low - here, here - high).max(axis=0, initial=0.0))

    @cached_property
    def _costs(self) -> Matrix:
        """(landmarks, cells): the costs between them; 0 if there is no path, which bounds nothing."""
        joined = self.graph.searches.component == self.graph.searches.largest
        far = self._from(int(joined.argmax()))
        fields: list[Values] = []
        for _ in range(LANDMARKS):
            # The cell farthest from all landmarks so far; the first, from the first cell of the map.
            field = self._from(int(np.where(joined, far, -1.0).argmax()))
            far = np.minimum(far, field) if fields else field
            fields.append(np.where(joined, field, 0.0))
        return np.array(fields)

    def _from(self, cell: int) -> Values:
        from scipy.sparse.csgraph import dijkstra

        return np.asarray(dijkstra(self.graph.searches.graph, indices=[cell])[0])

    @cached_property
    def _range(self) -> tuple[Matrix, Matrix]:
        """(landmarks, blocks): the least and the largest cost to a cell of each block."""
        by_block, begin = self._blocks
        costs = self._costs[:, by_block]
        return np.minimum.reduceat(costs, begin[:-1], axis=1), np.maximum.reduceat(costs, begin[:-1], axis=1)

    @cached_property
    def _blocks(self) -> tuple[Order, Order]:
        """(cells,): their numbers, block by block. (blocks + 1,): where each block begins in it, and the end."""
        row, column = self.graph.cells.grid_index()
        block = row // BLOCK_SIDE * self.graph.cells.rates.shape[1] + column // BLOCK_SIDE
        by_block = np.argsort(block, kind="stable")
        begin = np.flatnonzero(np.diff(block[by_block], prepend=-1))
        return by_block, np.append(begin, len(block))

"""``Nearby``: the cost between two cells of a large map, searched for around them and proven there."""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from wayfare._core.arrays import Matrix, Order, Values
from wayfare.travel.raster.search import Ways

if TYPE_CHECKING:
    from scipy.sparse import csr_array


# ``Landmarks``: how much any way over a map costs at least, told by a few whole searches.


HOW_MANY = 4
"""Each takes a search of the whole map. Eight proved hardly more ways, and took twice as long."""
BLOCK = 8
"""Cells are taken or left in blocks of so many by so many."""


@frozen(eq=False)
class Landmarks:
    """Cells far from each other, and what it costs to get from each to every cell.

    A way between two cells costs at least by how much a landmark is farther from one than from the other.
    That knows of hard ground and of detours, where a straight line at the least rate does not. What they
    tell is worked out by the first question, or before it by ``prepare``.
    """

    ways: Ways

    def prepare(self) -> None:
        """Do now what the first question would wait for: a search for each, and one to find the first."""
        self._blocks_at_least(0)

    def at_least(self, cells: Order, end: int) -> Values:
        """Return what going on from these cells to ``end`` costs at least, if there is a way at all."""
        bounds: Values = np.abs(self._costs[:, cells] - self._costs[:, [end]]).max(axis=0, initial=0.0)
        return bounds

    def between(self, start: int, end: int, limit: float) -> Order:
        """Return all cells that a way from ``start`` to ``end`` of at most this cost may pass, and more."""
        least = self._blocks_at_least(start) + self._blocks_at_least(end)
        kept = np.flatnonzero(least <= limit)
        begin, size = self._begin[kept], np.diff(self._begin)[kept]
        within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        return np.sort(self._by_block[np.repeat(begin, size) + within])

    def _blocks_at_least(self, cell: int) -> Values:
        """(blocks,): what it costs at least to get from a cell to any cell of each block."""
        (low, high), here = self._range, self._costs[:, [cell]]
        bounds: Values = np.maximum(low - here, here - high).max(axis=0, initial=0.0)
        return bounds

    @cached_property
    def _costs(self) -> Matrix:
        """(landmarks, cells): what it costs to get there; 0 where there is no way, which says nothing."""
        component = self.ways.searches.component
        joined = component == np.bincount(component).argmax()
        far = self._from(int(joined.argmax()))
        fields: list[Values] = []
        for _ in range(HOW_MANY):
            # The cell farthest from all landmarks so far; the first, from the first cell of the map.
            field = self._from(int(np.where(joined, far, -1.0).argmax()))
            far = np.minimum(far, field) if fields else field
            fields.append(np.where(joined, field, 0.0))
        return np.array(fields)

    def _from(self, cell: int) -> Values:
        from scipy.sparse.csgraph import dijkstra

        costs: Values = dijkstra(self.ways.searches.graph, indices=[cell])[0]
        return costs

    @cached_property
    def _range(self) -> tuple[Matrix, Matrix]:
        """(landmarks, blocks): the least and the most that it costs to get to a cell of each block."""
        costs, begin = self._costs[:, self._by_block], self._begin[:-1]
        return np.minimum.reduceat(costs, begin, axis=1), np.maximum.reduceat(costs, begin, axis=1)

    @cached_property
    def _by_block(self) -> Order:
        """(cells,): their numbers, block by block."""
        return np.argsort(self._block, kind="stable")

    @cached_property
    def _begin(self) -> Order:
        """(blocks + 1,): where the cells of each begin in ``_by_block``, and where the last ones end."""
        block = self._block[self._by_block]
        return np.concatenate([[0], np.flatnonzero(np.diff(block)) + 1, [len(block)]])

    @cached_property
    def _block(self) -> Order:
        """(cells,): the block of each."""
        row, column = np.divmod(self.ways.places, self.ways.rates.shape[1])
        return np.asarray(row // BLOCK * self.ways.rates.shape[1] + column // BLOCK)


AROUND = 0.1
"""How far the window reaches beyond the two cells, as a share of how far they are apart."""
MORE = 4
"""How many cells it reaches further than that."""
LARGEST = 1 / 32
"""The share of the map that a window may take; beyond, most of what lies in it is far from any short way."""
HOPE = 1.05
"""What a way of which nothing is known may cost at first, beside what it costs at least."""
FURTHER = 1.2
"""How many times more it may cost if there is none."""
ROUNDING = 1e-9
"""How much cheaper than any way that leaves the window, in proportion, a way must be to count as shortest."""
KEPT = 2**16
"""How many costs are kept."""


@frozen(eq=False)
class Nearby:
    """The costs of single ways, to the last digit those of a search of the whole map.

    A window around both cells mostly has the shortest way, and proves it. Where it does not, the search goes
    on among the cells that landmarks cannot rule out.
    """

    ways: Ways

    @cached_property
    def cost(self) -> Callable[[int, int], float]:
        """What it costs to go from one cell to another, by their numbers; infinite if there is no way."""
        return lru_cache(maxsize=KEPT)(self._search)

    def prepare(self) -> None:
        """Search for the landmarks now, not with the first way that no window proves."""
        self._landmarks.prepare()

    def _search(self, start: int, end: int) -> float:
        component = self.ways.searches.component
        if start == end:
            return 0.0
        if component[start] != component[end]:
            return np.inf
        limit = np.inf
        window = self._window(start, end)
        if window.size <= LARGEST * self.ways.rates.size:
            limit, leaving = self._within(window[window >= 0], start, end)
            if limit <= (1 - ROUNDING) * leaving:
                return limit
        if limit == np.inf:
            limit = HOPE * float(self._at_least(np.array([start]), end)[0])
        while (cost := self._among(start, end, limit)) > limit:
            limit = cost if cost < np.inf else FURTHER * limit
        return cost

    def _window(self, start: int, end: int) -> Order:
        """Return the (rows, columns) numbers of the cells around both, -1 where one is blocked."""
        corners = np.sort(np.divmod(self.ways.places[[start, end]], self.ways.rates.shape[1]))
        more = int(AROUND * np.diff(corners).max()) + MORE
        (top, bottom), (left, right) = corners
        return self.ways.number[max(0, top - more) : bottom + more + 1, max(0, left - more) : right + more + 1]

    def _within(self, cells: Order, start: int, end: int) -> tuple[float, float]:
        """Return the cost of the shortest way over these cells, and the least that one leaving them costs."""
        steps, to = self._steps(cells)
        here, there = np.searchsorted(cells, [start, end]).tolist()
        found = _searched(steps, to, here)
        cost = float(found[there])
        exits = np.flatnonzero(to == len(cells))
        origin = np.searchsorted(steps.indptr, exits, side="right") - 1
        paid, onto = found[origin] + steps.data[exits], steps.indices[exits].astype(np.intp)
        # A straight line mostly proves it, and landmarks cost some searches once.
        leaving = float((paid + self._straight(onto, end)).min(initial=np.inf))
        if cost > (1 - ROUNDING) * leaving:
            leaving = float((paid + self._at_least(onto, end)).min(initial=np.inf))
        return cost, leaving

    def _among(self, start: int, end: int, limit: float) -> float:
        """Return the cost of the shortest way if it is no more than ``limit``; else more than that."""
        cells = self._landmarks.between(start, end, (1 + ROUNDING) * limit)
        here, there = np.searchsorted(cells, [start, end]).tolist()
        return float(_searched(*self._steps(cells), here)[there])

    def _steps(self, cells: Order) -> tuple["csr_array[Any]", NDArray[np.int32]]:
        """Return the steps from these cells, and to which of them each leads, by its place among them.

        Those that lead elsewhere all lead to one more, which nothing leads on from.
        """
        steps = self.ways.searches.graph[cells]
        first = min(cells[0], steps.indices.min(initial=cells[0]))
        last = max(cells[-1], steps.indices.max(initial=cells[-1]))
        node = np.full(last - first + 1, len(cells), dtype=np.int32)
        node[cells - first] = np.arange(len(cells), dtype=np.int32)
        return steps, node[steps.indices - first]

    def _at_least(self, cells: Order, end: int) -> Values:
        """Return what going on from these cells costs at least."""
        return np.maximum(self._straight(cells, end), self._landmarks.at_least(cells, end))

    def _straight(self, cells: Order, end: int) -> Values:
        """Return what a straight line from these cells costs at the least rate of the map."""
        down, right = (self.ways.at(cells) - self.ways.at(np.array([end]))).T
        costs: Values = self._least * np.hypot(down, right)
        return costs

    @cached_property
    def _landmarks(self) -> Landmarks:
        return Landmarks(self.ways)

    @cached_property
    def _least(self) -> float:
        return float(self.ways.rates[self.ways.rates > 0].min())


def _searched(steps: "csr_array[Any]", to: NDArray[np.int32], start: int) -> Values:
    """Return what it costs to get from one of the cells to each, and to what lies beyond them."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    size = steps.shape[0] + 1
    graph = csr_array((steps.data, to, np.append(steps.indptr, steps.nnz)), shape=(size, size))
    costs: Values = dijkstra(graph, indices=[start])[0]
    return costs

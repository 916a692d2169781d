"""``Ways``: the shortest ways over a grid of cells, some of which cannot be entered."""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from wayfare.arrays import Matrix, Order, Values, read_only

if TYPE_CHECKING:
    from scipy.sparse import csr_array

KEPT = 2**23
"""How many costs are kept: fields of that many cells together, 64 MB."""
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Half of the eight neighbours, (rows, columns) away; the others are the same steps taken back."""


@frozen(eq=False)
class Ways:
    """Steps between neighbouring cells, diagonals included, and the shortest ways that they make.

    ``rates`` (rows, columns) is what a unit of way costs in each cell, 0 where it cannot be entered. Half of
    a step lies in each of its two cells. A diagonal step needs one of the two cells beside it to be open.
    The open cells are numbered row by row; ``width`` and ``height`` are the size of a cell.
    """

    rates: Matrix
    width: float
    height: float

    @cached_property
    def number(self) -> NDArray[np.intp]:
        """(rows, columns): the number of each cell, -1 where it is blocked."""
        is_open = self.rates > 0
        number = np.where(is_open, is_open.cumsum().reshape(is_open.shape) - 1, -1)
        number.flags.writeable = False
        return number

    @cached_property
    def component(self) -> Order:
        """(cells,): cells of the same component can reach each other."""
        from scipy.sparse.csgraph import connected_components

        return np.asarray(connected_components(self._graph)[1], dtype=np.intp)

    def costs(self, origins: Order, targets: Order) -> Matrix:
        """Return the (n, m) costs between cells, infinite where there is no way.

        One search per different origin or, where those are fewer, target; later calls reuse it. Which
        is searched from depends on what is asked alone, so the digits do, too.
        """
        starts, which = np.unique(origins, return_inverse=True)
        if len(starts) > len(np.unique(targets)):
            return self.costs(targets, origins).T
        rows = [self._field(int(start))[targets] for start in starts]
        return np.array(rows).reshape(len(starts), len(targets))[which]

    def path(self, origin: int, target: int) -> Order:
        """Return the cells of a shortest way, both ends included; empty if there is none."""
        from scipy.sparse.csgraph import dijkstra

        before = dijkstra(self._graph, indices=[origin], return_predecessors=True)[1][0]
        cells = [target]
        while cells[-1] != origin:
            if before[cells[-1]] < 0:
                return np.empty(0, dtype=np.intp)
            cells.append(int(before[cells[-1]]))
        return np.array(cells[::-1], dtype=np.intp)

    @cached_property
    def _field(self) -> Callable[[int], Values]:
        """What it costs to reach every cell from one."""
        from scipy.sparse.csgraph import dijkstra

        def field(origin: int) -> Values:
            return read_only(dijkstra(self._graph, indices=[origin])[0])

        return lru_cache(maxsize=max(1, KEPT // self._graph.shape[0]))(field)

    @cached_property
    def _graph(self) -> "csr_array[Any]":
        from scipy.sparse import coo_array

        steps = [self._steps(down, right) for down, right in STEPS]
        start, end, cost = (np.concatenate(parts) for parts in zip(*steps, strict=True))
        n = int(self.number.max()) + 1
        there = coo_array((cost, (start, end)), shape=(n, n)).tocsr()
        both: csr_array[Any] = there + there.T
        return both

    def _steps(self, down: int, right: int) -> tuple[Order, Order, Values]:
        """Return where all steps in one direction start and end, and what each costs."""
        rows, columns = self.rates.shape
        top, bottom = slice(0, rows - down), slice(down, rows)
        here = slice(max(0, -right), columns - max(0, right))
        there = slice(max(0, right), columns - max(0, -right))
        origin, target = self.rates[top, here], self.rates[bottom, there]
        is_open = (origin > 0) & (target > 0)
        if down and right:
            is_open &= (self.rates[top, there] > 0) | (self.rates[bottom, here] > 0)
        length = np.hypot(down * self.height, right * self.width)
        cost = length * (origin + target)[is_open] / 2
        return self.number[top, here][is_open], self.number[bottom, there][is_open], cost

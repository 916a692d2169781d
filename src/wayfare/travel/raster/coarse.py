"""Approximate costs between many cells of a large map at once, from a search over blocks of cells.

Ordering a hundred stops takes ten thousand costs, and a search of the whole map for each stop would make
every plan wait. On some thousand blocks a search takes half a millisecond.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from wayfare._core.arrays import Matrix, Order, Points, Values
from wayfare.travel.raster.graph import CellGraph
from wayfare.travel.raster.search import Graph

BLOCKS = 2500
"""Into how many blocks a map is divided."""


@frozen(eq=False)
class Coarse:
    """Blocks of cells, each parted where its cells cannot reach each other within it.

    A part lies at the middle of its cells and has their mean rate, and there is a step between two parts if
    there is one between their cells. So a wall of single cells is still a wall, and two cells have a path
    here if and only if they have one on the map.
    """

    graph: CellGraph

    def costs(self, origins: Order, targets: Order) -> Matrix:
        """Return the approximate (n, m) costs between cells by number, infinite if there is no path."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import dijkstra

        if len(origins) > len(targets):  # one search each, and there and back are the same
            return self.costs(targets, origins).T
        (begin, onto), (end, off) = self._near(origins), self._near(targets)
        parts, n, m = len(self._rates), len(origins), len(targets)
        # Nothing leads to an origin or on from a target, so no path is shorter for passing by another.
        steps = self._steps.tocoo()
        row = np.concatenate([steps.row, parts + begin, off])
        column = np.concatenate([steps.col, onto, parts + n + end])
        cost = np.concatenate([steps.data, self._straight(origins[begin], onto), self._straight(targets[end], off)])
        graph = coo_array((cost, (row, column)), shape=(parts + n + m, parts + n + m)).tocsr()
        costs: Matrix = dijkstra(graph, indices=parts + np.arange(n))[:, parts + n :]
        return np.minimum(costs, self._direct(origins, targets, begin, onto))

    def _near(self, cells: Order) -> tuple[Order, Order]:
        """Return pairs: which of the cells, and a part that is its own or next to that."""
        own = self._part[cells]
        beside = self._steps[own].tocoo()
        return np.concatenate([np.arange(len(cells)), beside.row]), np.concatenate([own, beside.col])

    def _straight(self, cells: Order, parts: Order) -> Values:
        """Return the cost from each cell straight to the middle of the part beside it."""
        return self._line(self.graph.cells.offsets(cells) - self._middles[parts], self._part[cells], parts)

    def _direct(self, origins: Order, targets: Order, begin: Order, onto: Order) -> Matrix:
        """Return the (n, m) costs straight to the targets in a part near the origin, infinite to others."""
        is_near = np.zeros((len(origins), len(self._rates)), dtype=bool)
        is_near[begin, onto] = True
        origin, target = np.nonzero(is_near[:, self._part[targets]])
        here, there, offsets = origins[origin], targets[target], self.graph.cells.offsets
        costs = np.full((len(origins), len(targets)), np.inf)
        costs[origin, target] = self._line(offsets(here) - offsets(there), self._part[here], self._part[there])
        return costs

    def _line(self, across: Points, one: NDArray[np.integer[Any]], other: NDArray[np.integer[Any]]) -> Values:
        """Return the costs of straight lines so far down and to the right, at the mean rate of two parts."""
        return np.asarray(np.hypot(*across.T) * (self._rates[one] + self._rates[other]) / 2)

    @cached_property
    def _part(self) -> NDArray[np.int32]:
        """(cells,): the part of each."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        rows, columns = self.graph.cells.rates.shape
        side = math.ceil(math.sqrt(rows * columns / BLOCKS))
        row, column = self.graph.cells.grid_index()
        block = (row // side * columns + column // side).astype(np.int32)
        # The graph less all steps from one block to another: its components are the parts.
        steps = self.graph.searches.graph
        within = np.repeat(block, np.diff(steps.indptr)) == block[steps.indices]
        kept = np.concatenate([[0], np.cumsum(within)])[steps.indptr]
        inner = csr_array((np.ones(kept[-1], dtype=np.int8), steps.indices[within], kept), shape=steps.shape)
        return connected_components(inner, directed=False)[1].astype(np.int32)

    @cached_property
    def _middles(self) -> Points:
        """(parts, 2): how far down and to the right each lies, in the unit of the cost."""
        sums = [np.bincount(self._part, along) for along in self.graph.cells.offsets().T]
        return np.column_stack(sums) / np.bincount(self._part)[:, None]

    @cached_property
    def _rates(self) -> Values:
        """(parts,): the mean cost of a unit of length in each."""
        rates = self.graph.cells.rates[self.graph.cells.grid_index()]
        return np.bincount(self._part, rates) / np.bincount(self._part)

    @cached_property
    def _steps(self) -> Graph:
        """The costs of the steps between the middles of parts."""
        from scipy.sparse import csr_array

        steps, parts = self.graph.searches.graph, len(self._rates)
        start, end = np.repeat(self._part, np.diff(steps.indptr)), self._part[steps.indices]
        between = start != end
        pairs = np.unique(start[between].astype(np.int64) * parts + end[between])
        row, column = np.divmod(pairs, parts)
        cost = self._line(self._middles[row] - self._middles[column], row, column)
        return csr_array((cost, (row, column)), shape=(parts, parts))

"""``Coarse``: a large map made small, for rough costs between many cells at once."""

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from wayfare._core.arrays import Matrix, Order, Points, Values
from wayfare.travel.raster.search import Ways

if TYPE_CHECKING:
    from scipy.sparse import csr_array


BLOCKS = 2500
"""Into how many blocks a map is divided: a search over them takes half a millisecond."""


@frozen(eq=False)
class Coarse:
    """Blocks of cells, each parted where its cells cannot reach each other within it.

    A part lies at the middle of its cells and has their mean rate, and there is a step between two parts
    where there is one between their cells. So a wall of single cells is still a wall, and two cells have a
    way here if and only if they have one on the map.
    """

    ways: Ways

    def costs(self, origins: Order, targets: Order) -> Matrix:
        """Return the rough (n, m) costs between cells by number, infinite where there is no way."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import dijkstra

        if len(origins) > len(targets):  # one search each, and there and back are the same
            return self.costs(targets, origins).T
        begin, onto = self._near(origins)
        end, off = self._near(targets)
        parts, n, m = len(self._rates), len(origins), len(targets)
        # Nothing leads to an origin or on from a target, so no way is shorter for passing by another.
        row = np.concatenate([self._steps.row, parts + begin, off])
        column = np.concatenate([self._steps.col, onto, parts + n + end])
        cost = np.concatenate(
            [self._steps.data, self._straight(origins[begin], onto), self._straight(targets[end], off)]
        )
        graph = coo_array((cost, (row, column)), shape=(parts + n + m, parts + n + m)).tocsr()
        costs: Matrix = dijkstra(graph, indices=parts + np.arange(n))[:, parts + n :]
        return np.minimum(costs, self._direct(origins, targets, begin, onto))

    def _near(self, cells: Order) -> tuple[Order, Order]:
        """Return pairs: which of the cells, and a part that is its own or next to that."""
        own = self._part[cells]
        beside = self._graph[own].tocoo()
        each = np.arange(len(cells))
        return np.concatenate([each, beside.row]), np.concatenate([own, beside.col])

    def _straight(self, cells: Order, parts: Order) -> Values:
        """Return the cost from each cell straight to the middle of the part beside it."""
        rate = (self._rates[self._part[cells]] + self._rates[parts]) / 2
        down, right = (self.ways.at(cells) - self._middles[parts]).T
        costs: Values = np.hypot(down, right) * rate
        return costs

    def _direct(self, origins: Order, targets: Order, begin: Order, onto: Order) -> Matrix:
        """Return the (n, m) costs straight to the targets in a part near the origin, infinite to others."""
        is_near = np.zeros((len(origins), len(self._rates)), dtype=bool)
        is_near[begin, onto] = True
        origin, target = np.nonzero(is_near[:, self._part[targets]])
        here, there = origins[origin], targets[target]
        rate = (self._rates[self._part[here]] + self._rates[self._part[there]]) / 2
        costs = np.full((len(origins), len(targets)), np.inf)
        costs[origin, target] = np.hypot(*(self.ways.at(here) - self.ways.at(there)).T) * rate
        return costs

    @cached_property
    def _part(self) -> NDArray[np.int32]:
        """(cells,): the part of each."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        rows, columns = self.ways.rates.shape
        side = math.ceil(math.sqrt(rows * columns / BLOCKS))
        row, column = np.divmod(self.ways.places, columns)
        block = (row // side * columns + column // side).astype(np.int32)
        steps = self.ways.searches.graph
        start = np.repeat(block, np.diff(steps.indptr))
        within = start == block[steps.indices]
        kept = np.concatenate([[0], np.cumsum(within)])[steps.indptr]
        inner = csr_array((np.ones(kept[-1], dtype=np.int8), steps.indices[within], kept), shape=steps.shape)
        return connected_components(inner, directed=False)[1].astype(np.int32)

    @cached_property
    def _middles(self) -> Points:
        """(parts, 2): how far down and to the right each lies."""
        size = np.bincount(self._part)
        sums = [np.bincount(self._part, along) for along in self.ways.at(np.arange(len(self._part))).T]
        return np.column_stack(sums) / size[:, None]

    @cached_property
    def _rates(self) -> Values:
        """(parts,): what a unit of way costs in each."""
        rates = self.ways.rates.ravel()[self.ways.places]
        return np.bincount(self._part, rates) / np.bincount(self._part)

    @cached_property
    def _graph(self) -> "csr_array[Any]":
        from scipy.sparse import csr_array

        steps, parts = self.ways.searches.graph, len(self._rates)
        start, end = np.repeat(self._part, np.diff(steps.indptr)), self._part[steps.indices]
        between = start != end
        pairs = np.unique(start[between].astype(np.int64) * parts + end[between])
        row, column = np.divmod(pairs, parts)
        far = np.hypot(*(self._middles[row] - self._middles[column]).T)
        cost = far * (self._rates[row] + self._rates[column]) / 2
        graph: csr_array[Any] = csr_array((cost, (row, column)), shape=(parts, parts))
        return graph

    @cached_property
    def _steps(self) -> Any:
        return self._graph.tocoo()

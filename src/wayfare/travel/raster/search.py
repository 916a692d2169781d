"""``Searches``: the shortest ways over a graph, each search kept for the questions to come."""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from wayfare._core.arrays import Matrix, Order, Points, Values, read_only
from wayfare.travel.raster.grid import STEPS, Moves, Offset, crossing

if TYPE_CHECKING:
    from scipy.sparse import csr_array


KEPT = 2**23
"""How many costs are kept: those of whole searches, 64 MB together; and as many that were asked for."""

ROUNDING = 1e-9
"""In proportion, how much dearer than it is known to be a way is looked for."""


@frozen(eq=False)
class Searches:
    """The shortest ways over ``graph``, whose entry (i, j) is the cost of the step from node i to node j.

    ``directed`` says whether the way back may cost something else.
    """

    graph: "csr_array[Any]"
    directed: bool = False
    _asked: "dict[tuple[int, bool], tuple[Order, Values]]" = field(factory=dict, init=False, repr=False)
    """By node and direction, the nodes that were asked about, in order, and what they cost."""

    def costs(self, origins: Order, targets: Order) -> Matrix:
        """Return the (n, m) costs between nodes, infinite where there is no way.

        One search per different origin or, where those are fewer, target; later calls reuse it. Which is
        searched from depends on what is asked alone, so the digits do, too.
        """
        if len(np.unique(origins)) > len(np.unique(targets)):
            return self._rows(targets, origins, self.directed).T
        return self._rows(origins, targets, False)

    def path(self, origin: int, target: int, cost: float = np.inf) -> Order:
        """Return the nodes of a shortest way, both ends included; empty if there is none.

        Much faster where it is known to ``cost`` little.
        """
        from scipy.sparse.csgraph import dijkstra

        limit = cost * (1 + ROUNDING)
        before = dijkstra(self.graph, indices=[origin], return_predecessors=True, limit=limit)[1][0]
        nodes = [target]
        while nodes[-1] != origin:
            if before[nodes[-1]] < 0:
                return np.empty(0, dtype=np.intp)
            nodes.append(int(before[nodes[-1]]))
        return np.array(nodes[::-1], dtype=np.intp)

    @cached_property
    def component(self) -> Order:
        """(nodes,): nodes of the same component can reach each other, there and back."""
        from scipy.sparse.csgraph import connected_components

        parts = connected_components(self.graph, self.directed, connection="strong")[1]
        return np.asarray(parts, dtype=np.intp)

    def _rows(self, origins: Order, targets: Order, back: bool) -> Matrix:
        starts, which = np.unique(origins, return_inverse=True)
        rows = [self._row(int(start), targets, back) for start in starts]
        return np.array(rows).reshape(len(starts), len(targets))[which]

    def _row(self, node: int, targets: Order, back: bool) -> Values:
        """Return the costs between a node and some, without a search if these were asked for before.

        Of a large graph few whole searches can be kept. What was asked of each is a thousand times less.
        """
        if self.graph.shape[0] ** 2 <= KEPT:
            return self._found(node, back)[targets]
        known, costs = self._asked.get((node, back), (targets[:0], np.empty(0)))
        at = np.searchsorted(known, targets)
        if len(known) and np.array_equal(known[np.minimum(at, len(known) - 1)], targets):
            return costs[at]
        known = np.union1d(known, targets)
        found = self._found(node, back)
        self._keep(node, back, known, found[known])
        return found[targets]

    def _keep(self, node: int, back: bool, known: Order, costs: Values) -> None:
        self._asked[node, back] = known, costs
        spare = sum(len(row) for row, _ in list(self._asked.values())) - KEPT
        for key, (row, _) in list(self._asked.items()):  # the oldest first
            if spare <= 0 or key == (node, back):
                break
            self._asked.pop(key, None)
            spare -= len(row)

    @cached_property
    def _found(self) -> Callable[[int, bool], Values]:
        """What it costs to reach every node from one or, ``back``, to reach that one from every node."""
        from scipy.sparse.csgraph import dijkstra

        def found(node: int, back: bool) -> Values:
            return read_only(dijkstra(self._back if back else self.graph, indices=[node])[0])

        return lru_cache(maxsize=max(1, KEPT // self.graph.shape[0]))(found)

    @cached_property
    def _back(self) -> "csr_array[Any]":
        turned: csr_array[Any] = self.graph.T.tocsr()
        return turned


# ``Ways``: the steps over a grid of cells, some of which cannot be entered, as a graph to be searched.


@frozen(eq=False)
class Ways:
    """Steps from the middle of a cell to that of another, and the shortest ways that they make.

    ``rates`` (rows, columns) is what a unit of way costs in each cell, 0 where it cannot be entered. A step
    pays for its length in each cell that it passes through, all of which must be open; where it passes
    between four cells, one of the two that it touches must be open, too. The open cells are numbered row by
    row; ``width`` and ``height`` are the size of a cell.
    """

    rates: Matrix
    width: float
    height: float
    moves: Moves = "eight"

    @cached_property
    def number(self) -> NDArray[np.intp]:
        """(rows, columns): the number of each cell, -1 where it is blocked."""
        is_open = self.rates > 0
        number = np.where(is_open, is_open.cumsum().reshape(is_open.shape) - 1, -1)
        number.flags.writeable = False
        return number

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """(cells,): where each numbered cell is on the map, counted row by row."""
        return np.flatnonzero(self.rates > 0)

    def at(self, cells: Order) -> Points:
        """Return how far down and to the right of the first corner these cells are."""
        row, column = np.divmod(self.places[cells], self.rates.shape[1])
        return np.column_stack([row * self.height, column * self.width])

    @cached_property
    def searches(self) -> Searches:
        """The shortest ways between numbered cells."""
        return Searches(self._graph)

    @cached_property
    def nearest(self) -> tuple[NDArray[np.intp], Matrix]:
        """(rows, columns): the number of the open cell nearest to each, and how far it is."""
        from scipy.ndimage import distance_transform_edt

        far, (row, column) = distance_transform_edt(
            self.rates <= 0, sampling=(self.height, self.width), return_indices=True
        )
        return self.number[row, column], far

    @cached_property
    def _graph(self) -> "csr_array[Any]":
        from scipy.sparse import coo_array

        steps = [self._steps(step) for step in STEPS[self.moves]]
        start, end, cost = (np.concatenate(parts) for parts in zip(*steps, strict=True))
        n = int(self.number.max()) + 1
        # Half of the width of NumPy's own positions: a large map has millions of steps.
        start, end = start.astype(np.int32), end.astype(np.int32)
        there = np.concatenate([start, end]), np.concatenate([end, start])
        graph: csr_array[Any] = coo_array((np.concatenate([cost, cost]), there), shape=(n, n)).tocsr()
        return graph

    def _steps(self, step: Offset) -> tuple[Order, Order, Values]:
        """Return where all steps in one direction start and end, and what each costs."""
        down, right = step
        rows, columns = self.rates.shape
        high, wide = max(0, rows - down), max(0, columns - abs(right))
        first = max(0, -right)

        def seen(offset: Offset) -> tuple[slice, slice]:
            """Return the cells so far from those where the steps start."""
            left = first + offset[1]
            return slice(offset[0], offset[0] + high), slice(left, left + wide)

        passed = crossing(step)
        is_open = np.ones((high, wide), dtype=bool)
        for cell, _ in passed.cells:
            is_open &= self.rates[seen(cell)] > 0
        for one, other in passed.corners:
            is_open &= (self.rates[seen(one)] > 0) | (self.rates[seen(other)] > 0)
        rate = sum(share * self.rates[seen(cell)][is_open] for cell, share in passed.cells)
        cost: Values = np.hypot(down * self.height, right * self.width) * rate
        return self.number[seen((0, 0))][is_open], self.number[seen(step)][is_open], cost

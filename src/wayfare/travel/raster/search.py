"""Shortest paths over a graph by Dijkstra's algorithm, each search kept for later questions."""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from attrs import field, frozen

from wayfare._core.arrays import Matrix, Order, Values, read_only
from wayfare._core.tolerance import COST_RTOL

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Graph: TypeAlias = "csr_array[Any]"
KEPT_COSTS = 2**23
"""How many costs of whole searches are kept, 64 MB together; and as many more that were asked for."""


@frozen(eq=False)
class Searches:
    """The shortest paths over ``graph``, whose entry (i, j) is the cost of the step from node i to node j.

    ``directed`` says whether the way back may cost something else.
    """

    graph: Graph
    directed: bool = False
    _asked: "dict[tuple[int, bool], tuple[Order, Values]]" = field(factory=dict, init=False, repr=False)
    """By node and direction, the nodes that were asked about, sorted, and their costs."""

    def costs(self, origins: Order, targets: Order) -> Matrix:
        """Return the (n, m) costs between nodes, infinite if there is no path.

        One search per different origin or, if those are fewer, target; later calls reuse it. The question
        alone decides which, so the same question always has the same digits.
        """
        if len(np.unique(origins)) > len(np.unique(targets)):
            return self._rows(targets, origins, self.directed).T
        return self._rows(origins, targets, False)

    def path(self, origin: int, target: int, cost: float = np.inf) -> Order:
        """Return the nodes of a shortest path, both ends included; empty if there is none.

        Much faster if its ``cost`` is known, and small.
        """
        from scipy.sparse.csgraph import dijkstra

        limit = cost * (1 + COST_RTOL)
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

        return np.asarray(connected_components(self.graph, self.directed, connection="strong")[1], dtype=np.intp)

    @property
    def largest(self) -> int:
        """The component with the most nodes."""
        return int(np.bincount(self.component).argmax())

    def _rows(self, origins: Order, targets: Order, back: bool) -> Matrix:
        starts, which = np.unique(origins, return_inverse=True)
        rows = [self._row(int(start), targets, back) for start in starts]
        return np.array(rows).reshape(len(starts), len(targets))[which]

    def _row(self, node: int, targets: Order, back: bool) -> Values:
        """Return the costs between a node and some others, without a search if these were asked for before.

        Of a large graph few whole searches can be kept. The costs that were asked for are a thousand times fewer.
        """
        if self.graph.shape[0] ** 2 <= KEPT_COSTS:
            return self._from(node, back)[targets]
        known, costs = self._asked.get((node, back), (targets[:0], np.empty(0)))
        at = np.searchsorted(known, targets)
        if len(known) and np.array_equal(known[np.minimum(at, len(known) - 1)], targets):
            return costs[at]
        known = np.union1d(known, targets)
        found = self._from(node, back)
        self._asked[node, back] = known, found[known]
        spare = sum(len(row) for row, _ in list(self._asked.values())) - KEPT_COSTS
        for key, (row, _) in list(self._asked.items()):  # the oldest first
            if spare <= 0 or key == (node, back):
                break
            self._asked.pop(key, None)
            spare -= len(row)
        return found[targets]

    @cached_property
    def _from(self) -> Callable[[int, bool], Values]:
        """The costs from one node to every node or, ``back``, from every node to that one."""
        from scipy.sparse.csgraph import dijkstra

        @lru_cache(maxsize=max(1, KEPT_COSTS // self.graph.shape[0]))
        def costs(node: int, back: bool) -> Values:
            return read_only(dijkstra(self._reversed if back else self.graph, indices=[node])[0])

        return costs

    @cached_property
    def _reversed(self) -> Graph:
        return self.graph.T.tocsr()

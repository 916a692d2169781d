"""``Landmarks``: how much any way over a map costs at least, told by a few whole searches."""

from functools import cached_property

import numpy as np
from attrs import frozen

from wayfare.arrays import Matrix, Order, Values
from wayfare.travel.ways import Ways

HOW_MANY = 4
"""Each takes a search of the whole map, once. Eight proved hardly more ways, and took twice as long."""


@frozen(eq=False)
class Landmarks:
    """Cells far from each other, and what it costs to get from each to every cell.

    A way between two cells costs at least by how much a landmark is farther from one than from the other. That
    knows of hard ground and of detours, where a straight line at the least rate does not.
    """

    ways: Ways

    def at_least(self, cells: Order, end: int) -> Values:
        """Return what going on from these cells to ``end`` costs at least, if there is a way at all."""
        bounds: Values = np.abs(self._costs[cells] - self._costs[end]).max(axis=1, initial=0.0)
        return bounds

    @cached_property
    def _costs(self) -> Matrix:
        """(cells, landmarks): what it costs to get there; 0 where there is no way, which says nothing."""
        searches = self.ways.searches
        component = searches.component
        joined = component == np.bincount(component).argmax()
        far = self._from(int(joined.argmax()))
        fields = []
        for _ in range(HOW_MANY):
            # The cell farthest from all landmarks so far; the first, from the first cell of the map.
            field = self._from(int(np.where(joined, far, -1.0).argmax()))
            far = np.minimum(far, field) if fields else field
            fields.append(np.where(joined, field, 0.0))
        return np.column_stack(fields)

    def _from(self, cell: int) -> Values:
        from scipy.sparse.csgraph import dijkstra

        costs: Values = dijkstra(self.ways.searches.graph, indices=cell)
        return costs

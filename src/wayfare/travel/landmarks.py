"""``Landmarks``: how much any way over a map costs at least, told by a few whole searches."""

from functools import cached_property

import numpy as np
from attrs import frozen

from wayfare.arrays import Matrix, Order, Values
from wayfare.travel.ways import Ways

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

"""``Ways``: the steps over a grid of cells, some of which cannot be entered, as a graph to be searched."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from wayfare.arrays import Matrix, Order, Points, Values
from wayfare.travel.search import Searches
from wayfare.travel.steps import STEPS, Moves, Offset, crossing

if TYPE_CHECKING:
    from scipy.sparse import csr_array


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

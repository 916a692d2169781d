"""``Cells``: where x and y lie among the rows and columns of a map."""

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from wayfare.arrays import Mask, Order, Points
from wayfare.travel.grid import Snap
from wayfare.travel.ways import Ways

ROUNDING = 1e-9
"""What rounding may add to a distance, in proportion."""


@frozen(eq=False)
class Cells:
    """The cells of a map, with x at the middles of the first and last column, y at those of the rows.

    With ``snap`` a blocked cell counts as the open one nearest to it, if that is no further away.
    """

    ways: Ways
    columns: tuple[float, float]
    rows: tuple[float, float]
    snap: Snap

    def centres(self, cells: NDArray[np.intp] | Points) -> Points:
        """Return the (n, 2) x and y at the middle of each row and column."""
        (west, east), (top, bottom) = self.columns, self.rows
        down, right = (cells / self._steps).T
        return np.column_stack([west + right * (east - west), top + down * (bottom - top)])

    def spots(self, xy: Points) -> Points:
        """Return the row and column of each x and y, whole numbers at the middle of a cell."""
        (west, east), (top, bottom) = self.columns, self.rows
        return np.asarray((xy[:, ::-1] - [top, west]) / [bottom - top, east - west] * self._steps)

    def find(self, xy: Points) -> tuple[Order, Points]:
        """Return the number of the open cell at each x and y, -1 if there is none, and its row and column."""
        cells: Points = np.rint(self.spots(xy))
        on_map = self.has(cells)
        row, column = np.where(on_map[:, None], cells, 0).astype(np.intp).T
        if self.snap:
            number, far = self.ways.nearest
            near = on_map & (self.snap == "nearest" or far[row, column] <= self.snap * (1 + ROUNDING))
            return np.where(near, number[row, column], -1), cells
        return np.where(on_map, self.ways.number[row, column], -1), cells

    def has(self, cells: Points) -> Mask:
        """Return which of these rows and columns are on the map."""
        return np.asarray(np.all((cells >= 0) & (cells < self.ways.rates.shape), axis=1))

    def nearest(self, cell: Points) -> Points:
        """Return the (1, 2) x and y at the middle of the open cell nearest to this (1, 2) row and column."""
        row, column = cell.astype(np.intp).T
        place = self.ways.places[self.ways.nearest[0][row, column]]
        return self.centres(np.column_stack(np.divmod(place, self.ways.rates.shape[1])))

    @property
    def _steps(self) -> Order:
        """From the first row and column to the last."""
        return np.array(self.ways.rates.shape) - 1

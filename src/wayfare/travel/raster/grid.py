"""The cells of a map: which are open, how they are numbered, and which of them an x and y lies in.

All that a ``Raster`` is made of is checked here, once; searches then work with the numbers of open cells.
"""

from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from wayfare._core import checks
from wayfare._core.arrays import Mask, Matrix, Order, Points, read_only
from wayfare._core.tolerance import COST_RTOL
from wayfare.errors import InvalidInput

Snap: TypeAlias = float | Literal["nearest"]
"""How far a place may lie from the open cell that it counts in."""


@frozen(eq=False)
class Cells:
    """The cells of a map, of which the open ones are numbered row by row.

    Attributes:
        rates: (rows, columns) the cost of a unit of length in each cell, 0 where it is blocked.
        size: width and height of a cell, in the unit of the cost.
        columns: x at the middle of the first and of the last column.
        rows: y at the middle of the first and of the last row.
        snap: a blocked cell counts as the open one nearest to it, if that is no farther away than this.
    """

    rates: Matrix
    size: tuple[float, float]
    columns: tuple[float, float]
    rows: tuple[float, float]
    snap: Snap

    @cached_property
    def number(self) -> NDArray[np.intp]:
        """(rows, columns): the number of each cell, -1 where it is blocked."""
        is_open = self.rates > 0
        number = np.where(is_open, is_open.cumsum().reshape(is_open.shape) - 1, -1)
        number.flags.writeable = False
        return number

    @cached_property
    def _flat(self) -> Order:
        """(cells,): where each open cell is in the flattened grid."""
        return np.flatnonzero(self.rates > 0)

    def __len__(self) -> int:
        return len(self._flat)

    def grid_index(self, cells: Order | slice = slice(None)) -> tuple[Order, Order]:
        """Return the rows and the columns of these cells, by number; of all, if none are given."""
        row, column = np.divmod(self._flat[cells], self.rates.shape[1])
        return row, column

    def offsets(self, cells: Order | slice = slice(None)) -> Points:
        """Return how far down and to the right of the first cell these cells are, in the unit of the cost."""
        row, column = self.grid_index(cells)
        return np.column_stack([row * self.size[1], column * self.size[0]])

    def centres(self, cells: NDArray[np.intp] | Points) -> Points:
        """Return the (n, 2) x and y at the middle of each (n, 2) row and column."""
        (west, east), (top, bottom) = self.columns, self.rows
        down, right = (cells / self._last).T
        return np.column_stack([west + right * (east - west), top + down * (bottom - top)])

    def spots(self, xy: Points) -> Points:
        """Return the (n, 2) row and column of each x and y, whole numbers at the middle of a cell."""
        (west, east), (top, bottom) = self.columns, self.rows
        return np.asarray((xy[:, ::-1] - [top, west]) / [bottom - top, east - west] * self._last)

    @property
    def _last(self) -> Order:
        """The last row and column."""
        return np.array(self.rates.shape) - 1

    def find(self, xy: Points) -> tuple[Order, Points]:
        """Return the number of the open cell at each x and y, -1 if there is none, and its row and column."""
        cells: Points = np.rint(self.spots(xy))
        on_map = self.has(cells)
        row, column = np.where(on_map[:, None], cells, 0).astype(np.intp).T
        if not self.snap:
            return np.where(on_map, self.number[row, column], -1), cells
        number, far = self.nearest
        near = on_map & (self.snap == "nearest" or far[row, column] <= self.snap * (1 + COST_RTOL))
        return np.where(near, number[row, column], -1), cells

    def has(self, cells: Points) -> Mask:
        """Return which of these rows and columns are on the map."""
        return np.asarray(np.all((cells >= 0) & (cells < self.rates.shape), axis=1))

    @cached_property
    def nearest(self) -> tuple[NDArray[np.intp], Matrix]:
        """(rows, columns): the number of the open cell nearest to each, and how far it is."""
        from scipy.ndimage import distance_transform_edt

        far, (row, column) = distance_transform_edt(self.rates <= 0, sampling=self.size[::-1], return_indices=True)
        return self.number[row, column], far


def as_grid(grid: object) -> Matrix:
    """Return the rates of the cells, 0 where a cell is blocked."""
    try:
        rates = np.array(grid, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"the grid of a Raster must hold numbers in rows of one length: {error}") from error
    if rates.ndim != 2 or min(rates.shape) < 2:
        raise InvalidInput(f"the grid of a Raster must have 2 rows and 2 columns, got shape {rates.shape}")
    rates[np.isnan(rates) | np.isposinf(rates)] = 0.0
    if rates.min() < 0:
        row, column = np.argwhere(rates < 0)[0]
        raise InvalidInput(
            f"the grid of a Raster must not be negative, got {rates[row, column]} in row {row}, "
            f"column {column}; block a cell with 0"
        )
    if not rates.any():
        raise InvalidInput("the grid of a Raster has no open cell; open one with 1, or with its cost")
    return read_only(rates)


def as_columns(ends: object) -> tuple[float, float]:
    """Return x at the middle of the first and of the last column."""
    return _as_pair(ends, "columns", differ=True)


def as_rows(ends: object) -> tuple[float, float]:
    """Return y at the middle of the first and of the last row."""
    return _as_pair(ends, "rows", differ=True)


def as_size(size: object) -> tuple[float, float]:
    """Return the width and the height of a cell."""
    width, height = _as_pair(size, "cell")
    checks.positive(width, "the width of a Raster's cell")
    checks.positive(height, "the height of a Raster's cell")
    return width, height


def _as_pair(pair: object, what: str, differ: bool = False) -> tuple[float, float]:
    if not isinstance(pair, list | tuple | np.ndarray) or len(pair) != 2:
        raise InvalidInput(f"{what} of a Raster must be two numbers, got {pair!r}")
    first, last = (checks.number(one, f"{what} of a Raster") for one in pair)
    if differ and first == last:
        raise InvalidInput(f"{what} of a Raster must begin and end at different numbers, got {pair!r}")
    return first, last


def as_snap(snap: object) -> Snap:
    """Return how far places are moved to an open cell."""
    if isinstance(snap, str):
        if snap != "nearest":
            raise InvalidInput(f"snap of a Raster must be a distance or 'nearest', got {snap!r}")
        return "nearest"
    return checks.not_negative(snap, "snap of a Raster")

"""``Raster``: a map of cells that tells where the traveller can pass, and how hard it is."""

from functools import cached_property
from typing import Self

import numpy as np
from attrs import cmp_using, evolve, field, frozen
from numpy.typing import NDArray

from wayfare import door
from wayfare.arrays import Matrix, Order, Points, Values, read_only
from wayfare.errors import InvalidInput
from wayfare.rng import stream
from wayfare.space.base import AnySpace
from wayfare.travel.axes import AxisName, as_axis, columns_of, numeric_columns
from wayfare.travel.base import Cost, as_unit
from wayfare.travel.ways import Ways

MOST_PLACES = 1_000_000
SAMPLED = 256
"""Of a space with more places than the above, so many are looked up when the cost is bound."""


def _as_grid(grid: object) -> Matrix:
    try:
        rates = np.array(grid, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"the grid of a Raster must hold numbers in rows of one length: {error}"
        ) from error
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


def _as_pair(pair: object, what: str) -> tuple[float, float]:
    if not isinstance(pair, list | tuple | np.ndarray) or len(pair) != 2:
        raise InvalidInput(f"{what} of a Raster must be two numbers, got {pair!r}")
    return door.number(pair[0], f"{what} of a Raster"), door.number(pair[1], f"{what} of a Raster")


def _as_columns(ends: object) -> tuple[float, float]:
    return _as_ends(ends, "columns")


def _as_rows(ends: object) -> tuple[float, float]:
    return _as_ends(ends, "rows")


def _as_ends(ends: object, what: str) -> tuple[float, float]:
    first, last = _as_pair(ends, what)
    if first == last:
        raise InvalidInput(f"{what} of a Raster must begin and end at different numbers, got {ends!r}")
    return first, last


def _as_cell(size: object) -> tuple[float, float]:
    width, height = _as_pair(size, "cell")
    door.positive(width, "the width of a Raster's cell")
    door.positive(height, "the height of a Raster's cell")
    return width, height


@frozen
class Raster(Cost):
    """The shortest way over a map from cell to cell, diagonals included, around what cannot be passed.

    ``grid`` says of each cell what a unit of way costs in it: 1 or True for open ground, more where it is
    hard; 0, False, nan or inf where nobody can pass. Half of a step is paid at the rate of each of its cells,
    so the cost is symmetric, and a metric. No step squeezes diagonally between two blocked cells.

    ``x`` and ``y`` are the axes of the map: ``columns`` gives x at the middle of the first and of the last
    column, ``rows`` gives y at the middle of the first and of the last row, ``rows=(1, 0)`` for a picture
    whose top is north. Left out, they count from 0. ``cell`` is the width and height of a cell in the unit of
    the cost, by default in that of the axes. A place counts as the middle of its cell, and must lie in an
    open one.
    """

    grid: Matrix = field(converter=_as_grid, eq=cmp_using(eq=np.array_equal), hash=False, repr=False)
    x: AxisName = field(default=0, converter=as_axis)
    y: AxisName = field(default=1, converter=as_axis)
    columns: tuple[float, float] = field(converter=_as_columns, kw_only=True)
    rows: tuple[float, float] = field(converter=_as_rows, kw_only=True)
    cell: tuple[float, float] = field(converter=_as_cell, kw_only=True)
    unit: str = field(default="", converter=as_unit, kw_only=True)

    @columns.default
    def _all_columns(self) -> tuple[float, float]:
        return 0.0, self.grid.shape[1] - 1.0

    @rows.default
    def _all_rows(self) -> tuple[float, float]:
        return 0.0, self.grid.shape[0] - 1.0

    @cell.default
    def _as_on_the_axes(self) -> tuple[float, float]:
        (west, east), (top, bottom) = self.columns, self.rows
        rows, columns = self.grid.shape
        return abs(east - west) / (columns - 1), abs(bottom - top) / (rows - 1)

    @property
    def is_metric(self) -> bool:
        """True: there and back cost the same, and a shortest way has no shorter detour."""
        return True

    @cached_property
    def _ways(self) -> Ways:
        return Ways(self.grid, *self.cell)

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the columns of ``x`` and ``y``, if the map covers the places.

        Of infinitely many, a sample is looked up.
        """
        x, y = numeric_columns((self.x, self.y), space, "Raster")
        bound = evolve(self, x=x, y=y)
        places = space.everything(MOST_PLACES)
        bound._check_joined(space.sample(SAMPLED, stream(0, "raster")) if places is None else places)
        return bound

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs, refusing places off the map and those that cannot be reached.

        The first cost from a cell takes a search over the map; the next ones are looked up.
        """
        costs = self._ways.costs(self._numbers(origins), self._numbers(targets))
        if costs.size and costs.max() == np.inf:
            origin, target = np.argwhere(costs == np.inf)[0]
            raise self._no_way(origins[origin], targets[target])
        return costs

    def path(self, origin: Values, target: Values) -> NDArray[np.intp]:
        """Return the (k, 2) cells, as row and column, of a shortest way from one place to another."""
        start, end = self._numbers(np.array([origin, target]))
        numbers = self._ways.path(int(start), int(end))
        if not len(numbers):
            raise self._no_way(origin, target)
        return self.open_cells()[numbers]

    def open_cells(self) -> NDArray[np.intp]:
        """Return the (n, 2) cells that can be entered, as row and column."""
        return np.argwhere(self.grid > 0)

    def centres(self, cells: NDArray[np.intp]) -> Points:
        """Return the (n, 2) x and y at the middle of each cell."""
        (west, east), (top, bottom) = self.columns, self.rows
        down, right = (cells / (np.array(self.grid.shape) - 1)).T
        return np.column_stack([west + right * (east - west), top + down * (bottom - top)])

    def _numbers(self, x: Points) -> Order:
        """Return the number of each place's cell, or refuse the first place that has none."""
        (west, east), (top, bottom) = self.columns, self.rows
        shape = np.array(self.grid.shape)
        share = (x[:, columns_of((self.y, self.x))] - [top, west]) / [bottom - top, east - west]
        cells = np.rint(share * (shape - 1))
        on_map = ((cells >= 0) & (cells < shape)).all(axis=1)
        row, column = np.where(on_map[:, None], cells, 0).astype(np.intp).T
        numbers = np.where(on_map, self._ways.number[row, column], -1)
        if len(numbers) and numbers.min() < 0:
            at = int(np.argmin(numbers))
            where = (
                f"in the blocked cell of row {row[at]}, column {column[at]}" if on_map[at] else "off the map"
            )
            raise InvalidInput(
                f"the place {x[at].tolist()} is {where} of a Raster; leave it out of the space, "
                "or open the map there"
            )
        return numbers

    def _check_joined(self, x: Points) -> None:
        component = self._ways.component[self._numbers(x)]
        if len(x) and (apart := component != component[0]).any():
            raise self._no_way(x[0], x[int(np.argmax(apart))])

    def _no_way(self, origin: Values, target: Values) -> InvalidInput:
        return InvalidInput(
            f"there is no way from {origin.tolist()} to the place {target.tolist()} on a Raster; "
            "leave one out of the space, or open the map between them"
        )

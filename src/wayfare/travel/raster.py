"""``Raster``: a map of cells that tells where the traveller can pass, and how hard it is."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from attrs import cmp_using, evolve, field, frozen
from numpy.typing import NDArray

from wayfare.arrays import Mask, Matrix, Order, Points, Values
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.space.places import Places
from wayfare.travel.axes import AxisName, as_axis, columns_of, numeric_columns
from wayfare.travel.base import Cost, TravelCost, as_unit
from wayfare.travel.cells import Cells
from wayfare.travel.coarse import Coarse
from wayfare.travel.grid import Snap, as_cell, as_columns, as_grid, as_moves, as_rows, as_snap
from wayfare.travel.nearby import Nearby
from wayfare.travel.polygons import rasterise
from wayfare.travel.rough import Rough
from wayfare.travel.steps import Moves
from wayfare.travel.turns import between, corners, passing
from wayfare.travel.ways import Ways
from wayfare.travel.whereabouts import Whereabouts

LARGE = 2**16
"""Of a map with more open cells, a single way is searched for around its ends."""
MANY = 2**20
"""With more cells times stops, searching from every stop takes a second or longer."""


@frozen
class Raster(Cost):
    """The shortest way over a map from cell to cell, around what cannot be passed.

    ``grid`` says of each cell what a unit of way costs in it: 1 or True for open ground, more where it is
    hard; 0, False, nan or inf where nobody can pass. A step is paid at the rate of each cell that it passes
    through, there and back alike, so the cost is a metric. No step squeezes diagonally between two blocked
    cells.

    ``x`` and ``y`` are the axes of the map: ``columns`` gives x at the middle of the first and of the last
    column, ``rows`` gives y at the middle of the first and of the last row, ``rows=(1, 0)`` for a picture
    whose top is north. Left out, they count from 0. ``cell`` is the width and height of a cell in the unit of
    the cost, by default in that of the axes.

    ``moves="eight"`` takes steps to the eight neighbours: over open ground of square cells the way is up to
    8.3% longer than the straight line. ``moves="any"`` takes steps in 32 directions, at most 1.4% longer, for
    four times the memory and the time.

    A place counts as the middle of its cell, and must lie in an open one. With ``snap`` a place in a blocked
    cell counts as the open cell nearest to its own, if that is no further away, in the unit of ``cell``;
    ``"nearest"`` is any distance. The way between the two is not counted.
    """

    grid: Matrix = field(converter=as_grid, eq=cmp_using(eq=np.array_equal), hash=False, repr=False)
    x: AxisName = field(default=0, converter=as_axis)
    y: AxisName = field(default=1, converter=as_axis)
    columns: tuple[float, float] = field(converter=as_columns, kw_only=True)
    rows: tuple[float, float] = field(converter=as_rows, kw_only=True)
    cell: tuple[float, float] = field(converter=as_cell, kw_only=True)
    moves: Moves = field(default="eight", converter=as_moves, kw_only=True)
    snap: Snap = field(default=0.0, converter=as_snap, kw_only=True)
    unit: str = field(default="", converter=as_unit, kw_only=True)
    _names: tuple[str, ...] = field(default=(), eq=False, repr=False, kw_only=True)
    _choices: tuple[int, ...] = field(default=(), eq=False, repr=False, kw_only=True)
    """The names of the space and the columns of its choices, once bound."""

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

    @classmethod
    def from_polygons(
        cls,
        *,
        geographic: bool,
        cell: float,
        allowed: Any = None,
        obstacles: Any = None,
        bounds: Sequence[float] | None = None,
        **more: Any,
    ) -> Self:
        """Return the map whose open cells lie wholly in ``allowed`` and overlap no obstacle.

        So no way leaves the one or crosses the others; a strait narrower than a cell is closed. Both are
        polygons: GeoJSON, shapely's, or a list of them. ``cell`` is the side of a cell. Without ``allowed``
        the map has these ``bounds``: west, south, east, north. ``more`` is as for ``Raster``.

        With ``geographic=True`` polygons are in degrees, longitude first as in GeoJSON, and the side of a
        cell and the cost in metres; the axes are "lon" and "lat" unless ``x`` and ``y`` say otherwise. A
        degree of longitude is as long as in the middle of the map. Needs shapely.
        """
        if geographic and more.get("unit", "m") != "m":
            raise InvalidInput(
                f"unit: a geographic map is in m, got {more['unit']!r}; for others use "
                "Scaled(Raster.from_polygons(...), 0.001, unit='km')"
            )
        return cls(**rasterise(allowed, obstacles, cell, geographic, bounds) | more)

    @property
    def is_metric(self) -> bool:
        """True: there and back cost the same, and a shortest way has no shorter detour."""
        return True

    @cached_property
    def _ways(self) -> Ways:
        return Ways(self.grid, *self.cell, self.moves)

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self._ways, self.columns, self.rows, self.snap)

    @cached_property
    def _whereabouts(self) -> Whereabouts:
        return Whereabouts(self._cells, self.x, self.y, self._names, self.unit)

    @cached_property
    def _nearby(self) -> Nearby:
        return Nearby(self._ways)

    @cached_property
    def _coarse(self) -> Coarse:
        # A route ordered by rough costs almost always has a leg that no window proves. So all that is done
        # once is done by the first plan, and no later one waits for it.
        self._nearby.prepare()
        return Coarse(self._ways)

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the columns of ``x`` and ``y``, if the map covers the places."""
        x, y = numeric_columns((self.x, self.y), space, "Raster")
        choices = tuple(np.flatnonzero([values is not None for values in space.choices]).tolist())
        bound = evolve(self, x=x, y=y, names=space.names, choices=choices)
        bound._whereabouts.check_space(space)
        return bound

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs, refusing places off the map and those that cannot be reached.

        The first cost from a cell takes a search over the map; the next ones are looked up. A single cost on
        a large map takes a search around the two places.
        """
        return self._priced(self._costs, origins, targets)

    def rough(self, stops: int) -> TravelCost | None:
        """Return what orders so many stops about as well; None unless the map is large and they are many."""
        cells = len(self._ways.places)
        return Rough(self, self._roughly) if cells > LARGE and cells * stops > MANY else None

    def _roughly(self, origins: Points, targets: Points) -> Matrix:
        return self._priced(self._coarse.costs, origins, targets)

    def _priced(self, costs: Callable[[Order, Order], Matrix], origins: Points, targets: Points) -> Matrix:
        """Return what ``costs`` says of the cells of these places."""
        numbers = self._whereabouts.numbers
        return self._whereabouts.check_ways(costs(numbers(origins), numbers(targets)), origins, targets)

    def _costs(self, origins: Order, targets: Order) -> Matrix:
        if len(origins) == len(targets) == 1 and len(self._ways.places) > LARGE:
            return np.array([[self._nearby.cost(int(origins[0]), int(targets[0]))]])
        return self._ways.searches.costs(origins, targets)

    def path(self, origin: Values, target: Values) -> NDArray[np.intp]:
        """Return the (k, 2) cells, as row and column, of a shortest way from one place to another.

        Those where its steps begin and end: with ``moves="any"`` a step passes through others, all open.
        """
        ends = np.array([origin, target])
        start, end = self._whereabouts.numbers(ends)
        cost = float(self(ends[:1], ends[1:])[0, 0])
        return self.open_cells()[self._ways.searches.path(int(start), int(end), cost)]

    def way(self, origin: Values, target: Values) -> Points:
        """Return the (k, d) line to follow: the places themselves, and the middles of cells where it turns.

        It passes the cells of ``path`` and no others, unless a place was moved to an open cell with ``snap``.
        Numbers of other axes change evenly along the way, choices at its end.
        """
        columns = columns_of((self.x, self.y))
        start, end = self._cells.spots(np.array([origin, target])[:, columns])
        turns = between(start, corners(self.path(origin, target)).astype(np.float64), end)
        walked = np.vstack([start, turns, end]) * self.cell[::-1]
        return passing(origin, target, walked, columns, self.centres(turns), self._choices)

    def open_cells(self) -> NDArray[np.intp]:
        """Return the (n, 2) cells that can be entered, as row and column."""
        return np.argwhere(self.grid > 0)

    def centres(self, cells: NDArray[np.intp] | Points) -> Points:
        """Return the (n, 2) x and y at the middle of each cell."""
        return self._cells.centres(cells)

    def places(self, once: bool = False) -> Places:
        """Return the middles of the open cells, as the space of a study that keeps to them."""
        return Places(self.centres(self.open_cells()), self._own_names(), once)

    def _own_names(self) -> tuple[str, ...]:
        return tuple(axis if isinstance(axis, str) else f"x{axis}" for axis in (self.x, self.y))

    def largest_part(self) -> Self:
        """Return the map with nothing open but the most cells that can reach each other."""
        return self._only(int(np.bincount(self._ways.searches.component).argmax()))

    def part_with(self, xy: Values) -> Self:
        """Return the map with nothing open but what can be reached from this x and y, which it must cover."""
        around = Whereabouts(self._cells, 0, 1, self._own_names(), self.unit)
        at = around.numbers(np.asarray(xy, dtype=np.float64)[None, :])[0]
        return self._only(int(self._ways.searches.component[at]))

    def _only(self, part: int) -> Self:
        grid = self.grid.copy()
        grid[grid > 0] *= self._ways.searches.component == part
        return evolve(self, grid=grid)

    def covers(self, xy: Points) -> Mask:
        """Return at which of these (n, 2) x and y one can be, so that there is a cost."""
        return self._cells.find(np.asarray(xy, dtype=np.float64))[0] >= 0

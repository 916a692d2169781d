"""``Raster``: a map of cells that tells where the traveller can pass, and how hard it is."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from attrs import cmp_using, evolve, field, frozen
from numpy.typing import NDArray

from wayfare.arrays import Mask, Matrix, Order, Points, Values
from wayfare.errors import InvalidInput
from wayfare.rng import stream
from wayfare.space.base import AnySpace
from wayfare.space.places import Places
from wayfare.travel.axes import AxisName, as_axis, columns_of, numeric_columns, place_in_words
from wayfare.travel.base import Cost, TravelCost, as_unit
from wayfare.travel.coarse import Coarse
from wayfare.travel.grid import Snap, as_cell, as_columns, as_grid, as_moves, as_rows, as_snap
from wayfare.travel.nearby import Nearby
from wayfare.travel.polygons import rasterise
from wayfare.travel.rough import Rough
from wayfare.travel.steps import Moves
from wayfare.travel.turns import between, corners, passing
from wayfare.travel.ways import Ways

MOST_PLACES = 1_000_000
LARGE = 2**16
"""Of a map with more open cells, a single way is searched for around its ends."""
MANY = 2**20
"""With more cells times stops, searching from every stop takes a second or longer."""
SAMPLED = 256
"""Of a space with more than ``MOST_PLACES``, so many are looked up when the cost is bound."""


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
    def _nearby(self) -> Nearby:
        return Nearby(self._ways)

    @cached_property
    def _coarse(self) -> Coarse:
        return Coarse(self._ways)

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the columns of ``x`` and ``y``, if the map covers the places.

        Of infinitely many, a sample is looked up, and the middles of all cells that cannot be reached.
        """
        x, y = numeric_columns((self.x, self.y), space, "Raster")
        choices = tuple(np.flatnonzero([values is not None for values in space.choices]).tolist())
        bound = evolve(self, x=x, y=y, names=space.names, choices=choices)
        places = space.everything(MOST_PLACES)
        if places is None:
            places = space.sample(SAMPLED, stream(0, "raster"))
            bound._check_joined(np.vstack([places, bound._unreachable(space, places)]))
        else:
            bound._check_joined(places)
        return bound

    def _unreachable(self, space: AnySpace, some: Points) -> Points:
        """Return the places of a space in the middle of cells that ``some`` of its places cannot reach."""
        component = np.append(self._ways.searches.component, -1)
        main = np.bincount(component[self._numbers(some)]).argmax()
        xy = self.centres(np.argwhere(component[self._ways.number] != main))
        places = np.repeat(some[:1], len(xy), axis=0)
        places[:, columns_of((self.x, self.y))] = xy
        places = places[space.contains(places)]
        # Where places snap to open cells, some may be reached after all.
        number, _ = self._cells(places[:, columns_of((self.x, self.y))])
        return np.asarray(places[component[number] != main][:1])

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs, refusing places off the map and those that cannot be reached.

        The first cost from a cell takes a search over the map; the next ones are looked up. A single cost on
        a large map takes a search around the two places.
        """
        return self._with_ways(self._costs(self._numbers(origins), self._numbers(targets)), origins, targets)

    def rough(self, stops: int) -> TravelCost | None:
        """Return what orders so many stops about as well; None unless the map is large and they are many."""
        cells = len(self._ways.places)
        return Rough(self, self._roughly) if cells > LARGE and cells * stops > MANY else None

    def _roughly(self, origins: Points, targets: Points) -> Matrix:
        costs = self._coarse.costs(self._numbers(origins), self._numbers(targets))
        return self._with_ways(costs, origins, targets)

    def _costs(self, origins: Order, targets: Order) -> Matrix:
        if len(origins) == len(targets) == 1 and len(self._ways.places) > LARGE:
            return np.array([[self._nearby.cost(int(origins[0]), int(targets[0]))]])
        return self._ways.searches.costs(origins, targets)

    def _with_ways(self, costs: Matrix, origins: Points, targets: Points) -> Matrix:
        """Return the costs unless one of them is infinite."""
        if costs.size and costs.max() == np.inf:
            origin, target = np.argwhere(costs == np.inf)[0]
            raise self._no_way(origins[origin], targets[target])
        return costs

    def path(self, origin: Values, target: Values) -> NDArray[np.intp]:
        """Return the (k, 2) cells, as row and column, of a shortest way from one place to another.

        Those where its steps begin and end: with ``moves="any"`` a step passes through others, all open.
        """
        ends = np.array([origin, target])
        start, end = self._numbers(ends)
        cost = float(self(ends[:1], ends[1:])[0, 0])
        return self.open_cells()[self._ways.searches.path(int(start), int(end), cost)]

    def way(self, origin: Values, target: Values) -> Points:
        """Return the (k, d) line to follow: the places themselves, and the middles of cells where it turns.

        It passes the cells of ``path`` and no others, unless a place was moved to an open cell with ``snap``.
        Numbers of other axes change evenly along the way, choices at its end.
        """
        columns = columns_of((self.x, self.y))
        start, end = self._spots(np.array([origin, target])[:, columns])
        turns = between(start, corners(self.path(origin, target)).astype(np.float64), end)
        walked = np.vstack([start, turns, end]) * self.cell[::-1]
        return passing(origin, target, walked, columns, self.centres(turns), self._choices)

    def open_cells(self) -> NDArray[np.intp]:
        """Return the (n, 2) cells that can be entered, as row and column."""
        return np.argwhere(self.grid > 0)

    def centres(self, cells: NDArray[np.intp] | Points) -> Points:
        """Return the (n, 2) x and y at the middle of each cell."""
        (west, east), (top, bottom) = self.columns, self.rows
        down, right = (cells / (np.array(self.grid.shape) - 1)).T
        return np.column_stack([west + right * (east - west), top + down * (bottom - top)])

    def places(self, once: bool = False) -> Places:
        """Return the middles of the open cells, as the space of a study that keeps to them."""
        names = [axis if isinstance(axis, str) else f"x{axis}" for axis in (self.x, self.y)]
        return Places(self.centres(self.open_cells()), names, once)

    def largest_part(self) -> Self:
        """Return the map with nothing open but the most cells that can reach each other."""
        component = self._ways.searches.component
        grid = self.grid.copy()
        grid[grid > 0] *= component == np.bincount(component).argmax()
        return evolve(self, grid=grid)

    def covers(self, xy: Points) -> Mask:
        """Return at which of these (n, 2) x and y one can be, so that there is a cost."""
        return self._cells(np.asarray(xy, dtype=np.float64))[0] >= 0

    def _cells(self, xy: Points) -> tuple[Order, NDArray[np.float64]]:
        """Return the number of the open cell at each x and y, -1 if there is none, and its row and column."""
        shape = np.array(self.grid.shape)
        cells: Points = np.rint(self._spots(xy))
        on_map: Mask = np.all((cells >= 0) & (cells < shape), axis=1)
        row, column = np.where(on_map[:, None], cells, 0).astype(np.intp).T
        if self.snap:
            number, far = self._ways.nearest
            near = on_map & (self.snap == "nearest" or far[row, column] <= self.snap)
            return np.where(near, number[row, column], -1), cells
        return np.where(on_map, self._ways.number[row, column], -1), cells

    def _spots(self, xy: Points) -> Points:
        """Return the row and column of each x and y, whole numbers at the middle of a cell."""
        (west, east), (top, bottom) = self.columns, self.rows
        steps = np.array(self.grid.shape) - 1
        return np.asarray((xy[:, ::-1] - [top, west]) / [bottom - top, east - west] * steps)

    def _numbers(self, x: Points) -> Order:
        """Return the number of each place's cell, or refuse the first place that has none."""
        numbers, cells = self._cells(x[:, columns_of((self.x, self.y))])
        if len(numbers) and numbers.min() < 0:
            at = int(np.argmin(numbers))
            mirrored = self.covers(x[:, columns_of((self.y, self.x))])
            raise self._no_cell(x[at], cells[at], bool(mirrored.all()))
        return numbers

    def _no_cell(self, place: Values, cell: Values, looks_swapped: bool) -> InvalidInput:
        words, shape = place_in_words(place, (self.x, self.y), self._names), np.array(self.grid.shape)
        if ((cell >= 0) & (cell < shape)).all():
            return InvalidInput(
                f"the place {words} is in the blocked cell of row {cell[0]:.0f}, column {cell[1]:.0f} of a "
                f"Raster; the nearest open place is {self._nearest_open(place, cell)}, to be told where a "
                "setting was missed; leave it out of the space, open the map there, or move it to an open "
                "cell with snap"
            )
        if looks_swapped:
            return InvalidInput(
                f"the place {words} is off the map of a Raster, but on it with its axes swapped; "
                "swap x and y, or the columns of the places"
            )
        (west, east), (top, bottom) = self.columns, self.rows
        return InvalidInput(
            f"the place {words} is off the map of a Raster, which has x from {west:g} to {east:g} and y from "
            f"{top:g} to {bottom:g}; leave it out of the space, or extend the map"
        )

    def _nearest_open(self, place: Values, cell: Values) -> str:
        """Return the middle of the open cell nearest to a blocked one, as a refusal names it."""
        number = self._ways.nearest[0][int(cell[0]), int(cell[1])]
        near = np.array(place)
        near[columns_of((self.x, self.y))] = self.centres(self.open_cells()[[number]])[0]
        return place_in_words(near, (self.x, self.y), self._names)

    def _check_joined(self, x: Points) -> None:
        component = self._ways.searches.component[self._numbers(x)]
        if len(x) and (apart := component != np.bincount(component).argmax()).any():
            raise self._no_way(x[int(np.argmin(apart))], x[int(np.argmax(apart))])

    def _no_way(self, origin: Values, target: Values) -> InvalidInput:
        here, there = (place_in_words(place, (self.x, self.y), self._names) for place in (origin, target))
        return InvalidInput(
            f"there is no way from {here} to the place {there} on a Raster; leave one out of the space, open "
            "the map between them, or keep to its largest_part()"
        )

"""``Raster``: a map of cells that tells where the traveller can pass, and how hard it is."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from attrs import cmp_using, evolve, field, frozen
from numpy.typing import NDArray

from wayfare._core.arrays import Mask, Matrix, Order, Points, Values
from wayfare._core.format import with_unit
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.space.places import Places
from wayfare.travel.base import (
    AxisName,
    Cost,
    Rough,
    TravelCost,
    as_axis,
    as_unit,
    between,
    columns_of,
    corners,
    numeric_columns,
    passing,
    place_in_words,
)
from wayfare.travel.raster.coarse import Coarse
from wayfare.travel.raster.grid import Moves, Snap, as_cell, as_columns, as_grid, as_moves, as_rows, as_snap
from wayfare.travel.raster.nearby import Nearby
from wayfare.travel.raster.polygons import rasterise
from wayfare.travel.raster.search import Ways

# ``Cells``: where x and y lie among the rows and columns of a map.


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


# ``Whereabouts``: the cells of the places of a space, refusing those off the map, blocked or cut off.


MOST_PLACES = 1_000_000
SAMPLED = 256
"""Of a space with more than ``MOST_PLACES``, so many are looked up."""


@frozen(eq=False)
class Whereabouts:
    """Where places with the axes ``x`` and ``y`` are on a map; ``names`` are those of the space, if known.

    Distances are in ``unit``.
    """

    cells: Cells
    x: AxisName
    y: AxisName
    names: tuple[str, ...]
    unit: str

    def numbers(self, places: Points, of_space: bool = False) -> Order:
        """Return the number of each place's cell, or refuse the first place that has none.

        Only a place ``of_space`` can be left out of it, which is then said.
        """
        numbers, cells = self.cells.find(places[:, columns_of((self.x, self.y))])
        if len(numbers) and numbers.min() < 0:
            at = int(np.argmin(numbers))
            mirrored, _ = self.cells.find(places[:, columns_of((self.y, self.x))])
            why = self._no_cell(places[at], cells[at], looks_swapped=bool((mirrored >= 0).all()))
            raise InvalidInput(why[0] + (f"; {why[1]}" if of_space else ""))
        return numbers

    def check_ways(self, costs: Matrix, origins: Points, targets: Points) -> Matrix:
        """Return the costs between places unless one of them is infinite."""
        if costs.size and costs.max() == np.inf:
            origin, target = np.argwhere(costs == np.inf)[0]
            raise InvalidInput(self._no_way(origins[origin], targets[target]))
        return costs

    def check_space(self, space: AnySpace) -> None:
        """Refuse a space with places that have no cell, or that others cannot reach.

        Of infinitely many, a sample is looked up, and the middles of all cells that cannot be reached.
        """
        places = space.everything(MOST_PLACES)
        if places is None:
            places = space.sample(SAMPLED, stream(0, "raster"))
            places = np.vstack([places, self._unreachable(space, places)])
        component = self.cells.ways.searches.component[self.numbers(places, of_space=True)]
        if len(places) and (apart := component != np.bincount(component).argmax()).any():
            why = self._no_way(places[int(np.argmin(apart))], places[int(np.argmax(apart))])
            raise InvalidInput(
                f"{why}; leave one out of the space, open the map between them, or keep to its largest_part()"
            )

    def _unreachable(self, space: AnySpace, some: Points) -> Points:
        """Return a place of a space in a cell that ``some`` of its places cannot reach, if there is one."""
        component = np.append(self.cells.ways.searches.component, -1)
        main = np.bincount(component[self.numbers(some, of_space=True)]).argmax()
        xy = self.cells.centres(np.argwhere(component[self.cells.ways.number] != main))
        places = np.repeat(some[:1], len(xy), axis=0)
        places[:, columns_of((self.x, self.y))] = xy
        places = places[space.contains(places)]
        # Where places snap to open cells, some may be reached after all.
        number, _ = self.cells.find(places[:, columns_of((self.x, self.y))])
        return np.asarray(places[component[number] != main][:1])

    def _no_cell(self, place: Values, cell: Values, looks_swapped: bool) -> tuple[str, str]:
        """Return why a place has no cell, and what can be done about one of the space."""
        words, (x, y) = self._in_words(place), self._axes()
        if self.cells.has(cell[None])[0]:
            row, column = cell.astype(np.intp).tolist()  # without the sign of a zero
            near, far = place.copy(), self.cells.ways.nearest[1][row, column]
            near[columns_of((self.x, self.y))] = self.cells.nearest(cell[None])[0]
            return (
                f"the place {words} is in a blocked cell (row {row}, column {column}) of the map; the "
                f"nearest open place is {self._in_full(near)}, {with_unit(_rounded_up(far), self.unit)} away",
                "leave it out of the space, open the map there, or move it to an open cell with snap",
            )
        if looks_swapped:
            return (
                f"the place {words} is off the map, but on it with {x} and {y} swapped; swap them",
                "or the axes of the map",
            )
        (west, east), (top, bottom) = self.cells.columns, self.cells.rows
        return (
            f"the place {words} is off the map, which has {x} from {west:g} to {east:g} and {y} from "
            f"{top:g} to {bottom:g}",
            "leave it out of the space, or extend the map",
        )

    def _no_way(self, origin: Values, target: Values) -> str:
        return f"there is no way from {self._in_words(origin)} to the place {self._in_words(target)} on the map"

    def _axes(self) -> tuple[str, ...]:
        axes = columns_of((self.x, self.y))
        return tuple(self.names[axis] for axis in axes) if self.names else ("x", "y")

    def _in_words(self, place: Values) -> str:
        return place_in_words(place, (self.x, self.y), self.names)

    def _in_full(self, place: Values) -> str:
        """Return a place with all its digits, so that whoever copies it is there."""
        if not self.names:
            return self._in_words(place)
        numbers = place[columns_of((self.x, self.y))].tolist()
        return f"({', '.join(f'{name}={_exact(at)}' for name, at in zip(self._axes(), numbers, strict=True))})"


def _exact(number: float) -> str:
    short = f"{number:.10g}"
    return short if float(short) == number else repr(number)


def _rounded_up(far: float) -> float:
    """Return a distance to three digits that is no shorter, so that it is enough as a ``snap``."""
    digit = 10.0 ** (math.floor(math.log10(far)) - 2)
    return math.ceil(far / digit) * digit


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

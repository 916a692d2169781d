"""``Raster``: travel over a map of cells that says where the traveller can pass, and how hard it is there."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from attrs import cmp_using, evolve, field, frozen
from numpy.typing import NDArray

from wayfare._core.arrays import Mask, Matrix, Order, Points, Values
from wayfare._core.format import in_full
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.space.places import Places
from wayfare.travel.base import AxisName, TravelCost, as_axis, as_unit, columns_of, numeric_columns, place_in_words
from wayfare.travel.combine import Cost
from wayfare.travel.custom import Custom
from wayfare.travel.lines import corners, line_through, turns_between
from wayfare.travel.raster.coarse import Coarse
from wayfare.travel.raster.graph import CellGraph, Moves, as_moves
from wayfare.travel.raster.grid import Cells, Snap, as_columns, as_grid, as_rows, as_size, as_snap
from wayfare.travel.raster.nearby import Nearby
from wayfare.travel.raster.polygons import rasterise

LARGE_MAP = 2**16
"""On a map with more open cells, a single leg is searched for around its ends."""
MANY_COSTS = 2**20
"""With more cells times stops, searching from every stop takes a second or longer."""
MOST_PLACES = 1_000_000
SAMPLED = 256
"""Of a space with more than ``MOST_PLACES``, binding looks up so many."""


@frozen
class Raster(Cost):
    """The cost of the shortest path over a map from cell to cell, around what cannot be passed.

    A step is paid at the rate of each cell that it passes through, there and back alike, so the cost is a
    metric. No step squeezes diagonally between two blocked cells. A place counts as the middle of its cell.

    Attributes:
        grid: (rows, columns) the cost of a unit of length in each cell: 1 or True for open ground, more where
            it is hard; 0, False, nan or inf where it is blocked.
        x: the axis along the columns of the map.
        y: the axis along its rows.
        columns: x at the middle of the first and of the last column; by default counted from 0.
        rows: y at the middle of the first and of the last row, ``(1, 0)`` for a picture whose top is north.
        cell: width and height of a cell in the unit of the cost; by default in that of the axes.
        moves: "eight" takes steps to the eight neighbours: over open ground of square cells, paths are up to
            8.3% longer than the straight line. "any" takes steps in 32 directions, at most 1.4% longer, for
            four times the memory and the time.
        snap: how far away, in the unit of ``cell``, the nearest open cell may be for a place in a blocked one
            to count as that, or "nearest" for any distance. Moving between the two is not counted.
        unit: the unit of the cost.
    """

    grid: Matrix = field(converter=as_grid, eq=cmp_using(eq=np.array_equal), hash=False, repr=False)
    x: AxisName = field(default=0, converter=as_axis)
    y: AxisName = field(default=1, converter=as_axis)
    columns: tuple[float, float] = field(converter=as_columns, kw_only=True)
    rows: tuple[float, float] = field(converter=as_rows, kw_only=True)
    cell: tuple[float, float] = field(converter=as_size, kw_only=True)
    moves: Moves = field(default="eight", converter=as_moves, kw_only=True)
    snap: Snap = field(default=0.0, converter=as_snap, kw_only=True)
    unit: str = field(default="", converter=as_unit, kw_only=True)
    _names: tuple[str, ...] = field(default=(), eq=False, repr=False, kw_only=True)
    _choices: tuple[int, ...] = field(default=(), eq=False, repr=False, kw_only=True)
    """The names of the space and the columns of its choices, once bound."""
    is_metric = True

    @columns.default
    def _all_columns(self) -> tuple[float, float]:
        return 0.0, self.grid.shape[1] - 1.0

    @rows.default
    def _all_rows(self) -> tuple[float, float]:
        return 0.0, self.grid.shape[0] - 1.0

    @cell.default
    def _size_on_axes(self) -> tuple[float, float]:
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
        """Return the map whose open cells lie wholly in ``allowed`` and overlap no obstacle. Needs shapely.

        So no path leaves the one or crosses the others; a strait narrower than a cell is closed.

        Args:
            geographic: polygons are in degrees, longitude first as in GeoJSON, and costs in metres. The axes
                are "lon" and "lat" unless ``x`` and ``y`` say otherwise. A degree of longitude counts as long
                as in the middle of the map.
            cell: the side of a cell, in the unit of the polygons, or in metres on a geographic map.
            allowed: polygons: GeoJSON, shapely's, or a list of them.
            obstacles: polygons, likewise.
            bounds: west, south, east and north of the map; needed without ``allowed``.
            **more: further arguments of ``Raster``.
        """
        if geographic and more.get("unit", "m") != "m":
            raise InvalidInput(
                f"unit: a geographic map is in m, got {more['unit']!r}; for others use "
                "Scaled(Raster.from_polygons(...), 0.001, unit='km')"
            )
        return cls(**rasterise(allowed, obstacles, cell, geographic, bounds) | more)

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the columns of ``x`` and ``y``, if the map covers the places."""
        x, y = numeric_columns((self.x, self.y), space, "Raster")
        choices = tuple(np.flatnonzero([values is not None for values in space.choices]).tolist())
        bound = evolve(self, x=x, y=y, names=space.names, choices=choices)
        bound._check_space(space)
        return bound

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs; refuse places off the map and those that cannot be reached.

        The first cost from a cell takes a search over the map; the next ones are looked up. A single cost on
        a large map takes a search around the two places.
        """
        return self._between(self._costs, origins, targets)

    def _costs(self, origins: Order, targets: Order) -> Matrix:
        if len(origins) == len(targets) == 1 and len(self._cells) > LARGE_MAP:
            return np.array([[self._nearby.cost(int(origins[0]), int(targets[0]))]])
        return self._graph.searches.costs(origins, targets)

    def rough(self, stops: int) -> TravelCost | None:
        """Return approximate costs to order so many stops by; None unless the map is large and they are many."""
        if len(self._cells) <= LARGE_MAP or len(self._cells) * stops <= MANY_COSTS:
            return None
        return Custom(self._rough_costs, vectorized=True, unit=self.unit)

    def _rough_costs(self, origins: Points, targets: Points) -> Matrix:
        return self._between(self._coarse.costs, origins, targets)

    def _between(self, costs: Callable[[Order, Order], Matrix], origins: Points, targets: Points) -> Matrix:
        """Return the ``costs`` between the cells of these places."""
        found = costs(self._numbers(origins), self._numbers(targets))
        if found.size and found.max() == np.inf:
            origin, target = np.argwhere(found == np.inf)[0]
            raise InvalidInput(self._no_way(origins[origin], targets[target]))
        return found

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self.grid, self.cell, self.columns, self.rows, self.snap)

    @cached_property
    def _graph(self) -> CellGraph:
        return CellGraph(self._cells, self.moves)

    @cached_property
    def _nearby(self) -> Nearby:
        return Nearby(self._graph)

    @cached_property
    def _coarse(self) -> Coarse:
        # A route ordered by approximate costs almost always has a leg that no window proves. So all that is
        # done once is done by the first plan, and no later one waits for it.
        self._nearby.landmarks.prepare()
        return Coarse(self._graph)

    def path(self, origin: Values, target: Values) -> NDArray[np.intp]:
        """Return the (k, 2) cells, as row and column, of a shortest path from one place to another.

        Those where its steps begin and end: with ``moves="any"`` a step passes through others, all open.
        """
        ends = np.array([origin, target])
        start, end = self._numbers(ends)
        cost = float(self(ends[:1], ends[1:])[0, 0])
        return self.open_cells()[self._graph.searches.path(int(start), int(end), cost)]

    def way(self, origin: Values, target: Values) -> Points:
        """Return the (k, d) line to follow: the places themselves, and the middles of cells where it turns.

        It passes the cells of ``path`` and no others, unless a place was moved to an open cell with ``snap``.
        Numbers of other axes change evenly along the line, choices at its end.
        """
        columns = columns_of((self.x, self.y))
        start, end = self._cells.spots(np.array([origin, target])[:, columns])
        turns = turns_between(start, corners(self.path(origin, target)).astype(np.float64), end)
        walked = np.vstack([start, turns, end]) * self.cell[::-1]
        return line_through(origin, target, walked, columns, self.centres(turns), self._choices)

    def open_cells(self) -> NDArray[np.intp]:
        """Return the (n, 2) cells that can be entered, as row and column."""
        return np.argwhere(self.grid > 0)

    def centres(self, cells: NDArray[np.intp] | Points) -> Points:
        """Return the (n, 2) x and y at the middle of each cell."""
        return self._cells.centres(cells)

    def covers(self, xy: Points) -> Mask:
        """Return which of these (n, 2) x and y lie in an open cell, or near enough to ``snap`` to one."""
        return self._cells.find(np.asarray(xy, dtype=np.float64))[0] >= 0

    def places(self, once: bool = False) -> Places:
        """Return the middles of the open cells, as the space of a study that keeps to them."""
        return Places(self.centres(self.open_cells()), self._own_names(), once)

    def _own_names(self) -> tuple[str, ...]:
        return tuple(axis if isinstance(axis, str) else f"x{axis}" for axis in (self.x, self.y))

    def largest_part(self) -> Self:
        """Return the map with nothing open but the most cells that can reach each other."""
        return self._only(self._graph.searches.largest)

    def part_with(self, xy: Values) -> Self:
        """Return the map with nothing open but what can be reached from this x and y, which it must cover."""
        alone = evolve(self, x=0, y=1, names=self._own_names())  # a space of x and y, and no other axis
        at = alone._numbers(np.asarray(xy, dtype=np.float64)[None, :])[0]
        return self._only(int(self._graph.searches.component[at]))

    def _only(self, part: int) -> Self:
        grid = self.grid.copy()
        grid[grid > 0] *= self._graph.searches.component == part
        return evolve(self, grid=grid)

    # The cells of places, and refusals that say what is wrong with a place and what to do about it.

    def _numbers(self, places: Points, of_space: bool = False) -> Order:
        """Return the number of each place's cell, or refuse the first place that has none.

        If the places are ``of_space``, the refusal says how to change the space or the map.
        """
        numbers, cells = self._cells.find(places[:, columns_of((self.x, self.y))])
        if len(numbers) and numbers.min() < 0:
            at = int(np.argmin(numbers))
            mirrored, _ = self._cells.find(places[:, columns_of((self.y, self.x))])
            why, way_out = self._no_cell(places[at], cells[at], looks_swapped=bool((mirrored >= 0).all()))
            raise InvalidInput(f"{why}; {way_out}" if of_space else why)
        return numbers

    def _check_space(self, space: AnySpace) -> None:
        """Refuse a space with places that have no cell, or that others cannot reach.

        Of infinitely many, a sample is looked up, and the middles of all cells that cannot be reached.
        """
        places = space.everything(MOST_PLACES)
        if places is None:
            places = space.sample(SAMPLED, stream(0, "raster"))
            places = np.vstack([places, self._unreachable(space, places)])
        component = self._graph.searches.component[self._numbers(places, of_space=True)]
        if len(places) and (apart := component != np.bincount(component).argmax()).any():
            why = self._no_way(places[int(np.argmin(apart))], places[int(np.argmax(apart))])
            raise InvalidInput(
                f"{why}; leave one out of the space, open the map between them, or keep to its largest_part()"
            )

    def _unreachable(self, space: AnySpace, some: Points) -> Points:
        """Return a place of a space in a cell that ``some`` of its places cannot reach, if there is one."""
        component, columns = np.append(self._graph.searches.component, -1), columns_of((self.x, self.y))
        main = np.bincount(component[self._numbers(some, of_space=True)]).argmax()
        xy = self.centres(np.argwhere(component[self._cells.number] != main))
        places = np.repeat(some[:1], len(xy), axis=0)
        places[:, columns] = xy
        places = places[space.contains(places)]
        # Where places snap to open cells, some may be reached after all.
        number, _ = self._cells.find(places[:, columns])
        return np.asarray(places[component[number] != main][:1])

    def _no_cell(self, place: Values, cell: Values, looks_swapped: bool) -> tuple[str, str]:
        """Return why a place has no cell, and what can be done if it is of the space."""
        columns = columns_of((self.x, self.y))
        words, (x, y) = self._in_words(place), [self._names[at] for at in columns] if self._names else ("x", "y")
        if self._cells.has(cell[None])[0]:
            row, column = cell.astype(np.intp).tolist()  # without the sign of a zero
            number, far = (table[row, column] for table in self._cells.nearest)
            near = place.copy()
            near[columns] = self.centres(np.column_stack(self._cells.grid_index(number[None])))[0]
            # With all its digits, so that a copy of it lies in the cell.
            exact = [f"{name}={_exact(at)}" for name, at in zip((x, y), near[columns].tolist(), strict=True)]
            open_place = f"({', '.join(exact)})" if self._names else self._in_words(near)
            return (
                f"the place {words} is in a blocked cell (row {row}, column {column}) of the map; the "
                f"nearest open place is {open_place}, {in_full(_rounded_up(far), self.unit)} away",
                "leave it out of the space, open the map there, or move it to an open cell with snap",
            )
        if looks_swapped:
            return (
                f"the place {words} is off the map, but on it with {x} and {y} swapped; swap them",
                "or the axes of the map",
            )
        (west, east), (top, bottom) = self.columns, self.rows
        return (
            f"the place {words} is off the map, which has {x} from {west:g} to {east:g} and {y} from "
            f"{top:g} to {bottom:g}",
            "leave it out of the space, or extend the map",
        )

    def _no_way(self, origin: Values, target: Values) -> str:
        return f"there is no way from {self._in_words(origin)} to the place {self._in_words(target)} on the map"

    def _in_words(self, place: Values) -> str:
        return place_in_words(place, (self.x, self.y), self._names)


def _exact(number: float) -> str:
    short = f"{number:.10g}"
    return short if float(short) == number else repr(number)


def _rounded_up(far: float) -> float:
    """Return a distance to three digits that is no shorter, so that it is enough as a ``snap``."""
    digit = 10.0 ** (math.floor(math.log10(far)) - 2)
    return math.ceil(far / digit) * digit

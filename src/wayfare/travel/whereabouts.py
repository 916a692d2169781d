"""``Whereabouts``: the cells of the places of a space, refusing those off the map, blocked or cut off."""

import numpy as np
from attrs import frozen

from wayfare.arrays import Matrix, Order, Points, Values
from wayfare.errors import InvalidInput
from wayfare.rng import stream
from wayfare.space.base import AnySpace
from wayfare.travel.axes import AxisName, columns_of, place_in_words
from wayfare.travel.cells import Cells

MOST_PLACES = 1_000_000
SAMPLED = 256
"""Of a space with more than ``MOST_PLACES``, so many are looked up."""


@frozen(eq=False)
class Whereabouts:
    """Where places with the axes ``x`` and ``y`` are on a map; ``names`` are those of the space, if known."""

    cells: Cells
    x: AxisName
    y: AxisName
    names: tuple[str, ...]

    def numbers(self, places: Points) -> Order:
        """Return the number of each place's cell, or refuse the first place that has none."""
        numbers, cells = self.cells.find(places[:, columns_of((self.x, self.y))])
        if len(numbers) and numbers.min() < 0:
            at = int(np.argmin(numbers))
            mirrored, _ = self.cells.find(places[:, columns_of((self.y, self.x))])
            raise self._no_cell(places[at], cells[at], looks_swapped=bool((mirrored >= 0).all()))
        return numbers

    def check_ways(self, costs: Matrix, origins: Points, targets: Points) -> Matrix:
        """Return the costs between places unless one of them is infinite."""
        if costs.size and costs.max() == np.inf:
            origin, target = np.argwhere(costs == np.inf)[0]
            raise self._no_way(origins[origin], targets[target])
        return costs

    def check_space(self, space: AnySpace) -> None:
        """Refuse a space with places that have no cell, or that others cannot reach.

        Of infinitely many, a sample is looked up, and the middles of all cells that cannot be reached.
        """
        places = space.everything(MOST_PLACES)
        if places is None:
            places = space.sample(SAMPLED, stream(0, "raster"))
            places = np.vstack([places, self._unreachable(space, places)])
        component = self.cells.ways.searches.component[self.numbers(places)]
        if len(places) and (apart := component != np.bincount(component).argmax()).any():
            raise self._no_way(places[int(np.argmin(apart))], places[int(np.argmax(apart))])

    def _unreachable(self, space: AnySpace, some: Points) -> Points:
        """Return a place of a space in a cell that ``some`` of its places cannot reach, if there is one."""
        component = np.append(self.cells.ways.searches.component, -1)
        main = np.bincount(component[self.numbers(some)]).argmax()
        xy = self.cells.centres(np.argwhere(component[self.cells.ways.number] != main))
        places = np.repeat(some[:1], len(xy), axis=0)
        places[:, columns_of((self.x, self.y))] = xy
        places = places[space.contains(places)]
        # Where places snap to open cells, some may be reached after all.
        number, _ = self.cells.find(places[:, columns_of((self.x, self.y))])
        return np.asarray(places[component[number] != main][:1])

    def _no_cell(self, place: Values, cell: Values, looks_swapped: bool) -> InvalidInput:
        words = self._in_words(place)
        if self.cells.has(cell[None])[0]:
            near = place.copy()
            near[columns_of((self.x, self.y))] = self.cells.nearest(cell[None])[0]
            return InvalidInput(
                f"the place {words} is in the blocked cell of row {cell[0]:.0f}, column {cell[1]:.0f} of a "
                f"Raster; the nearest open place is {self._in_words(near)}, to be told where a "
                "setting was missed; leave it out of the space, open the map there, or move it to an open "
                "cell with snap"
            )
        if looks_swapped:
            return InvalidInput(
                f"the place {words} is off the map of a Raster, but on it with its axes swapped; "
                "swap x and y, or the columns of the places"
            )
        (west, east), (top, bottom) = self.cells.columns, self.cells.rows
        return InvalidInput(
            f"the place {words} is off the map of a Raster, which has x from {west:g} to {east:g} and y from "
            f"{top:g} to {bottom:g}; leave it out of the space, or extend the map"
        )

    def _no_way(self, origin: Values, target: Values) -> InvalidInput:
        here, there = self._in_words(origin), self._in_words(target)
        return InvalidInput(
            f"there is no way from {here} to the place {there} on a Raster; leave one out of the space, open "
            "the map between them, or keep to its largest_part()"
        )

    def _in_words(self, place: Values) -> str:
        return place_in_words(place, (self.x, self.y), self.names)

"""``Whereabouts``: the cells of the places of a space, refusing those off the map, blocked or cut off."""

import math

import numpy as np
from attrs import frozen

from wayfare.arrays import Matrix, Order, Points, Values
from wayfare.errors import InvalidInput
from wayfare.rng import stream
from wayfare.space.base import AnySpace
from wayfare.travel.axes import AxisName, columns_of, place_in_words
from wayfare.travel.cells import Cells
from wayfare.words import with_unit

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
        return (
            f"there is no way from {self._in_words(origin)} to the place {self._in_words(target)} on the map"
        )

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
        return (
            f"({', '.join(f'{name}={_exact(at)}' for name, at in zip(self._axes(), numbers, strict=True))})"
        )


def _exact(number: float) -> str:
    short = f"{number:.10g}"
    return short if float(short) == number else repr(number)


def _rounded_up(far: float) -> float:
    """Return a distance to three digits that is no shorter, so that it is enough as a ``snap``."""
    digit = 10.0 ** (math.floor(math.log10(far)) - 2)
    return math.ceil(far / digit) * digit

"""The line that a traveller follows from one place to another, as drawn in pictures and written to waypoints.

It is straight unless the cost knows better: a ``Raster`` leads around what is blocked, so its line turns at
the middles of cells. The functions below ``own_way`` work out these turns, in rows and columns of the map.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wayfare._core.arrays import Points, Values
from wayfare.errors import InvalidInput
from wayfare.travel.base import TravelCost, named

TOUCH = 1e-9
"""A line that has no more than this share of its length in a cell only touches its corner."""


def way(cost: TravelCost, origin: Values, target: Values) -> Points:
    """Return the (k, d) line to follow, in the user's units: both places, and the turns in between.

    Args:
        cost: its method ``way(origin, target)``, if it has one, returns the line, or None for a straight one.
        origin: (d,) the first place.
        target: (d,) the last place.
    """
    own = own_way(cost, origin, target)
    if own is None:
        return np.stack([origin, target])
    found = np.asarray(own, dtype=np.float64)
    if found.ndim != 2 or len(found) < 2 or found.shape[1] != len(origin) or not np.isfinite(found).all():
        raise InvalidInput(
            f"{named(cost)} returned a way of shape {found.shape}; it must be finite rows of {len(origin)} "
            "numbers, from the origin to the target"
        )
    return found


def own_way(cost: TravelCost, origin: Values, target: Values) -> Points | None:
    """Return the line that the cost itself knows; None if it knows none."""
    method = getattr(cost, "way", None)
    found: Points | None = None if method is None else method(origin, target)
    return found


def corners(cells: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return those of the (k, 2) cells of a path where its steps change, and both ends."""
    if len(cells) < 3:
        return cells
    steps = np.diff(cells, axis=0)
    kept = np.ones(len(cells), dtype=np.bool_)
    kept[1:-1] = (steps[1:] != steps[:-1]).any(axis=1)
    return cells[kept]


def turns_between(start: Values, middles: Points, end: Values) -> Points:
    """Return the turns from spot to spot over the middles of cells, all in rows and columns.

    A place need not be the middle of its cell. The middle of the first or last cell is left out if the line
    without it passes the same cells: a diagonal from beside the middle could cut the corner of another.
    """
    if len(middles) == 1:
        return middles[:0] if cells_crossed(start, end) == cells_crossed(middles[0], middles[0]) else middles
    first, last = cells_crossed(*middles[:2]), cells_crossed(*middles[-2:])
    if cells_crossed(start, middles[1]) == first:
        middles = middles[1:]
    before = middles[-2] if len(middles) > 1 else start
    return middles[:-1] if cells_crossed(before, end) == last else middles


def cells_crossed(start: Values, end: Values) -> set[tuple[int, int]]:
    """Return the cells that a straight line passes through, not those that it only touches."""
    cuts = [0.0, 1.0]  # the shares of the line at which it enters another row or column
    for a, b in zip(start.tolist(), end.tolist(), strict=True):
        borders = np.arange(np.ceil(min(a, b) - 0.5), np.floor(max(a, b) - 0.5) + 1) + 0.5
        cuts += [] if a == b else ((borders - a) / (b - a)).tolist()
    shares = np.array([(one + other) / 2 for one, other in pairwise(sorted(cuts)) if other - one > TOUCH])
    cells = np.rint(start + shares[:, None] * (end - start)).astype(int)
    return {(row, column) for row, column in cells.tolist()}


def line_through(
    origin: Values, target: Values, walked: Points, columns: list[int], xy: Points, held: Sequence[int]
) -> Points:
    """Return the rows from origin to target that pass these ``xy``, which are their ``columns``.

    ``walked`` is the same line with both ends, at its length on the ground. Other columns change evenly along
    it; those that are ``held`` change at its end.
    """
    steps = np.hypot(*np.diff(walked, axis=0).T)
    share = np.cumsum(steps)[:-1, None] / (steps.sum() or 1.0)
    rows = origin + share * (target - origin)
    rows[:, columns] = xy
    rows[:, list(held)] = origin[list(held)]
    return np.vstack([origin, rows, target])

"""The way between two places where it is no straight line: the points at which a traveller turns."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wayfare.arrays import Points, Values
from wayfare.errors import InvalidInput
from wayfare.travel.base import TravelCost
from wayfare.travel.price import named

ROUNDING = 1e-9
"""The share of a line in a cell that counts as none: it only touches the corner."""


def way(cost: TravelCost, origin: Values, target: Values) -> Points:
    """Return the (k, d) line to follow from one place to another: both ends, and the turns in between.

    The straight line, unless the cost has a method ``way(origin, target)`` that returns another, or None
    where it knows of none.
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
    """Return the way that a cost itself knows; None if it knows none."""
    know = getattr(cost, "way", None)
    found: Points | None = None if know is None else know(origin, target)
    return found


def only_way(costs: Iterable[TravelCost], origin: Values, target: Values) -> Points | None:
    """Return the way of the only cost that knows one; None where none does, or several do."""
    found = [one for cost in costs if (one := own_way(cost, origin, target)) is not None]
    return found[0] if len(found) == 1 else None


def corners(cells: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return those of the (k, 2) cells of a path where its steps change, and both ends."""
    if len(cells) < 3:
        return cells
    steps = np.diff(cells, axis=0)
    kept = np.ones(len(cells), dtype=np.bool_)
    kept[1:-1] = (steps[1:] != steps[:-1]).any(axis=1)
    return cells[kept]


def between(start: Values, middles: Points, end: Values) -> Points:
    """Return the turns from spot to spot over the middles of cells, all in rows and columns.

    A place need not be the middle of its cell. That of the first or last is left out where the line without
    it passes the same cells: a diagonal from beside the middle could cut the corner of another.
    """
    if len(middles) == 1:
        return middles[:0] if crossed(start, end) == crossed(middles[0], middles[0]) else middles
    first, last = crossed(*middles[:2]), crossed(*middles[-2:])
    if crossed(start, middles[1]) == first:
        middles = middles[1:]
    before = middles[-2] if len(middles) > 1 else start
    return middles[:-1] if crossed(before, end) == last else middles


def passing(
    origin: Values, target: Values, walked: Points, columns: list[int], xy: Points, held: Sequence[int]
) -> Points:
    """Return the rows from origin to target that pass these ``xy``, which are the ``columns`` of them.

    ``walked`` has all of the line, both ends included, as long as it is on the ground: other columns change
    evenly along it, and those that are ``held`` at its end.
    """
    steps = np.hypot(*np.diff(walked, axis=0).T)
    share = np.cumsum(steps)[:-1, None] / (steps.sum() or 1.0)
    rows = origin + share * (target - origin)
    rows[:, columns] = xy
    rows[:, list(held)] = origin[list(held)]
    return np.vstack([origin, rows, target])


def crossed(start: Values, end: Values) -> set[tuple[int, int]]:
    """Return the cells that a straight line passes through, not those that it only touches."""
    cuts = [0.0, 1.0]
    for a, b in zip(start.tolist(), end.tolist(), strict=True):
        low, high = min(a, b), max(a, b)
        edges = np.arange(np.ceil(low - 0.5), np.floor(high - 0.5) + 1) + 0.5
        cuts += [] if a == b else ((edges - a) / (b - a)).tolist()
    pieces = [(one, other) for one, other in pairwise(sorted(cuts)) if other - one > ROUNDING]
    shares = np.array([(one + other) / 2 for one, other in pieces])
    cells = np.rint(start + shares[:, None] * (end - start)).astype(int)
    return {(row, column) for row, column in cells.tolist()}

"""``Places``: a finite table of places, such as drill sites or a library of compounds."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import Factory, cmp_using, field, frozen
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core.arrays import Features, Mask, Matrix, Order, Points, Values, read_only, unique_rows
from wayfare.errors import InvalidInput
from wayfare.space.axes import Scalar
from wayfare.space.designs import nearest_rows, numbers_of
from wayfare.space.reading import read_table
from wayfare.space.space import Space

MOST_PAIRS = 4_000_000
"""Distances held at one time."""
TIES = 32
"""So many equally near rows are told apart by their place in the table, more by chance."""
TREE_FROM = 4096
"""Rows from which a k-d tree beats comparing with all of them."""


@frozen(init=False, repr=False)
class Places:
    """The rows of ``table``; rows that must not be visited are left out of it.

    Columns of text or booleans become choices, their values in order of appearance.

    Args:
        table: an array, a list of dicts or rows, or a DataFrame; no row twice.
        names: the names of an array's columns (default ``x0``, ``x1``, …), or the columns of dicts or a DataFrame
            to use (default all).
        once: a place may be visited only once.
    """

    table: Points = field(eq=cmp_using(eq=np.array_equal), hash=False)
    frame: Space
    """The box around the table as it was given: it reads, names and scales the places."""
    once: bool
    _whole: tuple[bool, ...]
    names: tuple[str, ...] = field(default=Factory(lambda one: one.frame.names, True), eq=False)
    d: int = field(default=Factory(lambda one: one.frame.d, True), eq=False)
    choices: tuple[tuple[Scalar, ...] | None, ...] = field(
        default=Factory(lambda one: one.frame.choices, True), eq=False
    )
    groups: NDArray[np.intp] = field(default=Factory(lambda one: one.frame.groups, True), eq=False)
    _origin: "tuple[Places, Mask] | None" = field(default=None, eq=False)
    """The whole table and which of its rows are left here: what finds rows and neighbours is made once for both."""

    def __init__(self, table: object, names: Sequence[str] | None = None, once: bool = False) -> None:
        columns, rows = read_table(table, names)
        frame = Space(*(column.axis for column in columns))
        self.__attrs_init__(rows, frame, bool(once), tuple(column.is_whole for column in columns))
        if self._rows.has_repeats:
            first, which = unique_rows(rows)
            again = int(np.argmax(first[which] != np.arange(len(rows))))
            raise InvalidInput(
                f"places {first[which[again]]} and {again} of the table are the same; drop the duplicates"
            )

    @classmethod
    def framed(cls, rows: Points, frame: Space, once: bool, whole: tuple[bool, ...]) -> "Places":
        """Return the places of these rows in a box that may span more than they do.

        Args:
            rows: (n, d) places, all different.
            frame: the box that reads, names and scales them.
            once: a place may be visited only once.
            whole: for each column, whether its numbers are shown as whole ones.
        """
        places = object.__new__(cls)
        places.__attrs_init__(read_only(rows + 0.0), frame, once, whole)
        return places

    def __repr__(self) -> str:
        return f"Places({self.size} places, names={list(self.names)}, once={self.once})"

    @property
    def size(self) -> int:
        """Number of places; 0 once all are visited."""
        return len(self.table)

    @cached_property
    def _neighbours(self) -> "Neighbours":
        return Neighbours(self.encode(self.table))

    @cached_property
    def _rows(self) -> "RowIndex":
        return RowIndex(self.table)

    def _nearest(self, points: Features, k: int) -> tuple[Order, Matrix]:
        """Return for each point its ``k`` nearest rows, nearest first, and their squared distances (``Neighbours``).

        The tree of a large table also serves for what is left of it: the rows that are gone are passed over.
        """
        if self._origin is None or len(self._origin[0].table) < TREE_FROM:
            return self._neighbours.nearest(points, k)
        (whole, left), wide = self._origin, 2 * k
        while True:
            wide = min(wide, whole.size)
            rows, squares = whole._neighbours.nearest(points, wide)
            gone = ~left[rows]
            if (wide - gone.sum(axis=1) >= k).all():
                break
            wide *= 4
        first = np.argsort(gone, axis=1, kind="stable")[:, :k]
        number = np.cumsum(left) - 1
        return number[np.take_along_axis(rows, first, axis=1)], np.take_along_axis(squares, first, axis=1)

    def column(self, axis: str | int) -> int:
        """Return the number of a column, given its name or already its number."""
        return self.frame.column(axis)

    def points(self, places: object) -> Points:
        """Return the (n, d) rows of the places that the user wrote; they need not be in the table."""
        return self.frame.points(places)

    def params(self, x: Points) -> dict[str, Scalar]:
        """Return one row as plain Python values by name; whole where the table was whole."""
        params = self.frame.params(x)
        for name, whole in zip(self.names, self._whole, strict=True):
            value = params[name]
            if whole and isinstance(value, float) and value.is_integer():
                params[name] = int(value)
        return params

    def index(self, x: Points) -> Order:
        """Return the position of each row in the table, -1 if it is not there."""
        if self._origin is None:
            return self._rows.find(x)
        whole, left = self._origin
        at = whole.index(x)
        found = (at >= 0) & left[at]
        return np.where(found, (np.cumsum(left) - 1)[at], -1) if found.any() else np.full(len(x), -1)

    def contains(self, x: Points) -> Mask:
        """Return which rows are in the table."""
        if self._origin is None:
            return self.index(x) >= 0
        whole, left = self._origin
        at = whole.index(x)
        return np.asarray((at >= 0) & left[at])

    def snap(self, x: Points) -> Points:
        """Return for each row itself if it is in the table, else the nearest place in the unit cube."""
        at = self.index(x)
        absent = at < 0
        if absent.any():
            self._check_any()
            at[absent] = self._nearest(self.encode(x[absent]), 1)[0][:, 0]
        return self.table[at]

    def encode(self, x: Points) -> Features:
        """Return the rows in the unit cube of the table as it was first given."""
        return self.frame.encode(x)

    def sample(self, n: int, rng: Generator) -> Points:
        """Return ``n`` different places at random, or all in table order if there are no more."""
        if n >= self.size:
            return self.table
        return self.table[rng.choice(self.size, size=n, replace=False)]

    def survey(self, start: Values, n: int, rng: Generator) -> Points:
        """Return the places nearest to a survey of the frame, none twice and none the start.

        Values of choices that were not shown yet come first, then the distance.

        Args:
            start: the place where the study begins, in the user's units.
            n: the number of places; fewer are returned if there are fewer.
            rng: draws the survey of the frame (``Space.survey``).
        """
        wanted = numbers_of(self, self.frame.survey(start, n, rng))
        if self.size >= TREE_FROM and not any(self.choices):
            return self._nearest_each(start, wanted)
        return nearest_rows(self, self.table, start[None, :], wanted, rng)

    def _nearest_each(self, start: Values, wanted: Features) -> Points:
        """Return for each wanted place the nearest of the table, none twice and none the start: as ``nearest_rows``."""
        taken = self.index(start[None, :]).tolist()
        k = min(self.size, len(wanted) + 1 + TIES)
        for place, rows in zip(wanted, self._nearest(wanted, k)[0], strict=True):
            near = np.sort(rows[~np.isin(rows, taken)])  # of equally near rows the first in the table
            if len(near):
                away = np.square(self.encode(self.table[near]) - place).sum(axis=1)
                taken.append(int(near[away.argmin()]))
        return np.asarray(self.table[taken[1:]])

    def around(self, x: Points, radius: float, n: int, rng: Generator) -> Points:
        """Return ``n`` places near each row, centre by centre, no place twice while others are left.

        A place at distance ``r`` in the unit cube is drawn with weight ``exp(-r**2 / 2 radius**2)``,
        so a radius below the spacing gives the nearest places.

        Args:
            x: (m, d) centres; they need not be in the table.
            radius: spread of the draws, in the unit cube.
            n: the number of places for each centre.
            rng: draws the places.
        """
        self._check_any()
        reach = min(self.size, max(4 * n, 64))
        rows, squares = self._nearest(self.encode(x), reach)
        # The n largest of log-weight plus Gumbel noise are a weighted draw without replacement.
        keys = rng.gumbel(size=squares.shape) - squares / (2 * max(radius, 1e-9) ** 2)
        keys[squares == 0] = -np.inf  # the centre itself comes last
        drawn = np.take_along_axis(rows, np.argsort(-keys, axis=1, kind="stable"), axis=1)
        return self.table[drawn[:, np.arange(n) % reach].ravel()]

    def everything(self, limit: int) -> Points | None:
        """Return all places if there are at most ``limit``, else None."""
        return self.table if self.size <= limit else None

    def without(self, x: Points) -> "Places":
        """Return the places left once these are visited: all, unless places are visited only once.

        The scaling stays that of the whole table, so features remain comparable.
        """
        if not self.once or not len(x):
            return self
        visited = self.index(x)
        if not (visited >= 0).any():
            return self
        left = np.ones(self.size, dtype=bool)
        left[visited[visited >= 0]] = False
        rest = Places.framed(self.table[left], self.frame, self.once, self._whole)
        whole, among = self, left
        if self._origin is not None:
            whole, among = self._origin[0], self._origin[1].copy()
            among[among] = left
        object.__setattr__(rest, "_origin", (whole, among))
        return rest

    def _check_any(self) -> None:
        if not self.size:
            raise InvalidInput("there are no places left: each was visited once; use once=False to return to them")


class RowIndex:
    """Finds rows of a table by their bits: by a number made of them, looked up in order, and then compared."""

    def __init__(self, table: Points) -> None:
        """Put the rows in the order of their numbers."""
        numbers = _mixed(table)
        self._table, self._order = table, np.argsort(numbers, kind="stable")
        self._numbers = numbers[self._order]

    @property
    def has_repeats(self) -> bool:
        """Whether any row is there twice."""
        same = np.flatnonzero(self._numbers[1:] == self._numbers[:-1])
        if not len(same):
            return False
        return len(unique_rows(self._table[self._order[np.union1d(same, same + 1)]])[0]) < len(
            np.union1d(same, same + 1)
        )

    def find(self, x: Points) -> Order:
        """Return the position of each row in the table, -1 if it is not there; -0.0 equals 0.0."""
        wanted = _mixed(x)
        begin = np.searchsorted(self._numbers, wanted, side="left")
        end = np.searchsorted(self._numbers, wanted, side="right")
        found = np.full(len(x), -1, dtype=np.intp)
        while (more := np.flatnonzero(begin < end)).size:  # once, but for different rows of one number
            at = self._order[begin[more]]
            equal = (self._table[at] == x[more]).all(axis=1)
            found[more[equal]] = at[equal]
            begin[more] += 1
            begin[more[equal]] = end[more[equal]]
        return found


def _mixed(x: Points) -> NDArray[np.uint64]:
    """Return for each row a number made of its bits, alike for equal rows, and hardly ever for others."""
    bits = np.ascontiguousarray(x + 0.0).view(np.uint64)  # + 0.0 turns -0.0 into 0.0
    number = np.zeros(len(x), dtype=np.uint64)
    for column in bits.T:
        number = (number ^ column ^ (column >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
        number ^= number >> np.uint64(32)
    return number


@frozen(eq=False)
class Neighbours:
    """Finds the nearest rows of a table of features."""

    table: Features

    def nearest(self, points: Features, k: int) -> tuple[Order, Matrix]:
        """Return for each point its ``k`` nearest rows, nearest first, and their squared distances.

        Both are (n, k), and ``k`` is 1 to ``len(table)``. Of equally near rows, the first comes first
        in tables below ``TREE_FROM`` rows.
        """
        if len(self.table) >= TREE_FROM and self.table.shape[1]:
            distances, rows = self._tree.query(points, k=np.arange(1, k + 1))
            return rows.astype(np.intp), distances**2
        rows = np.empty((len(points), k), dtype=np.intp)
        squares = np.empty((len(points), k))
        chunk = max(1, MOST_PAIRS // len(self.table))
        for start in range(0, len(points), chunk):
            some = self._squared_distances(points[start : start + chunk])
            near = np.argsort(some, axis=1, kind="stable")[:, :k] if k > 1 else some.argmin(axis=1)[:, None]
            rows[start : start + chunk] = near
            squares[start : start + chunk] = np.take_along_axis(some, near, axis=1)
        return rows, squares

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree  # slow to import, and small tables do without

        return cKDTree(self.table)

    def _squared_distances(self, points: Features) -> Matrix:
        # By differences, not by inner products: equal rows are exactly 0 apart.
        total = np.zeros((len(points), len(self.table)))
        for here, there in zip(points.T, self.table.T, strict=True):
            move = np.subtract.outer(here, there)
            total += np.multiply(move, move, out=move)
        return total

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

    def __init__(self, table: object, names: Sequence[str] | None = None, once: bool = False) -> None:
        columns, rows = read_table(table, names)
        first, which = unique_rows(rows)
        if len(first) < len(rows):
            again = int(np.argmax(first[which] != np.arange(len(rows))))
            raise InvalidInput(
                f"places {first[which[again]]} and {again} of the table are the same; drop the duplicates"
            )
        frame = Space(*(column.axis for column in columns))
        self.__attrs_init__(rows, frame, bool(once), tuple(column.is_whole for column in columns))

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
    def _rows(self) -> dict[bytes, int]:
        # By their bytes: a lookup is exact and takes no comparison with every row.
        return {row.tobytes(): i for i, row in enumerate(self.table)}

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
        data = (x + 0.0).tobytes()  # + 0.0 turns -0.0 into 0.0, as in the table
        row = 8 * self.d
        return np.array([self._rows.get(data[at : at + row], -1) for at in range(0, len(data), row)], dtype=np.intp)

    def contains(self, x: Points) -> Mask:
        """Return which rows are in the table."""
        return self.index(x) >= 0

    def snap(self, x: Points) -> Points:
        """Return for each row itself if it is in the table, else the nearest place in the unit cube."""
        at = self.index(x)
        absent = at < 0
        if absent.any():
            self._check_any()
            at[absent] = self._neighbours.nearest(self.encode(x[absent]), 1)[0][:, 0]
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
        return nearest_rows(self, self.table, start[None, :], wanted, rng)

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
        rows, squares = self._neighbours.nearest(self.encode(x), reach)
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
        return Places.framed(self.table[left], self.frame, self.once, self._whole)

    def _check_any(self) -> None:
        if not self.size:
            raise InvalidInput("there are no places left: each was visited once; use once=False to return to them")


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

"""``Places``: a finite table of places, such as drill sites or a library of compounds."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import cmp_using, field, frozen
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core import checks
from wayfare._core.arrays import Features, Mask, Matrix, Order, Points, Values, read_only, unique_rows
from wayfare.errors import InvalidInput
from wayfare.space.axes import Axis, Choice, Real, Scalar
from wayfare.space.reading import check_keys, frame_columns, is_frame
from wayfare.space.space import Space

# The rows of a table nearest to given points, all in the unit cube.


MOST_PAIRS = 4_000_000
"""Distances held at one time."""
TREE_FROM = 4096
"""Rows from which a k-d tree beats comparing with all of them."""


@frozen(eq=False)
class Neighbours:
    """Finds the nearest rows of ``table``."""

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
            some = squared_distances(points[start : start + chunk], self.table)
            near = np.argsort(some, axis=1, kind="stable")[:, :k] if k > 1 else some.argmin(axis=1)[:, None]
            rows[start : start + chunk] = near
            squares[start : start + chunk] = np.take_along_axis(some, near, axis=1)
        return rows, squares

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree  # slow to import, and small tables do without

        return cKDTree(self.table)


def squared_distances(a: Features, b: Features) -> Matrix:
    """Return the (n, m) squared distances, by differences: equal rows are exactly 0 apart."""
    total = np.zeros((len(a), len(b)))
    for column in range(a.shape[1]):
        move = np.subtract.outer(a[:, column], b[:, column])
        total += np.multiply(move, move, out=move)
    return total


# A table of places as users have it (array, dicts, DataFrame, rows), turned into axes and rows.


@frozen
class Column:
    """One column of a table: the axis that spans its values, and its numbers."""

    axis: Axis
    numbers: Values
    is_whole: bool
    """Whether the user gave whole numbers by type, and so expects them back."""


def read_table(table: object, names: Sequence[str] | None) -> tuple[list[Column], Points]:
    """Return the columns of a table and its (n, d) rows, read-only.

    ``names`` names the columns of an array or of rows, and picks columns of dicts or a DataFrame.
    """
    if isinstance(names, str):
        raise InvalidInput(f"names must be a list, got {names!r}; use [{names!r}]")
    wanted = None if names is None else [checks.name(name, "a column name") for name in names]
    columns = [_read_column(name, values) for name, values in _columns(table, wanted)]
    if not columns:
        raise InvalidInput("the table has no columns; give at least one")
    # + 0.0 turns -0.0 into 0.0: one place, one spelling.
    return columns, read_only(np.column_stack([column.numbers for column in columns]) + 0.0)


def _columns(table: object, names: list[str] | None) -> list[tuple[str, Any]]:
    if is_frame(table):
        return _frame_columns(table, names)
    if isinstance(table, np.ndarray):
        if table.ndim != 2:
            raise InvalidInput(f"a table of places needs two dimensions, got shape {table.shape}; use (n, d)")
        _check_filled(len(table))
        return _named(list(table.T if table.dtype.kind in "fiu" else table.T.tolist()), names)
    if not isinstance(table, Sequence) or isinstance(table, str | bytes):
        raise InvalidInput(f"a table of places must be an array, a list of dicts or a DataFrame, got {table!r}")
    _check_filled(len(table))
    if isinstance(table[0], Mapping):
        return _mapping_columns(table, names)
    return _named(_row_columns(table), names)


def _frame_columns(frame: Any, names: list[str] | None) -> list[tuple[str, Any]]:
    _check_filled(len(frame))
    known = [checks.name(name, "a column name") for name in frame_columns(frame)]
    return [(name, list(frame[_known(name, known)])) for name in (known if names is None else names)]


def _mapping_columns(rows: Sequence[Any], names: list[str] | None) -> list[tuple[str, Any]]:
    known = [checks.name(name, "a column name") for name in rows[0]]
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InvalidInput(f"place {i} of the table is {row!r}; use a dict like the first")
        check_keys(row, known, f"place {i} of the table")
    return [(name, [row[_known(name, known)] for row in rows]) for name in (known if names is None else names)]


def _known(name: str, known: list[str]) -> str:
    if name not in known:
        raise InvalidInput(f"the table has no column {name!r}; {checks.nearest(name, known)}")
    return name


def _row_columns(rows: Sequence[Any]) -> list[Any]:
    for i, row in enumerate(rows):
        if not isinstance(row, list | tuple | np.ndarray) or len(row) != len(rows[0]):
            raise InvalidInput(f"place {i} of the table is {row!r}; use rows of one length, or dicts")
    return [list(column) for column in zip(*rows, strict=True)]


def _named(columns: list[Any], names: list[str] | None) -> list[tuple[str, Any]]:
    names = [f"x{i}" for i in range(len(columns))] if names is None else names
    if len(names) != len(columns):
        raise InvalidInput(f"names has {len(names)} names for {len(columns)} columns; give one for each")
    return list(zip(names, columns, strict=True))


def _check_filled(n: int) -> None:
    if n == 0:
        raise InvalidInput("the table has no places at all; give at least one row")


def _read_column(name: str, values: Any) -> Column:
    if isinstance(values, np.ndarray):
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise InvalidInput(f"place {bad[0]} of the table: {name!r} must be finite, got {values[bad[0]]}")
        numbers = values.astype(np.float64)
        return Column(_spanning(name, numbers), numbers, values.dtype.kind in "iu")
    kinds = {_kind(value) for value in values}
    if len(kinds) > 1:
        odd = next(value for value in values if _kind(value) != _kind(values[0]))
        raise InvalidInput(f"column {name!r} of the table mixes {values[0]!r} with {odd!r}; use one kind of value")
    if kinds <= {"text", "boolean"}:
        choice = Choice(name, dict.fromkeys(values))
        return Column(choice, np.array([choice.read(value) for value in values]), False)
    numbers = np.array([checks.number(value, f"place {i} of the table: {name!r}") for i, value in enumerate(values)])
    is_whole = all(isinstance(value, int | np.integer) for value in values)
    return Column(_spanning(name, numbers), numbers, is_whole)


def _spanning(name: str, numbers: Values) -> Real:
    return Real(name, float(numbers.min()), float(numbers.max()))


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "text"
    return "boolean" if isinstance(value, bool | np.bool_) else "number"


@frozen(init=False, repr=False)
class Places:
    """The rows of ``table``: an array, a list of dicts or a DataFrame.

    Columns of text or booleans become choices, their values in order of appearance. ``names``
    names the columns of an array (``x0``, ``x1``, … by default) and picks those of dicts or a
    DataFrame. With ``once=True`` a place may be visited only once. What must not be visited is left out.
    """

    table: Points = field(eq=cmp_using(eq=np.array_equal), hash=False)
    frame: Space
    """The box around the table as it was given: it reads, names and scales the places."""
    once: bool
    _whole: tuple[bool, ...]

    def __init__(self, table: object, names: Sequence[str] | None = None, once: bool = False) -> None:
        columns, rows = read_table(table, names)
        _check_distinct(rows)
        frame = Space(*(column.axis for column in columns))
        self.__attrs_init__(rows, frame, bool(once), tuple(column.is_whole for column in columns))

    @classmethod
    def framed(cls, rows: Points, frame: Space, once: bool, whole: tuple[bool, ...]) -> "Places":
        """Return the places of these rows, all different, in a box that may span more than they do."""
        places = object.__new__(cls)
        places.__attrs_init__(read_only(rows + 0.0), frame, once, whole)
        return places

    def __repr__(self) -> str:
        return f"Places({self.size} places, names={list(self.names)}, once={self.once})"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return self.frame.names

    @property
    def d(self) -> int:
        """How many columns, constant ones included."""
        return self.frame.d

    @property
    def choices(self) -> tuple[tuple[Scalar, ...] | None, ...]:
        """For each column the values of a choice, or None where it holds numbers."""
        return self.frame.choices

    @property
    def groups(self) -> NDArray[np.intp]:
        """For each feature column, which active axis it belongs to."""
        return self.frame.groups

    @property
    def size(self) -> int:
        """How many places there are; 0 once all are visited."""
        return len(self.table)

    @cached_property
    def _neighbours(self) -> Neighbours:
        return Neighbours(self.encode(self.table))

    @cached_property
    def _rows(self) -> dict[bytes, int]:
        return {row.tobytes(): i for i, row in enumerate(self.table)}

    def column(self, axis: str | int) -> int:
        """Return the number of a column, given its name or already its number."""
        return self.frame.column(axis)

    def points(self, places: object) -> Points:
        """Return the (n, d) rows of what the user wrote; they need not be in the table."""
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
        """Return where each row stands in the table, -1 where it does not."""
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
        """Return ``n`` different places at random, or all in table order where there are no more."""
        if n >= self.size:
            return self.table
        return self.table[rng.choice(self.size, size=n, replace=False)]

    def around(self, x: Points, radius: float, n: int, rng: Generator) -> Points:
        """Return ``n`` places near each row, centre by centre, no place twice while others are left.

        A place at distance ``r`` in the unit cube is drawn with weight ``exp(-r**2 / 2 radius**2)``,
        so a radius below the spacing gives the nearest places.
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
        """Return what is left once these are visited: itself, unless places are visited only once.

        The scaling stays that of the whole table, so features remain comparable.
        """
        visited = self.index(x)
        if not self.once or not (visited >= 0).any():
            return self
        left = np.ones(self.size, dtype=bool)
        left[visited[visited >= 0]] = False
        return Places.framed(self.table[left], self.frame, self.once, self._whole)

    def _check_any(self) -> None:
        if not self.size:
            raise InvalidInput("there are no places left: each was visited once; use once=False to return to them")


def _check_distinct(rows: Points) -> None:
    first, which = unique_rows(rows)
    if len(first) < len(rows):
        again = next(i for i in range(len(rows)) if first[which[i]] != i)
        raise InvalidInput(f"places {first[which[again]]} and {again} of the table are the same; drop the duplicates")

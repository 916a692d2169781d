"""``Places``: a finite table of places, such as drill sites or a library of compounds."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from attrs import cmp_using, field, frozen
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare.arrays import Features, Mask, Order, Points, read_only, unique_rows
from wayfare.errors import InvalidInput
from wayfare.space.axes import Scalar
from wayfare.space.neighbours import Neighbours
from wayfare.space.space import Space
from wayfare.space.tables import read_table


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
        return np.array(
            [self._rows.get(data[at : at + row], -1) for at in range(0, len(data), row)], dtype=np.intp
        )

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
            raise InvalidInput(
                "there are no places left: each was visited once; use once=False to return to them"
            )


def _check_distinct(rows: Points) -> None:
    first, which = unique_rows(rows)
    if len(first) < len(rows):
        again = next(i for i in range(len(rows)) if first[which[i]] != i)
        raise InvalidInput(
            f"places {first[which[again]]} and {again} of the table are the same; drop the duplicates"
        )

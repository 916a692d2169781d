"""A table of places as users have it (array, dicts, DataFrame, rows), turned into axes and rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from wayfare import door
from wayfare.arrays import Points, Values, read_only
from wayfare.errors import InvalidInput
from wayfare.space.axes import Axis, Choice, Real
from wayfare.space.reading import check_keys, frame_columns, is_frame


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
    wanted = None if names is None else [door.name(name, "a column name") for name in names]
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
        raise InvalidInput(
            f"a table of places must be an array, a list of dicts or a DataFrame, got {table!r}"
        )
    _check_filled(len(table))
    if isinstance(table[0], Mapping):
        return _mapping_columns(table, names)
    return _named(_row_columns(table), names)


def _frame_columns(frame: Any, names: list[str] | None) -> list[tuple[str, Any]]:
    _check_filled(len(frame))
    known = [door.name(name, "a column name") for name in frame_columns(frame)]
    return [(name, list(frame[_known(name, known)])) for name in (known if names is None else names)]


def _mapping_columns(rows: Sequence[Any], names: list[str] | None) -> list[tuple[str, Any]]:
    known = [door.name(name, "a column name") for name in rows[0]]
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InvalidInput(f"place {i} of the table is {row!r}; use a dict like the first")
        check_keys(row, known, f"place {i} of the table")
    return [
        (name, [row[_known(name, known)] for row in rows]) for name in (known if names is None else names)
    ]


def _known(name: str, known: list[str]) -> str:
    if name not in known:
        raise InvalidInput(f"the table has no column {name!r}; {door.nearest(name, known)}")
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
        raise InvalidInput(
            f"column {name!r} of the table mixes {values[0]!r} with {odd!r}; use one kind of value"
        )
    if kinds <= {"text", "boolean"}:
        choice = Choice(name, dict.fromkeys(values))
        return Column(choice, np.array([choice.read(value) for value in values]), False)
    numbers = np.array(
        [door.number(value, f"place {i} of the table: {name!r}") for i, value in enumerate(values)]
    )
    is_whole = all(isinstance(value, int | np.integer) for value in values)
    return Column(_spanning(name, numbers), numbers, is_whole)


def _spanning(name: str, numbers: Values) -> Real:
    return Real(name, float(numbers.min()), float(numbers.max()))


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "text"
    return "boolean" if isinstance(value, bool | np.bool_) else "number"

"""Places and tables of places as users write them (dicts, DataFrames, arrays, rows), read into floats.

Every value is checked here, so that the rest of the package can trust a row.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from wayfare._core import checks
from wayfare._core.arrays import Points, Values, no_points, read_only
from wayfare._core.format import in_brackets
from wayfare.errors import InvalidInput
from wayfare.space.axes import Axis, Choice, Real


def read_points(places: object, axes: Sequence[Axis]) -> Points:
    """Return the (n, d) rows of ``places``, read-only.

    In dicts and DataFrames a choice is given by its value. In arrays and rows a number is the
    position of a choice's value, and text or a boolean is the value itself.
    """
    if isinstance(places, np.ndarray) and places.dtype.kind in "fiu":
        return _read_array(places, axes)
    if isinstance(places, Mapping):
        return read_only([_read_row(places, axes, "the place")])
    if is_frame(places):
        return _read_frame(places, axes)
    if isinstance(places, str | bytes) or not isinstance(places, Iterable):
        raise InvalidInput(f"places must be a dict, a list of dicts, a DataFrame or an array, got {places!r}")
    rows = np.atleast_1d(places).tolist() if isinstance(places, np.ndarray) else list(places)
    if not rows:
        return no_points(len(axes))
    if not any(isinstance(row, Mapping | list | tuple | np.ndarray) for row in rows):
        return read_only([_read_row(rows, axes, "the place")])
    return read_only([_read_row(row, axes, f"place {i}") for i, row in enumerate(rows)])


def _read_array(array: np.ndarray[Any, Any], axes: Sequence[Axis]) -> Points:
    d = len(axes)
    if array.shape == (0,):
        return no_points(d)
    table = array[None, :] if array.ndim == 1 else array
    if table.ndim != 2 or table.shape[1] != d:
        raise InvalidInput(f"places have shape {array.shape}, but there are {d} axes ({_names(axes)}); use (n, {d})")
    points = read_only(table)
    finite = np.isfinite(points)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise InvalidInput(f"place {row}: axis {axes[column].name!r} must be finite, got {points[row, column]}")
    for axis, numbers in zip(axes, points.T, strict=True):
        _check_numbers(axis, numbers, "place {}")
    return points


def _check_numbers(axis: Axis, numbers: Values, where: str) -> None:
    """Raise InvalidInput for the first number that cannot stand on the axis; ``{}`` in ``where`` is its position."""
    if isinstance(axis, Real):
        return
    whole = (numbers == np.rint(numbers)) & (np.abs(numbers) <= checks.LARGEST_WHOLE)
    good = whole if axis.choices is None else axis.snap(numbers) == numbers
    if good.all():
        return
    row = int(np.argmin(good))
    number, where = float(numbers[row]), f"{where.format(row)}: axis {axis.name!r}"
    if axis.choices is None:
        raise InvalidInput(f"{where} must be a whole number, got {number!r}")
    raise InvalidInput(
        f"{where} takes positions 0 to {axis.size - 1} in arrays, got {number:g}; give dicts to use its values"
    )


def _read_row(row: object, axes: Sequence[Axis], where: str) -> list[float]:
    if isinstance(row, Mapping):
        keys = _without_units(row, axes, where)
        check_keys(keys, [axis.name for axis in axes], where)
        return [read_value(axis, row[keys[axis.name]], where) for axis in axes]
    if not isinstance(row, list | tuple | np.ndarray):
        raise InvalidInput(f"{where} is {row!r}; use a dict or a row of {len(axes)} values ({_names(axes)})")
    if len(row) != len(axes):
        raise InvalidInput(f"{where} has {len(row)} values, but there are {len(axes)} axes ({_names(axes)})")
    return [_read_cell(axis, cell, where) for axis, cell in zip(axes, row, strict=True)]


def _without_units(heads: Iterable[Any], axes: Sequence[Axis], where: str) -> dict[Any, Any]:
    """Return the heads by the names of their axes: ``temp`` may be called ``temp [°C]``, as exports have it."""
    keys, names = {head: head for head in heads}, [axis.name for axis in axes]
    for axis in (one for one in axes if one.name not in keys):
        for head in [one for one in keys if isinstance(one, str) and one not in names]:
            if not (head.startswith(f"{axis.name} [") and head.endswith("]")):
                continue
            if head != in_brackets(axis.name, axis.unit):
                unit = f"is in {axis.unit} here; convert the numbers" if axis.unit else "has no unit here"
                raise InvalidInput(f"{where} has {head!r}, but axis {axis.name!r} {unit}")
            keys[axis.name] = keys.pop(head)
    return keys


def _read_cell(axis: Axis, cell: object, where: str) -> float:
    if axis.choices is None or isinstance(cell, str | bool | np.bool_):
        return read_value(axis, cell, where)
    position = checks.number(cell, f"{where}: axis {axis.name!r}")
    _check_numbers(axis, np.array([position]), where)
    return position


def read_value(axis: Axis, value: object, where: str) -> float:
    """Return the number of a value that the user wrote for an axis; ``where`` begins the error message."""
    try:
        return axis.read(value)
    except InvalidInput as refused:
        raise InvalidInput(f"{where}: {refused}") from None


def _names(axes: Sequence[Axis]) -> str:
    return ", ".join(axis.name for axis in axes)


def check_keys(keys: Iterable[Hashable], names: Sequence[str], where: str) -> None:
    """Raise InvalidInput for a key that is no axis, and for an axis that has no key."""
    check_known(keys, names, where)
    if missing := [name for name in names if name not in set(keys)]:
        lacks, every = (", ".join(map(repr, some)) for some in (missing, names))
        noun = "axis" if len(missing) == 1 else "axes"
        raise InvalidInput(f"{where} lacks {noun} {lacks}; give a value for each of {every}")


def check_known(keys: Iterable[Hashable], names: Sequence[str], where: str) -> None:
    """Raise InvalidInput for a key that is no axis."""
    for key in keys:
        if key not in names:
            raise InvalidInput(f"{where} has {key!r}, which is no axis; {checks.nearest(key, names)}")


def is_frame(places: object) -> bool:
    """Return whether this looks like a DataFrame (pandas itself is never imported)."""
    return hasattr(places, "columns") and hasattr(places, "__getitem__")


def _read_frame(frame: Any, axes: Sequence[Axis]) -> Points:
    keys = _without_units(_frame_columns(frame), axes, "the table")
    check_keys(keys, [axis.name for axis in axes], "the table")
    columns = [
        [read_value(axis, value, f"place {i}") for i, value in enumerate(frame[keys[axis.name]])] for axis in axes
    ]
    return read_only(np.array(columns, dtype=np.float64).reshape(len(axes), -1).T)


def _frame_columns(frame: Any) -> list[Any]:
    columns = list(frame.columns)
    if len(set(columns)) < len(columns):
        raise InvalidInput(f"the table has two columns of one name among {columns}; rename one")
    return columns


@frozen
class Column:
    """One column of a table: the axis that spans its values, and its numbers."""

    axis: Axis
    numbers: Values
    is_whole: bool
    """Whether the user gave whole numbers by type, and so expects them back."""


def read_table(table: object, names: Sequence[str] | None) -> tuple[list[Column], Points]:
    """Return the columns of a table of places and its (n, d) rows, read-only.

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


def _columns(table: Any, names: list[str] | None) -> list[tuple[str, Any]]:
    """Return each column's name and values."""
    if isinstance(table, np.ndarray):
        if table.ndim != 2:
            raise InvalidInput(f"a table of places needs two dimensions, got shape {table.shape}; use (n, d)")
    elif not is_frame(table) and (not isinstance(table, Sequence) or isinstance(table, str | bytes)):
        raise InvalidInput(f"a table of places must be an array, a list of dicts or a DataFrame, got {table!r}")
    if not len(table):
        raise InvalidInput("the table has no places at all; give at least one row")
    if isinstance(table, np.ndarray):
        return _named(list(table.T if table.dtype.kind in "fiu" else table.T.tolist()), names)
    if is_frame(table):
        return _picked(_frame_columns(table), names, table.__getitem__)
    if isinstance(table[0], Mapping):
        for i, row in enumerate(table):
            if not isinstance(row, Mapping):
                raise InvalidInput(f"place {i} of the table is {row!r}; use a dict like the first")
            check_keys(row, list(table[0]), f"place {i} of the table")
        return _picked(table[0], names, lambda name: [row[name] for row in table])
    for i, row in enumerate(table):
        if not isinstance(row, list | tuple | np.ndarray) or len(row) != len(table[0]):
            raise InvalidInput(f"place {i} of the table is {row!r}; use rows of one length, or dicts")
    return _named(list(zip(*table, strict=True)), names)


def _picked(known: Iterable[Any], names: list[str] | None, values: Callable[[str], Any]) -> list[tuple[str, Any]]:
    known = [checks.name(name, "a column name") for name in known]
    for name in names or ():
        if name not in known:
            raise InvalidInput(f"the table has no column {name!r}; {checks.nearest(name, known)}")
    return [(name, list(values(name))) for name in (known if names is None else names)]


def _named(columns: list[Any], names: list[str] | None) -> list[tuple[str, Any]]:
    names = [f"x{i}" for i in range(len(columns))] if names is None else names
    if len(names) != len(columns):
        raise InvalidInput(f"names has {len(names)} names for {len(columns)} columns; give one for each")
    return list(zip(names, columns, strict=True))


def _read_column(name: str, values: Any) -> Column:
    if isinstance(values, np.ndarray):
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise InvalidInput(f"place {bad[0]} of the table: {name!r} must be finite, got {values[bad[0]]}")
        numbers, is_whole = values.astype(np.float64), values.dtype.kind in "iu"
    elif (plain := _plain_numbers(values)) is not None:
        numbers, is_whole = plain, float not in set(map(type, values))
    else:
        kinds = [str if isinstance(one, str) else bool if isinstance(one, bool | np.bool_) else float for one in values]
        if len(set(kinds)) > 1:
            odd = next(value for value, kind in zip(values, kinds, strict=True) if kind != kinds[0])
            raise InvalidInput(f"column {name!r} of the table mixes {values[0]!r} with {odd!r}; use one kind of value")
        if kinds[0] is not float:
            choice = Choice(name, dict.fromkeys(values))
            return Column(choice, np.array([choice.read(value) for value in values]), False)
        where = f"of the table: {name!r}"
        numbers = np.array([checks.number(value, f"place {i} {where}") for i, value in enumerate(values)])
        is_whole = all(isinstance(value, int | np.integer) for value in values)
    return Column(Real(name, float(numbers.min()), float(numbers.max())), numbers, is_whole)


def _plain_numbers(values: Sequence[object]) -> Values | None:
    """Return finite numbers of Python's own types, as all are in a file; None if any is something else."""
    if not set(map(type, values)) <= {int, float}:
        return None
    try:
        numbers = np.array(values, dtype=np.float64)
    except OverflowError:
        return None
    return numbers if np.isfinite(numbers).all() else None

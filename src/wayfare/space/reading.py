"""Places as users write them (dicts, a DataFrame, arrays, rows), read into one table of floats."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from wayfare._core import checks
from wayfare._core.arrays import Points, no_points, read_only
from wayfare.errors import InvalidInput
from wayfare.space.axes import Axis, Choice


def read_points(places: object, axes: Sequence[Axis]) -> Points:
    """Return the (n, d) rows of ``places``, read-only.

    In dicts and DataFrames a choice is given by its value. In arrays and rows a number is the
    position of a choice's value, and text or a boolean is the value itself.
    """
    if isinstance(places, np.ndarray) and places.dtype.kind in "fiu":
        return _read_array(places, axes)
    if isinstance(places, Mapping):
        return read_only([_read_mapping(places, axes, "the place")])
    if is_frame(places):
        return _read_frame(places, axes)
    rows = _listed(places)
    if not rows:
        return no_points(len(axes))
    if not any(isinstance(row, Mapping | list | tuple | np.ndarray) for row in rows):
        return read_only([_read_row(rows, axes, "the place")])
    return read_only(
        [
            _read_mapping(row, axes, f"place {i}") if isinstance(row, Mapping) else _read_row(row, axes, f"place {i}")
            for i, row in enumerate(rows)
        ]
    )


def is_frame(places: object) -> bool:
    """Return whether this looks like a DataFrame (pandas itself is never imported)."""
    return hasattr(places, "columns") and hasattr(places, "__getitem__")


def _listed(places: object) -> list[Any]:
    if isinstance(places, np.ndarray):
        return list(places.tolist()) if places.ndim else [places.item()]
    if isinstance(places, str | bytes) or not isinstance(places, Iterable):
        raise InvalidInput(f"places must be a dict, a list of dicts, a DataFrame or an array, got {places!r}")
    return list(places)


def _read_array(array: np.ndarray[Any, Any], axes: Sequence[Axis]) -> Points:
    d = len(axes)
    table = array[None, :] if array.ndim == 1 and len(array) else array
    if array.ndim == 1 and not len(array):
        return no_points(d)
    if table.ndim != 2 or table.shape[1] != d:
        raise InvalidInput(f"places have shape {array.shape}, but there are {d} axes ({_names(axes)}); use (n, {d})")
    points = read_only(table)
    finite = np.isfinite(points)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise InvalidInput(f"place {row}: axis {axes[column].name!r} must be finite, got {points[row, column]}")
    for column, axis in enumerate(axes):
        good = axis.accepts(points[:, column])
        if not good.all():
            row = int(np.argmin(good))
            _refuse_number(axis, float(points[row, column]), f"place {row}")
    return points


def _refuse_number(axis: Axis, number: float, where: str) -> None:
    if isinstance(axis, Choice):
        raise InvalidInput(
            f"{where}: axis {axis.name!r} takes positions 0 to {axis.size - 1} in arrays, got {number:g}; "
            "give dicts to use its values"
        )
    raise InvalidInput(f"{where}: axis {axis.name!r} must be a whole number, got {number!r}")


def _read_mapping(place: Mapping[Any, Any], axes: Sequence[Axis], where: str) -> list[float]:
    check_keys(place, [axis.name for axis in axes], where)
    return [_read(axis, place[axis.name], where) for axis in axes]


def check_keys(keys: Iterable[Hashable], names: Sequence[str], where: str) -> None:
    """Refuse keys that are no axis, and axes that have no key."""
    given = set(keys)
    for key in keys:
        if key not in names:
            raise InvalidInput(f"{where} has {key!r}, which is no axis; {checks.nearest(key, names)}")
    for name in names:
        if name not in given:
            raise InvalidInput(f"{where} lacks axis {name!r}; give a value for each of {', '.join(map(repr, names))}")


def _read_frame(frame: Any, axes: Sequence[Axis]) -> Points:
    check_keys(frame_columns(frame), [axis.name for axis in axes], "the table")
    columns = [[_read(axis, value, f"place {i}") for i, value in enumerate(frame[axis.name])] for axis in axes]
    return read_only(np.array(columns, dtype=np.float64).reshape(len(axes), -1).T)


def frame_columns(frame: Any) -> list[Any]:
    """Return the column names of a DataFrame, each once."""
    columns = list(frame.columns)
    if len(set(columns)) < len(columns):
        raise InvalidInput(f"the table has two columns of one name among {columns}; rename one")
    return columns


def _read_row(row: object, axes: Sequence[Axis], where: str) -> list[float]:
    if not isinstance(row, list | tuple | np.ndarray):
        raise InvalidInput(f"{where} is {row!r}; use a dict or a row of {len(axes)} values ({_names(axes)})")
    cells = list(row)
    if len(cells) != len(axes):
        raise InvalidInput(f"{where} has {len(cells)} values, but there are {len(axes)} axes ({_names(axes)})")
    return [_read_cell(axis, cell, where) for axis, cell in zip(axes, cells, strict=True)]


def _read_cell(axis: Axis, cell: object, where: str) -> float:
    if isinstance(axis, Choice) and not isinstance(cell, str | bool | np.bool_):
        position = checks.number(cell, f"{where}: axis {axis.name!r}")
        if not axis.accepts(np.array([position]))[0]:
            _refuse_number(axis, position, where)
        return position
    return _read(axis, cell, where)


def _read(axis: Axis, value: object, where: str) -> float:
    try:
        return axis.read(value)
    except InvalidInput as refused:
        raise InvalidInput(f"{where}: {refused}") from None


def _names(axes: Sequence[Axis]) -> str:
    return ", ".join(axis.name for axis in axes)

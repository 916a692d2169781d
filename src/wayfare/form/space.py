"""Axes as plain data: ``{name = "temp_C", low = 40, high = 120}``."""

import csv
import json
import math
import re
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from wayfare._core.arrays import Values
from wayfare._core.parse import PLAIN, WHOLE
from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.keys import check_plain, path, read_text, shown
from wayfare.space import AnySpace, Choice, Integer, Places, Real, Space
from wayfare.space.axes import Axis, Scalar
from wayfare.space.forbidden import Region


def _scalars(values: object, where: str) -> list[Scalar]:
    some = keys.listed(values, where)
    for i, value in enumerate(some):
        if not isinstance(value, str | bool | int | float):
            keys.refuse(f"{where}[{i}]", "text, a number or a boolean", value)
    return list(some)


@frozen
class _Kind:
    """A kind of axis: how its fields are read, and which may be left out."""

    build: type[Axis]
    read: dict[str, Callable[[Any, str], Any]]
    optional: tuple[str, ...] = ()


KINDS = {
    "real": _Kind(Real, {"low": keys.number, "high": keys.number, "log": keys.flag}, ("log",)),
    "integer": _Kind(Integer, {"low": keys.whole, "high": keys.whole, "step": keys.whole}, ("step",)),
    "choice": _Kind(Choice, {"values": _scalars}),
}


def read_axes(forms: object, where: str) -> Space:
    """Return the space that a list of axes spans."""
    if not isinstance(forms, list | tuple):
        keys.refuse(where, f"a list of tables, each under [[{where}]]", forms)
    axes = [read_axis(form, f"{where}[{i}]") for i, form in enumerate(forms)]
    with keys.refused_at(where):
        return Space(*axes)


def read_axis(form: object, where: str) -> Axis:
    """Return the axis; without a ``kind`` it is real."""
    fields = keys.table(form, where)
    word = keys.one_of(fields.get("kind", "real"), path(where, "kind"), KINDS, "kind")
    kind = KINDS[word]
    keys.table(form, where, ["name", "kind", *kind.read])
    name = keys.name(keys.needed(fields, "name", where, "every axis has one"), path(where, "name"))
    values = {
        key: read(keys.needed(fields, key, where, f"an axis of kind {word!r} needs it"), path(where, key))
        for key, read in kind.read.items()
        if key in fields or key not in kind.optional
    }
    with keys.refused_at(where):
        return kind.build(name, **values)


def write_axis(axis: Axis) -> dict[str, Any]:
    """Return the axis as plain data, nothing left out."""
    word, kind = next((word, kind) for word, kind in KINDS.items() if kind.build is type(axis))
    form: dict[str, Any] = {"name": axis.name, "kind": word}
    for key in kind.read:
        value = getattr(axis, key)
        form[key] = list(value) if isinstance(value, tuple) else value
    return form


# One place as plain data, and back.


def write_place(place: Values, space: AnySpace) -> dict[str, Any]:
    """Return a place by the names of its axes."""
    form: dict[str, Any] = {}
    for axis, number in zip(_axes(space), place.tolist(), strict=True):
        is_plain = axis.choices is None and not isinstance(axis, Integer)
        form[axis.name] = number if is_plain else axis.value(number)
    return form


def read_place(form: object, where: str, space: AnySpace) -> dict[str, Any]:
    """Return the place, if it has a value for each axis and nothing else."""
    place = keys.table(form, where, space.names)
    for axis in _axes(space):
        at = path(where, axis.name)
        value = keys.needed(place, axis.name, where, "give a value for each axis")
        if axis.choices is None:
            keys.number(value, at)
        elif not isinstance(value, str | bool | int | float):
            keys.refuse(at, "text, a number or a boolean", value)
        with keys.refused_at(at):
            axis.read(value)
    return dict(place)


def _axes(space: AnySpace) -> tuple[Axis, ...]:
    return space.frame.axes if isinstance(space, Places) else cast(Space, space).axes


# Places as plain data: a table column by column, inline or in a CSV file beside the study file.


NOT_FINITE = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE)


def read_places(form: object, where: str, folder: Path | None) -> Places:
    """Return the places of ``columns``, or of a ``file`` in ``folder``.

    ``frame`` are the axes, where they span more than the table: what is left of a larger table keeps the
    scaling and the choices of the whole.
    """
    if isinstance(form, str):
        raise InvalidInput(
            f"{where} must be a table, got {shown(form)}; a CSV file is named by {where} = "
            f"{{file = {json.dumps(form[:80], ensure_ascii=False)}}}"
        )
    fields = keys.table(form, where, ["file", "columns", "names", "once", "frame"])
    if ("file" in fields) == ("columns" in fields):
        raise InvalidInput(f"{where} needs either a file or columns, {'not both' if fields else 'got neither'}")
    if "file" in fields:
        file = keys.name(fields["file"], path(where, "file"))
        with keys.refused_at(path(where, "file")):
            columns = read_csv((folder or Path()) / file)
        check_plain(columns, path(where, "file"), new=True)
    else:
        columns = _read_columns(fields["columns"], path(where, "columns"))
    columns = _picked(columns, fields, where)
    once = keys.flag(fields.get("once", False), path(where, "once"))
    with keys.refused_at(where):
        places = Places(list(zip(*columns.values(), strict=True)), list(columns), once)
    if "frame" not in fields:
        return places
    return _framed(places, read_axes(fields["frame"], path(where, "frame")), path(where, "frame"))


def write_places(places: Places) -> dict[str, Any]:
    """Return the places as plain data: the table in columns, and the frame if it spans more than the table.

    A column that was whole is written in whole numbers and comes back so.
    """
    columns: dict[str, list[Any]] = {}
    for at, (name, values) in enumerate(zip(places.names, places.choices, strict=True)):
        numbers = places.table[:, at].tolist()
        if values is not None:
            columns[name] = [values[int(number)] for number in numbers]
        else:
            columns[name] = [int(number) for number in numbers] if places._whole[at] else numbers
    form: dict[str, Any] = {"columns": columns, "once": places.once}
    if Places(list(zip(*columns.values(), strict=True)), list(columns), places.once) != places:
        form["frame"] = [write_axis(axis) for axis in places.frame.axes]
    return form


def _framed(places: Places, frame: Space, where: str) -> Places:
    with keys.refused_at(where):
        rows = frame.points([places.params(row) for row in places.table])
        if not frame.contains(rows).all():
            raise InvalidInput("does not hold all of the places")
    return Places.framed(rows, frame, places.once, places._whole)


def _read_columns(form: object, where: str) -> dict[str, Any]:
    columns = {key: keys.listed(cells, path(where, key)) for key, cells in keys.table(form, where).items()}
    first = next(iter(columns), "")
    for key, cells in columns.items():
        n, many = len(columns[first]), len(cells)
        if many != n:
            raise InvalidInput(f"{path(where, key)} has {many} values, but {path(where, first)} has {n}")
        for i, cell in enumerate(cells):
            if not isinstance(cell, str | bool | int | float):
                keys.refuse(f"{path(where, key)}[{i}]", "text, a number or a boolean", cell)
    return columns


def _picked(columns: dict[str, Any], fields: Mapping[str, Any], where: str) -> dict[str, Any]:
    if "names" not in fields:
        return columns
    at = path(where, "names")
    return {
        keys.one_of(name, f"{at}[{i}]", columns, "column"): columns[name]
        for i, name in enumerate(keys.listed(fields["names"], at))
    }


def read_csv(file: Path) -> dict[str, list[str | int | float]]:
    """Return the columns of a CSV file by the names in its first row; blank rows are left out."""
    try:
        rows = [row for row in csv.reader(StringIO(read_text(file), newline=""), strict=True) if row]
    except csv.Error as error:
        raise InvalidInput(f"{file}: not valid CSV: {error}") from error
    if not rows:
        raise InvalidInput(f"{file}: is empty; its first row names the columns")
    header = [cell.strip() for cell in rows[0]]
    if len(set(header)) < len(header) or "" in header:
        raise InvalidInput(f"{file}: the first row must name each column once, got {shown(', '.join(header))}")
    for i, row in enumerate(rows[1:], 1):
        if len(row) != len(header):
            raise InvalidInput(f"{file}: row {i} has {len(row)} cells, but there are {len(header)} columns")
        if "" in (cells := [cell.strip() for cell in row]):
            raise InvalidInput(f"{file}: row {i} has no value for {shown(header[cells.index('')])}")
    return {name: [_cell(row[at].strip()) for row in rows[1:]] for at, name in enumerate(header)}


def _cell(cell: str) -> str | int | float:
    # So many digits are no count; and Python refuses to read thousands of them.
    if WHOLE.fullmatch(cell) and len(cell) < 300:
        return int(cell)
    return float(cell) if PLAIN.fullmatch(cell) or NOT_FINITE.fullmatch(cell) else cell


# Forbidden regions as plain data: ``{temp_C = [100, 120], solvent = ["ether"]}``.
#
# An open end is ``inf`` or ``-inf``, which TOML has and JSON has not; so it is kept as ``{low = 100}``.


def write_region(region: Region) -> dict[str, Any]:
    """Return a region by the names of its axes."""
    form: dict[str, Any] = {}
    for side in region.sides:
        if side.values is not None:
            form[side.axis] = list(side.values)
        else:
            form[side.axis] = _write_ends(side.low, side.high)
    return form


def read_forbidden(forms: object, space: Space | Places) -> Space:
    """Return the space without the regions of a list of tables."""
    if isinstance(space, Places):
        raise InvalidInput("forbidden belongs to axes; of [places], leave out the rows that must not be visited")
    if not isinstance(forms, list | tuple):
        keys.refuse("forbidden", "a list of tables, each under [[forbidden]]", forms)
    regions = []
    for i, form in enumerate(forms):
        where = f"forbidden[{i}]"
        table = keys.table(form, where, space.names)
        regions.append({name: _read_side(side, path(where, name)) for name, side in table.items()})
    return Space(*space.axes, forbidden=regions)


def open_ends(form: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a form whose open ends are written such that JSON can hold them, too."""
    regions = form.get("forbidden") if isinstance(form, Mapping) else None
    if not isinstance(regions, list | tuple):
        return form
    return {**form, "forbidden": [_opened(region) for region in regions]}


def _opened(region: object) -> object:
    if not isinstance(region, Mapping):
        return region
    return {
        name: _write_ends(*side) if _has_open_end(side) and len(side) == 2 else side for name, side in region.items()
    }


def _has_open_end(side: Any) -> bool:
    return isinstance(side, list | tuple) and any(isinstance(end, float) and math.isinf(end) for end in side)


def _write_ends(low: float, high: float) -> list[float] | dict[str, float]:
    ends = {} if low == -math.inf else {"low": low}
    ends |= {} if high == math.inf else {"high": high}
    return [low, high] if len(ends) == 2 else ends


def _read_side(side: object, where: str) -> Any:
    if not isinstance(side, Mapping):
        return side
    ends = keys.table(side, where, ["low", "high"])
    return tuple(keys.number(ends[end], path(where, end)) if end in ends else None for end in ("low", "high"))

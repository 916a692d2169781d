"""Places as plain data: a table column by column, inline or in a CSV file beside the study file."""

import csv
import json
import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.axes import read_axes, write_axis
from wayfare.form.files import read_text
from wayfare.form.plain import check_plain, path, shown
from wayfare.space import Places, Space
from wayfare.typed import PLAIN, WHOLE

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
        raise InvalidInput(
            f"{where} needs either a file or columns, {'not both' if fields else 'got neither'}"
        )
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
        raise InvalidInput(
            f"{file}: the first row must name each column once, got {shown(', '.join(header))}"
        )
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

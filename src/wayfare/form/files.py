"""Files that users write beside or as a study file: TOML, CSV and JSON of a sensible size, in UTF-8.

Every refusal names the file, so that a user with several knows which one to correct.
"""

import csv
import json
import re
import tomllib
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

from wayfare._core.parse import PLAIN, WHOLE
from wayfare.errors import InvalidInput
from wayfare.form.keys import shown

LARGEST = 10_000_000
"""Bytes in a file; a study file has a few hundred, a table of 100,000 sites a few million."""
_NOT_FINITE = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE)


def read_study_file(path: str | Path) -> dict[str, Any]:
    """Return the form that a TOML study file holds; ``read_spec`` makes a specification of it."""
    form: dict[str, Any] = _parsed(path, tomllib.loads, "TOML")
    return form


def read_geojson(path: Path) -> Any:
    """Return the content of a GeoJSON file."""
    return _parsed(path, json.loads, "GeoJSON")


def _parsed(path: str | Path, parse: Callable[[str], Any], kind: str) -> Any:
    text = _read_text(path)
    try:
        return parse(text)
    except RecursionError as error:
        raise InvalidInput(f"{path}: nested too deep") from error
    except ValueError as error:  # malformed, or a number of thousands of digits
        raise InvalidInput(f"{path}: not valid {kind}: {' '.join(str(error).split())}") from error


def read_csv(path: Path) -> dict[str, list[str | int | float]]:
    """Return the columns of a CSV file by the names in its first row; blank rows are left out."""
    try:
        rows = [row for row in csv.reader(StringIO(_read_text(path), newline=""), strict=True) if row]
    except csv.Error as error:
        raise InvalidInput(f"{path}: not valid CSV: {error}") from error
    if not rows:
        raise InvalidInput(f"{path}: is empty; its first row names the columns")
    # Spaces around a cell are never meant, and a cell of spaces is empty.
    header, *cells = [[cell.strip() for cell in row] for row in rows]
    if len(set(header)) < len(header) or "" in header:
        raise InvalidInput(f"{path}: the first row must name each column once, got {shown(', '.join(header))}")
    for i, row in enumerate(cells, 1):
        if len(row) != len(header):
            raise InvalidInput(f"{path}: row {i} has {len(row)} cells, but there are {len(header)} columns")
        if "" in row:
            raise InvalidInput(f"{path}: row {i} has no value for {shown(header[row.index('')])}")
    return {name: [_cell(row[at]) for row in cells] for at, name in enumerate(header)}


def _cell(cell: str) -> str | int | float:
    # A number of 300 digits is no count, and Python refuses to read thousands of them.
    if WHOLE.fullmatch(cell) and len(cell) < 300:
        return int(cell)
    return float(cell) if PLAIN.fullmatch(cell) or _NOT_FINITE.fullmatch(cell) else cell


def _read_text(path: str | Path) -> str:
    """Return the content of a text file without its byte order mark."""
    try:
        file = Path(path)
        if file.is_dir():
            raise InvalidInput(f"{path}: is a directory; name a file in it")
        if file.exists() and not file.is_file():
            raise InvalidInput(f"{path}: is not a regular file")
        with file.open("rb") as stream:
            data = stream.read(LARGEST + 1)  # a file may be endless
    except InvalidInput:
        raise
    except FileNotFoundError as error:
        raise InvalidInput(f"{path}: no such file") from error
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror or error}") from error
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{str(path)!r} is no path to a file") from error
    if len(data) > LARGEST:
        raise InvalidInput(f"{path}: larger than {LARGEST // 1_000_000} MB")
    if b"\0" in data:
        raise InvalidInput(f"{path}: holds NUL bytes, so it is not a text file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{path}: not UTF-8 text (line {line}); save it as UTF-8") from error

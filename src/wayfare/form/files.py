"""Files that users write as a study file or below its folder: TOML, CSV and JSON of a sensible size, in UTF-8.

Every refusal names the file, so that a user with several knows which one to correct. A file may come from a stranger:
what it names is read only below its own folder, and reading it takes bounded time.
"""

import csv
import json
import os
import re
import stat
import tomllib
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

from wayfare._core.parse import PLAIN, WHOLE
from wayfare.errors import InvalidInput
from wayfare.form.keys import check_depth, shown

LARGEST = 10_000_000
"""Bytes in a file; a study file has a few hundred, a table of 100,000 sites a few million."""
MOST_DOTS = 20
"""Dots in a key of a study file; a reader's work grows with their square."""
_NOT_FINITE = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE)
# Possessive, so that no text makes the search go back and forth.
_KEY = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?<![\w-]){_KEY}(?:[ \t]*+\.[ \t]*+{_KEY}){{{MOST_DOTS + 1}}}")


def read_study_file(path: str | Path) -> dict[str, Any]:
    """Return the form that a TOML study file holds; ``read_spec`` makes a specification of it."""
    form: dict[str, Any] = _parsed(path, parse_toml, "TOML")
    return form


def read_study_text(text: str, what: str) -> dict[str, Any]:
    """Return the form that the text of a TOML study file holds; ``what`` names it in refusals."""
    if len(text) > LARGEST:
        raise InvalidInput(f"{what}: larger than {LARGEST // 1_000_000} MB")
    form: dict[str, Any] = _understood(text, parse_toml, "TOML", what)
    return form


def read_value(text: str) -> Any:
    """Return a value as a study file has it: ``60``, ``[40, 140]``, ``true``; several with commas; else text.

    None if there is nothing.
    """
    if not text.strip():
        return None
    if "\n" in text or len(text) > LARGEST:
        raise InvalidInput(f"{shown(text)} is no single value; write it on one line")
    try:
        return parse_toml(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return [read_value(part.strip()) for part in text.split(",")] if "," in text else text.strip()


def read_geojson(path: Path) -> Any:
    """Return the content of a GeoJSON file."""
    return _parsed(path, lambda text: json.loads(text, parse_constant=_refuse), "GeoJSON")


def file_below(folder: Path | None, name: str) -> Path:
    """Return the path of the file that a study file in ``folder`` names; refuse one that is not below that folder.

    Without a folder every file is refused: archives and stores hold all of a study, and are never a reason to read.
    """
    if folder is None:
        raise InvalidInput(
            f"the file {shown(name)} is not read, as only a study file may name others; write it out here"
        )
    try:
        root = os.path.realpath(folder)
        inside = os.path.commonpath([root, os.path.realpath(os.path.join(root, name))]) == root
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{shown(name)} is no path to a file") from error
    if not inside:
        raise InvalidInput(f"{shown(name)} is not in the folder of the study file; copy it there and name the copy")
    return folder / name


def parse_toml(text: str) -> dict[str, Any]:
    """Return what TOML text holds; a ``ValueError`` or a ``RecursionError`` if it is none."""
    if (found := _LONG_KEY.search(text)) is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"a key of more than {MOST_DOTS} dots (at line {line})")
    return tomllib.loads(text)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _parsed(path: str | Path, parse: Callable[[str], Any], kind: str) -> Any:
    return _understood(_read_text(path), parse, kind, str(path))


def _understood(text: str, parse: Callable[[str], Any], kind: str, what: str) -> Any:
    try:
        form = parse(text)
        check_depth(form)
        return form
    except InvalidInput as error:
        raise InvalidInput(f"{what}: {error}") from error
    except RecursionError as error:
        raise InvalidInput(f"{what}: nested too deep") from error
    except ValueError as error:  # malformed, or a number of thousands of digits
        raise InvalidInput(f"{what}: not valid {kind}: {' '.join(str(error).split())}") from error


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
        # Opened without waiting, then looked at: a pipe without a writer would wait for ever.
        with open(file, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise InvalidInput(f"{path}: is not a regular file")
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

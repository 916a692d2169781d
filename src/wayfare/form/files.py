"""Files as users write them: text of a sensible size, or a refusal that names the file."""

import tomllib
from pathlib import Path
from typing import Any

from wayfare.errors import InvalidInput

LARGEST = 10_000_000
"""Bytes in a file; a study file has a few hundred, a table of 100,000 sites a few million."""


def read_study_file(path: str | Path) -> dict[str, Any]:
    """Return the form that a TOML study file holds; ``read_spec`` makes a specification of it."""
    text = read_text(path)
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise InvalidInput(f"{path}: nested too deep") from error
    except ValueError as error:  # malformed, or a number of thousands of digits
        raise InvalidInput(f"{path}: not valid TOML: {' '.join(str(error).split())}") from error


def read_text(path: str | Path) -> str:
    """Return what a text file holds; a byte order mark is left out."""
    try:
        file = Path(path)
        if file.is_dir():
            raise InvalidInput(f"{path}: is a directory; name a file in it")
        if file.exists() and not file.is_file():
            raise InvalidInput(f"{path}: is not a regular file")
        with file.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise InvalidInput(f"{path}: no such file") from error
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror or error}") from error
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
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

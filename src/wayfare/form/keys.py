"""The fields of a form, read one by one; a refusal names the field by its path."""

import math
import numbers
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, time
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from wayfare._core import checks
from wayfare.errors import InvalidInput

# Plain data: what a form may hold, how it is shown in a refusal, and where it stands.


DEEPEST = 20
"""How deep costs may stand within costs, and policies within policies."""
NESTED = 3 * DEEPEST
"""Tables and lists within each other, enough for the deepest cost with its matrix."""
LARGEST_BITS = 1024
"""Whole numbers of more bits are beyond every float."""
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def check_plain(form: object, where: str = "", *, new: bool) -> None:
    """Refuse what TOML or JSON cannot hold, and numbers that are not finite, at any depth.

    In a ``new`` form, text with control characters too: no newline in a name, no NUL in a value. A study
    made in Python may have them, so what was kept is read as it is.
    """
    # A stack of our own: a form nested a thousand deep must not exhaust Python's.
    ahead: list[tuple[object, str, int]] = [(form, where, 0)]
    while ahead:
        value, at, depth = ahead.pop()
        if depth > NESTED:
            raise InvalidInput(f"{at[:60]}…: nested too deep, more than {NESTED} tables and lists")
        if isinstance(value, Mapping):
            for key in value:
                _check_key(key, at, new)
            ahead.extend((value[key], path(at, key), depth + 1) for key in reversed(list(value)))
        elif isinstance(value, list | tuple):
            if not _are_floats(value):
                ahead.extend((one, f"{at}[{i}]", depth + 1) for i, one in reversed(list(enumerate(value))))
        else:
            _check_leaf(value, at, new)


def path(where: str, key: str) -> str:
    """Return where ``key`` of the table at ``where`` stands."""
    shown = key if re.fullmatch(r"[^\s.'\"\[\]]+", key) and not CONTROL.search(key) else repr(key)
    return f"{where}.{shown}" if where else shown


def shown(value: object) -> str:
    """Return a value for the end of a refusal: on one line, and short however long it is."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, date | time):
        return f"the date or time {value}"
    if isinstance(value, int) and value.bit_length() > LARGEST_BITS:
        return "a number of more than 300 digits"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _check_key(key: object, where: str, new: bool) -> None:
    if not isinstance(key, str):
        raise InvalidInput(f"{where or 'the form'} has the key {shown(key)}; keys must be text")
    if new and CONTROL.search(key):
        raise InvalidInput(f"{path(where, key)}: a key with a control character; leave it out")


def _check_leaf(value: object, where: str, new: bool) -> None:
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        if value.bit_length() > LARGEST_BITS:
            raise InvalidInput(f"{where} must be finite, got {shown(value)}")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(f"{where} must be finite, got {value!r}")
    elif isinstance(value, str):
        if new and CONTROL.search(value):
            raise InvalidInput(f"{where} has a control character, got {shown(value)}; leave it out")
    else:
        raise InvalidInput(f"{where} must be a number, text or a boolean, got {shown(value)}")


def _are_floats(values: Sequence[Any]) -> bool:
    """Return whether all are finite floats: the quick way through a large matrix."""
    return set(map(type, values)) == {float} and all(map(math.isfinite, values))


def refuse(where: str, must: str, value: object) -> NoReturn:
    """Say what the field must be and what it is."""
    raise InvalidInput(f"{where} must be {must}, got {shown(value)}")


def table(value: object, where: str, known: Iterable[str] | None = None) -> Mapping[str, Any]:
    """Return ``value`` if it is a table, and all its keys are ``known``."""
    if not isinstance(value, Mapping):
        refuse(where or "the form", "a table", value)
    if known is not None:
        keys = list(known)
        for key in value:
            if key not in keys:
                raise InvalidInput(f"{path(where, key)}: unknown key; {checks.nearest(key, keys, 'keys')}")
    return value


def needed(form: Mapping[str, Any], key: str, where: str, hint: str) -> Any:
    """Return the value of a key that must be there."""
    if key not in form:
        raise InvalidInput(f"{path(where, key)} is missing; {hint}")
    return form[key]


def listed(value: object, where: str) -> Sequence[Any]:
    """Return ``value`` if it is a list with something in it."""
    if not isinstance(value, list | tuple):
        refuse(where, "a list", value)
    if not value:
        raise InvalidInput(f"{where} must not be empty; give at least one")
    return value


def text(value: object, where: str) -> str:
    """Return ``value`` if it is text."""
    if not isinstance(value, str):
        refuse(where, "text", value)
    return value


def name(value: object, where: str) -> str:
    """Return ``value`` if it is text with something in it."""
    return checks.name(text(value, where), where)


def one_of(value: object, where: str, known: Iterable[str], what: str) -> str:
    """Return ``value`` if it is one of the ``known`` words."""
    words = list(known)
    word = text(value, where)
    if word not in words:
        hint = checks.nearest(word[:80], words, "axes" if what == "axis" else f"{what}s")
        raise InvalidInput(f"{where}: there is no {what} {shown(word)}; {hint}")
    return word


def number(value: object, where: str) -> float:
    """Return ``value`` as a finite float."""
    return checks.number(_numeric(value, where), where)


def positive(value: object, where: str) -> float:
    """Return ``value`` as a finite float above zero."""
    return checks.positive(_numeric(value, where), where)


def not_negative(value: object, where: str) -> float:
    """Return ``value`` as a finite float, 0 or above."""
    return checks.not_negative(_numeric(value, where), where)


def share(value: object, where: str) -> float:
    """Return ``value`` as a float from 0 to 1."""
    return checks.share(_numeric(value, where), where)


def whole(value: object, where: str) -> int:
    """Return ``value`` as an int; 3.0 is one."""
    return checks.whole(_numeric(value, where), where)


def count(value: object, where: str, least: int) -> int:
    """Return ``value`` as an int of at least ``least``; it must be an integer by type."""
    return checks.count(_numeric(value, where), where, least)


def integer(value: object, where: str) -> int:
    """Return ``value`` as an int if it is one by type."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        refuse(where, "a whole number", value)
    return int(value)


def flag(value: object, where: str) -> bool:
    """Return ``value`` if it is true or false."""
    if not isinstance(value, bool | np.bool_):
        refuse(where, "true or false", value)
    return bool(value)


def _numeric(value: object, where: str) -> object:
    # The door would show the whole of a long list.
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        refuse(where, "a number", value)
    return value


@contextmanager
def refused_at(where: str, owner: type | None = None, fields: Iterable[str] = ()) -> Iterator[None]:
    """Put the path in front of what a constructor refuses, on one line.

    Where the refusal begins with one of the constructor's ``fields``, it becomes the end of the path.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        message = " ".join(str(error).split())
        if owner is not None:
            message = message.removeprefix(f"{owner.__name__}: ")
        first, _, rest = message.partition(" ")
        at = path(where, first.strip("'")) if first.strip("'") in fields else ""
        raise InvalidInput(f"{at} {rest}" if at else f"{where}: {message}") from error


# Files as users write them: text of a sensible size, or a refusal that names the file.


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


# What a caller supplies in place of a form, held against what the form says.


def check_same(kept: Any, given: Any, where: str) -> None:
    """Refuse what differs from what was kept, but for the parts that only Python can hold."""
    at = _first_difference(kept, given, where)
    if at is not None:
        raise InvalidInput(
            f"{where}: what is supplied differs from what the study was made with, in {at}; supply the same"
        )


def _first_difference(kept: Any, given: Any, where: str) -> str | None:
    if isinstance(kept, Mapping) and kept.get("kind") == "custom":
        return None
    if isinstance(kept, Mapping) and isinstance(given, Mapping):
        for key in {**kept, **given}:
            if key not in kept or key not in given:
                return path(where, key)
            if (at := _first_difference(kept[key], given[key], path(where, key))) is not None:
                return at
        return None
    if isinstance(kept, list) and isinstance(given, list) and len(kept) == len(given):
        for i, (one, other) in enumerate(zip(kept, given, strict=True)):
            if (at := _first_difference(one, other, f"{where}[{i}]")) is not None:
                return at
        return None
    return None if kept == given else where

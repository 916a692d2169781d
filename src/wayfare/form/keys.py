"""The fields of a form, read one by one; a refusal names the field by its path."""

import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from wayfare import door
from wayfare.errors import InvalidInput
from wayfare.form.plain import path, shown


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
                raise InvalidInput(f"{path(where, key)}: unknown key; {door.nearest(key, keys, 'keys')}")
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
    return door.name(text(value, where), where)


def one_of(value: object, where: str, known: Iterable[str], what: str) -> str:
    """Return ``value`` if it is one of the ``known`` words."""
    words = list(known)
    word = text(value, where)
    if word not in words:
        hint = door.nearest(word[:80], words, "axes" if what == "axis" else f"{what}s")
        raise InvalidInput(f"{where}: there is no {what} {shown(word)}; {hint}")
    return word


def number(value: object, where: str) -> float:
    """Return ``value`` as a finite float."""
    return door.number(_numeric(value, where), where)


def positive(value: object, where: str) -> float:
    """Return ``value`` as a finite float above zero."""
    return door.positive(_numeric(value, where), where)


def not_negative(value: object, where: str) -> float:
    """Return ``value`` as a finite float, 0 or above."""
    return door.not_negative(_numeric(value, where), where)


def share(value: object, where: str) -> float:
    """Return ``value`` as a float from 0 to 1."""
    return door.share(_numeric(value, where), where)


def whole(value: object, where: str) -> int:
    """Return ``value`` as an int; 3.0 is one."""
    return door.whole(_numeric(value, where), where)


def count(value: object, where: str, least: int) -> int:
    """Return ``value`` as an int of at least ``least``; it must be an integer by type."""
    return door.count(_numeric(value, where), where, least)


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

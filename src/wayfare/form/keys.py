"""Read the fields of a form one by one; a refusal names the field by its path, as in ``travel.parts[1].fee``.

The constructors behind these readers check their arguments, too, but they know no path and would show all of a long
list.
"""

import math
import numbers
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, time
from typing import Any, NoReturn, TypeVar

import numpy as np

from wayfare._core import checks
from wayfare.errors import InvalidInput

Number = TypeVar("Number", int, float)

DEEPEST = 20
"""Levels of costs within costs, and of policies within policies."""
_NESTED = 3 * DEEPEST
"""Levels of tables and lists within each other, enough for the deepest cost with its matrix."""
LONGEST_KEY = 200
LONGEST_TEXT = 10_000
"""Characters of a value; a choice may be the sequence of a protein."""
_LARGEST_BITS = 1024
"""Whole numbers of more bits are beyond every float."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def check_plain(form: object, where: str = "", *, new: bool) -> None:
    """Refuse values that TOML or JSON cannot hold, and numbers that are not finite, at any depth.

    In a ``new`` form, text with control characters too: no newline in a name, no NUL in a value. A study made in Python
    may have them, so a stored form is read as it is.
    """
    # A stack of our own: a form nested a thousand deep must not exhaust Python's.
    ahead: list[tuple[object, str, int]] = [(form, where, 0)]
    while ahead:
        value, at, depth = ahead.pop()
        if depth > _NESTED:  # before the path grows long
            raise InvalidInput(f"{at[:60]}…: nested too deep, more than {_NESTED} tables and lists")
        if isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    raise InvalidInput(f"{at or 'the form'} has the key {shown(key)}; keys must be text")
                if new and len(key) > LONGEST_KEY:
                    raise InvalidInput(f"{path(at, key[:80])}…: a key of {len(key)} characters; {LONGEST_KEY} at most")
                if new and _CONTROL.search(key):
                    raise InvalidInput(f"{path(at, key)}: a key with a control character; leave it out")
            # Reversed, so that the first wrong field of the form is the one refused.
            ahead.extend((value[key], path(at, key), depth + 1) for key in reversed(list(value)))
        elif isinstance(value, str):
            if new and len(value) > LONGEST_TEXT:
                raise InvalidInput(f"{at} has {len(value)} characters; {LONGEST_TEXT} at most")
            if new and _CONTROL.search(value):
                raise InvalidInput(f"{at} has a control character, got {shown(value)}; leave it out")
        elif isinstance(value, int | float):  # and a boolean is an int
            if value.bit_length() > _LARGEST_BITS if isinstance(value, int) else not math.isfinite(value):
                raise InvalidInput(f"{at} must be finite, got {shown(value)}")
        elif not isinstance(value, list | tuple):
            raise InvalidInput(f"{at} must be a number, text or a boolean, got {shown(value)}")
        # A list of finite floats needs no further look, which makes a large matrix quick.
        elif set(map(type, value)) != {float} or not all(map(math.isfinite, value)):
            ahead.extend((one, f"{at}[{i}]", depth + 1) for i, one in reversed(list(enumerate(value))))


def check_depth(form: object) -> None:
    """Refuse tables and lists nested deeper than those of any study or map."""
    level = [form]
    for _ in range(_NESTED):
        inner = [list(one.values()) if isinstance(one, Mapping) else one for one in level]
        level = [one for some in inner if isinstance(some, list) for one in some if isinstance(one, list | dict)]
        if not level:
            return
    raise InvalidInput(f"nested too deep, more than {_NESTED} tables and lists")


def path(where: str, key: str) -> str:
    """Return the path of ``key`` in the table at ``where``."""
    shown = key if re.fullmatch(r"[^\s.'\"\[\]]+", key) and not _CONTROL.search(key) else repr(key)
    return f"{where}.{shown}" if where else shown


def shown(value: object) -> str:
    """Return a value for the end of a refusal: on one line, and short however long it is."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, date | time):
        return f"the date or time {value}"
    if isinstance(value, int) and value.bit_length() > _LARGEST_BITS:
        return "a number of more than 300 digits"  # Python refuses to show thousands of them
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def refuse(where: str, must: str, value: object) -> NoReturn:
    """Raise ``InvalidInput`` with what the field must be and what it is."""
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


def tables(value: object, where: str) -> Sequence[Any]:
    """Return ``value`` if it is a list, such as TOML makes of ``[[where]]``."""
    if not isinstance(value, list | tuple):
        refuse(where, f"a list of tables, each under [[{where}]]", value)
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


def scalar(value: object, where: str) -> str | bool | int | float:
    """Return ``value`` if it is text, a number or a boolean."""
    if not isinstance(value, str | bool | int | float):
        refuse(where, "text, a number or a boolean", value)
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
    words = list(known)  # it may be an iterator, and is used twice
    word = text(value, where)
    if word not in words:
        hint = checks.nearest(word[:80], words, "axes" if what == "axis" else f"{what}s")
        raise InvalidInput(f"{where}: there is no {what} {shown(word)}; {hint}")
    return word


def _checked(check: Callable[[object, str], Number]) -> Callable[[object, str], Number]:
    def read(value: object, where: str) -> Number:
        return check(_numeric(value, where), where)

    return read


def _numeric(value: object, where: str) -> object:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        refuse(where, "a number", value)
    return value


number = _checked(checks.number)
positive = _checked(checks.positive)
not_negative = _checked(checks.not_negative)
share = _checked(checks.share)
whole = _checked(checks.whole)


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


@contextmanager
def refused_at(where: str, owner: type | None = None, fields: Iterable[str] = ()) -> Iterator[None]:
    """Put the path in front of a constructor's refusal, on one line.

    If the refusal begins with one of the constructor's ``fields``, that becomes the end of the path.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        message = " ".join(str(error).split())
        if owner is not None:
            message = message.removeprefix(f"{owner.__name__}: ")
        first, _, rest = message.partition(" ")
        field = first.strip("'")  # attrs quotes the field, our own checks do not
        said = f"{path(where, field)} {rest}" if field in fields else f"{where}: {message}"
        raise InvalidInput(said) from error


def check_same(stored: Any, given: Any, where: str) -> None:
    """Refuse a form that differs from the stored one, except in parts that only Python can hold."""
    if (at := _first_difference(stored, given, where)) is not None:
        raise InvalidInput(
            f"{where}: what is supplied differs from what the study was made with, in {at}; supply the same"
        )


def _first_difference(stored: Any, given: Any, where: str) -> str | None:
    pairs: Iterable[tuple[str, Any, Any]]
    if isinstance(stored, Mapping) and stored.get("kind") == "custom":
        return None
    if isinstance(stored, Mapping) and isinstance(given, Mapping):
        # A key that only one of them has compares as True and False.
        pairs = (
            (path(where, key), stored[key], given[key])
            if key in stored and key in given
            else (path(where, key), key in stored, key in given)
            for key in {**stored, **given}
        )
    elif isinstance(stored, list) and isinstance(given, list) and len(stored) == len(given):
        pairs = ((f"{where}[{i}]", *both) for i, both in enumerate(zip(stored, given, strict=True)))
    else:
        return None if stored == given else where
    found = (_first_difference(one, other, at) for at, one, other in pairs)
    return next((at for at in found if at is not None), None)

"""Plain data: what a form may hold, how it is shown in a refusal, and where it stands."""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, time
from typing import Any

from wayfare.errors import InvalidInput

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

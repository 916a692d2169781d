"""Places, costs and counts as text for messages, tables and prompts."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

LATITUDE, LONGITUDE = ("lat", "latitude"), ("lon", "lng", "long", "longitude")
"""Names of axes in degrees on the earth, in lower case (``space.geographic`` reads longer names, too)."""

# Control characters, line separators, halves of characters, and marks that turn or hide text ...
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# ... but for the joiners, without which some scripts and emoji are misspelt.
_HARMLESS = {"\u200c", "\u200d"}


def unsafe_in(text: str) -> set[str]:
    """Return the characters of a text that can command a terminal, break a line or hide what follows."""
    if text.isascii() and text.isprintable():
        return set()
    return {one for one in set(text) - _HARMLESS if unicodedata.category(one) in _UNSAFE}


def in_words(params: Mapping[str, Any]) -> str:
    """Return a place as text: ``temp_C=72.5, catalyst=Pd``."""
    return ", ".join(f"{name}={setting(name, value)}" for name, value in params.items())


def changes(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> str:
    """Return the changes from one place to the next: ``temp_C 60 → 72, catalyst same``."""
    if before is None:
        return in_words(after)
    return ", ".join(
        f"{name} same" if before[name] == value else f"{name} {setting(name, before[name])} → {setting(name, value)}"
        for name, value in after.items()
    )


def setting(axis: str, value: object) -> str:
    """Return a value of an axis as text: ``72.5``; degrees on the earth to a tenth of a metre."""
    if isinstance(value, float) and axis.lower() in LATITUDE + LONGITUDE:
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return shown(value)


def shown(value: object) -> str:
    """Return a value of a place as text."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def with_unit(cost: float, unit: str) -> str:
    """Return a cost with its unit."""
    return f"{cost:.6g} {unit}".rstrip()


def rough(number: float, digits: int = 3) -> str:
    """Return an estimate, no more precise than it is: 12345.6 becomes ``12300``."""
    return f"{float(f'{number:.{digits}g}'):.6g}"


def roughly(cost: float, unit: str) -> str:
    """Return the estimate of a cost with its unit."""
    return f"{rough(cost)} {unit}".rstrip()


def side_by_side(cost: float, unit: str, also: Sequence[tuple[str, float]]) -> str:
    """Return a cost in every currency: ``12 min and 3.4 EUR``."""
    return " and ".join([with_unit(cost, unit), *(with_unit(other, its) for its, other in also)])


def counted(number: int, noun: str) -> str:
    """Return a number of things: ``1 stop``, ``3 stops``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def results(count: int) -> str:
    """Return a number of results: ``1 result``, ``5,000 results``."""
    return f"{count:,} result{'' if count == 1 else 's'}"


def mean_of(count: int) -> str:
    """Return the text for a value that averages results: ``mean of 3 results``."""
    return f"mean of {results(count)}"

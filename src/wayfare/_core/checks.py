"""Checks of user input: numbers, counts and names, with errors that name the value and the way out.

Constructors and public functions call these, so that inner code can trust its arguments. ``what`` names the
value in the error message.
"""

import difflib
import math
import numbers
from collections.abc import Iterable

from wayfare.errors import InvalidInput

LARGEST_WHOLE = 2**53
"""Beyond this, neighbouring whole numbers share one float."""

LONGEST_SHOWN = 200
"""Characters of a value that a refusal shows."""
MOST_COMPARED = 1000
"""Known words among which the nearest is looked for."""
LARGEST_PLACE = 1e150
"""Beyond this, the square of a distance is no float any more."""


def brief(value: object) -> str:
    """Return a value for a refusal, cut where it is long: a file may hold anything."""
    try:
        text = repr(value)
    except ValueError:  # Python shows no number of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def number(value: object, what: str) -> float:
    """Return ``value`` as a finite float."""
    # bool is a number to Python, but True degrees is a mistake.
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidInput(f"{what} must be a number, got {brief(value)}")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise InvalidInput(f"{what} must be finite, got {brief(value)}")
    return result


def positive(value: object, what: str) -> float:
    """Return ``value`` as a finite float above zero."""
    result = number(value, what)
    if result <= 0:
        raise InvalidInput(f"{what} must be above 0, got {brief(value)}")
    return result


def not_negative(value: object, what: str) -> float:
    """Return ``value`` as a finite float, 0 or above."""
    result = number(value, what)
    if result < 0:
        raise InvalidInput(f"{what} must not be negative, got {brief(value)}")
    return result


def share(value: object, what: str) -> float:
    """Return ``value`` as a float from 0 to 1."""
    result = number(value, what)
    if not 0 <= result <= 1:
        raise InvalidInput(f"{what} must be from 0 to 1, got {brief(value)}")
    return result


def whole(value: object, what: str) -> int:
    """Return ``value`` as an int; 3.0 is one, 2.5 is refused."""
    result = number(value, what)
    if not result.is_integer():
        raise InvalidInput(f"{what} must be a whole number, got {brief(value)}")
    if abs(result) > LARGEST_WHOLE:
        raise InvalidInput(f"{what} must be within ±2**53, got {brief(value)}")
    return int(result)


def count(value: object, what: str, least: int) -> int:
    """Return ``value`` as an int of at least ``least``; it must be an integer by type."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise InvalidInput(f"{what} must be a whole number of at least {least}, got {brief(value)}")
    return int(value)


def name(value: object, what: str) -> str:
    """Return ``value`` if it is text that is not blank."""
    if not isinstance(value, str):
        raise InvalidInput(f"{what} must be text, got {brief(value)}")
    if not value.strip():
        raise InvalidInput(f"{what} must not be empty, got {brief(value)}")
    return value


def part(value: object, what: str, method: str) -> None:
    """Raise InvalidInput unless ``value`` is an object with that method; a class instead of an object is a mistake."""
    if isinstance(value, type):
        raise InvalidInput(f"{what} is the class {value.__name__}; use an object, {value.__name__}(...)")
    if not hasattr(value, method):
        raise InvalidInput(f"{what} must be an object with a method {method!r}, got {brief(value)}")


def nearest(word: object, known: Iterable[object], label: str = "names") -> str:
    """Return the end of an error message: the known word that ``word`` is close to, or a list of them."""
    shown = {str(one): brief(one) for one in known}
    # Comparing takes the product of the lengths, and there may be many.
    compared = [one for one in list(shown)[:MOST_COMPARED] if len(one) + len(str(word)) <= LONGEST_SHOWN]
    close = difflib.get_close_matches(str(word), compared, n=1)
    if close and str(word) not in shown:
        return f"did you mean {shown[close[0]]}?"
    some = list(shown.values())[:10]
    return f"the {label} are {', '.join(some)}{', …' if len(shown) > 10 else ''}"

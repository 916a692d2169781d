"""Read numbers that a user typed: ASCII and plain decimal, so that no other spelling is guessed at."""

import math
import re

from wayfare.errors import InvalidInput

# float() alone would also accept "1_0", "１２", "nan" and " 7 ".
PLAIN = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WHOLE = re.compile(r"[+-]?[0-9]+")
COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
LONGEST = 80
"""Characters of typed text that a message repeats at most."""
DATABASES = ("postgresql://", "postgres://")
"""Prefixes of the address of a database, where a store may be a file or a database."""


def read_number(text: str, what: str) -> float:
    """Return the number in ``text``; ``what`` names it in the error message."""
    if PLAIN.fullmatch(text) is None or not math.isfinite(number := float(text)):
        raise InvalidInput(f"{what} must be a finite number such as 72.5, got {shown(text)}{hint(text)}")
    return number


def hint(text: str) -> str:
    """Return the end of an error message if a decimal comma was typed, else an empty text."""
    return f"; write a point: {text.replace(',', '.')}" if COMMA.fullmatch(text.strip()[:LONGEST]) else ""


def shown(text: str) -> str:
    """Return ``text`` in quotes for a message, cut after ``LONGEST`` characters."""
    return repr(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")

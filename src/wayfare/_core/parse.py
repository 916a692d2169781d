"""Numbers as people type them: ASCII, plain, nothing guessed."""

import math
import re

from wayfare.errors import InvalidInput

# float() would also take "1_0", "１２", "nan" and " 7 ".
PLAIN = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WHOLE = re.compile(r"[+-]?[0-9]+")
COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
LONGEST = 80


def read_number(text: str, what: str) -> float:
    """Return the number that was typed; ``what`` names it in the refusal."""
    if PLAIN.fullmatch(text) is None or not math.isfinite(number := float(text)):
        raise InvalidInput(f"{what} must be a finite number such as 72.5, got {shown(text)}{hint(text)}")
    return number


def hint(text: str) -> str:
    """Return the end of a refusal where a decimal comma was typed; else nothing."""
    return f"; write a point: {text.replace(',', '.')}" if COMMA.fullmatch(text.strip()[:LONGEST]) else ""


def shown(text: str) -> str:
    """Return what was typed for a message: in quotes, and not endless."""
    return repr(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")

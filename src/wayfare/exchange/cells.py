"""Cells of a CSV file: text that no spreadsheet takes for a formula, numbers that come back bit for bit."""

import math
import re

from wayfare import typed

FORMULA = tuple("=+-@＝＋－＠")
"""How a formula begins, spaces aside; some spreadsheets take the wide signs too."""
FEWEST_DIGITS = 6
"""A spreadsheet that rounds what it saves keeps so many digits at least."""


def quoted(cell: str) -> str:
    """Return a cell as it stands in the file: in quotes where it would be misread without."""
    if any(sign in cell for sign in ',"\r\n') or cell != cell.strip():
        return '"' + cell.replace('"', '""') + '"'
    return cell


def guarded(text: str) -> str:
    """Return text with an apostrophe in front if a spreadsheet would take it for a formula."""
    return f"'{text}" if is_risky(text) else text


def bare(cell: str) -> str:
    """Return the text without the apostrophe that ``guarded`` put in front; another one stays."""
    return cell[1:] if cell.startswith("'") and is_risky(cell[1:]) else cell


def is_risky(text: str) -> bool:
    """Return whether a spreadsheet might take the text for a formula, or its apostrophe for a mark."""
    return text.startswith(("'", "\t", "\r", "\n")) or text.lstrip().startswith(FORMULA)


def write_number(number: float | None) -> str:
    """Return a number in full; an empty cell for none."""
    return "" if number is None else repr(number)


def read_number(cell: str, what: str) -> float:
    """Return the number in a cell; spaces around it do no harm."""
    return typed.read_number(cell.strip(" "), what)


def agrees(cell: str, number: float) -> bool:
    """Return whether a cell holds the number, as far as its digits go: spreadsheets round what they save."""
    given = float(cell)
    if given == number or number == 0:
        return given == number
    digits = re.sub(r"[eE].*|[^0-9]", "", cell).lstrip("0")
    kept = min(max(len(digits), FEWEST_DIGITS), 17)
    last = 10.0 ** (math.floor(math.log10(abs(number))) - kept + 1)
    return abs(given - number) <= 0.5000001 * last

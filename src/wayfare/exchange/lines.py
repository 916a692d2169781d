"""CSV text taken apart: cells line by line, whatever its line ends and its byte order mark."""

import csv
from collections.abc import Iterator
from io import StringIO

from wayfare.errors import InvalidInput

LARGEST = 50_000_000
"""Characters in a file: far beyond 100,000 trials."""


def read_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of a line and its cells; the first are the header, and blank lines are left out.

    A cell in quotes may hold line ends and anything else; the line is then the one it begins on.
    """
    if len(text) > LARGEST:
        raise InvalidInput(f"the file is larger than {LARGEST // 1_000_000} MB")
    reader = csv.reader(StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    line, width = 1, 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if not width:
                    _check_commas(cells, line)
                elif len(cells) != width:
                    raise InvalidInput(f"line {line}: {len(cells)} cells, but there are {width} columns")
                width = len(cells)
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidInput(f"line {line}: not valid CSV: {error}") from error
    if not width:
        raise InvalidInput("the file is empty; its first line names the columns")


def _check_commas(header: list[str], line: int) -> None:
    for sign, words in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and sign in header[0]:
            raise InvalidInput(
                f"line {line}: the columns are separated by {words}; save the file with commas"
            )

"""Plain text in columns, the same in a pipe as on a terminal."""

from collections.abc import Sequence


def columns(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table: the first column flush left, the others flush right, two spaces between."""
    table = [heads, *rows]
    widths = [max(len(row[at]) for row in table) for at in range(len(heads))]
    lines = (
        [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        for row in table
    )
    return "\n".join("  ".join(line).rstrip() for line in lines)

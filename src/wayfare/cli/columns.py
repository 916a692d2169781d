"""Plain text in columns, the same in a pipe as on a terminal."""

from collections.abc import Collection, Sequence

from wayfare.cli.text import WIDTH, pad, plain, width, wrap

GAP = "  "
# A column folded narrower than this is no longer readable.
NARROWEST = 20


def columns(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: Collection[int] = (0,),
    fold: int | None = None,
) -> str:
    """Return a table, two spaces between its columns.

    The columns numbered in ``left`` are flush left, the others flush right. The column ``fold`` is broken
    into several lines if the table would be wider than a terminal.
    """
    table = [[plain(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(width(row[at]) for row in table) for at in range(len(heads))]
    if fold is not None:
        others = sum(widths) - widths[fold] + len(GAP) * (len(heads) - 1)
        # A number broken in two is set wrongly: a table that needs it is wider than a terminal instead.
        longest = max(width(word) for row in table for word in row[fold].split(" "))
        widths[fold] = min(widths[fold], max(WIDTH - others, NARROWEST, min(longest, WIDTH // 2)))
    lines = []
    for row in table:
        folded = [wrap(cell, widths[at]) if at == fold else [cell] for at, cell in enumerate(row)]
        for level in range(max(map(len, folded))):
            cells = [cell[level] if level < len(cell) else "" for cell in folded]
            padded = (pad(cell, widths[at], at in left) for at, cell in enumerate(cells))
            lines.append(GAP.join(padded).rstrip())
    return "\n".join(lines)


def fits(table: str) -> bool:
    """Return whether a table is no wider than a terminal."""
    return all(width(line) <= WIDTH for line in table.splitlines())


def listing(entries: Sequence[tuple[str, str]], indent: str = "") -> str:
    """Return names and what stands behind them, a line each or as many as it takes.

    A name that leaves too little room stands on a line of its own.
    """
    keys = [plain(key) for key, _ in entries]
    room = max((width(key) for key in keys), default=0)
    if width(indent) + room + len(GAP) > WIDTH - NARROWEST:
        return "\n".join(_below(key, text, indent) for key, (_, text) in zip(keys, entries, strict=True))
    lines = []
    for key, (_, text) in zip(keys, entries, strict=True):
        first, *rest = wrap(text, WIDTH - width(indent) - room - len(GAP))
        lines.append(indent + pad(key, room) + GAP + first)
        lines.extend(indent + " " * room + GAP + line for line in rest)
    return "\n".join(line.rstrip() for line in lines)


def _below(key: str, text: str, indent: str) -> str:
    names = wrap(key, WIDTH - width(indent))
    texts = wrap(text, WIDTH - width(indent) - 4)
    return "\n".join([*(indent + line for line in names), *(f"{indent}    {line}" for line in texts)])

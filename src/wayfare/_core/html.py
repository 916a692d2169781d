"""Values as HTML for notebooks: escaped, without colours of their own, so that they read on light and dark pages."""

from collections.abc import Mapping, Sequence
from html import escape

from wayfare._core.format import unsafe_in

CELL = "text-align:left;padding:.15em .8em .15em 0"
HEAD = f"{CELL};border-bottom:1px solid currentColor;font-weight:600"
TABLE = "border-collapse:collapse;margin:.3em 0;font-variant-numeric:tabular-nums;background:none;color:inherit"
MOST_ROWS = 60
"""A table shows so many rows at most, its first and last."""


def text(value: object) -> str:
    """Return a value as text that no browser takes for markup, without characters that hide or turn what follows."""
    said = str(value)
    for one in unsafe_in(said) - {"\n"}:
        said = said.replace(one, one.encode("unicode_escape").decode("ascii"))
    return escape(said).replace("\n", "<br>")


def card(title: str, entries: Mapping[str, object]) -> str:
    """Return names with a text each under a title; entries without text are left out."""
    rows = "".join(
        f'<tr><th scope="row" style="{CELL};font-weight:600">{text(name)}</th><td style="{CELL}">{text(said)}</td></tr>'
        for name, said in entries.items()
        if said not in ("", None)
    )
    return f'<div><strong>{text(title)}</strong><table style="{TABLE}"><tbody>{rows}</tbody></table></div>'


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[object]], remarks: Sequence[str] = ()) -> str:
    """Return a table under a title, with remarks below; of a long one the first rows and the last."""
    half = MOST_ROWS // 2
    gap: list[Sequence[object]] = [[f"… {len(rows) - 2 * half} more", *[""] * (len(heads) - 1)]]
    shown = [*rows[:half], *gap, *rows[-half:]] if len(rows) > MOST_ROWS else rows
    head = "".join(f'<th scope="col" style="{HEAD}">{text(one)}</th>' for one in heads)
    body = "".join("<tr>" + "".join(f'<td style="{CELL}">{text(one)}</td>' for one in row) + "</tr>" for row in shown)
    below = "".join(f"<div>{text(remark)}</div>" for remark in remarks)
    inside = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>" if rows else ""
    return f'<div><strong>{text(title)}</strong><table style="{TABLE}">{inside}</table>{below}</div>'

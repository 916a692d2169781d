"""A page that is printed and filled in by hand: one HTML file, everything in it escaped, nothing fetched."""

from collections.abc import Sequence
from html import escape

from attrs import frozen

from wayfare.exchange.legible import legible

LONGEST_WORD = 16
"""A longer one is broken, or the table would be wider than the page."""
# The page may hold text from anywhere: even if some of it got through, it could load and run nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

STYLE = """
:root { color: #1a1a1a; font: 10pt/1.35 "Helvetica Neue", Helvetica, Arial, sans-serif; }
body { max-width: 62em; margin: 2em auto; padding: 0 1em; }
header { display: flex; justify-content: space-between; align-items: baseline; gap: 2em; }
h1 { font-size: 16pt; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
h1 small { font-size: 10pt; font-weight: 400; color: #555; margin-left: 0.6em; }
h2 { font-size: 10pt; margin: 0 0 0.4em; }
p.lead { margin: 0.4em 0 1em; }
p.blank { margin: 0; white-space: nowrap; }
p.blank span { display: inline-block; width: 8em; border-bottom: 0.6pt solid #1a1a1a; margin-left: 0.4em; }
p.blank span:first-of-type { margin-right: 1.4em; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { border: 0.5pt solid #999; padding: 0.3em 0.5em; text-align: right; vertical-align: middle; }
th { font-size: 8.5pt; font-weight: 600; background: #f0f0f0; vertical-align: bottom; text-align: right; }
th.box, th.all { text-align: left; }
td { height: 2.5em; color: #555; }
.long { overflow-wrap: anywhere; display: inline-block; min-width: 9em; }
td b, td.number { color: #1a1a1a; font-weight: 700; }
td.number small { display: block; font-weight: 400; color: #555; }
td.cost { color: #1a1a1a; }
td.box { min-width: 4.6em; }
td.wide { min-width: 8em; width: 22%; }
td.all { text-align: left; width: 36%; }
td.all div { display: inline-block; min-width: 8em; margin-right: 0.6em; }
tr.here td { height: auto; border-left-color: transparent; border-right-color: transparent; }
tr.here td.number { font-weight: 400; color: #555; }
figure { margin: 1em 0; text-align: center; }
figure img { max-width: 100%; max-height: 8.4cm; }
figcaption { font-size: 8.5pt; color: #555; }
section.back { margin-top: 1.2em; font-size: 8.5pt; color: #333; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15em 1.2em; margin: 0; }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: 8.5pt ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@page { margin: 14mm 12mm 16mm; }
@page { @bottom-right { content: counter(page) " / " counter(pages); font-size: 8pt; } }
@media print {
  body { max-width: none; margin: 0; padding: 0; }
  thead { display: table-header-group; }
  tr, figure, section.back { break-inside: avoid; }
  th { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
LYING = "@page { size: landscape; }\n"


@frozen
class Column:
    """A column: what its head says, and the class that gives its cells their look."""

    head: str
    look: str


def escaped(text: str) -> str:
    """Return text as HTML shows it: nothing in it is a tag, and nothing hides or turns what follows."""
    return escape(legible(text))


def in_cell(text: str) -> str:
    """Return text for a cell as HTML: numbers and short words in one piece, only long words are broken."""
    shown = escaped(text)
    broken = any(len(word) > LONGEST_WORD for word in text.split())
    return f'<span class="long">{shown}</span>' if broken else shown


def make_table(columns: Sequence[Column], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return a table whose head is repeated on every page; ``rows`` are classes and cells in HTML."""
    heads = "".join(
        f'<th scope="col" class="{column.look}">{in_cell(column.head)}</th>' for column in columns
    )
    lines = [f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n"]
    for look, cells in rows:
        line = "".join(
            f'<td class="{column.look}">{cell}</td>' for column, cell in zip(columns, cells, strict=True)
        )
        lines.append(f'<tr class="{look}">{line}</tr>\n')
    return "".join([*lines, "</tbody>\n</table>\n"])


def make_page(name: str, lead: str, body: str, lying: bool) -> str:
    """Return the whole page; ``lying`` on its side when printed."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escaped(name)}: run sheet</title>
<style>{STYLE}{LYING if lying else ""}</style>
</head>
<body>
<header><h1>{escaped(name)}<small>run sheet</small></h1>
<p class="blank">Date<span></span>By<span></span></p></header>
<p class="lead">{escaped(lead)}</p>
{body}
</body>
</html>
"""

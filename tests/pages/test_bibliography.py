"""docs/bibliography.md has a row for every source that the catalogue names, and no row that says nothing."""

import re
from pathlib import Path

import pytest

import wayfare as wf

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "bibliography.md").read_text()
HEAD = ["cited as", "title", "authors", "year", "venue", "identifier", "checked"]


def tables():
    """Return the rows of every table of the page, the head first."""
    found = re.findall(r"(?:^\|.*\|\n)+", PAGE, re.MULTILINE)
    return [[[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()] for table in found]


NO_WORK = ("docs/", "the default until", "called ", "the constants of", "our reading", "read in")
"""How the rest of a source begins: it says how we know, or where it is described."""

SOURCES = [row for head, _, *rows in tables() if head == HEAD for row in rows]


def test_every_source_of_the_catalogue_has_a_row():
    cited = {row[0] for row in SOURCES}
    for name, entry in wf.CATALOGUE.items():
        for source in filter(None, map(str.strip, entry.source.split(";"))):
            if re.search(r"\d{4}", source) or "Al Kontar" in source:
                assert any(words in source for words in cited), f"{name}: {source}"
            else:
                assert source.startswith(NO_WORK), f"{name}: {source}"


def test_every_row_says_all():
    assert len(SOURCES) > 30
    for row in SOURCES:
        assert len(row) == len(HEAD), row
        assert all(row), row
        assert row[6].startswith(("yes", "no", "the first")), row
    assert len({row[0] for row in SOURCES}) == len(SOURCES)


@pytest.mark.parametrize("row", SOURCES, ids=lambda row: row[0])
def test_a_row_names_one_work(row):
    """The year is that of the citation, and an identifier that is given looks like one."""
    cited, _, _, year, _, identifier, _ = row
    assert year in cited or "Al Kontar" in cited
    assert 1900 < int(year) <= 2026
    parts = r"(arXiv \d{4}\.\d{4,5}|doi 10\.\d{4,}/\S+|proceedings\.\S+|none( found)?)"
    assert re.fullmatch(f"{parts}(; {parts})?", identifier), identifier


def test_every_erratum_says_what_we_do():
    ((_, _, *rows),) = [table for table in tables() if table[0][0] == "where"]
    words = " ".join(" ".join(row) for row in rows)
    assert len(rows) > 15
    assert all(len(row) == 3 and all(row) for row in rows)
    for wanted in ("standard deviation", "⌈T/2⌉", "√β_t / 2", "number of batches", "lower bound"):
        assert wanted in words


def test_every_link_leads_somewhere():
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", PAGE):
        assert (DOCS / target).exists(), target

"""README.md and docs/method.md show the committed results of the tournament."""

import pytest

from blocks import block_names, fill_blocks
from tournament import search
from tournament.__main__ import HERE
from tournament.blocks import blocks
from tournament.functions import reporting
from tournament.page import PAGES, PICTURES, ROOT
from tournament.report import BASELINE, SUBJECT
from tournament.run import REPORTING_SEEDS, read_csv


@pytest.fixture(scope="module")
def rows():
    return read_csv(HERE / "results" / "reporting.csv")


@pytest.fixture(scope="module")
def content(rows):
    return blocks(rows) | search.blocks(search.read_rows())


@pytest.mark.parametrize("file", PAGES)
def test_the_tables_are_those_of_the_results(file, content):
    text = (ROOT / file).read_text()
    assert block_names(text) & content.keys()
    assert fill_blocks(text, content) == text, "python -m benchmarks.tournament page writes it anew"


def test_every_table_and_picture_is_shown(content):
    texts = [(ROOT / file).read_text() for file in PAGES]
    assert content.keys() <= set().union(*map(block_names, texts))
    for file in PICTURES:
        assert (ROOT / file).exists()
        assert any(f"{file.removeprefix('docs/')})" in text for text in texts), file


def test_the_results_are_those_of_every_function_and_seed(rows):
    for trials in (30, 60, 100, 300):
        for method in (BASELINE, SUBJECT):
            ran = {(row.function, row.seed) for row in rows if (row.method, row.trials) == (method, trials)}
            assert ran == {(name, seed) for name in reporting() for seed in REPORTING_SEEDS}, (method, trials)

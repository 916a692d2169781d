"""README.md, docs/evidence and docs/method.md show the committed studies of the tournament."""

import pytest
from matplotlib.transforms import Bbox

from blocks import block_names, fill_blocks
from tournament.aims import aims_table
from tournament.grounds import grounds
from tournament.page import PAGES, PICTURES, ROOT
from tournament.pictures import draw_frontier
from tournament.studies import FIRST_SEED, RESULTS, read_rows
from tournament.tables import ALLOWED, BASELINE, CONTROL, METHODS, SUBJECT, blocks


@pytest.fixture(scope="module")
def searched():
    return read_rows(RESULTS / "search.csv")


@pytest.fixture(scope="module")
def reported():
    return read_rows(RESULTS / "report.csv")


@pytest.fixture(scope="module")
def content(searched, reported):
    return blocks(searched, reported) | {"aims": aims_table(reported)}


@pytest.mark.parametrize("file", PAGES)
def test_the_tables_are_those_of_the_results(file, content):
    text = (ROOT / file).read_text()
    assert block_names(text) & content.keys()
    assert fill_blocks(text, content) == text, "python -m benchmarks.tournament page writes it again"


def test_every_table_and_picture_is_shown(content):
    texts = [(ROOT / file).read_text() for file in PAGES]
    assert content.keys() <= set().union(*map(block_names, texts))
    for file in PICTURES:
        assert (ROOT / file).exists()
        assert any(f"{file.removeprefix('docs/')})" in text for text in texts), file


FEW = {"lookahead": 4}
"""Methods under fewer seeds than the others."""
RAN = [
    *(("report", method, trials, 20) for method in (BASELINE, SUBJECT) for trials in (30, 60, 100)),
    *(("report", CONTROL, trials, 20) for trials in (30, 60, 100)),
    *(("report", method, 300, 2) for method in (BASELINE, SUBJECT)),
    *(("report", method, 60, FEW.get(method, 14)) for method in METHODS if method not in (CONTROL, SUBJECT)),
]


@pytest.mark.parametrize(("part", "method", "trials", "seeds"), RAN)
def test_every_problem_was_run_under_every_seed(part, method, trials, seeds, searched, reported):
    rows = searched if part == "search" else reported
    ran = {row.cell for row in rows if (row.method, row.trials, row.condition) == (method, trials, "plain")}
    first = FIRST_SEED[part]
    assert ran == {(name, seed) for name in grounds(part) for seed in range(first, first + seeds)}


UNDER = [
    *((condition, method, 60, 8) for condition in ("old", "out") for method in (BASELINE, SUBJECT)),
    *(("budget", method, ALLOWED, 1) for method in (BASELINE, SUBJECT)),
    *(("watched", SUBJECT, trials, 3) for trials in (60, 100)),
]


@pytest.mark.parametrize(("condition", "method", "trials", "seeds"), UNDER)
def test_every_condition_was_run_on_every_problem(condition, method, trials, seeds, reported):
    ran = {row.cell for row in reported if (row.method, row.trials, row.condition) == (method, trials, condition)}
    assert ran == {(name, seed) for name in grounds("report") for seed in range(seeds)}


def test_no_label_of_the_frontier_covers_a_label_a_mark_or_an_interval(reported):
    figure = draw_frontier(reported)
    figure.draw_without_rendering()
    ax = figure.axes[0]
    labels = {text.get_text(): text.get_window_extent() for text in ax.texts if text.get_text() in ("ucb", *METHODS)}
    assert labels.keys() == {"ucb", *METHODS}
    ends = [ax.transData.transform(line.get_xydata()) for line in ax.lines[2:]]
    drawn = [Bbox([at.min(axis=0), at.max(axis=0)]).padded(1) for at in ends]
    for name, box in labels.items():
        others = [other for rival, other in labels.items() if rival != name]
        assert not any(box.overlaps(other) for other in [*others, *drawn]), name

"""docs/benchmarks.md shows the committed results: every table, every figure, and no other."""

import re

import pytest

import claims
import page
from tests.bench.cells import measured
from wayfare.bench.compare import comparisons
from wayfare.bench.results import read_results
from wayfare.bench.suites import SUITES

pytestmark = pytest.mark.slow

TEXT = page.PAGE.read_text()


def test_the_tables_are_those_of_the_results():
    assert page.filled(TEXT, page.blocks()) == TEXT, "python benchmarks/page.py writes it anew"


def test_every_figure_is_there_and_shown():
    shown = set(re.findall(r"\]\(([^)]*\.png)\)", TEXT))
    drawn = {str(file.relative_to(page.PAGE.parent)) for file in page.FIGURES.rglob("*.png")}
    assert shown == drawn
    assert len(shown) > 20


@pytest.mark.parametrize("name", page.SHOWN)
def test_the_results_are_those_of_the_whole_suite(name):
    cells = read_results(page.RESULTS, name)
    assert [cell.cell for cell in cells] == SUITES[name].cells()


def test_a_block_without_content_is_refused():
    with pytest.raises(SystemExit, match="no block for more"):
        page.filled("<!-- begin some -->\nold\n<!-- end some -->", {"some": "new", "more": "x"})
    assert page.filled("<!-- begin some -->\nold\n<!-- end some -->", {"some": "new"}) == (
        "<!-- begin some -->\nnew\n<!-- end some -->"
    )


def test_the_claims_compare_the_quarters_of_the_trials():
    legs = [9.0, 8, 8, 4, 4, 2, 2, 1, 1]
    (one,) = comparisons([measured("ucb", seed, [1.0] * 9, legs) for seed in (0, 1)])
    assert claims.ucb_table([one]).splitlines()[2] == "| hill [m] | 8 | 4 | 2 | 1 |"
    assert claims.late_over_early(one, "ucb", "legs") == "0.12"
    assert claims.late_over_early(one, "ucb", "regret") == "1.00"

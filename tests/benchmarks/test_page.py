"""docs/benchmarks.md shows the committed results: every table, every figure, and no other."""

import re

import attrs
import pytest

import claims
import page
import variants
from tests.bench.cells import measured
from wayfare.bench.compare import comparisons
from wayfare.bench.named import find_method
from wayfare.bench.results import read_results, write_results
from wayfare.bench.suites import SUITES
from wayfare.planning.method import Method

pytestmark = pytest.mark.slow

TEXT = page.PAGE.read_text()
TOGETHER = ("all", "Algorithm 1", "batches, in the order chosen", "published batches, in the order chosen")
"""Rows that say by their name that they take several parts together: such batches have no route."""


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


def test_a_part_is_worth_what_the_method_with_it_has_over_that_without():
    """Movement 1 and 4 over 2: halved on one problem, doubled on the other; parts that were not run are left out."""
    cells = [
        measured(method, seed, [1.0] * 4, [leg] * 4, problem=problem)
        for seed in (0, 1)
        for method, leg, problem in [
            *(("variants:whole", leg, problem) for leg, problem in ((1.0, "hill"), (4.0, "dale"))),
            *(("bare", 2.0, problem) for problem in ("hill", "dale")),
        ]
    ]
    parts = (("wings", "variants:whole", "bare"), ("wheels", "car", "bare"))
    _, _, row, *more = claims.parts_table(comparisons(cells), parts).splitlines()
    assert more == []
    assert row.startswith("| wings | whole / bare | 1.00 [")
    assert "| 0.50 to 2.00 | 1.00 [1.00, 1.00] |" in row


def test_rivals_are_compared_over_all_problems():
    """Movement 2 and 8 over 1: four times as much, as a geometric mean; regret is the same."""
    cells = [
        measured(method, seed, [1.0] * 4, [leg] * 4, problem=problem)
        for seed in (0, 1)
        for method, leg, problem in [("rival", 2.0, "hill"), ("rival", 8.0, "dale")]
        + [("ucb", 1.0, problem) for problem in ("hill", "dale")]
    ]
    head, _, row = claims.rivals_table(comparisons(cells), ["rival"], "ucb").splitlines()
    assert head == "| over ucb | movement | mean regret | last-half regret | L_T / T |"
    assert row.startswith("| rival | 4.00 [")
    assert "| 1.00 [1.00, 1.00] | 1.00 [1.00, 1.00] | 2.60 [" in row


def test_the_results_of_variants_in_all_suites_are_joined(tmp_path):
    for suite, problem in zip(variants.SUITES, ("hill", "dale", "moor"), strict=True):
        cells = [measured("variants:some", seed, [1.0] * 3, [0.5] * 3, problem=problem) for seed in (0, 1)]
        write_results(cells, tmp_path, suite)
    variants.join(tmp_path, tmp_path)
    joined = read_results(tmp_path, "variants")
    assert [(one.cell.problem, one.cell.seed) for one in joined] == [
        (problem, seed) for problem in ("hill", "dale", "moor") for seed in (0, 1)
    ]
    assert all(one.measure("mean_movement") == 0.5 for one in joined)


def test_variants_were_run_in_every_suite():
    """So the table of parts is whole in each: every part in it compares methods that ran."""
    for suite in variants.SUITES:
        table = page.blocks()[f"parts-{suite}"]
        assert len(table.splitlines()) == 2 + len(variants.PARTS), suite


def test_every_part_compares_methods_that_differ_in_one_place():
    """With and without a part a method differs in one field, or the row says that it takes several together."""
    for part, with_it, without in variants.PARTS:
        one, other = (find_method(name) for name in (with_it, without))
        differ = [
            field.name for field in attrs.fields(Method) if getattr(one, field.name) != getattr(other, field.name)
        ]
        assert len(differ) == 1 or part in TOGETHER, part

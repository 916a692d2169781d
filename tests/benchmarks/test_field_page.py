"""docs/field.md shows what the committed rows say, and they say what is claimed."""

import re

import numpy as np
import pytest

import field
import wayfare as wf
from amounts import digits, more_or_less, short, spread
from blocks import BLOCK, block_names, fill_blocks
from savings import (
    BASELINE,
    OTHERS,
    ROWS,
    SUBJECT,
    SUITE,
    Row,
    column,
    measure,
    pairs_of,
    read_rows,
    run_missing,
    saved_at_first,
)
from slopes import draw_slopes
from wayfare.bench.cell import Cell, run_cell
from wayfare.bench.problems import problem_named
from wayfare.bench.results import read_results

TEXT = field.PAGE.read_text()
LAKES = ("lake1", "lake2", "lake3")


@pytest.fixture(scope="module")
def rows():
    return read_rows()


@pytest.fixture(scope="module")
def pairs(rows):
    return {
        (problem, trials, method): pairs_of(rows, problem, trials, method)
        for problem in SUITE.problems
        for trials in SUITE.trials
        for method in (SUBJECT, *OTHERS)
    }


def after_both(pairs, problem, method=SUBJECT):
    return [pairs[problem, trials, method] for trials in SUITE.trials]


def test_the_page_is_that_of_the_rows(rows):
    made = field.blocks(rows)
    assert block_names(TEXT) == made.keys()
    assert fill_blocks(TEXT, made) == TEXT, "python benchmarks/field.py page writes it anew"
    assert f"]({field.PICTURE.name})" in TEXT
    assert field.PICTURE.exists()


def test_the_words_have_no_numbers_of_their_own():
    words = BLOCK.sub("", TEXT)
    assert set(re.findall(r"\b\d[\d.,]*\b", words)) == {"30", "60", "20", "95"}


def test_the_rows_are_those_of_every_study_and_of_one_code(rows):
    assert [row.cell for row in rows] == SUITE.cells()
    assert SUITE.seeds == 20
    assert len({row.code for row in rows}) == 1


def test_the_first_seeds_are_those_of_the_suite(rows):
    # Another processor may choose otherwise now and then, so only the middle is compared.
    cells = read_results(ROWS.parents[1] / "results", "field")
    for method in (BASELINE, SUBJECT):
        for problem in SUITE.problems:
            for trials in SUITE.trials:
                setting = (problem, trials, method)
                suite = [
                    one.legs.sum() for one in cells if (one.cell.problem, one.cell.trials, one.cell.method) == setting
                ]
                ours = [row.paid for row in rows if (row.problem, row.trials, row.method) == setting and row.seed < 10]
                assert len(suite) == len(ours) == 10
                assert np.median(ours) == pytest.approx(np.median(suite), rel=0.05), "make bench-field"


@pytest.mark.parametrize("method", [BASELINE, SUBJECT])
def test_a_row_is_the_ledger_of_the_suites_own_study(method):
    cell = Cell("lake1", 12, 0, method, 3, "own")
    row, measured = measure(cell), run_cell(cell)
    assert row.cell == cell
    assert row.paid == pytest.approx(measured.legs.sum(), rel=1e-12)
    assert (row.unit, row.mean_regret, row.simple_regret) == (
        measured.unit,
        measured.measure("mean_regret"),
        measured.simple_regret,
    )
    assert row.saved == pytest.approx(row.unordered - row.paid, abs=1e-9)
    if method == BASELINE:
        assert row.saved == row.first_saved == 0


def test_what_is_saved_is_what_unordered_leaves_and_one_place_at_a_time_has_no_order(rows):
    for row in rows:
        assert row.saved == pytest.approx(row.unordered - row.paid, abs=1e-9 * row.paid)
        if row.method == BASELINE:
            assert row.saved == row.first_saved == 0


def test_a_run_that_was_cut_off_goes_on_and_rows_of_other_code_are_made_anew(tmp_path, monkeypatch, capsys):
    file = tmp_path / "made" / "rows.csv"  # in a folder that is not there yet
    cells = [Cell("lake1", 5, 0, BASELINE, seed, "own") for seed in (0, 1)]
    run_missing(cells[1:], file, 1)
    run_missing(cells, file, 1)
    assert "1 of 2 studies are there" in capsys.readouterr().err
    kept = read_rows(file)
    assert [row.cell for row in kept] == cells
    assert kept[1] == measure(cells[1])
    monkeypatch.setattr("savings.own_digest", lambda: "other")
    run_missing(cells, file, 1)
    assert "0 of 2 studies are there" in capsys.readouterr().err
    assert read_rows(file) == [row._replace(code="other") for row in kept]


def test_what_the_first_route_saved_is_the_ledger_at_its_end():
    lake = problem_named("lake1")
    study = wf.Study.create(
        lake.space, direction="maximize", travel=lake.travel, trials=15, start=lake.start, seed=4, unit="km"
    )
    at_its_end = 0.0
    while (trial := study.ask()) is not None:
        study.tell(trial, float(lake.function(trial.x[None, :])[0]))
        if trial.plan == 0:
            at_its_end = study.ledger().saved
    assert len(study.state.plans) > 1
    assert study.ledger().saved != at_its_end
    assert saved_at_first(study) == pytest.approx(at_its_end, rel=1e-12)
    assert at_its_end > 0


def made_up(method, seed, paid, unordered, simple):
    saved = unordered - paid
    return Row("lake1", 30, method, seed, "km", paid, unordered, saved, 0.0, 0.1, simple, "code")


def test_savings_are_paired_by_seed():
    rows = [
        made_up(BASELINE, 0, 10.0, 10.0, 0.5),
        made_up(BASELINE, 1, 20.0, 20.0, 0.5),
        made_up(SUBJECT, 1, 5.0, 8.0, 0.501),  # by less than a hundredth of 1.2, the best value
        made_up(SUBJECT, 0, 11.0, 10.0, 0.6),
    ]
    one = pairs_of(rows, "lake1", 30, SUBJECT)
    assert one.saved.tolist() == [-1, 15]
    assert one.share_saved.tolist() == [-10, 75]
    assert one.ordered.tolist() == [-1, 3]
    assert one.share_ordered.tolist() == [-10, 37.5]
    assert one.paid_more.tolist() == [True, False]
    assert (one.kept_worse, one.kept_better) == (1, 0)
    assert one.mean_regret.mean == pytest.approx(1)
    with pytest.raises(SystemExit, match="not the seeds of ucb"):
        pairs_of(rows[1:], "lake1", 30, SUBJECT)


def test_amounts_are_short_and_say_which_way():
    assert spread(np.array([-1e-15, 2.04, 1234.5])) == "2.0 (0.0 to 1,234)"
    assert short(-0.04) == "0.0"
    assert more_or_less(np.array([-1.26]), np.array([-4.4]), "km") == "1.3 km more (4%)"
    assert more_or_less(np.array([177.2]), np.array([73.4]), "min") == "177 min less (73%)"
    assert (digits(0.00036), digits(2069.7)) == ("0.00036", "2,070")


def test_the_picture_has_a_panel_for_each_problem_and_a_line_for_each_seed(rows):
    panels = draw_slopes(rows).axes
    assert len(panels) == len(SUITE.problems) * len(SUITE.trials)
    for ax in panels:
        seeds = [line for line in ax.lines if len(line.get_xdata()) == 3]
        assert len(seeds) == SUITE.seeds
        low, high = ax.get_ylim()
        drawn = np.concatenate([line.get_ydata() for line in seeds])
        assert low == 0 < drawn.min() <= drawn.max() < high


# What the words of the page say.


def test_every_problem_saves_a_quarter_or_more_and_the_reactor_more_than_half(pairs):
    least = {"snar": 50, "lake1": 30, "lake2": 30, "lake3": 25, "lithium": 22}
    for problem in SUITE.problems:
        for one in after_both(pairs, problem):
            assert least[problem] <= np.median(one.share_saved) < (70 if problem == "snar" else 40)
            assert one.paid_more.sum() <= (4 if problem == "lake3" else 2)


def test_what_is_found_is_as_told(pairs):
    for problem in LAKES:
        for one in after_both(pairs, problem):
            assert one.kept_worse == one.kept_better == 0
            assert 0.95 < one.mean_regret.mean < 1.25
    for one in after_both(pairs, "snar"):
        assert one.mean_regret.high < 0.9
        assert 0 < one.kept_worse < one.kept_better
    early, late = after_both(pairs, "lithium")
    assert 12 <= early.kept_worse <= 14
    assert 7 <= late.kept_worse <= 9
    assert max(early.kept_better, late.kept_better) <= 1
    assert early.mean_regret.mean > 1.5
    for one in after_both(pairs, "lithium", "tucb"):
        assert one.kept_worse <= one.kept_better
        assert np.median(one.share_saved) > 25


def test_the_papers_methods_save_as_told(pairs):
    for problem in SUITE.problems:
        for one in after_both(pairs, problem, "tucb"):
            assert one.mean_regret.mean < 1
            assert one.kept_worse <= one.kept_better
            assert (18 if one is not pairs["snar", 30, "tucb"] else 10) <= np.median(one.share_saved) < 34
    for one in after_both(pairs, "lithium", "tts"):
        assert 9 <= one.kept_worse <= 11
    for one in after_both(pairs, "lake2", "tts"):
        assert 7 <= one.kept_worse <= 8
    for problem in SUITE.problems:
        assert all(10 <= np.median(one.share_saved) < 35 for one in after_both(pairs, problem, "tts"))


def test_the_later_routes_save_more_than_the_survey_but_on_the_third_lake(pairs):
    for problem in SUITE.problems:
        for one in after_both(pairs, problem):
            survey = column(one.ours, "first_saved")
            later = column(one.ours, "saved") - survey
            assert (later.mean() > 1.5 * survey.mean()) == (problem != "lake3")
    assert min((column(one.ours, "saved") - column(one.ours, "first_saved")).min() for one in pairs.values()) < 0

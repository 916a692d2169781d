"""Numbers of a report against small data worked out by hand."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.cells import measured
from tests.cli.studies import call, done
from wayfare.bench.compare import comparisons, front, on_front, paired_ratio, pooled_ratio, two_standard_errors, wins
from wayfare.bench.figures import FAMILIES, curve_of, last_half_curve, looks
from wayfare.bench.report import means_sheet, missing, page, ratios_sheet, runs_in_short, wins_table, write_report
from wayfare.bench.results import read_results, rows_of, write_results
from wayfare.bench.run import last_half
from wayfare.bench.suites import SUITES, Suite
from wayfare.errors import InvalidInput
from wayfare.planning.catalogue import EVERYWHERE

CELLS = [
    measured("ucb", 0, [8.0, 4.0, 2.0, 2.0], [0.0, 4.0, 4.0, 4.0], simple=1.0),
    measured("ucb", 1, [8.0, 8.0, 4.0, 4.0], [0.0, 2.0, 2.0, 2.0], simple=2.0),
    measured("tucb", 0, [8.0, 8.0, 4.0, 4.0], [0.0, 1.0, 1.0, 1.0], simple=1.0),
    measured("tucb", 1, [8.0, 4.0, 2.0, 2.0], [0.0, 2.0, 1.0, 0.0], simple=0.0),
    measured("random", 0, [8.0, 9.0, 9.0, 9.0], [0.0, 5.0, 5.0, 5.0], simple=3.0),
    measured("random", 1, [8.0, 9.0, 9.0, 9.0], [0.0, 5.0, 5.0, 5.0], simple=3.0),
]


@pytest.fixture
def hill():
    (one,) = comparisons(CELLS)
    return one


def test_the_measures_are_means_over_all_and_over_the_last_half():
    odd = measured("ucb", 0, [9.0, 3.0, 6.0], [0.0, 1.0, 2.0])
    assert (odd.measure("mean_regret"), odd.measure("last_half_regret")) == (6.0, 4.5)
    assert (odd.measure("mean_movement"), odd.measure("last_half_movement")) == (1.0, 1.5)
    assert odd.measure("loss") == 7.0


def test_the_means_of_a_report_are_those_worked_out_by_hand(hill):
    rows = {(row[3], row[4]): pytest.approx(row[5:]) for row in means_sheet([hill]).rows}
    # ucb: mean regrets 4 and 6, movements 3 and 1.5
    assert rows["ucb", "mean_regret"] == (2, 5.0, 5.0, 2.0, 0)
    assert rows["ucb", "mean_movement"] == (2, 2.25, 2.25, 1.5, 0)
    assert rows["ucb", "last_half_regret"] == (2, 3.0, 3.0, 2.0, 0)
    assert rows["tucb", "last_half_movement"] == (2, 0.75, 0.75, 0.5, 1)
    assert rows["random", "simple_regret"] == (2, 3.0, 3.0, 0.0, 0)


def test_two_standard_errors_need_two_values():
    assert two_standard_errors(np.array([1.0, 2.0, 3.0])) == pytest.approx(2 / math.sqrt(3))
    assert math.isnan(two_standard_errors(np.array([1.0])))


def test_ratios_are_paired_by_seed(hill):
    # tucb over ucb, seed by seed: movement 0.75 / 3 and 0.75 / 1.5, so 1/4 and 1/2
    ratio = paired_ratio(hill.pairs("tucb", "ucb", "mean_movement"))
    assert ratio.mean == pytest.approx(math.sqrt(1 / 8))
    # two logarithms ln 2 apart: t(0.975, 1) = 12.7062, standard error ln 2 / 2
    assert ratio.high / ratio.mean == pytest.approx(math.exp(12.7062 * math.log(2) / 2), rel=1e-4)
    assert ratio.low * ratio.high == pytest.approx(ratio.mean**2)
    assert ratio.pairs == 2


def test_seeds_that_only_one_of_a_pair_has_are_left_out():
    (one,) = comparisons([*CELLS[:3], CELLS[4]])
    assert one.pairs("ucb", "tucb", "mean_movement").tolist() == [[3.0, 0.75]]
    assert wins(one, "mean_regret") == {"ucb": 1.0, "tucb": 0.0, "random": 0.0}


def test_a_zero_has_no_ratio_and_one_pair_no_interval():
    assert math.isnan(paired_ratio(np.array([[0.0, 1.0], [1.0, 1.0]])).mean)
    assert math.isnan(paired_ratio(np.empty((0, 2))).mean)
    alone = paired_ratio(np.array([[1.0, 4.0]]))
    assert (alone.mean, alone.pairs) == (0.25, 1)
    assert math.isnan(alone.low)


def test_the_sheet_of_ratios_leaves_blank_what_is_not_there(hill):
    rows = {row[:4]: row[4:] for row in ratios_sheet([hill], "ucb").rows}
    assert rows["all", "tucb", "ucb", "simple_regret"] == (2, "", "", "")
    # 1.5 and 1: both 6/4 and 4/6 of ucb's
    assert rows["hill, T = 4", "tucb", "ucb", "mean_regret"][:2] == (2, pytest.approx(1.0))


def test_wins_are_counted_by_seed_and_shared_by_those_that_tie(hill):
    assert wins(hill, "mean_regret") == {"ucb": 1.0, "tucb": 1.0, "random": 0.0}
    assert wins(hill, "simple_regret") == {"ucb": 0.5, "tucb": 1.5, "random": 0.0}
    assert "| tucb | 1.5 | 1.5 |" in wins_table([hill], "simple_regret")


def test_the_front_is_who_is_not_beaten_in_both(hill):
    assert front(hill) == {"tucb"}
    assert on_front([(0, 5), (1, 1), (1, 1), (2, 1), (3, 0)]) == [True, True, True, False, True]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1))
def test_a_front_is_never_empty_and_beats_all_others(points):
    marked = on_front(points)
    best = [point for point, on in zip(points, marked, strict=True) if on]
    assert best
    for (x, y), on in zip(points, marked, strict=True):
        assert on or any(a <= x and b <= y for a, b in best)


def test_a_curve_is_the_mean_of_the_last_half_so_far():
    assert last_half_curve(np.array([8.0, 4.0, 2.0, 6.0, 1.0])).tolist() == [8, 4, 3, 4, 3]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=40))
def test_a_curve_ends_at_the_last_half_mean(steps):
    assert last_half_curve(np.array(steps))[-1] == pytest.approx(last_half(np.array(steps)), abs=1e-9)


def test_a_band_reaches_from_the_least_to_the_most_of_the_seeds():
    curve = curve_of(CELLS[:2], "legs", first=2)
    assert curve.steps.tolist() == [2, 3, 4]
    assert curve.mean.tolist() == [3, 3, 3]
    assert (curve.least.tolist(), curve.most.tolist()) == ([2, 2, 2], [4, 4, 4])


def test_every_method_of_the_suites_has_a_look_of_its_own():
    assert {method for members in FAMILIES.values() for method in members} == set(EVERYWHERE)
    every = looks([*EVERYWHERE, "mine", "yours"])
    assert len({(look.colour, look.line) for look in every.values()}) == len(EVERYWHERE) + 2
    assert len({(look.colour, look.mark) for look in every.values()}) == len(EVERYWHERE) + 2
    assert len({look.colour for look in looks(["ucb", "tucb", "random", "mine"]).values()}) == 4


def test_results_are_read_back_in_full(tmp_path):
    third = [measured("ucb", 0, [1 / 3, 0.1], [0.0, 2**-40], unit="min", cpu=0.25)]
    write_results(third, tmp_path, "t")
    (back,) = read_results(tmp_path, "t")
    assert back.cell == third[0].cell
    assert back.regret.tolist() == [1 / 3, 0.1]
    assert back.legs.tolist() == [0.0, 2**-40]
    assert (back.simple_regret, back.unit, back.plans, back.planner_cpu) == (0.5, "min", 3, 0.25)
    assert rows_of(tmp_path / "t.csv")[0]["mean_regret"] == repr((1 / 3 + 0.1) / 2)
    (tmp_path / "t-cpu.csv").unlink()
    assert math.isnan(read_results(tmp_path, "t")[0].planner_cpu)


def test_steps_of_another_run_are_noticed(tmp_path):
    write_results(CELLS, tmp_path, "t")
    write_results(CELLS[:1], tmp_path, "u")
    (tmp_path / "u-steps.csv.gz").replace(tmp_path / "t-steps.csv.gz")
    with pytest.raises(InvalidInput, match="does not belong to"):
        read_results(tmp_path, "t")
    (tmp_path / "t-steps.csv.gz").write_bytes(b"no gzip")
    with pytest.raises(InvalidInput, match="is not as"):
        read_results(tmp_path, "t")


def test_missing_runs_are_said():
    assert missing(CELLS) == []
    assert missing(CELLS[:-1]) == [CELLS[-1].cell]
    said = page(CELLS[:-1], comparisons(CELLS[:-1]), "t", "ucb")
    assert "**Missing runs: 1, random on hill.**" in said
    assert "Made by `wayfare bench run t` and" in said


ASKED = Suite("t", "", ("ucb", "tucb", "random", "mine:bad"), ("hill",), (4,), seeds=2, start="own")


def test_a_method_of_which_there_is_no_run_is_missed_where_it_was_asked_for():
    every = comparisons(CELLS)
    assert "Missing" not in page(CELLS, every, "t", "ucb")
    assert "**Missing runs: 2, mine:bad on hill.**" in page(CELLS, every, "t", "ucb", asked=ASKED)
    # Two of its four methods are not in what the record asked for: it is that of another run.
    other = ASKED.restricted(methods=("ucb", "mine:bad"))
    assert "Missing" not in page(CELLS, every, "t", "ucb", asked=other)


def test_whose_runs_are_missing_is_said_runs_in_short():
    lost = ASKED.restricted(methods=("ucb", "tucb"), problems=("hill", "dale")).cells()
    assert runs_in_short(lost) == "ucb on hill, dale; tucb on hill, dale"
    assert runs_in_short(ASKED.cells(), most=2) == "ucb on hill; tucb on hill; 2 more"


BAD = """
import wayfare as wf

class Bad:
    def propose(self, situation, size, rng):
        raise RuntimeError("no luck")

bad = wf.Method(Bad(), wf.OneByOne())
"""


def test_the_report_names_the_command_and_a_method_that_failed_everywhere(tmp_path, monkeypatch):
    (tmp_path / "luckless.py").write_text(BAD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    small = "--methods random,luckless:bad --problems dropwave --trials 4 --seeds 2"
    assert call("bench", "run", "quick", *small.split(), "--quiet").exit_code == 1
    done("bench", "report", "quick")
    said = (tmp_path / "out/bench/quick-report/report.md").read_text()
    assert f"Made by `wayfare bench run quick {small}` and `wayfare bench report quick`." in said
    assert "**Missing runs: 2, luckless:bad on dropwave.**" in said


def test_the_command_of_a_suite_says_what_is_not_usual():
    quick = SUITES["quick"]
    assert quick.command == "wayfare bench run quick"
    assert quick.restricted(seeds=quick.seeds).command == "wayfare bench run quick"
    other = quick.restricted(("ucb", "mine:a"), ("branin",), 7, 20)
    assert other.command == ("wayfare bench run quick --methods ucb,mine:a --problems branin --trials 20 --seeds 7")


def test_a_report_has_its_page_its_tables_and_its_figures(tmp_path):
    still = [measured("gs", seed, [8.0] * 4, [0.0] * 4) for seed in (0, 1)]
    late = [measured(name, 0, [2.0, 1.0], [0.0, 1.0], delay=1) for name in ("ucb", "tucb")]
    files = []
    write_report([*CELLS, *still, *late], tmp_path, "t", "ucb", files.append)
    assert files[-1] == tmp_path / "report.md"
    assert sorted(files) == sorted(tmp_path.iterdir())
    page = (tmp_path / "report.md").read_text()
    for file in ("front.png", "curves-hill-T4.png", "curves-hill-T2-late1.png"):
        assert f"]({file})" in page
        assert (tmp_path / file).read_bytes().startswith(b"\x89PNG")
    assert "| tucb \\* | 5 ± 2 (5) |" in page
    assert "mean movement [m]" in page
    assert len(rows_of(tmp_path / "means.csv")) == (4 + 2) * 6


def test_the_commands_make_a_report_from_a_run(tmp_path):
    small = ("--methods", "random,random-route", "--problems", "dropwave", "--seeds", 2, "--trials", 4)
    printed = done("bench", "run", "quick", *small, "--out", tmp_path).splitlines()
    assert printed == [str(tmp_path / f"quick{end}") for end in (".csv", "-steps.csv.gz", "-cpu.csv")]
    assert str(tmp_path / "quick-report" / "report.md") in done("bench", "report", "quick", "--out", tmp_path)
    result = call("bench", "report", "quick", "--baseline", "tucb", "--out", tmp_path)
    assert result.exit_code == 2
    assert "'tucb' is not among the methods, random, random-route" in result.stderr
    result = call("bench", "report", "paper", "--out", tmp_path)
    assert result.exit_code == 2
    assert "`wayfare bench run paper` makes it" in result.stderr


def test_over_several_problems_each_counts_once_and_the_interval_is_over_them():
    easy = np.array([[1.0, 4.0]] * 50)
    hard = np.array([[2.0, 2.0]])
    both = pooled_ratio([easy, hard])
    assert both.mean == pytest.approx(0.5)
    assert both.pairs == 51
    as_two = paired_ratio(np.array([[0.25, 1.0], [1.0, 1.0]]))
    assert (both.low, both.high) == pytest.approx((as_two.low, as_two.high))
    assert pooled_ratio([easy]) == paired_ratio(easy)
    assert math.isnan(pooled_ratio([easy, np.array([[0.0, 1.0]])]).mean)


def test_more_trials_of_one_problem_are_not_another_problem():
    cells = [
        measured(method, 0, [regret] * trials, [1.0] * trials, problem=problem)
        for problem, trials, ours in (("a", 4, 1.0), ("a", 6, 1.0), ("b", 4, 4.0))
        for method, regret in (("ucb", 1.0), ("tucb", ours))
    ]
    rows = {row[:4]: row[4:] for row in ratios_sheet(comparisons(cells), "ucb").rows}
    pairs, mean, low, high = rows["all", "tucb", "ucb", "mean_regret"]
    assert (pairs, mean) == (3, pytest.approx(2.0))
    assert low < 1 < high

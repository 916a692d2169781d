"""What the benchmark of findings rests on: the truth of its problems, and how its numbers are counted."""

import math

import numpy as np
import pytest
from attrs import evolve

from belief import finding
from belief.finding import Cell, Found, Row, measure, row_of
from belief.problems import PROBLEMS, best_place, bump, everywhere
from wayfare.space import Choice

NAMES = list(PROBLEMS)


@pytest.mark.parametrize("name", NAMES)
def test_problem_has_no_better_place_than_its_best(name):
    problem = PROBLEMS[name]
    lab = problem.as_written
    x = np.concatenate([everywhere(lab.space, 2**13, seed=1), best_place(problem, 2**13, seed=2)[None, :]])
    x = x[lab.may_keep(x)]
    assert lab.value(x).max() <= problem.best + 1e-4 * problem.spread
    assert problem.short(lab.value(x).max()) < 0.02, "the best is a place, not a number out of reach"


@pytest.mark.parametrize("name", NAMES)
def test_problem_is_not_best_in_the_middle(name):
    problem = PROBLEMS[name]
    lab = problem.as_written
    middle = np.array([[axis.place(np.array([0.5]))[0] for axis in lab.space.axes]])
    for at, axis in enumerate(lab.space.axes):
        if isinstance(axis, Choice):
            middle = np.concatenate(
                [np.where(np.arange(lab.space.d) == at, k, middle) for k in range(len(axis.values))]
            )
    kept = lab.may_keep(middle)
    assert not kept.any() or problem.short(lab.value(middle[kept]).max()) > finding.MISSED


@pytest.mark.parametrize("name", NAMES)
def test_problem_is_the_same_in_whatever_order_its_values_are_listed(name):
    problem = PROBLEMS[name]
    lab, other = problem.under(3), problem.under(4)
    x = everywhere(lab.space, 16)
    same = other.space.points([lab.space.params(row) for row in x])
    np.testing.assert_allclose(lab.value(x), other.value(same), rtol=1e-12)
    np.testing.assert_array_equal(lab.may_keep(x), other.may_keep(same))
    again = problem.under(3)
    np.testing.assert_array_equal(lab.start, again.start)
    np.testing.assert_array_equal(lab.noise, again.noise)


def test_parts_are_as_the_page_says():
    mixed = [problem for problem in PROBLEMS.values() if problem.part == "mixed"]
    sizes = [[len(axis.values) for axis in problem.axes if isinstance(axis, Choice)] for problem in mixed]
    assert sum(not problem.held_out for problem in mixed) == 12
    assert sum(problem.held_out for problem in mixed) == 5
    assert all(sizes), "every mixed problem has a choice"
    assert {2, 12} <= {size for row in sizes for size in row}
    assert sum(len(row) == 2 for row in sizes) == 3
    assert {problem.trials for problem in mixed} == {60}


def test_reactor_has_the_same_hill_in_every_solvent():
    problem = PROBLEMS["reactor"]
    lab = problem.as_written
    at = lab.space.points([{"solvent": one, "temp_C": 82, "time_min": 3.7} for one in lab.space.axes[0].values])
    np.testing.assert_allclose(lab.value(at), [0.60, 0.75, 0.85, 1.00])
    assert problem.best == pytest.approx(1.0, abs=1e-6)


def test_failing_regions_are_where_the_objective_would_be_highest():
    for name in ("pressure-limit", "disc", "bad-salt"):
        problem = PROBLEMS[name]
        lab = problem.as_written
        x = everywhere(lab.space)
        fails = lab.fails(x)
        assert 0.1 < fails.mean() < 0.5
        assert lab.value(x[fails]).max() > problem.best + 0.1 * problem.spread
        assert not lab.fails(problem.under(5).start[None, :])[0] or problem.axes[0].choices


def test_failing_regions_have_the_stated_shape():
    lab = PROBLEMS["disc"].as_written
    assert lab.fails(np.array([[84.0, 56.0], [84.0 + 52, 56.0], [84.0 + 56, 56.0]])).tolist() == [True, True, False]
    lab = PROBLEMS["bad-salt"].as_written
    x = everywhere(lab.space, 64)
    assert lab.fails(x[x[:, 0] == 1]).all()
    assert not lab.fails(x[(x[:, 0] == 0) | (x[:, 0] == 2)]).any()
    assert PROBLEMS["bad-salt"].under(0).fails(PROBLEMS["bad-salt"].under(0).start[None, :]).tolist() == [False]


def test_published_problems_are_as_published():
    """The optimum of Gramacy et al. and a value of R's CompModels, the two simulations of Gardner et al."""
    gramacy = PROBLEMS["gramacy"]
    assert gramacy.best == pytest.approx(-0.5998, abs=1e-4)
    np.testing.assert_allclose(best_place(gramacy), [0.1954, 0.4044], atol=1e-3)
    np.testing.assert_allclose(
        gramacy.as_written.measured(np.array([[0.2, 0.2]]))[0] - [0, 1.5], [1.285, -1.42], atol=1e-3
    )
    one, two = PROBLEMS["gardner-1"], PROBLEMS["gardner-2"]
    x, y = at = np.array([1.3, 4.2])
    assert one.as_written.value(at[None, :])[0] == pytest.approx(-(np.cos(2 * x) * np.cos(y) + np.sin(x)))
    assert one.as_written.measured(at[None, :])[0, 0] == pytest.approx(np.cos(x + y))
    assert (one.limits[0].most, two.limits[0].most) == (0.5, -0.95)
    assert two.as_written.value(at[None, :])[0] == pytest.approx(-(np.sin(x) + y))
    assert two.best == pytest.approx(1 - np.arcsin(0.95), abs=1e-4)
    assert one.best == pytest.approx(2.0)


def test_limits_bind_where_they_are_ours():
    for name in ("autoclave", "extruder"):
        problem = PROBLEMS[name]
        lab = problem.as_written
        x = everywhere(lab.space)
        assert 0.2 < lab.may_keep(x).mean() < 0.8
        assert lab.value(x).max() > problem.best + finding.MISSED * problem.spread


def test_place_within_the_noise_of_a_limit_complies():
    lab = PROBLEMS["autoclave"].as_written
    temps = 40 + 20 * np.log2([2.999, 3.01, 3.03])  # DMF, in this problem, has 1 bar at 40 °C
    x = lab.space.points([{"solvent": "DMF", "temp_C": temp, "time_min": 5.0} for temp in temps])
    np.testing.assert_allclose(lab.measured(x)[:, 0], [2.999, 3.01, 3.03])
    assert lab.complies(x).tolist() == [True, True, False]
    assert lab.may_keep(x).tolist() == [True, False, False]


# How a study is counted.


def reactor_places(*rows):
    lab = PROBLEMS["reactor"].as_written
    return lab, lab.space.points([dict(zip(("solvent", "temp_C", "time_min"), row, strict=True)) for row in rows])


def test_row_counts_a_known_study():
    lab, x = reactor_places(("heptane", 82, 3.7), ("DMF", 20, 1.0), ("acetone", 82, 3.7))
    row = row_of(lab, Found(x, np.zeros(3, dtype=bool), x[2], 0.5), "ucb", "code")
    assert row.kept == pytest.approx(0.85)
    assert row.short == pytest.approx(0.15 / lab.problem.spread, rel=1e-4)
    assert row.seen == pytest.approx(0.85)
    assert (row.choice, row.failed, row.repeats, row.places, row.every_value) == ("acetone", 0, 0, 3, 0)
    # 62 degrees down at 2 per min and up again at 5, and two changes of solvent at 20 min each; from the start before.
    first = row_of(lab, Found(x[:1], np.zeros(1, dtype=bool), x[0], 0.0), "ucb", "code").movement
    assert row.movement - first == pytest.approx(62 / 2 + 62 / 5 + 40)


def test_mean_place_is_short_by_the_whole_spread():
    problem = PROBLEMS["solvents"]
    assert problem.short(problem.mean) == pytest.approx(1.0)
    assert problem.short(problem.best) == 0.0


def test_mean_is_that_of_the_hill():
    """A Gaussian hill has a mean in closed form."""
    problem = PROBLEMS["reactor"]
    part = [
        0.5 * w * math.sqrt(2 * math.pi) * (math.erf((1 - c) / w / math.sqrt(2)) + math.erf(c / w / math.sqrt(2)))
        for c, w in ((0.62, 0.2), (0.3, 0.25))
    ]
    assert problem.mean == pytest.approx(0.8 * math.prod(part), rel=1e-3)
    assert bump(np.array([[0.62, 0.3]]), (0.62, 0.3), 0.2).tolist() == [1.0]


def test_every_value_is_counted_from_one_and_old_results_count():
    lab, x = reactor_places(("DMF", 50, 2), ("heptane", 50, 2), ("acetone", 50, 2), ("DMF", 60, 2), ("toluene", 50, 2))
    assert finding.every_value(lab, x) == 5
    assert finding.every_value(lab, x[:4]) == 0
    old = PROBLEMS["new-solvent"].as_written
    assert not old.is_new(old.old_results()[0]).any()
    assert len(old.old_results()[0]) == 12
    assert finding.every_value(old, x[1:]) == 3, "only the new solvent is still to be tried"


def test_repeats_are_places_handed_out_right_after_they_failed():
    lab, x = reactor_places(("DMF", 50, 2), ("DMF", 50, 2), ("DMF", 50.05, 2), ("DMF", 60, 2), ("DMF", 50, 2))
    assert finding.repeats(lab, x, np.array([True, True, True, True, True])) == 2
    assert finding.repeats(lab, x, np.array([False, True, False, True, True])) == 1
    assert finding.repeats(lab, x, np.zeros(5, dtype=bool)) == 0


def test_kept_place_that_breaks_a_limit_is_infinitely_short():
    lab = PROBLEMS["gramacy"].as_written
    x = np.array([[0.1, 0.1], [0.2, 0.8]])
    row = row_of(lab, Found(x, np.zeros(2, dtype=bool), x[0], 0.0), "random", "")
    assert row.short == math.inf
    assert row.seen == pytest.approx(-1.0)
    assert row.seen_short == pytest.approx(lab.problem.short(-1.0))


def test_random_study_is_the_same_again_and_keeps_what_complied():
    one, again = (measure(Cell("gramacy", "random", 2)) for _ in range(2))
    assert one == again
    assert one.short == one.seen_short < math.inf
    assert one.trials == one.places == 60


@pytest.mark.parametrize("name", ["reactor", "new-solvent", "disc"])
def test_own_study_is_run_to_its_end(name, monkeypatch):
    monkeypatch.setitem(PROBLEMS, name, evolve(PROBLEMS[name], trials=6))
    row = measure(Cell(name, "ucb", 1))
    assert row.trials == 6
    assert row.planner_cpu > 0
    assert row.kept <= row.seen + 1e-12 or name == "new-solvent"


# Rows and tables.


def row(problem="catalysts", method="ucb", seed=0, short=0.0, **more):
    made = Row(
        part=PROBLEMS[problem].part,
        problem=problem,
        method=method,
        seed=seed,
        trials=60,
        kept=1.0,
        seen=1.0,
        spread=0.5,
        short=short,
        seen_short=0.0,
        choice="DMF",
        every_value=9,
        failed=3,
        repeats=0,
        places=60,
        movement=10.0,
        planner_cpu=1.0,
        code="c",
    )
    return made._replace(**more)


def test_rows_are_read_as_they_were_written(tmp_path):
    rows = [
        row(short=math.inf, kept=math.nan, spread=0.123456),
        row(seed=1, method="before ucb"),
        row("gramacy", "BoTorch cEI"),
    ]
    finding.write_rows(reversed(rows), tmp_path / "rows.csv")
    found = finding.read_rows(tmp_path / "rows.csv")
    assert sorted(map(repr, found)) == sorted(map(repr, rows))


def test_mixed_table_counts_misses_and_leaves_held_out_apart():
    rows = [row(short=0.051), row(seed=1, short=0.05), row("esters", short=math.inf)]
    table = finding.mixed_table(rows)
    assert table.rows == [
        ("catalysts", "1 of 2"),
        ("esters (held out)", "1 of 1"),
        ("all but held out", "50%"),
        ("all held out", "100%"),
    ]


def test_limits_are_judged_by_what_was_set():
    good = [row(short=0.01), row(method="Optuna GP", short=0.02), row("reactor", kept=0.98), row("eight-values")]
    good += [row("disc", failed=8, short=0.05), row("gramacy")]
    assert all(line.endswith(": holds") for line in finding.judged(good))
    assert len(list(finding.judged(good))) == 5
    for bad in (
        row(short=0.06),
        row("reactor", kept=0.96),
        row("reactor", kept=0.98, choice="heptane"),
        row("eight-values", every_value=31),
        row("eight-values", every_value=0),
        row("disc", failed=9, short=0.0),
        row("disc", short=0.06),
        row("disc", repeats=1),
        row("gramacy", short=math.inf),
    ):
        assert [line.endswith("**missed**") for line in finding.judged([bad])] == [True]


def test_section_shows_the_committed_rows():
    text = finding.section()
    assert text.startswith("## What studies find\n")
    assert "before wayfare" in text
    assert all(f"### {table.title}" in text for table in finding.tables(finding.read_rows()))
    assert {row.problem for row in finding.read_rows()} == set(PROBLEMS)

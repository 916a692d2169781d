"""The studies of the tournament: their problems, and what is kept of each."""

import numpy as np
import pytest

from tests.benchmarks.rows import row
from tournament.__main__ import main
from tournament.candidates import CANDIDATES, builder
from tournament.grounds import STARTS, grounds
from tournament.studies import (
    Job,
    jobs_for,
    measure,
    read_rows,
    results_to_know,
    run_missing,
    unfinished,
    visits_before,
    write_rows,
)
from wayfare.bench import problem_named
from wayfare.bench.run import run_problem
from wayfare.errors import InvalidInput
from wayfare.record.events import Told
from wayfare.record.state import replay
from wayfare.report.progress import SURE, progress_of

KINDS = {
    "search": {"box": 19, "landscape": 10, "mixed": 12, "map": 3},
    "report": {"box": 28, "landscape": 12, "mixed": 9, "field": 5},
}


@pytest.mark.parametrize("part", KINDS)
def test_there_are_enough_problems_of_every_kind(part):
    kinds = [ground.kind for ground in grounds(part).values()]
    assert {kind: kinds.count(kind) for kind in kinds} == KINDS[part]


def test_no_problem_and_no_seed_is_both_searched_and_reported_on():
    assert not grounds("search").keys() & grounds("report").keys()
    searched, reported = ({job.seed for job in jobs_for(part, ["ucb"], [60], 20)} for part in KINDS)
    assert not searched & reported


@pytest.mark.parametrize(
    ("part", "name"),
    [
        *(("search", name) for name in ("quay", "land2a", "solvents", "orchard", "wells", "shoal")),
        *(("report", name) for name in ("ackley", "view2a", "resins", "inks", "enzymes", "furnaces", "columns")),
    ],
)
def test_no_place_of_a_problem_is_better_than_its_best(part, name):
    ground = grounds(part)[name]
    for seed in (1000, 1001):
        problem = ground.under(seed)
        x = problem.space.sample(2000, np.random.default_rng(seed))
        assert problem.space.contains(problem.start[None, :]).all()
        assert problem.noise > 0
        assert problem.function(x).max() <= problem.optimum + 1e-9
        assert problem.function(x).max() > problem.optimum - 0.6 * ground.gain
        assert ground.gain == pytest.approx(problem.optimum - problem.function(x).mean(), rel=0.3)


@pytest.mark.parametrize("name", ["inks", "enzymes", "furnaces", "columns"])
def test_the_best_place_of_a_machine_is_not_in_the_middle_and_every_choice_matters(name):
    problem = grounds("report")[name].under(0)
    x = problem.space.sample(20_000, np.random.default_rng(0))
    values = problem.function(x)
    best = x[values.argmax()]
    assert np.abs(problem.space.encode(best[None, :])[0] - 0.5).max() > 0.1
    for at, axis in enumerate(problem.space.axes):
        if axis.choices is not None:
            tops = [values[x[:, at] == value].max() for value in range(len(axis.choices))]
            assert np.ptp(tops) > 0.05 * grounds("report")[name].gain


def test_a_table_has_other_noise_and_another_start_under_another_seed():
    one, other = (grounds("search")["wells"].under(seed) for seed in (1000, 1001))
    assert one.noise == pytest.approx(10 * other.noise)
    assert one.start.tolist() != other.start.tolist()


@pytest.mark.parametrize("name", ["snar", "lake1", "lithium"])
def test_a_field_problem_is_searched_from_several_starts(name):
    ground = grounds("report")[name]
    starts = [tuple(ground.under(seed).start) for seed in range(2 * STARTS)]
    assert starts[:STARTS] == starts[STARTS:]
    assert len(set(starts)) == STARTS >= 4
    assert starts[0] == tuple(problem_named(name).start)


def test_a_study_is_measured_in_parts_of_what_there_is_to_gain(tmp_path):
    jobs = [Job("search", name, 3, "random", 1000) for name in ("quay", "wells")]
    rows = run_missing(jobs, tmp_path, 1)
    assert [one.kind for one in rows] == ["box", "map"]
    for one in rows:
        assert one.movement > 0
        assert 0 <= one.simple_regret <= 3
        assert (one.places, one.idle, one.budget) == (3, 0, 0)
    kept = read_rows(tmp_path / "search.csv")
    assert [one.job for one in kept] == jobs
    assert kept[0].mean_regret == pytest.approx(rows[0].mean_regret, rel=1e-4)
    # Nothing is left to run, so the same rows come back; what other code ran is run again.
    assert run_missing(jobs[:1], tmp_path, 1) == kept
    write_rows([one._replace(code="older", places=99) for one in kept], tmp_path / "search.csv")
    again = run_missing(jobs[:1], tmp_path, 1)
    assert [one.places for one in again] == [3, 99]


def test_the_same_study_gives_the_same_row():
    first, again = (measure(Job("search", "forrester", 4, "ucb", 1001))._replace(planner_cpu=0.0) for _ in range(2))
    assert first == again


def test_conditions_are_those_they_say():
    plain, old, out, budget = (
        measure(Job("search", "forrester", 14, "ucb", 1001, condition))
        for condition in ("plain", "old", "out", "budget")
    )
    # The first trial is the start, with and without results before it; with ten out the plan does not see them.
    assert len({plain.movement, old.movement, out.movement}) == 3
    assert plain.budget == old.budget == out.budget == 0
    assert budget.budget == pytest.approx(measure(Job("search", "forrester", 30, "ucb", 1001)).movement)
    assert budget.movement <= budget.budget


def test_a_visit_is_idle_only_until_the_study_says_that_it_is_done_if_it_is_watched():
    """A study that is watched is the same study: what is found and paid does not change."""
    plain, watched = (
        measure(Job("report", "view1a", 40, "wayfare", 0, condition)) for condition in ("plain", "watched")
    )
    assert watched._replace(condition="plain", idle=plain.idle, planner_cpu=plain.planner_cpu) == plain
    assert 0 < watched.idle < plain.idle
    problem = grounds("report")["view1a"].under(0)
    study = run_problem(problem, "wayfare", 40, 0).study
    open_before = [
        trial.number for trial in study.trials if trial.number and progress_before(study, trial.number).found < SURE
    ]
    assert unfinished(study, range(1, 40)) == open_before


def progress_before(study, number):
    """Return what the study said when as many results were told."""
    told = [at for at, event in enumerate(study.events) if isinstance(event, Told)]
    return progress_of(replay(study.spec, study.events[: told[number - 1] + 1]))


def test_visits_to_the_same_place_are_counted():
    x = np.array([[0.1, 0.1], [0.1, 0.1 + 1e-4], [0.5, 0.1], [0.1, 0.1]])
    assert visits_before(x) == [0, 1, 0, 2]


def test_noise_says_how_many_results_tell_a_place():
    assert [results_to_know(noise) for noise in (0.0, 0.02, 0.03, 0.06)] == [1, 1, 3, 9]


def test_rows_are_kept_in_an_order_of_their_own(tmp_path):
    write_rows([row("b"), row("a", seed=1001), row("a")], tmp_path / "rows.csv")
    assert [(one.method, one.seed) for one in read_rows(tmp_path / "rows.csv")] == [("a", 0), ("a", 1001), ("b", 0)]
    assert read_rows(tmp_path / "none.csv") == []


def test_every_candidate_can_be_built():
    assert all(builder(name)() for name in CANDIDATES)
    with pytest.raises(InvalidInput, match="did you mean 'control'"):
        builder("contrl")


def test_the_command_runs_and_compares(tmp_path, capsys):
    methods, problems = ["--methods", "ucb,random"], ["--problems", "quay"]
    words = ["run", "search", "--trials", "3", "--seeds", "2", "--jobs", "1", *methods, "--results", str(tmp_path)]
    assert main([*words, *problems]) == 0
    printed = capsys.readouterr().out
    assert "T = 3" in printed
    assert "| `random` | all (1) |" in printed
    assert len(read_rows(tmp_path / "search.csv")) == 4
    assert main([*words, "--problems", "quey"]) == 2
    assert "did you mean 'quay'" in capsys.readouterr().err

import numpy as np
import pytest
from attrs import evolve

from wayfare._core.rng import stream
from wayfare.bench import problem_named, run_methods, run_problem
from wayfare.planning.catalogue import EVERYWHERE, method_named
from wayfare.record.events import Asked, Told

BRANIN = problem_named("branin")


@pytest.fixture(scope="module")
def runs():
    return run_methods(BRANIN, ("random", "tucb"), trials=9, seed=3)


def test_every_method_sees_the_same_noise(runs):
    noise = BRANIN.noise * stream(3, "noise").standard_normal(9)
    for run in runs.values():
        assert np.allclose(run.values - BRANIN.function(run.x), noise)


def test_every_method_begins_at_the_same_start(runs):
    for run in runs.values():
        assert np.allclose(run.x[0], BRANIN.start)
        assert run.legs[0] == 0
    elsewhere = run_problem(BRANIN, "random", 2, 3, start=np.array([1.0, 2.0]))
    assert np.allclose(elsewhere.x[0], [1, 2])


def test_movement_is_the_way_between_the_visits(runs):
    for run in runs.values():
        way = np.linalg.norm(np.diff(run.x, axis=0), axis=1)
        assert run.movement == pytest.approx(way.sum())
        assert run.movement == pytest.approx(run.study.ledger().paid)


def test_regret_is_that_of_the_function_without_noise(runs):
    for run in runs.values():
        assert np.allclose(run.regret, BRANIN.optimum - BRANIN.function(run.x))
        assert run.mean_regret == pytest.approx(run.regret.mean())
        assert run.last_half_regret == pytest.approx(run.regret[-5:].mean())
        assert run.simple_regret == run.regret[run.study.best().trial]


def test_the_noise_is_left_to_be_learned(runs):
    assert all(run.study.spec.noise is None for run in runs.values())


def test_planning_takes_time_and_plans_are_counted(runs):
    assert runs["random"].plans == 9
    assert 1 < runs["tucb"].plans <= 9
    assert all(run.planner_cpu > 0 for run in runs.values())


def test_each_trial_is_reported_once_told():
    seen = []
    run = run_problem(BRANIN, method_named("random"), 4, 0, on_trial=seen.append, label="dice")
    assert [trial.number for trial in seen] == [0, 1, 2, 3]
    assert [trial.value for trial in seen] == run.values.tolist()
    assert run.method == "dice"


def test_the_same_seed_gives_the_same_run(runs):
    again = run_problem(BRANIN, "tucb", 9, 3)
    assert np.array_equal(again.x, runs["tucb"].x)
    assert not np.array_equal(run_problem(BRANIN, "tucb", 9, 4).values, again.values)


@pytest.mark.parametrize("delay", [2, 20])
@pytest.mark.parametrize("method", sorted(EVERYWHERE))
def test_results_come_as_many_trials_late_as_said(method, delay):
    run = run_problem(BRANIN, method, 8, 3, delay=delay)
    events = run.study.events
    asked_before = [
        sum(isinstance(one, Asked) for one in events[:at]) for at, event in enumerate(events) if isinstance(event, Told)
    ]
    assert asked_before == [min(number + 1 + delay, 8) for number in range(8)]
    noise = BRANIN.noise * stream(3, "noise").standard_normal(8)
    assert np.allclose(run.values - BRANIN.function(run.x), noise)


@pytest.mark.parametrize("method", sorted(EVERYWHERE))
def test_initial_results_cost_neither_trials_nor_movement(method):
    run = run_problem(evolve(BRANIN, initial=4), method, 5, 3)
    assert len(run.x) == len(run.legs) == len(run.regret) == 5
    assert len(run.study.trials) == 9
    known = run.study.trials[:4]
    assert all(trial.prior and trial.leg == 0 for trial in known)
    assert np.allclose(run.known, BRANIN.regret(np.array([trial.x for trial in known])))
    assert run.legs[0] == pytest.approx(np.linalg.norm(run.x[0] - BRANIN.start))
    noise = BRANIN.noise * stream(3, "noise").standard_normal(5)
    assert np.allclose(run.values - BRANIN.function(run.x), noise)


def test_every_method_is_given_the_same_initial_results():
    given = evolve(BRANIN, initial=4)
    first, second = (run_problem(given, method, 2, 3).study.trials[:4] for method in ("ucb", "random"))
    assert [trial.value for trial in first] == [trial.value for trial in second]
    assert np.array_equal([trial.x for trial in first], [trial.x for trial in second])


def test_the_place_to_keep_may_be_one_that_was_known_before():
    given = evolve(BRANIN, initial=40, noise=0.0)
    run = run_problem(given, "random", 2, 0)
    assert run.simple_regret == run.known.min() < run.regret.min()


@pytest.mark.parametrize(("method", "sizes"), [("tucb", [1] * 8 + [2]), ("bpe", [4, 6])])
def test_what_was_known_before_does_not_lengthen_the_batches(method, sizes):
    run = run_problem(evolve(BRANIN, initial=9), method, 10, 3)
    assert [len(plan.stops) for plan in run.study.state.plans] == sizes

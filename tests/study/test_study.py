"""The study: ask, tell, late and out of order, against the invariants of the design."""

import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare._core.rng import stream
from wayfare.planning.catalogue import EVERYWHERE
from wayfare.record.events import Replanned, write_event

SPACE = wf.Space(wf.Real("a", 0.0, 10.0), wf.Real("b", 0.0, 10.0))


def hill(a: float, b: float) -> float:
    return -((a - 7) ** 2) - (b - 2) ** 2


def make(**changes):
    options = {
        "direction": "maximize",
        "travel": wf.Euclidean(unit="m"),
        "trials": 12,
        "start": [1.0, 9.0],
        "method": "tucb",
        "seed": 3,
    }
    space = changes.pop("space", SPACE)
    return wf.Study.create(space, **(options | changes))


def finish(study, function=hill):
    while (trial := study.ask()) is not None:
        study.tell(trial, function(**trial.params))
    return study


@pytest.mark.parametrize("method", EVERYWHERE)
def test_every_method_for_any_space_finds_the_hill(method):
    study = finish(make(method=method, trials=30))
    assert len(study.trials) == 30
    assert study.ask() is None
    if method not in ("random", "bpe", "bpe-heuristic", "random-route", "lhs-route"):
        assert study.best().mean > -1.0


def test_the_first_place_is_the_start_and_costs_nothing():
    for method in EVERYWHERE:
        trial = make(method=method).ask()
        assert trial.params == {"a": 1.0, "b": 9.0}
        assert trial.leg == 0.0


def test_a_start_outside_the_space_is_left_for_the_nearest_place():
    trial = make(start=[-3.0, 14.0]).ask()
    assert trial.params == {"a": 0.0, "b": 10.0}
    assert trial.leg == pytest.approx(5.0)


def test_in_a_finite_space_the_nearest_place_is_the_cheapest_to_reach():
    places = wf.Places([[0.0, 9.0], [5.0, 0.0]], names=["far", "near"])
    travel = wf.Euclidean(scale={"far": 1.0, "near": 100.0})
    trial = make(space=places, travel=travel, trials=1, start=[4.0, 8.0]).ask()
    assert trial.params == {"far": 0.0, "near": 9.0}
    trial = make(space=places, travel=wf.Euclidean(scale={"far": 100.0, "near": 1.0}), trials=1, start=[4.0, 8.0]).ask()
    assert trial.params == {"far": 5.0, "near": 0.0}


def test_without_a_start_the_first_place_is_a_seeded_draw_and_free():
    first, again, other = (make(start=None, seed=seed).ask() for seed in (1, 1, 2))
    assert first.leg == 0.0
    assert first.params == again.params != other.params


def test_the_same_open_trial_is_handed_out_until_it_is_told():
    study = make()
    trial = study.ask()
    assert study.ask().number == trial.number
    study.tell(trial, 1.0)
    assert study.ask().number == trial.number + 1


def test_workers_have_their_own_open_trials():
    study = make()
    mine, yours = study.ask("me"), study.ask("you")
    assert (mine.number, yours.number) == (0, 1)
    assert study.ask("me").number == 0
    assert study.ask("you").number == 1


def test_going_on_without_waiting_hands_out_different_places():
    study = make(trials=8)
    trials = [study.ask(wait=False) for _ in range(8)]
    assert study.ask(wait=False) is None
    assert [trial.number for trial in trials] == list(range(8))
    assert len({tuple(trial.x) for trial in trials}) == 8
    for trial in reversed(trials):
        study.tell(trial, hill(**trial.params))
    assert study.state.results == tuple(range(7, -1, -1))


def test_minimising_is_maximising_the_negative():
    up = finish(make(direction="maximize"))
    down = finish(make(direction="minimize"), lambda a, b: -hill(a, b))
    assert [t.params for t in up.trials] == [t.params for t in down.trials]
    assert down.best().observed == -up.best().observed
    assert down.best().mean == pytest.approx(-up.best().mean)


def test_a_rolling_schedule_plans_anew_at_every_result():
    study = finish(make(method=wf.Method(wf.UCB(), wf.Rolling()), trials=6))
    assert len(study.state.plans) == 6


def test_a_horizon_is_planned_once_and_walked():
    study = finish(make(method=wf.Method(wf.Uniform(), wf.Horizon()), trials=9))
    assert [len(plan.stops) for plan in study.state.plans] == [1, 8]


def test_the_ledger_counts_what_was_walked():
    study = finish(make(trials=20))
    x = np.vstack([study.spec.start, [trial.x for trial in study.trials]])
    walked = np.linalg.norm(np.diff(x, axis=0), axis=1).sum()
    ledger = study.ledger()
    assert ledger.paid == pytest.approx(walked, rel=1e-12)
    assert ledger.predicted == pytest.approx(walked, rel=1e-12)
    assert ledger.saved == pytest.approx(ledger.unordered - ledger.paid)
    assert (ledger.unit, ledger.visits) == ("m", 20)


@pytest.mark.parametrize("seed", range(5))
def test_ordering_one_batch_never_costs_more_than_its_order_as_chosen(seed):
    # Of several batches it may: each order ends elsewhere, and the next batch begins there.
    study = finish(make(method=wf.Method(wf.Uniform(), wf.Horizon()), trials=15, seed=seed))
    assert study.ledger().saved > 0


def test_the_unordered_walk_takes_each_batch_as_the_policy_chose_it():
    class Zigzag:
        def propose(self, situation, size, rng):
            return np.array([[0.0, 0.0], [10.0, 0.0], [1.0, 0.0], [9.0, 0.0]])[:size]

    study = make(method=wf.Method(Zigzag(), wf.Horizon()), trials=5, start=[0.0, 0.0])
    finish(study)
    assert study.ledger().paid == pytest.approx(10.0)
    assert study.ledger().unordered == pytest.approx(10.0 + 9.0 + 8.0)


def test_the_route_ahead_shows_legs_and_running_totals():
    study = make(method=wf.Method(wf.Uniform(), wf.Fixed(5)), trials=11)
    for _ in range(7):
        study.tell(study.ask(), 0.0)
    study.ask()
    route = study.route()
    planned = study.state.plans[-1]
    assert len(route) == 2
    assert [stop.leg for stop in route.stops] == pytest.approx(planned.legs[-2:])
    assert route.cost == pytest.approx(planned.legs[-2:].sum()) == route.stops[-1].total
    assert route.unit == "m"


def test_best_averages_the_noise_out():
    rng = np.random.default_rng(0)
    study = finish(make(trials=60, method="ucb"), lambda a, b: hill(a, b) + 3.0 * rng.standard_normal())
    best = study.best()
    assert best.sd < 2.0
    assert best.observed == max(trial.value for trial in study.trials)
    assert abs(best.mean - hill(**best.params)) < abs(best.observed - hill(**best.observed_params)) + 1.0


def test_the_table_of_trials_has_a_row_for_each():
    study = finish(make())
    frame = study.to_dataframe()
    assert list(frame.columns) == ["number", "state", "a", "b", "leg", "value", "plan", "count", "variance", "prior"]
    assert list(frame["value"]) == [trial.value for trial in study.trials]
    assert make().to_dataframe().empty


def test_what_decided_a_plan_is_recorded_with_it():
    study = finish(make())
    steps = [plan.notes["step"] for plan in study.state.plans]
    assert steps[0] == "start"
    assert set(steps[2:]) == {"map"}
    assert all(plan.notes["lengths"] for plan in study.state.plans[2:])


def test_a_study_reopened_before_every_call_equals_one_kept_open():
    kept = finish(make())
    store = wf.MemoryStore()
    make(store=store, name="again")
    while (trial := wf.Study.open(store, "again").ask()) is not None:
        wf.Study.open(store, "again").tell(trial.number, hill(**trial.params))
    reopened = wf.Study.open(store, "again")
    assert [t.params for t in reopened.trials] == [t.params for t in kept.trials]
    assert [t.leg for t in reopened.trials] == [t.leg for t in kept.trials]


def test_two_that_ask_at_once_never_get_the_same_trial():
    store = wf.MemoryStore()
    make(store=store, name="shared")
    one, two = wf.Study.open(store, "shared"), wf.Study.open(store, "shared")
    numbers = [study.ask(worker, wait=False).number for _ in range(4) for study, worker in ((one, "1"), (two, "2"))]
    assert numbers == list(range(8))


def test_threads_that_share_a_study_never_get_the_same_trial():
    class Slow(wf.MemoryStore):
        def read(self, name, since=0):
            found = super().read(name, since)
            time.sleep(0.002)
            return found

    study = make(store=Slow(), trials=12, method="random")
    with ThreadPoolExecutor(3) as pool:
        trials = list(pool.map(lambda worker: study.ask(str(worker)), range(12)))
    assert sorted(trial.number for trial in trials) == list(range(12))


def test_a_trial_of_another_study_is_refused():
    one, other = make(start=None, seed=1), make(start=None, seed=2)
    one.ask()
    with pytest.raises(wf.UnknownTrial, match="another study"):
        one.tell(other.ask(), 1.0)
    assert one.trials[0].value is None


def test_what_is_done_to_a_trials_params_stays_outside():
    study = make()
    trial = study.ask()
    with pytest.raises(TypeError):
        trial.params["a"] = 99.0


def test_a_known_noise_is_respected_from_the_first_result():
    study = make(noise=5.0)
    study.tell(study.ask(), 1e6)
    assert 2.0 < study.best().sd < 10.0


@pytest.mark.parametrize(("scale", "noise"), [(1e-160, 1.0), (1.0, 1e300), (1e300, 1e-300)])
def test_no_known_noise_is_too_large_or_too_small(scale, noise):
    study = finish(make(noise=noise, trials=5), lambda a, b: scale * (a - b) / 10)
    assert np.isfinite(study.best().mean)


def test_a_batch_of_ei_does_not_repeat_one_place():
    study = make(method=wf.Method(wf.LogEI(), wf.Fixed(12)), trials=36, start=[5.0, 5.0])
    finish(study)
    second = study.state.plans[1].stops
    assert len(np.unique(second, axis=0)) > 6


def test_an_error_of_the_function_carries_the_study_so_far():
    calls = []

    def breaks(a, b):
        calls.append(a)
        if len(calls) == 4:
            raise RuntimeError("the pump stopped")
        return a - b

    with pytest.raises(RuntimeError, match="the pump stopped") as caught:
        wf.maximize(breaks, SPACE, travel=wf.Euclidean(), trials=9)
    assert len(caught.value.study.state.results) == 3


def test_reports_read_well():
    study = make(method=wf.Method(wf.Uniform(), wf.Fixed(5)), trials=11)
    for _ in range(7):
        study.tell(study.ask(), 0.5)
    assert str(study.best()).startswith("best place (posterior mean ± sd): 0.5")
    assert str(study.ledger()).startswith("7 visits on 3 routes: paid ")
    assert str(study.route()).startswith("1. a ")
    assert " → " in str(study.route())
    assert " m, total " in str(study.route())


def test_a_conflict_between_reading_and_writing_is_resolved_by_looking_again():
    class Busy(wf.MemoryStore):
        interruptions = 0

        def append(self, name, after, events):
            if Busy.interruptions < 2:
                Busy.interruptions += 1
                other = write_event(Replanned(None, "somebody was faster", f"other {after}"))
                super().append(name, after, [other])
            super().append(name, after, events)

    study = make(store=Busy())
    trial = study.ask()
    Busy.interruptions = 0
    study.tell(trial, 1.0)
    assert study.trials[0].value == 1.0


def test_a_cost_that_loses_the_guarantee_says_so_once():
    with pytest.warns(wf.GuaranteeWarning, match="however short") as caught:
        study = make(travel=wf.Ramp("a", up=1.0, down=2.0, unit="s") + wf.Fee(1.0))
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        finish(study)
        make(travel=wf.Manhattan(unit="m"))
        make(travel=wf.Ramp("a", up=1.0, down=2.0, unit="s"))


def test_the_warning_points_at_the_users_own_line():
    def through_maximize():
        return wf.maximize(hill, SPACE, travel=wf.Fee(1.0), trials=2)

    with pytest.warns(wf.GuaranteeWarning) as caught:
        through_maximize()
    assert (caught[0].filename, caught[0].lineno) == (__file__, through_maximize.__code__.co_firstlineno + 1)


def test_asymmetric_legs_are_paid_in_their_direction():
    study = finish(make(travel=wf.Ramp("a", up=1.0, down=4.0), unit="s"))
    a = np.array([1.0, *(trial.x[0] for trial in study.trials)])
    rises = np.diff(a)
    assert study.ledger().paid == pytest.approx(np.where(rises > 0, rises, -rises / 4).sum())


def test_places_visited_once_are_never_visited_twice():
    rng = np.random.default_rng(0)
    places = wf.Places(rng.random((15, 2)), once=True)
    for method in ("tucb", "tts", "tei", "bpe", "bpe-heuristic", "random", "ucb"):
        study = finish(make(space=places, trials=15, method=method, start=[0.5, 0.5]), lambda x0, x1: x0 - x1)
        assert len({tuple(trial.x) for trial in study.trials}) == 15


def test_telling_works_while_the_model_cannot_be_fitted(monkeypatch):
    study = make()
    trial = study.ask()
    monkeypatch.setattr("wayfare.surrogate.gp.GP.fit", lambda *_: (_ for _ in ()).throw(RuntimeError("no model")))
    study.tell(trial, 1.0)
    assert study.trials[0].value == 1.0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**40), st.lists(st.one_of(st.integers(0, 99), st.text(max_size=5)), max_size=3))
def test_streams_are_addressed_by_their_keys(seed, key):
    assert stream(seed, *key).random() == stream(seed, *key).random()
    assert stream(seed, *key).random() != stream(seed, *key, 7).random()


@pytest.mark.parametrize("method", ["mini", "ucb", "ucb1", "base"])
def test_results_as_large_as_can_be_told_are_planned_with(method):
    table = wf.Places([[float(at)] for at in range(5)], names=["a"], once=False)
    study = wf.Study.create(table, direction="maximize", travel=wf.Euclidean(), trials=12, method=method)
    finish(study, lambda a: 1e300 * np.sin(a))
    assert len(study.trials) == 12

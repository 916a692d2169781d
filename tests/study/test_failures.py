"""What a study makes of failures: no failed place comes again at once, and regions that fail are left."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.planning.catalogue import CATALOGUE
from wayfare.policy import Runs

LINE = wf.Space(wf.Real("x", 0.0, 10.0))
PLANE = wf.Space(wf.Real("a", 0.0, 1.0), wf.Real("b", 0.0, 1.0))
LEARNERS = [name for name, entry in CATALOGUE.items() if entry.spaces == "any" and "random" not in name]


class Marks:
    """Proposes these places, as often as they are listed."""

    def __init__(self, *marks):
        self.marks = marks

    def propose(self, situation, size, rng):
        return np.array([[mark] for mark in self.marks[:size]])


def along(policy, **options):
    method = wf.Method(policy, wf.Horizon(), planner=wf.AsGiven(), opening=wf.NoOpening())
    return wf.Study.create(
        LINE, direction="maximize", travel=wf.Euclidean(unit="m"), trials=20, start=[0.0], method=method, **options
    )


def test_the_stops_at_a_place_that_failed_are_stepped_over():
    study = along(Marks(2.0, 5.0, 5.0, 7.0, 5.0, 9.0))
    study.tell(study.ask(), 1.0)
    study.fail(study.ask(), "stuck")
    assert [stop.params["x"] for stop in study.route().stops] == [7.0, 9.0]
    assert study.ask().params["x"] == 7.0


def test_the_preview_and_the_legs_agree_after_a_failure():
    study = along(Marks(2.0, 5.0, 5.0, 1.0))
    study.tell(study.ask(), 1.0)
    study.fail(study.ask())
    ahead = study.route().stops[0]
    trial = study.ask()
    assert (trial.params["x"], trial.leg) == (1.0, 4.0)
    assert (ahead.params["x"], ahead.leg) == (1.0, 4.0)


def test_a_place_that_gave_a_result_before_is_visited_again():
    study = along(Marks(5.0, 5.0, 5.0))
    study.tell(study.ask(), 1.0)
    study.fail(study.ask())
    assert study.ask().params["x"] == 5.0


def test_a_run_is_given_up_when_its_first_result_fails():
    class Run:
        def propose(self, situation, size, rng):
            return Runs([[3.0], [4.0]], [5, 2])

    study = along(Run())
    study.fail(study.ask())
    assert [(stop.params["x"], stop.count) for stop in study.route().stops] == [(4.0, 2)]


def test_a_trial_of_an_earlier_route_that_fails_late_is_stepped_over_too():
    study = along(Marks(5.0, 7.0))
    late = study.ask(wait=False)
    study.replan()
    assert [stop.params["x"] for stop in study.route().stops] == [5.0, 7.0]
    study.fail(late)
    assert [stop.params["x"] for stop in study.route().stops] == [7.0]


def test_a_route_of_which_nothing_is_left_is_planned_again():
    study = along(Marks(5.0, 5.0, 5.0))
    study.fail(study.ask())
    assert len(study.route().stops) == 0
    assert study.ask() is not None
    assert len(study.snapshot().state.plans) == 2


@pytest.mark.parametrize("method", LEARNERS)
def test_no_failed_place_is_handed_out_twice_in_a_row(method):
    options = {"direction": "maximize", "travel": wf.Euclidean(), "trials": 14, "start": [0.5, 0.5]}
    study = wf.Study.create(PLANE, method=method, **options)
    before = None
    while (trial := study.ask()) is not None:
        assert before is None or tuple(trial.x) != before
        before = tuple(trial.x) if trial.x[0] > 0.4 else None
        study.tell(trial, float(trial.x.sum())) if before is None else study.fail(trial)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["ucb", "wayfare", "tucb"]))
def test_a_region_that_always_fails_is_left_and_its_edge_is_found(seed, method):
    """The value rises towards a region that fails: no study of 25 trials is spent there, and few come far from it."""
    study = wf.Study.create(
        PLANE, direction="maximize", travel=wf.Euclidean(), trials=25, start=[0.1, 0.5], method=method, seed=seed
    )
    failed = 0
    while (trial := study.ask()) is not None:
        if trial.x[0] > 0.6:
            study.fail(trial, "too hot")
            failed += 1
        else:
            study.tell(trial, float(trial.x[0] - (trial.x[1] - 0.4) ** 2))
    assert failed <= 12
    assert study.best().params["a"] > 0.35
    success = study.predict([[0.95, 0.5], [0.1, 0.5]]).success
    assert success[0] < success[1] - 0.2

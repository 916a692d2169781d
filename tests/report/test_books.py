"""Known answers for what runs, skipped visits, hands and trips do to a study's books."""

import numpy as np
import pytest
from attrs import evolve

import wayfare as wf
from wayfare.planning.anchor import _detours
from wayfare.planning.itinerary import Itinerary
from wayfare.planning.reach import Limits, Reach
from wayfare.planning.trips import fit_a_trip
from wayfare.policy import Runs
from wayfare.record.events import Asked, Planned
from wayfare.record.state import apply
from wayfare.report.costs import reach_of, trip_left
from wayfare.report.ledger import leg_besides
from wayfare.travel import Euclidean

LINE = wf.Space(wf.Real("x", 0.0, 10.0))


def on_a_line(**options):
    stated = {"direction": "maximize", "travel": Euclidean(unit="km"), "start": {"x": 0.0}, "trials": 30}
    return wf.Study.create(LINE, method="random", **(stated | options))


def test_of_a_run_as_many_results_are_in_range_as_a_trip_of_its_own_pays():
    limits = Limits(home=np.array([0.0]), dwell=2.0, trip=10.0)
    reach = Reach(Euclidean().bind(LINE), np.array([0.0]), limits)
    x = np.array([[1.0], [3.0], [4.0], [4.5], [5.0]])  # there and back 2, 6, 8, 9 and 10, of 10
    assert fit_a_trip(reach, Runs(x, [9, 9, 9, 9, 9])).counts.tolist() == [4, 2, 1]
    assert fit_a_trip(reach, Runs(x, [3, 1, 1, 1, 1])).counts.tolist() == [3, 1, 1]
    free = evolve(reach, limits=Limits(home=np.array([0.0]), trip=8.0))
    kept = fit_a_trip(free, Runs(x, [9, 9, 9, 9, 9]))
    assert kept.counts.tolist() == [9, 9, 9]
    assert kept.places.tolist() == x[:3].tolist()


def test_a_run_takes_from_its_trip_what_all_its_results_cost_and_a_skipped_visit_nothing():
    study = on_a_line(home="start", trip=40.0, dwell=2.0)
    trial = study.insert({"x": 3.0}, count=4).trial
    assert trip_left(study.state) == 40.0 - 3.0 - 4 * 2.0
    study.tell(trial, 1.0, count=4)
    skipped = study.insert({"x": 9.0}).trial
    assert trip_left(study.state) == 40.0 - 3.0 - 4 * 2.0 - 6.0 - 2.0
    study.skip(skipped)
    assert trip_left(study.state) == 40.0 - 3.0 - 4 * 2.0


def test_a_step_is_measured_by_the_cost_as_it_was_stated():
    study = on_a_line(max_step=2.0)
    for x in (1.0, 2.0, 3.0, 1.5, 3.5, 5.0):
        trial = study.insert({"x": x}).trial
        study.tell(trial, 1.0, spent=10 * trial.leg)
    assert study.learned().scale == pytest.approx(10.0)
    reach = reach_of(study.state)
    assert reach.steps.allow(np.array([5.0]), np.array([[7.0], [7.1]])).tolist() == [True, False]


def test_a_leg_by_way_of_home_is_so_in_every_currency_and_begins_where_the_one_before_ended():
    study = on_a_line(home="start", trip=10.0, also=[wf.Euclidean(scale=3.0, unit="EUR")])
    for x in (4.0, 2.0, 4.0):
        study.tell(study.insert({"x": x}).trial, 1.0)
    trials = study.trials
    assert [trial.home_first for trial in trials] == [False, False, True]
    assert [leg_besides(study.state, trial) for trial in trials] == [
        (("EUR", 12.0),),
        (("EUR", 6.0),),
        (("EUR", 6.0 + 12.0),),  # two home, then four
    ]


def test_a_detour_is_what_it_adds_to_the_way_without_it():
    limits = Limits()
    reach = Reach(Euclidean().bind(LINE), np.array([0.0]), limits)
    x = np.array([[4.0], [6.0], [1.0]])
    # By 5: before 4 it is five there and one back, less four; before 6 on the way; before 1 as well.
    assert _detours(reach, x, np.array([5.0])).tolist() == [2.0, 0.0, 0.0]


def test_of_a_run_no_more_results_are_planned_than_are_left():
    stops = Itinerary(np.array([[1.0], [2.0], [3.0]]), np.arange(3), np.ones(3), np.array([3, 4, 5]))
    assert stops.for_results(12) is stops
    assert stops.for_results(9).counts.tolist() == [3, 4, 2]
    assert stops.for_results(5).counts.tolist() == [3, 2]
    assert stops.for_results(3).counts.tolist() == [3]


def test_once_a_run_is_taken_in_part_its_visit_home_is_behind():
    study = on_a_line(home="start", trip=20.0)
    stops, none = np.array([[4.0], [5.0]]), np.array([4.0, 1.0])
    plan = Planned(stops, none, np.arange(2), 0, {}, 0, "", counts=(3, 1), homes=(0,))
    state = apply(study.state, [plan])
    assert state.itinerary.homes.tolist() == [True, False]
    state = apply(state, [Asked(0, 0, 4.0, "", "one", 1, True)])
    assert state.itinerary.counts.tolist() == [2, 1]
    assert state.itinerary.homes.tolist() == [False, False]


def test_a_way_home_that_was_skipped_is_not_handed_on_beyond_where_the_traveller_was_put():
    study = on_a_line(home="start", trip=10.0)
    for x in (4.0, 2.0):
        study.tell(study.insert({"x": x}).trial, 1.0)
    skipped = study.insert({"x": 4.0}).trial
    assert skipped.home_first
    study.replan({"x": 1.0})
    later = study.insert({"x": 2.0}).trial
    assert not later.home_first
    study.skip(skipped)
    assert not study.trials[later.number].home_first


def test_an_anchor_at_the_best_place_so_far_warns_nobody():
    study = on_a_line(anchor="best", anchor_every=2)
    for at in range(8):
        study.tell(study.insert({"x": float(at % 2)}).trial, 10.0 - at)
    assert study.drift().is_found
    study.ask()  # a warning would be an error here


def test_whoever_is_put_elsewhere_by_hand_goes_on_with_the_old_battery_in_any_order():
    study = on_a_line(home="start", trip=10.0)
    study.tell(study.insert({"x": 4.0}).trial, 1.0)
    study.replan({"x": 3.0})
    for x in (4.0, 5.0):
        study.tell(study.insert({"x": x}).trial, 1.0)
    assert [trial.home_first for trial in study.trials] == [False, False, True]
    assert study.ledger().paid == 4.0 + 1.0 + (4.0 + 5.0)
    assert study.ledger().ordered == 4.0 + (3.0 + 4.0) + 1.0  # home before the first of them is nearer
    study.replan({"x": 0.0})
    study.tell(study.insert({"x": 5.0}).trial, 1.0)
    assert study.ledger().ordered == 12.0 + 5.0

"""A maximum step: no leg is longer, stops lie in between, and what cannot be reached is left out."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from tests.planning.test_limits import LINE, listed, make, walk
from wayfare._core.rng import stream
from wayfare.planning.steps import Steps
from wayfare.travel import Ramp, Switch

MIXED = wf.Space(wf.Real("t", 20.0, 120.0), wf.Integer("n", 0, 9), wf.Choice("s", ["a", "b", "c"]))
LABOUR = wf.parallel(Ramp("t", up=5.0, down=2.0), Ramp("n", up=1.0, down=1.0)) + Switch("s", 3.0)


def bound(space, travel, longest):
    return Steps(space, travel.bind(space), longest)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.floats(3.0, 60.0))
def test_every_step_is_short_enough_and_the_last_one_arrives(seed, longest):
    steps = bound(MIXED, LABOUR, longest)
    origin, target = MIXED.sample(2, stream(seed))
    stops = steps.between(origin, target)
    assert stops is not None
    assert np.array_equal(stops[-1], target)
    assert MIXED.contains(stops).all()
    here = origin
    for stop in stops:
        assert steps.travel(here[None, :], stop[None, :])[0, 0] <= longest * (1 + 1e-9)
        here = stop


@given(st.floats(0.05, 20.0), st.floats(0.0, 10.0), st.floats(0.0, 10.0))
def test_on_a_line_there_are_no_more_steps_than_there_must_be(longest, origin, target):
    stops = bound(LINE, wf.Euclidean(), longest).between(np.array([origin]), np.array([target]))
    assert len(stops) == max(1, np.ceil(abs(origin - target) / longest - 1e-6))


def test_around_an_obstacle_the_stops_follow_the_way():
    grid = np.ones((9, 9))
    grid[1:, 4] = 0  # a wall, open in the first row
    lake = wf.Raster(grid, "x", "y")
    places = lake.places()
    steps = bound(places, lake, 3.0)
    stops = steps.between(np.array([2.0, 8.0]), np.array([6.0, 8.0]))
    legs = [steps.travel(a[None], b[None])[0, 0] for a, b in pairwise([np.array([2.0, 8.0]), *stops])]
    assert max(legs) <= 3.0
    direct = steps.travel(np.array([[2.0, 8.0]]), np.array([[6.0, 8.0]]))[0, 0]
    assert sum(legs) == pytest.approx(direct)


def test_where_no_step_leads_there_is_no_way():
    places = wf.Places([[0.0], [1.0], [5.0]], names=["x"])
    steps = bound(places, wf.Euclidean(), 2.0)
    assert steps.between(np.array([0.0]), np.array([1.0])).tolist() == [[1.0]]
    assert steps.between(np.array([0.0]), np.array([5.0])) is None


@pytest.mark.parametrize("method", ["wayfare", "ucb", "tucb", "snake", "lsr", "random", "lhs-route", "blin"])
@pytest.mark.parametrize("limits", [{}, {"budget": 9.0, "home": "start", "dwell": 0.2}])
def test_no_leg_of_a_study_is_longer_than_a_step(method, limits):
    study = make(method=method, max_step=1.5, trials=12, noise=0.1, **limits)
    walk(study)
    assert len(study.trials) == 12 or limits
    assert len(study.trials) > 2
    assert max(trial.leg for trial in study.trials) <= 1.5 + 1e-8
    assert study.ledger().left is None or study.ledger().left >= study.ledger().home


def test_stops_in_between_are_trials_and_come_before_the_place_they_lead_to():
    study = make(method=listed(4, 1), trials=9, max_step=1.0)
    assert walk(study)[:4] == [1.0, 2.0, 3.0, 4.0]
    assert study.state.plans[0].picked.tolist() == [3, 0, 1, 2]  # 4 was chosen first, and two lead to it
    ledger = study.ledger()
    assert ledger.paid < ledger.unordered


def test_no_more_results_are_planned_than_trials_are_left():
    study = make(method=listed(9), trials=4, max_step=1.0)
    assert walk(study) == [1.0, 2.0, 3.0, 4.0]


def test_a_place_is_passed_only_once_where_it_may_be_visited_only_once():
    table = wf.Places([[float(x)] for x in range(1, 9)], names=["x"], once=True)
    study = make(table, listed(8, 4, 2), 8, max_step=1.0)
    visited = walk(study)
    assert sorted(visited) == sorted(set(visited))
    assert visited[0] == 1.0
    assert max(trial.leg for trial in study.trials) == 1.0


def test_a_leg_that_drift_made_too_long_is_not_begun():
    study = make(method=listed(1, 2, 3), trials=9, max_step=1.0)
    first = study.ask()
    study.tell(first, 0.0, actual={"x": 0.2})
    assert study.ask().leg <= 1.0
    assert len(study.state.plans) == 2


def test_inserting_a_place_further_away_is_refused():
    study = make(trials=9, max_step=1.0)
    with pytest.raises(wf.BudgetSpent, match=r"x=3 and home takes a leg of 3 m, and none .* more than 1 m"):
        study.insert({"x": 3.0})
    study.insert({"x": 1.0})


def test_a_study_with_nowhere_to_go_says_that_legs_are_limited():
    table = wf.Places([[1.0], [2.0], [6.0]], names=["x"], once=True)
    study = make(table, "random-route", 3, max_step=1.5)
    assert walk(study) == [1.0, 2.0]
    with pytest.raises(wf.BudgetSpent, match=r"no place is within reach \(no leg may cost more than 1.5 m\)"):
        study.replan()


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (9.0, r"^no place is within reach \(7 m of 9 m left, no leg may cost more than 1.5 m\): there"),
        (4.0, r"^the budget is spent, for no place is within reach \(2 m of 4 m left\): there"),
    ],
)
def test_a_budget_is_called_spent_only_if_it_is_what_stops_the_study(budget, words):
    table = wf.Places([[1.0], [2.0], [6.0]], names=["x"], once=True)
    study = make(table, "random-route", 3, max_step=1.5, budget=budget)
    assert walk(study) == [1.0, 2.0]
    with pytest.raises(wf.BudgetSpent, match=words):
        study.replan()


@pytest.mark.parametrize(
    ("space", "options", "words"),
    [
        (LINE, {"max_step": 0.0}, "max_step.* must be above 0"),
        (
            LINE,
            {"max_step": 0.5, "travel": wf.Euclidean(unit="m") + wf.Fee(1.0, unit="m")},
            "max_step is 0.5 m, too small .* from x=0; the shortest leg beyond it costs 1.* m; raise",
        ),
        (LINE, {"max_step": 2.0, "start": {"x": -3.0}}, "too small to get anywhere from x=-3; .* costs 3 m"),
        (wf.Places([[0.0], [4.0]], names=["x"]), {"max_step": 3.0}, "max_step is 3 m, too small .* costs 4 m"),
    ],
)
def test_a_step_too_small_to_move_is_refused(space, options, words):
    with pytest.raises(wf.InvalidInput, match=words):
        make(space, **options)


def test_a_stop_in_between_that_was_skipped_is_gone_around():
    grid = wf.Places([[float(x), float(y)] for x in range(7) for y in range(7)], once=True)
    study = wf.Study.create(
        grid, direction="maximize", travel=wf.Euclidean(unit="m"), trials=40, start=[0, 0], max_step=2.3, seed=1
    )
    for _ in range(2):
        study.tell(study.ask(), 0.0)
    skipped = []
    for _ in range(6):
        trial = study.ask()
        skipped.append(tuple(trial.x))
        study.skip(trial)
    assert len(set(skipped)) == 6


def test_a_step_too_small_for_a_number_is_refused_like_any_other():
    with pytest.raises(wf.InvalidInput, match=r"max_step is .* too small"):
        make(max_step=1e-320)


def test_a_choice_keeps_its_old_value_where_the_new_one_is_forbidden():
    axes = wf.Real("t", 0.0, 10.0), wf.Choice("s", ["a", "b"])
    space = wf.Space(*axes, forbidden=[{"t": (None, 6.0), "s": ["b"]}])
    steps = bound(space, Ramp("t", up=1.0, down=1.0) + Switch("s", 1.0), 3.0)
    (start,), (goal,) = space.points({"t": 0.0, "s": "a"}), space.points({"t": 9.0, "s": "b"})
    stops = [space.params(stop) for stop in steps.between(start, goal)]
    assert stops[-1] == {"t": 9.0, "s": "b"}
    assert [stop["s"] for stop in stops if stop["t"] <= 6.0] == ["a", "a"]


def test_a_step_onto_the_first_place_alone_gets_nowhere():
    marks = wf.Places([[1.0], [4.0], [7.0]], names=["x"])
    with pytest.raises(wf.InvalidInput, match="max_step is 2 m, too small to get anywhere from x=0"):
        make(marks, "random", 3, max_step=2.0)
    assert len(walk(make(marks, "random", 3, max_step=3.0))) == 3

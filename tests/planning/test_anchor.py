"""Anchors: the traveller comes back as often as was said, where the detour is least."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wayfare as wf
from tests.planning.test_limits import LINE, MARKS, listed, make, walk
from wayfare.planning.anchor import Anchor, _gaps
from wayfare.policy import Runs


class InTurn:
    """Proposes one of these places a plan, in turn, for so many results."""

    def __init__(self, *places, count=1):
        self.places, self.count = places, count

    def propose(self, situation, size, rng):
        place = self.places[len(situation.history.past) % len(self.places)]
        return Runs(np.array([[float(place)]]), [min(size, self.count)])


def in_turn(*places, count=1):
    return wf.Method(InTurn(*places, count=count), wf.Fixed(count), opening=wf.NoOpening())


PLANE = wf.Space(wf.Real("x", 0.0, 10.0), wf.Real("y", 0.0, 10.0))


@given(
    st.lists(st.tuples(st.floats(0, 9), st.booleans()), min_size=1, max_size=25), st.integers(1, 7), st.integers(0, 12)
)
def test_never_more_than_so_many_others_are_visited_in_a_row(stops, every, since):
    extra, there = np.array([cost for cost, _ in stops]), np.array([at for _, at in stops])
    gaps = _gaps(extra, there, every, since)
    assert gaps == sorted(gaps)
    row = []
    for at in range(len(there)):
        row += ["anchor"] * gaps.count(at)
        row += ["anchor" if there[at] else "other"]
    run = since
    for stop in row:
        if stop == "anchor":
            run = 0
        else:
            run += 1
            assert run <= every
    assert "anchor anchor" not in " ".join(row) or every < 2 or (there[:-1] & there[1:]).any()


@pytest.mark.parametrize("method", ["wayfare", "ucb", "tucb", "tts", "snake", "random-route"])
def test_the_traveller_is_back_in_time_whatever_the_method(method):
    study = wf.maximize(
        lambda x, y: -((x - 7) ** 2) - (y - 3) ** 2,
        PLANE,
        travel=wf.Euclidean(unit="m"),
        trials=25,
        start={"x": 5.0, "y": 5.0},
        method=method,
        anchor={"x": 5.0, "y": 5.0},
        anchor_every=5,
    )
    back = [trial.number for trial in study.trials if trial.x.tolist() == [5.0, 5.0]]
    assert np.diff([-1, *back, 25]).max() <= 6
    assert len(back) <= 10, "and not all the time"


@pytest.mark.filterwarnings("ignore::wayfare.errors.DriftWarning")
def test_the_best_place_is_visited_again():
    values = iter([0.0, 3.0, 1.0, 9.0, 2.0, 5.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    method = wf.Method(wf.Uniform(), wf.OneByOne())
    study = make(LINE, method, 12, anchor="best", anchor_every=4, noise=0.01)
    while (trial := study.ask()) is not None:
        study.tell(trial, next(values))
    seen = [trial.x[0] for trial in study.trials]
    again = [at for at, x in enumerate(seen) if x in seen[:at]]
    assert again[0] == 4
    assert seen[4] == seen[3], "where 9 was found"


def test_visits_since_are_counted_from_the_last_one_there():
    x = np.array([[1.0], [2.0], [1.0], [3.0], [3.0], [4.0]])
    none, some = np.zeros(6, dtype=bool), np.array([False, True, True, False, True, False])
    assert Anchor(3, np.array([1.0])).since(x, none) == 3
    assert Anchor(3, np.array([9.0])).since(x, none) == 6
    assert Anchor(3).since(x, none) == 3  # staying at 3 is no return
    assert Anchor(3).since(x[:0], none[:0]) == 0
    assert Anchor(3, np.array([1.0])).since(x, some) == 2  # put in on the way, 1 is a return all the same
    assert Anchor(3, np.array([9.0])).since(x, some) == 3


def test_stops_put_in_on_the_way_and_further_results_of_a_run_are_no_visits_to_the_others():
    options = {"anchor": {"x": 0.0}, "anchor_every": 2, "trials": 30}
    stepped = make(LINE, in_turn(4, 2, 3), max_step=1.0, **options)
    assert walk(stepped)[:11] == [1.0, 2.0, 3.0, 4.0, 3.0, 2.0, 1.0, 0.0, 1.0, 2.0, 3.0]
    assert [plan.between for plan in stepped.state.plans[:3]] == [(0, 1, 2), (0,), (0, 2, 3)]
    run = make(LINE, in_turn(4, 2, 3, count=3), **options)
    for _ in range(8):
        run.tell(run.ask(), 0.0)
    assert [trial.x[0] for trial in run.trials] == [4.0, 4.0, 4.0, 2.0, 2.0, 2.0, 0.0, 3.0]


def test_unordered_the_visits_to_the_anchor_stay_at_their_turns():
    study = make(LINE, listed(4, 3, 2, 1), 6, anchor={"x": 0.0}, anchor_every=2)
    assert walk(study) == [1.0, 0.0, 2.0, 0.0, 3.0, 4.0]
    chosen = np.argsort(study.state.plans[0].picked)
    assert [study.trials[at].x[0] for at in chosen] == [4.0, 0.0, 3.0, 0.0, 2.0, 1.0]
    assert study.ledger().unordered == 4 + 4 + 3 + 3 + 2 + 1


def test_a_budget_pays_the_anchor_too():
    study = make(LINE, "random-route", 30, anchor="start", anchor_every=3, budget=25.0, home="start")
    seen = walk(study)
    assert study.ledger().left >= study.ledger().home
    assert seen[0] == 0.0, "where it starts, which is no return"
    assert 0.0 in seen[1:5]


@pytest.mark.parametrize(
    ("space", "options", "words"),
    [
        (LINE, {"anchor": "start"}, "anchor and anchor_every belong together"),
        (LINE, {"anchor_every": 3}, "anchor and anchor_every belong together"),
        (LINE, {"anchor": "start", "anchor_every": 0}, "anchor_every must be a whole number of at least 1"),
        (LINE, {"anchor": "home", "anchor_every": 3}, "anchor must be a place or the word 'start' or 'best'"),
        (LINE, {"anchor": {"x": 11.0}, "anchor_every": 3}, "anchor: x=11 is not in the space"),
        (MARKS, {"anchor": {"x": 1.0}, "anchor_every": 3, "trials": 3}, "anchor: places may be visited only once"),
        (
            LINE,
            {"anchor": {"x": 9.0}, "anchor_every": 3, "trip": 10.0, "home": "start"},
            "anchor: x=9 is out of the range of a trip of 10",
        ),
    ],
)
def test_anchors_that_make_no_sense_are_refused(space, options, words):
    with pytest.raises(wf.InvalidInput, match=words):
        make(space, **options)


def test_a_setting_that_was_missed_is_no_best_place_to_go_back_to():
    study = make(LINE, in_turn(4, 2, 3, 5, 6), 9, anchor="best", anchor_every=3, noise=0.01)
    study.tell(study.ask(), 5.0)
    study.tell(study.ask(), 9.0, actual={"x": -0.5})
    for _ in range(3):
        study.tell(study.ask(), 0.0)
    assert [trial.x[0] for trial in study.trials] == [4.0, -0.5, 3.0, 4.0, 5.0]


def test_the_anchor_is_returned_to_though_what_the_policy_wants_is_out_of_reach():
    places = wf.Places([[0.0], [1.0], [2.0], [30.0]], names=["x"])
    limits = {"budget": 40.0, "dwell": 1.0, "home": "start"}
    study = make(places, "ucb", 20, anchor={"x": 0.0}, anchor_every=2, **limits)
    while (trial := study.ask()) is not None and trial.number < 12:
        study.tell(trial, trial.x[0])
    back = [trial.number for trial in study.trials if trial.x[0] == 0.0]
    assert np.diff([*back, 12]).max() <= 3
    assert 30.0 not in {trial.x[0] for trial in study.trials}

"""``ask(n=...)``: the next stops at once, which are those that asking one by one would have given."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf

SQUARE = wf.Space(wf.Real("x", 0, 10), wf.Real("y", 0, 10))


def make(**options):
    return wf.Study.create(
        SQUARE, **{"direction": "maximize", "travel": wf.Euclidean(unit="m"), "trials": 12, "start": [0, 0]} | options
    )


def places(trials):
    return [(trial.number, *trial.x.tolist(), trial.leg, trial.worker, trial.home_first) for trial in trials]


def one_by_one(study, n, worker=""):
    trials = []
    for _ in range(n):
        trial = study.ask(worker, wait=False)
        if trial is None:
            break
        trials.append(trial)
    return trials


@settings(deadline=None, max_examples=25)
@given(
    told=st.integers(0, 5),
    n=st.integers(1, 6),
    limits=st.sampled_from(
        [{}, {"budget": 25.0, "home": "start"}, {"trip": 30.0, "home": "start", "dwell": 1.0}, {"max_step": 4.0}]
    ),
    method=st.sampled_from(["ucb", "random-route", "tucb"]),
)
def test_several_are_those_that_single_requests_hand_out(told, n, limits, method):
    """The list is what ``ask(wait=False)`` gives n times, limits and all: what may not be begun is not handed out."""
    together, apart = make(method=method, **limits), make(method=method, **limits)
    for study in (together, apart):
        for at in range(told):
            if (trial := study.ask()) is not None:
                study.tell(trial, float(at))
    assert places(together.ask(n=n)) == places(one_by_one(apart, n))
    assert together.state.history.pending.tolist() == apart.state.history.pending.tolist()


def test_asked_again_a_worker_has_what_is_open_and_as_many_more():
    study = make(method="random-route")
    first = study.ask(n=4)
    assert [trial.number for trial in first] == [0, 1, 2, 3]
    assert places(study.ask(n=4)) == places(first)
    study.tell(first[1], 1.0)
    assert [trial.number for trial in study.ask(n=4)] == [0, 2, 3, 4]
    assert [trial.number for trial in study.ask(n=2)] == [0, 2, 3, 4]
    assert [trial.number for trial in study.ask("B", n=2)] == [5, 6]
    assert [trial.number for trial in study.ask(n=2, wait=False)] == [7, 8]


def test_a_request_sent_again_hands_out_nothing_more():
    study = make(method="random-route")
    first = study.ask(n=3, request="r")
    study.tell(first[0], 1.0)
    again = study.ask(n=3, request="r")
    assert [trial.number for trial in again] == [0, 1, 2]
    assert len(study.trials) == 3
    with pytest.raises(wf.Conflict):
        study.ask("B", n=3, request="r")
    assert study.ask(request="r").number == 0


def test_the_last_trials_come_short_and_then_none():
    study = make(trials=3, method="random-route")
    assert len(study.ask(n=5)) == 3
    assert study.ask("B", n=5) == []
    with pytest.raises(wf.InvalidInput, match="n must be"):
        study.ask(n=0)


def test_stops_are_handed_out_in_the_order_of_the_route():
    study = make(method="random-route")
    study.ask()
    ahead = [stop.params for stop in study.route().stops]
    assert [dict(trial.params) for trial in study.ask(n=5, wait=False)][: len(ahead)] == ahead[:5]

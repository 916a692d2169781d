"""Runs: several results at one stop, handed out at once or one by one, told as a list or summed up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.policy import Runs
from wayfare.record.events import Asked, Planned, Told, read_event, write_event

LINE = wf.Space(wf.Real("x", 0.0, 100.0))


class Marks:
    """Proposes the marks 10 and 20, for ``each`` results there."""

    def __init__(self, *each):
        self.each = each

    def propose(self, situation, size, rng):
        counts = np.minimum(self.each, size - np.cumsum(self.each) + self.each)
        places = 10.0 * np.arange(1, len(self.each) + 1)[:, None]
        return Runs(places[counts > 0], counts[counts > 0])


def make(*each, trials=12, **changes):
    options = {
        "direction": "maximize",
        "travel": wf.Euclidean(unit="m"),
        "trials": trials,
        "start": [0.0],
        "method": wf.Method(Marks(*each), wf.Horizon(), opening=wf.NoOpening()),
    }
    return wf.Study.create(LINE, **(options | changes))


def test_a_run_is_handed_out_at_once_and_told_as_a_list():
    study = make(3, 5)
    first = study.ask(count=True)
    assert (first.params["x"], first.count) == (10.0, 3)
    told = study.tell(first, [1.0, 2.0, 6.0])
    assert (told.value, told.count, told.variance) == (3.0, 3, 7.0)
    second = study.ask(count=True)
    assert (second.params["x"], second.count, second.leg) == (20.0, 5, 10.0)
    assert study.state.trials_left == 4


def test_a_run_is_handed_out_one_by_one_to_whoever_does_not_ask_for_it():
    study = make(2, 1)
    trials = []
    for n in range(3):
        trials.append(study.ask())
        study.tell(trials[-1], float(n))
    assert [(trial.params["x"], trial.count, trial.leg) for trial in trials] == [
        (10.0, 1, 10.0),
        (10.0, 1, 0.0),
        (20.0, 1, 10.0),
    ]
    assert len(study.state.plans) == 1


def test_what_is_left_of_a_stop_can_be_asked_for_at_once():
    study = make(5, 1)
    study.tell(study.ask(), 0.0)
    assert study.state.itinerary.counts.tolist() == [4, 1]
    rest = study.ask(count=True)
    assert (rest.params["x"], rest.count) == (10.0, 4)
    assert study.state.stops_ahead.tolist() == [[20.0]]


def test_a_summary_says_the_same_as_the_list():
    one, other = make(3), make(3)
    one.tell(one.ask(count=True), [1.0, 2.0, 6.0])
    other.tell(other.ask(count=True), 3.0, count=3, variance=7.0)
    kept = [(trial.value, trial.count, trial.variance) for study in (one, other) for trial in study.trials]
    assert kept[0] == kept[1]


@settings(deadline=None)
@given(
    st.lists(st.integers(1, 7), min_size=1, max_size=4),
    st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.sampled_from("tfs")), max_size=30),
)
def test_trials_are_used_up_by_results_and_never_more_than_there_are(each, steps):
    study, used = make(*each, trials=15), 0
    for whole, off, outcome in steps:
        trial = study.ask(count=whole)
        if trial is None:
            assert used == 15
            break
        assert trial.count <= 15 - used
        match outcome:
            case "t":
                count = max(1, trial.count - off)
                study.tell(trial, 1.0, count=count)
                used += count
            case "f":
                study.fail(trial)
                used += 1
            case "s":
                study.skip(trial)
        assert study.state.used == used
        assert study.state.trials_left == 15 - used
        assert study.state.history.handed_out == used


def test_fewer_results_than_asked_for_leave_their_trials_to_others():
    study = make(10, trials=12)
    study.tell(study.ask(count=True), [1.0, 2.0])
    assert study.state.trials_left == 10


def test_more_results_than_asked_for_count_too():
    study = make(2, trials=12)
    study.tell(study.ask(count=True), [1.0, 2.0, 3.0])
    assert study.state.trials_left == 9


def test_a_single_number_for_a_run_is_refused():
    study = make(3)
    trial = study.ask(count=True)
    with pytest.raises(wf.InvalidInput, match=r"trial 0 is a run of 3 results.*count="):
        study.tell(trial, 2.0)
    study.tell(trial, [2.0])  # one result, and said so
    assert study.trials[0].count == 1


@pytest.mark.parametrize(
    ("value", "options", "said"),
    [
        ([], {}, "a list of one number or more"),
        ([[1.0]], {}, "value must be a finite number"),
        (np.ones((2, 2)), {}, "a list of one number or more"),
        ([[1.0], [1.0, 2.0]], {}, "value must be a finite number"),
        ([1.0, float("nan")], {}, "value must be a finite number, got nan"),
        (np.array([1.0, np.inf]), {}, "value must be a finite number, got inf"),
        ([1.0, 1e301], {}, "beyond"),
        ([1.0, None], {}, "value must be a finite number, got None"),
        (["1", "2"], {}, "value must be a finite number, got '1'"),
        ([True, False], {}, "value must be a finite number, got True"),
        ([1e200, -1e200], {}, "variance is beyond 1e300"),
        ([1.0, 2.0], {"count": 2}, "worked out"),
        (1.0, {"count": 0}, "count must be"),
        (1.0, {"count": 2.5}, "count must be"),
        (1.0, {"variance": 1.0}, "one result has no variance"),
        (1.0, {"count": 3, "variance": -1.0}, "variance must"),
        (1.0, {"count": 3, "variance": 1e301}, "beyond 1e300"),
    ],
)
def test_results_that_cannot_be_are_refused_and_leave_no_mark(value, options, said):
    study = make(3)
    trial = study.ask(count=True)
    with pytest.raises(wf.InvalidInput, match=said):
        study.tell(trial, value, **options)
    assert len(study.events) == 2


def test_huge_results_are_summed_up_without_overflow():
    study = make(3, direction="minimize")
    told = study.tell(study.ask(count=True), [1e300, 1e300, 1e300])
    assert (told.value, told.variance) == (1e300, 0.0)


def test_an_amendment_of_a_run_is_a_run():
    study = make(3)
    study.tell(study.ask(count=True), [1.0, 2.0, 6.0])
    with pytest.raises(wf.InvalidInput, match="a run of 3"):
        study.amend(0, 4.0)
    amended = study.amend(0, [1.0, 2.0], why="the third was another place")
    assert (amended.value, amended.count, amended.earlier) == (1.5, 2, (3.0,))
    assert study.state.used == 2
    moved = study.amend(0, actual={"x": 11.0})
    assert (moved.value, moved.count, moved.variance) == (1.5, 2, 0.5)
    withdrawn = study.amend(0, withdraw=True)
    assert (withdrawn.value, withdrawn.count, study.state.used) == (None, 2, 2)
    with pytest.raises(wf.InvalidInput, match="describe a value"):
        study.amend(0, count=3)


def test_an_extra_run_counts_as_many_trials():
    study = make(3)
    detour = study.insert({"x": 50.0}, count=4)
    assert (detour.trial.count, study.state.trials_left) == (4, 8)


def test_the_history_knows_how_many_results_a_value_stands_for():
    study = make(3, 5)
    study.tell(study.ask(count=True), [1.0, 2.0, 6.0])
    study.ask(count=True)
    history = study.state.history
    assert history.counts.tolist() == [3]
    assert history.variances.tolist() == [7.0]
    assert history.pending_counts.tolist() == [5]
    assert history.handed_out == 8


def test_events_of_runs_come_back_as_they_were():
    study = make(3, 5)
    study.tell(study.ask(count=True), [1.0, 2.0, 6.0])
    planned, asked, told = (read_event(write_event(event)) for event in study.events)
    assert isinstance(planned, Planned)
    assert planned.counts == (3, 5)
    assert isinstance(asked, Asked)
    assert asked.count == 3
    assert isinstance(told, Told)
    assert (told.count, told.variance) == (3, 7.0)


def test_the_loop_in_one_call_takes_whole_runs():
    called = []
    method = wf.Method(Marks(3, 5), wf.Horizon(), opening=wf.NoOpening())
    study = wf.maximize(
        lambda x: called.append(x) or x, LINE, travel=wf.Euclidean(), trials=12, start=[0.0], method=method
    )
    assert called == [10.0] * 3 + [20.0] * 5 + [20.0] + [10.0] * 3
    assert [trial.count for trial in study.trials] == [3, 5, 1, 3]


class Careless:
    def __init__(self, *runs):
        self.runs = Runs(*runs)

    def propose(self, situation, size, rng):
        return self.runs


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (([[10.0]], [0]), "a count of at least 1"),
        (([[10.0]], [1, 2]), "a count of at least 1"),
        (([[10.0]], [13]), "asked for 1 to 12 places and returned 13"),
        (([[101.0]], [2]), "not in the space"),
    ],
)
def test_runs_that_break_the_promise_are_refused(runs, said):
    study = make(method=wf.Method(Careless(*runs), wf.Horizon(), opening=wf.NoOpening()))
    with pytest.raises(wf.InvalidInput, match=said):
        study.ask()

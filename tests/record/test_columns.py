"""The history of a state is the same, however it came about: event by event or all at once."""

import numpy as np
import pytest
from attrs import fields

import wayfare as wf
from wayfare.record.state import replay
from wayfare.surrogate.history import History

RNG = np.random.default_rng
LIMIT = wf.Measured("bar", at_most=2.0)


def same_history(one: History, other: History) -> None:
    for field in fields(History):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray) and field.name != "places":
            np.testing.assert_array_equal(a, b, err_msg=field.name)
    assert [(past.told, past.notes) for past in one.past] == [(past.told, past.notes) for past in other.past]
    for a, b in zip(one.distinct, other.distinct, strict=True):
        np.testing.assert_array_equal(a, b)


def wander(study: wf.Study, rng, steps: int):
    """Make moves of every kind at random."""
    for step in range(steps):
        trials = study.trials
        done = [trial for trial in trials if trial.state in ("told", "failed")]
        kind = rng.choice(
            ["tell", "tell", "tell", "run", "fail", "skip", "amend", "insert", "replan", "change", "away"]
        )
        if kind == "insert":
            study.insert({"x": round(rng.random(), 1), "c": "b"})
        elif kind == "amend" and done:
            one = done[int(rng.integers(len(done)))]
            if one.state == "told" and rng.random() < 0.5:
                study.amend(one, withdraw=True)
            else:
                study.amend(one, rng.random(), count=one.count)
        elif kind == "replan" and study.trials:
            study.replan(position={"x": rng.random(), "c": "a"})
        elif kind == "change" and rng.random() < 0.3:
            study.change(noise=0.1 + rng.random())
        elif (trial := study.ask(f"worker {rng.integers(3)}")) is not None:
            if kind == "fail":
                study.fail(trial)
            elif kind == "skip":
                study.skip(trial)
            elif kind == "run":
                study.tell(trial, [rng.random(), rng.random()], measured={"bar": 3 * rng.random()})
            elif kind == "tell":
                study.tell(trial, rng.random(), spent=rng.random() if step % 3 else None)
            elif kind == "away":
                study.tell(trial, rng.random(), actual={"x": rng.random()})
        yield


@pytest.mark.parametrize("seed", range(12))
def test_history_event_by_event_is_that_of_all_events_at_once(seed):
    rng = RNG(seed)
    study = wf.Study.create(
        wf.Space(wf.Real("x", 0, 1, step=0.1 if seed % 2 else None), wf.Choice("c", ["a", "b"])),
        direction="minimize" if seed % 3 else "maximize",
        travel=wf.Euclidean("x"),
        trials=60,
        method="random-route" if seed % 2 else "random",
        measured=LIMIT,
        seed=seed,
    )
    for _ in wander(study, rng, 40):
        if rng.random() < 0.4:  # now and then only, so that several events come between
            state = study.snapshot().state
            again = replay(study.journal.last.created, study.journal.events)
            same_history(state.history, again.history)
            assert state.spent_told == sum(trial.spent is not None for trial in state.trials)
            assert dict(state.requests) == dict(again.requests)
            assert list(map(str, state.trials)) == list(map(str, again.trials))


def test_an_earlier_state_keeps_its_history():
    study = wf.Study.create(
        wf.Space(wf.Real("x", 0, 1)), direction="maximize", travel=wf.Euclidean(), trials=20, method="random"
    )
    states = []
    for number in range(8):
        study.tell(study.ask(), float(number))
        states.append(study.snapshot().state)
        assert states[-1].history.told == number + 1
    study.amend(2, 50.0)
    assert study.snapshot().state.history.y.tolist() == [0, 1, 50, 3, 4, 5, 6, 7]
    for number, state in enumerate(states):
        assert state.history.y.tolist() == list(range(number + 1))
        assert state.columns.values.tolist() == list(range(number + 1))

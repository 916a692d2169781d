"""What a move costs does not grow with the trials before it: counted in calls of Python functions, not in seconds."""

import sys

import numpy as np

import wayfare as wf


def calls_of(work) -> int:
    """Return how many calls of Python functions a piece of work takes."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_a_bandit_takes_as_many_calls_for_a_late_trial_as_for_an_early_one():
    places = wf.Places(np.random.default_rng(0).random((10, 2)))
    study = wf.Study.create(
        places, direction="maximize", travel=wf.Euclidean(), trials=500, method="ucb1", noise=0.1, seed=0
    )

    def trials(n):
        for _ in range(n):
            trial = study.ask()
            study.tell(trial, float(trial.x.sum()))

    trials(50)
    early = calls_of(lambda: trials(10))
    trials(300)
    assert calls_of(lambda: trials(10)) < 1.05 * early

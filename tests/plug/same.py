"""What the tests of plug-ins share: a problem, and whether two studies did the same."""

import json

import wayfare as wf
from wayfare.record.events import write_event

TRAVEL = wf.Ramp("t", up=2.0, down=0.5) + wf.Switch("s", 30.0)
START = {"t": 20.0, "p": 0.01, "n": 1, "s": "a"}
ASIDE = ("request", "at", "by", "via", "app")
"""What belongs to the envelope of an event, and differs between two programs that do the same."""


def measure(t, p, n, s):
    return -((t - 70.0) ** 2) / 1000 - (p - 0.1) ** 2 + (s == "b") - abs(n - 5) / 4


def bare(study):
    """Return the events of a study without their envelopes."""
    forms = [json.loads(write_event(event)) for event in study.events]
    return [{key: value for key, value in form.items() if key not in ASIDE} for form in forms]


def plain(space, moves, **stated):
    """Return a study of ours after the same moves: ``"ask"``, or the number of a trial and what became of it."""
    study = wf.Study.create(space, **stated)
    for move in moves:
        if move == "ask":
            study.ask(wait=False)
        else:
            number, value, said = move
            if value is None:
                study.fail(number, said.pop("why", "failed"), **said)
            else:
                study.tell(number, value, **said)
    return study

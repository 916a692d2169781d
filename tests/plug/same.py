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
    """Return the events of a study without their envelopes, in an order in which one program could have made them.

    A result that came in while a route was planned is stored before the route, which did not see it: it is put behind
    the trial that was handed out with the route.
    """
    forms = []
    for form in (json.loads(write_event(event)) for event in study.events):
        if forms and form["kind"] == "asked" and forms[-1]["kind"] == "planned":
            planned, told = forms.pop(), sum(one["kind"] == "told" for one in forms)
            late = len(forms) - (told - planned["told"])
            assert all(one["kind"] == "told" for one in forms[late:])
            forms[late:] = [planned, form, *forms[late:]]
        else:
            forms.append(form)
    return [{key: value for key, value in form.items() if key not in ASIDE} for form in forms]


def moves_of(study):
    """Return the moves of a study, for ``plain``."""
    asked = {"asked": "ask"}
    return [
        asked.get(form["kind"]) or (form["number"], form["value"], {})
        for form in bare(study)
        if form["kind"] in ("asked", "told")
    ]


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

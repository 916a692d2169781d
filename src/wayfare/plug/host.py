"""A study that follows a host: the program that owns the trials, while wayfare plans the way between them.

What the host reports is told to the study once. A trial of the study gets its outcome; anything else the host measured
is an old result, for which nothing moved, but the traveller may stand there.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

import numpy as np
from attrs import field, frozen

from wayfare._core.arrays import Mask
from wayfare._core.tolerance import COST_RTOL
from wayfare.errors import BudgetSpent, Conflict, InvalidInput
from wayfare.form import write_spec
from wayfare.record.events import Trial, TrialState
from wayfare.record.spec import Options, make_spec
from wayfare.space import AnySpace, Choice, Integer, Real
from wayfare.store import Store
from wayfare.study import Study


@frozen(eq=False)
class Found:
    """A place and the result that a host has for it.

    Attributes:
        place: the value of every axis, by name.
        value: the result; None where there is none.
        why: a remark, or the reason of a failure.
        actual: where it really was, if the setting was missed.
        spent: what the leg really cost.
        measured: what else was measured, by name.
        skipped: the place was not visited at all.
        pending: the result is still out.
    """

    place: Mapping[str, Any]
    value: float | None
    why: str = ""
    actual: Mapping[str, Any] | None = None
    spent: float | None = None
    measured: Mapping[str, float | None] = field(factory=dict[str, float | None])
    skipped: bool = False
    pending: bool = False

    @property
    def number(self) -> float | None:
        """The value, if it is a finite number; a host may report nan or infinity for a failure."""
        return None if self.value is None or not math.isfinite(self.value) else float(self.value)

    @property
    def remark(self) -> str:
        """The remark; of a value that is no number, what it is."""
        return self.why or ("" if self.value is None or self.number is not None else f"the value is {self.value}")


def close(study: Study, number: int, found: Found, request: str) -> None:
    """Give a trial its outcome; nothing if it has this one, and a correction if the host has changed its mind.

    Args:
        study: the study.
        number: of the trial.
        found: what the host reports.
        request: the id of the move.
    """
    trial, value = study.state.trial(number), found.number
    if trial.state is TrialState.ASKED:
        actual = None if found.actual is None else {**found.place, **found.actual}
        at: dict[str, Any] = {"actual": actual, "spent": found.spent, "why": found.remark, "request": request}
        if found.skipped:
            study.skip(number, found.remark, request=request)
        elif value is None:
            study.fail(number, **at)
        else:
            study.tell(number, value, measured=found.measured or None, **at)
    elif value is not None and value != trial.value and trial.state is not TrialState.SKIPPED:
        study.amend(number, value, measured=found.measured or None, why="the host changed it")


def learn(study: Study, found: Sequence[Found], request: str, *, stands: bool) -> None:
    """Add what the host measured without the study, as old results.

    Args:
        study: the study.
        found: what the host reports, oldest first.
        request: the id of the move.
        stands: whether the traveller is at the last of them now.
    """
    there = [one for one in found if not one.skipped]
    if not there:
        return
    places = [{**one.place, **(one.actual or {})} for one in there]
    values, measured = [one.number for one in there], [one.measured if one.number is not None else {} for one in there]
    study.add(places, values, measured=measured, again=True, request=request)
    if stands:
        with suppress(BudgetSpent):
            study.replan(places[-1], why="the host went there", request=f"{request}/there")


def opened(
    store: Store | str | None, space: AnySpace, *, name: str, by: str | None, options: Options, **stated: Any
) -> Study:
    """Return the study that a host goes on with, or a new one.

    Args:
        store: where it is kept; None: in memory, so it is new.
        space: the space.
        name: of the study.
        by: who makes the moves.
        options: its limits and checks.
        **stated: all else that ``Study.create`` takes.
    """
    with suppress(Conflict):
        return Study.create(space, store=store, name=name, by=by, via="plug", **stated, **options)
    assert store is not None  # in memory there is no other
    kept = Study.open(store, name, travel=stated["travel"], space=space, by=by, via="plug")
    made = make_spec(space, name=name, **stated, **options)
    if differ := differences(write_spec(kept.spec), write_spec(made)):
        raise InvalidInput(
            f"study {name!r} was begun with another {' and '.join(differ)}; state them as then, or begin another study"
        )
    if made.trials != kept.spec.trials:
        kept.change(trials=made.trials, why="stated by the host")
    return kept


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the keys, except ``trials``, in which the forms of two specifications differ."""
    was, form = (json.loads(json.dumps(one)) for one in (before, after))
    return [key for key in {**was, **form} if key != "trials" and was.get(key) != form.get(key)]


def follow(study: Study, found: Sequence[Found]) -> None:
    """Tell the study of places that the host reports without naming a trial.

    Each is a result that is known already, or that of a trial that is out at that place, or else an old result. The
    traveller stands at the last of these, if a trial was handed out before, or if the study has no start. What is still
    out, and was not handed out by the study, is a visit.

    Args:
        study: the study.
        found: what the host reports, oldest first.
    """
    trials = [trial for trial in study.trials if trial.state is not TrialState.SKIPPED]
    new, running = list[Found](), list[Found]()
    for one in found:
        there = [trial for trial, near in zip(trials, is_at(study.spec.space, one.place, trials), strict=True) if near]
        # What is known first: a host may send everything again. Each trial stands for one report.
        known = [trial for trial in there if trial.state is not TrialState.ASKED and trial.value == one.number]
        out = [trial for trial in there if trial.state is TrialState.ASKED]
        mine = next(iter(out if one.pending else [*known, *out]), None)
        if mine is not None:
            trials.remove(mine)
        if mine is None and not one.skipped:
            (running if one.pending else new).append(one)
        elif mine is not None and mine.state is TrialState.ASKED and not one.pending:
            close(study, mine.number, one, uuid4().hex)
    begun = any(not trial.prior for trial in study.last.trials)
    learn(study, new, uuid4().hex, stands=begun or study.spec.start is None)
    for one in running:
        with suppress(InvalidInput, BudgetSpent):
            study.insert(one.place)


NEAR = 1e-9
"""How far apart, in the unit cube, a place and what a host made of it may be: rounding."""


def is_at(space: AnySpace, place: Mapping[str, Any], trials: Sequence[Trial]) -> Mask:
    """Return which trials were sent to a place, or were really there."""
    if not trials:
        return np.zeros(0, dtype=np.bool_)
    x = space.encode(space.points(dict(place)))
    been = space.encode(np.array([trial.x for trial in trials]))
    sent = space.encode(space.points([dict(trial.params if trial.asked is None else trial.asked) for trial in trials]))
    return np.asarray((np.abs(been - x) <= NEAR).all(axis=1) | (np.abs(sent - x) <= NEAR).all(axis=1))


def axis_of(name: str, values: Iterable[Any]) -> Real | Integer | Choice:
    """Return the axis of some values; numbers in equal steps are one of numbers.

    Args:
        name: of the axis.
        values: in any order.
    """
    found = sorted(values, key=lambda one: (isinstance(one, str), one))
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in found)
    if numbers and len(found) > 1 and np.allclose(np.diff(found), found[1] - found[0], rtol=COST_RTOL, atol=0):
        if all(float(one).is_integer() for one in found):
            return Integer(name, int(found[0]), int(found[-1]), step=int(found[1] - found[0]))
        return Real(name, found[0], found[-1], step=found[1] - found[0])
    return Choice(name, found)

"""A study that follows a host: the program that owns the trials, while wayfare plans the way between them.

What the host reports is told to the study once. A trial of the study gets its outcome; anything else the host measured
is an old result, for which nothing moved, but the traveller may stand there.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import field, frozen

from wayfare.errors import BudgetSpent
from wayfare.record.events import TrialState
from wayfare.study import Study


@frozen(eq=False)
class Found:
    """What a host found at a place.

    Attributes:
        place: the value of every axis, by name.
        value: the result; None where there is none.
        why: a remark, or the reason of a failure.
        actual: where it really was, if the setting was missed.
        spent: what the leg really cost.
        measured: what else was measured, by name.
        skipped: the place was not visited at all.
    """

    place: Mapping[str, Any]
    value: float | None
    why: str = ""
    actual: Mapping[str, Any] | None = None
    spent: float | None = None
    measured: Mapping[str, float | None] = field(factory=dict[str, float | None])
    skipped: bool = False

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
    trial, value = study.last.state.trial(number), found.number
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

"""The move that changes a study under way: decided from the state alone, like every other."""

import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from wayfare._core.format import in_full
from wayfare.errors import InvalidInput
from wayfare.form import changed_spec, form_changes, read_spec, write_spec
from wayfare.record.change import (
    FIXED,
    SPACE,
    Terms,
    check_changed,
    check_kept,
    only_narrows,
    stated,
    with_space,
    with_terms,
)
from wayfare.record.events import Changed, Event, StudySpec
from wayfare.record.state import StudyState, apply
from wayfare.report.allowance import home_too_far, why_over
from wayfare.report.costs import dwell_paid, legs_paid
from wayfare.study.moves import check_priced, in_use

KEEPS = {"trials", "budget", "stop", "also"}
"""Keys that leave the route ahead as good as it was."""
FARTHEST = 1e6
"""Widths of an axis beyond which no result may lie once bounds were changed."""
Target = Callable[[StudySpec], StudySpec]
"""Returns what a specification becomes."""


def by_terms(terms: Terms) -> Target:
    """Return the target of a change as ``Study.change`` takes it."""
    return lambda spec: with_terms(spec, terms)


def by_form(form: Mapping[str, Any], folder: Path | None = None) -> Target:
    """Return the target of a change of single keys, each as a study file states it; None takes one away."""
    return lambda spec: changed_spec(spec, form, folder=folder, new=True)


def by_file(form: Mapping[str, Any], folder: Path) -> Target:
    """Return the target of a whole study file: everything as it says, but the name and a seed that it leaves out."""

    def target(spec: StudySpec) -> StudySpec:
        own = read_spec({**form, "name": spec.name, "seed": form.get("seed", spec.seed)}, folder=folder, new=False)
        for key in FIXED:
            if getattr(own, key) != getattr(spec, key):
                raise InvalidInput(f"{key} cannot be changed: {FIXED[key]}")
        terms = {key: value for key, value in stated(own).items() if key not in FIXED and key != "space"}
        return with_space(spec, own.space, **terms)

    return target


def change(state: StudyState, target: Target, why: str, request: str) -> list[Event]:
    """Change the specification; refuse what must stay, what cannot be planned, and what would leave nothing."""
    known = state.requests.get(request)
    if known is not None:
        if not isinstance(known, Changed) or (known.why, known.form) != (why, _form(_before(state, known), target)):
            raise in_use(known)
        return []
    # 1. The keys that change, and what reading them back makes of them.
    form = _form(state.spec, target)
    if not form:
        raise InvalidInput("nothing changes: the study is like that already")
    spec = changed_spec(state.spec, form)
    # 2. What must stay, and what could not be planned or priced.
    check_kept(state.spec, spec, begun=any(not trial.prior for trial in state.trials))
    _check_spent(state, spec)
    check_changed(spec, form.keys(), state.position)
    # 3. Whether there is anything left to do.
    event = Changed(form, _drops(state.spec, spec, form), why, request, spec=spec)
    after = apply(state, [event])
    _check_near(after)
    if after.position is not None and not form.keys().isdisjoint((*SPACE, "travel")):
        check_priced(after, after.position, "position")
    if state.trials_left and spec.trials > after.used and (said := why_over(after)) and not why_over(state):
        raise InvalidInput(
            f"the change would leave nothing to do: {said}; change less, or end with trials={after.used}"
        )
    if (said := home_too_far(after)) and not home_too_far(state):
        raise InvalidInput(f"the change would cut off the way home: {said}; change less, or home, too")
    return [event]


def form_of(spec: StudySpec) -> dict[str, Any]:
    """Return the form of a specification; empty if it cannot be written, as a space of the user's own cannot."""
    try:
        return write_spec(spec)
    except InvalidInput:
        return {}


def _form(spec: StudySpec, target: Target) -> dict[str, Any]:
    """Return the keys that a target changes, as a store keeps them."""
    found: dict[str, Any] = json.loads(json.dumps(form_changes(spec, target(spec))))
    return found


def _before(state: StudyState, known: Changed) -> StudySpec:
    """Return the specification that a change was made of."""
    specs = [*(one.spec for one in state.earlier), state.spec]
    return next(one for one, since in pairwise(specs) if since is known.spec)


def _drops(before: StudySpec, after: StudySpec, form: Mapping[str, Any]) -> bool:
    """Return whether the route ahead is dropped, rather than kept wherever it is still allowed."""
    rest = form.keys() - KEEPS
    return bool(rest) and not (rest <= set(SPACE) and only_narrows(before.space, after.space))


def _check_near(state: StudyState) -> None:
    """Refuse bounds so narrow that a distance to what was measured means nothing any more."""
    if len(state.history.x) and np.abs(state.spec.space.encode(state.history.x)).max(initial=0.0) > FARTHEST:
        raise InvalidInput(
            f"the new bounds are so narrow that results lie {FARTHEST:,.0f} of their widths away; widen them, or begin "
            "another study"
        )


def _check_spent(state: StudyState, spec: StudySpec) -> None:
    """Refuse fewer trials than were handed out, and a budget below what was paid."""
    if spec.trials < state.used:
        raise InvalidInput(
            f"trials is {spec.trials}, but {state.used} have been handed out; trials={state.used} ends the study now"
        )
    budget, paid = spec.limits.budget, legs_paid(state) + dwell_paid(state)
    if budget is not None and budget != state.spec.limits.budget and budget < paid:
        raise InvalidInput(
            f"budget is {in_full(budget, spec.unit)}, but {in_full(paid, spec.unit)} were paid; raise it, or end with "
            f"trials={state.used}"
        )

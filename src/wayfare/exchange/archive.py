"""The whole study as JSON: its specification and every event, so that it comes back exactly as it was."""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from wayfare._core import checks
from wayfare.errors import Conflict, InvalidInput, StoreError, WayfareError
from wayfare.form import read_spec, write_spec
from wayfare.record.events import (
    Amended,
    Asked,
    Event,
    Failed,
    Inserted,
    Planned,
    Replanned,
    Row,
    Skipped,
    StudySpec,
    Told,
    TrialState,
)
from wayfare.record.state import replay
from wayfare.store import Store
from wayfare.store.events import read_event, write_event
from wayfare.study.inputs import reason, spent_cost, told_result, worker_name
from wayfare.study.study import Study

# Whether events from elsewhere can be the story of a study: numbers in order, places that can be.


def check_events(spec: StudySpec, events: Iterable[Event]) -> None:
    """Refuse events that could not have happened in this order."""
    story = _Story(spec)
    for at, event in enumerate(events):
        try:
            story.add(event)
        except InvalidInput as error:
            raise InvalidInput(f"events[{at}]: {error}") from error


class _Story:
    """How far the events have come: the state of each trial, the stops ahead, the results, the requests."""

    def __init__(self, spec: StudySpec) -> None:
        self.spec = spec
        self.trials: list[TrialState] = []
        self.requests: set[str] = set()
        self.counts: Sequence[int] = ()
        self.ahead = self.taken = self.told = 0
        self.parts: set[int] = set()  # the trials that have parts of the stop that is not wholly handed out

    def add(self, event: Event) -> None:
        match event:
            case Planned():
                self.plan(event)
                return
            case Asked():
                self.take(event)
                self.hand_out(event)
            case Inserted():
                self.place(event.place, "place")
                self.hand_out(event)
            case Told() | Failed() | Skipped():
                self.close(event)
            case Amended():
                self.amend(event)
            case Replanned():
                self.place(event.position, "position")
                reason(event.why)
                self.ahead, self.taken, self.parts = 0, 0, set()
        if event.request in self.requests:
            raise InvalidInput(f"request {event.request[:80]!r} is there twice")
        self.requests.add(checks.name(event.request, "request"))

    def plan(self, plan: Planned) -> None:
        n = len(plan.stops)
        if n == 0:
            raise InvalidInput("stops must not be empty")
        self.points(plan.stops, "stops")
        if plan.legs.shape != (n,) or sorted(plan.picked.tolist()) != list(range(n)):
            raise InvalidInput(f"a plan of {n} stops needs {n} legs, and picked must number them")
        if plan.told > self.told:
            raise InvalidInput(f"told is {plan.told}, more than there were results")
        for leg in plan.legs.tolist():
            checks.not_negative(leg, "a leg")
        if plan.counts and len(plan.counts) != n:
            raise InvalidInput(f"a plan of {n} stops needs {n} counts, or none")
        if plan.homes and (self.spec.limits.trip is None or max(plan.homes) >= n):
            raise InvalidInput(f"homes are {list(plan.homes)}, but only stops of trips are reached from home")
        if plan.between and (self.spec.limits.max_step is None or max(plan.between) >= n):
            raise InvalidInput(f"between is {list(plan.between)}, but only long steps have stops there")
        self.counts, self.ahead, self.taken, self.parts = plan.each.tolist(), n, 0, set()

    def take(self, event: Asked) -> None:
        stops = len(self.counts)
        if not stops - self.ahead <= event.stop < stops:
            raise InvalidInput("a stop was handed out that was not ahead")
        taken = event.count + (self.taken if event.stop == stops - self.ahead else 0)
        planned = self.counts[event.stop]
        if taken > planned:
            raise InvalidInput(f"{taken} results of a stop were handed out, {planned} planned")
        whole = taken == planned
        self.parts = set() if whole else {event.number, *(self.parts if taken > event.count else ())}
        self.ahead, self.taken = stops - event.stop - whole, 0 if whole else taken

    def hand_out(self, event: Asked | Inserted) -> None:
        if event.number != len(self.trials):
            raise InvalidInput(f"number is {event.number}, the next trial is {len(self.trials)}")
        checks.not_negative(event.leg, "leg")
        if event.home_first and self.spec.limits.trip is None:
            raise InvalidInput("home_first: the study has no trips")
        worker_name(event.worker)
        self.trials.append(TrialState.ASKED)

    def close(self, event: Told | Failed | Skipped) -> None:
        if self.known(event.number) is not TrialState.ASKED:
            raise InvalidInput(f"trial {event.number} was {self.trials[event.number]} before")
        self.legs(event.legs)
        match event:
            case Told():
                told_result(event.value, event.count, event.variance, event.number)
                state = TrialState.TOLD
            case Failed():
                state = TrialState.FAILED
            case Skipped():
                state = TrialState.SKIPPED
                if event.number in self.parts:  # and with it the rest of its stop
                    self.ahead, self.taken, self.parts = self.ahead - 1, 0, set()
        reason(event.why)
        if not isinstance(event, Skipped):
            spent_cost(event.spent)
            self.place(event.actual, "actual")
        self.told += state is TrialState.TOLD
        self.trials[event.number] = state

    def amend(self, event: Amended) -> None:
        if self.known(event.number) not in (TrialState.TOLD, TrialState.FAILED):
            raise InvalidInput(f"trial {event.number} is {self.trials[event.number]}: nothing to amend")
        reason(event.why)
        spent_cost(event.spent)
        self.place(event.actual, "actual")
        self.legs(event.legs)
        if event.value is not None:
            told_result(event.value, event.count, event.variance, event.number)
        elif event.variance is not None:
            raise InvalidInput(f"trial {event.number}: a value that was taken back has no variance")
        state = TrialState.FAILED if event.value is None else TrialState.TOLD
        self.told += (state is TrialState.TOLD) - (self.trials[event.number] is TrialState.TOLD)
        self.trials[event.number] = state

    def known(self, number: int) -> TrialState:
        if number >= len(self.trials):
            raise InvalidInput(f"trial {number} was never handed out")
        return self.trials[number]

    def legs(self, legs: Sequence[tuple[int, float]]) -> None:
        for number, leg in legs:
            self.known(number)
            checks.not_negative(leg, "a leg")

    def place(self, row: Row | None, what: str) -> None:
        if row is not None:
            self.points([row], what)

    def points(self, rows: ArrayLike, what: str) -> None:
        try:
            self.spec.space.points(np.array(rows, dtype=np.float64))
        except InvalidInput as error:
            raise InvalidInput(f"{what}: {error}") from error


FORMAT, VERSION = "wayfare study", 1
LARGEST = 500_000_000
KEYS = ("format", "version", "spec", "events")


def export_json(study: Study) -> str:
    """Return the whole study as JSON, one event on each line.

    A travel cost or a part of a method that is a Python function is kept by its name only.
    """
    form = write_spec(study.spec)
    spec = ",\n".join(f"  {_dumps(key)}: {_dumps(value)}" for key, value in form.items())
    events = ",\n".join(f"  {write_event(event)}" for event in study.events)
    return (
        f'{{\n"format": {_dumps(FORMAT)},\n"version": {VERSION},\n"spec": {{\n{spec}\n}},\n'
        f'"events": [\n{events}\n]\n}}\n'
    )


def import_json(store: Store, text: str, name: str | None = None) -> Study:
    """Make a new study with exactly the events of a file that ``export_json`` wrote.

    Args:
        store: where it is made.
        text: the file.
        name: what it is called; None: what it was called there.
    """
    form = _read(text)
    spec = _read_spec(form["spec"], name)
    events = _read_events(form["events"])
    check_events(spec, events)
    try:
        replay(spec, events)
    except (WayfareError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise InvalidInput(f"events: they do not add up to a study: {error}") from error
    _create(store, spec)
    if events:
        store.append(spec.name, 0, events)
    return Study.open(store, spec.name)


def _create(store: Store, spec: StudySpec) -> None:
    try:
        store.create(spec)
    except Conflict:
        # Cut off between making the study and filling it, an import may be sent again.
        if store.events(spec.name) or write_spec(store.spec(spec.name)) != write_spec(spec):
            raise


def _read(text: str) -> dict[str, Any]:
    if len(text) > LARGEST:
        raise InvalidInput(f"the file is larger than {LARGEST // 1_000_000} MB")
    try:
        form = json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=_once, parse_constant=_refuse, parse_float=_finite
        )
        _dumps(form).encode()
    except RecursionError as error:
        raise InvalidInput("not a study: nested too deep") from error
    except UnicodeEncodeError as error:
        raise InvalidInput("not a study: a text in it holds half a character") from error
    except ValueError as error:
        raise InvalidInput(f"not valid JSON: {error}") from error
    if not isinstance(form, dict) or form.get("format") != FORMAT:
        raise InvalidInput(f'not a study: there is no "format": {_dumps(FORMAT)}; export_json writes one')
    if form.get("version") != VERSION or isinstance(form["version"], bool):
        raise InvalidInput(
            f"version: this wayfare reads {VERSION}, the file has {form.get('version')!r}; upgrade wayfare"
        )
    for key in (*KEYS, *form):
        if key not in form:
            raise InvalidInput(f"{key} is missing: the file is not whole")
        if key not in KEYS:
            raise InvalidInput(f"{key[:80]!r} is unknown; a study has {', '.join(KEYS)}")
    return form


def _read_spec(form: object, name: str | None) -> StudySpec:
    if not isinstance(form, dict):
        raise InvalidInput("spec must be a table")
    try:
        return read_spec(form if name is None else {**form, "name": name}, new=False)
    except InvalidInput as error:
        raise InvalidInput(f"spec: {error}") from error


def _read_events(forms: object) -> list[Event]:
    if not isinstance(forms, list):
        raise InvalidInput("events must be a list")
    events = []
    for number, form in enumerate(forms):
        try:
            events.append(read_event(json.dumps(form)))
        except StoreError as error:
            raise InvalidInput(f"events[{number}]: {error}") from error
    return events


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    form = dict(pairs)
    if len(form) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {again[:80]!r} is there twice")
    return form


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:80]} is not a finite number")
    return number

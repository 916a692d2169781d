"""The whole study as JSON: its specification and every event, so that it comes back exactly as it was.

A file may come from anywhere, so an import first checks that its events could have happened in this order.
"""

import json
import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from attrs import evolve
from numpy.typing import ArrayLike

from wayfare._core import checks
from wayfare.errors import InvalidInput, StoreError, WayfareError
from wayfare.exchange.table import located
from wayfare.form import changed_spec, created_form, own_part, read_created, read_spec, write_spec
from wayfare.record.change import check_kept
from wayfare.record.events import (
    Amended,
    Asked,
    Changed,
    Event,
    Failed,
    Inserted,
    Planned,
    Reassigned,
    Returned,
    Skipped,
    StudySpec,
    Told,
    TrialState,
    read_event,
    write_event,
)
from wayfare.record.stamp import Stamp, check_stamp
from wayfare.record.state import check_plan, replay
from wayfare.store import Store
from wayfare.store.verify import wrong_legs
from wayfare.study.inputs import measured_numbers, reason, spent_cost, told_result, worker_name
from wayfare.study.journal import Journal
from wayfare.study.study import Study
from wayfare.surrogate.visit import check_notes

FORMAT, VERSION = "wayfare study", 2
"""Files of version 1 are read, too: their events do not say when and by whom."""
KEYS = ("format", "version", "created", "spec", "events")
LARGEST = 500_000_000
"""Characters in a file."""
LONGEST = 20_000
"""Characters in a text; those that a study takes have 10,000 at most."""


def export_json(study: Study) -> str:
    """Return the whole study as JSON, one event on each line.

    A travel cost or a part of a method that is a Python function is kept by its name only.
    """
    created = _dumps(created_form(study.journal.created))
    spec = ",\n".join(
        f"  {_dumps(key)}: {_dumps(value)}" for key, value in write_spec(study.journal.last.created).items()
    )
    events = ",\n".join(f"  {write_event(event)}" for event in study.events)
    return (
        f'{{\n"format": {_dumps(FORMAT)},\n"version": {VERSION},\n"created": {created},\n"spec": {{\n{spec}\n}},\n'
        f'"events": [\n{events}\n]\n}}\n'
    )


def import_json(store: Store, text: str, name: str | None = None, *, by: str | None = None) -> Study:
    """Make a new study with exactly the events of a file that ``export_json`` wrote.

    Args:
        store: where the study is made.
        text: the file.
        name: the name of the new study; None: as in the file.
        by: who imports it; None: ``WAYFARE_USER``, else the login name. Its events keep their own stamps.
    """
    form = _read(text)
    created = _read_created(form.get("created", []))
    if not isinstance(form["spec"], dict):
        raise InvalidInput("spec must be a table")
    with located("spec"):
        spec = read_spec(form["spec"] if name is None else {**form["spec"], "name": name}, new=False)
    events = _read_events(form["events"])
    log = _Log(spec)
    for at, event in enumerate(events):
        with located(f"events[{at}]"):
            events[at] = log.add(event)
    try:
        state = replay(spec, events)
    except (WayfareError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise InvalidInput(f"events: they do not add up to a study: {error}") from error
    if own_part(form["spec"].get("travel")) is None and (wrong := next(wrong_legs(state), None)) is not None:
        raise InvalidInput(f"events: {wrong}")
    Journal.create(store, spec, by=by, via="import", before=created, events=events)
    return Study.open(store, spec.name)


# Reading: JSON that a stranger may have written, with bounded size and depth, no key twice and only finite numbers.
def _read(text: str) -> dict[str, Any]:
    if len(text) > LARGEST:
        raise InvalidInput(f"the file is larger than {LARGEST // 1_000_000} MB")
    try:
        text = text.removeprefix("\ufeff")
        form = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse, parse_float=_finite)
        _dumps(form).encode()
    except RecursionError as error:
        raise InvalidInput("not a study: nested too deep") from error
    except UnicodeEncodeError as error:
        raise InvalidInput("not a study: a text in it holds half a character") from error
    except ValueError as error:
        raise InvalidInput(f"not valid JSON: {error}") from error
    if not isinstance(form, dict) or form.get("format") != FORMAT:
        raise InvalidInput(f'not a study: there is no "format": {_dumps(FORMAT)}; export_json writes one')
    got = form.get("version")
    if type(got) is not int or not 1 <= got <= VERSION:
        raise InvalidInput(f"version: this wayfare reads 1 to {VERSION}, the file has {got!r}; upgrade wayfare")
    for key in (*KEYS, *form):
        if key not in form and (key, got) != ("created", 1):
            raise InvalidInput(f"{key} is missing: the file is not whole")
        if key not in KEYS:
            raise InvalidInput(f"{key[:80]!r} is unknown; a study has {', '.join(KEYS)}")
    return form


def _read_created(forms: object) -> tuple[Stamp, ...]:
    with located("created"):
        try:
            created = read_created(forms)
        except ValueError as error:
            raise InvalidInput(str(error)) from error
        for stamp in created:
            check_stamp(stamp)
    return created


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
    form: dict[str, Any] = {}
    for key, value in pairs:
        if key in form:
            raise ValueError(f"the key {key[:80]!r} is there twice")
        if len(key) > LONGEST or (isinstance(value, str) and len(value) > LONGEST):
            raise ValueError(f"the text at {key[:80]!r} has more than {LONGEST} characters")
        form[key] = value
    return form


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:80]} is not a finite number")
    return number


# Checking: numbers in order, stops that were planned, places in the space.
OUTCOMES = {Told: TrialState.TOLD, Failed: TrialState.FAILED, Skipped: TrialState.SKIPPED}


class _Log:
    """The events so far: the state of each trial, the stops ahead, the number of results, the requests."""

    def __init__(self, spec: StudySpec) -> None:
        self.spec = spec
        self.trials: list[TrialState] = []
        self.requests: set[str] = set()
        self.told = self.returns = 0
        self.set_route([])

    def set_route(self, counts: Sequence[int]) -> None:
        """Begin a route with so many results at each stop; an empty one drops the rest of a route."""
        self.counts = counts
        self.set_ahead(len(counts))

    def set_ahead(self, stops: int) -> None:
        """Leave so many stops ahead; none of the results at the first is handed out yet."""
        self.ahead, self.taken = stops, 0
        self.parts: set[int] = set()  # the trials that have results of the first stop ahead

    def add(self, event: Event) -> Event:
        """Check an event, and return it: a change with the specification that it makes."""
        check_stamp(event.stamp)
        match event:
            case Planned():
                self.plan(event)
                return event
            case Asked():
                self.take(event)
                self.hand_out(event)
            case Inserted():
                self.check_place(event.place, "place")
                self.hand_out(event)
            case Told() | Failed() | Skipped():
                self.close(event)
            case Amended():
                self.amend(event)
            case Reassigned():
                if self.state_of(event.number) is not TrialState.ASKED:
                    raise InvalidInput(f"trial {event.number} is {self.trials[event.number]}: not to be taken over")
                worker_name(event.worker)
            case Changed():
                event = self.change(event)
            case Returned():
                self.return_home(event)
            case _:  # Replanned
                self.check_place(event.position, "position")
                reason(event.why)
                self.set_route([])
        if event.request in self.requests:
            raise InvalidInput(f"request {event.request[:80]!r} is there twice")
        self.requests.add(checks.name(event.request, "request"))
        return event

    def change(self, event: Changed) -> Changed:
        with located("form"):
            after = changed_spec(self.spec, event.form)
            check_kept(self.spec, after, begun=bool(self.trials))
        reason(event.why)
        self.spec = after
        if event.drops:
            self.set_route([])
        return evolve(event, spec=after)

    def return_home(self, event: Returned) -> None:
        if self.spec.limits.home is None:
            raise InvalidInput("the traveller went home, and the study has none")
        if event.new_trip and self.spec.limits.trip is None:
            raise InvalidInput("new_trip: the study has no trips")
        checks.not_negative(event.leg, "leg")
        spent_cost(event.spent)
        reason(event.why)
        self.returns += 1

    def plan(self, plan: Planned) -> None:
        limits = self.spec.limits
        check_plan(plan, self.spec.space.d)
        self.check_place(plan.stops, "stops")
        if plan.told > self.told:
            raise InvalidInput(f"told is {plan.told}, more than there were results")
        for leg in plan.legs.tolist():
            checks.not_negative(leg, "a leg")
        if plan.homes and limits.trip is None:
            raise InvalidInput(f"homes are {list(plan.homes)!s:.80}, but only stops of trips are reached from home")
        if plan.between and limits.max_step is None:
            raise InvalidInput(f"between is {list(plan.between)!s:.80}, but only long steps have stops there")
        with located("notes"):
            check_notes(self.spec.method.surrogate, self.spec.space, plan.notes)
        self.set_route(plan.each.tolist())

    def take(self, event: Asked) -> None:
        first = (stops := len(self.counts)) - self.ahead
        if not first <= event.stop < stops:
            raise InvalidInput("a stop was handed out that was not ahead")
        if event.stop > first:  # stops may be passed over, and with them the rest of the first
            self.set_ahead(stops - event.stop)
        self.taken += event.count
        self.parts |= {event.number}
        planned = self.counts[event.stop]
        if self.taken > planned:
            raise InvalidInput(f"{self.taken} results of a stop were handed out, {planned} planned")
        if self.taken == planned:
            self.set_ahead(self.ahead - 1)

    def hand_out(self, event: Asked | Inserted) -> None:
        if event.number != len(self.trials):
            raise InvalidInput(f"number is {event.number}, the next trial is {len(self.trials)}")
        checks.not_negative(event.leg, "leg")
        if event.home_first and self.spec.limits.trip is None:
            raise InvalidInput("home_first: the study has no trips")
        worker_name(event.worker)
        self.trials.append(TrialState.ASKED)

    def close(self, event: Told | Failed | Skipped) -> None:
        if self.state_of(event.number) is not TrialState.ASKED:
            raise InvalidInput(f"trial {event.number} was {self.trials[event.number]} before")
        self.check_legs(event)
        if isinstance(event, Told):
            told_result(event.value, event.count, event.variance, event.number)
            measured_numbers(self.spec.measured, event.measured, event.number)
        reason(event.why)
        if not isinstance(event, Skipped):
            spent_cost(event.spent)
            self.check_place(event.actual, "actual")
        elif event.number in self.parts:
            self.set_ahead(self.ahead - 1)  # a stop that was handed out in part is skipped as a whole
        self.set_state(event.number, OUTCOMES[type(event)])

    def amend(self, event: Amended) -> None:
        if self.state_of(event.number) not in (TrialState.TOLD, TrialState.FAILED):
            raise InvalidInput(f"trial {event.number} is {self.trials[event.number]}: nothing to amend")
        reason(event.why)
        spent_cost(event.spent)
        self.check_place(event.actual, "actual")
        self.check_legs(event)
        if event.value is not None:
            told_result(event.value, event.count, event.variance, event.number)
            measured_numbers(self.spec.measured, event.measured, event.number)
        elif event.variance is not None or event.measured:
            raise InvalidInput(f"trial {event.number}: a value that was taken back has no variance, nothing measured")
        self.set_state(event.number, TrialState.FAILED if event.value is None else TrialState.TOLD)

    def state_of(self, number: int) -> TrialState:
        if number >= len(self.trials):
            raise InvalidInput(f"trial {number} was never handed out")
        return self.trials[number]

    def set_state(self, number: int, state: TrialState) -> None:
        self.told += (state is TrialState.TOLD) - (self.trials[number] is TrialState.TOLD)
        self.trials[number] = state

    def check_legs(self, event: Told | Failed | Skipped | Amended) -> None:
        for number, leg in event.legs:
            self.state_of(number)
            checks.not_negative(leg, "a leg")
        for number, leg in event.ways_home:
            if number >= self.returns:
                raise InvalidInput(f"ways_home: way home {number} was never made")
            checks.not_negative(leg, "a way home")

    def check_place(self, rows: ArrayLike | None, what: str) -> None:
        if rows is not None:
            with located(what):
                self.spec.space.points(np.atleast_2d(np.array(rows, dtype=np.float64)))

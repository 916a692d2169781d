"""The whole study as JSON: its specification and every event, so that it comes back exactly as it was."""

import json
import math
from typing import Any, NoReturn

from wayfare.errors import Conflict, InvalidInput, StoreError, WayfareError
from wayfare.exchange.sound import check_events
from wayfare.form import read_spec, write_spec
from wayfare.records import Event, StudySpec
from wayfare.replay import replay
from wayfare.store import Store
from wayfare.store.events import read_event, write_event
from wayfare.study import Study

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
            text.removeprefix("\ufeff"),
            object_pairs_hook=_once,
            parse_constant=_refuse,
            parse_float=_finite,
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

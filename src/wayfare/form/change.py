"""A change of a study as plain data: the keys of its form that change, and the specification they make of another.

An event keeps only these keys. Reading a study's events makes each specification of the one before, so parts of the
user's own, which no form holds, stay as long as their key does.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

from wayfare.errors import InvalidInput, StoreError
from wayfare.form import keys
from wayfare.form.keys import check_plain
from wayfare.form.method import read_method
from wayfare.form.space import open_ends, read_axes, read_constraints, read_place, read_places, read_regions
from wayfare.form.study import KEYS, read_limits, read_measured, read_travel, write_spec
from wayfare.form.travel import read_also
from wayfare.planning.catalogue import DEFAULT
from wayfare.record.change import FIXED, SPACE, changed, check_matrices, check_unit, merged_space
from wayfare.record.events import Changed, Event, StudySpec, read_event
from wayfare.space import AnySpace, Places, Space

_ABSENT: dict[str, Any] = {
    "dwell": 0.0,
    "trip_cost": 0.0,
    "shuffle": 0.0,
    "method": DEFAULT,
    "also": (),
    "measured": (),
}
"""The values of keys that are left out, if not None."""


def form_changes(before: StudySpec, after: StudySpec) -> dict[str, Any]:
    """Return the keys in which two specifications differ, as the latter's form has them; None for one it lacks."""
    was, form = write_spec(before), write_spec(after)
    found = {key: form.get(key) for key in {**was, **form} if was.get(key) != form.get(key)}
    for key, value in found.items():
        if key not in FIXED and (own := own_part(value)) is not None:
            raise InvalidInput(
                f"{key}: a change is kept as text, which cannot hold {own!r} of your own; change it to a kind that "
                "study files have, or begin another study"
            )
    return found


def own_part(form: Any) -> str | None:
    """Return the name of a Python function or class inside a form, if there is one."""
    if isinstance(form, Mapping):
        if form.get("kind") == "custom":
            return str(form.get("function") or form.get("class") or "unknown")
        form = list(form.values())
    if isinstance(form, list):
        return next((own for part in form if (own := own_part(part)) is not None), None)
    return None


def changed_spec(
    spec: StudySpec, form: Mapping[str, Any], *, folder: Path | None = None, new: bool = False
) -> StudySpec:
    """Return the specification after a change of these keys, each stated as in a study file; None takes one away.

    Args:
        spec: the specification before.
        form: the keys that change.
        folder: the files named in it must be below this folder; None: it may name none.
        new: whether the change is about to be made; what a store has is read without trying its costs.
    """
    form = open_ends(form)
    given = {key: value for key, value in form.items() if value is not None}
    check_plain(given, new=new)
    keys.table(form, "", KEYS)
    for key in form:
        if key in FIXED:
            raise InvalidInput(f"{key} cannot be changed: {FIXED[key]}")
        if key in ("trials", "axis", "places", "travel") and form[key] is None:
            raise InvalidInput(f"{key} cannot be taken away; state what it is from now on")
    if "map" in form:
        raise InvalidInput("map: a map is places and a travel cost in one; state it in a study file, all of it")
    stated = _changed_space(spec.space, form, folder, customs=not new)
    space = merged_space(spec.space, stated) if new and stated is not spec.space else stated
    terms: dict[str, Any] = {} if space is spec.space else {"space": space}
    if "travel" in given:
        terms["travel"], unit = read_travel({"travel": given["travel"]}, space, None, new)
        check_unit(spec, unit)
        check_matrices(terms["travel"], stated, space)
    if "trials" in given:
        terms["trials"] = keys.count(given["trials"], "trials", 1)
    if "noise" in given:
        terms["noise"] = keys.positive(given["noise"], "noise")
    if "start" in given:
        terms["start"] = read_place(given["start"], "start", space)
    if "method" in given:
        terms["method"] = read_method(given["method"], "method", new)
    if "also" in given:
        terms["also"] = read_also(given["also"], space, None, new)
    if "measured" in given:
        terms["measured"] = read_measured(given["measured"])
    terms |= read_limits(given, space)
    terms |= {key: _ABSENT.get(key) for key in form if form[key] is None and key not in SPACE}
    return changed(spec, **terms)


def _changed_space(space: AnySpace, form: Mapping[str, Any], folder: Path | None, customs: bool) -> AnySpace:
    parts = [key for key in SPACE if key in form]
    if not parts:
        return space
    if isinstance(space, Places):
        if parts != ["places"]:
            raise InvalidInput(
                f"{next(key for key in parts if key != 'places')} belongs to axes; this study has a table"
            )
        return read_places(form["places"], "places", folder)
    if not isinstance(space, Space):
        raise InvalidInput("the space of this study is of a class of the user's own, which no form can change")
    if "places" in parts:
        raise InvalidInput("places: this study has axes, and cannot become one of a table")
    whole = read_axes(form["axis"], "axis") if "axis" in parts else Space(*space.axes)
    stated, rules = form.get("forbidden") or [], form.get("constraint") or []
    regions = read_regions(stated, whole) if "forbidden" in parts else [one.stated for one in space.forbidden]
    kept = read_constraints(rules, customs) if "constraint" in parts else space.constraints
    return Space(*whole.axes, forbidden=regions, constraints=kept)


def read_events(spec: StudySpec, texts: Iterable[str]) -> list[Event]:
    """Return events from their text, each change with the specification that it makes of the one before.

    ``spec`` is in force before the first of them.
    """
    events = []
    for text in texts:
        event = read_event(text)
        if isinstance(event, Changed):
            try:
                spec = changed_spec(spec, event.form)
            except (ValueError, RecursionError) as error:
                raise StoreError(f"a change of study {spec.name!r} cannot be read by this version: {error}") from error
            event = evolve(event, spec=spec)
        events.append(event)
    return events

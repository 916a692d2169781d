"""The log of a study, its audit trail: what changed, from what, to what, why, by whom, when and by which way.

It is read out of the events, which never change, so it is whole whatever was corrected since. Events stand in the order
in which they were stored; what happened to the study as a whole, such as a new name, is put between them by its time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from attrs import frozen

from wayfare._core.format import counted, shown
from wayfare.errors import StoreError
from wayfare.record.events import Changed, Event, Planned, StudySpec
from wayfare.record.stamp import NO_STAMP, Stamp, take_stamp
from wayfare.record.state import Noted, noting
from wayfare.report.dataframe import import_pandas
from wayfare.space import Linear, Only, Product

if TYPE_CHECKING:
    import pandas as pd

LONGEST = 80
"""Characters of a table or a list of tables in a line of the log."""
NO_FORM: Mapping[str, Any] = MappingProxyType({})
COLUMNS = ("event", "at", "by", "via", "app", "what", "trial", "field", "before", "after", "why", "request")
"""Of the log as a table."""
_SHOWN = ("state", "value", "count", "variance", "spent", "leg", "way_home", "worker", "home_first", "prior", "why")
"""The attributes of a trial that the log follows besides its place and what was measured; others follow from them."""
RULES = {"linear": Linear, "product": Product}
"""Constraints with bounds, by their kind in a form."""
_USUAL: Mapping[str, Any] = {"worker": [""], "count": [1], "home_first": [False], "prior": [False]}
"""Values of attributes that the log leaves out when a trial is handed out."""


@frozen
class Change:
    """One thing that an entry changed.

    Attributes:
        trial: the number of the trial it belongs to; None if it is about none.
        field: ``value``, ``leg``, ``spent``, ``place`` when a trial is handed out, ``place.temp_C`` and
            ``measured.pressure`` for one number, and so on.
        before: what it was; None if there was nothing.
        after: what it is since.
    """

    trial: int | None
    field: str
    before: Any
    after: Any

    def __str__(self) -> str:
        """Say it: ``axis.temp_C.high 120 → 140``."""
        return f"{self.field} {_plainly(self.before)} → {_plainly(self.after)}"


def _plainly(value: Any) -> str:
    """Return a value of a form in a few words."""
    if value is None:
        return "none"
    if isinstance(value, list) and not any(isinstance(one, list | Mapping) for one in value):
        return ", ".join(map(shown, value))
    if isinstance(value, list | Mapping):
        text = json.dumps(value, ensure_ascii=False)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return shown(value)


@frozen
class LogEntry:
    """One thing that happened to a study.

    Attributes:
        event: the number of the event; None for what is none: the study was created, imported, renamed, ...
        stamp: when it was stored, by whom, by which way and by which version; empty before wayfare 0.3.
        what: the kind of the event: planned, asked, told, failed, skipped, inserted, amended, replanned,
            reassigned, changed; else created, imported, renamed, archived, unarchived, restored, upgraded or deleted.
        trial: the number of the trial it is about; None if it is about none.
        changes: what it changed, from what to what.
        why: the reason given.
        request: the id of the move.
    """

    event: int | None
    stamp: Stamp
    what: str
    trial: int | None = None
    changes: tuple[Change, ...] = ()
    why: str = ""
    request: str = ""


@frozen(repr=False)
class Log(Sequence[LogEntry]):
    """The log of a study, oldest first."""

    entries: tuple[LogEntry, ...]

    def __repr__(self) -> str:
        """Say how long it is, and what happened last."""
        last = f", last {self.entries[-1].what}" if self.entries else ""
        return f"<Log of {len(self)} entries{last}>"

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.entries)

    def __getitem__(self, at: Any) -> Any:
        """Return an entry, or several."""
        return self.entries[at]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row of ``COLUMNS`` for every change, and for every entry that changed nothing."""
        for entry in self.entries:
            stamp, end = entry.stamp, (entry.why, entry.request)
            start = (entry.event, stamp.at, stamp.by, stamp.via, stamp.app, entry.what)
            for one in entry.changes or (Change(entry.trial, "", None, None),):
                yield (*start, one.trial, one.field, one.before, one.after, *end)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row for every change, and for every entry that changed nothing. Needs pandas.

        The columns are event, at, by, via, app, what, trial, field, before, after, why and request.
        """
        pandas = import_pandas()
        frame: pd.DataFrame = pandas.DataFrame(list(self.rows()), columns=list(COLUMNS))
        whole = {"event": "Int64", "trial": "Int64"}  # whole numbers, some missing
        return frame.astype(whole).assign(at=pandas.to_datetime(frame["at"], utc=True))


def log_of(
    spec: StudySpec,
    events: Sequence[Event],
    created: Sequence[Stamp] = (),
    history: Sequence[str] = (),
    form: Mapping[str, Any] = NO_FORM,
) -> Log:
    """Return the log of a study.

    Args:
        spec: the specification that it was created with.
        events: all of its events.
        created: when it was created, then when it was imported.
        history: what its store says of it as a whole, each a line of JSON.
        form: the specification as plain data, so that a change can say what it changed from.
    """
    words = ("created", *("imported",) * len(created))
    begun = [LogEntry(None, stamp, what) for stamp, what in zip(created, words, strict=False)]
    known, moves = dict(form), []
    for number, (event, noted) in enumerate(noting(spec, events)):
        moves.append(_entry(number, event, noted, known))
        if isinstance(event, Changed):
            known |= event.form
    return Log((*begun, *_merged(moves, [whole_entry(text) for text in history if text])))


def whole_entry(text: str, study: str = "") -> LogEntry:
    """Return an entry about a study as a whole, from a line of JSON; an empty line says that ``study`` was created."""
    if not text:
        return LogEntry(None, NO_STAMP, "created", changes=(Change(None, "name", None, study),))
    try:
        form = json.loads(text)
        stamp = take_stamp(form)
        what, why = form.pop("kind"), form.pop("why", "")
        if not isinstance(what, str) or not isinstance(why, str):
            raise TypeError("no words")
        before, after = form.pop("before", {}), form.pop("after", {})
        if what == "upgraded":
            before, after = {"format": form["from"]}, {"format": form["to"]}
        changes = tuple(Change(None, key, before.get(key), after.get(key)) for key in {**before, **after})
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"the register has an entry that cannot be read: {text[:80]!r}") from error
    return LogEntry(None, stamp, what, changes=changes, why=why)


def _merged(moves: Sequence[LogEntry], whole: Sequence[LogEntry]) -> Iterator[LogEntry]:
    """Yield both in their own order, each of the latter before the first move that is later by the clock."""
    waiting = list(whole)
    for move in moves:
        while waiting and (move.stamp.at and waiting[0].stamp.at) and waiting[0].stamp.at < move.stamp.at:
            yield waiting.pop(0)
        yield move
    yield from waiting


def _entry(number: int, event: Event, noted: Sequence[Noted], form: Mapping[str, Any]) -> LogEntry:
    trial: int | None = getattr(event, "number", None)
    changes = [change for note in sorted(noted, key=lambda note: note.trial != trial) for change in _changed(note)]
    if isinstance(event, Planned):
        whole = {"stops": len(event.stops), "cost": float(event.legs.sum())}
        changes = [Change(None, name, None, value) for name, value in whole.items()]
    if isinstance(event, Changed):
        changes = form_changes(form, event.form)
    why, request = (getattr(event, name, "") for name in ("why", "request"))
    return LogEntry(number, event.stamp, type(event).__name__.lower(), trial, tuple(changes), why, request)


def _changed(note: Noted) -> Iterator[Change]:
    """Yield a change of an attribute, by number where it holds several; nothing where it is as before."""
    trial, name, before, after = note
    if name == "position":
        yield Change(None, name, before, after)
    elif name == "params" and before is None:
        yield Change(trial, "place", None, dict(after))
    elif name in ("params", "measured"):
        prefix = "place" if name == "params" else name
        for key in {**before, **after}:
            if before.get(key) != after.get(key):
                yield Change(trial, f"{prefix}.{key}", before.get(key), after.get(key))
    elif name == "why" and not before:
        return  # the entry itself says why
    elif name in _SHOWN and before != after and not (before is None and after in _USUAL.get(name, ())):
        yield Change(trial, name, *(str(one) if isinstance(one, str) else one for one in (before, after)))


def form_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Return what changed in a form of a study, key by key: of axes and limits by their names, of a table by its rows.

    Args:
        before: the form before, with these keys at least.
        after: the keys that changed, as they are since; None for one that is gone.
    """
    found: list[Change] = []
    for key, value in after.items():
        found += _differences(key, before.get(key), value)
    return found


def _differences(field: str, before: Any, after: Any) -> Iterator[Change]:
    """Yield the differences of two values of a form, as deep as both are tables, or lists of tables with names."""
    if field == "places":
        before, after = _rows_apart(before, after)
    if field == "constraint":
        before, after = ("; ".join(map(_rule, one)) if one else None for one in (before, after))
    if field == "method":
        before, after = (one.get("name", one) if isinstance(one, Mapping) else one for one in (before, after))
    one, other = (_by_name(value) for value in (before, after))
    if one is not None and other is not None and one.get("kind") != other.get("kind"):
        yield Change(None, field, before, after)
    elif one is not None and other is not None:
        for key in {**one, **other}:
            yield from _differences(f"{field}.{key}", one.get(key), other.get(key))
    elif before != after:
        yield Change(None, field, before, after)


def _rows_apart(before: Any, after: Any) -> tuple[Any, Any]:
    """Return two tables of places with how many rows they have, and how many of these the other lacks, for the rows."""
    if not all(isinstance(one, Mapping) and "columns" in one for one in (before, after)):
        return before, after
    rows = [set(zip(*one["columns"].values(), strict=False)) for one in (before, after)]
    new, gone = len(rows[1] - rows[0]), len(rows[0] - rows[1])
    said = [counted(len(rows[0]), "place"), f"{counted(len(rows[1]), 'place')} ({new} new, {gone} dropped)"]
    if not new and not gone:
        said[1] = said[0]
    one, other = (
        _without(table, "columns", "frame") | {"rows": text} for table, text in zip((before, after), said, strict=True)
    )
    return one, other


def _rule(form: Mapping[str, Any]) -> str:
    """Return a constraint in words: ``a + b at most 1``; one of the user's own by its name."""
    bounds = {end: form[end] for end in ("at_least", "at_most", "equals") if end in form}
    if form["kind"] == "only":
        return str(Only(form["axis"], when=form["when"], otherwise=form["otherwise"]))
    if form["kind"] in RULES:
        return str(RULES[form["kind"]](form["of"], **bounds))
    return str(form.get("function", form["kind"]))


def _by_name(value: Any) -> Mapping[str, Any] | None:
    """Return a table, or a list of tables by their names or numbers; None for anything else.

    Of the values of a choice those that are not retired.
    """
    if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        return {one.get("name", str(at)): _without(one, "name") for at, one in enumerate(value)}
    if not isinstance(value, Mapping):
        return None
    if "retired" in value and isinstance(value.get("values"), list):
        value = {**value, "values": [one for one in value["values"] if one not in value["retired"]]}
    return _without(value, "retired")


def _without(table: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in keys}

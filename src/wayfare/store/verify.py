"""A store gone through from end to end: pages, checksums, histories, and every price ever paid."""

import json
import math
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from wayfare.errors import WayfareError
from wayfare.form import read_spec
from wayfare.record.events import Trial
from wayfare.record.state import StudyState, replay
from wayfare.report.costs import leg_cost
from wayfare.store.database import Connection, event_crc, explain, reading, study_crc
from wayfare.store.events import read_event
from wayfare.store.sqlite import SqliteStore

CLOSE = 1e-9
"""How far, in proportion, a price worked out anew may be from the one kept: the last digits of a machine."""


@frozen
class Verdict:
    """What was looked at, what is wrong (``findings``), and what could not be looked at (``remarks``)."""

    path: Path
    studies: int
    events: int
    trials: int
    legs: int
    findings: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def verify(path: str | Path) -> Verdict:
    """Check all of a store, changing nothing; a ``StoreError`` only if it is none or cannot be opened.

    The pages by SQLite's own check, every checksum, the events' numbers, that each study adds up to a state,
    and that every leg costs what the travel cost says from the places really visited.
    """
    here = SqliteStore(path).path
    findings: list[str] = []
    with reading(here) as connection:
        for (said,) in _rows(connection, here, "PRAGMA integrity_check", findings):
            if said != b"ok":
                findings.append(f"{here}: {' '.join(said.decode(errors='replace').split())}")
        kept = _rows(connection, here, "SELECT id, name, spec, crc FROM study NOT INDEXED", findings)
        written = _rows(connection, here, "SELECT study, number, body, crc FROM event", findings)
    events = defaultdict[Any, list[_Row]](list)
    for row in written:
        events[row[0]].append(row[1:])
    studies = [_Study(row, events.pop(row[0], [])) for row in kept]
    for number, strays in events.items():
        findings.append(f"{len(strays)} events belong to study number {number}, which is not there")
    for study in studies:
        study.look()
    return Verdict(
        here,
        len(studies),
        len(written),
        sum(study.trials for study in studies),
        sum(study.legs for study in studies),
        (*findings, *(finding for study in studies for finding in study.findings)),
        tuple(remark for study in studies for remark in study.remarks),
    )


_Row = tuple[Any, ...]


def _rows(connection: Connection, path: Path, query: str, findings: list[str]) -> list[_Row]:
    """Return as many rows as can be read; what stops that is a finding."""
    rows: list[_Row] = []
    try:
        rows.extend(connection.execute(query))
    except sqlite3.DatabaseError as error:
        findings.append(explain(error, path))
    return rows


class _Study:
    """One study under the lamp."""

    def __init__(self, row: _Row, events: list[_Row]) -> None:
        self._row, self._events = row, events
        self.title = f"study {row[1].decode(errors='replace')!r}" if isinstance(row[1], bytes) else "a study"
        self.trials = self.legs = 0
        self.findings: list[str] = []
        self.remarks: list[str] = []

    def look(self) -> None:
        number, name, form, crc = self._row
        if not (isinstance(name, bytes) and isinstance(form, bytes)) or study_crc(number, name, form) != crc:
            self.findings.append(f"{self.title}: the checksum of its specification differs")
            return
        bodies = self._bodies(number)
        step = "its specification cannot be read"
        try:
            plain = json.loads(form)
            spec = read_spec(plain, new=False)
            step = "its events cannot be read"
            events = [read_event(body) for body in bodies]
            step = "its events cannot be replayed"
            state = replay(spec, events)
        except Exception as error:  # whatever a damaged history makes the library do, it is a finding
            said = str(error) if isinstance(error, WayfareError) else step
            self.findings.append(f"{self.title}: it cannot be read back: {said}")
            return
        self.trials = len(state.trials)
        self.findings += [f"{self.title}: {what}" for what in _miscounts(bodies, state)]
        if (own := _own_function(plain.get("travel"))) is not None:
            why = f"its travel cost is the Python function {own!r}, which a file cannot keep"
            self.remarks.append(f"{self.title}: {why}; no leg was worked out anew")
            return
        self.legs = len(state.trials)
        self.findings += [f"{self.title}: {what}" for what in _wrong_legs(state)]

    def _bodies(self, study: int) -> list[bytes]:
        """Return the events that are what was written, in order; all others are findings."""
        bodies = []
        whole = [row for row in self._events if isinstance(row[0], int) and isinstance(row[1], bytes)]
        if len(whole) < len(self._events):
            self.findings.append(f"{self.title}: {len(self._events) - len(whole)} events are not even text")
        for expected, (number, body, crc) in enumerate(sorted(whole)):
            if number != expected:
                self.findings.append(f"{self.title}: event {expected} is missing, after it comes {number}")
                break
            if event_crc(study, number, body) != crc:
                self.findings.append(f"{self.title}: event {number} is damaged, its checksum differs")
                continue
            bodies.append(body)
        return bodies


def _miscounts(bodies: Sequence[bytes], state: StudyState) -> Iterator[str]:
    """Yield what was counted wrongly or happened twice, though the events could be replayed."""
    for place, trial in enumerate(state.trials):
        if trial.number != place:
            yield f"trial {place} has the number {trial.number}"
    requests = Counter(getattr(read_event(body), "request", None) for body in bodies)
    for request, times in requests.items():
        if request is not None and times > 1:
            yield f"request {request!r} happened {times} times"


def _own_function(travel: Any) -> str | None:
    """Return the name of the Python function inside a written travel cost, if there is one."""
    if isinstance(travel, dict):
        if travel.get("kind") == "custom":
            return str(travel.get("function", "unknown"))
        travel = list(travel.values())
    if isinstance(travel, list):
        return next((own for part in travel if (own := _own_function(part)) is not None), None)
    return None


def _wrong_legs(state: StudyState) -> Iterator[str]:
    """Yield the trials whose leg is not what it should be."""
    for trial in state.trials:
        try:
            leg = _leg(state, trial)
        except WayfareError as error:
            yield f"the leg of trial {trial.number} cannot be worked out: {error}"
            continue
        if not math.isclose(leg, trial.leg, rel_tol=CLOSE, abs_tol=0.0):
            yield f"the leg of trial {trial.number} is kept as {trial.leg!r}, but comes to {leg!r}"


def _leg(state: StudyState, trial: Trial) -> float:
    origin = state.origin(trial.number)
    if not trial.is_visit:
        return 0.0
    if trial.spent is not None:
        return trial.spent
    return leg_cost(state, origin, trial.x, via_home=trial.home_first)

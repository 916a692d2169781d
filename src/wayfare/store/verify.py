"""Check a store from end to end: pages, checksums, histories, and the cost of every leg.

Reading a study stops at the first error. This goes on, so that the user learns everything that is wrong at once.
"""

import json
import math
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import Factory, define, frozen

from wayfare._core.tolerance import COST_RTOL
from wayfare.errors import WayfareError
from wayfare.form import read_spec
from wayfare.record.events import Event, Trial, read_event
from wayfare.record.state import StudyState, replay
from wayfare.report.costs import leg_cost
from wayfare.store.database import Connection, event_crc, explain, reading, study_crc
from wayfare.store.sqlite import SqliteStore


@frozen
class Verdict:
    """The result of ``verify``.

    Attributes:
        path: of the file.
        studies: number of studies.
        events: number of events in all studies.
        trials: number of trials that were read back.
        legs: number of trials whose leg was priced again.
        findings: everything that is wrong.
        remarks: everything that could not be checked.
    """

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
    """Check all of a store, changing nothing; raise ``StoreError`` only if it is none or cannot be opened.

    The pages by SQLite's own check, every checksum, the events' numbers, that each study can be replayed, and that
    every leg has the cost that the travel cost gives for the places really visited.
    """
    here = SqliteStore(path).path
    findings: list[str] = []
    # 1. Read all rows, then close the file: checking the studies may take long.
    with reading(here) as connection:
        for (said,) in _rows(connection, here, "PRAGMA integrity_check", findings):
            if said != b"ok":
                findings.append(f"{here}: {' '.join(said.decode(errors='replace').split())}")
        study_rows = _rows(connection, here, "SELECT id, name, spec, crc FROM study NOT INDEXED", findings)
        event_rows = _rows(connection, here, "SELECT study, number, body, crc FROM event", findings)
    # 2. Give each study its events. 3. Check the studies.
    events = defaultdict[Any, list[_Row]](list)
    for row in event_rows:
        events[row[0]].append(row[1:])
    checked = [_check_study(row, events.pop(row[0], [])) for row in study_rows]
    for number, strays in events.items():
        findings.append(f"{len(strays)} events belong to study number {number}, which is not there")
    return Verdict(
        path=here,
        studies=len(study_rows),
        events=len(event_rows),
        trials=sum(one.trials for one in checked),
        legs=sum(one.legs for one in checked),
        findings=(*findings, *(f"{one.title}: {finding}" for one in checked for finding in one.findings)),
        remarks=tuple(f"{one.title}: {remark}" for one in checked for remark in one.remarks),
    )


_Row = tuple[Any, ...]


def _rows(connection: Connection, path: Path, query: str, findings: list[str]) -> list[_Row]:
    """Return as many rows as can be read; an error that stops the reading is a finding."""
    rows: list[_Row] = []
    try:
        rows.extend(connection.execute(query))
    except sqlite3.DatabaseError as error:
        findings.append(explain(error, path))
    return rows


@define
class _Checked:
    """The part of the verdict that is about one study."""

    title: str
    trials: int = 0
    legs: int = 0
    findings: list[str] = Factory(list)
    remarks: list[str] = Factory(list)


def _check_study(row: _Row, event_rows: list[_Row]) -> _Checked:
    # 1. Checksums. 2. Read and replay. 3. Counts and requests. 4. Legs.
    number, name, form, crc = row
    found = _Checked(f"study {name.decode(errors='replace')!r}" if isinstance(name, bytes) else "a study")
    if not (isinstance(name, bytes) and isinstance(form, bytes)) or study_crc(number, name, form) != crc:
        found.findings.append("the checksum of its specification differs")
        return found
    bodies = _sound_bodies(number, event_rows, found.findings)
    step = "its specification cannot be read"
    try:
        plain = json.loads(form)
        spec = read_spec(plain, new=False)
        step = "its events cannot be read"
        events = [read_event(body.decode()) for body in bodies]
        step = "its events cannot be replayed"
        state = replay(spec, events)
    except Exception as error:  # any error that a damaged history causes in the library is a finding
        said = str(error) if isinstance(error, WayfareError) else step
        found.findings.append(f"it cannot be read back: {said}")
        return found
    found.trials = len(state.trials)
    found.findings += _miscounts(events, state)
    if (own := _own_function(plain.get("travel"))) is not None:
        found.remarks.append(
            f"its travel cost is the Python function {own!r}, which a file cannot keep; no leg was priced again"
        )
        return found
    found.legs = len(state.trials)
    found.findings += _wrong_legs(state)
    return found


def _sound_bodies(study: int, rows: list[_Row], findings: list[str]) -> list[bytes]:
    """Return the undamaged events in order; all others are findings."""
    bodies = []
    texts = [row for row in rows if isinstance(row[0], int) and isinstance(row[1], bytes)]
    if len(texts) < len(rows):
        findings.append(f"{len(rows) - len(texts)} events are not even text")
    for expected, (number, body, crc) in enumerate(sorted(texts)):
        if number != expected:
            findings.append(f"event {expected} is missing, after it comes {number}")
            break
        if event_crc(study, number, body) != crc:
            findings.append(f"event {number} is damaged, its checksum differs")
            continue
        bodies.append(body)
    return bodies


def _miscounts(events: Sequence[Event], state: StudyState) -> Iterator[str]:
    """Yield what replaying does not notice: trials out of order, numbers of no limit, requests that happened twice."""
    known = {limit.name for limit in state.spec.measured}
    for place, trial in enumerate(state.trials):
        if trial.number != place:
            yield f"trial {place} has the number {trial.number}"
        for name in trial.measured:
            if name not in known:
                yield f"trial {place} has a number for {name!r}, which the study does not measure"
    for request, times in Counter(getattr(event, "request", None) for event in events).items():
        if request is not None and times > 1:
            yield f"request {request!r} happened {times} times"


def _own_function(travel: Any) -> str | None:
    """Return the name of the Python function inside the form of a travel cost, if there is one."""
    if isinstance(travel, dict):
        if travel.get("kind") == "custom":
            return str(travel.get("function", "unknown"))
        travel = list(travel.values())
    if isinstance(travel, list):
        return next((own for part in travel if (own := _own_function(part)) is not None), None)
    return None


def _wrong_legs(state: StudyState) -> Iterator[str]:
    """Yield the trials whose stored leg is not the cost of that leg."""
    for trial in state.trials:
        try:
            leg = _leg(state, trial)
        except WayfareError as error:
            yield f"the leg of trial {trial.number} cannot be worked out: {error}"
            continue
        if not math.isclose(leg, trial.leg, rel_tol=COST_RTOL, abs_tol=0.0):
            yield f"the leg of trial {trial.number} is kept as {trial.leg!r}, but comes to {leg!r}"


def _leg(state: StudyState, trial: Trial) -> float:
    if not trial.is_visit:
        return 0.0
    if trial.spent is not None:
        return trial.spent
    return leg_cost(state, state.origin(trial.number), trial.x, via_home=trial.home_first)

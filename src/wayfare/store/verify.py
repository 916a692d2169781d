"""Check a store from end to end: pages, digests, histories, and the cost of every leg.

Reading a study stops at the first error. This goes on, so that the user learns everything that is wrong at once.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import Factory, define, frozen

from wayfare._core.tolerance import COST_RTOL
from wayfare.errors import InvalidInput, WayfareError
from wayfare.form import own_part, read_events, read_form, read_spec
from wayfare.record.events import Event, Trial
from wayfare.record.state import StudyState, replay
from wayfare.report.costs import leg_cost, way_home_cost
from wayfare.store.address import kept_store
from wayfare.store.base import KeptStore
from wayfare.store.chain import START, event_link, study_link
from wayfare.store.register import Entry, broken_entry, names_in


@frozen
class Head:
    """The head of a chain: a digest of everything before it, to be noted elsewhere.

    Attributes:
        study: the name of the study; empty for the register of the store.
        events: how many events it covers; of the register, how many entries.
        digest: 64 hexadecimal digits.
    """

    study: str
    events: int
    digest: str


@frozen
class Verdict:
    """The result of ``verify``.

    Attributes:
        store: that was checked.
        studies: number of studies.
        events: number of events in all studies.
        trials: number of trials that were read back.
        legs: number of trials whose leg was priced again.
        findings: everything that is wrong.
        remarks: everything that could not be checked.
        heads: of each study whose chain is whole, and of the register.
        noted: the heads that were noted earlier and are still there.
    """

    store: KeptStore
    studies: int
    events: int
    trials: int
    legs: int
    findings: tuple[str, ...]
    remarks: tuple[str, ...]
    heads: tuple[Head, ...] = ()
    noted: tuple[Head, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def verify(store: KeptStore | str | Path, heads: Sequence[str] = ()) -> Verdict:
    """Check all of a store, changing nothing; raise ``StoreError`` only if it is none or cannot be opened.

    A file's pages by SQLite's own check, every link of every chain, the events' numbers, that each study can be
    replayed, and that every leg has the cost that the travel cost gives for the places really visited.

    Args:
        store: a store, the path of its file, or the address of its database.
        heads: digests noted earlier, as ``Verdict.heads`` has them. Each must still be in a chain, be it with more
            after it: else something before it was changed, or the end is missing.
    """
    kept = kept_store(store)
    wanted = [_digest(head) for head in heads]
    findings: list[str] = []
    # 1. Read all rows, then let go of the store: checking the studies may take long.
    entry_rows, study_rows, event_rows = kept.rows(findings)
    # 2. The register. 3. Give each study its events. 4. Check the studies. 5. Look for the digests that were noted.
    entries = [Entry(*row) for row in entry_rows]
    register = _check_register(entries)
    names = names_in(entries)
    created = {entry.study: entry.name for entry in reversed(entries)}
    events = defaultdict[Any, list[_Row]](list)
    for row in event_rows:
        events[row[0]].append(row[1:])
    checked = [_check_study(row, names.get(row[0]), created.get(row[0]), events.pop(row[0], [])) for row in study_rows]
    known = {row[0] for row in study_rows}
    for number, name in names.items():
        if number not in known:
            findings.append(f"study {_text(name)[:80]!r} is missing, with all its events: the register has it")
    for number, strays in events.items():
        findings.append(f"{len(strays)} events belong to study number {number}, which is not there")
    parts = [*checked, register]
    noted = [_find(digest, parts, findings) for digest in wanted]
    return Verdict(
        store=kept,
        studies=len(study_rows),
        events=len(event_rows),
        trials=sum(one.trials for one in checked),
        legs=sum(one.legs for one in checked),
        findings=(*findings, *(f"{one.title}: {finding}" for one in parts for finding in one.findings)),
        remarks=tuple(f"{one.title}: {remark}" for one in checked for remark in one.remarks),
        heads=tuple(one.head(len(one.links) - 1) for one in parts if one.is_whole),
        noted=tuple(head for head in noted if head is not None),
    )


def _digest(head: str) -> bytes:
    """Return a digest that the user noted."""
    try:
        digest = bytes.fromhex(head)
    except (TypeError, ValueError):
        digest = b""
    if len(digest) != len(START):
        raise InvalidInput(f"a head has {2 * len(START)} hexadecimal digits, got {head!r}")
    return digest


def _find(digest: bytes, parts: Sequence["_Checked"], findings: list[str]) -> Head | None:
    """Return where a digest that was noted is; if it is nowhere, that is a finding."""
    for one in parts:
        if digest in one.links and digest != START:  # which stands for no row
            return one.head(one.links.index(digest))
    findings.append(
        f"the head {digest.hex()} is in no chain: what was there when it was noted was changed, or its end is missing"
    )
    return None


_Row = tuple[Any, ...]
_BROKEN = "it, or what is before it, was changed, removed, moved or put in"


@define
class _Checked:
    """The part of the verdict that is about one study, or about the register."""

    title: str
    study: str = ""
    trials: int = 0
    legs: int = 0
    findings: list[str] = Factory(list)
    remarks: list[str] = Factory(list)
    is_whole: bool = False
    links: list[bytes] = Factory(list)
    """The chain as far as it is whole: its digest before the first event, after it, and so on."""

    def head(self, events: int) -> Head:
        """Return the head after so many events."""
        return Head(self.study, events, self.links[events].hex())


def _check_register(entries: Sequence[Entry]) -> _Checked:
    """Return the findings and the links of the register."""
    found, broken = _Checked("the register"), broken_entry(entries)
    if broken is not None:
        found.findings.append(f"the chain breaks at entry {broken}: {_BROKEN}")
    found.links = [START, *(entry.link for entry in entries[: None if broken is None else broken - 1])]
    found.is_whole = broken is None
    return found


def _check_study(row: _Row, name: bytes | None, created: bytes | None, event_rows: list[_Row]) -> _Checked:
    # 1. The chain. 2. Read and replay. 3. Counts and requests. 4. Legs.
    number, form, link = row
    found = _Checked(f"study number {number}" if name is None else f"study {_text(name)[:80]!r}", _text(name))
    if created is None or name is None:
        found.findings.append("it is not in the register, or was deleted from it")
        return found
    if not isinstance(form, bytes) or study_link(number, created, form) != link:
        found.findings.append("the digest of its specification differs: it was changed")
        return found
    bodies = _follow(found, link, event_rows)
    found.is_whole = not found.findings
    if not found.is_whole:
        return found
    step = "its specification cannot be read"
    try:
        plain, _ = read_form(form)
        spec = read_spec(plain, new=False)
        step = "its events cannot be read"
        events = read_events(spec, [body.decode() for body in bodies])
        step = "its events cannot be replayed"
        state = replay(spec, events)
    except Exception as error:  # any error that a damaged history causes in the library is a finding
        said = str(error) if isinstance(error, WayfareError) else step
        found.findings.append(f"it cannot be read back: {said}")
        return found
    found.trials = len(state.trials)
    found.findings += _miscounts(events, state)
    if (own := own_part(plain.get("travel"))) is not None:
        found.remarks.append(
            f"its travel cost is the Python function {own!r}, which a file cannot keep; no leg was priced again"
        )
        return found
    found.legs = len(state.trials)
    found.findings += wrong_legs(state)
    return found


def _text(name: bytes | None) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else ""


def _follow(found: _Checked, link: bytes, rows: list[_Row]) -> list[bytes]:
    """Return the events in order up to the first broken link of the chain, which is a finding."""
    bodies: list[bytes] = []
    found.links.append(link)
    texts = [row for row in rows if isinstance(row[0], int) and isinstance(row[1], bytes)]
    if len(texts) < len(rows):
        found.findings.append(f"{len(rows) - len(texts)} events are not even text")
    for expected, (number, body, stored) in enumerate(sorted(texts, key=lambda row: row[0])):
        if number != expected:
            found.findings.append(f"event {expected} is missing, after it comes {number}")
            break
        if event_link(found.links[-1], number, body) != stored:
            found.findings.append(f"the chain breaks at event {number}: {_BROKEN}")
            break
        found.links.append(stored)
        bodies.append(body)
    return bodies


def _miscounts(events: Sequence[Event], state: StudyState) -> Iterator[str]:
    """Yield what replaying does not notice: trials out of order, numbers of no limit, requests that happened twice."""
    known = {limit.name for limit in state.spec.measured}  # a change may add to them, and takes none away
    for place, trial in enumerate(state.trials):
        if trial.number != place:
            yield f"trial {place} has the number {trial.number}"
        for name in trial.measured:
            if name not in known:
                yield f"trial {place} has a number for {name!r}, which the study does not measure"
    for request, times in Counter(getattr(event, "request", None) for event in events).items():
        if request is not None and times > 1:
            yield f"request {request!r} happened {times} times"


def wrong_legs(state: StudyState) -> Iterator[str]:
    """Yield the trials and ways home whose stored cost is not what it comes to."""
    for trial in state.trials:
        try:
            leg = _leg(state, trial)
        except WayfareError as error:
            yield f"the leg of trial {trial.number} cannot be worked out: {error}"
            continue
        if not math.isclose(leg, trial.leg, rel_tol=COST_RTOL, abs_tol=0.0):
            yield f"the leg of trial {trial.number} is kept as {trial.leg!r}, but comes to {leg!r}"

    for number, way in enumerate(state.returns):
        try:
            cost = way.spent if way.spent is not None else way_home_cost(state, way, state.leaving(way.move))
        except WayfareError as error:
            yield f"the cost of way home {number} cannot be worked out: {error}"
            continue
        if not math.isclose(cost, way.leg, rel_tol=COST_RTOL, abs_tol=0.0):
            yield f"the cost of way home {number} is kept as {way.leg!r}, but comes to {cost!r}"


def _leg(state: StudyState, trial: Trial) -> float:
    if not trial.is_visit:
        return 0.0
    if trial.spent is not None:
        return trial.spent
    spec = state.spec_of(trial.number)
    return leg_cost(state, state.origin(trial.number), trial.x, via_home=trial.home_first, spec=spec)

"""``import_csv``: what a table says, added to a study at once or not at all."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

from wayfare._core.format import counted, shown
from wayfare.errors import Conflict
from wayfare.exchange.csv import Row, read_rows
from wayfare.exchange.visits import events_for
from wayfare.record.events import Event, Failed, Inserted, Skipped, Told, TrialState
from wayfare.record.state import StudyState
from wayfare.space import AnySpace, Choice, Places, Space
from wayfare.space.forbidden import forbidding
from wayfare.study.journal import as_request
from wayfare.study.study import Study

# Places beyond the bounds, or forbidden: taken as they happened, but worth a note, for most are slips.


def beyond(space: AnySpace, params: Mapping[str, Any]) -> list[str]:
    """Return which axes of a place lie outside their bounds: ``temp_C=300 is outside 40 to 120``.

    And which forbidden region it is in: ``the place is forbidden (temp_C 100 or more with solvent ether)``.
    """
    frame = space.frame if isinstance(space, Places) else space
    if not isinstance(frame, Space):
        return []
    region = forbidding(frame, frame.points(dict(params))[0])
    outside = [
        f"{axis.name}={shown(params[axis.name])} is outside {shown(axis.low)} to {shown(axis.high)}"
        for axis in frame.axes
        if not isinstance(axis, Choice) and not axis.low <= params[axis.name] <= axis.high
    ]
    return outside if region is None else [*outside, f"the place is forbidden ({region})"]


@frozen
class Imported:
    """What became of the rows of a file."""

    rows: int
    told: int = 0
    failed: int = 0
    skipped: int = 0
    visits: int = 0
    prior: int = 0
    open: int = 0
    beyond: tuple[tuple[int, str], ...] = ()
    """The new trials that lie outside the bounds of an axis: their numbers, and what lies where."""

    @property
    def same(self) -> int:
        """How many rows were there already."""
        new = self.told + self.failed + self.skipped + self.visits + self.prior
        return self.rows - new - self.open

    def __str__(self) -> str:
        """Say it in a line: ``12 rows: 3 told, 8 new visits, 1 already there``."""
        parts = [
            (self.told, "told"),
            (self.failed, "failed"),
            (self.skipped, "skipped"),
            (self.visits, "new visit" if self.visits == 1 else "new visits"),
            (self.prior, "known before"),
            (self.open, "still open"),
            (self.same, "already there"),
        ]
        said = ", ".join(f"{n} {what}" for n, what in parts if n) or "nothing to do"
        return f"{counted(self.rows, 'row')}: {said}"


def import_csv(
    study: Study,
    text: str,
    *,
    prior: bool = False,
    again: bool = False,
    dry_run: bool = False,
    request: str | None = None,
) -> Imported:
    """Add the rows of a CSV file, as ``export_csv`` writes them, to a study: all of them or none.

    Only the axes and ``value`` are needed. A row with the number of an open trial gives it its outcome, so
    a run sheet comes back this way; a row that is there already changes nothing; any other is a new visit
    and must have the next number, or none. A row without a number that says exactly what a trial says, its
    place, value and whether it is prior, was likely imported before: the file is refused. A blank ``value``
    needs a ``state``: asked, failed or skipped. Of several results taken in a row, ``value`` is the mean,
    ``count`` says of how many, and ``variance``, if known, how they varied.

    Args:
        study: where they go.
        text: the file.
        prior: the results were known before the study: nobody moved for them, and no trial is spent.
        again: rows without a number are new although a trial says the same: it was measured again.
        dry_run: only say what would happen.
        request: the caller's id of this request; sent again with the same file, it happens once.
    """
    rows = read_rows(study.spec.space, text)
    if prior:
        rows = [evolve(row, prior=True, spent=None) for row in rows]
    base = as_request(request)
    # The file is part of the id, so that another file under the same request is noticed.
    own = f"{base}/{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:16]}"
    events: list[Event] = []
    before = study.state

    def decide(state: StudyState) -> list[Event]:
        nonlocal events, before
        before = state
        events = [] if was_granted(state, base, own) else events_for(state, rows, own, again)
        return events

    if dry_run:
        decide(before)
    else:
        study.journal.commit(f"{own}/0", decide)
    return summary(before, rows, events)


def was_granted(state: StudyState, base: str, own: str) -> bool:
    """Return whether this file came under this request before; a ``Conflict`` if another did."""
    if f"{own}/0" in state.requests:
        return True
    if base in state.requests or any(request.startswith(f"{base}/") for request in state.requests):
        raise Conflict(f"request {base!r} was already used, for another file or move; it cannot change")
    return False


def summary(state: StudyState, rows: Sequence[Row], events: Sequence[Event]) -> Imported:
    """Return what the events make of the rows; ``state`` is that before them."""
    space = state.spec.space
    new = {event.number: event.prior for event in events if isinstance(event, Inserted)}

    def closed(kind: type) -> int:
        return sum(isinstance(event, kind) and event.number not in new for event in events)  # type: ignore[union-attr]  # all that are closed have a number

    return Imported(
        rows=len(rows),
        told=closed(Told),
        failed=closed(Failed),
        skipped=closed(Skipped),
        visits=sum(not prior for prior in new.values()),
        prior=sum(new.values()),
        open=sum(row.state in (None, TrialState.ASKED) and row.number in state.out for row in rows),
        beyond=tuple(
            (event.number, said)
            for event in events
            if isinstance(event, Inserted)
            for said in beyond(space, space.params(np.array(event.place)))
        ),
    )

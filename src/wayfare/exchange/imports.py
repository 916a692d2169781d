"""``import_csv``: add the rows of a table to a study, all of them or none.

The events are decided and written in one commit, so that a file is never imported by half.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

from wayfare._core.format import counted
from wayfare.exchange.csv import Row, read_rows
from wayfare.exchange.visits import events_for
from wayfare.record.events import Event, Failed, Inserted, Skipped, Told, TrialState
from wayfare.record.state import StudyState
from wayfare.space import AnySpace, Choice, Places, Space
from wayfare.space.constraints import broken_by
from wayfare.space.forbidden import forbidding
from wayfare.study.journal import as_request
from wayfare.study.moves import granted_under
from wayfare.study.study import Study


@frozen
class Imported:
    """How the rows of a file were used, as numbers of rows.

    Attributes:
        rows: all rows of the file.
        told: open trials that got a value.
        failed: open trials that failed.
        skipped: open trials that were skipped.
        visits: new visits.
        prior: results known before the study.
        open: open trials that the file leaves open.
        beyond: the new trials outside the bounds or forbidden: their numbers, and a sentence each.
    """

    rows: int
    told: int = 0
    failed: int = 0
    skipped: int = 0
    visits: int = 0
    prior: int = 0
    open: int = 0
    beyond: tuple[tuple[int, str], ...] = ()

    @property
    def same(self) -> int:
        """How many rows the study had already."""
        return self.rows - self.told - self.failed - self.skipped - self.visits - self.prior - self.open

    def __str__(self) -> str:
        """Return it as a line: ``12 rows: 3 told, 8 new visits, 1 already there``."""
        parts = {
            "told": self.told,
            "failed": self.failed,
            "skipped": self.skipped,
            "new visit" if self.visits == 1 else "new visits": self.visits,
            "known before": self.prior,
            "still open": self.open,
            "already there": self.same,
        }
        said = ", ".join(f"{number} {what}" for what, number in parts.items() if number) or "nothing to do"
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

    Only the axes and ``value`` are needed. A row with the number of an open trial gives it its outcome, so a run
    sheet comes back this way; a row that the study has already changes nothing; any other is a new visit and must
    have the next number, or none. A row without a number that repeats the place, value and ``prior`` of a trial was
    likely imported before: the file is refused. A blank ``value`` needs a ``state``: asked, failed or skipped. Of
    several results taken in a row, ``value`` is the mean, ``count`` their number and ``variance``, if known, their
    sample variance. What was measured besides stands in columns of its names.

    Args:
        study: the study to add to.
        text: the file.
        prior: the results were known before the study: they cost no movement and no trial.
        again: add rows without a number even if they repeat a trial: the place was measured again.
        dry_run: report only, write nothing.
        request: the caller's id of this request; sent again with the same file, it happens once.
    """
    rows = read_rows(study.spec, text)
    if prior:
        rows = [evolve(row, prior=True, spent=None) for row in rows]
    base = as_request(request)
    # The file is part of the id, so that another file under the same request is noticed.
    own = f"{base}/{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:16]}"
    done = Imported(rows=len(rows))

    def decide(state: StudyState) -> list[Event]:
        nonlocal done
        granted = granted_under(state, base, f"{own}/0", "another file or move")
        events = [] if granted else events_for(state, rows, own, again)
        done = _summary(state, rows, events)
        return events

    if dry_run:
        decide(study.snapshot().state)
    else:
        study.journal.commit(f"{own}/0", decide, via="import")
    return done


def _summary(state: StudyState, rows: Sequence[Row], events: Sequence[Event]) -> Imported:
    """Return how the rows were used, from the state before the events and the events."""
    space, inserted = state.spec.space, [event for event in events if isinstance(event, Inserted)]
    new = {event.number for event in inserted}
    outcomes = [event for event in events if isinstance(event, Told | Failed | Skipped) and event.number not in new]
    kinds = Counter(map(type, outcomes))
    prior = sum(event.prior for event in inserted)
    still_open = sum(row.state in (None, TrialState.ASKED) and row.number in state.out for row in rows)
    places = ((event.number, space.params(np.array(event.place))) for event in inserted)
    outside = tuple((number, said) for number, params in places for said in beyond(space, params))
    told, failed, skipped = (kinds[kind] for kind in (Told, Failed, Skipped))
    return Imported(len(rows), told, failed, skipped, len(inserted) - prior, prior, still_open, outside)


def beyond(space: AnySpace, params: Mapping[str, Any]) -> list[str]:
    """Return how a place leaves the space; it is accepted as it happened, but may be a slip.

    ``temp_C=300 is outside 40 to 120`` for each axis, and ``the place is forbidden (temp_C 100 or more)``.
    """
    frame = space.frame if isinstance(space, Places) else space
    if not isinstance(frame, Space):
        return []  # a user's own kind of space need not have axes with bounds
    region = forbidding(frame, frame.points(dict(params))[0])
    outside = [
        f"{axis.name}={axis.scale.written(params[axis.name])} is outside {axis.scale.number(axis.low)} to "
        f"{axis.scale.written(axis.high)}"
        for axis in frame.axes
        if not isinstance(axis, Choice) and not axis.low <= params[axis.name] <= axis.high
    ]
    broken = broken_by(frame, frame.points(dict(params))[0])
    said = (
        "" if region is None else f"the place is forbidden ({region})",
        "" if broken is None else f"the place breaks a constraint ({broken})",
    )
    return [*outside, *filter(None, said)]

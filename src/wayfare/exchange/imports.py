"""``read_results``: look at the rows of a file, then add them to a study, all of them or none.

What the preview shows is what ``apply`` does. The events are decided and written in one commit, so that a file is never
imported by half.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
from attrs import evolve, field, frozen

from wayfare._core.arrays import Values
from wayfare._core.format import counted
from wayfare.errors import Conflict, InvalidInput
from wayfare.exchange.match import Tolerance, match_rows
from wayfare.exchange.rows import Row, read_rows
from wayfare.exchange.table import LARGEST, TableFormat
from wayfare.exchange.visits import Use, Used, events_for
from wayfare.record.events import Event, Inserted, TrialState
from wayfare.record.state import StudyState
from wayfare.report.costs import leg_cost
from wayfare.space import AnySpace, Choice, Places, Space
from wayfare.space.constraints import broken_by
from wayfare.space.forbidden import forbidding
from wayfare.study.journal import as_request
from wayfare.study.moves import granted_under
from wayfare.study.study import Snapshot, Study


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
        beyond: the new trials outside the bounds or forbidden: their labels, "14" or "k3", and a sentence each.
    """

    rows: int
    told: int = 0
    failed: int = 0
    skipped: int = 0
    visits: int = 0
    prior: int = 0
    open: int = 0
    beyond: tuple[tuple[str, str], ...] = ()

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


@frozen
class PreviewRow:
    """The effect of one row of a file.

    Attributes:
        where: the row stands in the file: "line 3", of a sheet "row 3".
        use: "told", "failed", "skipped", "new visit", "known before", "still open" or "already there".
        number: of the trial that it is, or becomes.
        label: of that trial in tables: "14", or "k3" if it was known before the study; empty for none.
        params: the place, as the file has it.
        near: the place of the open trial near which the row was, if it did not say its number; else None.
        value: the result; of several rows taken for one run, their mean.
        count: the number of results.
        cost: what the move costs between the trial's place and the row's; None without ``near``, or if it is not known.
        unit: of ``cost``.
    """

    where: str
    use: str
    number: int
    label: str
    params: Mapping[str, Any]
    near: Mapping[str, Any] | None
    value: float | None
    count: int
    cost: float | None
    unit: str


@frozen(eq=False)
class Preview:
    """The effect of a file on a study; nothing is written before ``apply``.

    Attributes:
        rows: the effect of each row.
        summary: their numbers.
        notes: how the file was read, where that was not plain.
        version: the number of events of the study when it was looked at.
    """

    rows: tuple[PreviewRow, ...]
    summary: Imported
    notes: tuple[str, ...]
    version: int
    _job: "_Job"

    def apply(self, study: Study) -> Imported:
        """Add the rows to the study; a ``Conflict`` if it has changed so that they would do something else."""
        return self._job.commit(study, [(row.use, row.number) for row in self.rows])


def read_results(
    study: Study | Snapshot,
    data: bytes | str | BinaryIO,
    *,
    form: TableFormat | None = None,
    prior: bool = False,
    again: bool = False,
    tolerance: Tolerance = None,
    extra: bool = False,
    average: bool = False,
    request: str | None = None,
) -> Preview:
    """Return the effect of a file of results on a study: CSV as ``export_csv`` writes it, or an .xlsx workbook.

    Only the axes and ``value`` are needed. A row with the number of an open trial gives it its outcome, so a run
    sheet comes back this way; a row that the study has already changes nothing; any other is a new visit and must
    have the next number, or none. While trials are open, a row without a number must be near one of them, whose result
    it is; the place in the file is where it really was. A row without a number that repeats the place, value and
    ``prior`` of a trial was likely imported before: the file is refused. A blank ``value`` needs a ``state``: asked,
    failed or skipped. Of several results taken in a row, ``value`` is the mean, ``count`` their number and
    ``variance``, if known, their sample variance. What was measured besides stands in columns of its names.

    Args:
        study: the study, or a snapshot of it.
        data: the file, or its content.
        form: how it is to be read, as far as it does not say so itself.
        prior: the results were known before the study: they cost no movement and no trial.
        again: add rows without a number even if they repeat a trial: the place was measured again.
        tolerance: how far a row without a number may be from its trial: a travel cost, a share of every axis ("1%"), or
            an amount by axis. None, and for axes not named: half a step, without steps as far as the digits go.
        extra: take rows near no open trial for extra visits.
        average: take several rows near one trial for a run of as many results.
        request: the caller's id of the request to add them; sent again with the same file, it happens once.
    """
    state = study.snapshot().state
    job = _job(state, data, form, prior, again=again, tolerance=tolerance, extra=extra, average=average, base=request)
    _, used, summary = job.decide(state)
    labels = _labels(state, [one.number for one in used if one.use is Use.PRIOR])
    rows = tuple(_preview_row(state, one, labels) for one in used)
    return Preview(rows, summary, job.notes, state.version, job)


def _labels(state: StudyState, known: Iterable[int]) -> dict[int, str]:
    """Return the labels of trials by number; ``known`` are those to be added as known before the study."""
    labels = {trial.number: trial.label for trial in state.trials}
    return labels | {number: f"k{rank}" for rank, number in enumerate(known, sum(one.prior for one in state.trials))}


def _preview_row(state: StudyState, used: Used, labels: Mapping[int, str]) -> PreviewRow:
    row, space, near = used.row, state.spec.space, used.trial
    return PreviewRow(
        where=row.where,
        use=str(used.use),
        number=used.number,
        label="" if used.number < 0 else labels.get(used.number, str(used.number)),
        params=space.params(row.x),
        near=None if near is None else near.params,
        value=row.value,
        count=row.count or 1,
        cost=None if near is None else _cost(state, near.x, row.x),
        unit=state.spec.unit,
    )


def _cost(state: StudyState, there: Values, here: Values) -> float | None:
    try:
        return leg_cost(state, there, here)
    except InvalidInput:  # the travel cost is a function that is not at hand
        return None


def import_csv(
    study: Study,
    text: bytes | str,
    *,
    prior: bool = False,
    again: bool = False,
    dry_run: bool = False,
    request: str | None = None,
    **options: Any,
) -> Imported:
    """Add the rows of a file to a study, all of them or none: as ``read_results`` and ``apply`` do, without a look.

    Args:
        study: the study to add to.
        text: the file.
        prior: the results were known before the study: they cost no movement and no trial.
        again: add rows without a number even if they repeat a trial: the place was measured again.
        dry_run: report only, write nothing.
        request: the caller's id of this request; sent again with the same file, it happens once.
        **options: the others of ``read_results``: ``form``, ``tolerance``, ``extra`` and ``average``.
    """
    form = options.pop("form", None)
    given = {"tolerance": None, "extra": False, "average": False} | options
    state = study.snapshot().state
    job = _job(state, text, form, prior, again=again, base=request, **given)
    return job.decide(state)[2] if dry_run else job.commit(study)


def _job(
    state: StudyState, data: bytes | str | BinaryIO, form: TableFormat | None, prior: bool, **given: Any
) -> "_Job":
    """Return the rows of a file, and how they are to be used."""
    content = data if isinstance(data, bytes | str) else data.read(LARGEST + 1)
    rows, table = read_rows(state.spec, content, form)
    if prior:
        rows = [evolve(row, prior=True, spent=None) for row in rows]
    return _Job(content, rows, table.notes, **given)


@frozen(eq=False, kw_only=True)
class _Job:
    """Rows, how they are to be used, and the id of the request."""

    data: bytes | str = field(kw_only=False)
    rows: Sequence[Row] = field(kw_only=False)
    notes: tuple[str, ...] = field(kw_only=False)
    again: bool
    tolerance: Tolerance
    extra: bool
    average: bool
    base: str = field(converter=as_request)

    @property
    def own(self) -> str:
        """The id of the events; the file is part of it, so that another one under the same request is noticed."""
        data = self.data if isinstance(self.data, bytes) else self.data.encode(errors="surrogatepass")
        return f"{self.base}/{hashlib.sha256(data).hexdigest()[:16]}"

    def decide(self, state: StudyState) -> tuple[list[Event], list[Used], Imported]:
        """Return the events, the use of each row, and how many there are of each kind."""
        own = self.own
        if granted_under(state, self.base, f"{own}/0", "another file or move"):
            used = [Used(row, _use_again(state, row), -1 if row.number is None else row.number) for row in self.rows]
            return [], used, _summary(state, used, [])
        matches = match_rows(state, self.rows, self.tolerance, self.extra, self.average)
        events, used = events_for(state, matches, own, self.again)
        return events, used, _summary(state, used, events)

    def commit(self, study: Study, shown: list[tuple[str, int]] | None = None) -> Imported:
        """Write the events, which must do what was shown, if something was."""
        done = Imported(rows=0)

        def decide(state: StudyState) -> list[Event]:
            nonlocal done
            events, used, done = self.decide(state)
            if events and shown is not None and [(str(one.use), one.number) for one in used] != shown:
                raise Conflict("the study has changed since the file was looked at; look at it again")
            return events

        study.journal.commit(f"{self.own}/0", decide, via="import")
        return done


def _use_again(state: StudyState, row: Row) -> Use:
    """Return the use of a row of a file that was imported before."""
    is_open = row.state in (None, TrialState.ASKED) and row.number in state.out
    return Use.OPEN if is_open else Use.SAME


def _summary(state: StudyState, used: Sequence[Used], events: Sequence[Event]) -> Imported:
    """Return how the rows are used."""
    space, kinds = state.spec.space, Counter(one.use for one in used)
    inserted = [event for event in events if isinstance(event, Inserted)]
    labels = _labels(state, [event.number for event in inserted if event.prior])
    places = ((event.number, space.params(np.array(event.place))) for event in inserted)
    return Imported(
        rows=len(used),
        told=kinds[Use.TOLD],
        failed=kinds[Use.FAILED],
        skipped=kinds[Use.SKIPPED],
        visits=kinds[Use.VISIT],
        prior=kinds[Use.PRIOR],
        open=kinds[Use.OPEN],
        beyond=tuple(
            (labels.get(number, str(number)), said) for number, params in places for said in beyond(space, params)
        ),
    )


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

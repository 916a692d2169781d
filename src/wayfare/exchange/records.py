"""A study as records of plain data: what ``--json`` prints and what the page's API answers.

Every kind of record is made in one place, with the same keys everywhere. Its keys and their types are a ``TypedDict``,
from which the description of the API is made.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, TypeVar, cast

from attrs import asdict

from wayfare.exchange.imports import Imported, Preview, PreviewRow
from wayfare.form import method_name
from wayfare.planning.catalogue import CATALOGUE
from wayfare.record.events import StudySpec, Trial, title_of
from wayfare.record.stamp import Stamp, stamp_form
from wayfare.record.state import StudyState
from wayfare.report.allowance import allowance_of
from wayfare.report.best import Best
from wayfare.report.changes import Changes
from wayfare.report.costs import legs_paid
from wayfare.report.drift import Drift, drift_of
from wayfare.report.importance import Importance
from wayfare.report.ledger import Ledger
from wayfare.report.log import LogEntry
from wayfare.report.predict import COLUMNS, Prediction
from wayfare.report.progress import progress_of
from wayfare.report.reasons import Reasons
from wayfare.report.route_ahead import AtHome, Detour, NewRoute, RouteAhead
from wayfare.surrogate.measured import Measured

FEWEST = 3
"""From how many results on it is said what is still to be gained."""
MOST = 500
"""Beyond so many results the fit would make a look at a study slow; ``wayfare progress`` takes the time."""

Place = dict[str, Any]
"""The values of a place by the names of its axes."""
Kind = TypeVar("Kind")


def _record(kind: type[Kind], thing: object, **more: Any) -> Kind:
    """Return the record of a thing: what is not in ``more`` is its attribute of that name."""
    keys = kind.__annotations__
    return cast(Kind, {key: more[key] if key in more else _plain(getattr(thing, key)) for key in keys})


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, str) else value  # a trial's state is an enumeration of texts


# Trials, and who did what with them when.


class StampRecord(TypedDict):
    """When something was stored, by whom, by which way and by which version."""

    at: str
    by: str
    via: str
    app: str


class TrialRecord(TypedDict):
    """A trial, whatever its state."""

    number: int
    state: str
    params: Place
    leg: float
    unit: str
    value: float | None
    worker: str
    plan: int
    stop: int | None
    predicted: float
    spent: float | None
    asked: Place | None
    why: str
    earlier: list[float | None]
    prior: bool
    label: str
    count: int
    variance: float | None
    home_first: bool
    measured: dict[str, float]
    issued: StampRecord | None
    closed: StampRecord | None
    former: list[str]


def stamp_record(stamp: Stamp) -> StampRecord | None:
    """Return when something was stored, by whom and by which way; None if that is unknown."""
    return cast(StampRecord, stamp_form(stamp)) or None


def trial_record(trial: Trial) -> TrialRecord:
    """Return a trial."""
    return _record(TrialRecord, trial, issued=stamp_record(trial.issued), closed=stamp_record(trial.closed))


# The route ahead, and what an extra place or a new route costs.


class CostRecord(TypedDict):
    """A cost in a further currency."""

    unit: str
    leg: float


class StopRecord(TypedDict):
    """A stop ahead; the next one has ``ahead`` 1."""

    ahead: int
    params: Place
    before: Place | None
    leg: float
    total: float
    unit: str
    count: int
    left: float | None
    home: float | None
    home_first: bool
    expected: float | None
    also: list[CostRecord]
    trip_left: float | None
    within_reach: bool


class WayRecord(TypedDict):
    """A route and its price."""

    cost: float
    stops: list[StopRecord]


class NewRouteRecord(TypedDict):
    """A route planned on request, beside the rest of the one it replaces."""

    before: WayRecord
    after: WayRecord
    unit: str


class DetourCostRecord(TypedDict):
    """A detour in a further currency."""

    unit: str
    detour: float


class DetourRecord(TrialRecord):
    """An extra place as a trial, and what going there costs on top of the route."""

    detour: float
    also: list[DetourCostRecord]


def stop_records(route: RouteAhead) -> list[StopRecord]:
    """Return the stops ahead, the next one being number 1."""
    return [
        _record(
            StopRecord,
            stop,
            ahead=at,
            also=[{"unit": unit, "leg": leg} for unit, leg in stop.also],
            within_reach=at <= route.within_reach,
        )
        for at, stop in enumerate(route.stops, 1)
    ]


def new_route_record(made: NewRoute) -> NewRouteRecord:
    """Return a route planned on request beside the one it replaces, with their prices."""
    before, after = (WayRecord(cost=route.cost, stops=stop_records(route)) for route in (made.dropped, made.route))
    return {"before": before, "after": after, "unit": made.route.unit}


class AtHomeRecord(TypedDict):
    """A way home, and the number of the day or trip that begins there; None if none does."""

    leg: float
    unit: str
    trips: int | None
    stops: list[StopRecord]


def at_home_record(made: AtHome) -> AtHomeRecord:
    """Return a way home that was made, and the stops that are still ahead."""
    return _record(AtHomeRecord, made, stops=stop_records(made.route))


def detour_record(made: Detour) -> DetourRecord:
    """Return an extra place and its price."""
    also: list[DetourCostRecord] = [{"unit": unit, "detour": cost} for unit, cost in made.also]
    return {**trial_record(made.trial), "detour": made.cost, "also": also}


# The study as a whole: what it is, and where it stands.


class DwellRecord(TypedDict):
    """What taking a result costs in a further currency."""

    unit: str
    dwell: float


class MeasuredRecord(TypedDict):
    """A limit on what is measured beside the value."""

    name: str
    at_most: float | None
    at_least: float | None
    unit: str


class SpecRecord(TypedDict):
    """The specification of a study; regions and constraints in words."""

    name: str
    direction: str
    trials: int
    axes: list[str]
    method: str
    seed: int
    unit: str
    budget: float | None
    home: Place | None
    dwell: float
    trip: float | None
    day: float | None
    trip_cost: float
    max_step: float | None
    anchor: Place | str | None
    anchor_every: int | None
    shuffle: float
    stop: dict[str, float] | None
    also: list[DwellRecord]
    measured: list[MeasuredRecord]
    forbidden: list[str]
    constraints: list[str]
    store: str


class KeptRecord(MeasuredRecord):
    """A limit on what is measured, and how many of the told trials keep it, break it or did not measure it."""

    limit: str
    kept: int
    broken: int
    not_measured: int


class DriftRecord(TypedDict):
    """Whether results drift; the numbers are null while too few places were visited again."""

    found: bool
    slope: float | None
    error: float | None
    p: float | None
    change: float | None
    repeats: int
    missing: int
    places: int
    visits: int


class StatusRecord(TypedDict):
    """Where a study stands; ``best`` is the best value observed so far that breaks no limit, as its trial."""

    name: str
    direction: str
    method: str
    trials: int
    told: int
    failed: int
    skipped: int
    out: int
    left: int
    prior: int
    visits: int
    position: Place | None
    moved: float
    ahead: int
    ahead_cost: float
    ahead_results: int
    ahead_expected: float | None
    ahead_shuffled: float | None
    ahead_within_reach: int
    unit: str
    budget: float | None
    budget_left: float | None
    trip_left: float | None
    home: float | None
    home_expected: float | None
    measured: list[KeptRecord]
    drift: DriftRecord
    best: TrialRecord | None
    open: list[TrialRecord]
    last: StampRecord | None
    progress: "ProgressRecord | None"


class LineRecord(TypedDict):
    """A study in a line of a list."""

    name: str
    direction: str
    method: str
    trials: int
    told: int
    out: int
    left: int
    prior: int


def spec_record(spec: StudySpec, store: object) -> SpecRecord:
    """Return the specification of a study; ``store`` is where it is kept."""
    limits, anchor, place = spec.limits, spec.anchor, spec.space.params
    back = None if anchor is None else "best" if anchor.place is None else place(anchor.place)
    return _record(
        SpecRecord,
        spec,
        axes=list(spec.space.names),
        method=method_name(spec.method),
        budget=limits.budget,
        home=None if limits.home is None else place(limits.home),
        **{key: getattr(limits, key) for key in ("dwell", "trip_cost", "max_step")},
        **{key: limits.trip if key == limits.called else None for key in ("trip", "day")},
        anchor=back,
        anchor_every=None if anchor is None else anchor.every,
        stop=None if spec.gain_below is None else {"gain_below": spec.gain_below},
        also=[{"unit": one.unit, "dwell": one.dwell} for one in spec.also],
        measured=[_record(MeasuredRecord, limit) for limit in spec.measured],
        forbidden=[str(region) for region in getattr(spec.space, "forbidden", ())],  # places have none
        constraints=[str(one) for one in getattr(spec.space, "constraints", ())],
        store=str(store),
    )


def status_record(state: StudyState, ahead: RouteAhead, progress: "ProgressRecord | None") -> StatusRecord:
    """Return where a study stands; what is still to be gained takes a fit, so it is worked out before."""
    spec, now, here = state.spec, allowance_of(state), state.position
    told = [state.trials[number] for number in state.results]
    best = best_told(state)
    return _record(
        StatusRecord,
        spec,
        method=method_name(spec.method),
        **counts(state),
        visits=sum(trial.is_visit for trial in state.trials),
        position=None if here is None else spec.space.params(here),
        moved=legs_paid(state),
        ahead=len(ahead),
        **{f"ahead_{key}": getattr(ahead, key) for key in ("cost", "results", "expected")},
        ahead_shuffled=ahead.shuffled if ahead.stops else None,
        ahead_within_reach=ahead.within_reach,
        budget=now.budget,
        budget_left=now.left,
        **{key: getattr(now, key) for key in ("trip_left", "home", "home_expected")},
        measured=[_kept_record(limit, told) for limit in spec.measured],
        drift=drift_record(drift_of(state)),
        best=None if best is None else trial_record(best),
        open=[trial_record(trial) for trial in state.open_trials],
        last=None if state.last is None else stamp_record(state.last.stamp),
        progress=progress,
    )


def best_told(state: StudyState) -> Trial | None:
    """Return the trial with the best value observed so far that breaks no limit; None without one."""
    spec = state.spec
    told = [state.trials[number] for number in state.results]
    told = [trial for trial in told if state.allows(trial)] or told
    sound = [trial for trial in told if not any(limit.is_broken_by(trial.measured) for limit in spec.measured)]
    return max(sound, key=lambda trial: spec.sign * (trial.value or 0.0), default=None)


def _kept_record(limit: Measured, told: Sequence[Trial]) -> KeptRecord:
    """Return a limit on what is measured, and how many of the told trials keep it, break it or did not measure it."""
    found = [trial.measured[limit.name] for trial in told if limit.name in trial.measured]
    kept = sum(map(limit.holds, found))
    said = {"kept": kept, "broken": len(found) - kept, "not_measured": len(told) - len(found)}
    return _record(KeptRecord, limit, limit=str(limit), **said)


def drift_record(drift: Drift) -> DriftRecord:
    """Return whether results drift."""
    return _record(DriftRecord, drift, found=drift.is_found, missing=drift.needed)


def counts(state: StudyState) -> dict[str, int]:
    """Return how many trials are in each state; results known before the study are counted apart.

    A run is as many trials as it has results, here as in the trials that are left.
    """
    counted = dict.fromkeys(["told", "failed", "skipped", "asked", "prior"], 0)
    for trial in state.trials:
        # What was known before the study is told, too, but spent no trial.
        counted["prior" if trial.prior else str(trial.state)] += trial.count
    out, prior = counted.pop("asked"), counted.pop("prior")
    return counted | {"out": out, "left": state.trials_left, "prior": prior}


def line_record(state: StudyState) -> LineRecord:
    """Return a study in short."""
    return _record(LineRecord, state.spec, method=method_name(state.spec.method), **counts(state))


# A file of results, and its effect.


class ImportedRecord(TypedDict):
    """How the rows of a file were used, as numbers of rows."""

    rows: int
    told: int
    failed: int
    skipped: int
    visits: int
    prior: int
    open: int
    same: int


class PreviewRowRecord(TypedDict):
    """The effect of one row of a file; ``near`` is the place of the open trial that it is taken for."""

    where: str
    use: str
    number: int
    label: str
    params: Place
    near: Place | None
    value: float | None
    count: int
    cost: float | None
    unit: str


class PreviewRecord(TypedDict):
    """The effect of a file on a study of ``version`` events."""

    version: int
    notes: list[str]
    summary: ImportedRecord
    beyond: list[str]
    rows: list[PreviewRowRecord]


def imported_record(done: Imported) -> ImportedRecord:
    """Return how the rows of a file were used."""
    return _record(ImportedRecord, done)


def preview_row_record(row: PreviewRow) -> PreviewRowRecord:
    """Return the effect of one row of a file."""
    return _record(PreviewRowRecord, row)


def preview_record(preview: Preview) -> PreviewRecord:
    """Return the effect of a file."""
    return _record(
        PreviewRecord,
        preview,
        summary=imported_record(preview.summary),
        beyond=[f"{title_of(label)}: {said}" for label, said in preview.summary.beyond],
        rows=[preview_row_record(row) for row in preview.rows],
    )


# What all of it adds up to.


class SeenRecord(TypedDict):
    """The best result observed."""

    number: int
    params: Place
    value: float
    count: int


class BestRecord(TypedDict):
    """The best place by posterior mean, beside the best result."""

    number: int
    params: Place
    mean: float
    sd: float
    compliance: float | None
    observed: SeenRecord
    remark: str


class ProgressRecord(TypedDict):
    """The gain that is still possible, and the gain that more trials would bring."""

    gain: float
    expected_gain: float
    found: float
    tolerance: float
    results: int
    lately: int
    repeats: int
    leg: float | None
    affords: int | None
    unit: str
    buys: list[float]
    left: int


class PredictionRecord(TypedDict):
    """The belief at a place."""

    params: Place
    mean: float
    sd: float
    low_95: float
    high_95: float
    success: float
    compliance: float


class AxisImportanceRecord(TypedDict):
    """How much an axis matters."""

    name: str
    share: float
    length: float | None


class AlternativeRecord(TypedDict):
    """Another place that was worth a visit, and the leg there."""

    params: Place
    mean: float
    sd: float
    leg: float


class ReasonsRecord(TypedDict):
    """Why a trial was chosen, by what was known then."""

    title: str
    params: Place
    before: Place | None
    kind: str
    mean: float | None
    sd: float | None
    beats: float | None
    teaches: float | None
    leg: float
    unit: str
    others: list[AlternativeRecord]


class LearnedRecord(TypedDict):
    """The travel cost as learned from the legs told."""

    scale: float
    offset: float
    legs: int
    sd: float


class AccountRecord(TypedDict):
    """The cost of the visits in a further currency; ``remark`` says why it is unknown."""

    unit: str
    paid: float | None
    unordered: float | None
    ordered: float | None
    saved: float | None
    dwell: float | None
    remark: str


class LedgerRecord(TypedDict):
    """How much the movement cost, and what of the limits is left."""

    paid: float
    predicted: float
    unordered: float
    ordered: float
    saved: float
    unit: str
    visits: int
    plans: int
    results: int
    dwell: float
    budget: float | None
    left: float | None
    home: float | None
    home_expected: float | None
    owed: float
    trips: int | None
    trip: float | None
    trip_left: float | None
    shuffled: float | None
    learned: LearnedRecord | None
    also: list[AccountRecord]


class ChangeRecord(TypedDict):
    """One thing that an entry of the log changed."""

    trial: int | None
    field: str
    before: Any
    after: Any


class AllowanceRecord(TypedDict):
    """The rest of budget and trip, and the cost of the way home."""

    budget: float | None
    left: float | None
    trip: float | None
    trip_left: float | None
    home: float | None
    unit: str


class ChangesRecord(TypedDict):
    """The effects of a change of the study, made or tried: ``dropped`` are the stops that leave the route ahead."""

    changes: list[ChangeRecord]
    dropped: list[Place]
    kept: int
    ruled_out: int
    trials_left: int
    before: AllowanceRecord
    after: AllowanceRecord
    dry_run: bool


class LogRecord(TypedDict):
    """An entry of the log."""

    event: int | None
    at: str | None
    by: str | None
    via: str | None
    app: str | None
    what: str
    trial: int | None
    changes: list[ChangeRecord]
    why: str
    request: str


class MethodRecord(TypedDict):
    """A method of the catalogue."""

    name: str
    summary: str
    source: str


def best_record(best: Best) -> BestRecord:
    """Return the best place by posterior mean, beside the best result."""
    seen = {"value": best.observed, "count": best.observed_count}
    observed = {"number": best.observed_trial, "params": dict(best.observed_params), **seen}
    return _record(BestRecord, best, number=best.trial, observed=observed)


def progress_record(state: StudyState, most: int = MOST) -> ProgressRecord | None:
    """Return the gain that is still possible; None if there are too few results, or more than ``most``."""
    if not FEWEST <= len(state.results) <= most:
        return None
    return _record(ProgressRecord, progress_of(state))


def prediction_records(prediction: Prediction) -> list[PredictionRecord]:
    """Return the belief at each place."""
    columns = [getattr(prediction, column).tolist() for column in COLUMNS]
    rows = zip(prediction.params, *columns, strict=True)
    return [
        cast(PredictionRecord, {"params": dict(params), **dict(zip(COLUMNS, row, strict=True))})
        for params, *row in rows
    ]


def importance_records(found: Importance) -> list[AxisImportanceRecord]:
    """Return how much each axis matters."""
    return [_record(AxisImportanceRecord, one) for one in found.axes]


def reasons_record(found: Reasons) -> ReasonsRecord:
    """Return why a trial was chosen."""
    return _record(ReasonsRecord, found, others=[_record(AlternativeRecord, one) for one in found.others])


def ledger_record(ledger: Ledger) -> LedgerRecord:
    """Return how much the movement cost, and what of the limits is left."""
    learned = None if ledger.learned is None else _record(LearnedRecord, ledger.learned)
    return _record(LedgerRecord, ledger, learned=learned, also=[asdict(account) for account in ledger.also])


def changes_record(made: Changes) -> ChangesRecord:
    """Return the effects of a change of the study, with the allowance before and after it."""
    return _record(
        ChangesRecord,
        made,
        changes=[_record(ChangeRecord, one) for one in made.changes],
        dropped=[dict(place) for place in made.dropped],
        before=_record(AllowanceRecord, made.before),
        after=_record(AllowanceRecord, made.after),
    )


def log_record(entry: LogEntry) -> LogRecord:
    """Return an entry of the log."""
    stamp = stamp_record(entry.stamp) or dict.fromkeys(("at", "by", "via", "app"))
    return _record(LogRecord, entry, **stamp, changes=[_record(ChangeRecord, one) for one in entry.changes])


def method_records() -> list[MethodRecord]:
    """Return the methods of the catalogue."""
    return [{"name": name, "summary": entry.summary, "source": entry.source} for name, entry in CATALOGUE.items()]

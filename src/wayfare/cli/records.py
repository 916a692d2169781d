"""The plain data that ``--json`` prints: every kind of record is made in one place, with the same keys everywhere."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict

from wayfare.cli.output import Record
from wayfare.form import method_name
from wayfare.record.events import StudySpec, Trial
from wayfare.record.stamp import Stamp, stamp_form
from wayfare.record.state import StudyState
from wayfare.report.allowance import allowance_of
from wayfare.report.best import Best
from wayfare.report.drift import Drift, drift_of
from wayfare.report.ledger import Ledger
from wayfare.report.predict import COLUMNS, Prediction
from wayfare.report.progress import progress_of
from wayfare.report.route_ahead import NewRoute, RouteAhead
from wayfare.surrogate.measured import Measured

# The keys of a record, each an attribute of the same name.
TRIAL = (
    *("number", "state", "params", "leg", "unit", "value", "worker", "plan", "stop", "predicted", "spent", "asked"),
    *("why", "earlier", "prior", "label", "count", "variance", "home_first", "measured"),
)
STOP = ("params", "before", "leg", "total", "unit", "count", "left", "home", "home_first", "expected")
MEASURED = ("name", "at_most", "at_least", "unit")
LEDGER = (
    *("paid", "predicted", "unordered", "ordered", "saved", "unit", "visits", "plans", "results", "dwell", "budget"),
    *("left", "home", "home_expected", "owed", "trips", "trip", "trip_left", "shuffled"),
)


FEWEST = 3
"""From how many results on it is said what is still to be gained."""
MOST = 500
"""Beyond so many results the fit would make a look at a study slow; ``wayfare progress`` takes the time."""


def _fields(thing: object, keys: tuple[str, ...]) -> Record:
    """Return attributes by their names, as JSON has them."""
    return {key: _plain(getattr(thing, key)) for key in keys}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, str) else value  # a trial's state is an enumeration of texts


def trial_record(trial: Trial) -> Record:
    """Return a trial, whatever its state: the same keys in every command."""
    return {**_fields(trial, TRIAL), "issued": stamp_record(trial.issued), "closed": stamp_record(trial.closed)}


def stamp_record(stamp: Stamp) -> Record | None:
    """Return when something was stored, by whom and by which way; null if that is unknown."""
    return stamp_form(stamp) or None


def stop_records(route: RouteAhead) -> list[Record]:
    """Return the stops ahead, the next one being number 1."""
    return [
        {
            "ahead": at,
            **_fields(stop, STOP),
            "also": [{"unit": unit, "leg": leg} for unit, leg in stop.also],
            "trip_left": stop.trip_left,
            "within_reach": at <= route.within_reach,
        }
        for at, stop in enumerate(route.stops, 1)
    ]


def new_route_record(made: NewRoute) -> Record:
    """Return a route planned on request beside the one it replaces, with their prices."""
    before, after = ({"cost": route.cost, "stops": stop_records(route)} for route in (made.dropped, made.route))
    return {"before": before, "after": after, "unit": made.route.unit}


def spec_record(spec: StudySpec, store: Path) -> Record:
    """Return the specification of a study."""
    limits, anchor, place = spec.limits, spec.anchor, spec.space.params
    back = None if anchor is None else "best" if anchor.place is None else place(anchor.place)
    return {
        **_fields(spec, ("name", "direction", "trials")),
        "axes": list(spec.space.names),
        "method": method_name(spec.method),
        **_fields(spec, ("seed", "unit")),
        "budget": limits.budget,
        "home": None if limits.home is None else place(limits.home),
        **_fields(limits, ("dwell", "trip", "trip_cost", "max_step")),
        "anchor": back,
        "anchor_every": None if anchor is None else anchor.every,
        "shuffle": spec.shuffle,
        "stop": None if spec.gain_below is None else {"gain_below": spec.gain_below},
        "also": [{"unit": one.unit, "dwell": one.dwell} for one in spec.also],
        "measured": [_fields(limit, MEASURED) for limit in spec.measured],
        "forbidden": [str(region) for region in getattr(spec.space, "forbidden", ())],  # places have none
        "constraints": [str(one) for one in getattr(spec.space, "constraints", ())],
        "store": str(store),
    }


def status_record(state: StudyState, ahead: RouteAhead) -> Record:
    """Return where a study stands; ``best`` is the best value observed so far that breaks no limit, as its trial."""
    spec, now, here = state.spec, allowance_of(state), state.position
    told = [state.trials[number] for number in state.results]
    sound = [trial for trial in told if not any(limit.is_broken_by(trial.measured) for limit in spec.measured)]
    best = max(sound, key=lambda trial: spec.sign * (trial.value or 0.0), default=None)
    return {
        **_fields(spec, ("name", "direction")),
        "method": method_name(spec.method),
        "trials": spec.trials,
        **counts(state),
        "visits": sum(trial.is_visit for trial in state.trials),
        "position": None if here is None else spec.space.params(here),
        "moved": float(sum(trial.leg for trial in state.trials if trial.is_visit)),
        "ahead": len(ahead),
        **{f"ahead_{key}": getattr(ahead, key) for key in ("cost", "results", "expected")},
        "ahead_shuffled": ahead.shuffled if ahead.stops else None,
        "ahead_within_reach": ahead.within_reach,
        "unit": spec.unit,
        "budget": now.budget,
        "budget_left": now.left,
        **_fields(now, ("trip_left", "home", "home_expected")),
        "measured": [_limit_record(limit, told) for limit in spec.measured],
        "drift": drift_record(drift_of(state)),
        "best": None if best is None else trial_record(best),
        "open": [trial_record(trial) for trial in state.open_trials],
        "last": None if state.last is None else stamp_record(state.last.stamp),
    }


def _limit_record(limit: Measured, told: Sequence[Trial]) -> Record:
    """Return a limit on what is measured, and how many of the told trials keep it, break it or did not measure it."""
    found = [trial.measured[limit.name] for trial in told if limit.name in trial.measured]
    kept = sum(map(limit.holds, found))
    said = {"kept": kept, "broken": len(found) - kept, "not_measured": len(told) - len(found)}
    return {**_fields(limit, MEASURED), "limit": str(limit), **said}


def drift_record(drift: Drift) -> Record:
    """Return whether results drift; the numbers are null while too few places were visited again."""
    record = _fields(drift, ("slope", "error", "p", "change", "repeats"))
    return {"found": drift.is_found, **record, "missing": drift.needed, "places": drift.places, "visits": drift.visits}


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


def best_record(best: Best) -> Record:
    """Return the best place by posterior mean, beside the best result."""
    seen = {"value": best.observed, "count": best.observed_count}
    return {
        "number": best.trial,
        **_fields(best, ("params", "mean", "sd", "compliance")),
        "observed": {"number": best.observed_trial, "params": dict(best.observed_params), **seen},
    }


def progress_record(state: StudyState, most: int = MOST) -> Record | None:
    """Return what is still to be gained; None before there are results enough to say, or if that would take long."""
    if not FEWEST <= len(state.results) <= most:
        return None
    found = progress_of(state)
    record = _fields(
        found, ("gain", "expected_gain", "found", "tolerance", "results", "lately", "repeats", "leg", "unit")
    )
    return {**record, "buys": list(found.buys), "left": found.left}


def prediction_records(prediction: Prediction) -> list[Record]:
    """Return the belief at each place."""
    columns = [getattr(prediction, column).tolist() for column in COLUMNS]
    return [
        {"params": dict(params), **dict(zip(COLUMNS, row, strict=True))}
        for params, *row in zip(prediction.params, *columns, strict=True)
    ]


def ledger_record(ledger: Ledger) -> Record:
    """Return how much the movement cost, and what of the limits is left."""
    learned = None if ledger.learned is None else _fields(ledger.learned, ("scale", "offset", "legs", "sd"))
    return {**_fields(ledger, LEDGER), "learned": learned, "also": [asdict(account) for account in ledger.also]}

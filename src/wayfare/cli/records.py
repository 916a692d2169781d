"""What ``--json`` prints: the records of a study as plain data, each made in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import asdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wayfare.record.events import StudySpec, Trial
    from wayfare.record.state import StudyState
    from wayfare.report.best import Best
    from wayfare.report.drift import Drift
    from wayfare.report.ledger import Ledger
    from wayfare.report.route_ahead import NewRoute, RouteAhead


Record = dict[str, Any]
LEARNED = ("scale", "offset", "legs", "sd")


def trial_record(trial: Trial) -> Record:
    """Return a trial, whatever its state: the same keys in every command."""
    return {
        "number": trial.number,
        "state": str(trial.state),
        "params": dict(trial.params),
        "leg": trial.leg,
        "unit": trial.unit,
        "value": trial.value,
        "worker": trial.worker,
        "plan": trial.plan,
        "stop": trial.stop,
        "predicted": trial.predicted,
        "spent": trial.spent,
        "asked": None if trial.asked is None else dict(trial.asked),
        "why": trial.why,
        "earlier": list(trial.earlier),
        "prior": trial.prior,
        "count": trial.count,
        "variance": trial.variance,
        "home_first": trial.home_first,
    }


def stop_records(route: RouteAhead) -> list[Record]:
    """Return the stops ahead, the next one being number 1."""
    return [
        {
            "ahead": at,
            "params": dict(stop.params),
            "before": None if stop.before is None else dict(stop.before),
            "leg": stop.leg,
            "total": stop.total,
            "unit": stop.unit,
            "count": stop.count,
            "left": stop.left,
            "home": stop.home,
            "home_first": stop.home_first,
            "expected": stop.expected,
            "also": legs_by_unit(stop.also),
            "trip_left": stop.trip_left,
            "within_reach": at <= route.within_reach,
        }
        for at, stop in enumerate(route.stops, 1)
    ]


def legs_by_unit(also: Sequence[tuple[str, float]]) -> list[Record]:
    """Return a leg in each further currency."""
    return [{"unit": unit, "leg": leg} for unit, leg in also]


def new_route_record(made: NewRoute) -> Record:
    """Return a route planned on request beside the one it replaces, with their prices."""
    return {
        "before": {"cost": made.dropped.cost, "stops": stop_records(made.dropped)},
        "after": {"cost": made.route.cost, "stops": stop_records(made.route)},
        "unit": made.route.unit,
    }


def spec_record(spec: StudySpec, store: Path) -> Record:
    """Return what a study was made of."""
    from wayfare.form import method_name

    return {
        "name": spec.name,
        "direction": spec.direction,
        "trials": spec.trials,
        "axes": list(spec.space.names),
        "method": method_name(spec.method),
        "seed": spec.seed,
        "unit": spec.unit,
        "budget": spec.limits.budget,
        "home": None if spec.limits.home is None else spec.space.params(spec.limits.home),
        "dwell": spec.limits.dwell,
        "trip": spec.limits.trip,
        "trip_cost": spec.limits.trip_cost,
        "max_step": spec.limits.max_step,
        "anchor": anchor_record(spec),
        "anchor_every": None if spec.anchor is None else spec.anchor.every,
        "shuffle": spec.shuffle,
        "also": [{"unit": one.unit, "dwell": one.dwell} for one in spec.also],
        "forbidden": [str(region) for region in getattr(spec.space, "forbidden", ())],
        "store": str(store),
    }


def anchor_record(spec: StudySpec) -> Record | str | None:
    """Return where the traveller goes back to now and then."""
    if spec.anchor is None:
        return None
    return "best" if spec.anchor.place is None else spec.space.params(spec.anchor.place)


def status_record(state: StudyState, ahead: RouteAhead) -> Record:
    """Return where a study stands; ``best`` is the best value observed so far, as its trial."""
    from wayfare.form import method_name
    from wayfare.report.allowance import allowance_of
    from wayfare.report.drift import drift_of

    spec, counted, now = state.spec, counts(state), allowance_of(state)
    told = [state.trials[number] for number in state.results]
    best = max(told, key=lambda trial: spec.sign * (trial.value or 0.0), default=None)
    here = state.position
    return {
        "name": spec.name,
        "direction": spec.direction,
        "method": method_name(spec.method),
        "trials": spec.trials,
        **counted,
        "visits": sum(trial.is_visit for trial in state.trials),
        "position": None if here is None else spec.space.params(here),
        "moved": float(sum(trial.leg for trial in state.trials if trial.is_visit)),
        "ahead": len(ahead),
        "ahead_cost": ahead.cost,
        "ahead_results": ahead.results,
        "ahead_expected": ahead.expected,
        "ahead_shuffled": ahead.shuffled if ahead.stops else None,
        "ahead_within_reach": ahead.within_reach,
        "unit": spec.unit,
        "budget": now.budget,
        "budget_left": now.left,
        "trip_left": now.trip_left,
        "home": now.home,
        "home_expected": now.home_expected,
        "drift": drift_record(drift_of(state)),
        "best": None if best is None else trial_record(best),
        "open": [trial_record(trial) for trial in state.open_trials],
    }


def drift_record(drift: Drift) -> Record:
    """Return whether results drift; the numbers are null while too few places were visited again."""
    return {
        "found": drift.is_found,
        "slope": drift.slope,
        "error": drift.error,
        "p": drift.p,
        "change": drift.change,
        "repeats": drift.repeats,
        "missing": drift.needed,
        "places": drift.places,
        "visits": drift.visits,
    }


def counts(state: StudyState) -> dict[str, int]:
    """Return how many trials are in each state; what was known before is counted by itself.

    A run is as many trials as it has results, here as in what is left.
    """
    counted = dict.fromkeys(["told", "failed", "skipped", "asked", "prior"], 0)
    for trial in state.trials:
        counted["prior" if trial.prior else str(trial.state)] += trial.count
    out, prior = counted.pop("asked"), counted.pop("prior")
    return counted | {"out": out, "left": state.trials_left, "prior": prior}


def best_record(best: Best) -> Record:
    """Return the best place by posterior mean, beside the best result."""
    return {
        "number": best.trial,
        "params": dict(best.params),
        "mean": best.mean,
        "sd": best.sd,
        "observed": {
            "number": best.observed_trial,
            "params": dict(best.observed_params),
            "value": best.observed,
            "count": best.observed_count,
        },
    }


def ledger_record(ledger: Ledger) -> Record:
    """Return what the movement cost."""
    learned = ledger.learned
    return {
        "paid": ledger.paid,
        "predicted": ledger.predicted,
        "unordered": ledger.unordered,
        "ordered": ledger.ordered,
        "saved": ledger.saved,
        "unit": ledger.unit,
        "visits": ledger.visits,
        "plans": ledger.plans,
        "results": ledger.results,
        "dwell": ledger.dwell,
        "budget": ledger.budget,
        "left": ledger.left,
        "home": ledger.home,
        "home_expected": ledger.home_expected,
        "owed": ledger.owed,
        "trips": ledger.trips,
        "trip": ledger.trip,
        "trip_left": ledger.trip_left,
        "shuffled": ledger.shuffled,
        "learned": None if learned is None else {key: getattr(learned, key) for key in LEARNED},
        "also": [asdict(account) for account in ledger.also],
    }

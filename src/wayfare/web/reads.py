"""The routes that only look: studies, cards, results, the log, and reports that need a fit."""

import math
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any

from wayfare._version import __version__
from wayfare.errors import InvalidInput, WayfareError
from wayfare.exchange.records import (
    LedgerRecord,
    PredictionRecord,
    TrialRecord,
    best_record,
    best_told,
    drift_record,
    importance_records,
    ledger_record,
    line_record,
    log_record,
    method_records,
    prediction_records,
    progress_record,
    reasons_record,
    spec_record,
    stamp_record,
    status_record,
    stop_records,
    trial_record,
)
from wayfare.form import write_spec
from wayfare.record.events import Trial, TrialState
from wayfare.record.stamp import Stamp
from wayfare.record.state import StudyState
from wayfare.report.allowance import allowance_of, why_over
from wayfare.report.costs import legs_paid
from wayfare.report.ledger import leg_besides
from wayfare.study.inputs import labelled
from wayfare.web.ground import ground_record
from wayfare.web.records import (
    BestAnswer,
    CardRecord,
    DriftAnswer,
    FormRecord,
    GroundRecord,
    ImportanceRecord,
    LastRecord,
    LogPageRecord,
    MethodsRecord,
    OutRecord,
    ProgressAnswer,
    RouteRecord,
    SessionRecord,
    StudiesRecord,
    StudyRecord,
    TrialsRecord,
    WhyRecord,
)
from wayfare.web.routes import Call, route

MOST_ROWS = 500
"""Rows of a page of a list."""
ORDERS = ("oldest", "newest", "best")
MOST_STOPS, MOST_OUT = 50, 100
"""Stops ahead and trials out on a card; the lists have the others."""


@route("GET", "/session", None)
def session(call: Call) -> SessionRecord:
    """Say who is signed in."""
    return session_record(call)


def session_record(call: Call) -> SessionRecord:
    """Return who is signed in."""
    who = call.person
    ends = Stamp(datetime.fromtimestamp(who.expires, UTC)).time if who.name else None
    return {
        "user": who.name or None,
        "role": who.role(),
        "expires": ends,
        "app": __version__,
        "demo": call.setting.demo,
        "tls": call.setting.tls,
        "xlsx": find_spec("openpyxl") is not None,
    }


@route("GET", "/studies")
def studies(call: Call, *, all: bool = False) -> StudiesRecord:
    """List the studies that the user may read, oldest first; ``all``, the archived ones too."""
    hidden = set(call.desk.archived())
    names = [name for name in call.desk.names() if (all or name not in hidden) and call.person.may("read", name)]
    return {"studies": [_study_record(call, name, name in hidden) for name in names]}


def _study_record(call: Call, name: str, is_archived: bool) -> StudyRecord:
    role = call.person.role(name) or ""
    try:
        state = call.desk.study(name, call.person.name).last.state
        allowance, best = allowance_of(state), best_told(state)
    except WayfareError as error:  # the other studies are still shown
        empty: dict[str, Any] = dict.fromkeys(StudyRecord.__annotations__)
        zeros = dict.fromkeys(("trials", "told", "out", "left", "prior", "version"), 0)
        words = {"direction": "", "method": "", "unit": ""}
        known = {"name": name, "role": role, "archived": is_archived, "paid": 0.0, "error": str(error)}
        return {**empty, **zeros, **words, **known}  # type: ignore[typeddict-item]
    line = line_record(state)
    return {
        **line,
        "role": role,
        "version": state.version,
        "archived": is_archived,
        "best": None if best is None else best.value,
        "paid": legs_paid(state),
        "unit": state.spec.unit,
        "budget": allowance.budget,
        "budget_left": allowance.left,
        "last": _last(state),
        "error": None,
    }


def _last(state: StudyState) -> LastRecord | None:
    if state.last is None:
        return None
    stamp = stamp_record(state.last.stamp)
    at, by, via = (None, None, None) if stamp is None else (stamp["at"], stamp["by"], stamp["via"])
    number: int | None = getattr(state.last, "number", None)
    return {"what": type(state.last).__name__.lower(), "trial": number, "at": at, "by": by, "via": via}


@route("GET", "/methods")
def methods(call: Call) -> MethodsRecord:
    """List the methods."""
    return {"methods": method_records()}


@route("GET", "/studies/{name}")
def card(call: Call) -> CardRecord:
    """Show a study: what it is, where it stands, which trials are out and what is next."""
    state = call.state
    route_ahead = call.now.route()
    status = status_record(state, route_ahead, None)
    shown = state.open_trials[:MOST_OUT]
    status["open"] = status["open"][:MOST_OUT]
    return {
        "version": state.version,
        "role": call.person.role(state.spec.name) or "",
        "user": call.person.name,
        "spec": spec_record(state.spec, call.desk.title),
        "status": status,
        "said": {
            "budget": str(allowance_of(state)),
            "route": "; ".join(filter(None, (route_ahead.in_short, route_ahead.shortfall)))
            if route_ahead.planned
            else "",
        },
        "paid": legs_paid(state),
        "last": _last(state),
        "open": [_out_record(state, trial) for trial in shown],
        "route": stop_records(route_ahead)[:MOST_STOPS],
        "remarks": list(route_ahead.remarks),
        "over": why_over(state) or None,
    }


def _out_record(state: StudyState, trial: Trial) -> OutRecord:
    here = state.origin(trial.number)
    return {
        "trial": trial_record(trial),
        "before": None if here is None else state.spec.space.params(here),
        "also": [{"unit": unit, "leg": leg} for unit, leg in leg_besides(state, trial)],
    }


@route("GET", "/studies/{name}/ground")
def ground(call: Call) -> GroundRecord:
    """Show what the places of a study are: axes, regions, constraints, maps, the table, home."""
    return ground_record(call.state)


@route("GET", "/studies/{name}/form", work="look")
def form(call: Call) -> FormRecord:
    """Show a study as its study file would state it, to change it by."""
    return {"form": write_spec(call.state.spec), "version": call.state.version}


@route("GET", "/studies/{name}/trials")
def trials(
    call: Call, *, from_: int = 0, limit: int = 100, order: str = "oldest", of: str | None = None
) -> TrialsRecord:
    """List trials, a page at a time.

    ``order``: ``oldest`` first, ``newest`` first, or ``best``: the best results first, then what has none. ``of``:
    those alone that are ``told``, ``failed``, ``skipped`` or ``asked`` (out).
    """
    if order not in ORDERS:
        raise InvalidInput(f"order must be one of {', '.join(ORDERS)}, got {order[:80]!r}")
    if of is not None and of not in list(TrialState):
        raise InvalidInput(f"of must be one of {', '.join(TrialState)}, got {of[:80]!r}")
    some = [trial for trial in call.state.trials if of in (None, trial.state)][:: -1 if order == "newest" else 1]
    if order == "best":
        sign = call.state.spec.sign
        some.sort(key=lambda trial: -math.inf if trial.value is None else sign * trial.value, reverse=True)
    return {"trials": [trial_record(trial) for trial in _paged(some, from_, limit)], "from": from_, "total": len(some)}


def _paged(rows: Any, start: int, limit: int) -> Any:
    if start < 0 or not 1 <= limit <= MOST_ROWS:
        raise InvalidInput(f"from must be 0 or more and limit from 1 to {MOST_ROWS}, got {start} and {limit}")
    return rows[start : start + limit]


@route("GET", "/studies/{name}/trials/{number}")
def trial(call: Call, number: str) -> TrialRecord:
    """Show one trial, by its number or label."""
    return trial_record(call.state.trial(number_of(call.state, number)))


def number_of(state: StudyState, text: str) -> int:
    """Return the number of a trial given by its number or its label."""
    if text.isascii() and text.isdigit() and len(text) < 16:
        return int(text)
    return labelled(state, text[:80])


@route("GET", "/studies/{name}/route")
def route_ahead(call: Call, *, from_: int = 0, limit: int = 100) -> RouteRecord:
    """Show the route ahead, a page at a time, with running totals."""
    found = call.now.route()
    return {
        "stops": _paged(stop_records(found), from_, limit),
        "from": from_,
        "planned": found.planned,
        "within_reach": found.within_reach,
        "cost": found.cost,
        "results": found.results,
        "expected": found.expected,
        "unit": found.unit,
        "remarks": list(found.remarks),
    }


@route("GET", "/studies/{name}/log", work="look")
def log(call: Call, *, from_: int = 0, limit: int = 100, newest: bool = True) -> LogPageRecord:
    """Show the log, a page at a time: what was changed, from what to what, why, by whom, when."""
    entries = call.study.log().entries
    found = _paged(entries[::-1] if newest else entries, from_, limit)
    return {"entries": [log_record(entry) for entry in found], "from": from_, "total": len(entries)}


@route("GET", "/studies/{name}/ledger", work="look", is_kept=True)
def ledger(call: Call) -> LedgerRecord:
    """Show what the movement cost, and what ordering it saved."""
    return ledger_record(call.now.ledger())


@route("GET", "/studies/{name}/drift")
def drift(call: Call) -> DriftAnswer:
    """Say whether results change with time."""
    found = call.now.drift()
    return {**drift_record(found), "said": str(found).splitlines()}


# Reports that fit the model, once for each state.


@route("GET", "/studies/{name}/best", work="look", is_kept=True)
def best(call: Call) -> BestAnswer:
    """Show the best place, beside the best result observed."""
    return {**best_record(call.now.best()), "progress": progress_record(call.state)}


@route("GET", "/studies/{name}/progress", work="look", is_kept=True)
def progress(call: Call) -> ProgressAnswer:
    """Say what is still to be gained, and what more trials would buy."""
    said = str(call.now.progress()).splitlines()  # too early, and it says so
    record = progress_record(call.state, len(call.state.results))
    if record is None:
        raise InvalidInput("there are too few results to say what is to be gained; tell more first")
    return {**record, "said": said}


@route("GET", "/studies/{name}/importance", work="look", is_kept=True)
def importance(call: Call) -> ImportanceRecord:
    """Show how much each axis matters."""
    return {"axes": importance_records(call.now.importance())}


@route("GET", "/studies/{name}/why", work="look", is_kept=True)
def why(call: Call, *, trial: int | None = None) -> WhyRecord:
    """Say why a trial was chosen; without a number, the one that is out, else the last."""
    found = call.study.why(trial)
    return {**reasons_record(found), "entries": [[head, said] for head, said in found.entries]}


@route("GET", "/studies/{name}/predict", work="look")
def predict(call: Call, *, place: dict[str, Any]) -> PredictionRecord:
    """Show what is believed at a place."""
    return prediction_records(call.now.predict(place))[0]

"""The routes that change something: moves of a study, new studies, sessions and links.

Each move has the checks and the request id of the library, so that sent again it happens once. No request opens a file
or names code: study files and imports come as text, and whatever they name beyond that is refused.
"""

import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from wayfare import exchange
from wayfare.errors import Conflict, InvalidInput
from wayfare.exchange.imports import beyond
from wayfare.exchange.records import (
    at_home_record,
    changes_record,
    detour_record,
    imported_record,
    new_route_record,
    preview_row_record,
    spec_record,
    stamp_record,
    trial_record,
)
from wayfare.exchange.table import TableFormat
from wayfare.form import read_spec, read_study_text, write_spec
from wayfare.form.keys import check_depth
from wayfare.record.events import StudySpec, Trial, title_of
from wayfare.record.stamp import Stamp
from wayfare.record.state import StudyState
from wayfare.report.allowance import home_too_far
from wayfare.report.drift import drift_of, fixed_anchor
from wayfare.report.progress import nothing_left
from wayfare.store import MemoryStore, archive, rename
from wayfare.store.address import kept_store
from wayfare.study.explain import explain
from wayfare.study.journal import Journal
from wayfare.study.study import Study
from wayfare.web.qr import picture
from wayfare.web.reads import number_of
from wayfare.web.records import (
    AmendBody,
    ArchiveBody,
    AskBody,
    AskRecord,
    ChangeAnswer,
    ChangeBody,
    FailBody,
    GoHomeBody,
    GoHomeRecord,
    ImportBody,
    ImportRecord,
    InsertBody,
    InsertRecord,
    LinkBody,
    LinkRecord,
    MoveRecord,
    NameBody,
    NamedRecord,
    NewStudyBody,
    NewStudyRecord,
    ReplanBody,
    ReplanRecord,
    SkipBody,
    TellBody,
)
from wayfare.web.routes import LARGE, Call, route
from wayfare.web.users import DAY, LINK_DAYS

MOST_ASKED = 100
"""Stops handed out by one request."""
LONGEST_LEASE = 366 * DAY
"""Seconds after which a trial of another worker may be taken over, at most."""
MOST_LINES = 100_000
"""Lines of a file of results, which take ten seconds."""
MOST_NOTES, MOST_SHOWN = 5, 500
"""Remarks on places outside their bounds, and rows of a preview, that an answer has."""
TABLE = ("columns", "ignore", "delimiter", "decimal", "encoding", "sheet")


@route("POST", "/link", "own")
def link(call: Call, body: LinkBody) -> LinkRecord:
    """Make a one-time link for a further device, of oneself or of another user."""
    me, wanted = call.person, body.get("user", call.person.name)
    mine = wanted == me.name and wanted not in call.users.everyone()
    token = call.users.link(wanted, owner=mine)
    url = call.setting.link(token)
    expires = datetime.now(UTC).timestamp() + LINK_DAYS * DAY
    return {"url": url, "expires": Stamp(datetime.fromtimestamp(expires, UTC)).time, "qr": picture(url)}


@route("POST", "/studies", "own", work="plan", status=201, most=LARGE)
def new_study(call: Call, body: NewStudyBody) -> NewStudyRecord:
    """Begin a study from a study file or from an export; ``dry_run``, only say what was understood."""
    given = [key for key in ("toml", "form", "archive") if key in body]
    if len(given) != 1:
        raise InvalidInput("give one of toml, form and archive")
    is_dry = body.get("dry_run", False)
    if "archive" in body:
        name = body.get("name")
        if name is None:
            raise InvalidInput("name is missing: what is the study to be called here?")
        check_name(name)
        store = MemoryStore() if is_dry else call.desk.store
        if is_dry and name in call.desk.names():
            raise InvalidInput(f"a study named {name!r} exists already; choose another name")
        made = exchange.import_json(store, body["archive"], name, by=call.person.name)
        return _new(call, made.spec, [["study", name], ["events", str(made.last.state.version)]], is_dry)
    form = body["form"] if "form" in body else read_study_text(body["toml"], "toml")
    check_depth(form)
    spec = read_spec(form if "name" not in body else {**form, "name": body["name"]})
    check_name(spec.name)
    if is_dry:
        return _new(call, spec, [[head, said] for head, said in explain(spec).entries], True)
    try:
        Journal.create(call.desk.store, spec, by=call.person.name, via="web")
    except Conflict:  # sent again, because the answer was lost, it is begun once
        there = call.desk.study(spec.name).last.state
        if there.version or write_spec(there.spec) != write_spec(spec):
            raise
    return _new(call, spec, [], False)


def _new(call: Call, spec: StudySpec, explained: list[list[str]], dry_run: bool) -> NewStudyRecord:
    return {"study": spec_record(spec, call.desk.title), "explained": explained, "dry_run": dry_run}


def check_name(name: str) -> None:
    """Refuse a name that a command line would take for an option, or a browser for a path."""
    if name.startswith("-") or name in (".", ".."):
        raise InvalidInput(f"name: {name!r} reads like an option or a path; choose another")


# Moves.


@route("POST", "/studies/{name}/ask", "operate", work="plan")
def ask(call: Call, body: AskBody) -> AskRecord:
    """Hand out the next stop, or several; a route is planned if none is ahead."""
    study, given = call.study, dict[str, Any](body)
    if (n := given.get("n")) is not None and n != "day" and n > MOST_ASKED:
        raise InvalidInput(f"n must be at most {MOST_ASKED}, got {n}")
    if (seconds := given.get("take_over")) is not None:
        if not 0 <= seconds <= LONGEST_LEASE:
            raise InvalidInput(f"take_over must be from 0 to {LONGEST_LEASE:.0f} seconds, got {seconds:g}")
        given["take_over"] = timedelta(seconds=seconds)
    found = study.ask(**given)
    trials = found if isinstance(found, list) else [] if found is None else [found]
    now = study.last.state
    return {
        "trials": [trial_record(trial) for trial in trials],
        "version": now.version,
        "said": None if trials else nothing_left(now),
        "notes": _drifting(now),
    }


def _drifting(state: StudyState) -> list[str]:
    """Return a line on a drift, if the study looks for one."""
    if fixed_anchor(state.spec) is None or not (found := drift_of(state)).is_found:
        return []
    return [str(found)]


@route("POST", "/studies/{name}/trials/{number}/tell", "operate")
def tell(call: Call, number: str, body: TellBody) -> MoveRecord:
    """Record what was found at a trial."""
    return _record(call, Study.tell, number, dict(body))


@route("POST", "/studies/{name}/trials/{number}/fail", "operate")
def fail(call: Call, number: str, body: FailBody) -> MoveRecord:
    """Record that a trial was visited, but has no value."""
    return _record(call, Study.fail, number, dict(body))


@route("POST", "/studies/{name}/trials/{number}/skip", "operate")
def skip(call: Call, number: str, body: SkipBody) -> MoveRecord:
    """Record that a trial was not visited."""
    return _record(call, Study.skip, number, dict(body))


@route("POST", "/studies/{name}/trials/{number}/amend", "operate")
def amend(call: Call, number: str, body: AmendBody) -> MoveRecord:
    """Correct a trial, by its number or label: its value, what was measured, its place, its cost."""
    return _record(call, Study.amend, number, dict(body))


def _record(call: Call, move: Callable[..., Trial], number: str, given: dict[str, Any]) -> MoveRecord:
    study = call.study
    at = number_of(study.last.state, number)
    _check_issued(study.last.state.trial(at), given.pop("issued", None))
    # What a move takes as a plain argument, it need not be given at all: null stands for that.
    given = {key: value for key, value in given.items() if value is not None}
    made = move(study, at, **given)
    now = study.last.state
    notes = [f"{made.title}: {said}" for said in beyond(now.spec.space, made.params)] if "actual" in given else []
    return {"trial": trial_record(made), "version": now.version, "notes": [*notes, *filter(None, [home_too_far(now)])]}


def _check_issued(trial: Trial, issued: str | None) -> None:
    """Refuse an outcome that a page kept of another study of this name, or of one before a backup was restored."""
    stamp = stamp_record(trial.issued)
    if issued is not None and stamp is not None and stamp["at"] != issued:
        raise Conflict(
            f"{trial.title} was handed out at {stamp['at']}, not at {issued}: another trial is meant; look again"
        )


@route("POST", "/studies/{name}/insert", "operate")
def insert(call: Call, body: InsertBody) -> InsertRecord:
    """Go to an extra place now; ``dry_run``, only say what it would cost."""
    given: dict[str, Any] = dict(body)
    made = call.study.insert(given.pop("place"), **given)
    version = call.study.last.state.version
    return {**detour_record(made), "dry_run": body.get("dry_run", False), "version": version}


@route("POST", "/studies/{name}/replan", "operate", work="plan")
def replan(call: Call, body: ReplanBody) -> ReplanRecord:
    """Drop the rest of the route and plan a new one, from ``position`` if that is given."""
    study = call.study
    made = study.replan(**body)
    now, notes = study.last.state, list[str]()
    if body.get("position") is not None and now.position is not None:
        notes = [f"position: {said}" for said in beyond(now.spec.space, now.spec.space.params(now.position))]
    return {**new_route_record(made), "version": now.version, "notes": notes}


@route("POST", "/studies/{name}/go-home", "operate")
def go_home(call: Call, body: GoHomeBody) -> GoHomeRecord:
    """Go home now: the way there is paid, and the next day or trip begins; the rest of the route stays."""
    study = call.study
    made = study.go_home(**body)
    return {**at_home_record(made), "version": study.last.state.version}


@route("POST", "/studies/{name}/rename", "own")
def rename_study(call: Call, body: NameBody) -> NamedRecord:
    """Give a study another name."""
    check_name(body["name"])
    old, store = call.state.spec.name, kept_store(call.desk.store)
    rename(store, old, body["name"], why=body.get("why", ""), by=call.person.name, via="web")
    return {"name": body["name"], "archived": body["name"] in call.desk.archived()}


@route("POST", "/studies/{name}/archive", "own")
def archive_study(call: Call, body: ArchiveBody) -> NamedRecord:
    """Leave a study out of lists, or list it again; it is kept and still works."""
    name, store = call.state.spec.name, kept_store(call.desk.store)
    if (name in call.desk.archived()) is not body["archived"]:
        archive(store, name, undo=not body["archived"], why=body.get("why", ""), by=call.person.name, via="web")
    return {"name": name, "archived": body["archived"]}


@route("POST", "/studies/{name}/change", "own", work="plan", most=LARGE)
def change(call: Call, body: ChangeBody) -> ChangeAnswer:
    """Change the study under way: bounds, limits, costs, method; ``dry_run``, only say what would change."""
    given: dict[str, Any] = dict(body)
    form, text = given.pop("form", None), given.pop("toml", None)
    if (form is None) == (text is None):
        raise InvalidInput("give one of form and toml")
    form = read_study_text(text, "toml") if form is None else form
    check_depth(form)
    made = call.study.change_by_form(form, **given)
    entries = [[head, said] for head, said in made.entries]
    return {**changes_record(made), "entries": entries, "version": call.study.last.state.version}


@route("POST", "/studies/{name}/import", "operate", work="plan", most=LARGE)
def import_rows(call: Call, body: ImportBody) -> ImportRecord:
    """Add the rows of a file: all of them, or none; ``dry_run``, only say what would happen, row by row."""
    given: dict[str, Any] = dict(body)
    form = TableFormat(**{key: given.pop(key) for key in TABLE if key in given})
    is_dry, seen, data = given.pop("dry_run", False), given.pop("version", None), _file(given)
    study, request = call.study, given.get("request")
    is_again = request is not None and any(one.startswith(f"{request}/") for one in call.state.requests)
    if seen not in (None, call.state.version) and not is_again:
        raise Conflict("the study has changed since the file was looked at; look at it again")
    preview = exchange.read_results(study.last, data, form=form, **given)
    done = preview.summary if is_dry else preview.apply(study)
    notes = [*preview.notes, *(f"{title_of(label)}: {said}" for label, said in done.beyond[:MOST_NOTES])]
    if (more := len(done.beyond) - MOST_NOTES) > 0:
        notes.append(f"{more} more values are outside their bounds")
    return {
        **imported_record(done),
        "dry_run": is_dry,
        "version": study.last.state.version,
        "said": str(done),
        "notes": notes,
        "preview": [preview_row_record(row) for row in preview.rows[:MOST_SHOWN]] if is_dry else [],
    }


def _file(given: dict[str, Any]) -> bytes | str:
    """Take the content of a file out of a request."""
    text, data = given.pop("text", None), given.pop("data", None)
    if (text is None) == (data is None):
        raise InvalidInput("give one of text and data")
    try:
        found: str | bytes = str(text) if data is None else base64.b64decode(data, validate=True)
    except ValueError as error:
        raise InvalidInput("data is not base64") from error
    lines = max(found.count("\n"), found.count("\r")) if isinstance(found, str) else max(map(found.count, b"\n\r"))
    if lines > MOST_LINES:
        raise InvalidInput(f"the file has more than {MOST_LINES:,} lines; `wayfare import` takes longer ones")
    return found

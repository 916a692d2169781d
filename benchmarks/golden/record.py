"""Record a scripted study: each move, each preview, and in the end what every command prints.

What people read stands under the keys ``text`` and ``notes``, tables and waypoints under ``data``,
all else as plain data with every digit. Requests that the library makes up, versions and the folder are
replaced, for they differ from run to run.
"""

import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

import wayfare as wf
from wayfare.cli import main

from .names import command_options, keywords, study_file, with_new_names

Doc = dict[str, Any]
TRIAL = (
    "number",
    "leg",
    "unit",
    "worker",
    "plan",
    "stop",
    "predicted",
    "value",
    "spent",
    "why",
    "earlier",
    "prior",
    "count",
    "variance",
    "home_first",
    "is_visit",
)
STOP = ("leg", "total", "count", "left", "home", "home_first", "expected", "also", "trip_left")
LEDGER = (
    "paid",
    "predicted",
    "unordered",
    "ordered",
    "saved",
    "unit",
    "visits",
    "plans",
    "results",
    "dwell",
    "budget",
    "left",
    "home",
    "home_expected",
    "owed",
    "trips",
    "trip",
    "trip_left",
    "shuffled",
    "basis",
    "allowance",
)
ACCOUNT = ("unit", "paid", "unordered", "ordered", "saved", "dwell", "remark")
LEARNED = ("scale", "offset", "legs", "sd", "unit")
DRIFT = ("slope", "error", "p", "repeats", "places", "visits", "needed", "is_found", "change")
BEST = ("trial", "params", "mean", "sd", "observed_trial", "observed_params", "observed", "observed_count")
SHOWN = ("status", "trials", "plan", "ledger", "best", "drift")
"""Commands that only show a study; each also prints JSON."""
WAYPOINTS = (
    ("gpx",),
    ("gpx", "--visited"),
    ("geojson",),
    ("geojson", "--visited"),
    ("qgc", "--vehicle", "boat"),
    ("qgc", "--vehicle", "copter", "--alt", "40", "--takeoff", "--return-home"),
)
MADE_UP = re.compile(r"\b[0-9a-f]{32}\b")


def plain(value: Any) -> Any:
    """Return a value as plain data that JSON writes with every digit."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value)


def fields(thing: object, names: Sequence[str]) -> Doc:
    """Return some attributes of a public record."""
    return {name: plain(getattr(thing, name)) for name in names}


def trial_doc(trial: wf.Trial | None) -> Doc | None:
    """Return all that a trial says."""
    if trial is None:
        return None
    doc = fields(trial, TRIAL)
    return doc | {
        "params": plain(trial.params),
        "asked": plain(trial.asked),
        "state": str(trial.state),
        "x": plain(trial.x),
    }


def route_doc(route: Any) -> Doc:
    """Return a route ahead: numbers of each stop, and what it says."""
    stops = [[*plain(list(stop.params.values())), *fields(stop, STOP).values()] for stop in route.stops]
    return fields(route, ("within_reach", "shuffled", "overspent", "cost", "expected", "results")) | {
        "stops": stops,
        "text": str(route),
    }


def ledger_doc(ledger: wf.Ledger) -> Doc:
    """Return all that a ledger says."""
    return fields(ledger, LEDGER) | {
        "learned": None if ledger.learned is None else fields(ledger.learned, LEARNED),
        "also": [fields(account, ACCOUNT) | {"text": str(account)} for account in ledger.also],
        "text": str(ledger),
    }


class Log:
    """What happens in one scripted study, kept in a file of its own.

    Every move gives its own ``request``, so that the store holds nothing made up.
    """

    def __init__(self, name: str, folder: Path) -> None:
        """Begin with nothing; ``folder`` holds the files the script makes."""
        self.name = name
        self.folder = folder
        self.store = folder / f"{name}.db"
        self.steps: list[Doc] = []
        self.requests = 0
        self.study: wf.Study | None = None
        self.supplied: dict[str, Any] = {}

    @property
    def on(self) -> wf.Study:
        """The study under way."""
        if self.study is None:
            raise RuntimeError(f"{self.name}: no study was begun")
        return self.study

    def text(self, said: str) -> str:
        """Return text without what differs from run to run."""
        said = said.replace(str(self.folder), "FOLDER")
        return MADE_UP.sub("MADE-UP", re.sub(r'"version": ?"[^"]*"', '"version": "VERSION"', said))

    def request(self) -> str:
        """Return a new id of a request."""
        self.requests += 1
        return f"r{self.requests}"

    def did(self, move: str, call: Callable[[], Any], show: Callable[[Any], Any], **given: Any) -> Any:
        """Make a move and note what it gave, warned of or refused."""
        step: Doc = {"move": move, "given": plain(given)}
        result = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = call()
                step["result"] = show(result)
            except wf.WayfareError as error:
                step["refused"] = {"kind": type(error).__name__, "text": self.text(str(error))}
        if caught:
            step["warned"] = [{"kind": one.category.__name__, "text": self.text(str(one.message))} for one in caught]
        self.steps.append(step)
        return result

    def begin(self, space: Any, **options: Any) -> wf.Study:
        """Create the study, with options by their new names."""
        stated: dict[str, Any] = {"direction": "maximize", "store": self.store, "name": self.name} | options
        made = self.did("create", lambda: wf.Study.create(space, **keywords(stated)), repr)
        self.study = made
        return self.on

    def reopen(self, **supplied: Any) -> None:
        """Open the study again from its file."""
        self.supplied = self.supplied | supplied
        store: Any = self.store
        self.study = self.did("open", lambda: wf.Study.open(store, self.name, **self.supplied), repr)

    def preview(self) -> None:
        """Note the route ahead and the ledger."""
        self.did("route", self.on.route, route_doc)
        self.steps.append({"move": "ledger", "result": {"text": str(self.on.ledger())}})

    def ask(self, worker: str = "", **options: Any) -> wf.Trial | None:
        """Note the route ahead, then ask."""
        self.preview()
        request = self.request()
        asked: wf.Trial | None = self.did(
            "ask", lambda: self.on.ask(worker, request=request, **options), trial_doc, **options
        )
        return asked

    def move(self, name: str, *arguments: Any, **options: Any) -> Any:
        """Tell, fail, skip or amend; arguments are those of the study's method."""
        request = self.request()
        call = getattr(self.on, name)
        said = [one.number if isinstance(one, wf.Trial) else one for one in arguments]
        return self.did(name, lambda: call(*arguments, request=request, **options), trial_doc, of=said, **options)

    def insert(self, place: object, **options: Any) -> Any:
        """Insert an extra place."""
        request = self.request()

        def show(detour: Any) -> Doc:
            found = fields(detour, ("cost", "unit", "also"))
            return found | {"trial": trial_doc(detour.trial), "text": str(detour)}

        return self.did("insert", lambda: self.on.insert(place, request=request, **options), show, at=place, **options)

    def replan(self, position: object | None = None, **options: Any) -> Any:
        """Plan anew."""
        request = self.request()

        def show(made: Any) -> Doc:
            return {"route": route_doc(made.route), "dropped": route_doc(made.dropped), "text": str(made)}

        return self.did("replan", lambda: self.on.replan(position, request=request, **options), show, at=position)

    def note(self, name: str, value: Any, text: str = "") -> None:
        """Note anything else."""
        self.steps.append({"move": name, "result": plain(value), "text": self.text(text)})

    def file(self, name: str, text: str) -> str:
        """Write a file beside the store and return its path; keys of a study file by their new names."""
        path = self.folder / name
        path.write_text(study_file(text) if name.endswith(".toml") else text, encoding="utf-8")
        return str(path)

    def command(self, *arguments: str, store: Path | None = None, typed: str | None = None) -> Doc:
        """Run a command and return its exit code and what it printed."""
        runner, said = CliRunner(), list(arguments)
        if any(one in ("--home", "--dwell") for one in said):
            said = command_options(said, runner.invoke(main, [said[0], "--help"]).stdout)
        kept = {"WAYFARE_STORE": str(store or self.store), "COLUMNS": "100", "NO_COLOR": "1"}
        result = runner.invoke(main, said, env=kept, input=typed)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        doc: Doc = {"exit": result.exit_code}
        printed = self.text(result.stdout)
        is_file = "--format" in said and "html" not in said and result.exit_code == 0
        if "--json" in said and result.exit_code == 0:
            doc["json"] = [with_new_names(json.loads(line)) for line in printed.splitlines()]
        else:
            doc["data" if is_file else "text"] = printed
        return doc | {"notes": self.text(result.stderr)}

    def run(self, *arguments: str, typed: str | None = None) -> Doc:
        """Run a command as a step of the script."""
        if arguments[0] in ("ask", "tell", "fail", "skip", "insert", "amend", "replan", "import"):
            arguments = (*arguments, "--request", self.request())
        doc = self.command(*arguments, typed=typed)
        said = [one.replace(str(self.folder), "FOLDER") for one in arguments]
        self.steps.append({"move": "command", "given": said, "result": doc})
        return doc

    def finish(self) -> Doc:
        """Return the whole recording: the steps, the study in the end, and what every command says of it."""
        doc: Doc = {"study": self.name, "steps": self.steps}
        if not self.store.exists():
            return doc
        store: Any = self.store
        self.study = wf.Study.open(store, self.name, **self.supplied)
        doc["end"] = self.state_doc()
        doc["commands"] = self.commands_doc()
        doc["copy"] = self.copy_doc()
        return doc

    def state_doc(self) -> Doc:
        """Return what the study in its file says, opened again."""
        study = self.on
        doc: Doc = {
            "trials": [trial_doc(trial) for trial in study.trials],
            "ledger": ledger_doc(study.ledger()),
            "route": route_doc(study.route()),
            "drift": fields(study.drift(), DRIFT) | {"text": str(study.drift())},
        }
        learned = study.learned()
        doc["learned"] = None if learned is None else fields(learned, LEARNED) | {"text": str(learned)}
        try:
            best = study.best()
            doc["best"] = fields(best, BEST) | {"text": str(best)}
        except wf.TooEarly as error:
            doc["best"] = {"text": str(error)}
        doc["frame"] = study.to_dataframe().to_csv(index=False)
        return doc

    def commands_doc(self) -> Doc:
        """Return what the commands print that only show a study."""
        doc: Doc = {}
        for command in SHOWN:
            doc[command] = self.command(command, self.name)
            doc[f"{command} --json"] = self.command(command, self.name, "--json")
        doc["list"] = self.command("list")
        doc["verify"] = self.command("verify")
        doc["csv"] = self.command("export", self.name, "--format", "csv")
        doc["export"] = self.export_doc(self.command("export", self.name, "--format", "json"))
        return doc

    def export_doc(self, printed: Doc) -> Doc:
        """Return an export as plain data, so that only what it says counts, not how it is spaced."""
        if printed["exit"] != 0:
            return printed
        return printed | {"json": with_new_names(json.loads(printed["data"])), "data": ""}

    def copy_doc(self) -> Doc:
        """Return what becomes of a copy: stops handed out on a sheet, waypoints, an import of the export."""
        copy, name = self.folder / f"{self.name}-copy.db", self.name
        copy.unlink(missing_ok=True)
        doc: Doc = {"backup": self.command("backup", str(copy))}
        doc["sheet"] = self.command("sheet", name, "--take", "3", "--format", "csv", store=copy)
        doc["page"] = self.command("sheet", name, "--format", "html", "--no-picture", store=copy)
        page = self.command("sheet", name, "--format", "html", store=copy)
        doc["picture"] = {"exit": page["exit"], "text": sha256(page["text"].encode()).hexdigest()}
        if {"lat", "lon"} <= set(self.on.to_dataframe().columns):
            for kind, *more in WAYPOINTS:
                words = " ".join(["waypoints", kind, *more])
                doc[words] = self.command("waypoints", name, "--format", kind, *more, store=copy)
        doc["status"] = self.command("status", name, "--json", store=copy)
        whole = self.folder / f"{name}.json"
        whole.unlink(missing_ok=True)
        doc["written"] = self.command("export", name, "--out", str(whole))
        again = self.folder / f"{name}-again.db"
        again.unlink(missing_ok=True)
        doc["import"] = self.command("import", name, str(whole), store=again)
        doc["imported"] = self.command("ledger", name, store=again)
        return doc


def record(name: str, script: Callable[[Log], None], folder: Path) -> Doc:
    """Run one script in an empty folder and return its recording as JSON would give it back."""
    log = Log(name, folder)
    script(log)
    doc: Doc = json.loads(json.dumps(log.finish()))
    return doc

"""A server for assistants at the bench, by the Model Context Protocol: ``wayfare mcp lab.db``, over stdin and stdout.

It opens no port and sends nothing anywhere. A move is rehearsed on a copy in memory unless ``dry_run`` is false, and
every move is kept with who made it, like any other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wayfare._core.extras import install
from wayfare._version import __version__
from wayfare.errors import InvalidInput, WayfareError
from wayfare.exchange.records import (
    detour_record,
    line_record,
    prediction_records,
    progress_record,
    status_record,
    stop_records,
    trial_record,
)
from wayfare.record.events import Trial
from wayfare.store import MemoryStore, Store, as_store
from wayfare.study import Study

try:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations
except ImportError as error:
    raise InvalidInput(f"wayfare mcp needs the package mcp: {install('mcp', 'mcp')}") from error

__all__ = ["make_server"]

INSTRUCTIONS = """\
wayfare plans experiments where moving between them costs time or money. A study hands out trials (places to go to) \
along a short route; `ask` for the next, `tell` what was found. Read with `studies`, `status`, `plan`, `predict` and \
`price`. `ask` and `tell` are rehearsals unless dry_run is false: tell the user what a rehearsal showed, and repeat it \
with dry_run=false only once the user agrees. Never make up a result: tell only numbers that the user measured."""

MOST_PLACES = 1_000
"""Places that one call may ask about."""


def make_server(store: Store | str | Path, by: str | None = None) -> Any:
    """Return the server of a store; ``run()`` serves until the input ends.

    Args:
        store: where the studies are.
        by: who makes the moves, kept with each; None: the user of this process.
    """
    kept = as_store(store)
    server = MCPServer("wayfare", instructions=INSTRUCTIONS, version=__version__)
    desk = Desk(kept, by)
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    moves = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
    tools: list[Callable[..., Any]] = [
        desk.studies,
        desk.status,
        desk.plan,
        desk.predict,
        desk.price,
        desk.ask,
        desk.tell,
    ]
    for tool in tools:
        server.tool(annotations=moves if tool in (desk.ask, desk.tell) else reads)(_refusing(tool))
    return server


def _refusing(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return a tool whose refusals reach the assistant in our words."""

    @functools.wraps(tool)
    def called(*arguments: Any, **options: Any) -> Any:
        try:
            return tool(*arguments, **options)
        except WayfareError as error:
            raise ToolError(str(error)) from error

    return called


class Desk:
    """The tools of the server, each on the studies of a store. Their docstrings are what an assistant reads."""

    def __init__(self, store: Store, by: str | None) -> None:
        """Serve a store; ``by`` is who makes the moves."""
        self._store, self._by = store, by

    def studies(self) -> list[dict[str, Any]]:
        """List the studies of the store, oldest first, with how far each has come."""
        return [dict(line_record(self._opened(name).last.state)) for name in self._store.names()]

    def status(self, study: str) -> dict[str, Any]:
        """Say how far a study has come, where the traveller stands, what is out, and the best result so far."""
        now = self._opened(study).last
        return dict(status_record(now.state, now.route(), progress_record(now.state)))

    def plan(self, study: str) -> dict[str, Any]:
        """Show the route ahead, stop by stop with the cost of each leg; no stops if the next ask plans a new route."""
        route = self._opened(study).last.route()
        return {"stops": list(stop_records(route)), "cost": route.cost, "unit": route.unit, "summary": route.in_short}

    def predict(self, study: str, places: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Say what is believed of the result at places: mean, sd and 95% interval.

        Args:
            study: its name.
            places: each a value for every axis, by name.
        """
        if len(places) > MOST_PLACES:
            raise InvalidInput(f"places: {len(places)} at once; {MOST_PLACES} at most")
        return [dict(one) for one in prediction_records(self._opened(study).last.predict(places))]

    def price(self, study: str, place: dict[str, Any]) -> dict[str, Any]:
        """Say what going to an extra place now would cost: the leg, and the detour from the route. Nothing is written.

        Args:
            study: its name.
            place: a value for every axis, by name.
        """
        return dict(detour_record(self._opened(study).insert(place, dry_run=True)))

    def ask(self, study: str, worker: str = "", dry_run: bool = True, request: str | None = None) -> dict[str, Any]:
        """Say where to go next. With dry_run=false the trial is handed out, and is out until it is told.

        Args:
            study: its name.
            worker: who goes, if there are several.
            dry_run: only rehearse it; the real one hands out the same place if nothing happens in between.
            request: an id of this request; sent again, it happens once.
        """
        trial = self._at(study, dry_run).ask(worker, request=request)
        if trial is None:
            return {"dry_run": dry_run, "trial": None, "why": "no trials are left, or no budget, trip or step for more"}
        return {"dry_run": dry_run, "trial": _record(trial)}

    def tell(
        self,
        study: str,
        trial: int,
        value: float | None = None,
        failed: bool = False,
        why: str = "",
        measured: dict[str, float] | None = None,
        actual: dict[str, Any] | None = None,
        spent: float | None = None,
        dry_run: bool = True,
        request: str | None = None,
    ) -> dict[str, Any]:
        """Record what was measured at a trial that is out, or that it failed. With dry_run=false it is written.

        Args:
            study: its name.
            trial: its number.
            value: what was measured; left out if it failed.
            failed: the place was visited, but there is no value.
            why: a remark, or the reason of the failure.
            measured: what else was measured, by name.
            actual: the axes that were not set as asked, by name.
            spent: what getting there really cost, in the study's unit.
            dry_run: only rehearse it.
            request: an id of this request; sent again, it happens once.
        """
        if failed == (value is not None):
            raise InvalidInput("give a value, or failed=true")
        own = self._at(study, dry_run)
        if value is None:
            done = own.fail(trial, why, actual=actual, spent=spent, request=request)
        else:
            more: dict[str, Any] = {"actual": actual, "spent": spent, "why": why, "request": request}
            done = own.tell(trial, value, measured=measured, **more)
        return {"dry_run": dry_run, "trial": _record(done)}

    def _opened(self, name: str) -> Study:
        return Study.open(self._store, name, by=self._by, via="plug")

    def _at(self, name: str, dry_run: bool) -> Study:
        """Return the study, or for a rehearsal a copy of it in memory."""
        if not dry_run:
            return self._opened(name)
        form, events = self._store.read(name)
        rehearsal = MemoryStore()
        rehearsal.create(name, form, events)
        return Study.open(rehearsal, name, by=self._by, via="plug")


def _record(trial: Trial) -> dict[str, Any]:
    return dict(trial_record(trial))

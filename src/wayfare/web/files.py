"""The routes that give a study as a file: run sheets, tables, the whole study, waypoints."""

from collections.abc import Callable, Mapping

from attrs import frozen

from wayfare import exchange
from wayfare.exchange.navigation import legible
from wayfare.web.guard import Problem
from wayfare.web.routes import Bytes, Call, route

SHEET_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
"""Of a page that is made to be printed: it has its style and its picture in it, and no script."""


@frozen
class Kind:
    """A kind of file: its type, and how it is made."""

    media: str
    make: Callable[[Call], str]


KINDS: Mapping[str, Kind] = {
    "sheet.html": Kind("text/html", lambda call: exchange.run_sheet(call.now)),
    "sheet.csv": Kind("text/csv", lambda call: exchange.sheet_csv(call.now)),
    "trials.csv": Kind("text/csv", lambda call: exchange.export_csv(call.now, stamps=True)),
    "study.json": Kind("application/json", lambda call: exchange.export_json(call.study)),
    "log.csv": Kind("text/csv", lambda call: exchange.log_csv(call.study.log())),
    "route.gpx": Kind("application/gpx+xml", lambda call: exchange.export_gpx(call.now)),
    "route.geojson": Kind("application/geo+json", lambda call: exchange.export_geojson(call.now)),
    "route.plan": Kind("application/json", lambda call: exchange.export_qgc(call.now)),
}


@route("GET", "/studies/{name}/files/{kind}", work="plan")
def file(call: Call, kind: str) -> Bytes:
    """Give the study as a file: a run sheet, a table of trials, the log, the whole study, the route as waypoints."""
    if kind not in KINDS:
        raise Problem(404, "not-found", f"there is no file {kind[:80]!r}; there are {', '.join(KINDS)}")
    one = KINDS[kind]
    text = one.make(call)
    if kind == "sheet.html":
        return Bytes(text.encode(), "text/html; charset=utf-8", policy=SHEET_POLICY)
    return Bytes(text.encode(errors="replace"), f"{one.media}; charset=utf-8", file=f"{_safe(call)}-{kind}")


def _safe(call: Call) -> str:
    """Return the name of the study as the beginning of a file name."""
    name = "".join(one if one.isalnum() or one in "-_. " else "_" for one in legible(call.state.spec.name))
    return name.strip(" .")[:80] or "study"

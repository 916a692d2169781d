"""The routes that give a study as a file: run sheets, tables, the whole study, waypoints."""

from collections.abc import Mapping

from wayfare import exchange
from wayfare._core.parse import PLAIN, read_number
from wayfare.exchange.navigation import legible
from wayfare.web.guard import Problem
from wayfare.web.routes import Bytes, Call, route

SHEET_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
"""Of a page that is made to be printed: it has its style and its picture in it, and no script."""

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MEDIA: Mapping[str, str] = {
    "sheet.html": "text/html",
    "sheet.csv": "text/csv",
    "sheet.xlsx": XLSX,
    "trials.csv": "text/csv",
    "trials.xlsx": XLSX,
    "study.json": "application/json",
    "log.csv": "text/csv",
    "route.gpx": "application/gpx+xml",
    "route.geojson": "application/geo+json",
    "route.plan": "application/json",
}
"""The kinds of files, and their types."""


def _made(call: Call, kind: str, alt: float | str | None, visited: bool) -> str | bytes:
    now = call.now
    match kind:
        case "sheet.html":
            return exchange.run_sheet(now)
        case "sheet.csv":
            return exchange.sheet_csv(now)
        case "sheet.xlsx":
            return exchange.sheet_xlsx(now)
        case "trials.xlsx":
            return exchange.export_xlsx(now)
        case "trials.csv":
            return exchange.export_csv(now, stamps=True)
        case "study.json":
            return exchange.export_json(call.study)
        case "log.csv":
            return exchange.log_csv(call.study.log())
        case "route.gpx":
            return exchange.export_gpx(now, alt=alt, visited=visited)
        case "route.geojson":
            return exchange.export_geojson(now, alt=alt, visited=visited)
    return exchange.export_qgc(now, alt=alt)


@route("GET", "/studies/{name}/files/{kind}", work="look")
def file(call: Call, kind: str, *, alt: str | None = None, visited: bool = False) -> Bytes:
    """Give the study as a file: a run sheet, a table of trials, the log, the whole study, the route as waypoints.

    Of waypoints, ``alt`` is the axis of the altitude, or one in metres for all, and ``visited`` adds the visits made.
    """
    if kind not in MEDIA:
        raise Problem(404, "not-found", f"there is no file {kind[:80]!r}; there are {', '.join(MEDIA)}")
    high = read_number(alt, "alt") if alt is not None and PLAIN.fullmatch(alt) else alt
    made = _made(call, kind, high, visited)
    if isinstance(made, bytes):
        return Bytes(made, MEDIA[kind], file=f"{_safe(call)}-{kind}")
    content, media = made.encode(errors="replace"), f"{MEDIA[kind]}; charset=utf-8"
    if kind == "sheet.html":
        return Bytes(content, media, policy=SHEET_POLICY)
    return Bytes(content, media, file=f"{_safe(call)}-{kind}")


def _safe(call: Call) -> str:
    """Return the name of the study as the beginning of a file name."""
    name = "".join(one if one.isalnum() or one in "-_. " else "_" for one in legible(call.state.spec.name))
    return name.strip(" .")[:80] or "study"

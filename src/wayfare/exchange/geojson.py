"""``export_geojson``: the route ahead for a map.

After RFC 7946: a position is [longitude, latitude] or [longitude, latitude, altitude], in degrees and metres
of WGS 84, and a LineString has two positions or more.
"""

import json
from itertools import accumulate
from typing import Any

from wayfare import frame
from wayfare.exchange.degrees import Position
from wayfare.exchange.waypoint import Waypoint, Waypoints
from wayfare.exchange.waypoints import waypoints_of
from wayfare.study import Study

KEYS = ("stop", "trial", "state", "value", "leg", "total", "unit")


def export_geojson(
    study: Study,
    *,
    lat: str | None = None,
    lon: str | None = None,
    alt: str | float | None = None,
    visited: bool = False,
) -> str:
    """Return the trials that are out and the stops ahead as points, and the line to follow through them.

    The line has the turns of the way between, as around an island; where there are some on the way to the
    first stop, or only the way home is left, it begins where the traveller stands.

    A point's properties are ``stop``, counted from 1, ``trial``, ``state``, ``value``, ``leg``, ``total``,
    ``unit`` and all axes; an axis called like one of the others gets ``axis:`` in front. Visits home between
    trips have the state "home", and so has the last point, where the study has an end; they are no stops,
    neither by number nor among the ``stops`` of the line. The line is not cut where it crosses the 180th
    meridian. What the options mean stands at ``waypoints_of``; altitudes are
    metres above sea level.
    """
    way = waypoints_of(study, lat=lat, lon=lon, alt=alt, visited=visited)
    numbers = accumulate(int(not stop.is_home) for stop in way.all)
    features = [
        feature("Point", coordinates(stop.position), properties(number, stop))
        for number, stop in zip(numbers, way.all, strict=True)
    ]
    line = [coordinates(position) for position in line_of(way)]
    if len(line) > 1:
        stops = sum(not stop.is_home for stop in way.all)
        said = {"study": way.study, "stops": stops, "cost": way.all[-1].total, "unit": way.unit}
        features.append(feature("LineString", line, said))
    lines = ",\n".join(json.dumps(one, ensure_ascii=False, allow_nan=False) for one in features)
    return f'{{"type": "FeatureCollection", "features": [\n{lines}\n]}}\n'


def line_of(way: Waypoints) -> list[Position]:
    """Return the positions to follow, turns included."""
    line = [position for stop in way.all for position in (*stop.via, stop.position)]
    from_here = bool(way.all[0].via) or not way.stops
    return [way.start, *line] if way.start is not None and from_here else line


def feature(kind: str, where: list[Any], said: dict[str, Any]) -> dict[str, Any]:
    """Return one feature."""
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": where}, "properties": said}


def coordinates(position: Position) -> list[float]:
    """Return a position, east first."""
    up = [] if position.alt is None else [position.alt]
    return [position.lon, position.lat, *up]


def properties(number: int, stop: Waypoint) -> dict[str, Any]:
    """Return what is known of a stop, flat, as maps show it; home has no number, no trial and no value."""
    trial = None if stop.is_home else stop.trial
    known = (
        None if stop.is_home else number,
        None if trial is None else trial.number,
        stop.state,
        None if trial is None else trial.value,
        stop.leg,
        stop.total,
        stop.unit,
    )
    axes = {frame.column_of(axis, KEYS): value for axis, value in stop.params.items()}
    return dict(zip(KEYS, known, strict=True)) | axes

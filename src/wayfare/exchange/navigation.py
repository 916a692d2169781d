"""The route ahead for the field: GPX for a GPS receiver, GeoJSON for a map, a plan for QGroundControl.

All three are written from the same waypoints, so that they agree on stops, turns and visits home.
"""

import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from decimal import Decimal
from itertools import accumulate
from typing import Any, Literal, TypeAlias

from wayfare._core import checks
from wayfare._core.arrays import Values
from wayfare._core.format import counted, with_unit
from wayfare.errors import InvalidInput
from wayfare.exchange.waypoints import Altitude, AxisName, Position, Waypoint, Waypoints, nothing_ahead, waypoints_of
from wayfare.record.events import StudySpec
from wayfare.report import dataframe
from wayfare.report.allowance import why_over
from wayfare.study.study import Snapshot, Study
from wayfare.travel import Haversine, TravelCost, leaves
from wayfare.travel.haversine import TIMES

# GPX, after the schema of GPX 1.1 (https://www.topografix.com/GPX/1/1/gpx.xsd): waypoints come before routes, a
# point's elevation before its name and its name before its description, degrees are WGS 84 and plain decimals.

NAMESPACE = "http://www.topografix.com/GPX/1/1"


def export_gpx(
    study: Study | Snapshot, *, lat: AxisName = None, lon: AxisName = None, alt: Altitude = None, visited: bool = False
) -> str:
    """Return the trials that are out and the stops ahead as a GPX route.

    Turns between two stops, as around an island, are points of the route, of the type "turn": a receiver steers from
    one point of a route to the next, and only shows a track. If the study has a home, the route ends there, at
    "home"; once no stop is left, it is the return home alone.

    Args:
        study: the study to export.
        lat: the axis of the latitudes in degrees; None: the one called lat or latitude.
        lon: the axis of the longitudes in degrees; None: the one called lon, lng, long or longitude.
        alt: the axis of the altitudes in metres above sea level, or one altitude for all; None: none.
        visited: add the visits with their outcome, as waypoints beside the route, which is not guided there again.
    """
    way = waypoints_of(study, lat=lat, lon=lon, alt=alt, visited=visited)
    root = ET.Element("gpx", {"version": "1.1", "creator": "wayfare", "xmlns": NAMESPACE})
    for stop in way.stops:
        if not stop.is_ahead:
            _add_point(root, "wpt", stop.position, name=stop.name, desc=stop.description)
    ahead = [stop for stop in way.all if stop.is_ahead]
    if ahead:
        stops = sum(not stop.is_home for stop in ahead)
        parts = [*([counted(stops, "stop")] if stops else []), *(["home"] if way.last else [])]
        route = ET.SubElement(root, "rte")
        ET.SubElement(route, "name").text = legible(way.study)
        cost = with_unit(sum(stop.leg for stop in ahead), way.unit)
        ET.SubElement(route, "desc").text = legible(f"{' and '.join(parts)}, {cost}")
        for stop in ahead:
            for at, position in enumerate(stop.via, 1):
                _add_point(route, "rtept", position, name=f"turn {at} to {stop.name}", type="turn")
            _add_point(route, "rtept", stop.position, name=stop.name, desc=stop.description)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _add_point(parent: ET.Element, tag: str, position: Position, **texts: str) -> None:
    point = ET.SubElement(parent, tag, {"lat": decimal(position.lat), "lon": decimal(position.lon)})
    up = {} if position.alt is None else {"ele": decimal(position.alt)}
    for kind, text in (up | texts).items():
        ET.SubElement(point, kind).text = legible(text)


def decimal(number: float) -> str:
    """Return a number in full without an exponent, which the schema does not allow."""
    return format(Decimal(repr(number)), "f")


UNSAFE = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}
"""Unicode's control and formatting characters, half and unassigned characters, and line separators."""
JOINERS = "\u200c\u200d"
"""Formatting characters without which some scripts and emoji are misspelt."""
REPLACEMENT = "\ufffd"


def legible(text: str) -> str:
    """Return the text on one line, safe in XML and HTML; the replacement character stands for any that is not."""
    spaced = re.sub("[\t\n\r]", " ", text)
    return "".join(
        REPLACEMENT if unicodedata.category(sign) in UNSAFE and sign not in JOINERS else sign for sign in spaced
    )


# GeoJSON, after RFC 7946: a position is [longitude, latitude] or [longitude, latitude, altitude], in degrees and
# metres of WGS 84, and a LineString has two positions or more.

KEYS = ("stop", "trial", "state", "value", "leg", "total", "unit")


def export_geojson(
    study: Study | Snapshot, *, lat: AxisName = None, lon: AxisName = None, alt: Altitude = None, visited: bool = False
) -> str:
    """Return the trials that are out and the stops ahead as points, and the line to follow through them.

    The line includes the turns between stops, as around an island. It begins where the traveller stands if there are
    turns before the first stop, or only the return home is left; it is not cut where it crosses the 180th meridian.

    A point's properties are ``stop``, counted from 1, ``trial``, ``state``, ``value``, ``leg``, ``total``, ``unit``
    and all axes; an axis called like one of the others gets ``axis:`` in front. Visits home, between trips and at the
    end, have the state "home"; they have no number and are not among the ``stops`` of the line.

    Args:
        study: the study to export.
        lat: the axis of the latitudes in degrees; None: the one called lat or latitude.
        lon: the axis of the longitudes in degrees; None: the one called lon, lng, long or longitude.
        alt: the axis of the altitudes in metres above sea level, or one altitude for all; None: none.
        visited: put the visits that have their outcome before them.
    """
    way = waypoints_of(study, lat=lat, lon=lon, alt=alt, visited=visited)
    numbers = list(accumulate(int(not stop.is_home) for stop in way.all))
    features = [
        _feature("Point", _coordinates(stop.position), _properties(number, stop))
        for number, stop in zip(numbers, way.all, strict=True)
    ]
    line = [position for stop in way.all for position in (*stop.via, stop.position)]
    if way.start is not None and (way.all[0].via or not way.stops):
        line = [way.start, *line]
    if len(line) > 1:
        said = {"study": way.study, "stops": numbers[-1], "cost": way.all[-1].total, "unit": way.unit}
        features.append(_feature("LineString", list(map(_coordinates, line)), said))
    lines = ",\n".join(json.dumps(one, ensure_ascii=False, allow_nan=False) for one in features)
    return f'{{"type": "FeatureCollection", "features": [\n{lines}\n]}}\n'


def _feature(kind: str, where: list[Any], said: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": where}, "properties": said}


def _coordinates(position: Position) -> list[float]:
    return [position.lon, position.lat, *([] if position.alt is None else [position.alt])]


def _properties(number: int, stop: Waypoint) -> dict[str, Any]:
    """Return the properties of a stop, flat, as maps show them; home has no number, no trial and no value."""
    trial = None if stop.is_home else stop.trial
    visit = (None if stop.is_home else number, trial and trial.number, stop.state, trial and trial.value)
    known = dict(zip(KEYS, (*visit, stop.leg, stop.total, stop.unit), strict=True))
    return known | {dataframe.column_of(axis, KEYS): value for axis, value in stop.params.items()}


# QGroundControl, after its developers' guide, "Plan File Format" (docs.qgroundcontrol.com), with MAVLink's numbers
# for commands, frames and vehicles (mavlink.io).

Vehicle: TypeAlias = Literal["copter", "plane", "rover", "boat"]
VEHICLES: dict[Vehicle, int] = {"copter": 2, "plane": 1, "rover": 10, "boat": 11}
ON_THE_GROUND: tuple[Vehicle, ...] = ("rover", "boat")
WAYPOINT, RETURN, TAKEOFF = 16, 20, 22
"""Commands."""
ABOVE_HOME, NO_PLACE = 3, 2
"""Frames: altitudes in metres above home, and a command that is not about a place."""
PX4 = 12
SPEEDS = {"cruiseSpeed": 15, "hoverSpeed": 5}
"""Metres a second if the travel cost has no speed; QGroundControl estimates the time with them."""


def export_qgc(
    study: Study | Snapshot,
    *,
    lat: AxisName = None,
    lon: AxisName = None,
    alt: Altitude = None,
    vehicle: Vehicle = "copter",
    takeoff: bool = False,
    return_home: bool | None = None,
) -> str:
    """Return the trials that are out and the stops ahead as a plan of waypoints for QGroundControl.

    A plan is one trip: in a study with trips it ends before the next visit home, which needs a new battery. Turns
    between stops, as around an island, are waypoints. A copter holds at each stop for as long as its results take, if
    ``dwell`` is a time: in a study whose unit is s, min or h. The vehicle's speed is that of the study's
    ``Haversine``. Once no stop is left, the plan is the return home alone.

    Args:
        study: the study to export.
        lat: the axis of the latitudes in degrees; None: the one called lat or latitude.
        lon: the axis of the longitudes in degrees; None: the one called lon, lng, long or longitude.
        alt: metres above home, or the axis that has them; required for copter and plane.
        vehicle: "copter", "plane", "rover" or "boat".
        takeoff: begin with a takeoff to the altitude of the first stop; for the return home, from the position.
        return_home: end with the return home; None: if the study has a home. It is the return to where the vehicle was
            launched, or, if the study's home is elsewhere, a last waypoint there.
    """
    if vehicle not in VEHICLES:
        raise InvalidInput(f"vehicle: there is no {vehicle!r}; {checks.nearest(vehicle, VEHICLES, 'vehicles')}")
    if alt is None and vehicle not in ON_THE_GROUND:
        raise InvalidInput("alt: say how high to fly, in metres above home, or by which axis (--alt)")
    if takeoff and vehicle in ON_THE_GROUND:
        raise InvalidInput(f"takeoff: a {vehicle} does not fly; leave it out")
    way = waypoints_of(study, lat=lat, lon=lon, alt=0.0 if alt is None else alt)
    state = way.chart.state
    stops, to_home = this_trip(way.stops), goes_home(state.spec, return_home)
    if not stops and not to_home:
        raise nothing_ahead(state, why_over(state))
    first = (*stops, *way.all)[0].position
    launch = first if way.launch is None else way.chart.position(way.launch, "the position")
    items = []
    if takeoff:
        ground = launch if stops or way.start is None else way.start
        items.append(_move(TAKEOFF, Position(ground.lat, ground.lon, first.alt)))
    # Seconds that one result takes; 0 if the unit of the study is no time.
    hold = state.spec.limits.dwell * TIMES.get(state.spec.unit, 0.0) if vehicle == "copter" else 0.0
    for stop in stops:
        items += [*(_move(WAYPOINT, at) for at in stop.via), _move(WAYPOINT, stop.position, hold * stop.count)]
    if to_home:
        items += _return(way, stops[-1].x if stops else state.position)
    kind = {"version": 2, "firmwareType": PX4, "vehicleType": VEHICLES[vehicle], **_speeds(state.spec.travel)}
    where = {"globalPlanAltitudeMode": 1, "plannedHomePosition": [launch.lat, launch.lon, 0]}
    simple = {"type": "SimpleItem", "autoContinue": True}
    mission = {**kind, **where, "items": [{**simple, "doJumpId": at, **item} for at, item in enumerate(items, 1)]}
    plan = {"fileType": "Plan", "version": 1, "groundStation": "QGroundControl", "mission": mission}
    nothing = {"geoFence": {"version": 2, "circles": [], "polygons": []}, "rallyPoints": {"version": 2, "points": []}}
    return json.dumps(plan | nothing, indent=2, allow_nan=False) + "\n"


def this_trip(stops: Sequence[Waypoint]) -> Sequence[Waypoint]:
    """Return the stops up to the first visit home, or, if that comes first, those after it."""
    stops = stops[1:] if stops and stops[0].is_home else stops
    return stops[: next((at for at, stop in enumerate(stops) if stop.is_home), len(stops))]


def goes_home(spec: StudySpec, return_home: bool | None) -> bool:
    """Return whether a plan ends at home: as requested, else if the study has a home."""
    return spec.limits.home is not None if return_home is None else return_home


def _speeds(travel: TravelCost) -> dict[str, float]:
    """Return the speed of the travel cost as QGroundControl's, or its own defaults without a single one."""
    speeds = {part.speed for part in leaves(travel) if isinstance(part, Haversine) and part.speed is not None}
    return dict.fromkeys(SPEEDS, speeds.pop()) if len(speeds) == 1 else dict(SPEEDS)


def _return(way: Waypoints, last: Values | None) -> list[dict[str, Any]]:
    """Return the commands that go home from the last place, around obstacles.

    MAVLink's return is a straight line to where the vehicle was launched. If home is elsewhere, a waypoint is the
    last command instead.
    """
    back = {"command": RETURN, "frame": NO_PLACE, "params": [0] * 7}
    home, launch = way.chart.state.spec.limits.home, way.launch
    target = launch if home is None else home
    if target is None:
        return [back]
    turns = [_move(WAYPOINT, at) for at in way.chart.turns(last, target, "home")]
    end = way.chart.position(target, "home")
    begun = end if launch is None else way.chart.position(launch, "the position")
    is_there = (end.lat, end.lon) == (begun.lat, begun.lon)
    return [*turns, back if is_there else _move(WAYPOINT, end)]


def _move(command: int, position: Position, hold: float = 0) -> dict[str, Any]:
    """Return a command that goes to a place, with the vehicle's own radius and heading, and holds there (seconds)."""
    altitude = {"AltitudeMode": 1, "Altitude": position.alt, "AMSLAltAboveTerrain": None}
    params = [hold or 0, 0, 0, None, position.lat, position.lon, position.alt]
    return {"command": command, "frame": ABOVE_HOME, **altitude, "params": params}

"""``export_gpx``: the route ahead for a GPS receiver.

After the GPX 1.1 schema, https://www.topografix.com/GPX/1/1/gpx.xsd: waypoints come before routes, a
point's elevation before its name and its name before its description, degrees are WGS 84 and plain decimals.
"""

import json
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import accumulate
from typing import Any, Literal, TypeAlias

from wayfare._core import checks
from wayfare._core.arrays import Values
from wayfare._core.format import counted, with_unit
from wayfare.errors import InvalidInput
from wayfare.exchange.waypoints import Position, Waypoint, Waypoints, nothing_ahead, waypoints_of
from wayfare.record.events import StudySpec
from wayfare.report import dataframe
from wayfare.report.allowance import why_over
from wayfare.study.study import Snapshot, Study
from wayfare.travel import Haversine, Parallel, Scaled, Serial, TravelCost
from wayfare.travel.haversine import TIMES

# ``export_geojson``: the route ahead for a map.
#
# After RFC 7946: a position is [longitude, latitude] or [longitude, latitude, altitude], in degrees and
# metres of WGS 84, and a LineString has two positions or more.


KEYS = ("stop", "trial", "state", "value", "leg", "total", "unit")


def export_geojson(
    study: Study | Snapshot,
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
    axes = {dataframe.column_of(axis, KEYS): value for axis, value in stop.params.items()}
    return dict(zip(KEYS, known, strict=True)) | axes


# ``export_qgc``: the route ahead as a plan for QGroundControl, which flies, drives or steers it.
#
# After its developers' guide, "Plan File Format" (docs.qgroundcontrol.com), and MAVLink's numbers for commands,
# frames and vehicles (mavlink.io): 16 is a waypoint, 22 the takeoff, 20 the return; altitudes of frame 3 are
# metres above home.


Vehicle: TypeAlias = Literal["copter", "plane", "rover", "boat"]
VEHICLES: dict[Vehicle, int] = {"copter": 2, "plane": 1, "rover": 10, "boat": 11}
ON_THE_GROUND: tuple[Vehicle, ...] = ("rover", "boat")
WAYPOINT, RETURN, TAKEOFF = 16, 20, 22
ABOVE_HOME, IN_NO_PLACE = 3, 2
"""Frames: altitudes above home, and a command that is not about a place."""
PX4 = 12
SPEEDS = {"cruiseSpeed": 15, "hoverSpeed": 5}
"""Metres a second, where the travel cost has none; QGroundControl foretells the time with them."""


def export_qgc(
    study: Study | Snapshot,
    *,
    lat: str | None = None,
    lon: str | None = None,
    alt: str | float | None = None,
    vehicle: Vehicle = "copter",
    takeoff: bool = False,
    return_home: bool | None = None,
) -> str:
    """Return the trials that are out and the stops ahead as a plan of waypoints.

    Where the traveller goes home between trips, only the trip under way: a new one needs a new battery. Where
    the way to a stop turns, as around an island, its turns are waypoints. A copter holds at each stop for as
    long as its results take, if ``dwell`` is a time: in a study whose unit is s, min or h. The speed of a
    ``Haversine`` is that of the vehicle. Once no stop is left, the plan is the way home alone.

    Args:
        study: whose.
        lat: the axis of the latitudes, as at ``waypoints_of``; ``lon`` likewise.
        lon: the axis of the longitudes.
        alt: metres above home, or the axis that has them. What flies must be told; rover and boat need none.
        vehicle: "copter", "plane", "rover" or "boat".
        takeoff: begin with a takeoff to the altitude of the first stop; to go home, from where one stands.
        return_home: end with the way home; None: if the study has an end. It is the return to where the
            vehicle was launched, or, where the study ends elsewhere, a last waypoint there.
    """
    if vehicle not in VEHICLES:
        raise InvalidInput(f"vehicle: there is no {vehicle!r}; {checks.nearest(vehicle, VEHICLES, 'vehicles')}")
    if alt is None and vehicle not in ON_THE_GROUND:
        raise InvalidInput("alt: say how high to fly, in metres above home, or by which axis (--alt)")
    if takeoff and vehicle in ON_THE_GROUND:
        raise InvalidInput(f"takeoff: a {vehicle} does not fly; leave it out")
    way = waypoints_of(study, lat=lat, lon=lon, alt=0.0 if alt is None else alt)
    stops, to_home = this_trip(way.stops), goes_home(study.spec, return_home)
    if not stops and not to_home:
        raise nothing_ahead(study.state, why_over(study.state))
    first = (*stops, *way.all)[0].position
    launch = first if way.launch is None else way.chart.position(way.launch, "the position")
    hold = hold_of(study.spec) if vehicle == "copter" else 0.0
    items = [item for stop in stops for item in moves_to(stop, hold)]
    if takeoff:
        ground = launch if stops or way.start is None else way.start
        items.insert(0, move(TAKEOFF, Position(ground.lat, ground.lon, first.alt)))
    if to_home:
        items += way_back(way, stops[-1].x if stops else study.state.position)
    mission = {
        "version": 2,
        "firmwareType": PX4,
        "vehicleType": VEHICLES[vehicle],
        **speeds_of(study.spec.travel),
        "globalPlanAltitudeMode": 1,
        "plannedHomePosition": [launch.lat, launch.lon, 0],
        "items": [
            {"type": "SimpleItem", "autoContinue": True, "doJumpId": at, **item} for at, item in enumerate(items, 1)
        ],
    }
    plan = {
        "fileType": "Plan",
        "version": 1,
        "groundStation": "QGroundControl",
        "mission": mission,
        "geoFence": {"version": 2, "circles": [], "polygons": []},
        "rallyPoints": {"version": 2, "points": []},
    }
    return json.dumps(plan, indent=2, allow_nan=False) + "\n"


def this_trip(stops: Sequence[Waypoint]) -> Sequence[Waypoint]:
    """Return the stops up to the first visit home, or, where that comes first, those after it."""
    homes = [at for at, stop in enumerate(stops) if stop.is_home]
    if homes and homes[0] == 0:
        stops, homes = stops[1:], [at - 1 for at in homes[1:]]
    return stops[: homes[0]] if homes else stops


def goes_home(spec: StudySpec, said: bool | None) -> bool:
    """Return whether a plan ends at home: as was said, else where the study does."""
    return spec.limits.home is not None if said is None else said


def hold_of(spec: StudySpec) -> float:
    """Return how many seconds a result takes; 0 where what it costs is no time."""
    return spec.limits.dwell * TIMES.get(spec.unit, 0.0)


def speeds_of(travel: TravelCost) -> dict[str, float]:
    """Return the speed that the travel cost counts with as QGroundControl's, or what it would assume."""
    speeds = set(speeds_in(travel))
    return dict.fromkeys(SPEEDS, speeds.pop()) if len(speeds) == 1 else dict(SPEEDS)


def speeds_in(travel: TravelCost) -> Iterator[float]:
    """Yield the speeds of all parts of a travel cost that go over the earth."""
    if isinstance(travel, Haversine) and travel.speed is not None:
        yield travel.speed
    elif isinstance(travel, Scaled):
        yield from speeds_in(travel.cost)
    elif isinstance(travel, Serial | Parallel):
        for part in travel.parts:
            yield from speeds_in(part)


def moves_to(stop: Waypoint, hold: float) -> list[dict[str, Any]]:
    """Return the commands that go to a stop, turns first, and hold there for so long a result."""
    return [*(move(WAYPOINT, at) for at in stop.via), move(WAYPOINT, stop.position, hold * stop.count)]


def way_back(way: Waypoints, last: Values | None) -> list[dict[str, Any]]:
    """Return the commands that go home from the last place, around what is in the way.

    The return is a straight line to where the vehicle was launched. Where home is elsewhere, a waypoint is
    the last command instead.
    """
    back = {"command": RETURN, "frame": IN_NO_PLACE, "params": [0] * 7}
    end, launch = way.chart.state.spec.limits.home, way.launch
    target = launch if end is None else end
    if target is None:
        return [back]
    turns = [move(WAYPOINT, at) for at in way.chart.turns(last, target, "home")]
    home = way.chart.position(target, "home")
    begun = home if launch is None else way.chart.position(launch, "the position")
    is_there = (home.lat, home.lon) == (begun.lat, begun.lon)
    return [*turns, back if is_there else move(WAYPOINT, home)]


def move(command: int, position: Position, hold: float = 0) -> dict[str, Any]:
    """Return a command that goes to a place: the vehicle's own radius, the heading left to it."""
    return {
        "command": command,
        "frame": ABOVE_HOME,
        "AltitudeMode": 1,
        "Altitude": position.alt,
        "AMSLAltAboveTerrain": None,
        "params": [hold or 0, 0, 0, None, position.lat, position.lon, position.alt],
    }


# Text that a user wrote, made fit for XML and HTML: no character that breaks, hides or turns a page.


UNSAFE = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}
"""Control characters, marks that hide or turn text, halves of characters, what is none, line separators."""
JOINERS = "\u200c\u200d"
"""Without them some scripts and emoji are misspelt."""
STAND_IN = "\ufffd"


def legible(text: str) -> str:
    """Return the text on one line, with a sign that says so for what cannot be shown."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character in "\t\n\r":
        return " "
    unsafe = unicodedata.category(character) in UNSAFE and character not in JOINERS
    return STAND_IN if unsafe else character


NAMESPACE = "http://www.topografix.com/GPX/1/1"


def export_gpx(
    study: Study | Snapshot,
    *,
    lat: str | None = None,
    lon: str | None = None,
    alt: str | float | None = None,
    visited: bool = False,
) -> str:
    """Return the trials that are out and the stops ahead as a GPX route.

    Visits with their outcome, if asked for, are waypoints beside it, so that nobody is guided there again.
    Where the way between two stops turns, as around an island, its turns are points of the route, of the type
    "turn": a receiver steers from one point of a route to the next, and a track beside it, which it only
    shows, would not keep it off the land. Where the study has an end, the route ends there, at "home"; once
    no stop is left, it is the way home alone.

    What ``lat``, ``lon``, ``alt`` and ``visited`` mean stands at ``waypoints_of``; altitudes are metres above
    sea level.
    """
    way = waypoints_of(study, lat=lat, lon=lon, alt=alt, visited=visited)
    root = ET.Element("gpx", {"version": "1.1", "creator": "wayfare", "xmlns": NAMESPACE})
    for stop in way.stops:
        if not stop.is_ahead:
            add_point(root, "wpt", stop)
    ahead = [stop for stop in way.all if stop.is_ahead]
    if ahead:
        cost = with_unit(sum(stop.leg for stop in ahead), way.unit)
        route = ET.SubElement(root, "rte")
        add_text(route, "name", way.study)
        stops = sum(not stop.is_home for stop in ahead)
        parts = [*([counted(stops, "stop")] if stops else []), *(["home"] if way.last else [])]
        add_text(route, "desc", f"{' and '.join(parts)}, {cost}")
        for stop in ahead:
            add_turns(route, stop)
            add_point(route, "rtept", stop)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def add_turns(route: ET.Element, stop: Waypoint) -> None:
    """Add the turns on the way to a waypoint."""
    for at, position in enumerate(stop.via, 1):
        point = add_position(route, "rtept", position)
        add_text(point, "name", f"turn {at} to {stop.name}")
        add_text(point, "type", "turn")


def add_point(parent: ET.Element, tag: str, stop: Waypoint) -> None:
    """Add a waypoint, its parts in the order of the schema."""
    point = add_position(parent, tag, stop.position)
    add_text(point, "name", stop.name)
    add_text(point, "desc", stop.description)


def add_position(parent: ET.Element, tag: str, position: Position) -> ET.Element:
    """Add a point that has no name yet, and return it."""
    point = ET.SubElement(parent, tag, {"lat": decimal(position.lat), "lon": decimal(position.lon)})
    if position.alt is not None:
        add_text(point, "ele", decimal(position.alt))
    return point


def add_text(parent: ET.Element, tag: str, text: str) -> None:
    """Add an element that holds text."""
    ET.SubElement(parent, tag).text = legible(text)


def decimal(number: float) -> str:
    """Return a number in full without an exponent, which the schema does not allow."""
    return format(Decimal(repr(number)), "f")

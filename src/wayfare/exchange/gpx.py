"""``export_gpx``: the route ahead for a GPS receiver.

After the GPX 1.1 schema, https://www.topografix.com/GPX/1/1/gpx.xsd: waypoints come before routes, a
point's elevation before its name and its name before its description, degrees are WGS 84 and plain decimals.
"""

import xml.etree.ElementTree as ET
from decimal import Decimal

from wayfare.exchange.degrees import Position
from wayfare.exchange.legible import legible
from wayfare.exchange.waypoint import Waypoint
from wayfare.exchange.waypoints import waypoints_of
from wayfare.study import Study
from wayfare.words import counted, with_unit

NAMESPACE = "http://www.topografix.com/GPX/1/1"


def export_gpx(
    study: Study,
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

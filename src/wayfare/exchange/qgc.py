"""``export_qgc``: the route ahead as a plan for QGroundControl, which flies, drives or steers it.

After its developers' guide, "Plan File Format" (docs.qgroundcontrol.com), and MAVLink's numbers for commands,
frames and vehicles (mavlink.io): 16 is a waypoint, 22 the takeoff, 20 the return; altitudes of frame 3 are
metres above home.
"""

import json
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from wayfare import door
from wayfare.errors import InvalidInput
from wayfare.exchange.degrees import Position
from wayfare.exchange.waypoints import Waypoint, waypoints_of
from wayfare.study import Study

Vehicle: TypeAlias = Literal["copter", "plane", "rover", "boat"]
VEHICLES: dict[Vehicle, int] = {"copter": 2, "plane": 1, "rover": 10, "boat": 11}
ON_THE_GROUND: tuple[Vehicle, ...] = ("rover", "boat")
WAYPOINT, RETURN, TAKEOFF = 16, 20, 22
ABOVE_HOME, IN_NO_PLACE = 3, 2
"""Frames: altitudes above home, and a command that is not about a place."""
PX4 = 12
SPEEDS = {"cruiseSpeed": 15, "hoverSpeed": 5}
"""Metres a second; QGroundControl foretells the time with them, the vehicle keeps its own."""


def export_qgc(
    study: Study,
    *,
    lat: str | None = None,
    lon: str | None = None,
    alt: str | float | None = None,
    vehicle: Vehicle = "copter",
    takeoff: bool = False,
    return_home: bool = False,
) -> str:
    """Return the trials that are out and the stops ahead as a plan of waypoints.

    Where the traveller goes home between trips, only the trip under way: a new one needs a new battery.

    Args:
        study: whose.
        lat: the axis of the latitudes, as at ``waypoints_of``; ``lon`` likewise.
        lon: the axis of the longitudes.
        alt: metres above home, or the axis that has them. What flies must be told; rover and boat need none.
        vehicle: "copter", "plane", "rover" or "boat".
        takeoff: begin with a takeoff to the altitude of the first stop.
        return_home: end with the return to where it was launched.
    """
    if vehicle not in VEHICLES:
        raise InvalidInput(f"vehicle: there is no {vehicle!r}; {door.nearest(vehicle, VEHICLES, 'vehicles')}")
    if alt is None and vehicle not in ON_THE_GROUND:
        raise InvalidInput("alt: say how high to fly, in metres above home, or by which axis (--alt)")
    if takeoff and vehicle in ON_THE_GROUND:
        raise InvalidInput(f"takeoff: a {vehicle} does not fly; leave it out")
    way = waypoints_of(study, lat=lat, lon=lon, alt=0.0 if alt is None else alt)
    places = [stop.position for stop in this_trip(way.stops)]
    home = way.home or places[0]
    items = [move(WAYPOINT, place) for place in places]
    if takeoff:
        items.insert(0, move(TAKEOFF, Position(home.lat, home.lon, places[0].alt)))
    if return_home:
        items.append({"command": RETURN, "frame": IN_NO_PLACE, "params": [0] * 7})
    mission = {
        "version": 2,
        "firmwareType": PX4,
        "vehicleType": VEHICLES[vehicle],
        **SPEEDS,
        "globalPlanAltitudeMode": 1,
        "plannedHomePosition": [home.lat, home.lon, 0],
        "items": [
            {"type": "SimpleItem", "autoContinue": True, "doJumpId": at, **item}
            for at, item in enumerate(items, 1)
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


def move(command: int, position: Position) -> dict[str, Any]:
    """Return a command that goes to a place: no hold, the vehicle's own radius, the heading left to it."""
    return {
        "command": command,
        "frame": ABOVE_HOME,
        "AltitudeMode": 1,
        "Altitude": position.alt,
        "AMSLAltAboveTerrain": None,
        "params": [0, 0, 0, None, position.lat, position.lon, position.alt],
    }

"""``export_qgc``: the route ahead as a plan for QGroundControl, which flies, drives or steers it.

After its developers' guide, "Plan File Format" (docs.qgroundcontrol.com), and MAVLink's numbers for commands,
frames and vehicles (mavlink.io): 16 is a waypoint, 22 the takeoff, 20 the return; altitudes of frame 3 are
metres above home.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

from wayfare import door
from wayfare.allowance import why_over
from wayfare.arrays import Values
from wayfare.errors import InvalidInput
from wayfare.exchange.degrees import Position
from wayfare.exchange.waypoint import Waypoint, Waypoints
from wayfare.exchange.waypoints import nothing_ahead, waypoints_of
from wayfare.records import StudySpec
from wayfare.study import Study
from wayfare.travel import Haversine, Parallel, Scaled, Serial, TravelCost
from wayfare.travel.haversine import TIMES

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
    study: Study,
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
    long as its results take, if ``run_cost`` is a time: in a study whose unit is s, min or h. The speed of a
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
        raise InvalidInput(f"vehicle: there is no {vehicle!r}; {door.nearest(vehicle, VEHICLES, 'vehicles')}")
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


def goes_home(spec: StudySpec, said: bool | None) -> bool:
    """Return whether a plan ends at home: as was said, else where the study does."""
    return spec.limits.end is not None if said is None else said


def hold_of(spec: StudySpec) -> float:
    """Return how many seconds a result takes; 0 where what it costs is no time."""
    return spec.limits.run_cost * TIMES.get(spec.unit, 0.0)


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
    end, launch = way.chart.state.spec.limits.end, way.launch
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

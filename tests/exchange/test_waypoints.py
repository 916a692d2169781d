"""Waypoints for the field: every format holds the same route, in its order and to the last bit."""

import json
import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import wayfare as wf
from wayfare.errors import BudgetSpent, InvalidInput, TooEarly
from wayfare.exchange import export_geojson, export_gpx, export_qgc, import_csv
from wayfare.exchange.navigation import NAMESPACE, decimal
from wayfare.exchange.waypoints import chart_of, waypoints_of
from wayfare.policy import Uniform
from wayfare.policy.schedule import Fixed

from .studies import TEXT

LATITUDES = st.floats(-90, 90) | st.sampled_from([5e-324, -0.0, 1e-7, 90.0, 1 / 3])
LONGITUDES = st.floats(-180, 180, exclude_max=True) | st.sampled_from([-5e-324, 1e-12, -180.0])
LAKE = wf.Space(wf.Real("lat", 47.5, 47.7), wf.Real("lon", 9.2, 9.6), wf.Integer("depth_m", 1, 20))
# The children of a point and of the root, in the order of the schema.
POINT_ORDER = ["ele", "time", "magvar", "geoidheight", "name", "cmt", "desc", "src", "link", "sym", "type"]
ROOT_ORDER = ["metadata", "wpt", "rte", "trk", "extensions"]


def make(space=LAKE, asked=0, told=0, **changes):
    """A study with trials told, then some out, the rest of a route of six ahead."""
    options = {
        "direction": "maximize",
        "travel": wf.Fee(2.0, unit="km"),
        "trials": 20,
        "method": wf.Method(Uniform(), Fixed(6)),
        "name": "lake",
    }
    study = wf.Study.create(space, **(options | changes))
    for _ in range(told):
        study.tell(study.ask(), 0.5)
    for _ in range(asked):
        study.ask(wait=False)
    return study


@st.composite
def routes(draw):
    """A study over a table of places anywhere on the earth, some of them visited, some out, some ahead."""
    pairs = st.lists(st.tuples(LATITUDES, LONGITUDES), min_size=1, max_size=9, unique=True)
    table = [dict(zip(("Lat", "LNG"), pair, strict=True)) for pair in draw(pairs)]
    heights = draw(st.none() | st.floats(-1e4, 1e5))
    name = draw(TEXT.filter(str.strip))
    told = draw(st.integers(0, len(table) - 1))
    asked = draw(st.integers(0 if told else 1, len(table) - told))
    places = wf.Places(table, once=True)
    return make(places, asked, told, trials=len(table), name=name), heights


def is_in_order(tags, order):
    at = [order.index(tag) for tag in tags]
    return at == sorted(at)


def read_gpx(text):
    """Return the points and route points of a GPX file, checked against the order of the schema."""
    root = ET.fromstring(text)
    assert root.tag == f"{{{NAMESPACE}}}gpx"
    assert root.attrib == {"version": "1.1", "creator": "wayfare"}
    bare = lambda element: element.tag.removeprefix(f"{{{NAMESPACE}}}")  # noqa: E731
    assert is_in_order([bare(child) for child in root], ROOT_ORDER)
    points = []
    for tag in ("wpt", "rte/rtept"):
        for point in root.findall("/".join(f"{{{NAMESPACE}}}{part}" for part in tag.split("/"))):
            assert is_in_order([bare(child) for child in point], POINT_ORDER)
            assert "e" not in (point.get("lat") + point.get("lon")).lower()
            said = {bare(child): child.text for child in point}
            up = float(said["ele"]) if "ele" in said else None
            points.append((tag, float(point.get("lat")), float(point.get("lon")), up, said["name"]))
    return points


def same(one, other):
    """Whether two rows of floats are the same, bit for bit."""
    return len(one) == len(other) and all(
        a is b or (a == b and math.copysign(1, a) == math.copysign(1, b)) for a, b in zip(one, other, strict=True)
    )


@given(routes())
def test_any_route_comes_back_from_gpx_in_its_order_and_in_full(drawn):
    study, up = drawn
    way = waypoints_of(study, alt=up, visited=True)
    points = read_gpx(export_gpx(study, alt=up, visited=True))
    assert [name for *_, name in points] == [stop.name for stop in way.stops]
    for (tag, *where, _), stop in zip(points, way.stops, strict=True):
        assert same(where, [stop.position.lat, stop.position.lon, up])
        assert (tag == "rte/rtept") == stop.is_ahead


@given(routes())
def test_any_route_comes_back_from_geojson_in_its_order_and_in_full(drawn):
    study, up = drawn
    way = waypoints_of(study, alt=up, visited=True)
    form = json.loads(export_geojson(study, alt=up, visited=True))
    points = [one for one in form["features"] if one["geometry"]["type"] == "Point"]
    lines = [one for one in form["features"] if one["geometry"]["type"] == "LineString"]
    assert form["type"] == "FeatureCollection"
    assert len(points) == len(way.stops)
    for at, (point, stop) in enumerate(zip(points, way.stops, strict=True), 1):
        where = [stop.position.lon, stop.position.lat] + ([] if up is None else [up])
        assert same(point["geometry"]["coordinates"], where)
        said = point["properties"]
        assert (said["stop"], said["leg"], said["total"]) == (at, stop.leg, stop.total)
        assert type(said["stop"]) is int
        assert same([said["Lat"], said["LNG"]], list(stop.params.values()))
    assert len(lines) == (len(points) > 1)
    for line in lines:
        assert line["geometry"]["coordinates"] == [point["geometry"]["coordinates"] for point in points]


@given(routes())
def test_a_plan_flies_the_places_ahead_and_no_others(drawn):
    study, up = drawn
    ahead = [stop for stop in waypoints_of(study, alt=up or 0.0, visited=True).stops if stop.is_ahead]
    assume(ahead)
    items = json.loads(export_qgc(study, alt=up or 0.0))["mission"]["items"]
    assert [item["doJumpId"] for item in items] == list(range(1, len(ahead) + 1))
    for item, stop in zip(items, ahead, strict=True):
        where = stop.position
        assert (item["type"], item["command"], item["frame"]) == ("SimpleItem", 16, 3)
        assert same(item["params"][4:], [where.lat, where.lon, where.alt])
        assert stop.trial is None or stop.trial.value is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_decimal_has_no_exponent_and_loses_nothing(number):
    text = decimal(number)
    assert same([float(text)], [number])
    assert set(text) <= set("-.0123456789")


def test_trials_out_come_first_by_number_then_the_stops_ahead():
    study = make(told=2, asked=2)
    way = waypoints_of(study)
    assert [stop.name for stop in way.stops] == ["trial 2", "trial 3", "stop 1", "stop 2"]
    assert [stop.state for stop in way.stops] == ["asked", "asked", "ahead", "ahead"]
    assert [stop.total for stop in way.stops] == [2.0, 4.0, 6.0, 8.0]
    assert [dict(stop.params) for stop in way.stops[2:]] == [dict(stop.params) for stop in study.route().stops]
    all_of_it = waypoints_of(study, visited=True)
    assert [stop.name for stop in all_of_it.stops][:3] == ["trial 0", "trial 1", "trial 2"]


def test_what_was_skipped_or_known_before_is_no_waypoint():
    study = make(asked=3)
    study.skip(1)
    import_csv(study, "lat,lon,depth_m,value\n47.6,9.4,3,0.5\n", prior=True)
    for visited in (False, True):
        names = [stop.name for stop in waypoints_of(study, visited=visited).stops]
        assert names[:3] == ["trial 0", "trial 2", "stop 1"]


def test_a_gpx_file_says_what_a_person_wants_to_know():
    study = make(told=1, asked=1)
    text = export_gpx(study, alt="depth_m", visited=True)
    depth = study.trials[1].params["depth_m"]
    assert f"<ele>{depth}.0</ele>" in text
    assert "<desc>trial 0, told 0.5: leg 0 km, total 0 km; lat=" in text
    assert "<desc>trial 1, asked: leg 2 km, total 2 km; lat=" in text
    assert "<desc>5 stops, 10 km</desc>" in text
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="wayfare"')


def test_one_stop_alone_has_no_line():
    study = make(asked=1, method=wf.Method(Uniform(), Fixed(1)))
    (point,) = json.loads(export_geojson(study))["features"]
    assert point["properties"] == {
        "stop": 1,
        "trial": 0,
        "state": "asked",
        "value": None,
        "leg": 0.0,
        "total": 0.0,
        "unit": "km",
        **study.trials[0].params,
    }


def test_an_axis_called_like_a_property_is_told_apart():
    space = wf.Space(wf.Real("lat", 0, 1), wf.Real("lon", 0, 1), wf.Integer("leg", 1, 3))
    said = json.loads(export_geojson(make(space, asked=1)))["features"][0]["properties"]
    assert (said["leg"], said["axis:leg"] in (1, 2, 3)) == (0.0, True)


def test_a_plan_has_all_that_the_guide_asks_for():
    start = {"lat": 47.4, "lon": 9.4, "depth_m": 1}
    plan = json.loads(export_qgc(make(asked=2, start=start), alt=30, takeoff=True, return_home=True))
    assert (plan["fileType"], plan["version"], plan["groundStation"]) == ("Plan", 1, "QGroundControl")
    assert plan["geoFence"] == {"version": 2, "circles": [], "polygons": []}
    assert plan["rallyPoints"] == {"version": 2, "points": []}
    mission = plan["mission"]
    assert mission["version"] == 2
    # Home is where one stood before the first of the trials that are out, not behind the last.
    assert mission["plannedHomePosition"] == [47.4, 9.4, 0]
    assert (mission["firmwareType"], mission["vehicleType"]) == (12, 2)
    assert {"cruiseSpeed", "hoverSpeed"} <= set(mission)
    first, *_, last = mission["items"]
    assert (first["command"], first["params"]) == (22, [0, 0, 0, None, 47.4, 9.4, 30.0])
    assert (last["command"], last["frame"], last["params"]) == (20, 2, [0] * 7)
    for item in mission["items"]:
        assert item["autoContinue"] is True
        assert len(item["params"]) == 7


def test_a_boat_needs_no_altitude_and_does_not_take_off():
    study = make(asked=1)
    mission = json.loads(export_qgc(study, vehicle="boat"))["mission"]
    assert mission["vehicleType"] == 11
    assert mission["items"][0]["params"][6] == 0.0
    with pytest.raises(InvalidInput, match="a boat does not fly"):
        export_qgc(study, vehicle="boat", takeoff=True)


@pytest.mark.parametrize("names", [("LAT", "Lng"), ("Latitude", "long"), ("latitude", "LONGITUDE")])
def test_axes_are_found_by_their_names_whatever_their_case(names):
    lat, lon = names
    space = wf.Space(wf.Real(lon, 0, 1), wf.Real(lat, 0, 1))
    found = chart_of(wf.Study.create(space, direction="maximize", travel=wf.Fee(1), trials=1).state)
    assert (found.lat, found.lon, found.alt) == (lat, lon, None)


@pytest.mark.parametrize(("east", "written"), [(180.0, -180.0), (190.0, -170.0), (360.0, 0.0), (-180.0, -180.0)])
def test_degrees_east_of_the_date_line_become_degrees_west(east, written):
    found = chart_of(make().state).position(np.array([1.0, east, 1.0]), "here")
    assert found.lon == written


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lat": "north"}, "lat: there is no axis 'north'; the axes are 'lat', 'lon', 'depth_m'"),
        ({"lat": "lon"}, "lat and lon are both the axis 'lon'"),
        ({"alt": "depth"}, "alt: there is no axis 'depth'; did you mean 'depth_m'"),
        ({"alt": math.nan}, "alt must be finite"),
        ({"alt": True}, "alt must be a number"),
    ],
)
def test_wrong_axes_are_refused(options, words):
    with pytest.raises(InvalidInput, match=words):
        waypoints_of(make(asked=1), **options)


def test_axes_that_are_not_there_are_asked_for():
    metres = wf.Space(wf.Real("east", 0, 900), wf.Real("north", 0, 900))
    with pytest.raises(InvalidInput, match=r"lat: no axis is called lat or latitude; .*--lat.*'east', 'north'"):
        export_gpx(make(metres, asked=1))
    with pytest.raises(InvalidInput, match=r"is no latitude, which goes from -90 to 90 .* swapped"):
        export_gpx(make(metres, asked=6), lat="north", lon="east")
    twice = wf.Space(wf.Real("lat", 0, 1), wf.Real("Lat", 0, 1), wf.Real("lon", 0, 1))
    with pytest.raises(InvalidInput, match="the axes 'lat' and 'Lat' are called lat or latitude"):
        export_gpx(make(twice, asked=1))
    words = wf.Space(wf.Choice("lat", ["a", "b"]), wf.Real("lon", 0, 1))
    with pytest.raises(InvalidInput, match="the axis 'lat' is a choice; it must hold numbers"):
        export_gpx(make(words, asked=1))


def test_swapped_axes_are_noticed_where_they_can_be():
    fiji = wf.Space(wf.Real("lat", -18, -17), wf.Real("lon", 177, 179))
    with pytest.raises(InvalidInput, match=r"trial 0: lon=17\d.* is no latitude"):
        export_gpx(make(fiji, asked=1), lat="lon", lon="lat")
    far = wf.Space(wf.Real("lat", 0, 1), wf.Real("lon", 500, 600))
    with pytest.raises(InvalidInput, match="is no longitude"):
        export_gpx(make(far, asked=1))


@pytest.mark.parametrize(
    ("options", "words"),
    [({}, "alt: say how high to fly"), ({"alt": 10, "vehicle": "boot"}, "there is no 'boot'; did you mean 'boat'")],
)
def test_a_plan_that_cannot_be_flown_is_refused(options, words):
    with pytest.raises(InvalidInput, match=words):
        export_qgc(make(asked=1), **options)


def test_with_nothing_ahead_the_refusal_says_what_to_do():
    with pytest.raises(TooEarly, match="the next ask plans a route; there are no visits either"):
        export_gpx(make())
    done = make(told=2, trials=2)
    with pytest.raises(
        BudgetSpent, match=r"all 2 trials have been handed out; the visits made are written on .*--visited"
    ):
        export_geojson(done)
    assert len(read_gpx(export_gpx(done, visited=True))) == 2


HOME = {"lat": 47.5, "lon": 9.2, "depth_m": 1}


def with_trips(**changes):
    """Return a study that goes home before each stop but the first."""
    options = {"travel": wf.Haversine("lat", "lon", unit="km"), "start": HOME, "home": HOME}
    study = make(trip=80.0, dwell=25.0, trip_cost=3.0, asked=2, **(options | changes))
    assert [trial.home_first for trial in study.trials] == [False, True]
    return study


def test_the_way_goes_home_between_trips_in_every_format():
    study = with_trips()
    way = waypoints_of(study)
    homes = [at for at, stop in enumerate(way.stops) if stop.is_home]
    assert homes[0] == 1, "before the second trial"
    assert [stop.name for stop in way.stops[:3]] == ["trial 0", "home", "trial 1"]
    assert way.stops[1].leg + way.stops[2].leg == pytest.approx(study.trials[1].leg)
    assert way.stops[2].total == pytest.approx(sum(trial.leg for trial in study.trials))
    assert way.stops[1].description.startswith("home, a new trip begins: leg ")
    assert ("rte/rtept", 47.5, 9.2, None, "home") in read_gpx(export_gpx(study))
    *points, line = json.loads(export_geojson(study))["features"]
    assert [point["properties"]["state"] for point in points[:3]] == ["asked", "home", "asked"]
    assert [point["properties"]["stop"] for point in points[:3]] == [1, None, 2]
    assert points[-1]["properties"]["stop"] is None
    stops = line["properties"]["stops"]
    assert stops == 6
    assert points[-2]["properties"]["stop"] == stops
    assert f"<desc>{stops} stops and home, " in export_gpx(study)
    assert points[1]["geometry"]["coordinates"] == [9.2, 47.5]
    assert points[1]["properties"]["trial"] is None


@pytest.mark.parametrize("factor", [None, 0.5, 3.0])
def test_a_leg_by_way_of_home_is_parted_there_as_the_ledger_does(factor):
    study = with_trips()
    for trial in study.trials:
        study.tell(trial, 1.0, spent=None if factor is None else factor * trial.leg)
    _, home, second, *_ = waypoints_of(study, visited=True).stops
    assert home.is_home
    here, there = study.trials
    stated = [study.spec.travel(x[None, :], study.spec.limits.home[None, :]).item() for x in (here.x, there.x)]
    assert home.leg == pytest.approx((stated[0] + 3.0) * (factor or 1.0)), "with what a new trip costs"
    assert second.leg == pytest.approx(stated[1] * (factor or 1.0))
    assert study.ledger().trip_left == pytest.approx(80.0 - second.leg - 25.0)


def test_a_stop_ahead_that_is_reached_by_way_of_home_is_parted_there():
    study = with_trips()
    way = waypoints_of(study)
    home, stop = way.stops[3:5]
    assert (home.name, stop.name) == ("home", "stop 1")
    out = study.spec.travel(study.spec.limits.home[None, :], stop.x[None, :]).item()
    assert stop.leg == pytest.approx(out)
    assert home.leg == pytest.approx(study.route().stops[0].leg - out)


def test_a_vehicle_is_given_one_trip():
    study = with_trips()
    items = json.loads(export_qgc(study, alt=20.0, return_home=False))["mission"]["items"]
    first = study.trials[0].params
    assert [item["params"][4:6] for item in items] == [[first["lat"], first["lon"]]]
    study.tell(0, 1.0)
    (item,) = json.loads(export_qgc(study, alt=20.0))["mission"]["items"][:1]
    second = study.trials[1].params
    assert item["params"][4:6] == [second["lat"], second["lon"]]


def test_a_vehicle_that_begins_a_trip_takes_off_at_home():
    study = with_trips()
    for number in (0, 1):
        study.tell(number, 1.0)
    third = study.ask()
    assert third.home_first
    assert study.state.origin(third.number).tolist() != list(HOME.values())
    mission = json.loads(export_qgc(study, alt=20.0, takeoff=True))["mission"]
    assert mission["plannedHomePosition"] == [47.5, 9.2, 0]
    assert mission["items"][0]["params"][4:6] == [47.5, 9.2]


def test_a_leg_that_is_out_is_parted_at_home_by_its_price_whatever_was_learned():
    space = wf.Space(wf.Real("lat", 0.0, 10.0), wf.Real("lon", 0.0, 10.0))
    study = wf.Study.create(
        space,
        direction="maximize",
        travel=wf.Manhattan(unit="km"),
        trials=30,
        start=[0.0, 0.0],
        home="start",
        trip=30.0,
        trip_cost=0.5,
        method="random",
    )
    for place in ([0.0, 1.0], [0.0, 3.0], [1.0, 3.0], [1.0, 6.0], [2.0, 6.0], [2.0, 8.0]):
        trial = study.insert(place).trial
        study.tell(trial, 0.0, spent=trial.leg + 1.0)
    assert study.learned().offset == pytest.approx(1.0)
    out = study.insert([4.0, 4.0]).trial
    assert out.home_first
    home, there = waypoints_of(study).stops[:2]
    assert (home.name, home.leg) == ("home", pytest.approx(10.5))
    assert (there.name, there.leg) == (f"trial {out.number}", pytest.approx(8.0))

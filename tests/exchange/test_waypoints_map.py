"""Waypoints over a map: whatever format a boat is steered by, it stays on the water and gets home."""

import json
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import wayfare as wf
from wayfare.errors import BudgetSpent
from wayfare.exchange import export_geojson, export_gpx, export_qgc, import_csv
from wayfare.exchange.waypoints import waypoints_of
from wayfare.policy import Uniform
from wayfare.policy.schedule import Fixed

from .test_waypoints import HOME, LAKE, make, read_gpx, with_trips

MAPS = st.tuples(st.integers(3, 7), st.integers(3, 7)).flatmap(
    lambda shape: arrays(float, shape, elements=st.sampled_from([0.0, 1.0, 1.0]))
)
WALL = np.array([[1, 0, 1], [1, 0, 1], [1, 1, 1]])
"""Water down the west, along the south and up the east of an island."""


def chart_of(grid):
    """Return a map around Lake Constance: longitude across, latitude up, north on top."""
    return wf.Raster(grid, "lon", "lat", columns=(9.0, 9.5), rows=(47.8, 47.5), unit="km")


def boat_on(raster, **changes):
    """Return a study over the water of a map, with a route of three ahead."""
    options = {
        "direction": "maximize",
        "travel": raster,
        "trials": 3,
        "method": wf.Method(Uniform(), Fixed(3)),
        "name": "boat",
    }
    study = wf.Study.create(raster.places(once=True), **(options | changes))
    for _ in range(2):  # the first is at the start, and a plan of its own
        study.ask(wait=False)
    return study


@st.composite
def boats(draw):
    """A study over random water that begins and ends at places of it."""
    grid = draw(MAPS)
    assume((grid > 0).sum() >= 5)
    raster = chart_of(grid).largest_part()
    water = raster.centres(raster.open_cells()).tolist()
    assume(len(water) >= 5)
    start, end = (dict(zip(("lon", "lat"), draw(st.sampled_from(water)), strict=True)) for _ in range(2))
    return raster, boat_on(raster, start=start, home=end, seed=draw(st.integers(0, 99)))


def is_water(raster, line):
    """Whether all of a line of longitudes and latitudes runs over open cells; corners may be touched."""
    line, corners = np.array(line), 1e-7 * np.array(list(product((-1, 1), repeat=2)))
    shares = np.linspace(0, 1, 201)[:, None, None]
    spots = line[:-1] + shares * np.diff(line, axis=0)
    near = spots.reshape(-1, 1, 2) + corners
    return bool(raster.covers(near.reshape(-1, 2)).reshape(-1, 4).any(axis=1).all())


def line_of(study):
    return json.loads(export_geojson(study))["features"][-1]["geometry"]["coordinates"]


def steered(study, **options):
    """Return where a plan goes, from where it is launched."""
    mission = json.loads(export_qgc(study, vehicle="boat", **options))["mission"]
    launch = mission["plannedHomePosition"]
    stops = [
        [item["params"][5], item["params"][4]] if item["command"] == 16 else launch[1::-1] for item in mission["items"]
    ]
    return [launch[1::-1], *stops]


@given(boats())
def test_no_exported_line_runs_aground(boat):
    raster, study = boat
    start = [study.spec.start.tolist()]
    assert is_water(raster, line_of(study))
    assert is_water(raster, start + [[lon, lat] for _, lat, lon, *_ in read_gpx(export_gpx(study))])
    assert is_water(raster, steered(study))


@given(boats())
def test_a_line_is_as_long_as_its_legs_are_priced(boat):
    raster, study = boat
    way = waypoints_of(study)
    line = [[lon, lat] for _, lat, lon, *_ in read_gpx(export_gpx(study))]
    line = np.array([study.spec.start.tolist(), *line])
    priced = sum(raster.bind(study.spec.space)(a[None, :], b[None, :]).item() for a, b in pairwise(line))
    assert priced == pytest.approx(way.all[-1].total)


def around_the_island(once=True, **changes):
    """Return a study whose only stop lies beyond the island from where it begins."""
    raster = chart_of(WALL)
    places = wf.Places([{"lon": 9.5, "lat": 47.8}], once=once)
    start = {"lon": 9.0, "lat": 47.8}
    options = {"travel": raster, "start": start, "trials": 1, "home": start, "name": "boat"}
    study = wf.Study.create(places, direction="maximize", **(options | changes))
    study.ask()
    return study


ROUND = [[9.0, 47.65], [9.25, 47.5], [9.5, 47.65]]
"""Where one turns on the way around the island."""


def test_straight_over_the_island_is_no_water():
    assert not is_water(chart_of(WALL), [[9.0, 47.8], [9.5, 47.8]])
    assert is_water(chart_of(WALL), [[9.0, 47.8], *ROUND, [9.5, 47.8]])


def test_every_format_turns_where_the_island_ends():
    study = around_the_island()
    there, back, stop = ROUND, ROUND[::-1], [9.5, 47.8]
    assert line_of(study) == pytest.approx(np.array([[9.0, 47.8], *there, stop, *back, [9.0, 47.8]]))
    plan = steered(study)
    assert plan == pytest.approx(np.array([[9.0, 47.8], *there, stop, *back, [9.0, 47.8]]))
    names = [name for *_, name in read_gpx(export_gpx(study))]
    turns = [f"turn {at} to trial 0" for at in (1, 2, 3)], [f"turn {at} to home" for at in (1, 2, 3)]
    assert names == [*turns[0], "trial 0", *turns[1], "home"]
    assert export_gpx(study).count("<type>turn</type>") == 6
    assert "<desc>1 stop and home, " in export_gpx(study)


def test_points_stay_the_stops():
    points = json.loads(export_geojson(around_the_island()))["features"][:-1]
    assert [point["properties"]["state"] for point in points] == ["asked", "home"]


def test_a_visit_home_between_trips_is_gone_to_and_left_around_the_island():
    raster = chart_of(WALL)
    home = {"lon": 9.0, "lat": 47.8}
    places = wf.Places([{"lon": 9.5, "lat": 47.8}, {"lon": 9.5, "lat": 47.65}], once=True)
    study = wf.Study.create(
        places, direction="maximize", travel=raster, start=home, home=home, trip=2.0, dwell=0.2, trials=2
    )
    for _ in range(2):
        study.ask(wait=False)
    assert [stop.is_home for stop in waypoints_of(study).stops] == [False, True, False]
    assert is_water(raster, line_of(study))
    assert line_of(study).count([9.0, 47.8]) == 3
    assert is_water(raster, steered(study))


def test_without_a_map_nobody_turns():
    way = waypoints_of(make(asked=2, start=HOME, home=HOME))
    assert not any(stop.via for stop in way.all)


def test_the_way_home_comes_last_where_the_study_ends_there():
    study = make(asked=2, start=HOME, home=HOME)
    way = waypoints_of(study)
    assert way.last.description.startswith("home, the end: leg 2 km, total 12 km; lat=47.5")
    assert read_gpx(export_gpx(study))[-1][1:] == (47.5, 9.2, None, "home")
    *points, line = json.loads(export_geojson(study))["features"]
    assert points[-1]["properties"]["state"] == "home"
    assert line["geometry"]["coordinates"][-1] == [9.2, 47.5]
    assert line["properties"]["cost"] == way.last.total


def test_with_nothing_ahead_one_goes_home_only_when_all_is_done():
    options = {"start": HOME, "home": HOME, "trials": 6}
    assert waypoints_of(make(told=5, **options), visited=True).last is not None  # a stop is ahead
    done = make(told=6, **options)
    assert waypoints_of(done, visited=True).last is not None
    assert "<desc>home, 2 km</desc>" in export_gpx(done, visited=True)
    between = make(told=6, **(options | {"trials": 12}))
    assert waypoints_of(between, visited=True).last is None


def commands(study, **options):
    plan = json.loads(export_qgc(study, **({"alt": 20.0} | options)))
    return [item["command"] for item in plan["mission"]["items"]], plan["mission"]


def test_a_plan_returns_where_the_study_must_get_home():
    study = make(asked=2, start=HOME, home=HOME)
    assert commands(study)[0] == [16] * 6 + [20]
    assert commands(study, return_home=False)[0] == [16] * 6
    assert commands(make(asked=2, start=HOME))[0] == [16] * 6
    assert commands(make(asked=2, start=HOME), return_home=True)[0] == [16] * 6 + [20]


def test_a_plan_that_ends_elsewhere_than_it_was_launched_goes_there():
    end = {"lat": 47.7, "lon": 9.6, "depth_m": 1}
    found, mission = commands(make(asked=2, start=HOME, home=end))
    assert found == [16] * 7
    assert mission["items"][-1]["params"] == [0, 0, 0, None, 47.7, 9.6, 20.0]
    assert mission["plannedHomePosition"] == [47.5, 9.2, 0]


def test_the_trip_of_a_vehicle_ends_at_home():
    found, mission = commands(with_trips())
    assert found == [16, 20]
    assert mission["plannedHomePosition"] == [47.5, 9.2, 0]


@pytest.mark.parametrize(("unit", "seconds"), [("s", 30.0), ("min", 1800.0), ("h", 108000.0), ("km", 0)])
def test_a_copter_holds_for_as_long_as_its_results_take(unit, seconds):
    study = make(asked=2, start=HOME, home=HOME, travel=wf.Fee(2.0, unit=unit), dwell=30.0)
    items = commands(study)[1]["items"]
    assert [item["params"][0] for item in items] == [seconds] * 6 + [0]
    boat = commands(study, vehicle="boat")[1]["items"]
    assert [item["params"][0] for item in boat] == [0] * 7


def test_a_copter_holds_at_stops_and_not_where_it_turns():
    study = around_the_island(dwell=2.0, travel=wf.Scaled(chart_of(WALL), 1.0, "s"))
    items = commands(study)[1]["items"]
    assert [item["params"][0] for item in items] == [0, 0, 0, 2.0, 0, 0, 0, 0]


def test_a_vehicle_goes_as_fast_as_the_travel_cost_counts_with():
    fast = wf.Haversine("lat", "lon", speed=8.5, unit="min")
    for travel, speeds in (
        (fast, (8.5, 8.5)),
        (wf.parallel(wf.Scaled(fast, 1.2), wf.Ramp("depth_m", 1.0, 1.0, unit="min")), (8.5, 8.5)),
        (wf.Haversine("lat", "lon"), (15, 5)),
        (fast + wf.Haversine("lat", "lon", speed=2.0, unit="min"), (15, 5)),
    ):
        mission = commands(make(LAKE, asked=1, travel=travel))[1]
        assert (mission["cruiseSpeed"], mission["hoverSpeed"]) == speeds


def spent_behind_the_island(**changes):
    """Return a study that has just what the way home costs, its traveller beyond the island from there."""
    study = around_the_island(**({"trials": 4, "dwell": 0.1, "once": False} | changes))
    study.tell(0, 1.0)
    return study


@pytest.mark.parametrize("over", [{"budget": 1.9}, {"trials": 1}])
def test_once_no_stop_is_left_the_way_home_alone_is_written_around_the_island(over):
    study = spent_behind_the_island(**over)
    assert study.ask() is None
    back = [[9.5, 47.8], *ROUND[::-1], [9.0, 47.8]]
    assert line_of(study) == pytest.approx(np.array(back))
    point, line = json.loads(export_geojson(study))["features"]
    assert (point["properties"]["state"], point["properties"]["stop"]) == ("home", None)
    assert line["properties"]["stops"] == 0
    assert line["properties"]["cost"] == pytest.approx(study.trials[0].leg)
    points = read_gpx(export_gpx(study))
    assert [[lon, lat] for _, lat, lon, *_ in points] == pytest.approx(np.array(back[1:]))
    assert [name for *_, name in points] == ["turn 1 to home", "turn 2 to home", "turn 3 to home", "home"]
    assert "<desc>home, " in export_gpx(study)
    launch, *way = steered(study)
    assert launch == [9.0, 47.8]
    assert way == pytest.approx(np.array(back[1:]))
    assert commands(study)[0] == [16, 16, 16, 20]
    off = commands(study, takeoff=True)[1]["items"][0]
    assert (off["command"], off["params"][4:]) == (22, [47.8, 9.5, 20.0])


def test_with_the_visits_made_the_way_home_comes_last_once_the_budget_is_spent():
    study = spent_behind_the_island(budget=1.9)
    line = json.loads(export_geojson(study, visited=True))["features"][-1]["geometry"]["coordinates"]
    there = [9.5, 47.8]
    assert line == pytest.approx(np.array([[9.0, 47.8], *ROUND, there, *ROUND[::-1], [9.0, 47.8]]))
    names = [name for *_, name in read_gpx(export_gpx(study, visited=True))]
    assert names == ["trial 0", "turn 1 to home", "turn 2 to home", "turn 3 to home", "home"]


def test_a_route_of_which_nothing_can_be_paid_any_more_gives_way_to_the_way_home():
    options = {"start": HOME, "home": HOME, "budget": 30.0, "travel": wf.Fee(2.0, unit="km"), "dwell": 1.0}
    study = make(told=1, **options)
    trial = study.ask()
    study.tell(trial, 1.0, spent=26.5)
    assert study.route().planned
    assert not study.route().stops
    way = waypoints_of(study)
    assert (way.stops, way.last.name, way.last.total) == ((), "home", 2.0)
    assert way.remark.startswith("the budget is spent, for no place is within reach (")
    assert waypoints_of(study, visited=True).all[-1].is_last


@pytest.mark.parametrize(
    ("over", "why"),
    [
        ({"budget": 1.9}, "the budget is spent, for no place is within reach"),
        ({"trials": 1}, "all 1 trials have been handed out"),
    ],
)
def test_where_there_is_nothing_to_write_the_refusal_is_true(over, why):
    study = spent_behind_the_island(**over)
    with pytest.raises(BudgetSpent, match=rf"no stops are ahead: {why}.*; the visits made are written on req"):
        export_qgc(study, alt=9.0, return_home=False)
    study.replan({"lon": 9.0, "lat": 47.8})
    for write in (export_gpx, export_geojson):
        with pytest.raises(BudgetSpent, match=f"no stops are ahead: {why}"):
            write(study)


def test_where_every_place_was_visited_it_is_not_said_that_all_trials_were():
    study = wf.Study.create(
        wf.Places([{"lon": 9.5, "lat": 47.8}, {"lon": 9.0, "lat": 47.5}], once=True),
        direction="maximize",
        travel=wf.Fee(2.0),
        trials=2,
    )
    import_csv(study, "lon,lat,value\n9.5,47.8,1\n", prior=True)
    study.tell(study.ask(), 1.0)
    assert study.ask() is None
    with pytest.raises(BudgetSpent, match="ahead: every place has been visited, and may be only once; the vis"):
        export_gpx(study)

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space import Places
from wayfare.travel import Haversine, Raster

shapely = pytest.importorskip("shapely")

BAY = shapely.Polygon([(0, 0), (100, 0), (100, 60), (50.4, 60), (50.4, 30), (49.8, 30), (49.8, 60), (0, 60)])
"""A lake with a wall between its two arms."""
ISLE = shapely.Point(20, 30).buffer(9)


def geojson(shape, **properties):
    feature = {"type": "Feature", "geometry": shapely.geometry.mapping(shape), "properties": properties}
    return json.loads(json.dumps({"type": "FeatureCollection", "features": [feature]}))


def plain(**given):
    return Raster.from_polygons(geographic=False, **given)


@given(st.integers(0, 10**6), st.sampled_from([2.0, 3.0, 5.5]), st.sampled_from(["eight", "any"]))
def test_no_way_leaves_the_region_or_crosses_an_obstacle(seed, cell, moves):
    raster = plain(allowed=BAY, obstacles=ISLE, cell=cell, moves=moves).largest_part()
    places = raster.places()
    bound = raster.bind(places)
    origin, target = places.sample(2, stream(seed))
    way = shapely.LineString(raster.centres(bound.path(origin, target)))
    assert BAY.buffer(1e-6).covers(way)
    assert way.distance(ISLE) > 0
    assert bound(origin[None], target[None]).item() == pytest.approx(way.length)


def test_cells_fill_the_region_from_its_corner():
    raster = plain(allowed=shapely.box(10, 20, 50, 50), obstacles=shapely.box(20, 30, 30, 40), cell=10, unit="m")
    assert raster.grid.tolist() == [[1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 1, 1]]
    assert (raster.columns, raster.rows, raster.cell) == ((15, 45), (25, 45), (10, 10))
    assert (raster.x, raster.y, raster.unit) == ("x", "y", "m")


def test_the_axes_of_a_geographic_map_may_have_other_names_but_its_unit_is_metres():
    lake = shapely.box(9.4, 47.5, 9.5, 47.6)
    raster = Raster.from_polygons(geographic=True, allowed=lake, cell=500, x="longitude", y="latitude")
    assert (raster.x, raster.y, raster.unit) == ("longitude", "latitude", "m")
    with pytest.raises(InvalidInput, match=r"unit: a geographic map is in m, got 'km'; .*Scaled"):
        Raster.from_polygons(geographic=True, allowed=lake, cell=500, unit="km")


def test_a_file_is_not_read_but_said_how_to():
    with pytest.raises(InvalidInput, match=r"got 'lake\.geojson'; read a file first, with json\.load"):
        plain(allowed="lake.geojson", cell=1)


def test_obstacles_that_are_all_off_the_map_are_refused():
    lake, swapped = shapely.box(18, 59, 18.5, 59.3), shapely.box(59.1, 18.1, 59.2, 18.3)
    with pytest.raises(InvalidInput, match=r"obstacles: .* wholly off the map, .* longitude first"):
        Raster.from_polygons(geographic=True, cell=500, allowed=lake, obstacles=swapped)
    some = [swapped, shapely.box(18.1, 59.1, 18.2, 59.2)]
    assert not Raster.from_polygons(geographic=True, cell=500, allowed=lake, obstacles=some).grid.all()


@pytest.mark.parametrize("wrong", [{"bounds": 5}, {"allowed": {"type": "FeatureCollection", "features": None}}])
def test_what_is_no_polygon_and_no_bounds_is_refused(wrong):
    with pytest.raises(InvalidInput, match=r"bounds must be four numbers|allowed has no polygons"):
        plain(**{"allowed": BAY, "cell": 5} | wrong)


def test_a_strait_narrower_than_a_cell_is_closed():
    hourglass = shapely.union_all([shapely.box(0, 0, 10, 10), shapely.box(10, 4, 20, 6), shapely.box(20, 0, 30, 10)])
    assert len(np.unique(plain(allowed=hourglass, cell=5)._graph.searches.component)) == 2
    assert len(np.unique(plain(allowed=hourglass, cell=1)._graph.searches.component)) == 1


def test_without_a_region_the_bounds_are_the_map():
    raster = plain(obstacles=[ISLE, shapely.box(80, 0, 100, 60)], bounds=(0, 0, 100, 60), cell=5)
    assert raster.grid.shape == (12, 20)
    assert not raster.covers(np.array([[20.0, 30.0], [90.0, 10.0]])).any()
    assert raster.covers(np.array([[5.0, 5.0]])).all()


@pytest.mark.parametrize(
    "source",
    [
        BAY,
        [BAY],
        geojson(BAY),
        geojson(BAY)["features"][0],
        geojson(BAY)["features"][0]["geometry"],
        shapely.GeometryCollection([BAY]),
        {"type": "GeometryCollection", "geometries": [shapely.geometry.mapping(BAY)]},
        type("Frame", (), {"__geo_interface__": geojson(BAY)})(),
    ],
)
def test_polygons_may_be_written_in_many_ways(source):
    assert plain(allowed=source, cell=4) == plain(allowed=BAY, cell=4)


def test_on_the_earth_cells_and_ways_are_in_metres():
    sound = shapely.box(24.5, 59.9, 25.5, 60.3)
    raster = Raster.from_polygons(geographic=True, allowed=geojson(sound), cell=500, moves="any")
    assert (raster.x, raster.y, raster.unit) == ("lon", "lat", "m")
    places = Places([[24.6, 60.0], [25.4, 60.2], [24.6, 60.25], [25.0, 60.1]], ["lon", "lat"])
    x = places.table
    over_ground, straight = raster.bind(places)(x, x), Haversine("lat", "lon").bind(places)(x, x)
    # 1.4% of the directions, 0.8% of the degrees, and half of a cell at either end.
    assert (np.abs(over_ground - straight) <= 0.022 * straight + 750).all()


SQUARE = shapely.box(0, 0, 10, 10)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"allowed": SQUARE, "cell": 0}, "cell must be above 0"),
        ({"allowed": SQUARE.difference(shapely.box(3, 3, 4, 4)), "cell": 8}, "no cell of 8 lies wholly in"),
        ({"allowed": SQUARE, "cell": 11}, "cells of 11 make a map of 1 row and 1 column; choose cell so that"),
        ({"allowed": SQUARE, "cell": 1e-3}, "make a map of 10000 rows and 10000 columns"),
        ({"allowed": SQUARE, "cell": 1e-12}, "choose cell so that there are at least 2"),
        ({"allowed": SQUARE, "cell": 5e-324}, "choose cell so that there are at least 2"),
        ({"allowed": SQUARE, "obstacles": SQUARE, "cell": 1}, "no cell of 1 lies wholly in allowed and off the"),
        ({"cell": 1}, "a map needs polygons: give allowed, or obstacles and the bounds around them"),
        ({"obstacles": SQUARE, "cell": 1}, "a map needs polygons"),
        ({"obstacles": SQUARE, "cell": 1, "bounds": (0, 0, 9)}, "bounds must be four numbers"),
        ({"obstacles": SQUARE, "cell": 1, "bounds": (9, 0, 0, 9)}, "bounds must be west, south, east and north"),
        ({"allowed": [], "cell": 1}, "allowed has no polygons; give at least one"),
        ({"allowed": "lake.json", "cell": 1}, "allowed must be GeoJSON or shapely polygons, got 'lake.json'"),
        ({"allowed": {"type": "Circle"}, "cell": 1}, "allowed is not GeoJSON that can be read"),
        ({"allowed": shapely.Polygon(), "cell": 1}, "has a polygon that cannot be used: it is empty"),
        (
            {"allowed": shapely.Polygon([(0, 0), (9, 9), (9, 0), (0, 9)]), "cell": 1},
            "has a polygon that cannot be used: Self-intersection",
        ),
        (
            {"allowed": SQUARE, "obstacles": shapely.LineString([(0, 0), (5, 5)]), "cell": 1},
            "obstacles has a LineString, which has no area; use polygons, or shape.buffer(width)",
        ),
    ],
)
def test_bad_polygons_are_refused(given, message):
    with pytest.raises(InvalidInput) as refused:
        plain(**given)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("box", "message"),
    [
        ((36, -123, 38, -121), "allowed has the latitude -123, beyond 90 degrees; longitude and latitude look swapped"),
        ((3.8e5, 6.6e6, 3.9e5, 6.7e6), "allowed has the latitude 6.7e+06, beyond 90 degrees; if they are metres"),
        ((3.8e5, 60, 3.9e5, 61), "allowed has the longitude 390000, beyond 360 degrees; if it is metres"),
        ((10, 40, 12, 60), "from latitude 40 to 60 a degree of longitude is not of one length, by more than 5%"),
    ],
)
def test_what_can_be_no_degrees_is_refused(box, message):
    with pytest.raises(InvalidInput) as refused:
        Raster.from_polygons(geographic=True, allowed=shapely.box(*box), cell=1000)
    assert message in str(refused.value)


def test_bounds_on_the_earth_are_degrees_too():
    with pytest.raises(InvalidInput, match="the latitudes 24 to 125 go beyond 90 degrees; swapped"):
        Raster.from_polygons(
            geographic=True, obstacles=shapely.box(24, 60, 25, 61), bounds=(24, 24, 61, 125), cell=1000
        )


def test_a_cell_is_as_wide_as_it_is_high_in_the_middle_of_the_map():
    raster = Raster.from_polygons(geographic=True, allowed=shapely.box(10, 59, 11, 61), cell=2000)
    (west, east), (south, north) = raster.columns, raster.rows
    rows, columns = raster.grid.shape
    wide, high = (east - west) / (columns - 1), (north - south) / (rows - 1)
    assert high / wide == pytest.approx(math.cos(math.radians(60)))

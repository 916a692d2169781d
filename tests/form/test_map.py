"""A map of polygons in a study file."""

import json

import numpy as np
import pytest

from wayfare.errors import InvalidInput
from wayfare.form import read_spec, write_spec
from wayfare.travel import Raster, Scaled, Serial

from .strategies import assert_same, through_json

shapely = pytest.importorskip("shapely")

HEAD = {"name": "boat", "direction": "maximize", "trials": 5}
LAKE = shapely.box(9.40, 47.55, 9.44, 47.57)
ISLE = shapely.box(9.415, 47.555, 9.425, 47.565)
PONDS = shapely.union_all([shapely.box(0, 0, 6, 4), shapely.box(7, 0, 10, 4), shapely.box(11, 0, 12, 1)])
"""Of 24 cells, of 12 and of one."""


@pytest.fixture
def folder(tmp_path):
    shapes = {"lake": LAKE, "isle": ISLE, "pond": shapely.box(0, 0, 8, 4), "ponds": PONDS}
    for name, shape in shapes.items():
        (tmp_path / f"{name}.geojson").write_text(json.dumps(shapely.geometry.mapping(shape)))
        swapped = shapely.transform(shape, lambda xy: xy[:, ::-1])
        (tmp_path / f"{name}-swapped.geojson").write_text(json.dumps(shapely.geometry.mapping(swapped)))
    (tmp_path / "torn.geojson").write_text("{")
    return tmp_path


def read(folder, ground, **more):
    return read_spec({**HEAD, "map": ground, **more}, folder=folder)


def test_places_are_the_cells_of_the_map_and_moving_is_the_way_over_it(folder):
    spec = read(folder, {"allowed": "lake.geojson", "obstacles": "isle.geojson", "cell": 250})
    expected = Raster.from_polygons(geographic=True, allowed=LAKE, obstacles=ISLE, cell=250, moves="any").largest_part()
    assert spec.space.names == ("lon", "lat")
    assert np.array_equal(spec.space.table, expected.places().table)
    assert spec.unit == "m"
    x = spec.space.table[[0, -1]]
    assert np.array_equal(spec.travel(x, x), expected.bind(spec.space)(x, x))
    assert not shapely.intersects_xy(ISLE, *spec.space.table.T).any()


def test_a_study_is_kept_with_its_cells_and_needs_no_files(folder):
    spec = read(folder, {"allowed": "lake.geojson", "cell": 400, "once": True})
    form = through_json(write_spec(spec))
    assert "map" not in form
    assert spec.space.once
    assert_same(read_spec(form), spec)


def test_the_way_over_the_map_may_be_a_part_of_a_cost(folder):
    way = {"kind": "scaled", "cost": {"kind": "map"}, "factor": 0.005, "unit": "min"}
    parts = [way, {"kind": "fee", "amount": 3, "unit": "min"}]
    ground = {"allowed": "lake.geojson", "cell": 400, "moves": "eight"}
    spec = read(folder, ground, travel={"kind": "serial", "unit": "min", "parts": parts})
    assert isinstance(spec.travel, Serial)
    scaled = spec.travel.parts[0]
    assert isinstance(scaled, Scaled)
    assert isinstance(scaled.cost, Raster)
    assert scaled.cost.moves == "eight"
    x = spec.space.table
    assert np.allclose(spec.travel(x[:1], x[1:2]), 0.005 * scaled.cost(x[:1], x[1:2]) + 3)


def test_own_places_are_kept_to(folder):
    columns = {"lon": [9.41, 9.43], "lat": [47.56, 47.56]}
    spec = read(folder, {"allowed": "lake.geojson", "cell": 250}, places={"columns": columns})
    assert spec.space.size == 2


def test_a_projected_map_has_the_unit_that_its_cost_says(folder):
    ground = {"allowed": "pond.geojson", "cell": 1, "geographic": False}
    spec = read(folder, ground, travel={"kind": "map", "unit": "km"})
    assert (spec.space.names, spec.unit, spec.space.size) == (("x", "y"), "km", 32)


@pytest.mark.parametrize(
    ("ground", "more", "why"),
    [
        ({"allowed": "lake.geojson"}, {}, r"map\.cell is missing"),
        ({"allowed": "lake.geojson", "cell": -2}, {}, r"map\.cell must be above 0"),
        ({"allowed": "sea.geojson", "cell": 9}, {}, r"map\.allowed: .*sea\.geojson: no such file"),
        ({"allowed": "torn.geojson", "cell": 9}, {}, r"map\.allowed: .*torn\.geojson: not valid GeoJSON"),
        ({"allowed": 3, "cell": 9}, {}, r"map\.allowed must be text"),
        ({"cell": 9}, {}, "map: a map needs polygons"),
        ({"allowed": "lake.geojson", "cell": 250, "moves": "all"}, {}, r"map\.moves"),
        ({"allowed": "lake.geojson", "cell": 250, "bounds": [1, "x"]}, {}, r"map\.bounds\[1\]"),
        ({"allowed": "lake.geojson", "cel": 250}, {}, r"map\.cel: unknown key; did you mean .cell"),
        (
            {"allowed": "lake.geojson", "cell": 250},
            {"travel": {"kind": "map", "unit": "km"}},
            r"travel\.unit: a geographic map is in m; .*scaled",
        ),
        (
            {"allowed": "lake.geojson", "cell": 250, "once": True},
            {"places": {"columns": {"lon": [9.41], "lat": [47.56]}}},
            r"map\.once is about the cells",
        ),
    ],
)
def test_what_is_wrong_with_a_map_is_said_with_its_path(folder, ground, more, why):
    with pytest.raises(InvalidInput, match=why):
        read(folder, ground, **more)


def ponds(folder, start, **more):
    ground = {"allowed": "ponds.geojson", "cell": 1, "geographic": False} | more.pop("ground", {})
    return read(folder, ground, start=start, **more)


def test_the_study_keeps_to_the_water_that_it_starts_on(folder):
    assert ponds(folder, {"x": 0.5, "y": 0.5}).space.size == 24
    with pytest.warns(UserWarning, match="12 of its 37 open cells can be reached from start, and 24 others"):
        spec = ponds(folder, {"x": 8.5, "y": 0.5})
    assert spec.space.size == 12
    assert spec.space.table[:, 0].min() == 7.5


def test_a_place_on_the_shore_counts_as_the_open_cell_that_it_snaps_to(folder):
    spec = ponds(folder, {"x": 6.3, "y": 0.5}, ground={"snap": 1}, home={"x": 5.5, "y": 0.5})
    assert spec.travel(spec.start[None, :], np.array([[5.5, 0.5], [4.5, 0.5]])).tolist() == [[0, 1]]
    assert_same(read_spec(through_json(write_spec(spec))), spec)


def test_who_does_not_move_over_the_map_may_start_off_it(folder):
    travel = {"kind": "euclidean", "unit": "m"}
    for start in ({"x": 6.3, "y": 2}, {"x": -3, "y": 9}, {"x": 8.5, "y": 1}):
        assert ponds(folder, start, travel=travel).space.size == 24


HERE = {"x": 0.5, "y": 0.5}


@pytest.mark.parametrize(
    ("start", "more", "why"),
    [
        ({"x": 11.5, "y": 0.5}, {}, r"^start: the place \(x=11.5, y=0.5\) is open, but no way leads from there"),
        (HERE, {"home": {"x": 8.5, "y": 1}}, r"^home: the place \(x=8.5, y=1\) is open, but no way leads"),
        (
            {"x": 6.3, "y": 2},
            {},
            r"^start: .* blocked cell \(row 2, column 6\) of the map; the nearest open place is "
            r"\(x=[57].5, y=2.5\), 1 away; go there, or let map.snap be as far$",
        ),
        (HERE, {"anchor": {"x": 6.3, "y": 2}, "anchor_every": 2}, r"^anchor: .* blocked .* 1 away$"),
        ({"x": -3, "y": 9}, {}, r"^start: .* off the map, which has x from 0.5 to 11.5 and y from 0.5 to 3.5$"),
        ({"x": 2, "y": 9}, {}, r"^start: .* off the map, .* with x and y swapped; polygons have x first"),
        (HERE, {"ground": {"snap": -1}}, r"^map\.snap must not be negative"),
        (HERE, {"ground": {"snap": "near"}}, r"^map: snap of a Raster must be a distance or 'nearest'"),
        ({"x": "a", "y": 1}, {}, r"^start\.x must be a number"),
    ],
)
def test_a_place_that_is_not_on_the_map_is_refused_with_what_the_map_has_to_do_with_it(folder, start, more, why):
    with pytest.raises(InvalidInput, match=why):
        ponds(folder, start, **more)


@pytest.mark.parametrize("start", [(9.43, 47.56), (9.40, 47.55)], ids=["inside", "at the corner"])
def test_polygons_with_latitude_first_are_told_from_a_start_off_the_map(folder, start):
    ground = {"allowed": "lake-swapped.geojson", "cell": 250}
    with pytest.raises(InvalidInput) as refused:
        read(folder, ground, start=dict(zip(("lon", "lat"), start, strict=True)))
    assert "is off the map, but on it with lon and lat swapped; GeoJSON has longitude first" in str(refused.value)


def test_without_a_map_there_is_no_cost_of_that_kind(folder):
    with pytest.raises(InvalidInput, match=r"travel\.kind"):
        read_spec({**HEAD, "travel": {"kind": "map"}, "axis": [{"name": "x", "low": 0, "high": 1}]})

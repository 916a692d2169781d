"""Names that say what an axis is, and polygons that are none."""

import math
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare.errors import InvalidInput
from wayfare.space.geographic import LATITUDE, LONGITUDE, latitudes, longitudes, read_polygons

LETTERS = st.text(string.ascii_letters + "åéß", max_size=6)
BETWEEN = st.text("_- ().:/0123456789°", min_size=1, max_size=3)
OTHER = LETTERS.filter(lambda word: word.casefold() not in (*LATITUDE, *LONGITUDE))
SIDES = st.lists(st.tuples(OTHER, BETWEEN), max_size=2).map(lambda parts: "".join(map("".join, parts)))
CASES = st.sampled_from([str.lower, str.upper, str.title])


@given(SIDES, st.sampled_from(LATITUDE), st.sampled_from(LONGITUDE), CASES, BETWEEN, OTHER)
def test_a_name_says_what_one_of_its_words_does(before, lat, lon, cased, gap, after):
    north, east = (before + cased(word) + gap + after for word in (lat, lon))
    assert latitudes([east, north]) == [north]
    assert longitudes([east, north]) == [east]
    assert latitudes([north + gap + lon]) == longitudes([north + gap + lon]) == []


@given(LETTERS.filter(bool), st.sampled_from(LATITUDE + LONGITUDE), LETTERS)
def test_letters_within_a_word_say_nothing(before, word, after):
    name = before + word + after
    if name.casefold() not in (*LATITUDE, *LONGITUDE):
        assert latitudes([name]) == longitudes([name]) == []


@given(SIDES, st.sampled_from(LATITUDE), CASES)
def test_a_name_that_is_the_word_goes_before_those_that_have_it(before, lat, cased):
    assert latitudes([before + "x lat", cased(lat)]) == [cased(lat)]


@pytest.mark.parametrize("name", ["plateau", "flat", "lateral", "longevity", "colony", "london", "along", "", "7"])
def test_other_names_say_neither(name):
    assert latitudes([name]) == longitudes([name]) == []


@pytest.mark.parametrize(
    ("lat", "lon"),
    [
        ("lat_deg", "lon_deg"),
        ("site_lat", "site_lng"),
        ("Latitude (deg)", "Longitude (deg)"),
        ("LAT", "LONG"),
        ("lat1", "lon1"),
        ("gps.latitude", "gps.longitude"),
    ],
)
def test_names_in_use_are_known(lat, lon):
    assert (latitudes([lon, lat]), longitudes([lon, lat])) == ([lat], [lon])


SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]]}


def square(*corners):
    return {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], *corners, [0, 0]]]}


def nested(levels):
    shape = SQUARE
    for _ in range(levels):
        shape = {"type": "GeometryCollection", "geometries": [shape]}
    return shape


HOSTILE = {
    "text for numbers": square(["0", "4"]),
    "text in a multipolygon": {"type": "MultiPolygon", "coordinates": [square(["0", "4"])["coordinates"]]},
    "no number": square([math.nan, 4]),
    "no end": square([math.inf, 4]),
    "beyond floats": square([10**400, 4]),
    "beyond squares": square([0, 1e200]),
    "one number": square([4]),
    "four numbers": square([0, 4, 1, 1]),
    "a table": square({"x": 0, "y": 4}),
    "null": square(None),
    "text": {"type": "Polygon", "coordinates": "0 0 4 0 4 4"},
    "a number": {"type": "MultiPolygon", "coordinates": 7},
    "deep": {"type": "Polygon", "coordinates": [[[[[[[0]]]]]]]},
    "features that are text": {"type": "FeatureCollection", "features": "all"},
    "features that are a table": {"type": "FeatureCollection", "features": {"a": SQUARE}},
    "features that are a number": {"type": "FeatureCollection", "features": 7},
    "a geometry that is text": {"type": "Feature", "geometry": "lake"},
    "a kind that is a list": {"type": ["Polygon"], "coordinates": []},
    "many collections": nested(30),
    "endless collections": nested(900),
    "nothing": {},
}


@pytest.mark.parametrize("case", HOSTILE)
def test_polygons_that_are_none_are_refused_in_one_line(case):
    pytest.importorskip("shapely")
    with pytest.raises(InvalidInput) as refused:
        read_polygons(HOSTILE[case], False, "allowed")
    said = str(refused.value)
    assert said.startswith("allowed")
    assert "\n" not in said
    assert len(said) < 300


def test_nested_collections_and_features_without_a_place_are_read():
    pytest.importorskip("shapely")
    features = [{"type": "Feature", "geometry": None}, {"type": "Feature", "geometry": nested(3)}]
    assert read_polygons({"type": "FeatureCollection", "features": features}, False, "allowed").area == 16


def comb(teeth, swapped):
    """A polygon of thin teeth from one edge to the other, up or sideways."""
    tops = [at for i in range(teeth) for at in ((i, 1), (i, teeth), (i + 0.5, teeth), (i + 0.5, 1))]
    corners = [(0, 0), *tops, (teeth, 0), (0, 0)]
    return {"type": "Polygon", "coordinates": [[(y, x) if swapped else (x, y) for x, y in corners]]}


def test_polygons_that_cross_all_over_are_refused_before_they_are_joined(monkeypatch):
    """Two combs of some kilobytes cross millions of times, and joining them takes minutes."""
    shapely = pytest.importorskip("shapely")
    assert read_polygons([comb(20, False), comb(20, True)], False, "allowed").area > 0
    monkeypatch.setattr(shapely, "union_all", lambda shapes: pytest.fail("they were joined"))
    with pytest.raises(InvalidInput, match="allowed: the edges of its polygons cross too often; join them first"):
        read_polygons([comb(1500, False), comb(1500, True)], False, "allowed")

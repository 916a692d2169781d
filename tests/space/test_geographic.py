"""Names that say what an axis is."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare.space.geographic import LATITUDE, LONGITUDE, latitudes, longitudes

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

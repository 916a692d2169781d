import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare.errors import InvalidInput
from wayfare.space import Choice, Places, Real, Space
from wayfare.space.geographic import RADIUS
from wayfare.testing.travel import TravelCostContract
from wayfare.travel import Haversine
from wayfare.travel.check import is_metric

DEGREES = st.tuples(st.floats(-90, 90), st.floats(-180, 360))
HALF_WAY = math.pi * RADIUS
SEA = Space(Real("lat", 50, 70), Real("lon", -20, 30))


def metres(*pair):
    return Haversine(0, 1)(np.array([pair[0]], dtype=float), np.array([pair[1]], dtype=float)).item()


# Great circles as printed by their sources, to 0.1%.
PUBLISHED = [
    # Rosetta Code, "Haversine formula": Nashville (BNA) to Los Angeles (LAX), 2886.44 km at R = 6371.
    ((36.12, -86.67), (33.94, -118.40), 2_886_444),
    # Movable Type Scripts, "Calculate distance between two points": Land's End to John o' Groats, 968.9 km.
    ((50 + 3 / 60 + 59 / 3600, -5 - 42 / 60 - 53 / 3600), (58 + 38 / 60 + 38 / 3600, -3 - 4 / 60 - 12 / 3600), 968_900),
    # Ed Williams, "Aviation Formulary": LAX to JFK, 2144 nautical miles.
    ((33 + 57 / 60, -118 - 24 / 60), (40 + 38 / 60, -73 - 47 / 60), 2144 * 1852),
]


@pytest.mark.parametrize(("origin", "target", "published"), PUBLISHED)
def test_it_is_what_has_been_published(origin, target, published):
    assert metres(origin, target) == pytest.approx(published, rel=1e-3)


@pytest.mark.parametrize(
    ("origin", "target", "share"),
    [
        ((0, 0), (90, 0), 1 / 2),
        ((0, 0), (0, 90), 1 / 2),
        ((90, 0), (-90, 77), 1),
        ((90, -130), (90, 50), 0),
        ((0, 0), (0, 180), 1),
        ((12, 34), (-12, -146), 1),
        ((0, 179), (0, -179), 1 / 90),
        ((0, 359), (0, 1), 1 / 90),
        ((0, -10), (0, 350), 0),
        ((80, 0), (80, 180), 1 / 9),
        ((45, 10), (46, 10), 1 / 180),
    ],
)
def test_ways_that_are_parts_of_a_half_circle(origin, target, share):
    assert metres(origin, target) == pytest.approx(share * HALF_WAY, rel=1e-12, abs=1e-8)


def test_near_places_keep_their_digits():
    assert metres((60, 25), (60 + 1e-9, 25)) == pytest.approx(math.radians(1e-9) * RADIUS, rel=1e-5)


@given(DEGREES, DEGREES)
def test_it_is_the_angle_between_the_two_directions(one, other):
    def direction(lat, lon):
        lat, lon = math.radians(lat), math.radians(lon)
        return np.array([math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)])

    a, b = direction(*one), direction(*other)
    angle = math.atan2(np.linalg.norm(np.cross(a, b)), a @ b)
    assert metres(one, other) == pytest.approx(angle * RADIUS, rel=1e-9, abs=1e-6)


@given(st.lists(DEGREES, min_size=3, max_size=6))
def test_it_is_a_metric_all_over_the_earth(places):
    x = np.array(places)
    costs = Haversine(0, 1)(x, x)
    assert np.array_equal(costs, costs.T)
    assert is_metric(np.where(costs < 1e-3, 0, costs) + 1e-3 * (1 - np.eye(len(x))))  # to a millimetre


@pytest.mark.parametrize(
    ("cost", "unit", "per_metre"),
    [
        (Haversine(0, 1), "m", 1),
        (Haversine(0, 1, unit="km"), "km", 1e-3),
        (Haversine(0, 1, speed=4), "s", 1 / 4),
        (Haversine(0, 1, speed=4, unit="min"), "min", 1 / 240),
        (Haversine(0, 1, 4, "h"), "h", 1 / 14400),
    ],
)
def test_the_unit_says_what_is_paid(cost, unit, per_metre):
    x = np.array([[60.0, 20.0], [61.0, 24.0]])
    assert cost.unit == unit
    assert cost(x[:1], x[1:]).item() == pytest.approx(per_metre * metres(*x))


@pytest.mark.parametrize(
    ("cost", "space"),
    [
        (Haversine("lat", "lon"), SEA),
        (
            Haversine("lat", "lon", speed=5, unit="h"),
            Space(Real("lon", 0, 360), Choice("net", ["a", "b"]), Real("lat", -90, 90)),
        ),
        (Haversine("phi", "lambda"), Places([[0.0, 179.5], [1.0, -179.5], [90.0, 0.0]], ["phi", "lambda"])),
    ],
    ids=["sea", "earth", "places"],
)
class TestHaversine(TravelCostContract):
    @pytest.fixture
    def cost(self, cost):
        return cost

    @pytest.fixture
    def space(self, space):
        return space

    def test_it_is_a_value(self, cost, bound):
        assert cost == cost
        assert isinstance(hash(bound), int)


@pytest.mark.parametrize(
    "names",
    [
        ("lat", "lon"),
        ("Latitude", "Longitude"),
        ("y", "x"),
        ("london", "x"),
        ("lon", "y"),
        ("longevity", "lateral"),
        ("colony", "plateau"),
        ("lat along lon", "lon along lat"),
    ],
)
def test_names_alone_are_no_cause_for_alarm(names):
    lat, lon = Real(names[0], 40, 60), Real(names[1], -20, 100)
    assert Haversine(*names).bind(Space(lat, lon)) == Haversine(0, 1).bind(Space(lat, lon))
    assert Haversine(*names).bind(Space(lon, lat)) == Haversine(1, 0).bind(Space(lon, lat))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Haversine("lat", "lon", speed=0), "speed of a Haversine must be above 0, got 0"),
        (lambda: Haversine("lat", "lon", speed=-3), "speed of a Haversine must be above 0, got -3"),
        (lambda: Haversine("lat", "lon", unit="s"), "without a speed must be one of m, km, got 's'; for another"),
        (lambda: Haversine("lat", "lon", 3, "km"), "with a speed must be one of s, min, h, got 'km'"),
        (lambda: Haversine("lon", "lat"), "latitude of a Haversine is 'lon' and its longitude 'lat': swapped?"),
        (lambda: Haversine("Lng_deg", "Lat_deg"), "'Lng_deg' and its longitude 'Lat_deg': swapped?"),
        (lambda: Haversine("site_lon", "site_lat"), "'site_lon' and its longitude 'site_lat': swapped?"),
        (
            lambda: Haversine("Longitude (deg)", "Latitude (deg)"),
            "'Longitude (deg)' and its longitude 'Latitude (deg)': swapped?",
        ),
        (lambda: Haversine(1, 0).bind(SEA), "is 'lon' and its longitude 'lat': swapped? It takes the lat"),
        (lambda: Haversine("lat", "lat").bind(SEA), "must each be named once"),
        (lambda: Haversine("lat", "lon")(np.zeros((1, 2)), np.zeros((1, 2))), "call cost.bind(space) first"),
        (
            lambda: Haversine("lat", "lon").bind(Space(Real("lat", -123, -121), Real("lon", 36, 38))),
            "the latitude of axis 'lat' must be within 90 degrees, got -121 at the place (lat=-121, lon=38); "
            "are latitude and longitude swapped?",
        ),
        (
            lambda: Haversine("lat", "lon").bind(Space(Real("lat", 0, 90.5), Real("lon", 100, 120))),
            "the latitude of axis 'lat' must be within 90 degrees, got 90.5 at the place (lat=90.5, "
            "lon=120); give it in degrees",
        ),
        (
            lambda: Haversine("lat", "lon").bind(Places([[3.0, 5.0], [95.0, 5.0], [7.0, 5.0]], ["lat", "lon"])),
            "got 95 at the place (lat=95, lon=5); are latitude and longitude swapped?",
        ),
        (
            lambda: Haversine("lat", "lon").bind(Space(Real("lat", 0, 60), Real("lon", 0, 500_000))),
            "the longitude of axis 'lon' must be within 360 degrees, got 500000 at the place (lat=60, lon=",
        ),
        (
            lambda: Haversine(0, 1)(np.zeros((1, 2)), np.array([[91.0, 1.0]])),
            "the latitude must be within 90 degrees, got 91 at the place [91.0, 1.0]",
        ),
    ],
)
def test_bad_degrees_and_speeds_are_refused(make, message):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert message in str(refused.value)

"""Pictures of studies on a map: true to scale, around what is in the way, and with what must be seen."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure

from wayfare.planning.method import Method
from wayfare.plot.stops import Badge, merged, plot_stops, stop_axes
from wayfare.policy import Uniform
from wayfare.policy.schedule import Fixed
from wayfare.space import Choice, Integer, Real, Space
from wayfare.study.study import Study
from wayfare.travel import Euclidean, Fee, Haversine, Raster

from .studies import make_study, route_axes

LAKE = np.ones((7, 9))
LAKE[1:6, 4] = 0  # an island from north to south


def on_lake(told=6, out=0, **changes):
    """A study over a lake of two km by four, with an island across."""
    raster = Raster(LAKE, "east", "north", columns=(0, 4), rows=(2, 0), unit="km")
    options = {"travel": raster, "trials": 20, "method": Method(Uniform(), Fixed(6)), "name": "lake"}
    study = Study.create(raster.places(), direction="maximize", **(options | changes))
    for _ in range(told):
        study.tell(study.ask(), 0.5)
    for _ in range(out):
        study.ask(wait=False)
    return raster, study


def line(ax, label):
    return next(artist for artist in ax.lines if artist.get_label() == label).get_xydata()


def is_water(raster, xy):
    pieces = [a + np.linspace(0, 1, 101)[:, None] * (b - a) for a, b in pairwise(xy)]
    return all((raster.covers(p + 1e-7) | raster.covers(p - 1e-7)).all() for p in pieces)


def test_the_path_and_the_route_ahead_stay_on_the_water():
    raster, study = on_lake(told=4, start=[0.0, 1.0])
    ax = route_axes(study)
    assert len(line(ax, "route ahead")) > 1
    assert is_water(raster, line(ax, "path"))
    assert is_water(raster, line(ax, "route ahead"))
    assert not is_water(raster, np.array([trial.x for trial in study.trials]))


def test_the_way_on_a_run_sheet_stays_on_the_water():
    raster, study = on_lake(told=0, out=6, start=[0.0, 1.0], home="start")
    ax = plot_stops(study.state, range(6), stop_axes(study.state), Figure().subplots())
    assert is_water(raster, line(ax, "way"))
    assert is_water(raster, line(ax, "way home"))


def test_a_way_by_home_goes_there():
    home = {"lat": 47.5, "lon": 9.2}
    study = make_flight(home)
    numbers = [trial.number for trial in study.trials if trial.value is None]
    assert any(study.trials[number].home_first for number in numbers)
    ax = plot_stops(study.state, numbers, ("lon", "lat"), Figure().subplots())
    way = line(ax, "way").tolist()
    homes = sum(study.trials[number].home_first for number in numbers)
    assert way.count([9.2, 47.5]) == 2 + homes  # where one stands, and the first trial there
    assert line(ax, "from home").tolist() == [[9.2, 47.5]]


def make_flight(home):
    space = Space(Real("lat", 47.5, 47.7), Real("lon", 9.2, 9.6))
    study = Study.create(
        space,
        direction="maximize",
        travel=Haversine("lat", "lon", unit="km"),
        start=home,
        home=home,
        trip=80.0,
        dwell=25.0,
        trials=6,
        method=Method(Uniform(), Fixed(6)),
    )
    for _ in range(4):
        study.ask(wait=False)
    return study


def test_a_map_is_drawn_before_a_busier_height_and_true_to_scale():
    space = Space(Real("alt", 0, 100), Real("lat", 59.9, 60.1), Real("lon", 9, 9.4))
    ax = route_axes(make_study(space, travel=Fee(1.0)))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("lon", "lat")
    assert ax.get_aspect() == pytest.approx(2.0, rel=0.02)
    mirrored = route_axes(make_study(space, travel=Fee(1.0)), axes=("lat", "lon"))
    assert mirrored.get_aspect() == pytest.approx(0.5, rel=0.02)
    assert route_axes(make_study(space, travel=Fee(1.0)), axes=("lat", "alt")).get_aspect() == "auto"


def test_the_travel_cost_says_what_is_a_map_whatever_the_names():
    space = Space(Real("depth", 0, 100), Real("phi", 59.9, 60.1), Real("lambda", 9, 9.4))
    ax = route_axes(make_study(space, travel=2 * Haversine("phi", "lambda") + Fee(1.0)))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("lambda", "phi")
    assert ax.get_aspect() == pytest.approx(2.0, rel=0.02)
    assert route_axes(on_lake()[1]).get_aspect() == 1.0
    assert route_axes(make_study(travel=Euclidean())).get_aspect() == "auto"


def test_cells_that_are_no_squares_are_drawn_in_their_shape():
    raster = Raster(np.ones((5, 5)), "x", "y", cell=(100.0, 300.0))
    study = make_study(raster.places(), travel=raster)
    assert route_axes(study).get_aspect() == pytest.approx(3.0)


def test_the_caption_tells_one_latitude_from_another():
    space = Space(Real("lat", 52.1, 52.1003), Real("lon", 9.0, 9.2), Real("alt", 0, 90))
    study = make_study(space, travel=Fee(1.0))
    words = [text.get_text() for text in route_axes(study, axes=("lon", "alt")).texts]
    held = next(text for text in words if text.startswith("slice")).splitlines()[0].rpartition(" = ")[2]
    assert float(held) == pytest.approx(study.best().params["lat"], abs=3e-6)


def regions(ax):
    return [(*patch.get_xy(), patch.get_width(), patch.get_height()) for patch in ax.patches if patch.get_hatch()]


def test_forbidden_regions_are_hatched_where_the_slice_cuts_them():
    axes = (Real("a", 0, 10), Integer("n", 1, 6), Choice("metal", ["Pd", "Ni"]))
    forbidden = [{"a": (8, None), "n": (5, 6)}, {"a": (None, 1)}, {"a": (4, 5), "metal": ["Pd"]}]
    study = make_study(Space(*axes, forbidden=forbidden), travel=Fee(1.0))
    ax = route_axes(study, axes=("a", "n"))
    found = [(8.0, 4.5, 2.0, 2.0), (0.0, 0.5, 1.0, 6.0)]
    if study.best().params["metal"] == "Pd":
        found.append((4.0, 0.5, 1.0, 6.0))
    assert regions(ax) == found
    assert [text.get_text() for text in ax.get_legend().get_texts()].count("forbidden") == 1
    bands = regions(route_axes(study, axes=("a", "metal")))
    assert (4.0, -0.5, 1.0, 1.0) in bands
    assert regions(route_axes(make_study())) == []


def test_a_home_that_is_not_the_start_is_marked():
    home = {"home": [3.0, 0.0], "budget": 30.0}
    ax = route_axes(on_lake(told=3, start=[0.0, 1.0], **home)[1])
    assert line(ax, "home").tolist() == [[3.0, 0.0]]
    assert "home" in [text.get_text() for text in ax.get_legend().get_texts()]
    same = route_axes(on_lake(told=3, start=[3.0, 0.0], **home)[1])
    assert "home" not in [artist.get_label() for artist in same.lines]


def test_numbers_that_would_cover_each_other_share_a_badge():
    at = np.array([[0.0, 0], [3, 0], [6, 1], [90, 0], [93, 2], [200, 0]])
    badges = merged([Badge((n,), (row,), at[row]) for row, n in enumerate((4, 5, 6, 7, 9, 12))])
    assert [badge.text for badge in badges] == ["4–6", "7, 9", "12"]
    assert badges[1].middle.tolist() == [91.5, 1.0]


def test_no_two_badges_of_a_run_sheet_overlap():
    _, study = on_lake(told=0, out=19)
    ax = plot_stops(study.state, range(19), stop_axes(study.state), Figure(figsize=(3, 2)).subplots())
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent().shrunk(0.9, 0.9) for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    told = sum(1 + int(end or start) - int(start) for start, _, end in numbers_of(ax))
    assert told == 19


def numbers_of(ax):
    return [part.partition("–") for text in ax.texts for part in text.get_text().split(", ")]

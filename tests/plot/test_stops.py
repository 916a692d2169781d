"""The picture on a run sheet: numbered stops, the way to them, and no results needed."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

from wayfare.errors import InvalidInput
from wayfare.plot.stops import plot_stops, stop_axes
from wayfare.space import Choice, Places, Real, Space

from .studies import MIXED, SQUARE, make_study


def drawn(study, axes):
    numbers = [trial.number for trial in study.state.open_trials]
    return plot_stops(study, numbers, axes, Figure().subplots())


def out(study, n):
    for _ in range(n):
        study.ask(wait=False)
    return study


def test_the_line_goes_from_where_one_stands_through_the_trials_out():
    study = out(make_study(told=3), 4)
    ax = drawn(study, ("east_m", "north_m"))
    gone, way, here = (line.get_xydata() for line in ax.lines)
    places = np.array([trial.x for trial in study.trials])
    assert np.array_equal(way, places[2:])
    assert np.array_equal(gone, places[:3])
    assert np.array_equal(here, places[2:3])
    assert [text.get_text() for text in ax.texts] == ["3", "4", "5", "6"]


def test_a_study_without_results_or_start_is_drawn():
    study = out(make_study(told=0), 2)
    gone, way, here = (line.get_xydata() for line in drawn(study, ("east_m", "north_m")).lines)
    assert (len(gone), len(way), len(here)) == (0, 2, 0)


def test_trials_at_one_spot_share_a_mark():
    study = out(make_study(told=0), 1)
    study.insert(dict(study.trials[0].params))
    assert [text.get_text() for text in drawn(study, ("east_m", "north_m")).texts] == ["0, 1"]


def test_longitude_goes_across_and_latitude_up_as_on_a_map():
    space = Space(Real("depth", 0, 9), Real("Lat", 59, 61), Real("lon", 9, 13))
    study = out(make_study(space, told=0), 3)
    assert stop_axes(study.state) == ("lon", "Lat")
    ax = drawn(study, ("lon", "Lat"))
    assert ax.get_aspect() == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize(
    ("space", "axes"),
    [
        (SQUARE, ("east_m", "north_m")),
        (Space(Real("x", 0, 1), Choice("c", ["a", "b"])), None),
        (Places([{"site": "a", "x": 1, "y": 2}, {"site": "b", "x": 3, "y": 5}]), ("x", "y")),
    ],
)
def test_two_axes_of_numbers_are_drawn_where_there_are_two(space, axes):
    assert stop_axes(out(make_study(space, told=0), 1).state) == axes


def test_a_space_of_another_kind_is_not_drawn():
    state = SimpleNamespace(spec=SimpleNamespace(space=object()))
    assert stop_axes(state) is None


def test_of_many_axes_two_with_numbers_are_drawn():
    study = out(make_study(MIXED, told=0), 3)
    first, second = stop_axes(study.state)
    assert {first, second} < {"temp_C", "flow", "stages"}


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        (("temp_C", "metal"), "'metal' is a choice"),
        (("temp_C", "temp_C"), "two different names"),
        (("temp_C", "none"), "there is no axis 'none'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(axes, words):
    with pytest.raises(InvalidInput, match=words):
        drawn(out(make_study(MIXED, told=0), 1), axes)

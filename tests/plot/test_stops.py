"""The picture on a run sheet: numbered stops, the way to them, and no results needed."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

from wayfare.errors import InvalidInput
from wayfare.plot.stops import explained, plot_stops, stop_axes
from wayfare.space import Choice, Places, Real, Space

from .studies import MIXED, SQUARE, make_study


def drawn(study, axes):
    numbers = [trial.number for trial in study.state.open_trials]
    return plot_stops(study.state, numbers, axes, Figure().subplots())


def lines(ax):
    """Return what is drawn by lines and marks, under its label."""
    return {line.get_label(): line.get_xydata() for line in ax.lines}


def out(study, n):
    for _ in range(n):
        study.ask(wait=False)
    return study


def test_the_line_goes_from_where_one_stands_through_the_trials_out():
    study = out(make_study(told=3), 4)
    ax = drawn(study, ("east_m", "north_m"))
    found, places = lines(ax), np.array([trial.x for trial in study.trials])
    assert set(found) == {"visited", "way", "from"}
    assert np.array_equal(found["way"], places[2:])
    assert np.array_equal(found["visited"], places[:3])
    assert np.array_equal(found["from"], places[2:3])
    assert explained(ax) == "Square: from where. Grey: visited before."
    assert [text.get_text() for text in ax.texts] == ["3", "4", "5", "6"]


def test_a_study_without_results_or_start_is_drawn():
    study = out(make_study(told=0), 2)
    ax = drawn(study, ("east_m", "north_m"))
    assert {label: len(line) for label, line in lines(ax).items()} == {"way": 2}
    assert explained(ax) == ""


@pytest.mark.parametrize("told", [0, 3])
def test_the_last_way_home_is_drawn_from_the_last_stop(told):
    home = [0.0, 0.0]
    study = out(make_study(told=told, start=home, home="start"), 4)
    ax = drawn(study, ("east_m", "north_m"))
    last = study.trials[-1].x.tolist()
    assert lines(ax)["way home"].tolist() == [last, home]
    if told:
        assert lines(ax)["home"].tolist() == [home]
        words = "Square: from where. Pentagon: home. Dashed: the way home. Grey: visited before."
    else:
        assert lines(ax)["from home"].tolist() == [home]
        words = "Square: from where, and home. Dashed: the way home."
    assert explained(ax) == words


def test_where_the_way_begins_is_seen_behind_a_stop_there():
    study = out(make_study(told=0, start=[0.0, 0.0]), 3)
    (covered,) = (line for line in drawn(study, ("east_m", "north_m")).lines if line.get_label() == "from")
    study.tell(0, 1.0)
    (alone,) = (line for line in drawn(study, ("east_m", "north_m")).lines if line.get_label() == "from")
    assert covered.get_markersize() > 1.5 * alone.get_markersize()


def test_who_ends_up_at_home_has_no_way_there():
    study = make_study(told=0, start=[0.0, 0.0], home={"east_m": 3.0, "north_m": 4.0})
    study.insert({"east_m": 3.0, "north_m": 4.0})
    assert set(lines(drawn(study, ("east_m", "north_m")))) == {"way", "from", "home"}


def test_regions_that_are_forbidden_whatever_the_other_axes_are_are_hatched():
    space = Space(
        Real("x", 0, 10),
        Real("y", 0, 10),
        Real("z", 0, 10),
        Choice("gas", ["N2", "Ar"]),
        Real("p", 1, 1),
        forbidden=[
            {"x": (2, 4), "y": (3, 6)},
            {"x": (6, 7), "p": (0, 2)},
            *({"x": (8, 9), "z": part} for part in ((0, 4), (5, 10))),
            *({"y": (8, 9), "gas": [gas]} for gas in ("N2", "Ar")),
        ],
    )
    ax = drawn(out(make_study(space, told=0), 2), ("x", "y"))
    assert [patch.get_bbox().bounds for patch in ax.patches] == [(2, 3, 2, 3), (6, 0, 1, 10)]
    assert explained(ax) == "Hatched: forbidden."


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

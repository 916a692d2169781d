from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from attrs import evolve
from matplotlib.colors import BoundaryNorm

from wayfare.errors import InvalidInput, TooEarly
from wayfare.plot import plot_belief
from wayfare.plot.belief import MOST_SLICES, MOST_VALUES, Subject
from wayfare.space import Choice, Integer, Places, Real, Space
from wayfare.surrogate.measured import Measured
from wayfare.surrogate.visit import VisitPosterior

from .studies import LINE, MIXED, SITES, SQUARE, make_study

TWO = Space(Real("temp_C", 40, 120), Choice("metal", ["Pd", "Ni", "Cu"]))


def panels(figure):
    """The panels, without the colour bars."""
    return [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]


def scales(figure):
    return [ax for ax in figure.axes if ax.get_label() == "<colorbar>"]


def lines(ax, label):
    return [artist for artist in ax.lines if artist.get_label() == label]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def with_failure(study):
    study.fail(study.ask())
    return study


@pytest.fixture
def limited(monkeypatch):
    """Every study measures the first column and limits it to 5; the probabilities fall from 1 to 0."""

    def history(subject):
        known = subject.state.history
        return evolve(known, limits=(Measured("pressure", at_most=5.0),), measured=known.x[:, :1])

    monkeypatch.setattr(Subject, "history", property(history))
    monkeypatch.setattr(VisitPosterior, "compliance", lambda self, x: np.clip(1 - x[:, 0] / 10, 0, 1))


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_one_axis_shows_the_mean_its_interval_and_the_results(direction):
    study = make_study(LINE, direction=direction)
    (ax,) = panels(plot_belief(study))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("depth_m", "value")
    (mean,) = lines(ax, "posterior mean")
    x, y = mean.get_xydata().T
    assert np.allclose(y, study.predict(x[:, None]).mean)
    band = next(one for one in ax.collections if one.get_label() == "95% interval").get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(study.predict(x[:, None]).high_95.max())
    told = {(float(one.get_xdata()[0]), float(one.get_ydata()[0])) for one in ax.lines if one.get_marker() == "o"}
    assert told == {(trial.x[0], trial.value) for trial in study.trials}


def test_two_axes_show_the_mean_and_its_sd_on_scales_that_hold_every_value():
    study = make_study()
    figure = plot_belief(study)
    mean, sd = panels(figure)
    assert [ax.get_title(loc="left") for ax in (mean, sd)] == ["posterior mean", "standard deviation"]
    assert (mean.get_xlabel(), mean.get_ylabel()) == ("east_m", "north_m")
    assert [bar.get_ylabel() for bar in scales(figure)] == ["mean of the value", "sd of the value"]
    x = SQUARE.sample(500, np.random.default_rng(0))
    for ax, values in ((mean, study.predict(x).mean), (sd, study.predict(x).sd)):
        norm = ax.collections[0].norm
        assert isinstance(norm, BoundaryNorm)
        assert norm.extend == "neither"
        assert norm.vmin <= values.min()
        assert values.max() <= norm.vmax
        assert np.allclose(np.diff(norm.boundaries), np.diff(norm.boundaries)[0])
    assert sd.collections[0].norm.vmin == 0


def test_the_scale_of_the_sd_begins_at_zero_however_unsure_it_is():
    sd = panels(plot_belief(make_study(told=3, noise=500.0)))[1].collections[0]
    assert sd.norm.vmin == 0


def test_a_failure_adds_the_probability_of_success_from_0_to_1(monkeypatch):
    monkeypatch.setattr(VisitPosterior, "success", lambda self, x: np.full(len(x), 0.95))
    figure = plot_belief(with_failure(make_study()))
    assert [ax.get_title(loc="left") for ax in panels(figure)][2:] == ["probability of success"]
    norm = panels(figure)[2].collections[0].norm
    assert (norm.vmin, norm.vmax) == (0, 1)
    assert scales(figure)[2].get_ylabel() == "probability"
    assert scales(figure)[2].get_ylim() == (0, 1)
    assert "failed" in legend(figure)
    assert all(len(lines(ax, "failed")) == 1 for ax in panels(figure))


def test_along_one_axis_the_probability_is_drawn_below_from_0_to_1(monkeypatch):
    monkeypatch.setattr(VisitPosterior, "success", lambda self, x: x[:, 0] / 10)
    upper, lower = panels(plot_belief(with_failure(make_study(LINE))))
    assert lower.get_ylim() == (0, 1)
    assert lower.get_ylabel() == "probability"
    assert lower.get_xlim() == upper.get_xlim()
    (chance,) = lines(lower, "probability of success")
    assert np.allclose(chance.get_ydata(), chance.get_xdata() / 10)
    assert lines(lower, "failed")[0].get_ydata() == [0]


def test_a_limit_adds_the_probability_of_compliance_and_marks_what_broke_it(limited):
    study = make_study(told=20)
    figure = plot_belief(study)
    assert [ax.get_title(loc="left") for ax in panels(figure)][2:] == ["probability of compliance"]
    beyond = sum(trial.x[0] > 5 for trial in study.trials)
    assert 0 < beyond < 20
    assert sum(one.get_marker() == "v" for one in panels(figure)[0].lines) == beyond
    assert "broke a limit" in legend(figure)


def test_failures_and_limits_make_four_panels(limited):
    assert len(panels(plot_belief(with_failure(make_study())))) == 4
    _, lower = panels(plot_belief(with_failure(make_study(LINE))))
    assert len(lines(lower, "probability of success") + lines(lower, "probability of compliance")) == 2


def test_a_number_and_a_choice_get_a_panel_for_each_value():
    study = make_study(TWO, told=15)
    drawn = panels(plot_belief(study))
    assert [ax.get_title(loc="left") for ax in drawn] == ["metal = Pd", "metal = Ni", "metal = Cu"]
    assert len({ax.get_ylim() for ax in drawn}) == 1
    for position, ax in enumerate(drawn):
        there = [trial for trial in study.trials if trial.x[1] == position]
        assert sum(one.get_marker() == "o" for one in ax.lines) == len(there)
        x, y = lines(ax, "posterior mean")[0].get_xydata().T
        assert np.allclose(y, study.predict(np.column_stack([x, np.full(len(x), position)])).mean)
    assert sum(bool(lines(ax, "best place")) for ax in drawn) == 1


@pytest.mark.parametrize("space", [Space(Real("t", 0, 1), Choice("s", range(11))), Space(Choice("s", range(11)))])
def test_of_many_values_of_a_choice_the_best_are_drawn_and_the_rest_are_counted(space):
    figure = plot_belief(make_study(space, told=12))
    assert f"{11 - MOST_VALUES} of 11 values of s are left out, whose mean is worst" in figure.get_suptitle()
    drawn = panels(figure)
    assert (len(drawn) if space.d == 2 else len(drawn[0].get_xticklabels())) == MOST_VALUES


def test_the_best_of_many_values_are_kept_when_minimizing():
    space = Space(Choice("s", range(11)))
    (ax,) = panels(plot_belief(make_study(space, told=25, direction="minimize")))
    assert "0" in [label.get_text() for label in ax.get_xticklabels()]
    (ax,) = panels(plot_belief(make_study(space, told=25, direction="maximize")))
    assert "0" in [label.get_text() for label in ax.get_xticklabels()]


def test_of_many_axes_each_changes_alone_through_the_best_place():
    study = make_study(MIXED, told=15, unit="s")
    best, figure = study.best(), plot_belief(study)
    drawn = panels(figure)
    assert [ax.get_xlabel() for ax in drawn] == list(MIXED.names)
    assert "each panel changes one axis of the best place: temp_C = " in figure.get_suptitle()
    assert f"metal = {best.params['metal']}" in figure.get_suptitle()
    x, y = lines(drawn[0], "posterior mean")[0].get_xydata().T
    assert np.allclose(y, study.predict([{**best.params, "temp_C": t} for t in x]).mean)
    for ax, name in zip(drawn, MIXED.names, strict=True):
        (star,) = lines(ax, "best place")
        assert star.get_ydata()[0] == best.mean
        if name in ("temp_C", "flow", "stages"):
            assert star.get_xdata()[0] == best.params[name]
    assert [text.get_text() for text in drawn[2].get_xticklabels()] == ["Pd", "Ni", "Cu"]


def test_more_axes_than_fit_are_left_out_and_counted():
    space = Space(*(Real(f"x{i}", 0, 1) for i in range(MOST_SLICES + 2)))
    figure = plot_belief(make_study(space, told=4))
    assert len(panels(figure)) == MOST_SLICES
    assert "2 of 14 axes are left out" in figure.get_suptitle()


def test_two_of_many_axes_are_a_slice_and_results_fade_with_their_distance():
    study = make_study(Space(*(Real(name, 0, 1) for name in "abc")), told=15)
    figure = plot_belief(study, axes=("a", "b"))
    best = study.best()
    assert f"slice through the best place: c = {best.params['c']:.3g}" in figure.get_suptitle()
    shown = {float(one.get_xdata()[0]): one.get_alpha() for one in panels(figure)[0].lines if one.get_marker() == "o"}
    away = {float(trial.x[0]): abs(trial.x[2] - best.params["c"]) for trial in study.trials}
    ranked = sorted(shown, key=away.__getitem__)
    assert shown[ranked[0]] == 1
    assert all(shown[near] >= shown[far] for near, far in pairwise(ranked))
    assert all(away[x] > 0.5 for x in away if x not in shown)
    assert "results, fainter the further from the slice" in legend(figure)


def test_a_table_is_drawn_as_dots_coloured_by_the_belief():
    study = make_study(SITES)
    mean, sd = panels(plot_belief(study))
    found = study.predict()
    for ax, values in ((mean, found.mean), (sd, found.sd)):
        assert np.allclose(ax.collections[0].get_offsets(), SITES.table)
        assert np.allclose(ax.collections[0].get_array(), values)


def test_visits_to_a_table_lie_on_its_dots():
    sites = Places([("s1", 1.0), ("s2", 3.0), ("s3", 2.0)], ["site", "east"])
    figure = plot_belief(with_failure(make_study(sites, told=4)))
    marked = [tuple(one.get_xydata()[0]) for one in panels(figure)[0].lines]
    assert len(marked) == 6
    assert set(marked) <= set(map(tuple, sites.table))


@pytest.mark.parametrize(
    "space",
    [
        Space(Choice("a", ["x", "y"]), Choice("b", ["u", "v", "w"])),
        Space(Integer("n", 1, 4), Real("fixed", 2, 2)),
        Space(Real("a", 0, 1), Real("b", 0.1, 10, log=True), forbidden=[{"a": (0.5, None), "b": (None, 1)}]),
        Space(Real("lat", 47, 48), Real("lon", 9, 10), Integer("depth", 1, 5)),
        Places([("s1", 1.0), ("s2", 3.0), ("s3", 2.0)], ["site", "east"]),
        Places([["a"], ["b"], ["c"]], ["arm"]),
    ],
)
def test_every_kind_of_space_is_drawn_with_failures_too(space):
    figure = plot_belief(with_failure(make_study(space, told=3)))
    figure.draw_without_rendering()
    assert panels(figure)[-1].get_xlabel()


def test_forbidden_stretches_are_hatched_along_one_axis():
    space = Space(*(Real(name, 0, 1) for name in "abc"), forbidden=[{"a": (0.8, None)}])
    figure = plot_belief(make_study(space, told=6))
    assert [len(ax.patches) for ax in panels(figure)] == [1, 0, 0]
    assert "forbidden" in legend(figure)


@pytest.mark.parametrize("space", [LINE, SQUARE, MIXED, TWO])
def test_everything_is_inside_the_figure(space):
    figure = plot_belief(with_failure(make_study(space, told=15, unit="s")))
    figure.draw_without_rendering()
    paper = figure.bbox.padded(1)
    for thing in (*figure.legends, figure._suptitle, *(ax.xaxis.label for ax in panels(figure))):
        box = thing.get_window_extent()
        assert paper.x0 <= box.x0
        assert box.x1 <= paper.x1
        assert paper.y0 <= box.y0
        assert box.y1 <= paper.y1


def test_the_study_draws_its_belief_and_the_title_may_be_given():
    figure = make_study(LINE, told=2).plot_belief(title="mine")
    assert figure.get_suptitle() == "mine"
    assert make_study(LINE, told=2).plot_belief().get_suptitle() == "s: belief after 2 results"
    assert len(plt.get_fignums()) == 2


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(TooEarly, match="no trial of 's' has been told yet"):
        plot_belief(make_study(told=0))
    with pytest.raises(InvalidInput, match="one or two different names"):
        plot_belief(make_study(MIXED, told=2), axes=("temp_C", "flow", "metal"))

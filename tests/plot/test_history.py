import numpy as np
import pytest

from wayfare.errors import InvalidInput, TooEarly
from wayfare.plot import plot_comparison
from wayfare.plot.style import SERIES
from wayfare.space import Real, Space

from .studies import LINE, bowl, history_axes, make_runs, make_study


def drawn(ax):
    return [artist.get_ydata() for artist in ax.lines]


@pytest.mark.parametrize(("direction", "running"), [("maximize", np.maximum), ("minimize", np.minimum)])
def test_above_is_the_best_so_far_and_below_the_movement_so_far(direction, running):
    study = make_study(direction=direction, start=[0, 3], unit="km")
    upper, lower = history_axes(study)
    values = np.array([trial.value for trial in study.trials])
    results, best = drawn(upper)
    assert np.allclose(results, values)
    assert np.allclose(best, running.accumulate(values))
    assert np.allclose(drawn(lower), np.cumsum([trial.leg for trial in study.trials]))
    assert lower.get_ylabel() == "cumulative movement [km]"
    assert lower.get_xlabel() == "trial"
    assert drawn(lower)[0][-1] == pytest.approx(study.ledger().paid)


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_with_an_optimum_the_regret_is_drawn_of_the_best_and_on_average(direction):
    study = make_study(direction=direction)
    upper, _ = history_axes(study, optimum=0.0)
    regret = np.array([abs(trial.value) for trial in study.trials])
    best, mean = drawn(upper)
    assert np.allclose(best, np.minimum.accumulate(regret))
    assert np.allclose(mean, np.cumsum(regret) / np.arange(1, 13))
    assert upper.get_ylabel() == "regret"
    assert upper.get_yscale() == "log"


def test_a_run_is_one_trial_on_the_axis_and_all_its_results_in_the_mean():
    upper, lower = history_axes(make_runs(), optimum=0.0)
    best, mean = drawn(upper)
    assert upper.lines[0].get_xdata().tolist() == [0, 1, 2]
    assert best.tolist() == [1.0, 1.0, 0.25]
    assert mean == pytest.approx([1.0, (3 + 30) / 13, (3 + 30 + 125) / 513])
    assert len(drawn(lower)[0]) == 4
    assert lower.get_xlabel() == "trial (a run is one)"


def test_a_result_beyond_the_optimum_makes_the_scale_linear():
    upper, _ = history_axes(make_study(), optimum=-50.0)
    assert upper.get_yscale() == "linear"


def test_the_truth_takes_the_noise_out():
    study = make_study()
    upper, _ = history_axes(study, truth=lambda x: np.arange(len(x), dtype=float))
    assert np.allclose(drawn(upper)[1], np.arange(12))


def test_several_studies_are_laid_over_one_another():
    one, other = make_study(told=12), make_study(told=8)
    _, lower = history_axes({"blind": one, "aware": other})
    assert [len(curve) for curve in drawn(lower)] == [12, 8]
    assert [artist.get_color() for artist in lower.lines] == list(SERIES[:2])
    assert [text.get_text() for text in lower.get_legend().get_texts()] == ["blind", "aware"]


def test_studies_in_a_list_go_by_their_names():
    _, lower = history_axes([make_study(name="hill"), make_study(name="bay")])
    assert [artist.get_label() for artist in lower.lines] == ["hill", "bay"]
    _, lower = history_axes([make_study(), make_study()])
    assert [artist.get_label() for artist in lower.lines] == ["s 0", "s 1"]


def test_the_study_draws_itself_on_given_axes():
    axes = history_axes(make_study(), label="here")
    assert make_study().plot_history(axes=axes) is axes[0].figure
    assert len(axes[1].lines) == 2


def test_a_late_result_leaves_a_gap_in_values_and_none_in_movement():
    study = make_study()
    study.ask()
    late = study.ask(wait=False)
    study.tell(late, 1.0)
    upper, lower = history_axes(study)
    assert upper.lines[0].get_xdata().tolist() == [*range(12), 13]
    assert len(drawn(lower)[0]) == 14


def test_what_cannot_share_a_scale_is_refused():
    with pytest.raises(InvalidInput, match="different units"):
        history_axes([make_study(unit="m"), make_study(unit="s")])
    with pytest.raises(InvalidInput, match="maximize and some minimize"):
        history_axes([make_study(), make_study(direction="minimize")])


def test_nothing_to_draw_is_refused_with_the_way_out():
    with pytest.raises(TooEarly, match=r"ask and tell first"):
        history_axes(make_study(told=0))
    with pytest.raises(InvalidInput, match="no study was given"):
        history_axes([])
    with pytest.raises(InvalidInput, match="axes must be two"):
        history_axes(make_study(), axes=[])


def test_a_comparison_has_a_panel_for_each_study_and_the_curves_of_all():
    studies = {"ucb": make_study(start=[0, 3]), "tucb": make_study(start=[0, 3], told=9)}
    figure = plot_comparison(studies, truth=bowl, optimum=1.0)
    figure.draw_without_rendering()
    panels = [ax for ax in figure.axes if ax.get_title(loc="left")]
    assert [ax.get_title(loc="left") for ax in panels] == ["ucb", "tucb"]
    for panel, study in zip(panels, studies.values(), strict=True):
        written = " ".join(text.get_text() for text in panel.texts)
        assert f"movement {study.ledger().paid:.3g} m" in written
        x = np.array([trial.x for trial in study.trials])
        assert f"mean regret {1.0 - bowl(x).mean():.3g}" in written
    movement = next(ax for ax in figure.axes if ax.get_ylabel().startswith("cumulative movement"))
    assert [len(curve) for curve in drawn(movement)] == [12, 9]


def test_a_comparison_colours_all_panels_alike_though_their_slices_differ():
    cube = Space(Real("a", 0, 1), Real("b", 0, 1), Real("c", 0, 1))
    studies = {"a": make_study(cube), "b": make_study(cube, told=1)}
    figure = plot_comparison(studies, truth=lambda x: x @ [1, 1, 1000], optimum=1002.0, axes=("a", "b"))
    levels = [ax.collections[0].norm.boundaries for ax in figure.axes if ax.get_title(loc="left")]
    assert np.array_equal(*levels)


def test_a_comparison_that_does_not_fit_is_refused():
    with pytest.raises(InvalidInput, match="1 to 4 studies"):
        plot_comparison({}, truth=bowl, optimum=0.0)
    with pytest.raises(InvalidInput, match="needs two axes"):
        plot_comparison({"a": make_study(LINE)}, truth=bowl, optimum=0.0)


def test_the_study_alone_is_named_in_the_title():
    assert history_axes(make_study(told=2, name="lake"))[0].get_title(loc="left") == "lake"
    assert history_axes([make_study(told=2), make_study(told=3)])[0].get_title(loc="left") == ""

"""Why a stop was chosen, and how much each axis matters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.plot import plot_importance
from wayfare.report.importance import total_shares

SPACE = wf.Space(wf.Real("x", 0, 1), wf.Real("y", 0, 1), wf.Choice("metal", ["Pd", "Ni"]))


def value(x, y, metal):
    return 3 * x + (metal == "Ni")


def make(**options):
    return wf.Study.create(
        SPACE,
        **{"direction": "maximize", "travel": wf.Manhattan(unit="min") + wf.Switch("metal", 2.0), "trials": 30}
        | options,
    )


def walk(study, trials, sign=1):
    for _ in range(trials):
        trial = study.ask()
        study.tell(trial, sign * value(**trial.params))
    return study


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=4).filter(lambda slopes: max(map(abs, slopes)) > 0.5))
def test_shares_of_a_sum_are_those_of_its_variance(slopes):
    """Of a sum of terms the total index of an axis is its part of the variance: a_i^2 / sum a^2 for a plane."""
    space = wf.Space(*(wf.Real(f"x{at}", 0, 1) for at in range(len(slopes))))
    shares = total_shares(lambda x: x @ np.array(slopes), space, 0)
    wanted = np.square(slopes) / np.square(slopes).sum()
    assert shares == pytest.approx(wanted, abs=0.06)


def test_axes_that_act_together_share_what_they_do():
    space = wf.Space(wf.Real("x", -1, 1), wf.Real("y", -1, 1), wf.Real("z", -1, 1))
    shares = total_shares(lambda x: x[:, 0] * x[:, 1], space, 0)
    assert shares == pytest.approx([1.0, 1.0, 0.0], abs=0.1)
    assert total_shares(lambda x: np.zeros(len(x)), space, 0).tolist() == [0.0, 0.0, 0.0]


def test_the_axis_that_does_nothing_comes_last():
    found = walk(make(), 16).importance()
    assert [one.name for one in found.axes][-1] == "y"
    assert found.axes[-1].share < 0.1
    assert found.axes[0].share > 0.5
    assert {one.name: one.length is None for one in found.axes} == {"x": False, "y": False, "metal": True}
    assert len(str(found).splitlines()) == 3
    assert "importance of the axes" in found._repr_html_()


def test_importance_is_drawn_as_bars_from_the_top():
    study = walk(make(name="a $b$"), 10)
    figure = plot_importance(study)
    (ax,) = figure.axes
    found = study.importance()
    assert [bar.get_width() for bar in ax.patches] == [one.share for one in found.axes]
    assert ax.patches[0].get_y() > ax.patches[-1].get_y()
    assert study.plot_importance(ax=ax) is figure
    figure.draw_without_rendering()


def test_tables_and_single_axes_have_an_importance_too():
    table = np.random.default_rng(0).uniform(0, 9, (12, 2))
    sites = wf.Places(table, ["a", "b"], once=True)
    study = wf.Study.create(sites, direction="minimize", travel=wf.Euclidean(), trials=12, method="random")
    for _ in range(12):
        trial = study.ask()
        study.tell(trial, trial.params["a"])
    assert [one.name for one in study.importance().axes] == ["a", "b"]


def test_before_anything_is_known_a_stop_looks_around():
    study = make()
    trial = study.ask()
    why = study.why()
    assert (why.title, why.mean, why.others) == ("trial 0", None, ())
    assert "it looks around before anything is known" in why.kind
    assert study.why(trial).leg == trial.leg


@pytest.mark.parametrize("sign", [1, -1])
def test_reasons_are_those_of_the_plan_and_do_not_change_later(sign):
    study = walk(make(direction="maximize" if sign > 0 else "minimize"), 14, sign)
    trial = study.ask()
    why = study.why()
    assert (why.title, why.leg, why.params) == (trial.title, trial.leg, trial.params)
    assert abs(why.mean - sign * value(**trial.params)) < 1
    assert 0 <= why.beats <= 1
    assert 0 < why.teaches < 1
    assert 1 <= len(why.others) <= 3
    stops = study.state.plans[trial.plan].stops
    for other in why.others:
        place = SPACE.encode(SPACE.points(dict(other.params)))
        assert np.sqrt(np.square(SPACE.encode(stops) - place).sum(axis=1)).min() > 0.1
    text = str(why)
    study.tell(trial, sign * value(**trial.params), actual={"x": 0.5})
    walk(study, 3, sign)
    assert str(study.why(trial.number)) == text
    assert "instead" in why._repr_html_()


def test_places_that_were_not_planned_say_so():
    study = walk(make(), 3)
    extra = study.insert({"x": 0.9, "y": 0.9, "metal": "Pd"}).trial
    assert study.why(extra).kind == "an extra place, asked for by hand"
    (old,) = study.add([{"x": 0.1, "y": 0.1, "metal": "Pd"}], [0.3])
    assert "known before the study" in study.why(old).kind
    with pytest.raises(wf.TooEarly, match="ask first"):
        make().why()
    with pytest.raises(wf.UnknownTrial):
        study.why(99)


def test_one_result_does_not_tell_the_axes_apart():
    space = wf.Space(wf.Real("a", 0, 1), wf.Real("b", 0, 1))
    study = wf.Study.create(space, direction="maximize", travel=wf.Euclidean(), trials=9)
    study.tell(study.ask(), 1.0)
    with pytest.raises(wf.TooEarly, match="one result of 'study' does not tell its axes apart"):
        study.importance()
    assert study.progress().repeated == "one visit so far"
    study.tell(study.ask(), 2.0)
    assert sum(axis.share for axis in study.importance().axes) > 0

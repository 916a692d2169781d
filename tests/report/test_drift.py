"""Drift: the line through repeated visits against brute force, its false alarms, and when one is warned."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import wayfare as wf
from wayfare.exchange import import_csv
from wayfare.planning.anchor import Anchor
from wayfare.report.drift import Drift, fitted_line

LINE = wf.Space(wf.Real("x", 0.0, 10.0))


def make(**changes):
    options = {"direction": "maximize", "travel": wf.Euclidean(unit="m"), "start": {"x": 0.0}, "trials": 200}
    return wf.Study.create(LINE, method="random", **(options | changes))


def visit(study, x, value, **how):
    return study.tell(study.insert({"x": x}).trial, value, **how)


@st.composite
def visits(draw):
    """Return times, values, counts and places of visits, at least four of them repeats."""
    n = draw(st.integers(8, 25))
    place = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    place = np.unique(place, return_inverse=True)[1]
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    t = np.sort(rng.choice(60, n, replace=False)).astype(float)
    return t, rng.normal(size=n) + 0.05 * t, rng.integers(1, 9, n).astype(float), place


def brute_force(t, y, weights, place):
    """Return slope, error and degrees of freedom of a regression on a dummy variable for each place."""
    design = np.column_stack([t, *(place == one for one in np.unique(place))]) * np.sqrt(weights)[:, None]
    target = y * np.sqrt(weights)
    coefficients, *_ = np.linalg.lstsq(design, target, rcond=None)
    residuals, freedom = target - design @ coefficients, len(y) - design.shape[1]
    inverse = np.linalg.inv(design.T @ design)[0, 0]
    return coefficients[0], np.sqrt(residuals @ residuals / freedom * inverse), freedom, np.sqrt(inverse)


@given(visits())
def test_the_slope_and_its_error_are_those_of_a_regression_on_places(problem):
    found = fitted_line(*problem, None, 99)
    slope, error, freedom, _ = brute_force(*problem)
    assert found.slope == pytest.approx(slope)
    assert found.error == pytest.approx(error)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(slope / error), freedom))
    assert found.repeats == freedom + 1


@given(visits(), st.floats(0.01, 100.0))
def test_with_a_known_noise_the_error_is_known_too(problem, noise):
    found = fitted_line(*problem, noise, 99)
    slope, _, _, unit_error = brute_force(*problem)
    assert found.error == pytest.approx(noise * unit_error)
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(slope) / (noise * unit_error)), rel=1e-6, abs=1e-300)


@given(visits(), st.lists(st.floats(-50.0, 50.0), min_size=4, max_size=4), st.floats(0.001, 1000.0))
def test_how_good_a_place_is_and_the_unit_change_nothing(problem, levels, unit):
    t, y, weights, place = problem
    other = fitted_line(t, unit * (y + np.array(levels)[place]), weights, place, None, 99)
    found = fitted_line(*problem, None, 99)
    assert other.slope == pytest.approx(unit * found.slope, rel=1e-6, abs=1e-9 * unit)
    assert other.p == pytest.approx(found.p, rel=1e-5)


def simulated(seed, slope, noise):
    """Return the drift found in 40 visits, every fifth at an anchor, the others each at another place."""
    rng = np.random.default_rng(seed)
    t = np.arange(40.0)
    place = np.where(t % 5 == 0, 0, t + 1).astype(int)
    y = rng.normal(size=60)[place] + rng.normal(size=40) + slope * t
    place = np.unique(place, return_inverse=True)[1]
    return fitted_line(t, y, np.ones(40), place, noise, 40)


@pytest.mark.parametrize("noise", [None, 1.0])
def test_one_in_a_hundred_is_a_false_alarm(noise):
    alarms = sum(simulated(seed, 0.0, noise).is_found for seed in range(600))
    assert 0 < alarms <= 14  # six are expected; more than 14 happens once in a thousand


@pytest.mark.parametrize("noise", [None, 1.0])
def test_a_drift_of_a_few_times_the_noise_is_found(noise):
    found = [simulated(seed, 0.15, noise) for seed in range(200)]
    assert np.mean([one.is_found for one in found]) > 0.75
    assert np.mean([one.change for one in found]) == pytest.approx(0.15 * 39, rel=0.05)


def test_known_answers():
    study = make()
    for at in range(9):
        visit(study, float(at % 3), 10.0 * (at % 3) + 0.5 * at)
    found = study.drift()
    assert (found.slope, found.change, found.p) == (pytest.approx(0.5), pytest.approx(4.0), pytest.approx(0))
    assert (found.repeats, found.places, found.visits, found.needed) == (6, 3, 9, 0)
    assert found.is_found
    first, second = str(found).splitlines()
    assert first.startswith("drift: results rose by 4 over 9 visits (0.5 ± ")
    assert first.endswith("from 6 repeats) though the places were the same;")
    assert second.startswith("recalibrate, and amend")


def test_results_that_fell_are_said_to_have_fallen_whatever_the_direction():
    study = make(direction="minimize")
    for at in range(9):
        visit(study, 1.0, -0.5 * at + 0.01 * (at % 2))
    assert "results fell by 4 over 9 visits" in str(study.drift())


def test_better_places_are_no_drift():
    study = make()
    for at in range(20):
        visit(study, at / 2, float(at))
    assert study.drift() == Drift(None, None, None, 0, 0, 20, 3)
    assert str(study.drift()).startswith("drift: too few repeats to tell: 0 of 3 needed;\nonly a visit to")


def test_where_nothing_varies_nothing_drifts():
    study = make()
    for at in range(12):
        visit(study, float(at % 2), 0.1 + at % 2)
    assert (study.drift().slope, study.drift().p) == (0.0, 1.0)
    assert str(study.drift()).startswith("drift: none shows over 12 visits (0 ± 0 a visit, p = 1, from 10 ")


def test_too_few_repeats_say_how_many_are_needed():
    study, known = make(), make(noise=1.0)
    for at in range(3):
        assert study.drift().needed == min(3, 4 - at)
        assert known.drift().needed == (1 if at < 2 else 0)
        visit(study, 1.0, float(at))
        visit(known, 1.0, float(at))
    assert "2 of 3 needed" in study.drift().in_short
    assert known.drift().p == pytest.approx(2 * stats.norm.sf(np.sqrt(2)))


def test_a_run_counts_as_often_as_it_has_results():
    study = make(noise=1.0)
    for at, many in enumerate([3, 1, 2]):
        study.tell(study.insert({"x": 1.0}, count=many).trial, float(at**2), count=many)
    t, y = np.repeat([0.0, 1.0, 2.0], [3, 1, 2]), np.repeat([0.0, 1.0, 4.0], [3, 1, 2])
    same = fitted_line(t, y, np.ones(6), np.zeros(6, dtype=int), 1.0, 3)
    assert study.drift().slope == pytest.approx(same.slope)
    assert study.drift().error == pytest.approx(same.error)


def test_only_visits_that_brought_a_value_count_and_time_is_counted_in_visits():
    study = make(noise=1.0)
    import_csv(study, "x,value\n1,50\n1,60\n", prior=True)
    visit(study, 1.0, 0.0)
    study.fail(study.insert({"x": 1.0}).trial)
    study.skip(study.insert({"x": 1.0}).trial)
    visit(study, 1.0, 0.0, actual={"x": 1.5})
    visit(study, 1.0, 6.0)
    found = study.drift()
    assert (found.slope, found.repeats, found.visits) == (pytest.approx(2.0), 1, 4)
    assert found.change == pytest.approx(6.0)


def test_values_of_any_size_are_fitted():
    study = make()
    for at in range(8):
        visit(study, 1.0, 1e300 * (-1) ** (at // 2))
    assert np.isfinite(study.drift().error)


def test_of_a_study_with_an_anchor_only_the_visits_there_are_looked_at():
    study = make(anchor={"x": 1.0}, anchor_every=3, noise=1.0)
    for at in range(12):
        visit(study, float(at % 2), 10.0 * at * (at % 2 == 0))
    assert study.spec.anchor is not None
    assert (study.drift().slope, study.drift().repeats, study.drift().places) == (0.0, 5, 1)
    best = make(anchor="best", anchor_every=3)
    assert isinstance(best.spec.anchor, Anchor)
    for at in range(12):
        visit(best, float(at % 2), float(at))
    assert best.drift().repeats == 10


def test_with_a_fixed_anchor_too_few_repeats_say_that_only_the_visits_there_count():
    study = make(anchor={"x": 1.0}, anchor_every=30)
    for at in range(3):
        visit(study, 5.0, float(at))
    for repeats in (0, 0, 1):
        first, second = str(study.drift()).splitlines()
        assert first == f"drift: too few repeats to tell: {repeats} of 3 needed at the anchor;"
        assert "only the results from there count, each after the first as a repeat" in second
        assert second.endswith("anchor_every plans the visits there, insert makes one now")
        visit(study, 1.0, 0.0)


def test_a_study_with_an_anchor_is_not_advised_to_have_one():
    advice = "anchor and anchor_every plan such visits, insert makes one now"
    assert advice in str(make().drift())
    for anchor in ({"x": 1.0}, "best"):
        assert "anchor and anchor_every" not in str(make(anchor=anchor, anchor_every=9).drift())
    best = str(make(anchor="best", anchor_every=9).drift())
    assert best.startswith("drift: too few repeats to tell: 0 of 3 needed;\nonly a visit to a place again")
    assert best.endswith("anchor_every plans such visits to the best place, insert makes one now")


def in_routes_of(stops):
    return wf.Method(wf.Uniform(), wf.Fixed(stops), opening=wf.NoOpening())


def drifting(**changes):
    """A study whose repeated visits drift, with two stops on each route."""
    study = wf.Study.create(
        LINE,
        direction="maximize",
        travel=wf.Euclidean(unit="m"),
        start={"x": 0.0},
        trials=60,
        **({"method": in_routes_of(2), "anchor": {"x": 5.0}, "anchor_every": 50} | changes),
    )
    for at in range(6):
        visit(study, 5.0, at + 0.01 * (at % 2))
    return study


def test_ask_warns_once_after_each_result_from_the_anchor_and_at_no_other_time():
    study = drifting()
    with pytest.warns(wf.DriftWarning, match="results rose by .* over 7 visits") as caught:
        first = study.ask()
    assert caught[0].filename == __file__
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.ask()
        study.tell(first, 1.0)
        study.tell(study.ask(), 1.0)
        study.tell(study.ask(), 1.0)  # the first stop of another route
    visit(study, 5.0, 9.0)
    with pytest.warns(wf.DriftWarning):
        study.ask()


def test_ask_warns_within_a_route_too_and_of_a_late_result():
    study = drifting(method=in_routes_of(50))
    with pytest.warns(wf.DriftWarning):
        study.tell(study.ask(), 1.0)
    late = study.insert({"x": 5.0}).trial
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out = study.ask(wait=False)
    study.tell(late, 7.0)
    study.tell(out, 1.0)
    with pytest.warns(wf.DriftWarning):
        study.ask()
    assert len(study.state.plans) == 1


def test_an_ask_sent_again_warns_as_the_first_time():
    study = drifting()
    for _ in range(2):
        with pytest.warns(wf.DriftWarning):
            study.ask(request="again")


def test_without_an_anchor_nobody_is_warned_but_may_ask():
    study = drifting(anchor=None, anchor_every=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.ask()
    assert study.drift().is_found


def test_a_route_planned_anew_is_warned_of_once_the_anchor_has_a_result():
    study = drifting()
    study.replan()
    study.tell(study.insert({"x": 5.0}).trial, 7.0)
    with pytest.warns(wf.DriftWarning):
        study.ask()


def test_a_warning_made_an_error_leaves_the_trial_handed_out():
    study = drifting()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(wf.DriftWarning):
            study.ask()
        assert study.ask().number == 6


@pytest.mark.parametrize(
    ("p", "said"), [(0.0, "p < 1e-9"), (9.5e-111, "p < 1e-9"), (2e-9, "p = 2e-09"), (0.3, "p = 0.3")]
)
def test_a_p_smaller_than_anyone_can_know_is_said_to_be_small(p, said):
    drift = Drift(1.0, 0.1, p, 5, 1, 9)
    assert f", {said}, from 5 repeats" in drift.in_short

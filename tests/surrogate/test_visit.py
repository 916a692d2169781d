"""What a visit is worth: the belief in the value, weighed by the chance that the visit is good."""

import json

import numpy as np
import pytest
from attrs import evolve
from scipy.stats import norm

import wayfare as wf
from wayfare.space import Real, Space
from wayfare.surrogate import GP, Measured
from wayfare.surrogate.history import History, Past
from wayfare.surrogate.visit import LENIENCE, Visits
from wayfare.testing.surrogate import SPACE, SurrogateContract, history_of

PLANE = Space(Real("a", 0.0, 1.0), Real("b", 0.0, 1.0))
RNG = np.random.default_rng
LIMITS = (Measured("p", at_most=1.2, unit="bar"), Measured("q", at_least=0.1, at_most=0.9))


def measured_history(n=20, seed=0, failed=4):
    """Results with a pressure a + b and a purity b, and some failures where a is large."""
    x = PLANE.sample(n, RNG(seed))
    y = np.sin(5 * x[:, 0]) + x[:, 1]
    bad = np.column_stack([np.linspace(0.85, 1.0, failed), np.linspace(0.0, 1.0, failed)])
    numbers = np.column_stack([x.sum(axis=1), x[:, 1]])
    return History(PLANE, x, y, x[:0], failed=bad, limits=LIMITS, measured=numbers)


class TestPlainVisits(SurrogateContract):
    """Without failures and limits it is the belief in the value."""

    @pytest.fixture
    def surrogate(self):
        return Visits(GP())


def test_without_failures_and_limits_the_belief_is_that_in_the_value():
    history = history_of(SPACE, 20, seed=1)
    visits, value = Visits(GP()).fit(history, RNG(0)), GP().fit(history, RNG(0))
    x = SPACE.sample(30, RNG(2))
    assert visits.is_certain
    np.testing.assert_array_equal(visits.marginals(x), value.marginals(x))
    np.testing.assert_array_equal(visits.paths(3, RNG(1))(x), value.paths(3, RNG(1))(x))
    assert visits.notes == value.notes


@pytest.mark.parametrize("kind", ["jump", "yes and no"])
@pytest.mark.parametrize("method", ["ucb", "tucb", "wayfare"])
def test_a_number_that_jumps_at_its_limit_does_not_keep_being_broken(kind, method):
    """Beyond 6 a valve opens: the edge is found with few visits beyond it, not with most of them."""
    space = wf.Space(wf.Real("a", 0.0, 10.0))
    limit = wf.Measured("p", at_most=50.0) if kind == "jump" else wf.Measured("p", at_least=0.5)
    numbers = (5.0, 500.0) if kind == "jump" else (1.0, 0.0)
    study = wf.Study.create(
        space, direction="maximize", travel=wf.Euclidean(), trials=25, start=[0.0], method=method, measured=limit
    )
    while (trial := study.ask()) is not None:
        a = trial.params["a"]
        study.tell(trial, a - 0.02 * a * a, measured={"p": numbers[a > 6]})
    assert sum(trial.params["a"] > 6 for trial in study.trials) <= 9
    assert 5 < study.best().params["a"] <= 6


def test_numbers_at_the_limit_keep_it():
    """Defects, at most none: a place without any keeps the limit, and one beside it with some does not."""
    x = np.linspace(0.0, 1.0, 12)[:, None] * np.ones(2)
    defects = np.where(np.arange(12) < 6, 0.0, 2.0)[:, None]
    limits = (Measured("defects", at_most=0),)
    visits = Visits(GP()).fit(History(PLANE, x, x[:, 0], x[:0], limits=limits, measured=defects), RNG(0))
    chance = visits.compliance(x)
    assert chance[:5].min() > 0.5 > chance[7:].max()
    none = Visits(GP()).fit(History(PLANE, x, x[:, 0], x[:0], limits=limits, measured=0 * defects), RNG(0))
    assert none.compliance(x).min() > 0.5


@pytest.mark.parametrize("numbers", [[1e-300, -1e-300, 1e300, 5.0], [0.0, 0.0, 0.0, 0.0], [1e300, -1e300, 1e300, 0.0]])
def test_no_range_of_numbers_breaks_the_model_of_a_limit(numbers):
    x = PLANE.sample(4, RNG(0))
    limits = (Measured("p", at_most=0),)
    told = np.array(numbers)[:, None]
    visits = Visits(GP()).fit(History(PLANE, x, np.arange(4.0), x[:0], limits=limits, measured=told), RNG(0))
    assert np.isfinite(visits.compliance(PLANE.sample(30, RNG(1)))).all()


def test_the_belief_is_weighed_between_the_value_and_a_poor_result():
    history = measured_history()
    visits = Visits(GP()).fit(history, RNG(0))
    x = PLANE.sample(200, RNG(2))
    chance = visits.success(x) * visits.compliance(x, LENIENCE)
    value, seen = visits.value.marginals(x), visits.marginals(x)
    np.testing.assert_allclose(seen.mean, visits.poor + chance * (value.mean - visits.poor))
    np.testing.assert_allclose(seen.sd, chance * value.sd, atol=1e-9)
    assert (seen.sd > 0).all()
    assert visits.poor <= history.y.min()


def test_tracking_and_conditioning_are_weighed_alike():
    visits = Visits(GP()).fit(measured_history(), RNG(0))
    x = PLANE.sample(40, RNG(2))
    tracker = visits.track(x)
    np.testing.assert_allclose(tracker.marginals.mean, visits.marginals(x).mean, atol=1e-9)
    for index in (3, 11, 3):
        tracker.add(index)
    expected = visits.condition(x[[3, 11, 3]]).marginals(x)
    np.testing.assert_allclose(tracker.marginals.sd, expected.sd, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(tracker.marginals.mean, expected.mean, rtol=1e-6, atol=1e-9)


def test_compliance_follows_what_was_measured():
    """A linear pressure is learned from twenty numbers: the chance is 0 or 1 but near the limit."""
    history = measured_history()
    pressure = history.x.sum(axis=1)[:, None]
    history = evolve(history, failed=np.empty((0, 2)), limits=LIMITS[:1], measured=pressure)
    visits = Visits(GP()).fit(history, RNG(0))
    x = PLANE.sample(400, RNG(2))
    pressure, chance = x.sum(axis=1), visits.compliance(x)
    assert chance[pressure < 1.1].min() > 0.9
    assert chance[pressure > 1.3].max() < 0.1
    assert (visits.compliance(x, LENIENCE) >= chance).all()


def test_both_ends_of_a_limit_are_kept_at_once():
    visits = Visits(GP()).fit(measured_history(), RNG(0))
    assert list(visits.margins) == ["p at_most", "q at_most", "q at_least"]
    x = PLANE.sample(50, RNG(4))
    chances = [norm.cdf(one.mean / one.sd) for one in (margin.marginals(x) for margin in visits.margins.values())]
    np.testing.assert_allclose(visits.compliance(x), np.prod(chances, axis=0), rtol=1e-9)


def test_huge_numbers_do_not_hide_what_happens_near_the_limit():
    """A pressure that explodes beyond its limit: the chances are those of a tame one, but for the far side."""
    history = evolve(measured_history(40, failed=0), limits=LIMITS[:1], measured=np.empty((40, 1)))
    pressure = history.x.sum(axis=1)
    wild = np.where(pressure > 1.2, 1.2 + 1e4 * (pressure - 1.2) ** 2, pressure)
    visits = Visits(GP()).fit(evolve(history, measured=wild[:, None]), RNG(0))
    x = PLANE.sample(400, RNG(2))
    chance = visits.compliance(x)
    assert chance[x.sum(axis=1) < 1.0].mean() > 0.85
    assert chance[x.sum(axis=1) > 1.4].mean() < 0.15


def test_what_was_not_measured_is_left_out():
    history = measured_history()
    numbers = history.measured.copy()
    numbers[5:, 0] = np.nan
    some = Visits(GP()).fit(evolve(history, measured=numbers), RNG(0))
    assert len(some.margins["p at_most"].features) == 5
    none = Visits(GP()).fit(evolve(history, measured=np.full_like(numbers, np.nan)), RNG(0))
    x = PLANE.sample(5, RNG(0))
    np.testing.assert_allclose(none.compliance(x), 0.5**3)


def test_before_any_result_a_failure_still_makes_other_places_look_better():
    failed = np.array([[0.2, 0.2]])
    history = History(PLANE, failed[:0], [], failed[:0], failed=failed)
    visits = Visits(GP()).fit(history, RNG(0))
    upper = np.add(*visits.marginals(np.array([[0.2, 0.2], [0.9, 0.9]])))
    assert upper[0] < upper[1]


def test_a_path_is_the_value_or_a_poor_result_as_often_as_the_chances_say():
    visits = Visits(GP()).fit(measured_history(), RNG(0))
    x = PLANE.sample(60, RNG(2))
    drawn = visits.paths(800, RNG(3))(x)
    poor = (drawn == visits.poor).mean(axis=1)
    np.testing.assert_allclose(1 - poor, visits.success(x) * visits.compliance(x), atol=0.12)
    again = visits.paths(3, RNG(4))
    np.testing.assert_allclose(again(x)[7:9], again(x[7:9]), atol=1e-5)


def test_the_notes_bring_the_belief_back():
    history = measured_history()
    visits = Visits(GP()).fit(history, RNG(0))
    notes = json.loads(json.dumps(dict(visits.notes)))
    again = Visits(GP()).recall(history, notes)
    x = PLANE.sample(20, RNG(2))
    np.testing.assert_allclose(again.marginals(x).mean, visits.marginals(x).mean, rtol=1e-9)
    np.testing.assert_allclose(again.marginals(x).sd, visits.marginals(x).sd, rtol=1e-7)


def test_the_fit_of_a_limit_begins_where_the_last_plan_ended():
    history = measured_history()
    before = Visits(GP()).fit(history, RNG(0)).notes
    asked = []

    class Watching(GP):
        def fit(self, history, rng):
            asked.append([dict(past.notes) for past in history.past])
            return super().fit(history, rng)

    Visits(Watching()).fit(evolve(history, past=(Past(20, before),)), RNG(0))
    assert [notes[0]["peak"] for notes in asked[1:]] == [before["limits"][key]["peak"] for key in before["limits"]]

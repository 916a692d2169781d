"""The plan: what it is made of, and that it never plans more than it may."""

import numpy as np
import pytest

import wayfare as wf
from wayfare.planning.plan import Task, plan_batch
from wayfare.surrogate.history import History
from wayfare.testing.surrogate import history_of

SPACE = wf.Space(wf.Real("a", 0.0, 1.0), wf.Real("b", 0.0, 1.0))
TRAVEL = wf.Euclidean()


def plan(space, history, left, method=None):
    method = method or wf.Method(wf.UCB(), wf.Growing())
    return plan_batch(Task(method, space, TRAVEL, history, left), np.random.default_rng(0)).itinerary


def test_a_plan_is_the_policys_batch_in_another_order():
    class Recorder:
        def propose(self, situation, size, rng):
            self.batch = wf.Thompson().propose(situation, size, rng)
            return self.batch

    recorder = Recorder()
    history = history_of(SPACE, 66, seed=0)
    route = plan(SPACE, history, 13, wf.Method(recorder, wf.Horizon()))
    assert len(route.places) == 13
    np.testing.assert_array_equal(recorder.batch[route.picked], route.places)


def test_a_plan_starts_where_the_traveller_stands():
    history = history_of(SPACE, 20, seed=0)
    here = np.array([0.9, 0.1])
    history = History(SPACE, history.x, history.y, history.pending, here)
    route = plan(SPACE, history, 50)
    assert route.legs[0] == pytest.approx(np.linalg.norm(route.places[0] - here), rel=1e-12)
    walked = np.linalg.norm(np.diff(np.vstack([here, route.places]), axis=0), axis=1)
    np.testing.assert_allclose(route.legs, walked, rtol=1e-12)


@pytest.mark.parametrize("left", [1, 2, 3])
def test_a_plan_never_has_more_stops_than_trials_are_left(left):
    assert len(plan(SPACE, history_of(SPACE, 40, seed=0), left).places) == left


def test_a_batch_is_no_larger_than_the_places_left():
    places = wf.Places(np.random.default_rng(0).random((6, 2)), once=True)
    for policy in (wf.UCB(), wf.Uniform(), wf.Thompson()):
        route = plan(places, history_of(places, 4, seed=0), 3, wf.Method(policy, wf.Horizon()))
        assert len(route.places) == 2


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda size: np.empty((0, 2)), "returned 0"),
        (lambda size: np.full((size + 1, 2), 0.5), "returned 4"),
        (lambda size: [[0.5, 0.5]], "must return an array"),
        (lambda size: np.array([0.5, 0.5]), "must return an array"),
        (lambda size: np.array([[0.5, 700.0]]), "not in the space"),
    ],
)
def test_a_policy_that_breaks_its_promise_is_named(answer, said):
    class Odd:
        def propose(self, situation, size, rng):
            return answer(size)

    with pytest.raises(wf.InvalidInput, match=f"policy Odd .*{said}"):
        plan(SPACE, history_of(SPACE, 5, seed=0), 3, wf.Method(Odd(), wf.Horizon()))


def test_where_few_survive_a_batch_of_single_visits_is_shorter():
    places = wf.Places(np.linspace(0, 1, 40)[:, None], once=True)
    x = places.table[::2]
    history = History(places, x, -100 * np.square(x[:, 0] - 0.5), np.empty((0, 1)), noise=1e-3)
    route = plan(places, history, 15, wf.Method(wf.Elimination(wf.UCB(), eta=1.0), wf.Horizon()))
    assert 1 <= len(route.places) < 15
    assert np.abs(route.places - 0.5).max() < 0.2

"""Routes chosen at once: the search for them against enumeration, and what the method makes of them."""

from itertools import permutations

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.policy.acquisition import best_visited
from wayfare.policy.base import Situation
from wayfare.policy.greedy import Detours
from wayfare.policy.lookahead import MAX_STOPS_FROM, _promising, best_route, improved_route
from wayfare.surrogate.history import History
from wayfare.testing.policy import PolicyContract, situation_of
from wayfare.testing.surrogate import history_of

RNG = np.random.default_rng
GRID = wf.Places(np.linspace(0.0, 10.0, 101)[:, None], names=["x"])


@pytest.mark.parametrize("policy", [wf.LookAhead(), wf.LookAhead(weight=0.1, draws=8), wf.LookAhead(2, 3)], ids=str)
class TestLookAhead(PolicyContract):
    pass


def worth(stops, values, known, x, here, weight):
    """What a route is worth, by its definition."""
    route = [here, *x[list(stops), 0]]
    found = np.maximum(known, values[list(stops)].max(axis=0))
    return found.mean() - weight * np.abs(np.diff(route)).sum()


@st.composite
def routes(draw):
    """Values of few places on few draws, the places on a line, and a weight."""
    n, m = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    rng = RNG(draw(st.integers(0, 10_000)))
    weight = draw(st.sampled_from([0.0, 0.01, 0.1, 1.0]))
    return rng.standard_normal((n, m)), rng.standard_normal(m), 5 * rng.random((n, 1)), 5 * rng.random(), weight


def searched(problem, most):
    values, known, x, here, weight = problem
    return best_route(values, known, Detours(wf.Euclidean(), np.array([here]), x), weight, most)


@settings(max_examples=200, deadline=None)
@given(routes(), st.integers(1, 3))
def test_no_other_stop_one_more_or_one_less_makes_a_route_better(problem, most):
    values, known, x, here, weight = problem
    stops = searched(problem, most)
    found = worth(stops, *problem)
    every = range(len(values))
    others = [[*stops[:at], new, *stops[at + 1 :]] for at in range(len(stops)) for new in every]
    if len(stops) < most:
        others += [[*stops[:at], new, *stops[at:]] for at in range(len(stops) + 1) for new in every]
    if len(stops) > 1:
        others += [[*stops[:at], *stops[at + 1 :]] for at in range(len(stops))]
    assert len(set(stops)) == len(stops)
    assert max(worth(other, values, known, x, here, weight) for other in others) <= found + 1e-9


def test_a_route_is_nearly_the_best_of_all_of_its_length():
    """Of 300 small problems the search has the optimum of nearly all, and never much less."""
    exact = 0
    for seed in range(300):
        rng = RNG(seed)
        values, known = rng.standard_normal((6, 8)), np.zeros(8)
        problem = values, known, 5 * rng.random((6, 1)), 5 * rng.random(), 0.05
        best = max(worth(stops, *problem) for size in (1, 2, 3) for stops in permutations(range(6), size))
        found = worth(searched(problem, 3), *problem)
        exact += found > best - 1e-9
        assert found > 0.8 * best
    assert exact >= 250


@settings(max_examples=100, deadline=None)
@given(routes())
def test_without_a_weight_a_route_finds_the_best_place_of_every_draw(problem):
    values, known, x, here, _ = problem
    stops = searched((values, known, x, here, 0.0), most=len(values))
    np.testing.assert_allclose(np.maximum(known, values[stops].max(axis=0)), np.maximum(known, values.max(axis=0)))


@settings(max_examples=100, deadline=None)
@given(routes(), st.permutations(range(3)), st.integers(1, 3))
def test_a_route_never_gets_worse_by_the_search(problem, order, most):
    values, known, x, here, weight = problem
    begun = [stop for stop in order if stop < len(values)][:most]
    route = Detours(wf.Euclidean(), np.array([here]), x)
    for gap, stop in enumerate(begun):
        route.add(stop, gap)
    assert worth(improved_route(values, known, route, weight, most), *problem) >= worth(begun, *problem) - 1e-9


def standing(space=GRID, here=2.0, pending=()):
    """Three results on a line, the best of them at 4."""
    x = np.array([[1.0], [4.0], [9.0]])
    out = np.array(pending, dtype=float).reshape(-1, 1)
    history = History(space, x, np.array([0.2, 1.0, -0.5]), out, np.array([here]))
    surrogate = wf.GP()
    return Situation(space, wf.Euclidean().bind(space), history, surrogate, surrogate.fit(history, RNG(0)))


def drawn(situation, draws, rng):
    """The functions that the policy draws from this stream."""
    draw_rng, _ = rng.spawn(2)
    return situation.expected.paths(draws, draw_rng)


@pytest.mark.parametrize("pending", [(), (6.0,)], ids=["all told", "one out"])
def test_without_a_price_one_stop_is_the_best_final_place_of_a_route(pending):
    """The place with the highest mean over the draws of its value or the best known one's, whichever is more."""
    for seed in range(5):
        situation = standing(pending=pending)
        paths = drawn(situation, 32, RNG(seed))
        best = [best_visited(situation)[0][[int(best_visited(situation)[1].argmax())]], situation.history.pending]
        known = paths(np.vstack(best)).max(axis=0)
        expected = np.maximum(paths(GRID.table), known).mean(axis=1).argmax()
        (pick,) = wf.LookAhead(stops=1, draws=32, price=0.0).propose(situation, 5, RNG(seed))
        assert pick[0] == GRID.table[expected, 0]


def test_without_a_price_a_long_route_visits_where_some_draw_is_best():
    situation = standing()
    paths = drawn(situation, 6, RNG(1))
    stops = wf.LookAhead(stops=12, draws=6, price=0.0).propose(situation, 50, RNG(1))
    np.testing.assert_allclose(
        paths(stops).max(axis=0), np.maximum(paths(GRID.table).max(axis=0), paths(stops).max(axis=0))
    )
    assert len(stops) <= 6


def test_a_higher_price_makes_shorter_routes():
    lengths = []
    for price in (0.0, 0.1, 0.5, 2.0, 50.0):
        stops = wf.LookAhead(price=price).propose(standing(), 50, RNG(0))[:, 0]
        lengths.append(max(stops.max() - 2.0, 0.0) + max(2.0 - stops.min(), 0.0))
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > 7 > 1 > lengths[-1]


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e3])
def test_the_price_has_no_unit_and_the_weight_one_of_results_per_cost(factor):
    """Other units of results and of costs change nothing by the price, nor by a weight in the new units."""
    here = standing()
    told = evolve(here.history, y=here.history.y * factor)
    travel = wf.Euclidean(scale=7.0).bind(GRID)
    scaled = evolve(here, history=told, posterior=here.surrogate.fit(told, RNG(0)), travel=travel)
    for policy, its in (
        (wf.LookAhead(price=0.3), wf.LookAhead(price=0.3)),
        (wf.LookAhead(weight=0.05), wf.LookAhead(weight=0.05 * factor / 7.0)),
    ):
        np.testing.assert_array_equal(policy.propose(here, 9, RNG(3)), its.propose(scaled, 9, RNG(3)))


def test_a_far_place_is_worth_the_way_if_others_are_near_it():
    """None of four far places pays by itself, at 0.25 for a way of 0.5; all of them together do, at 1."""
    values = np.vstack([np.eye(4), np.full((1, 4), 0.1)])
    problem = values, np.zeros(4), np.array([[10.0], [10.0], [10.0], [10.0], [0.5]]), 0.0, 0.05
    assert sorted(searched(problem, 4)) == [0, 1, 2, 3]
    assert searched(problem, 1) == [4]


def test_the_top_of_every_draw_is_among_the_places_of_a_route():
    rng = RNG(0)
    x, values = rng.random((4000, 2)), rng.standard_normal((4000, 16))
    some, theirs = _promising(x, values, np.zeros(16))
    assert len(some) <= MAX_STOPS_FROM + 16
    np.testing.assert_array_equal(theirs.max(axis=0), values.max(axis=0))


def test_a_route_is_planned_anew_after_every_result_and_followed_while_results_are_out():
    method = wf.Method(wf.LookAhead(), wf.Rolling())
    study = wf.Study.create(GRID, direction="maximize", travel=wf.Euclidean(), trials=20, method=method, start=[0.0])
    for done in range(1, 6):
        trial = study.ask()
        study.tell(trial, float(np.sin(trial.x[0])))
        assert len(study.state.plans) == done
        assert len(study.state.plans[-1].stops) <= 12
    study.ask(wait=False)
    planned = len(study.state.plans)
    if len(study.state.plans[-1].stops) > 1:
        study.ask(wait=False)
        assert len(study.state.plans) == planned


def test_the_last_trial_is_planned_as_one_step():
    situation = standing()
    assert len(wf.LookAhead().propose(situation, 1, RNG(0))) == 1


@pytest.mark.parametrize("seed", range(4))
def test_a_stop_climbs_to_the_top_of_a_draw_between_the_candidates(seed):
    """No place of a sample fifty times as dense as the first look is higher."""
    space = wf.Space(wf.Real("a", 0.0, 10.0), wf.Real("b", 0.0, 10.0))
    situation = situation_of(space, evolve(history_of(space, 12, seed=1), position=np.array([5.0, 5.0])))
    paths = drawn(situation, 1, RNG(seed))
    stop = wf.LookAhead(stops=1, draws=1, price=0.0).propose(situation, 1, RNG(seed))
    assert paths(stop).item() >= paths(space.sample(20_000, RNG(99))).max()

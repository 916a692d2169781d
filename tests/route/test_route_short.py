import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.route.problems import brute_force, problems, range_bound, spanning_tree_bound
from wayfare._core.rng import stream
from wayfare.route import HeldKarp, NearestNext, ShortRoute, path_cost, search
from wayfare.testing.route import random_problem

SEARCHES = ShortRoute(exact_to=1, kicks=20)


@given(problems())
def test_routes_match_brute_force(problem):
    assert path_cost(ShortRoute().order(*problem, stream(0)), *problem) == pytest.approx(brute_force(*problem))


def test_routes_of_eight_stops_match_brute_force():
    for symmetric in (True, False):
        problem = random_problem(8, stream(4), symmetric=symmetric, ends=True)
        cost = path_cost(ShortRoute().order(*problem, stream(0)), *problem)
        assert cost == pytest.approx(brute_force(*problem))


@given(problems(low=2))
def test_the_search_never_beats_brute_force(problem):
    cost = path_cost(SEARCHES.order(*problem, stream(0)), *problem)
    assert cost >= brute_force(*problem) * (1 - 1e-12)


@pytest.mark.parametrize("ends", [True, False])
def test_the_search_finds_the_best_route_of_nine_stops(ends):
    for seed in range(10):
        problem = random_problem(9, stream(seed), ends=ends)
        best = path_cost(HeldKarp().order(*problem, stream(0)), *problem)
        assert path_cost(SEARCHES.order(*problem, stream(0)), *problem) == pytest.approx(best)


@pytest.mark.parametrize("ends", [True, False])
def test_the_search_comes_close_where_ways_back_cost_otherwise(ends):
    found, best = 0.0, 0.0
    for seed in range(10):
        problem = random_problem(9, stream(seed), symmetric=False, ends=ends)
        best += path_cost(HeldKarp().order(*problem, stream(0)), *problem)
        found += path_cost(SEARCHES.order(*problem, stream(0)), *problem)
    assert found <= 1.005 * best


@settings(max_examples=30)
@given(problems(low=11, high=40))
def test_the_search_is_never_worse_than_the_nearest_stop_next(problem):
    searched = path_cost(ShortRoute(kicks=1).order(*problem, stream(0)), *problem)
    assert searched <= path_cost(NearestNext().order(*problem, stream(0)), *problem)


@pytest.mark.parametrize("symmetric", [True, False])
def test_more_kicks_find_shorter_routes(symmetric):
    costs = []
    for kicks in (0, 2, 10):
        found = [random_problem(60, stream(seed), symmetric=symmetric) for seed in range(4)]
        costs.append(sum(path_cost(ShortRoute(kicks=kicks).order(*p, stream(1)), *p) for p in found))
    assert costs[0] > costs[1] > costs[2]


@settings(max_examples=40)
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=30, unique=True), st.integers(-80, 80))
def test_a_route_on_a_line_is_the_range_walked(places, position):
    x, start = np.array(places) * 1.0, float(position)
    between = np.abs(x[:, None] - x)
    from_inside = path_cost(ShortRoute().order(np.abs(x - start), between, None, stream(0)), np.abs(x - start), between)
    assert from_inside == pytest.approx(range_bound(start, x))
    free = np.zeros(len(x))
    from_an_end = path_cost(ShortRoute().order(free, between, None, stream(0)), free, between)
    assert from_an_end == pytest.approx(np.ptp(x))


@settings(max_examples=40)
@given(problems(low=1, high=30))
def test_no_route_beats_the_spanning_tree(problem):
    cost = path_cost(ShortRoute(kicks=0).order(*problem, stream(0)), *problem)
    assert cost >= spanning_tree_bound(*problem) - 1e-9


@pytest.mark.parametrize("n", [20, 100, 300])
def test_routes_in_the_unit_square_keep_fews_bound(n):
    x = stream(n).random((n, 2))
    between = np.linalg.norm(x[:, None] - x, axis=-1)
    order = ShortRoute().order(np.zeros(n), between, None, stream(0))
    assert path_cost(order, np.zeros(n), between) <= math.sqrt(2 * n) + 1.75


@settings(max_examples=25)
@given(problems(low=11, high=20))
def test_a_far_start_does_not_blur_the_route(problem):
    first, between, last = problem
    exact = np.round(first * 2**20) / 2**20  # so that adding 2**20 loses no digit
    near = ShortRoute().order(exact, between, last, stream(0))
    far = ShortRoute().order(exact + 2.0**20, between, last, stream(0))
    assert np.array_equal(near, far)


def test_stops_that_cannot_be_told_apart_are_all_visited():
    between = np.ones((40, 40)) - np.eye(40)
    assert sorted(ShortRoute().order(np.ones(40), between, np.ones(40), stream(0))) == list(range(40))


def test_both_forms_of_the_cost_table_give_the_same_route(monkeypatch):
    problem = random_problem(40, stream(7))
    order = ShortRoute().order(*problem, stream(0))
    monkeypatch.setattr(search, "MAX_LIST_ROWS", 0)
    assert np.array_equal(ShortRoute().order(*problem, stream(0)), order)

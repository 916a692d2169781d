"""The parts of the search, each against a plain way to the same answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.route.problems import around, problems, ranks_alike
from wayfare._core.rng import stream
from wayfare.route import path_cost
from wayfare.route.moves import Directed, Ring, ThreeOpt
from wayfare.route.search import leveled, near_stops, scaled, search, spanning_tree
from wayfare.testing.route import random_problem


@pytest.mark.parametrize("make", [ThreeOpt, Directed])
def test_the_search_keeps_only_what_is_no_worse(make):
    _, between, _ = random_problem(30, stream(5))
    costs = between / between.max() + np.diag([np.inf] * 30)
    rows = costs.tolist()
    descend = make(rows, near_stops(costs, len(costs)))
    reached = []

    def watched(ring, queue):
        gain = descend(ring, queue)
        reached.append(around(ring.stops, rows))
        return gain

    ring = Ring(list(range(30)))
    search(ring, rows, watched, 50, stream(0))
    assert len(reached) == 51
    # What was kept at the end is the best of all that was reached on the way.
    assert around(ring.stops, rows) == pytest.approx(min(reached))


@given(problems(low=2, high=8))
def test_scaled_costs_rank_routes_alike(problem):
    simple = scaled(*problem)
    assert all(costs.min() >= 0 and costs.max() <= 1 for costs in simple)
    assert ranks_alike(problem, lambda order: path_cost(order, *simple))


@given(problems(low=2, high=8))
def test_leveled_costs_are_symmetric_and_rank_routes_alike(problem):
    level = leveled(*scaled(*problem))
    if level is None:
        assert not np.array_equal(problem[1], problem[1].T)
        return
    assert np.array_equal(level[1], level[1].T)
    assert ranks_alike(problem, lambda order: path_cost(order, *level))


def test_a_climb_is_leveled_and_a_one_way_price_is_not():
    first, between, _ = random_problem(12, stream(6))
    height = stream(7).random(12)
    climb = 2 * between + np.maximum(height - height[:, None], 0.0)
    assert leveled(*scaled(first, climb, None)) is not None
    assert leveled(*scaled(*random_problem(12, stream(6), symmetric=False))) is None


def test_near_stops_join_clusters():
    x = np.concatenate([stream(0).random(15), 100 + stream(1).random(15)])
    costs = np.abs(x[:, None] - x) + np.diag([np.inf] * 30)
    near = near_stops(costs, 30, count=5)
    assert all(list(costs[i, row]) == sorted(costs[i, row]) for i, row in enumerate(near))
    assert any(j >= 15 for row in near[:15] for j in row)


@settings(max_examples=30)
@given(st.integers(1, 12), st.integers(0, 99))
def test_the_spanning_tree_costs_as_much_as_scipys(n, seed):
    from scipy.sparse.csgraph import minimum_spanning_tree

    costs = stream(seed).uniform(0.1, 1, (n, n))
    costs = np.minimum(costs, costs.T)
    assert costs[spanning_tree(costs)].sum() == pytest.approx(minimum_spanning_tree(costs).sum())

"""No route costs more than twice the shortest, by construction: the walk around the cheapest spanning tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path

from tests.route.problems import brute_force, spanning_tree_bound
from wayfare._core.rng import stream
from wayfare.route import ShortRoute, path_cost, route
from wayfare.route.search import tree_walk

INSTANCES = 1000
MOST_STOPS = 200
ROUNDING = 1 + 1e-12


def metric(n, rng, both_ways=1.0):
    """Return costs of ``n`` stops that no detour lowers, between places, in clusters, or along random roads.

    ``both_ways`` is how many times its way back a leg costs at most.
    """
    kind = rng.integers(4)
    x = rng.random((n + 2, int(rng.integers(1, 7))))
    if kind == 1:
        x = x / 50 + rng.random((max(2, n // 20), x.shape[1]))[rng.integers(max(2, n // 20), size=n + 2)]
    if kind < 2:
        costs = np.linalg.norm(x[:, None] - x, axis=-1)
    else:
        roads = rng.uniform(0.1, 1.0, (n + 2, n + 2))
        if kind == 3:  # a chain with few short cuts, and many ties
            roads = np.where(rng.random(roads.shape) < 2 / (n + 2), np.ceil(4 * roads), np.inf)
            roads[np.arange(n + 1), np.arange(1, n + 2)] = 1.0
        costs = shortest_path(np.minimum(roads, roads.T))
    if both_ways > 1:
        # A route over the cheapest roads: each of them costs up to so many times its way back.
        costs = shortest_path(costs * rng.uniform(1.0, both_ways, costs.shape))
    last = costs[:n, n + 1].copy() if rng.random() < 0.5 else None
    first = costs[n, :n].copy() if rng.random() < 0.8 else np.zeros(n)
    return first, costs[:n, :n].copy(), last


@pytest.fixture
def no_search(monkeypatch):
    """Let the search return the stops in any order, as a search that promises nothing may."""
    monkeypatch.setattr(route, "refined", lambda order, *_: stream(len(order), "any order").permutation(order))


@pytest.mark.slow
@pytest.mark.usefixtures("no_search")
def test_a_thousand_routes_keep_the_bound_even_if_the_search_fails():
    planner = ShortRoute(exact_to=1)
    for seed in range(INSTANCES):
        rng = stream(seed, "bound")
        problem = metric(int(rng.integers(2, MOST_STOPS + 1)), rng)
        cost = path_cost(planner.order(*problem, rng), *problem)
        assert cost <= 2 * spanning_tree_bound(*problem) * ROUNDING


@settings(max_examples=60)
@given(st.integers(1, 7), st.integers(0, 10_000), st.sampled_from([1.0, 1.5, 20.0]))
def test_a_walk_costs_at_most_one_plus_asymmetry_times_the_best(n, seed, both_ways):
    first, between, last = metric(n, stream(seed), both_ways)
    order = tree_walk(first, between, last)
    assert sorted(order) == list(range(n))
    cost = path_cost(order, first, between, last)
    # It goes along each edge of the cheapest tree at most once each way, so it pays both ways at most.
    tree = minimum_spanning_tree(between + between.T).sum()
    assert cost <= (first.min() + tree + (0.0 if last is None else last.min())) * ROUNDING
    apart = between + np.eye(n)
    assert cost <= (1 + (apart / apart.T).max()) * brute_force(first, between, last) * ROUNDING


def test_the_walk_is_kept_only_if_it_is_shorter(monkeypatch):
    problem = metric(40, stream(3))
    searched = ShortRoute().order(*problem, stream(0))
    monkeypatch.setattr(route, "tree_walk", lambda first, between, last: np.arange(40))
    assert np.array_equal(ShortRoute().order(*problem, stream(0)), searched)
    monkeypatch.setattr(route, "tree_walk", lambda first, between, last: searched)
    assert np.array_equal(ShortRoute(kicks=0).order(*problem, stream(0)), searched)


def test_the_walk_of_a_star_goes_out_and_back_once_each():
    """The bound is nearly met: five arms from one centre cost about twice their tree."""
    arms = 5
    between = np.full((arms + 1, arms + 1), 2.0)
    between[0, :] = between[:, 0] = 1.0
    np.fill_diagonal(between, 0.0)
    free = np.zeros(arms + 1)
    assert tree_walk(free, between, None).tolist() == [0, 1, 2, 3, 4, 5]
    assert path_cost(tree_walk(free, between, None), free, between) == 2 * arms - 1


def test_a_walk_comes_to_the_stop_nearest_the_end_in_its_last_branch():
    x = np.array([3.0, 1.0, 4.0, 0.0, 2.0])
    between = np.abs(x[:, None] - x)
    order = tree_walk(np.abs(x - 2.0), between, np.abs(x - 5.0))
    assert x[order].tolist() == [2.0, 1.0, 0.0, 3.0, 4.0]


def test_a_leg_counts_both_ways_in_the_tree():
    between = np.array([[0.0, 1.0, 2.0], [9.0, 0.0, 7.0], [2.0, 1.0, 0.0]])  # from 0 to 1 is near, and far back
    assert tree_walk(np.array([0.0, 1.0, 2.0]), between, None).tolist() == [0, 2, 1]

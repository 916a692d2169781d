"""The parts of the search, each against a plain way to the same answer."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.route.problems import around, problems, ranks_alike
from wayfare._core.rng import stream
from wayfare.route import path_cost
from wayfare.route.bounds import spanning_tree
from wayfare.route.level import leveled, scaled
from wayfare.route.moves import Directed, Join, Move, Ring, ThreeOpt, reconnect
from wayfare.route.search import near_stops, search
from wayfare.testing.route import random_problem


def legs(stops):
    return {frozenset(leg) for leg in pairwise([*stops, stops[0]])}


@st.composite
def cuts(draw):
    n = draw(st.integers(5, 20))
    x = draw(st.integers(0, n - 3))
    y = draw(st.integers(x + 1, n - 2))
    return n, draw(st.integers(0, n - 1)), draw(st.sampled_from([1, -1])), x, y


@given(cuts(), st.sampled_from(list(Join)))
def test_whichever_stretch_stays_the_ring_reads_as_named(cut, join):
    n, base, step, x, y = cut
    if join is Join.TURN:
        y = x
    ring = Ring(stream(n, base).permutation(n).tolist())
    path = [ring.stops[(base + step * k) % n] for k in range(n)]
    a, b, c = path[: x + 1], path[x + 1 : y + 1], path[y + 1 :]
    expected = {
        Join.TURN: a + c[::-1],
        Join.SWAP: a + c + b,
        Join.SWAP_TURN_B: a + c + b[::-1],
        Join.SWAP_TURN_C: a + c[::-1] + b,
        Join.TURN_BOTH: a + b[::-1] + c[::-1],
    }[join]
    before = list(ring.stops)
    reconnect(ring, Move(base, step, x, y, join))
    assert legs(ring.stops) == legs(expected)
    assert [ring.where[stop] for stop in ring.stops] == list(range(n))
    ring.undo()
    assert ring.stops == before
    assert [ring.where[stop] for stop in ring.stops] == list(range(n))


@given(st.integers(5, 25), st.integers(0, 99))
def test_three_opt_gains_what_it_says(n, seed):
    costs = stream(seed).random((n, n))
    costs = costs + costs.T + np.diag([np.inf] * n)
    ring = Ring(stream(seed, 1).permutation(n).tolist())
    rows = costs.tolist()
    before = around(ring.stops, rows)
    gain = ThreeOpt(rows, near_stops(costs, len(costs)))(ring, list(range(n)))
    assert before - gain == pytest.approx(around(ring.stops, rows))
    assert sorted(ring.stops) == list(range(n))


@given(st.integers(5, 25), st.integers(0, 99))
def test_turned_stretches_are_priced_in_full(n, seed):
    costs = stream(seed).random((n, n)) + np.diag([np.inf] * n)
    ring = Ring([0, *(1 + stream(seed, 1).permutation(n - 1)).tolist()])
    rows = costs.tolist()
    before = around(ring.stops, rows)
    gain = Directed(rows, near_stops(costs, len(costs)))(ring, list(range(n)))
    assert before - gain == pytest.approx(around(ring.stops, rows))
    assert ring.stops[0] == 0
    assert sorted(ring.stops) == list(range(n))


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

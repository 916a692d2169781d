import sys

import numpy as np
import pytest

from tests.route.problems import around, ranks_alike
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.route import FastTsp, HeldKarp, ShortRoute, path_cost, route
from wayfare.route.route import _between, _doubled, _tied
from wayfare.route.search import scaled
from wayfare.testing.route import random_problem
from wayfare.travel import Embedding


def test_without_fast_tsp_the_way_to_get_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fast_tsp", None)
    with pytest.raises(InvalidInput, match=r"pip install 'fast-tsp>="):
        FastTsp().order(*random_problem(30, stream(0)), stream(0))


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("ends", [True, False])
def test_fast_tsp_is_told_the_same_problem(symmetric, ends):
    pytest.importorskip("fast_tsp")
    # Without kicks our own route is seldom the best, so this one must come from fast-tsp.
    for seed in range(3):
        problem = random_problem(12, stream(seed), symmetric=symmetric, ends=ends)
        best = path_cost(HeldKarp(limit=12).order(*problem, stream(0)), *problem)
        found = path_cost(FastTsp(seconds=0.1, kicks=0).order(*problem, stream(0)), *problem)
        assert found == pytest.approx(best, rel=1e-3)


@pytest.mark.parametrize("ends", [True, False])
def test_the_rings_for_fast_tsp_rank_routes_alike(ends):
    n = 9
    there_and_back = random_problem(n, stream(0), ends=ends)
    tied = _tied(*scaled(*there_and_back)).astype(float)
    assert ranks_alike(there_and_back, lambda order: around([n, *order, n + 1], tied) / 65_535, abs=1e-3)
    assert _between([3, 11, 9, 5, 2], 9, 11).tolist() == [5, 2, 3]
    assert _between([2, 5, 9, 11, 3], 9, 11).tolist() == [5, 2, 3]
    one_way = random_problem(n, stream(0), symmetric=False, ends=ends)
    doubled = _doubled(*scaled(*one_way)).astype(float)
    assert np.array_equal(doubled, doubled.T)

    def both_copies(order):
        return around([n, *(copy for stop in order for copy in (stop + n + 1, stop)), 2 * n + 1], doubled)

    assert ranks_alike(one_way, lambda order: both_copies(order) / 65_535, abs=1e-3)


def test_fast_tsp_is_never_worse_than_ours():
    pytest.importorskip("fast_tsp")
    problem = random_problem(60, stream(1), symmetric=False)
    ours_rng = stream(3).spawn(2)[0]
    ours = path_cost(ShortRoute().order(*problem, ours_rng), *problem)
    assert path_cost(FastTsp(seconds=0.05).order(*problem, stream(3)), *problem) <= ours


def test_fast_tsp_is_never_worse_than_ours_among_points(monkeypatch):
    fast_tsp = pytest.importorskip("fast_tsp")
    x = stream(1).random((60, 2))
    first, at = x[:, 0], Embedding(x)
    between = np.array([at[stop] for stop in range(60)])
    ours = ShortRoute(kicks=0).order_points(first, at, None, stream(3).spawn(2)[0])
    found = FastTsp(seconds=0.05, kicks=0).order_points(first, at, None, stream(3))
    assert path_cost(found, first, between) <= path_cost(ours, first, between)
    # What fast-tsp finds is improved further: a good route with two stops exchanged is mended.
    good = ShortRoute(kicks=20).order(first, between, None, stream(0)).tolist()
    assert path_cost(good, first, between) < path_cost(ours, first, between)
    spoiled = [*good[:20], good[40], *good[21:40], good[20], *good[41:]]
    monkeypatch.setattr(fast_tsp, "find_tour", lambda costs, seconds: [60, *spoiled, 61])
    mended = FastTsp(kicks=0).order_points(first, at, None, stream(3))
    assert path_cost(mended, first, between) < path_cost(ours, first, between)
    monkeypatch.setattr(route, "MOST_STOPS", 59)
    with pytest.raises(InvalidInput, match="59 places at most, got 60"):
        FastTsp().order_points(first, at, None, stream(0))


def test_a_ring_that_parts_start_from_end_is_not_taken_for_a_route(monkeypatch):
    fast_tsp = pytest.importorskip("fast_tsp")
    # In 0, 1, ..., 16 the start is 15 and the end 16; taking 0 to the very end parts them.
    monkeypatch.setattr(fast_tsp, "find_tour", lambda costs, seconds: [*range(1, 16), 0, 16])
    problem = random_problem(15, stream(2))
    assert sorted(FastTsp().order(*problem, stream(0))) == list(range(15))

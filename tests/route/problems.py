"""Route problems for hypothesis, the answer of brute force, and lower bounds that no route beats."""

from collections.abc import Callable
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import strategies as st

from wayfare._core.arrays import Matrix, Order, Values
from wayfare._core.rng import stream
from wayfare.route import path_cost
from wayfare.route.search import spanning_tree
from wayfare.testing.route import Problem, random_problem


@st.composite
def problems(draw, low=1, high=7) -> Problem:
    """Costs of few stops: on a map, on a map with one-way prices, or small whole numbers with many ties."""
    n = draw(st.integers(low, high))
    rng = stream(draw(st.integers(0, 10_000)))
    ends = draw(st.booleans())
    kind = draw(st.sampled_from(["map", "one-way", "ties", "same ties both ways", "climb"]))
    if kind in ("map", "one-way"):
        return random_problem(n, rng, symmetric=kind == "map", ends=ends)
    if kind == "climb":
        first, between, last = random_problem(n, rng, ends=ends)
        height = rng.random(n)
        return first, between + np.maximum(height - height[:, None], 0.0), last
    first, between = rng.integers(0, 4, n) * 1.0, rng.integers(0, 4, (n, n)) * 1.0
    if kind == "same ties both ways":
        between = between + between.T
    return first, between, rng.integers(0, 4, n) * 1.0 if ends else None


def brute_force(first: Values, between: Matrix, last: Values | None) -> float:
    """Return the cost of the best of all orders."""
    return min(path_cost(order, first, between, last) for order in permutations(range(len(first))))


def ranks_alike(problem: Problem, simpler: Callable[[Order], float], abs: float = 1e-9) -> bool:
    """Return whether costs of routes differ in the same proportions by another account."""
    orders = [stream(k).permutation(len(problem[0])) for k in range(3)]
    true = np.diff([path_cost(order, *problem) for order in orders])
    told = np.diff([simpler(order) for order in orders])
    same_sign = bool(np.all(true * told >= -abs))
    return same_sign and true[0] * told[1] == pytest.approx(true[1] * told[0], abs=abs)


def around(stops, costs) -> float:
    """Return the cost of going round a ring."""
    return sum(costs[a][b] for a, b in pairwise([*stops, stops[0]]))


def spanning_tree_bound(first: Values, between: Matrix, last: Values | None = None) -> float:
    """Return a cost no route goes below: a route is a tree too, so the cheapest tree costs no more.

    Asymmetric costs are first lowered to the cheaper of both directions, which keeps the bound.
    """
    n = len(first)
    if n == 0:
        return 0.0
    both_ways = np.minimum(between, between.T)
    tree = both_ways[spanning_tree(both_ways)].sum()
    end = 0.0 if last is None else float(last.min())
    return float(first.min() + tree + end)


def range_bound(position: float | None, stops: Values) -> float:
    """Return the length of the shortest walk along a line through all ``stops``.

    From inside the range the shorter side is walked twice; with no ``position`` the walk
    starts at an end.
    """
    if len(stops) == 0:
        return 0.0
    low, high = float(stops.min()), float(stops.max())
    if position is None:
        return high - low
    return high - low + min(abs(position - low), abs(high - position))

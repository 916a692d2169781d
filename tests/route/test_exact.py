import numpy as np
import pytest
from hypothesis import given

from tests.route.problems import brute_force, problems
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.route import HeldKarp, path_cost


@given(problems())
def test_held_karp_matches_brute_force(problem):
    order = HeldKarp().order(*problem, stream(0))
    assert path_cost(order, *problem) == pytest.approx(brute_force(*problem))


def test_held_karp_says_how_many_stops_it_handles():
    with pytest.raises(InvalidInput, match="10 stops at most, got 11; use ShortRoute"):
        HeldKarp().order(np.zeros(11), np.zeros((11, 11)), None, stream(0))


def test_one_way_streets_are_followed():
    # Only 0 -> 1 -> 2 -> 3 is free.
    between = np.ones((4, 4))
    between[[0, 1, 2], [1, 2, 3]] = 0.0
    order = HeldKarp().order(np.zeros(4), between, None, stream(0))
    assert order.tolist() == [0, 1, 2, 3]
    assert HeldKarp().order(np.zeros(4), between.T, None, stream(0)).tolist() == [3, 2, 1, 0]


def test_a_fixed_end_decides_the_direction():
    x = np.arange(5.0)
    between = np.abs(x[:, None] - x)
    assert HeldKarp().order(np.zeros(5), between, x, stream(0)).tolist() == [4, 3, 2, 1, 0]
    assert HeldKarp().order(np.zeros(5), between, 4 - x, stream(0)).tolist() == [0, 1, 2, 3, 4]

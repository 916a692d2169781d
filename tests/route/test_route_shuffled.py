"""An order left to chance in part: whose stops change places, and how often."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.route.problems import problems
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.route import AsGiven, NearestNext, ShortRoute, Shuffled, randomised


@given(problems(1, 14), st.integers(0, 1000))
def test_a_share_of_nothing_is_the_planners_own_order_and_draws_nothing(problem, seed):
    mine, theirs = stream(seed), stream(seed)
    order = Shuffled(ShortRoute(), 0.0).order(*problem, mine)
    assert np.array_equal(order, ShortRoute().order(*problem, theirs))
    assert mine.bit_generator.state == theirs.bit_generator.state


@given(problems(1, 14), st.floats(0.0, 1.0), st.integers(0, 1000))
def test_stops_that_are_not_chosen_stay_where_they_are(problem, share, seed):
    own = NearestNext().order(*problem, stream(seed))
    order = Shuffled(NearestNext(), share).order(*problem, stream(seed))
    chosen = stream(seed).random(len(own)) < share
    assert np.array_equal(order[~chosen], own[~chosen])
    assert sorted(order) == sorted(own)


def free(n):
    return np.zeros(n), np.zeros((n, n)), None


def test_with_a_share_of_one_every_order_is_equally_likely():
    rng = stream(0)
    seen = Counter(tuple(Shuffled(AsGiven(), 1.0).order(*free(4), rng)) for _ in range(4800))
    assert set(seen) == set(permutations(range(4)))
    surprise = sum((many - 200) ** 2 / 200 for many in seen.values())
    assert surprise < 49.7  # chi square with 23 degrees of freedom, once in a thousand


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 1.0])
def test_about_that_share_of_the_stops_is_elsewhere(share):
    rng, n = stream(1), 200
    moved = [np.count_nonzero(Shuffled(AsGiven(), share).order(*free(n), rng) != np.arange(n)) for _ in range(200)]
    # Of those that change places among themselves, one finds itself where it was on average.
    assert np.mean(moved) == pytest.approx(share * n - 1, abs=1.5)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), "half", True])
def test_a_share_must_be_one(share):
    with pytest.raises(InvalidInput, match="share"):
        Shuffled(ShortRoute(), share)


def test_a_planner_must_be_one():
    with pytest.raises(InvalidInput, match="planner is the class ShortRoute"):
        Shuffled(ShortRoute, 0.5)


def test_a_planner_that_leaves_stops_to_chance_is_told_by_what_it_offers():
    shuffled = Shuffled(ShortRoute(), 0.5)
    assert randomised(shuffled) is shuffled
    assert randomised(ShortRoute()) is None
    assert randomised(shuffled.planner) is None

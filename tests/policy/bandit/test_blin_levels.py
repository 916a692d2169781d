"""Edges of cubes: the numbers that are known, and the scale they end at."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare.policy.bandit.cubes import ace_levels, dyadic_levels, pulls


def test_the_published_constant_takes_443_visits_at_half_the_width():
    assert pulls(1, 16 * math.log(1000)) == 443


@given(d=st.integers(1, 10), log_ratio=st.floats(2.0, 40.0), share=st.floats(0.0, 1.0))
def test_ace_ends_at_the_scale_where_width_and_noise_weigh_the_same(d, log_ratio, share):
    zooming = share * d
    levels = ace_levels(2.0**log_ratio, d, zooming)
    assert levels == sorted(set(levels))
    assert levels[0] >= 1
    limit = max(1.0, log_ratio / (zooming + 2))
    assert limit - 1e-4 < levels[-1] < limit + 1 + 1e-4


def test_ace_sums_its_steps_and_rounds_both_ways():
    # d = z = 1: the first step is 2/9 of 18, the next ones a third of the one before: 4, 5.33, 5.78, 5.93, …
    assert ace_levels(2.0**18, 1, 1.0) == [4, 5, 6]


def test_dyadic_halves_until_one_cube_takes_everything():
    assert dyadic_levels(2.0**9) == [1, 2, 3, 4, 5]
    assert dyadic_levels(0.5) == [1]


@pytest.mark.parametrize("horizon", [10**4, 10**6, 10**9])
def test_ace_has_fewer_stages_than_halving(horizon):
    ratio = horizon / math.log(horizon)
    assert len(ace_levels(ratio, 1, 1)) < len(dyadic_levels(ratio))

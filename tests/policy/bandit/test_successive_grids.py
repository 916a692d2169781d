"""Grids: the ends that are known, and what holds for all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare.policy.bandit.arms import geometric_ends, minimax_ends, root_ends

GRIDS = [minimax_ends, geometric_ends, root_ends]


def test_the_ends_of_a_thousand_in_three_batches():
    assert minimax_ends(1000, 3) == [51, 372, 1000]
    assert geometric_ends(1000, 3) == [10, 100, 1000]
    assert root_ends(1000, 3) == [31, 177, 1000]


def test_roots_that_are_whole_are_not_rounded_down_by_a_hair():
    assert geometric_ends(10**6, 6) == [10, 100, 1000, 10**4, 10**5, 10**6]
    assert root_ends(10**6, 4) == [1000, 10**4, 10**5, 10**6]


@pytest.mark.parametrize("ends", GRIDS)
@given(horizon=st.integers(1, 10**9), batches=st.integers(1, 40))
def test_ends_rise_to_the_horizon(ends, horizon, batches):
    found = ends(horizon, batches)
    assert found[-1] == horizon
    assert found == sorted(set(found))
    assert found[0] >= 1
    assert len(found) <= batches

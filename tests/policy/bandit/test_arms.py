"""Arms: each place by itself, and the spaces that have none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare.errors import InvalidInput
from wayfare.policy.bandit.arms import Arms, share
from wayfare.space import Choice, Integer, Places, Real, Space
from wayfare.surrogate.history import History

TABLE = Places(np.array([[0.0], [1.0], [2.0], [5.0]]))


@given(total=st.integers(0, 1000), pulled=st.lists(st.integers(0, 50), min_size=1, max_size=12))
def test_shares_are_even_and_the_rest_goes_to_those_pulled_least(total, pulled):
    pulled = np.array(pulled)
    shares = share(total, pulled)
    assert shares.sum() == total
    assert shares.max() - shares.min() <= 1
    more = shares > shares.min()
    if more.any():
        assert pulled[more].max() <= pulled[~more].min()


def test_results_are_added_up_by_place_and_others_left_out():
    x = np.array([[1.0], [5.0], [1.0], [3.3]])
    history = History(
        TABLE,
        x,
        np.array([2.0, 1.0, 8.0, 99.0]),
        np.array([[0.0], [1.0]]),
        counts=np.array([1, 1, 2, 7]),
        pending_counts=np.array([4, 5]),
        failed=np.array([[2.0], [1.0]]),
        skipped=np.array([[3.0]]),
    )
    arms = Arms.of(TABLE, history, "Test")
    np.testing.assert_array_equal(arms.counts, [0, 3, 0, 1])
    np.testing.assert_array_equal(arms.out, [4, 5, 0, 0])
    np.testing.assert_allclose(arms.means, [np.nan, 6.0, np.nan, 1.0])
    np.testing.assert_allclose(arms.expected, [4.75, 6.0, 4.75, 1.0])
    np.testing.assert_array_equal(arms.open, [True, True, False, True])


def test_places_that_failed_are_open_again_when_nothing_else_is():
    history = History(TABLE, np.empty((0, 1)), np.empty(0), np.empty((0, 1)), failed=TABLE.table)
    assert Arms.of(TABLE, history, "Test").open.all()


def test_whole_numbers_and_choices_are_arms_too():
    space = Space(Integer("n", 0, 2), Choice("s", ["a", "b"]))
    history = History(space, np.array([[1.0, 1.0]]), np.array([3.0]), np.empty((0, 2)))
    np.testing.assert_array_equal(Arms.of(space, history, "Test").counts, [0, 0, 0, 1, 0, 0])


def test_a_continuum_and_places_visited_once_are_refused():
    line = Space(Real("a", 0.0, 1.0))
    with pytest.raises(InvalidInput, match=r"UCB1 needs a finite table .* use BLiN"):
        Arms.of(line, History.empty(line), "UCB1")
    once = Places(np.array([[0.0], [1.0]]), once=True)
    with pytest.raises(InvalidInput, match=r"UCB1 returns to its arms.*once=False"):
        Arms.of(once, History.empty(once), "UCB1")

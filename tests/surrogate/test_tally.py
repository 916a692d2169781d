"""The tally: the common contract, and the numbers of a place by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare.errors import InvalidInput
from wayfare.space import Places, Real, Space
from wayfare.surrogate import Surrogate, Tally
from wayfare.surrogate.history import History
from wayfare.testing.surrogate import SurrogateContract

RNG = np.random.default_rng
LINE = Space(Real("x", 0.0, 1.0))
NONE = np.empty((0, 1))


class TestTally(SurrogateContract):
    @pytest.fixture
    def surrogate(self) -> Surrogate:
        return Tally()


def singly(values):
    """Return a history of single results, place by place."""
    x = np.repeat([[0.1], [0.5], [0.9]], [len(v) for v in values], axis=0)
    return History(LINE, x, np.concatenate(values), NONE)


@given(st.integers(0, 999))
def test_runs_say_what_their_results_one_by_one_would(seed):
    rng = RNG(seed)
    values = [rng.normal(size=n) for n in (2, 5, 9)]
    means, counts = [v.mean() for v in values], [len(v) for v in values]
    variances = [v.var(ddof=1) for v in values]
    runs = History(LINE, np.array([[0.1], [0.5], [0.9]]), means, NONE, counts=counts, variances=variances)
    x = np.array([[0.1], [0.5], [0.9]])
    one, other = (Tally().fit(history, rng).marginals(x) for history in (singly(values), runs))
    np.testing.assert_allclose(one.mean, means)
    np.testing.assert_allclose(one.mean, other.mean)
    np.testing.assert_allclose(one.sd, other.sd)
    pooled = np.sqrt(sum(((v - v.mean()) ** 2).sum() for v in values) / 13)
    np.testing.assert_allclose(one.sd, pooled / np.sqrt(counts))


def test_the_mean_is_pooled_over_runs_and_neighbours_count_for_nothing():
    x = np.array([[0.5], [0.5], [0.5 + 1e-9]])
    history = History(LINE, x, np.array([1.0, 4.0, 9.0]), NONE, noise=2.0, counts=np.array([1, 2, 100]))
    mean, sd = Tally().fit(history, RNG(0)).marginals(np.array([[0.5], [0.7]]))
    assert mean[0] == pytest.approx(3.0)
    assert sd[0] == pytest.approx(2.0 / np.sqrt(3))
    assert mean[1] == pytest.approx((1 + 8 + 900) / 103)
    assert sd[1] > 20.0


def test_results_without_noise_still_leave_a_spread():
    history = singly([[1.0, 1.0], [2.0, 2.0], [3.0]])
    assert (Tally().fit(history, RNG(0)).marginals(history.x).sd > 0).all()
    alike = singly([[1.0], [1.0], [1.0]])
    assert Tally().fit(alike, RNG(0)).marginals(np.array([[0.3]])).sd[0] > 1.0


def test_an_earlier_belief_is_recalled_with_its_noise():
    history = singly([[1.0, 2.0], [2.0, 5.0], [3.0]])
    held = Tally().fit(history.until(3), RNG(0))
    recalled = Tally().recall(history.until(3), held.notes)
    np.testing.assert_array_equal(recalled.marginals(history.x).sd, held.marginals(history.x).sd)
    np.testing.assert_array_equal(recalled.marginals(history.x).mean, held.marginals(history.x).mean)


def test_a_place_never_seen_shares_its_draw_with_nobody_and_keeps_it():
    space = Places(RNG(0).random((50, 2)))
    paths = Tally().fit(History.empty(space), RNG(0)).paths(200, RNG(1))
    drawn = paths(space.table)
    np.testing.assert_array_equal(drawn[::-1], paths(space.table[::-1]))
    assert np.abs(np.corrcoef(drawn) - np.eye(50)).max() < 0.4


def test_a_width_that_is_none_is_refused():
    with pytest.raises(InvalidInput, match="Tally: width"):
        Tally(1.0)

"""The classical bandits: their formulas, and which arm they lead to."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policy.bandit.walk import situation_with
from wayfare.errors import InvalidInput
from wayfare.policy.bandit import UCB1, ThompsonBeta, ThompsonGaussian, beta_draw, gaussian_draw, ucb1_index
from wayfare.space import AnySpace, Places
from wayfare.surrogate.history import History
from wayfare.testing.policy import SPACES, PolicyContract

RNG = np.random.default_rng
TABLE = Places(np.arange(4.0)[:, None])


def history_with(values, counts, out=(0, 0, 0, 0), **more):
    """Return a history with these means and counts at the four arms, and so many still out."""
    told, sent = np.flatnonzero(counts), np.flatnonzero(out)
    return History(
        TABLE,
        TABLE.table[told],
        np.array(values, dtype=float)[told],
        TABLE.table[sent],
        counts=np.array(counts)[told],
        pending_counts=np.array(out)[sent],
        **more,
    )


def picked(policy, history, seed=0):
    return int(policy.propose(situation_with(history), 5, RNG(seed))[0, 0])


@pytest.mark.parametrize("policy", [UCB1(), ThompsonBeta(low=-9, high=9), ThompsonGaussian()], ids=str)
class TestIndexed(PolicyContract):
    @pytest.fixture(params=["places", "grid"])
    def space(self, request) -> AnySpace:
        return SPACES[request.param]


@given(
    means=st.lists(st.floats(-1, 1), min_size=4, max_size=4),
    counts=st.lists(st.integers(1, 60), min_size=4, max_size=4),
    c=st.floats(0, 4),
    scale=st.floats(0.1, 5),
)
def test_ucb1_takes_the_arm_of_the_highest_bound(means, counts, c, scale):
    t = sum(counts)
    bounds = [m + scale * math.sqrt(c * math.log(t) / n) for m, n in zip(means, counts, strict=True)]
    at = picked(UCB1(c, scale), history_with(means, counts))
    assert bounds[at] == pytest.approx(max(bounds), abs=1e-12)


def test_ucb1_tries_every_arm_first_and_counts_what_is_out():
    assert picked(UCB1(), history_with([9, 9, 0, 9], [1, 1, 0, 1])) == 2
    assert picked(UCB1(), history_with([0, 0, 0, 0], [5, 5, 5, 5], out=[1, 0, 1, 1])) == 1
    assert picked(UCB1(), history_with([1, 2, 0, 0], [1, 1, 0, 0], out=[0, 0, 1, 1])) == 1
    assert ucb1_index(np.zeros((2, 3)), np.array([[0, 1, 1], [1, 1, 0]]), 2).argmax(axis=1).tolist() == [0, 2]


@pytest.mark.parametrize("policy", [UCB1(), ThompsonBeta(), ThompsonGaussian(noise=1e-3)], ids=str)
def test_an_arm_that_was_skipped_just_now_is_left_alone_and_one_with_results_is_not(policy):
    history = history_with([0.1, 0.9, 0.2, 0.1], [10**6] * 4, just_skipped=np.array([[1.0]]))
    assert picked(policy, history) == 2
    history = history_with([0.1, 0.9, 0.2, 0.1], [10**6] * 4, failed=np.array([[1.0]]))
    assert picked(policy, history) == 1


@pytest.mark.parametrize("policy", [ThompsonBeta(), ThompsonGaussian(mean=0.5, noise=0.3)], ids=str)
def test_thompson_mostly_plays_what_is_mostly_best_and_the_unknown_at_times(policy):
    picks = [picked(policy, history_with([0.2, 0.8, 0.3, 0], [40, 40, 40, 0]), seed) for seed in range(200)]
    often = np.bincount(picks, minlength=4)
    assert often[1] > 100
    assert 5 < often[3] < 80
    assert often[0] + often[2] < 5


def test_the_draws_have_the_moments_of_the_posterior():
    n, s = np.array([0, 10, 90]), np.array([0.0, 2.5, 60.0])
    draws = np.array([beta_draw(s, n, 1.0, 2.0, RNG(i)) for i in range(4000)])
    np.testing.assert_allclose(draws.mean(axis=0), (1 + s) / (3 + n), atol=0.02)
    draws = np.array([gaussian_draw(s, n, 0.0, 1.0, 1.0, RNG(i)) for i in range(4000)])
    np.testing.assert_allclose(draws.mean(axis=0), s / (n + 1), atol=0.06)
    np.testing.assert_allclose(draws.std(axis=0), 1 / np.sqrt(n + 1), rtol=0.05)


def test_thompson_takes_results_that_are_out_to_come_back_at_the_mean():
    # With very many out, a draw is the mean itself: the arm of the highest mean is taken every time.
    for policy in (ThompsonBeta(), ThompsonGaussian(spread=9.0)):
        sent = history_with([0.4, 0.6, 0.5, 0.3], [3, 3, 3, 3], out=[10**7] * 4)
        assert {picked(policy, sent, seed) for seed in range(20)} == {1}


def test_values_beyond_the_range_of_a_beta_are_refused_with_the_way_out():
    with pytest.raises(InvalidInput, match=r"from 0 to 1, got 1.5; set low and high .* or use Thompson"):
        picked(ThompsonBeta(), history_with([0.5, 1.5, 0, 0], [1, 1, 0, 0]))
    with pytest.raises(InvalidInput, match=r"got -0\.5"):
        picked(ThompsonBeta(), history_with([-0.5, 0.5, 0, 0], [1, 1, 0, 0]))
    # Losses from 0 to 1, minimised: inside they are -1 to 0.
    assert picked(ThompsonBeta(low=-1, high=0), history_with([-0.9, -0.1, -0.9, -0.9], [10**4] * 4)) == 1


@pytest.mark.parametrize(
    ("policy", "wrong"),
    [
        (UCB1, {"c": -1.0}),
        (UCB1, {"scale": 0.0}),
        (ThompsonBeta, {"a": 0.0}),
        (ThompsonBeta, {"low": 1.0, "high": 1.0}),
        (ThompsonGaussian, {"spread": 0.0}),
        (ThompsonGaussian, {"noise": 0.0}),
    ],
)
def test_wrong_numbers_are_refused(policy, wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        policy(**wrong)

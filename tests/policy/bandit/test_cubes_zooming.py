"""Zooming: bare places become arms, and the rest is the index."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.policy.bandit.walk import Walk, noisy, situation_with
from wayfare.errors import InvalidInput
from wayfare.policy.bandit import Zooming, bareness, zooming_index, zooming_radius
from wayfare.space import AnySpace, Real, Space
from wayfare.surrogate.history import History
from wayfare.testing.policy import SPACES, PolicyContract

LINE = Space(Real("x", 0.0, 1.0))


@pytest.mark.parametrize("policy", [Zooming(), Zooming(lipschitz=20.0, mesh=729)], ids=str)
class TestZooming(PolicyContract):
    @pytest.fixture(params=["plane", "six", "fixed"])
    def space(self, request) -> AnySpace:
        return SPACES[request.param]


def test_the_formulas():
    assert zooming_radius(np.array([0, 7]), 100, noise=0.5)[1] == pytest.approx(0.5 * math.sqrt(2 * math.log(100) / 8))
    assert zooming_index(np.array([1.0]), np.array([0.25]))[0] == 1.5
    bare = bareness(np.array([[0.1, 0.6], [0.4, 0.5]]), np.array([0.2, 0.4]), lipschitz=2.0)
    np.testing.assert_allclose(bare, [0.0, 0.3])
    assert np.isinf(bareness(np.zeros((0, 3)), np.zeros(0))).all()


@settings(max_examples=20)
@given(seed=st.integers(0, 99), lipschitz=st.sampled_from([1.0, 3.0]), horizon=st.integers(5, 60))
def test_it_plays_as_a_loop_that_remembers(seed, lipschitz, horizon):
    value = noisy(lambda place: -abs(place[0] - 0.3), 0.05, seed)
    policy = Zooming(lipschitz, noise=0.05, mesh=50)
    mesh = [0.5] + [(i + 0.5) / 50 for i in range(50)]
    arms, n, total = [], [], []
    for plan in Walk(policy, LINE, horizon, value).plans():
        radius = [0.05 * math.sqrt(2 * math.log(horizon) / (1 + k)) for k in n]
        bare = [
            min((abs(x - a) - r / lipschitz for a, r in zip(arms, radius, strict=True)), default=math.inf) for x in mesh
        ]
        if max(bare) > 0:
            arms.append(mesh[int(np.argmax(bare))])
            n.append(0)
            total.append(0.0)
            at = len(arms) - 1
        else:
            at = int(np.argmax([s / k + 2 * r for s, k, r in zip(total, n, radius, strict=True)]))
        assert plan.places[0, 0] == pytest.approx(arms[at])
        total[at] += value([arms[at]], n[at], 1)
        n[at] += 1


def test_it_keeps_away_from_what_failed():
    no = np.empty((0, 1))
    first = Zooming().propose(situation_with(History.empty(LINE)), 99, np.random.default_rng(0))
    assert first.tolist() == [[0.5]]
    history = History(LINE, no, np.empty(0), no, failed=first)
    again = Zooming().propose(situation_with(history), 98, np.random.default_rng(0))
    assert again.tolist() != [[0.5]]
    x = np.array([[0.2], [0.8]])
    history = History(LINE, x, np.array([0.0, 1.0]), no, just_skipped=x[1:], counts=np.array([3, 3]))
    assert Zooming().propose(situation_with(history), 9, np.random.default_rng(0)).tolist() == [[0.2]]


def test_what_it_cannot_use_is_refused():
    wide = Space(*(Real(f"x{i}", 0.0, 1.0) for i in range(13)))
    with pytest.raises(InvalidInput, match="raise mesh to 8192"):
        Zooming().propose(situation_with(History.empty(wide)), 99, np.random.default_rng(0))
    for wrong in ({"lipschitz": 0.0}, {"noise": 0.0}, {"c": 0.0}, {"mesh": 0}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            Zooming(**wrong)

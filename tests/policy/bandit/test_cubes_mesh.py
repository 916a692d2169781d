"""UCB1 on a mesh: the mesh, and the loop it stands for."""

import math

import numpy as np
import pytest

from tests.policy.bandit.walk import Walk, noisy, situation_with
from wayfare.errors import InvalidInput
from wayfare.policy.bandit import MeshUCB1, mesh_parts
from wayfare.space import AnySpace, Real, Space
from wayfare.surrogate.history import History
from wayfare.testing.policy import SPACES, PolicyContract

LINE = Space(Real("x", 0.0, 1.0))


@pytest.mark.parametrize("policy", [MeshUCB1(), MeshUCB1(cells=3)], ids=str)
class TestMeshUCB1(PolicyContract):
    @pytest.fixture(params=["plane", "six", "fixed"])
    def space(self, request) -> AnySpace:
        return SPACES[request.param]


def test_cells_are_no_wider_than_the_usual_width():
    for horizon, d in [(10, 1), (10**5, 1), (10**5, 2), (10**4, 5)]:
        width = (math.log(horizon) / horizon) ** (1 / (d + 2))
        assert 1 / mesh_parts(horizon, d) <= width * (1 + 1e-9) < 1 / (mesh_parts(horizon, d) - 1)


def test_it_plays_as_ucb1_on_the_centres_does():
    value = noisy(lambda place: -abs(place[0] - 0.3), 0.2, 3)
    walk = Walk(MeshUCB1(cells=5), LINE, 60, value)
    n, total = np.zeros(5), np.zeros(5)
    for plan in walk.plans():
        t = n.sum()
        means = total / np.maximum(n, 1)
        bounds = np.where(n > 0, means + np.sqrt(2 * math.log(max(t, 1)) / np.maximum(n, 1)), np.inf)
        arm = int(np.argmax(bounds))
        assert plan.places.tolist() == [[pytest.approx((arm + 0.5) / 5)]]
        total[arm] += value([(arm + 0.5) / 5], int(n[arm]), 1)
        n[arm] += 1


def test_a_result_counts_for_its_cell_and_a_cell_with_a_failure_is_left():
    x = np.array([[0.05], [0.12], [0.45], [0.8]])
    history = History(LINE, x, np.array([0.0, 0.0, 9.0, 1.0]), np.empty((0, 1)), failed=np.array([[0.4]]))
    situation = situation_with(history)
    assert MeshUCB1(cells=3).propose(situation, 9, np.random.default_rng(0))[0, 0] == pytest.approx(5 / 6)


def test_too_fine_a_mesh_is_refused():
    wide = Space(*(Real(f"x{i}", 0.0, 1.0) for i in range(20)))
    with pytest.raises(InvalidInput, match="set cells"):
        MeshUCB1().propose(situation_with(History.empty(wide)), 99, np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="cells"):
        MeshUCB1(cells=0)

"""Every travel cost keeps the contract."""

import numpy as np
import pytest

from wayfare.testing.travel import TravelCostContract
from wayfare.travel import Chebyshev, Custom, Euclidean, Fee, Manhattan, Ramp, Switch, Table, parallel, serial

from .worlds import LAB, PLANE, TOWNS

ASYMMETRIC = [[0, 3, 9], [1, 0, 4], [7, 2, 0]]


def climb(origins, targets):
    return np.maximum(targets[:, 1] - origins[:, 1][:, None], 0.0)


COSTS = {
    "euclidean": (Euclidean(unit="m"), PLANE),
    "euclidean on numbers": (Euclidean(scale={"temp": 0.1, "flow": 3}), LAB),
    "euclidean on some": (Euclidean(["north"], scale=2.5), PLANE),
    "manhattan": (Manhattan(scale=3), LAB),
    "manhattan on some": (Manhattan(["flow", "temp"], scale={"flow": 9}), LAB),
    "chebyshev": (Chebyshev(), PLANE),
    "chebyshev scaled": (Chebyshev(scale={"cycles": 5}), LAB),
    "ramp": (Ramp("temp", up=5 / 60, down=2 / 60, unit="s"), LAB),
    "even ramp": (Ramp("flow", up=3, down=3), LAB),
    "switch": (Switch("catalyst", 900), LAB),
    "switch of numbers": (Switch("cycles", 3), LAB),
    "switch by matrix": (Switch("catalyst", ASYMMETRIC), LAB),
    "fee": (Fee(7), LAB),
    "fee on some": (Fee(7, ["catalyst", "cycles"]), LAB),
    "serial": (Ramp("temp", 1, 2, "s") + Switch("catalyst", 3) + Fee(1), LAB),
    "parallel": (parallel(Ramp("temp", 1, 1), Ramp("flow", 2, 2), Switch("catalyst", 3)), LAB),
    "both": (parallel(Ramp("temp", 1, 3), Ramp("flow", 2, 2)) + Switch("catalyst", ASYMMETRIC), LAB),
    "scaled": (2 * serial(Euclidean(), Fee(1)) / 3, PLANE),
    "table": (Table(TOWNS, [[0, 1, 2, 9], [1, 0, 1, 9], [2, 1, 0, 9], [1, 2, 3, 0]]), TOWNS),
    "custom": (Custom(lambda a, b: float(np.abs(a - b).sum()), metric=True), PLANE),
    "custom with names": (Custom(lambda a, b: 5 * (a["catalyst"] != b["catalyst"]), named=True), LAB),
    "custom vectorized": (Custom(climb, vectorized=True), PLANE),
}


@pytest.mark.parametrize("which", COSTS)
class TestEveryCost(TravelCostContract):
    @pytest.fixture
    def cost(self, which):
        return COSTS[which][0]

    @pytest.fixture
    def space(self, which):
        return COSTS[which][1]

    def test_costs_are_values(self, which, cost):
        assert cost == cost
        assert isinstance(hash(cost), int)
        assert repr(cost)

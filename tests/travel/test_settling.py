import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.testing.travel import TravelCostContract
from wayfare.travel import Ramp, Settling, check, parallel

from .worlds import LAB

HEAT = Settling("temp", speed=80, threshold=2.5, per_fold=5, unit="min")


def at(*temps):
    return LAB.points([[temp, 1, 1, "Pd"] for temp in temps])


@pytest.mark.parametrize(
    "cost",
    [HEAT, Settling("temp", 2, 10, 4), parallel(HEAT, Settling("flow", 1, 0.1, 3, "min"))],
    ids=["steep", "concave", "joined"],
)
class TestSettling(TravelCostContract):
    @pytest.fixture
    def cost(self, cost):
        return cost

    @pytest.fixture
    def space(self):
        return LAB


def test_up_to_the_threshold_it_is_a_ramp():
    near = at(60, 60.1, 61.3, 62.5)
    assert np.allclose(HEAT.bind(LAB)(near, near), Ramp("temp", 80, 80).bind(LAB)(near, near))


def test_beyond_the_threshold_every_factor_costs_the_same():
    heat = HEAT.bind(LAB)
    costs = heat(at(40), at(42.5, 45, 50, 60, 40 + 2.5 * math.e))[0]
    assert costs[0] == pytest.approx(2.5 / 80)
    assert np.allclose(np.diff(costs[:4]), 5 * math.log(2))
    assert costs[4] - costs[0] == pytest.approx(5)


def test_it_is_the_same_there_and_back_and_nothing_at_home():
    x = LAB.sample(9, stream(0))
    costs = HEAT.bind(LAB)(x, x)
    assert np.array_equal(costs, costs.T)
    assert not costs.diagonal().any()


def test_a_steep_one_is_no_metric_and_says_so():
    assert not HEAT.is_metric
    report = check(HEAT, LAB)
    assert report.is_usable
    assert report.triangle is not None
    assert report.asymmetric is None


def alone(cost, change):
    return cost(np.zeros((1, 1)), np.array([[change]])).item()


SIZES = st.floats(0.01, 100)


@given(speed=SIZES, threshold=SIZES, steepness=st.floats(0, 1), first=SIZES, second=SIZES)
def test_no_stop_on_the_way_saves_anything_on_a_metric(speed, threshold, steepness, first, second):
    cost = Settling(0, speed, threshold, 0.999999 * steepness * threshold / speed)
    assert cost.is_metric
    assert alone(cost, first + second) <= (alone(cost, first) + alone(cost, second)) * (1 + 1e-12)


@given(speed=SIZES, threshold=SIZES, steepness=st.floats(1.01, 100))
def test_a_stop_at_the_threshold_saves_where_it_is_no_metric(speed, threshold, steepness):
    cost = Settling(0, speed, threshold, steepness * threshold / speed)
    assert not cost.is_metric
    little = 0.001 * threshold
    assert alone(cost, threshold + little) > alone(cost, threshold) + alone(cost, little)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Settling("temp", 0, 1, 1), "speed of a Settling (axis 'temp') must be above 0, got 0"),
        (lambda: Settling("temp", 1, -1, 1), "threshold of a Settling (axis 'temp') must be above 0, got -1"),
        (lambda: Settling("temp", 1, 1, -1), "per_fold of a Settling must not be negative, got -1"),
        (lambda: Settling("temp", 1, 1, "5"), "per_fold of a Settling must be a number, got '5'"),
        (lambda: Settling("tmp", 1, 1, 1).bind(LAB), "did you mean 'temp'?"),
        (lambda: Settling("catalyst", 1, 1, 1).bind(LAB), "Settling cannot measure the choice 'catalyst'"),
        (lambda: HEAT(at(50), at(60)), "call cost.bind(space) first"),
    ],
)
def test_bad_settlings_are_refused(make, message):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert message in str(refused.value)

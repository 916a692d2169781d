import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.testing.travel import TravelCostContract
from wayfare.travel import Fee, Ramp, Settling, Switch, check, parallel

from .worlds import LAB, PLANE

HOT = LAB.points({"temp": 120, "flow": 1, "cycles": 1, "catalyst": "Pd"})
COLD = LAB.points({"temp": 20, "flow": 1, "cycles": 1, "catalyst": "Cu"})


def test_a_ramp_rises_and_falls_at_its_own_speeds():
    ramp = Ramp("temp", up=5, down=2).bind(LAB)
    assert ramp(COLD, HOT).item() == 20
    assert ramp(HOT, COLD).item() == 50
    assert not ramp.is_metric
    assert Ramp("temp", 3, 3).is_metric


def test_staying_on_a_ramp_is_plain_zero():
    assert not np.signbit(Ramp(0, 5, 2)(HOT, HOT)).any()


def test_a_switch_costs_its_fee_for_any_change():
    switch = Switch("catalyst", 900, unit="s").bind(LAB)
    assert switch(HOT, COLD).item() == switch(COLD, HOT).item() == 900
    assert switch(HOT, HOT).item() == 0
    assert switch.is_metric


def test_a_switch_reads_its_matrix_from_row_to_column():
    fees = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    switch = Switch("catalyst", fees).bind(LAB)
    x = LAB.points([[50, 1, 1, value] for value in ("Pd", "Ni", "Cu")])
    assert switch(x, x).tolist() == fees
    assert switch(HOT, COLD).item() == 2
    assert switch(COLD, HOT).item() == 5


@pytest.mark.parametrize(
    ("fees", "is_metric"),
    [
        ([[0, 1, 2], [1, 0, 1], [2, 1, 0]], True),
        ([[0, 1, 2.1], [1, 0, 1], [2.1, 1, 0]], False),
        ([[0, 1, 1], [1, 0, 2], [1, 1, 0]], False),
        ([[0, 0.1, 0.3], [0.1, 0, 0.2], [0.3, 0.2, 0]], True),  # 0.1 + 0.2 is not 0.3 in floats
    ],
)
def test_a_matrix_is_a_metric_if_symmetric_and_without_shortcuts(fees, is_metric):
    assert Switch("catalyst", np.array(fees)).is_metric == is_metric


def test_switches_by_matrix_are_values():
    fees = np.array([[0, 1], [2, 0]])
    assert Switch("c", fees) == Switch("c", fees.tolist())
    assert Switch("c", fees) != Switch("c", fees.T)
    assert Switch("c", fees) != Switch("c", 1)
    assert not Switch("c", fees).fee.flags.writeable


def test_a_fee_is_paid_once_however_many_axes_change():
    fee = Fee(5).bind(LAB)
    assert fee(HOT, COLD).item() == 5
    assert fee(HOT, HOT).item() == 0
    assert Fee(5, ["cycles"]).bind(LAB)(HOT, COLD).item() == 0
    assert Fee(5, ["cycles", "catalyst"]).bind(LAB)(HOT, COLD).item() == 5


X = np.zeros((1, 4))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ramp("temp", up=0, down=1), "up of a Ramp (axis 'temp'), a speed without"),
        (lambda: Ramp("temp", up=1, down=-1), "direction, must be above 0, got -1"),
        (lambda: Ramp("temp", up=None, down=1), "up of a Ramp must be a number, got None"),
        (lambda: Ramp("temp", up=float("inf"), down=1), "up of a Ramp must be finite"),
        (lambda: Ramp("", 1, 1), "must not be empty"),
        (lambda: Ramp("tmp", 1, 1).bind(LAB), "there is no axis 'tmp'; did you mean 'temp'?"),
        (lambda: Ramp("catalyst", 1, 1).bind(LAB), "Ramp cannot measure the choice 'catalyst'"),
        (lambda: Ramp("temp", 1, 1)(X, X), "call cost.bind(space) first"),
        (lambda: Switch("catalyst", -1), "fee of a Switch must not be negative, got -1"),
        (lambda: Switch("catalyst", "9"), "fee of a Switch must be a number, got '9'"),
        (lambda: Switch("catalyst", [[0, 1], [1]]), "the matrix of a Switch must hold numbers in rows of one length"),
        (lambda: Switch("catalyst", [[0, 1]]), "must be square, got shape (1, 2)"),
        (lambda: Switch("catalyst", []), "must be square, got shape (0,)"),
        (lambda: Switch("catalyst", [[0, -1], [1, 0]]), "not negative, got -1.0 from 0 to 1"),
        (lambda: Switch("catalyst", [[0, 1], [np.nan, 0]]), "got nan from 1 to 0"),
        (lambda: Switch("catalyst", [[0, 1], [1, 2]]), "must be 0 on the diagonal, got 2.0 at 1"),
        (lambda: Switch("catalyst", [[0, 1], [1, 0]]).bind(LAB), "on 'catalyst' must be (3, 3), got (2, 2)"),
        (lambda: Switch("temp", [[0, 1], [1, 0]]).bind(LAB), "needs a choice, but 'temp' holds numbers; use one fee"),
        (lambda: Switch("catalist", 3).bind(LAB), "did you mean 'catalyst'?"),
        (lambda: Switch("catalyst", 3)(X, X), "call cost.bind(space) first"),
        (lambda: Fee(-1), "amount of a Fee must not be negative, got -1"),
        (lambda: Fee(None), "amount of a Fee must be a number, got None"),
        (lambda: Fee(1, ["temp"]).bind(PLANE), "there is no axis 'temp'"),
        (lambda: Fee(1, ["temp"])(X, X), "call cost.bind(space) first"),
    ],
)
def test_bad_machines_are_refused(make, message):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert message in str(refused.value)


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

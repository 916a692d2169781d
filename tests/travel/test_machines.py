import numpy as np
import pytest

from wayfare.errors import InvalidInput
from wayfare.travel import Fee, Ramp, Switch

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

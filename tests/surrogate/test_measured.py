"""``Measured``: the limit on a number, and what it refuses."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import wayfare as wf

finite = st.floats(-1e300, 1e300)


@given(finite, finite, finite)
def test_measured_holds_between_its_limits_and_on_them(low, high, number):
    """Both limits comply, and each side alone is a limit, too."""
    assume(low < high)
    both = wf.Measured("p", at_most=high, at_least=low)
    assert both.holds(number) == (low <= number <= high)
    assert wf.Measured("p", at_most=high).holds(number) == (number <= high)
    assert wf.Measured("p", at_least=low).holds(number) == (number >= low)
    assert both.holds(low)
    assert both.holds(high)


def test_measured_is_broken_by_a_number_but_not_by_a_missing_one():
    limit = wf.Measured("p", at_most=10)
    assert limit.is_broken_by({"p": 10.5, "q": 1.0})
    assert not limit.is_broken_by({"p": 10.0})
    assert not limit.is_broken_by({"q": 99.0})


def test_measured_says_its_limit():
    assert str(wf.Measured("pressure", at_most=10, unit="bar")) == "pressure at most 10 bar"
    assert str(wf.Measured("pH", at_least=6.5, at_most=8)) == "pH at least 6.5 and at most 8"


def test_measured_keeps_whole_numbers_as_floats():
    """So that a limit is the same after a store has kept it."""
    limit = wf.Measured("p", at_most=10, at_least=-0.0)
    assert (type(limit.at_most), limit) == (float, wf.Measured("p", 10.0, 0.0))
    assert math.copysign(1.0, limit.at_least) == 1.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"name": "p"}, "'p' has no limit; give at_most or at_least"),
        ({"name": "", "at_most": 1}, "name must not be empty"),
        ({"name": 3, "at_most": 1}, "name must be text, got 3"),
        ({"name": "p ", "at_most": 1}, "name has blanks around it"),
        ({"name": "p", "at_most": "10"}, "at_most of 'p' must be a number, got '10'"),
        ({"name": "p", "at_most": True}, "at_most of 'p' must be a number, got True"),
        ({"name": "p", "at_least": math.nan}, "at_least of 'p' must be finite, got nan"),
        ({"name": "p", "at_most": 1.1e300}, "at_most of 'p' is beyond ±1e300"),
        ({"name": "p", "at_least": 2, "at_most": 1}, "at_least of 'p' must be below at_most, got 2.0 and 1.0"),
        ({"name": "p", "at_most": 1, "unit": None}, "unit must be a text such as 'bar', got None"),
    ],
)
def test_measured_refuses_what_is_no_limit(arguments, said):
    with pytest.raises(wf.InvalidInput, match=f"Measured: {said}"):
        wf.Measured(**arguments)

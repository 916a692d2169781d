"""How many digits are shown, and in which unit."""

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare._core.format import amount, changes, decimals_of, estimate, head, in_full, in_words, setting, with_unit
from wayfare.space import Choice, Integer, Real, Space

LAB = Space(
    Real("temp", 20, 80, step=0.5, unit="°C"), Real("flow", 0, 2), Integer("n", 1, 9), Choice("s", [5, 10], "mM")
)
HERE, THERE = (LAB.params([72.5, 0.123456789, n, 1]) for n in (3, 4))


@given(st.floats(1e-3, 1e9))
def test_an_amount_is_right_to_four_digits_and_keeps_those_before_the_point(cost):
    said = amount(cost)
    assert float(said) == pytest.approx(cost, rel=5.1e-4, abs=0.5 if cost >= 1000 else 0)
    assert abs(float(said) - cost) <= 0.5
    assert "e" not in said or cost < 1e-2
    assert len(said.replace(".", "").lstrip("0")) <= max(4, len(f"{cost:.0f}"))


def test_costs_have_the_digits_that_matter():
    assert with_unit(16.6893, "min") == "16.69 min"
    assert with_unit(2856.43, "m") == "2856 m"
    assert with_unit(0.0299792, "") == "0.02998"
    assert with_unit(12345678.9, "m") == "12345679 m"
    assert in_full(2856.43, "m") == "2856.43 m"


def test_settings_are_shown_in_the_unit_of_their_axis():
    assert in_words(HERE) == "temp=72.5 °C, flow=0.123457, n=3, s=10 mM"
    assert in_words(MappingProxyType(HERE), ["temp"]) == "temp=72.5 °C"
    assert changes(HERE, THERE) == "temp same, flow same, n 3 → 4, s same"
    assert changes({**HERE, "temp": 60.0}, HERE, ["temp"]) == "temp 60 → 72.5 °C"
    assert [head(HERE, axis) for axis in HERE] == ["temp [°C]", "flow", "n", "s [mM]"]


def test_a_setting_that_was_missed_is_shown_as_it_was():
    assert setting(LAB.params([72.37, 1, 3, 1]), "temp") == "72.37 °C"


def test_a_long_number_in_steps_is_shown_to_its_last_digit():
    site = Space(Real("northing", 5_200_000, 5_300_000, step=0.5, unit="m"))
    assert in_words(site.params([5_234_567.5])) == "northing=5234567.5 m"


def test_places_still_equal_plain_dicts():
    assert dict(HERE) == HERE
    assert HERE.copy().scales is HERE.scales


@pytest.mark.parametrize(("number", "decimals"), [(1, 0), (0.5, 1), (20.25, 2), (1e-7, 7), (1e20, 0), (100, 0)])
def test_decimals_are_those_a_number_is_written_with(number, decimals):
    assert decimals_of(number) == decimals


@pytest.mark.parametrize(
    ("mean", "sd", "said"),
    [
        (41.2934, 0.53, "41.29"),
        (0.701232, 0.02, "0.701"),
        (12345.6, 130.0, "12350"),
        (1234567.0, 12.0, "1234567"),
        (-0.0004, 0.3, "0.00"),
        (0.5, 1e-9, "0.500000"),
        (0.3, 0.0, "0.3"),
    ],
)
def test_an_estimate_has_the_digits_that_its_deviation_leaves(mean, sd, said):
    assert estimate(mean, sd) == said

"""Ratios of paired studies, worked out by hand."""

import numpy as np
import pytest

from tournament.score import ratio
from wayfare.errors import InvalidInput


def test_ratios_are_those_worked_out_by_hand():
    # One problem at 1/2 and 1/8, so 1/4; the other at 1 and 1.
    found = ratio({"quay": [-np.log(2), -np.log(8)], "cone": [0.0, 0.0]})
    assert found.mean == pytest.approx(0.5)
    # Logs by problem: -2 log 2 and 0; mean -log 2, sd sqrt(2) log 2, so half = 12.706 log 2.
    half = 12.7062047 * np.log(2)
    assert np.log(found.interval) == pytest.approx([-np.log(2) - half, -np.log(2) + half])


def test_every_problem_has_the_same_weight_however_many_pairs():
    assert ratio({"quay": [np.log(2)] * 3, "cone": [-np.log(2)]}).mean == pytest.approx(1.0)


def test_one_problem_has_the_interval_over_its_pairs():
    found = ratio({"quay": [-np.log(2), -np.log(8)]})
    # Mean -2 log 2, sd sqrt(2) log 2, so half = 12.706 log 2.
    assert np.log(found.interval) == pytest.approx(np.log(2) * np.array([-2 - 12.7062047, -2 + 12.7062047]))
    assert str(found) == "0.25 [0.00, 100+]"
    assert str(ratio({"quay": [0.0]})) == "1.00"


def test_without_pairs_there_is_no_ratio():
    with pytest.raises(InvalidInput, match="no pairs"):
        ratio({})

"""Scores against known values and high-precision arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from wayfare.policy.acquisition import log_ei, ucb


def test_ucb_counts_standard_deviations():
    assert ucb(np.array([1.0]), np.array([0.5]), 4.0)[0] == 2.0


@given(mean=st.floats(-3, 3), sd=st.floats(0.1, 3), best=st.floats(-3, 3))
def test_log_ei_is_the_logarithm_of_the_expected_improvement(mean, sd, best):
    expected, _ = quad(lambda f: max(f - best, 0.0) * norm.pdf(f, mean, sd), best, mean + 12 * sd + abs(best - mean))
    if expected > 1e-9:
        assert math.exp(log_ei(np.array([mean]), np.array([sd]), best)[0]) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("edge", [-1.0, -1e3, -1e4])
def test_log_ei_is_smooth_where_its_formula_changes(edge):
    z = edge * np.array([1 - 1e-7, 1 + 1e-7])
    low, high = sorted(log_ei(z, np.ones(2), 0.0))
    slope = abs(edge) + 2 / abs(edge) + 1
    assert high - low < 3 * slope * abs(edge) * 1e-7 + 1e-5


@given(st.lists(st.floats(-1e8, 30), min_size=2, max_size=20, unique=True))
def test_log_ei_is_finite_and_rises_with_the_mean(means):
    values = log_ei(np.sort(np.array(means)), np.ones(len(means)), 0.0)
    assert np.isfinite(values).all()
    assert (np.diff(values) >= 0).all()


def test_log_ei_deep_in_the_tail_follows_its_expansion():
    z = -50.0
    exact = -0.5 * z * z - 0.5 * math.log(2 * math.pi) + math.log(1 / z**2 - 3 / z**4 + 15 / z**6 - 105 / z**8)
    assert log_ei(np.array([z]), np.ones(1), 0.0)[0] == pytest.approx(exact, abs=1e-9)

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from wayfare._core.rng import stream
from wayfare.bench import problem_named, run_problem
from wayfare.bench.problems import snar
from wayfare.errors import GuaranteeWarning, InvalidInput

LAB = problem_named("snar")


def reactor(x):
    """What leaves the reactor, by the five equations as they are written down."""
    tau, eq, c0, temp = x
    energy, reference = np.array([33.3, 35.3, 38.9, 44.8]), np.array([57.9, 2.70, 0.865, 1.63])
    rate = 0.6 * reference * np.exp(-energy / 8.314e-3 * (1 / (temp + 273.71) - 1 / 363.71))

    def change(_, c):
        to_product, to_by_product = rate[0] * c[0] * c[1], rate[1] * c[0] * c[1]
        of_product, of_by_product = rate[2] * c[1] * c[2], rate[3] * c[1] * c[3]
        used, again = to_product + to_by_product, of_product + of_by_product
        return [-used, -used - again, to_product - of_product, to_by_product - of_by_product, again]

    start = [c0, eq * c0, 0, 0, 0]
    return solve_ivp(change, (0, tau), start, method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]


def test_the_reactor_solves_its_five_equations():
    corners = [[2, 5, 0.5, 120], [2, 1, 0.5, 120], [2, 2, 0.5, 120], [0.5, 1, 0.1, 40], [0.5, 5, 0.5, 120]]
    x = np.concatenate([LAB.space.sample(15, stream(0)), corners])
    assert np.allclose(snar.outlet(x).T, [reactor(row) for row in x], rtol=0, atol=1e-8)


def test_the_reactor_gives_the_values_on_record():
    best, centre = np.array([[0.5, 1.457, 0.5, 81.1]]), np.array([[1.25, 3, 0.3, 80]])
    assert snar.value(best)[0] == pytest.approx(0.27473, abs=5e-6)
    assert snar.value(centre)[0] == pytest.approx(-1.56993, abs=5e-6)
    assert snar.space_time_yield(best, snar.outlet(best))[0] == pytest.approx(11361, abs=1)
    assert snar.e_factor(snar.outlet(best))[0] == pytest.approx(8.613, abs=5e-4)


def test_the_reactor_is_best_on_the_edge_that_is_fast_and_strong():
    eq, temp = (grid.ravel() for grid in np.meshgrid(np.linspace(1, 5, 81), np.linspace(40, 120, 81)))
    edge = np.column_stack([np.full(len(eq), 0.5), eq, np.full(len(eq), 0.5), temp])
    regret = LAB.regret(edge)
    assert 0 <= regret.min() < 1e-4


def test_no_product_is_the_floor():
    nothing = np.array([[0.5], [0.5], [0.0], [0.0], [0.0]])
    assert snar.space_time_yield(np.array([[1.0, 1, 0.5, 40]]), nothing).tolist() == [1e-6]
    assert snar.e_factor(nothing).tolist() == [1000]


def test_measured_concentrations_are_off_by_their_percentage():
    best = np.repeat(LAB.best[None, :], 1000, axis=0)
    assert np.array_equal(snar.measured(best, 0, stream(0)), snar.value(best))
    errors = snar.measured(best, 1, stream(0)) - snar.value(best)
    # By the product alone: 1 % of STY / 1e4 + E / 10, for the waste is nearly all solvent.
    assert errors.std() == pytest.approx(0.01 * (1.1361 + 0.8613), rel=0.1)
    assert np.array_equal(snar.measured(best, 1, stream(0)), snar.measured(best, 1, stream(0)))
    with pytest.raises(InvalidInput, match="percent of noise must not be negative, got -1"):
        snar.measured(best, -1, stream(0))


def test_changing_over_takes_as_long_as_the_slowest_setting():
    minutes = LAB.travel.bind(LAB.space)
    home = np.array([0.5, 1, 0.1, 40])

    def takes(tau=0.0, eq=0.0, c0=0.0, temp=0.0):
        return minutes(home[None, :], home[None, :] + [[tau, eq, c0, temp]]).item()

    assert takes(temp=80) == pytest.approx(17.36, abs=0.01)
    assert takes(temp=2.5) == pytest.approx(1 / 32)
    assert takes(c0=0.4) == pytest.approx(0.01 / 0.4 + 2 * math.log(40))
    assert takes(tau=1.5) == pytest.approx(0.05 / 1.5 + 3 * math.log(30))
    assert takes(eq=4) == 0
    assert takes(tau=1.5, eq=4, c0=0.4, temp=80) == takes(temp=80)


def test_small_steps_change_the_reactor_sooner_and_the_user_is_told():
    minutes = LAB.travel.bind(LAB.space)
    temps = np.column_stack([np.ones(33), np.ones(33), np.full(33, 0.1), np.linspace(40, 120, 33)])
    assert minutes(temps[:-1], temps[1:]).diagonal().sum() == pytest.approx(1.0)
    assert minutes(temps[:1], temps[-1:]).item() > 17
    with pytest.warns(GuaranteeWarning, match="not a metric"):
        run_problem(LAB, "random", 1, seed=0)

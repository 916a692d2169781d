"""The reactor against its equations, the lake and the lithium map against their data."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.ndimage import label

import wayfare as wf
from wayfare._core.rng import stream
from wayfare.bench import problem_named, run_problem
from wayfare.bench.problems import field
from wayfare.errors import GuaranteeWarning, InvalidInput
from wayfare.travel import Euclidean

LAB = problem_named("snar")
LAKE = problem_named("lake1")
RIG = problem_named("lithium")


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
    assert np.allclose(field.outlet(x).T, [reactor(row) for row in x], rtol=0, atol=1e-8)


def test_the_reactor_gives_the_values_on_record():
    best, centre = np.array([[0.5, 1.457, 0.5, 81.1]]), np.array([[1.25, 3, 0.3, 80]])
    assert field.reactor_value(best)[0] == pytest.approx(0.27473, abs=5e-6)
    assert field.reactor_value(centre)[0] == pytest.approx(-1.56993, abs=5e-6)
    assert field.space_time_yield(best, field.outlet(best))[0] == pytest.approx(11361, abs=1)
    assert field.e_factor(field.outlet(best))[0] == pytest.approx(8.613, abs=5e-4)


def test_the_reactor_is_best_on_the_edge_that_is_fast_and_strong():
    eq, temp = (grid.ravel() for grid in np.meshgrid(np.linspace(1, 5, 81), np.linspace(40, 120, 81)))
    edge = np.column_stack([np.full(len(eq), 0.5), eq, np.full(len(eq), 0.5), temp])
    regret = LAB.regret(edge)
    assert 0 <= regret.min() < 1e-4


def test_no_product_is_the_floor():
    nothing = np.array([[0.5], [0.5], [0.0], [0.0], [0.0]])
    assert field.space_time_yield(np.array([[1.0, 1, 0.5, 40]]), nothing).tolist() == [1e-6]
    assert field.e_factor(nothing).tolist() == [1000]


def test_measured_concentrations_are_off_by_their_percentage():
    best = np.repeat(LAB.best[None, :], 1000, axis=0)
    assert np.array_equal(field.measured_value(best, 0, stream(0)), field.reactor_value(best))
    errors = field.measured_value(best, 1, stream(0)) - field.reactor_value(best)
    # By the product alone: 1 % of STY / 1e4 + E / 10, for the waste is nearly all solvent.
    assert errors.std() == pytest.approx(0.01 * (1.1361 + 0.8613), rel=0.1)
    assert np.array_equal(field.measured_value(best, 1, stream(0)), field.measured_value(best, 1, stream(0)))
    with pytest.raises(InvalidInput, match="percent of noise must not be negative, got -1"):
        field.measured_value(best, -1, stream(0))


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
        wf.Study.create(LAB.space, direction="maximize", travel=LAB.travel, trials=1, unit=LAB.unit)


def test_the_lake_is_one_water_of_1607_cells():
    water = field.water()
    assert water.shape == (71, 51)
    assert water.sum() == LAKE.space.size == 1607
    assert label(water)[1] == 1  # even without diagonal steps


def test_north_is_up():
    """Row 0 of the picture is x2 = 1; the water narrows to one cell in the south-east."""
    table = LAKE.space.table
    assert table.min() >= 0
    assert table.max() <= 1
    assert table[np.argmin(table[:, 1])].tolist() == [45 / 50, 0]
    assert table[np.argmax(table[:, 1])][1] == pytest.approx(1 - 1 / 70)


def test_the_algae_are_as_written_down():
    x = np.array([[0.2, 0.67], [0.5, 0.5]])
    assert LAKE.function(x)[0] == pytest.approx(10 / 9 + 10 / (49 + 4.7**2 + 9))
    assert problem_named("lake2").function(x)[1] == pytest.approx(
        10 / (4 + 1 + 10) + 10 / (1.44 + 4.9**2 + 8) + 10 / (16 + 4.9**2 + 8)
    )
    assert problem_named("lake3").function(x)[1] == pytest.approx(10 / (1 + 4 + 7) + 10 / (3.5**2 + 1 + 9))


def test_there_are_three_lakes():
    with pytest.raises(InvalidInput, match="must be 1, 2 or 3, got 4"):
        field.lake(4)


def test_the_lake_has_the_size_of_the_real_one():
    area = 1607 * field.LAKE_CELL**2
    assert area == pytest.approx(60, rel=0.01)


@pytest.mark.parametrize("method", ["random", "tucb"])
def test_the_boat_never_crosses_land(method):
    problem = problem_named("lake2")
    boat = problem.travel.bind(problem.space)
    run = run_problem(problem, method, 25, seed=0)
    water = field.water()
    for origin, target, leg in zip(run.x[:-1], run.x[1:], run.legs[1:], strict=True):
        path = boat.path(origin, target)
        assert water[tuple(path.T)].all()
        steps = np.abs(np.diff(path, axis=0))
        assert (steps.max(axis=1, initial=1) == 1).all()
        assert np.sqrt(np.square(steps).sum(axis=1)).sum() * field.LAKE_CELL == pytest.approx(leg)


def test_the_boat_goes_around_the_shore():
    x = LAKE.space.table
    km = LAKE.travel.bind(LAKE.space)(x[::16], x)
    crow = Euclidean(scale={0: 50 * field.LAKE_CELL, 1: 70 * field.LAKE_CELL})(x[::16], x)
    assert (km >= crow - 1e-9).all()
    # On open water, eight directions cost 8.24 % more at the worst.
    assert (km > 1.0824 * crow + 1e-9).any()


def test_the_lithium_map_is_whole():
    grades = field.grades()
    assert grades.shape == (100, 100)
    assert grades.mean() == pytest.approx(1000, abs=1e-3)
    assert grades.std() == pytest.approx(300, abs=1e-3)
    assert grades[0, 0] == 580.2219
    assert RIG.space.size == 10_000


def test_grades_are_read_where_they_lie():
    assert field.grade(np.array([[5.0, 995.0], [995.0, 195.0]])).tolist() == [580.2219, 2069.7304]
    with pytest.raises(InvalidInput, match=r"the place \[1000.0, 5.0\] is off the lithium map, 0 to 1000 m"):
        field.grade(np.array([[5.0, 5.0], [1000.0, 5.0]]))


def test_the_rig_pays_for_the_way_and_for_setting_up():
    rig = RIG.travel.bind(RIG.space)
    sites = np.array([[5.0, 5.0], [5.0, 995.0], [15.0, 5.0]])
    assert rig(sites[:1], sites)[0] == pytest.approx([0, 990 * 60 / 1000 + 30, 0.6 + 30])

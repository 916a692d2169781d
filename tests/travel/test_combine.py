import numpy as np
import pytest

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.travel import (
    Chebyshev,
    Euclidean,
    Fee,
    Manhattan,
    Parallel,
    Ramp,
    Scaled,
    Serial,
    Switch,
    parallel,
    serial,
)

from .worlds import LAB, PLANE

A, B = PLANE.sample(7, stream(0)), PLANE.sample(5, stream(1))
EAST, NORTH = Ramp("east", 1, 2), Ramp("north", 3, 1)


def test_serial_sums_and_parallel_takes_the_largest():
    east, north = EAST.bind(PLANE)(A, B), NORTH.bind(PLANE)(A, B)
    assert np.array_equal(serial(EAST, NORTH).bind(PLANE)(A, B), east + north)
    assert np.array_equal((EAST + NORTH).bind(PLANE)(A, B), east + north)
    assert np.array_equal(parallel(EAST, NORTH).bind(PLANE)(A, B), np.maximum(east, north))


def test_norms_are_ramps_put_together():
    even = Ramp("east", 1, 1), Ramp("north", 1, 1)
    assert serial(*even).bind(PLANE)(A, B) == pytest.approx(Manhattan()(A, B))
    assert parallel(*even).bind(PLANE)(A, B) == pytest.approx(Chebyshev()(A, B))


def test_the_reactor_of_the_readme():
    travel = parallel(Ramp("temp", up=5 / 60, down=2 / 60), Ramp("flow", 0.5, 0.5)) + Switch("catalyst", 900)
    x = LAB.points([[25, 0.1, 1, "Pd"], [75, 1.1, 1, "Ni"]])
    assert travel.bind(LAB)(x, x) == pytest.approx(np.array([[0, 600 + 900], [1500 + 900, 0]]))


def test_scaling_multiplies():
    assert np.array_equal((2 * Euclidean())(A, B), 2 * Euclidean()(A, B))
    assert np.array_equal((Euclidean() * 2)(A, B), 2 * Euclidean()(A, B))
    assert (Euclidean() / 4)(A, B) == pytest.approx(Euclidean()(A, B) / 4)


def test_sum_joins_any_number():
    assert sum([EAST, NORTH, Fee(1)]) == serial(EAST, NORTH, Fee(1))


def test_like_parts_are_joined_flat_and_one_part_is_itself():
    assert serial(EAST + NORTH, Fee(1)) == Serial((EAST, NORTH, Fee(1)))
    assert parallel(EAST, parallel(NORTH, Fee(1))) == Parallel((EAST, NORTH, Fee(1)))
    assert isinstance(parallel(EAST + NORTH, Fee(1)).parts[0], Serial)
    assert serial(EAST) is EAST


def test_the_unit_is_that_of_the_parts():
    assert (Ramp("east", 1, 1, "s") + Fee(3)).unit == "s"
    assert parallel(Fee(3), Ramp("east", 1, 1, "s")).unit == "s"
    assert (EAST + NORTH).unit == ""
    assert (60 * Euclidean(unit="s")).unit == "s"
    assert (Scaled(Euclidean(unit="min"), 60, unit="s") + Fee(1, unit="s")).unit == "s"


def test_a_joined_cost_is_a_metric_if_all_parts_are():
    assert (Euclidean() + Fee(1)).is_metric
    assert not (Euclidean() + EAST).is_metric
    assert not parallel(EAST, Euclidean()).is_metric
    assert (3 * Euclidean()).is_metric
    assert not (3 * EAST).is_metric


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: serial(), "serial needs at least one travel cost"),
        (lambda: parallel(), "parallel needs at least one travel cost"),
        (lambda: parallel(Euclidean(unit="m"), Fee(1, unit="s")), "costs in 'm' and 's' cannot be joined"),
        (lambda: Euclidean(unit="m") + Fee(1, unit="s"), "use Scaled(cost, factor, unit) on one"),
        (lambda: Euclidean() + 3, "3 is not a travel cost; wrap a function in Custom, an amount in Fee"),
        (lambda: 3 + Euclidean(), "3 is not a travel cost"),
        (lambda: parallel(Euclidean(), abs), "is not a travel cost"),
        (lambda: serial(3), "3 is not a travel cost"),
        (lambda: serial(Euclidean, Fee(1)), "is not a travel cost"),
        (lambda: -1 * Euclidean(), "factor of a travel cost must be above 0, got -1"),
        (lambda: Euclidean() * float("nan"), "factor of a travel cost must be finite"),
        (lambda: Euclidean() * Euclidean(), "factor of a travel cost must be a number"),
        (lambda: Euclidean() / 0, "divisor of a travel cost must be above 0, got 0"),
        (lambda: (EAST + Ramp("nroth", 1, 1)).bind(PLANE), "did you mean 'north'?"),
        (lambda: (2 * Ramp("nroth", 1, 1)).bind(PLANE), "did you mean 'north'?"),
        (lambda: (EAST + NORTH)(A, B), "call cost.bind(space) first"),
    ],
)
def test_bad_combinations_are_refused(make, message):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert message in str(refused.value)

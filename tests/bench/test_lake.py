import numpy as np
import pytest
from scipy.ndimage import label

from wayfare.bench import problem_named, run_problem
from wayfare.bench.problems import lake
from wayfare.errors import InvalidInput
from wayfare.travel import Euclidean

LAKE = problem_named("lake1")


def test_the_lake_is_one_water_of_1607_cells():
    water = lake.water()
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
        lake.lake(4)


def test_the_lake_has_the_size_of_the_real_one():
    area = 1607 * lake.CELL**2
    assert area == pytest.approx(60, rel=0.01)


@pytest.mark.parametrize("method", ["random", "tucb"])
def test_the_boat_never_crosses_land(method):
    problem = problem_named("lake2")
    boat = problem.travel.bind(problem.space)
    run = run_problem(problem, method, 25, seed=0)
    water = lake.water()
    for origin, target, leg in zip(run.x[:-1], run.x[1:], run.legs[1:], strict=True):
        path = boat.path(origin, target)
        assert water[tuple(path.T)].all()
        steps = np.abs(np.diff(path, axis=0))
        assert (steps.max(axis=1, initial=1) == 1).all()
        assert np.sqrt(np.square(steps).sum(axis=1)).sum() * lake.CELL == pytest.approx(leg)


def test_the_boat_goes_around_the_shore():
    x = LAKE.space.table
    km = LAKE.travel.bind(LAKE.space)(x[::16], x)
    crow = Euclidean(scale={0: 50 * lake.CELL, 1: 70 * lake.CELL})(x[::16], x)
    assert (km >= crow - 1e-9).all()
    # On open water, eight directions cost 8.24 % more at the worst.
    assert (km > 1.0824 * crow + 1e-9).any()

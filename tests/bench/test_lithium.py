import numpy as np
import pytest

from wayfare.bench import problem_named
from wayfare.bench.problems import lithium
from wayfare.errors import InvalidInput

RIG = problem_named("lithium")


def test_the_lithium_map_is_whole():
    grades = lithium.grades()
    assert grades.shape == (100, 100)
    assert grades.mean() == pytest.approx(1000, abs=1e-3)
    assert grades.std() == pytest.approx(300, abs=1e-3)
    assert grades[0, 0] == 580.2219
    assert RIG.space.size == 10_000


def test_grades_are_read_where_they_lie():
    assert lithium.grade(np.array([[5.0, 995.0], [995.0, 195.0]])).tolist() == [580.2219, 2069.7304]
    with pytest.raises(InvalidInput, match=r"the place \[1000.0, 5.0\] is off the lithium map, 0 to 1000 m"):
        lithium.grade(np.array([[5.0, 5.0], [1000.0, 5.0]]))


def test_the_rig_pays_for_the_way_and_for_setting_up():
    rig = RIG.travel.bind(RIG.space)
    sites = np.array([[5.0, 5.0], [5.0, 995.0], [15.0, 5.0]])
    assert rig(sites[:1], sites)[0] == pytest.approx([0, 990 * 60 / 1000 + 30, 0.6 + 30])

"""Which cell of a map an x and y lie in."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wayfare.travel.raster.grid import Cells

ENDS = st.tuples(st.floats(-1e3, 1e3), st.floats(0.1, 1e3), st.sampled_from([-1, 1])).map(
    lambda end: (end[0], end[0] + end[1] * end[2])
)


@given(st.integers(2, 9), st.integers(2, 9), ENDS, ENDS, st.integers(0, 9))
def test_the_middle_of_a_cell_lies_in_it_and_all_within_half_a_cell_do(high, wide, columns, rows, seed):
    cells = Cells(np.ones((high, wide)), (1.0, 1.0), columns, rows, 0.0)
    every = np.argwhere(np.ones((high, wide)))
    middles = cells.centres(every)
    assert np.allclose(cells.spots(middles), every, atol=1e-6)
    beside = np.random.default_rng(seed).uniform(-0.49, 0.49, every.shape)
    number, found = cells.find(cells.centres(every + beside))
    assert np.array_equal(found, every)
    assert np.array_equal(number, np.arange(high * wide))


def test_what_is_blocked_or_off_the_map_has_no_number_and_the_nearest_open_cell_is_named():
    grid = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    strict, snapping = (Cells(grid, (1.0, 1.0), (10.0, 12.0), (1.0, 0.0), snap) for snap in (0.0, 1.0))
    xy = np.array([[10.0, 1.0], [12.0, 0.0], [12.0, 1.0], [12.6, 1.0], [12.4, 0.4]])
    assert strict.find(xy)[0].tolist() == [0, 2, -1, -1, 2]
    assert snapping.find(xy)[0].tolist() == [0, 2, 2, -1, 2]
    assert strict.has(np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 0.0], [0.0, -1.0]])).tolist() == [1, 1, 0, 0]
    number, far = (table[0, 2] for table in strict.nearest)
    assert strict.centres(np.column_stack(strict.grid_index(number[None]))).tolist() == [[12.0, 0.0]]
    assert far == 1.0

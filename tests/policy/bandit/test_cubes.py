"""Cells: every place is in one of them, and a centre in its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare.errors import InvalidInput
from wayfare.policy.bandit.cubes import Box, every_cell, split, sup_distances
from wayfare.space import Choice, Integer, Places, Real, Space

SPACE = Space(Real("a", -5.0, 5.0), Real("fixed", 3.0, 3.0), Real("b", 1e-3, 10.0, log=True))


@given(parts=st.integers(1, 40), seed=st.integers(0, 99))
def test_every_place_is_in_the_cell_around_it(parts, seed):
    box = Box.of(SPACE, "Test")
    x = SPACE.sample(20, np.random.default_rng(seed))
    cells = box.cells(x, parts)
    off = np.abs(SPACE.encode(x) - (cells + 0.5) / parts)
    assert off.max() <= 0.5 / parts + 1e-9


@given(parts=st.integers(1, 12), more=st.integers(1, 4))
def test_a_centre_is_in_its_own_cell_and_in_that_of_its_parent(parts, more):
    box = Box.of(SPACE, "Test")
    cells = every_cell(parts, box.d)
    assert len(cells) == len({tuple(cell) for cell in cells.tolist()}) == parts**2
    np.testing.assert_array_equal(box.cells(box.centres(cells, parts), parts), cells)
    inner = split(cells, more)
    parents = box.index(cells, box.centres(inner, parts * more), parts)
    np.testing.assert_array_equal(parents, np.repeat(np.arange(len(cells)), more**2))


def test_bounds_are_inside_and_what_is_beyond_is_nowhere():
    line = Space(Real("a", 0.0, 1.0))
    box = Box.of(line, "Test")
    x = np.array([[0.0], [0.25], [0.5], [1.0], [1.1], [-0.1]])
    assert box.cells(x, 4).ravel().tolist() == [0, 1, 2, 3, -1, -1]
    assert box.index(np.array([[3], [1]]), x, 4).tolist() == [-1, 1, -1, 0, -1, -1]


def test_distances_are_the_largest_along_any_axis():
    a, b = np.array([[0.0, 0.0], [1.0, 0.5]]), np.array([[0.2, 0.9]])
    np.testing.assert_allclose(sup_distances(a, b), [[0.9], [0.8]])


def test_what_is_no_box_is_refused_with_the_way_out():
    table = Places(np.array([[0.0], [1.0]]))
    for space, match in [
        (table, "BLiN needs a box of Real axes, got a table of places; use BaSE"),
        (Space(Real("a", 0, 1), Integer("n", 0, 3)), "axis 'n' is Integer; make it Real"),
        (Space(Choice("s", ["a", "b"])), "axis 's' is Choice"),
        (Space(Real("a", 1.0, 1.0)), "all axes of this space are fixed"),
    ]:
        with pytest.raises(InvalidInput, match=match):
            Box.of(space, "BLiN")

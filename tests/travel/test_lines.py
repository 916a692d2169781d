"""The way that a traveller follows: over open cells only, and as long as it is priced."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from wayfare.errors import InvalidInput
from wayfare.space import Choice, Real, Space
from wayfare.travel import Euclidean, Fee, Raster, Scaled, Table, parallel, way
from wayfare.travel.learned import LearnedCost
from wayfare.travel.lines import cells_crossed, corners

WALL = np.array([[1, 0, 1], [1, 0, 1], [1, 1, 1]])
"""Down the left, along the bottom and up the right."""
MAPS = st.tuples(st.integers(2, 7), st.integers(2, 7)).flatmap(
    lambda shape: arrays(float, shape, elements=st.sampled_from([0.0, 1.0, 1.0, 2.5]))
)
MOVES = st.sampled_from(["eight", "any"])
OFFSETS = st.tuples(*[st.sampled_from([0.0, 0.0, -0.45, 0.2, 0.4]) for _ in range(4)])


@st.composite
def legs(draw):
    """A map, and two places of one part of it, somewhere in their cells."""
    grid = draw(MAPS)
    assume(grid.any())
    raster = Raster(grid, columns=(10.0, 20.0), rows=(5.0, -3.0), cell=(2.0, 3.0), moves=draw(MOVES))
    raster = raster.largest_part()
    cells = raster.open_cells()
    ends = [cells[draw(st.integers(0, len(cells) - 1))] for _ in range(2)]
    spots = np.array(ends) + np.array(draw(OFFSETS)).reshape(2, 2)
    return raster, raster.centres(spots), np.array_equal(spots, ends)


def is_open(raster, line):
    """Whether all along a line, sampled finely, some cell is open that it passes or just touches."""
    (west, east), (top, bottom) = raster.columns, raster.rows
    shape = np.array(raster.grid.shape)
    spots = (line[:, ::-1] - [top, west]) / [bottom - top, east - west] * (shape - 1)
    for start, end in pairwise(spots):
        for share in np.linspace(0, 1, 301):
            spot = start + share * (end - start)
            near = np.rint(spot + np.array(list(product((-1e-7, 1e-7), repeat=2)))).astype(int)
            near = near[((near >= 0) & (near < shape)).all(axis=1)]
            if not (raster.grid[tuple(near.T)] > 0).any():
                return False
    return True


@given(legs())
def test_a_way_passes_open_cells_only(leg):
    raster, (origin, target), _ = leg
    assert is_open(raster, way(raster, origin, target))


@given(legs())
def test_a_way_passes_the_very_cells_of_the_path_and_ends_at_the_places(leg):
    raster, (origin, target), _ = leg
    line = raster.way(origin, target)
    assert np.array_equal(line[[0, -1]], [origin, target])
    spots, path = raster._cells.spots(line), raster.path(origin, target).astype(float)
    passed = {cell for a, b in pairwise(spots) for cell in cells_crossed(a, b)}
    expected = {cell for a, b in pairwise(path) for cell in cells_crossed(a, b)}
    assert passed == (expected or {tuple(path[0].astype(int))})


@given(legs())
def test_the_pieces_of_a_way_cost_what_the_leg_costs(leg):
    raster, (origin, target), in_the_middle = leg
    line = raster.way(origin, target)
    pieces = [raster(a[None, :], b[None, :]).item() for a, b in pairwise(line)]
    cost = raster(origin[None, :], target[None, :]).item()
    assert sum(pieces) == pytest.approx(cost)
    if in_the_middle and len(np.unique(raster.grid[raster.grid > 0])) == 1:
        size = np.array(raster.cell) / [10 / (raster.grid.shape[1] - 1), 8 / (raster.grid.shape[0] - 1)]
        length = np.hypot(*(np.diff(line, axis=0) * size).T).sum()
        assert length * raster.grid.max() == pytest.approx(cost)


def test_around_a_wall_one_turns_at_its_foot():
    raster = Raster(WALL)
    line = raster.way(np.array([0.0, 0.0]), np.array([2.0, 0.0]))
    assert line.tolist() == [[0, 0], [0, 1], [1, 2], [2, 1], [2, 0]]


def test_a_straight_way_has_no_turns_whatever_the_places_in_their_cells():
    raster = Raster(np.ones((3, 9)))
    for y in (1.0, 1.3):
        assert len(raster.way(np.array([0.2, 1.0]), np.array([8.0, y]))) == 2
    assert len(raster.way(np.array([0.2, 1.0]), np.array([0.1, 0.9]))) == 2


def test_from_beside_the_middle_no_diagonal_cuts_a_blocked_corner():
    raster = Raster(np.array([[1, 0], [1, 1]]))
    line = raster.way(np.array([0.4, 0.0]), np.array([1.0, 1.0]))
    assert line.tolist() == [[0.4, 0], [0, 0], [1, 1]]


def test_other_numbers_change_evenly_along_the_way_and_choices_at_its_end():
    space = Space(Real("x", 0, 2), Choice("net", ["a", "b"]), Real("y", 0, 0), Real("alt", 0, 100))
    raster = Raster(WALL, "x", "y").bind(Space(Real("x", 0, 0), *space.axes[1:]))
    line = raster.way(np.array([0.0, 1.0, 0.0, 0.0]), np.array([2.0, 0.0, 0.0, 100.0]))
    whole = 2 + 2 * 2**0.5
    assert line[:, 3] == pytest.approx([0, 100 / whole, 50, 100 - 100 / whole, 100])
    assert line[:, 1].tolist() == [1, 1, 1, 1, 0]


def test_a_place_moved_to_an_open_cell_is_left_by_its_middle():
    raster = Raster(WALL, snap="nearest")
    line = raster.way(np.array([0.9, 0.0]), np.array([0.0, 2.0]))
    assert line.tolist() == [[0.9, 0], [0, 0], [0, 2]]


def test_what_is_made_of_one_map_hands_its_way_on():
    raster, ends = Raster(WALL), (np.array([0.0, 0.0]), np.array([2.0, 0.0]))
    own = raster.way(*ends)
    learned = LearnedCost(raster, 2.0, 1.0, 5, 0.1, "")
    for cost in (raster + Fee(1.0), parallel(Euclidean(), 3 * raster), Scaled(raster, 2.0), learned):
        assert np.array_equal(way(cost, *ends), own)
    for cost in (Euclidean(), raster + Raster(WALL), Scaled(Fee(1.0), 2.0), Table.of(raster, raster.places())):
        assert np.array_equal(way(cost, *ends), ends)


def test_a_way_that_is_no_line_is_refused():
    class Lost:
        def way(self, origin, target):
            return [[0.0], [np.nan]]

    with pytest.raises(InvalidInput, match="the travel cost Lost returned a way of shape"):
        way(Lost(), np.zeros(2), np.ones(2))


@given(legs())
def test_corners_are_where_steps_change(leg):
    raster, ends, _ = leg
    path = raster.path(*ends)
    kept = corners(path)
    assert kept[0].tolist() == path[0].tolist()
    assert kept[-1].tolist() == path[-1].tolist()
    turning = [i for i in range(1, len(path) - 1) if (2 * path[i] != path[i - 1] + path[i + 1]).any()]
    assert np.array_equal(kept[1:-1], path[turning]) or len(path) < 2

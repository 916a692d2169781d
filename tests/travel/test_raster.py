import heapq
import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csgraph

from wayfare.errors import InvalidInput
from wayfare.rng import stream
from wayfare.space import Choice, Places, Real, Space
from wayfare.testing.travel import TravelCostContract
from wayfare.travel import Euclidean, Raster, ways

WALL = np.array([[1, 0, 1], [1, 0, 1], [1, 1, 1]])
"""Down the left, along the bottom and up the right."""
PONDS = np.array([[1, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 1]])


def cells_of(raster, names=("x", "y")):
    return Places(raster.centres(raster.open_cells()), names=list(names))


def dijkstra(rates, width, height, origin):
    """The costs from one cell to all, by the book."""
    rows, columns = rates.shape
    costs, ahead = {origin: 0.0}, [(0.0, origin)]
    while ahead:
        paid, (r, c) = heapq.heappop(ahead)
        if paid > costs[r, c]:
            continue
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                to = (r + dr, c + dc)
                if not (0 <= to[0] < rows and 0 <= to[1] < columns and rates[to] > 0):
                    continue
                if dr and dc and not (rates[r, c + dc] > 0 or rates[r + dr, c] > 0):
                    continue
                step = math.hypot(dr * height, dc * width) * (rates[r, c] + rates[to]) / 2
                if paid + step < costs.get(to, math.inf):
                    costs[to] = paid + step
                    heapq.heappush(ahead, (paid + step, to))
    return costs


MAPS = st.tuples(st.integers(2, 6), st.integers(2, 6)).flatmap(
    lambda shape: arrays(float, shape, elements=st.sampled_from([0.0, 0.0, 1.0, 1.0, 2.5, 7.0]))
)


@given(grid=MAPS, width=st.floats(0.1, 9), height=st.floats(0.1, 9))
def test_it_finds_the_shortest_ways(grid, width, height):
    assume(grid.any())
    raster = Raster(grid, cell=(width, height))
    cells = [tuple(map(int, cell)) for cell in raster.open_cells()]
    x = raster.centres(raster.open_cells())
    for i, cell in enumerate(cells):
        expected = dijkstra(grid, width, height, cell)
        reached = np.array([other in expected for other in cells])
        costs = raster(x[i : i + 1], x[reached])[0]
        assert np.allclose(costs, [expected[other] for other in cells if other in expected], 1e-12, 0)
        if not reached.all():
            with pytest.raises(InvalidInput, match="there is no way"):
                raster(x[i : i + 1], x[~reached])


@given(grid=MAPS)
def test_a_path_is_open_takes_neighbouring_cells_and_costs_what_it_should(grid):
    assume(grid.any())
    raster = Raster(grid, cell=(2.0, 3.0))
    origin = raster.open_cells()[0]
    reached = dijkstra(grid, 2.0, 3.0, tuple(map(int, origin)))
    for cell, cost in reached.items():
        path = raster.path(*raster.centres(np.array([origin, cell])))
        assert path[0].tolist() == origin.tolist()
        assert path[-1].tolist() == list(cell)
        assert (grid[tuple(path.T)] > 0).all()
        paid = 0.0
        for (r, c), (to_r, to_c) in pairwise(path):
            assert max(abs(to_r - r), abs(to_c - c)) == 1
            assert grid[r, to_c] > 0 or grid[to_r, c] > 0
            paid += math.hypot((to_r - r) * 3, (to_c - c) * 2) * (grid[r, c] + grid[to_r, to_c]) / 2
        assert paid == pytest.approx(cost)


@pytest.mark.parametrize(
    ("cost", "space"),
    [
        (Raster(WALL, "x", "y"), cells_of(Raster(WALL))),
        (
            Raster(
                stream(5).uniform(1, 4, (6, 9)), "east", "north", columns=(0, 10), rows=(5, -5), unit="min"
            ),
            Space(Real("east", 0, 10), Choice("bait", ["fly", "worm"]), Real("north", -5, 5)),
        ),
        (2 * Raster(WALL, "x", "y", cell=(3, 5)) + Euclidean(), cells_of(Raster(WALL))),
    ],
    ids=["obstacles", "rough ground", "joined"],
)
class TestRaster(TravelCostContract):
    @pytest.fixture
    def cost(self, cost):
        return cost

    @pytest.fixture
    def space(self, space):
        return space

    def test_it_is_a_value(self, cost, bound, x):
        bound(x, x)
        assert cost == cost
        assert isinstance(hash(bound), int)
        again = pickle.loads(pickle.dumps(bound))
        assert again == bound
        assert np.array_equal(again(x, x), bound(x, x))


def test_it_goes_around_a_wall():
    raster = Raster(WALL)
    left, right = np.array([[0.0, 0.0]]), np.array([[2.0, 0.0]])
    assert raster(left, right).item() == pytest.approx(2 + 2 * math.sqrt(2))
    assert Euclidean()(left, right).item() == 2
    assert raster.path(left[0], right[0]).tolist() == [[0, 0], [1, 0], [2, 1], [1, 2], [0, 2]]


def test_nobody_squeezes_between_two_blocked_cells():
    with pytest.raises(InvalidInput, match="there is no way"):
        Raster([[1, 0], [0, 1]])(np.array([[0.0, 0.0]]), np.array([[1.0, 1.0]]))
    assert Raster([[1, 1], [0, 1]])(np.array([[0.0, 0.0]]), np.array([[1.0, 1.0]])).item() == math.sqrt(2)


def test_hard_ground_is_paid_for_or_avoided():
    grid = np.ones((5, 3))
    ends = np.array([[0.0, 2.0]]), np.array([[2.0, 2.0]])
    grid[2, 1] = 1.5
    assert Raster(grid)(*ends).item() == pytest.approx(2.5)
    grid[2, 1] = 9
    assert Raster(grid)(*ends).item() == pytest.approx(2 * math.sqrt(2))


@pytest.mark.parametrize("blocked", [0, False, np.nan, np.inf])
def test_a_cell_is_blocked_by_nothing_or_by_too_much(blocked):
    raster = Raster([[1.0, blocked], [1.0, 1.0]])
    assert raster.open_cells().tolist() == [[0, 0], [1, 0], [1, 1]]
    assert raster == Raster(np.array([[True, False], [True, True]]))


def test_the_ends_of_the_map_may_be_anywhere_and_north_may_be_up():
    raster = Raster(np.ones((3, 5)), columns=(100, 500), rows=(1, 0))
    assert raster.centres(np.array([[0, 0], [2, 4], [1, 1]])).tolist() == [[100, 1], [500, 0], [200, 0.5]]
    assert raster.cell == (100, 0.5)
    path = raster.path(np.array([100.0, 1.0]), np.array([100.0, 0.0]))
    assert path.tolist() == [[0, 0], [1, 0], [2, 0]]


def test_a_place_counts_as_the_middle_of_its_cell():
    raster = Raster(WALL)
    near, middle = np.array([[0.3, 1.6], [2.4, -0.4]]), np.array([[0.0, 2.0], [2.0, 0.0]])
    assert np.array_equal(raster(near, near), raster(middle, middle))


def test_there_and_back_cost_the_same():
    raster = Raster(stream(1).choice([0.0, 1.0, 3.0], (8, 8), p=[0.1, 0.6, 0.3]))
    x = raster.centres(raster.open_cells())
    x = x[raster._ways.component == np.bincount(raster._ways.component).argmax()]
    costs = raster(x, x)
    assert raster.is_metric
    assert np.allclose(costs, costs.T, rtol=1e-12, atol=0)


def test_a_cell_is_searched_from_once(monkeypatch):
    searches = []

    def counted(graph, indices):
        searches.extend(indices)
        return search(graph, indices=indices)

    search = csgraph.dijkstra
    monkeypatch.setattr(csgraph, "dijkstra", counted)
    raster = Raster(np.ones((30, 30)))
    x = raster.centres(raster.open_cells())
    raster(x[:20], x)
    raster(x[:20], x[:3])
    raster(x, x[:20])
    assert sorted(searches) == list(range(20))


def test_what_is_kept_stays_within_bounds(monkeypatch):
    monkeypatch.setattr(ways, "KEPT", 7 * 900)
    raster = Raster(np.ones((30, 30)))
    x = raster.centres(raster.open_cells())
    costs = raster(x[:20], x)
    assert raster._ways._field.cache_info().currsize == 7
    assert np.array_equal(raster(x[:20], x), costs)


def test_nobody_can_change_the_map():
    grid = WALL.astype(float)
    raster = Raster(grid)
    grid[:] = 0
    assert raster.grid.tolist() == WALL.tolist()
    with pytest.raises(ValueError, match="read-only"):
        raster.grid[0, 0] = 5
    with pytest.raises(ValueError, match="read-only"):
        raster._ways._field(0)[0] = 5


def test_the_parts_of_a_map_are_joined_by_no_way():
    raster = Raster(PONDS, "x", "y")
    north = Places([[0, 0], [1, 0], [0, 1]], names=["x", "y"])
    assert raster.bind(north)(north.table[1:2], north.table[2:]).item() == pytest.approx(math.sqrt(2))
    with pytest.raises(InvalidInput, match=r"no way from \[0.0, 0.0\] to the place \[3.0, 1.0\]"):
        raster.bind(cells_of(raster))


OPEN = Space(Real("x", 0, 2), Real("y", 0, 2))
HOME, EAST, NORTH = np.array([[[0.0, 0.0]], [[1.0, 0.0]], [[0.0, 1.0]]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Raster("map"), "must hold numbers in rows of one length"),
        (lambda: Raster([[1, 1], [1]]), "must hold numbers in rows of one length"),
        (lambda: Raster([1, 1]), "must have 2 rows and 2 columns, got shape (2,)"),
        (lambda: Raster([[1, 1]]), "must have 2 rows and 2 columns, got shape (1, 2)"),
        (lambda: Raster([[1, 1], [1, -2]]), "must not be negative, got -2.0 in row 1, column 1; block"),
        (lambda: Raster([[1, 1], [1, -np.inf]]), "must not be negative, got -inf in row 1, column 1"),
        (lambda: Raster(np.zeros((2, 2))), "has no open cell"),
        (lambda: Raster(WALL, columns=(3, 3)), "columns of a Raster must begin and end at different numbers"),
        (lambda: Raster(WALL, rows=5), "rows of a Raster must be two numbers, got 5"),
        (lambda: Raster(WALL, rows=(0, None)), "rows of a Raster must be a number, got None"),
        (lambda: Raster(WALL, cell=(0, 1)), "the width of a Raster's cell must be above 0"),
        (lambda: Raster(WALL, cell=(1, -1)), "the height of a Raster's cell must be above 0"),
        (lambda: Raster(WALL, unit=3), "the unit of a travel cost must be text"),
        (lambda: Raster(WALL, "x", "x").bind(OPEN), "must each be named once"),
        (lambda: Raster(WALL, "x", "z").bind(OPEN), "there is no axis 'z'"),
        (lambda: Raster(WALL, "x", "y").bind(OPEN), "in the blocked cell of row"),
        (lambda: Raster(WALL, "x", "y")(HOME, HOME), "call cost.bind(space) first"),
        (
            lambda: Raster(WALL)(HOME, EAST),
            "the place [1.0, 0.0] is in the blocked cell of row 0, col",
        ),
        (lambda: Raster(WALL)(-0.6 * EAST, HOME), "the place [-0.6, -0.0] is off the map"),
        (lambda: Raster(WALL)(HOME, 1e300 * NORTH), "is off the map of a Raster"),
        (lambda: Raster(PONDS)(HOME, HOME + 2), "no way from [0.0, 0.0] to the place [2.0, 2.0]"),
        (lambda: Raster(PONDS).path(HOME[0], HOME[0] + 2), "no way from [0.0, 0.0] to the place [2.0, 2.0]"),
    ],
)
def test_bad_maps_and_places_are_refused(make, message):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert message in str(refused.value)

import math
import pickle
import re

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csgraph

from wayfare._core.rng import stream
from wayfare.bench.problems.field import lake, water
from wayfare.errors import InvalidInput
from wayfare.route import ShortRoute, plan_route
from wayfare.space import Choice, Places, Real, Space
from wayfare.study.study import Study
from wayfare.testing.travel import TravelCostContract
from wayfare.travel import Euclidean, Raster, Table
from wayfare.travel.raster import search
from wayfare.travel.raster.graph import crossing

from ..oracle import PASSED, dijkstra, steps_over

WALL = np.array([[1, 0, 1], [1, 0, 1], [1, 1, 1]])
"""Down the left, along the bottom and up the right."""
PONDS = np.array([[1, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 1]])


OPEN_GROUND = {moves: Raster(np.ones((81, 81)), moves=moves) for moves in ("eight", "any")}


def cells_of(raster, names=("x", "y")):
    return Places(raster.centres(raster.open_cells()), names=list(names))


def ways_from(raster, cell):
    """The costs from one cell to all, by the book."""
    steps = steps_over(raster.grid, *raster.cell, raster.moves)
    return dijkstra(steps, tuple(map(int, cell)))


MAPS = st.tuples(st.integers(2, 6), st.integers(2, 6)).flatmap(
    lambda shape: arrays(float, shape, elements=st.sampled_from([0.0, 0.0, 1.0, 1.0, 2.5, 7.0]))
)


@given(grid=MAPS, width=st.floats(0.1, 9), height=st.floats(0.1, 9), moves=st.sampled_from(["eight", "any"]))
def test_it_finds_the_shortest_ways(grid, width, height, moves):
    assume(grid.any())
    raster = Raster(grid, cell=(width, height), moves=moves)
    cells = [tuple(map(int, cell)) for cell in raster.open_cells()]
    x = raster.centres(raster.open_cells())
    for i, cell in enumerate(cells):
        expected = ways_from(raster, cell)
        reached = np.array([other in expected for other in cells])
        costs = raster(x[i : i + 1], x[reached])[0]
        assert np.allclose(costs, [expected[other] for other in cells if other in expected], 1e-12, 0)
        if not reached.all():
            with pytest.raises(InvalidInput, match="there is no way"):
                raster(x[i : i + 1], x[~reached])


@given(grid=MAPS, moves=st.sampled_from(["eight", "any"]))
def test_a_path_is_open_takes_single_steps_and_costs_what_it_should(grid, moves):
    assume(grid.any())
    raster = Raster(grid, cell=(2.0, 3.0), moves=moves)
    origin = raster.open_cells()[0]
    steps_from = steps_over(grid, 2.0, 3.0, moves)
    for cell, cost in ways_from(raster, origin).items():
        path = raster.path(*raster.centres(np.array([origin, cell])))
        assert path[0].tolist() == origin.tolist()
        assert path[-1].tolist() == list(cell)
        steps = [dict(steps_from(start)) for start in map(tuple, path.tolist())]
        paid = sum(steps[i][tuple(map(int, end))] for i, end in enumerate(path[1:]))
        assert paid == pytest.approx(cost)


@pytest.mark.parametrize("step", PASSED)
def test_a_step_passes_through_what_lies_on_its_line(step):
    shares, corners = PASSED[step]
    cells, touched = crossing(step)
    assert dict(cells) == pytest.approx(shares)
    assert [tuple(sorted(two)) for two in touched] == corners


@given(st.floats(0, 2 * math.pi))
def test_ways_over_open_ground_are_little_longer_than_the_straight_line(angle):
    middle, far = np.array([[40.0, 40.0]]), 40 + 39 * np.array([[math.cos(angle), math.sin(angle)]])
    straight = Euclidean()(middle, np.rint(far)).item()
    for moves, longest in (("eight", 1.083), ("any", 1.014)):
        assert straight - 1e-9 <= OPEN_GROUND[moves](middle, far).item() <= longest * straight


@pytest.mark.parametrize(
    ("cost", "space"),
    [
        (Raster(WALL, "x", "y"), cells_of(Raster(WALL))),
        (
            Raster(stream(5).uniform(1, 4, (6, 9)), "east", "north", columns=(0, 10), rows=(5, -5), unit="min"),
            Space(Real("east", 0, 10), Choice("bait", ["fly", "worm"]), Real("north", -5, 5)),
        ),
        (2 * Raster(WALL, "x", "y", cell=(3, 5)) + Euclidean(), cells_of(Raster(WALL))),
        (Raster(stream(6).uniform(1, 4, (6, 9)), "x", "y", moves="any"), Space(Real("x", 0, 8), Real("y", 0, 5))),
        (Raster(WALL, "x", "y", snap="nearest"), Space(Real("x", 0, 2), Real("y", 0, 2))),
    ],
    ids=["obstacles", "rough ground", "joined", "any angle", "snapped"],
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
    x = x[raster._graph.searches.component == np.bincount(raster._graph.searches.component).argmax()]
    costs = raster(x, x)
    assert raster.is_metric
    assert np.allclose(costs, costs.T, rtol=1e-12, atol=0)


def test_a_cell_is_searched_from_once(monkeypatch):
    searches = []

    def counted(graph, indices):
        searches.extend(indices)
        return found(graph, indices=indices)

    found = csgraph.dijkstra
    monkeypatch.setattr(csgraph, "dijkstra", counted)
    raster = Raster(np.ones((30, 30)))
    x = raster.centres(raster.open_cells())
    raster(x[:20], x)
    raster(x[:20], x[:3])
    raster(x, x[:20])
    assert sorted(searches) == list(range(20))


def test_what_is_kept_stays_within_bounds(monkeypatch):
    monkeypatch.setattr(search, "KEPT_COSTS", 7 * 900)
    raster = Raster(np.ones((30, 30)))
    x = raster.centres(raster.open_cells())
    costs = raster(x[:20], x)
    assert raster._graph.searches._from.cache_info().currsize == 7
    assert np.array_equal(raster(x[:20], x), costs)


def test_nobody_can_change_the_map():
    grid = WALL.astype(float)
    raster = Raster(grid)
    grid[:] = 0
    assert raster.grid.tolist() == WALL.tolist()
    with pytest.raises(ValueError, match="read-only"):
        raster.grid[0, 0] = 5
    with pytest.raises(ValueError, match="read-only"):
        raster._graph.searches._from(0, False)[0] = 5


def test_the_parts_of_a_map_are_joined_by_no_way():
    raster = Raster(PONDS, "x", "y")
    north = Places([[0, 0], [1, 0], [0, 1]], names=["x", "y"])
    assert raster.bind(north)(north.table[1:2], north.table[2:]).item() == pytest.approx(math.sqrt(2))
    with pytest.raises(InvalidInput, match=r"no way from \(x=0, y=0\) to the place \(x=3, y=1\)"):
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
        (lambda: Raster(WALL, moves="four"), "moves of a Raster must be 'eight' or 'any', got 'four'"),
        (lambda: Raster(WALL, snap="far"), "snap of a Raster must be a distance or 'nearest', got 'far'"),
        (lambda: Raster(WALL, snap=-1), "snap of a Raster must not be negative"),
        (lambda: Raster(WALL, unit=3), "the unit of a travel cost must be text"),
        (lambda: Raster(WALL, "x", "x").bind(OPEN), "must each be named once"),
        (lambda: Raster(WALL, "x", "z").bind(OPEN), "there is no axis 'z'"),
        (lambda: Raster(WALL, "x", "y").bind(OPEN), "in a blocked cell (row"),
        (lambda: Raster(WALL, "x", "y")(HOME, HOME), "call cost.bind(space) first"),
        (lambda: Raster(WALL)(HOME, EAST), "the place [1.0, 0.0] is in a blocked cell (row 0, column 1)"),
        (lambda: Raster(WALL)(-0.6 * EAST, HOME), "the place [-0.6, -0.0] is off the map"),
        (lambda: Raster(WALL)(HOME, 1e300 * NORTH), "is off the map, which has x from 0 to 2"),
        (lambda: Raster(PONDS)(HOME, HOME + 2), "no way from [0.0, 0.0] to the place [2.0, 2.0]"),
        (lambda: Raster(PONDS).path(HOME[0], HOME[0] + 2), "no way from [0.0, 0.0] to the place [2.0, 2.0]"),
    ],
)
def test_bad_maps_and_places_are_refused(make, message):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert message in str(refused.value)


def test_there_is_no_longer_way_at_any_angle():
    grid = stream(3).choice([0.0, 1.0, 2.0], (15, 15), p=[0.2, 0.5, 0.3])
    eight = Raster(grid).largest_part()
    x = eight.centres(eight.open_cells())
    assert (Raster(eight.grid, moves="any")(x[:20], x) <= eight(x[:20], x) + 1e-9).all()


def test_a_place_in_a_blocked_cell_goes_to_the_nearest_open_one():
    grid = np.ones((5, 9))
    grid[:, 3:8] = 0
    grid[0] = 1
    raster = Raster(grid, cell=(1, 5), snap=2.0)
    here, there = np.array([[4.0, 1.0]]), np.array([[0.0, 4.0]])
    assert raster(here, there) == raster(np.array([[2.0, 1.0]]), there)  # two cells of 1 are nearer than one of 5
    with pytest.raises(InvalidInput, match=r"\[5.0, 4.0\] is in a blocked cell \(row 4, column 5\)"):
        raster(np.array([[5.0, 4.0]]), there)
    nearest = Raster(grid, cell=(1, 5), snap="nearest")
    assert nearest(np.array([[6.0, 4.0]]), there) == nearest(np.array([[8.0, 4.0]]), there)
    assert nearest.covers(np.array([[6.0, 4.0], [6.0, 4.6]])).tolist() == [True, False]
    assert raster.covers(np.array([[5.0, 4.0], [4.0, 4.0], [0.0, 4.0]])).tolist() == [False, True, True]


@given(grid=MAPS)
def test_the_largest_part_is_the_most_cells_that_can_reach_each_other(grid):
    assume(grid.any())
    raster = Raster(grid)
    largest = raster.largest_part()
    sizes = [len(ways_from(raster, cell)) for cell in raster.open_cells()]
    assert len(largest.open_cells()) == max(sizes)
    x = largest.centres(largest.open_cells())
    assert np.isfinite(largest(x, x)).all()
    assert ((largest.grid == grid) | (largest.grid == 0)).all()


def test_the_open_cells_are_places_to_go():
    raster = Raster(WALL, "east", "north", columns=(0, 20), rows=(20, 0))
    places = raster.places(once=True)
    assert (places.names, places.size, places.once) == (("east", "north"), 7, True)
    assert raster.covers(places.table).all()
    assert raster.bind(places)(places.table, places.table).shape == (7, 7)


def test_what_was_asked_of_a_large_map_is_not_searched_again(monkeypatch):
    searches = []

    def counted(graph, indices):
        searches.extend(indices)
        return found(graph, indices=indices)

    found = csgraph.dijkstra
    monkeypatch.setattr(csgraph, "dijkstra", counted)
    monkeypatch.setattr(search, "KEPT_COSTS", 2 * 900)  # two whole searches
    raster = Raster(np.ones((30, 30)))
    x = raster.centres(raster.open_cells())
    asked = x[::9]
    first = [raster(asked[[i]], asked)[0] for i in range(15)]
    assert len(searches) == 15
    assert np.array_equal(raster(asked[:15], asked), first)
    assert np.array_equal(raster(asked, asked[3:9]).T, first[3:9])
    assert np.array_equal(raster(asked[:9], asked[50:60]), np.array(first)[:9, 50:60])
    assert len(searches) == 15
    raster(asked[:1], x[1:2])
    assert len(searches) == 16
    for i in range(15, 40):
        raster(asked[[i]], asked)
    assert sum(len(row) for row, _ in raster._graph.searches._asked.values()) <= 2 * 900
    assert np.array_equal(raster(asked[:15], asked), first)


def test_a_table_of_a_map_costs_the_same():
    raster = Raster(WALL, "x", "y", cell=(3, 5), unit="min")
    places = raster.places()
    table = Table.of(raster, places)
    x = places.table
    assert np.array_equal(table.bind(places)(x, x), raster.bind(places)(x, x))
    assert table.unit == "min"


def test_a_missed_setting_in_a_blocked_cell_is_refused_with_the_nearest_open_place():
    sea = np.ones((5, 5))
    sea[1:4, 1:4] = 0
    raster = Raster(sea, "lon", "lat", columns=(9.40, 9.48), rows=(47.60, 47.52), cell=(20, 20), unit="m")
    study = Study.create(raster.places(), direction="maximize", travel=raster, trials=3, start=[9.4, 47.6])
    trial = study.ask()
    with pytest.raises(InvalidInput) as refused:
        study.tell(trial, 1.0, actual={"lon": 9.42, "lat": 47.559})
    assert str(refused.value) == (
        "actual: the place (lon=9.42, lat=47.559) is in a blocked cell (row 2, column 1) of the map; "
        "the nearest open place is (lon=9.4, lat=47.56), 20 m away"
    )
    assert study.tell(trial, 1.0, actual={"lon": 9.4, "lat": 47.56}).params["lon"] == 9.4


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ({"x": 2, "y": 0}, "start: the place (x=2, y=0) is in a blocked cell (row 0, column 2)"),
        ({"x": 3, "y": 2}, "start: there is no way from (x=3, y=2) to the place"),
        ({"x": 9, "y": 2}, "start: the place (x=9, y=2) is off the map, which has x from 0 to 3"),
    ],
    ids=["land-locked", "on an island", "off the map"],
)
def test_a_study_does_not_begin_where_nobody_can_leave(start, message):
    raster = Raster(PONDS, "x", "y")
    north = Places([[0, 0], [1, 0], [0, 1]], names=["x", "y"])
    with pytest.raises(InvalidInput) as refused:
        Study.create(north, direction="maximize", travel=raster, trials=3, start=start, name="pond")
    assert message in str(refused.value)
    assert "space" not in str(refused.value)  # the start is not of it


def test_swapped_axes_are_told_from_places_off_the_map():
    raster = Raster(np.ones((3, 4)), "lon", "lat", columns=(24, 27), rows=(60, 62))
    swapped = Places([[60.0, 24.0], [61.0, 26.0]], names=["lon", "lat"])
    with pytest.raises(InvalidInput, match=r"\(lon=60, lat=24\) is off the map, .* with lon and lat swapped"):
        raster.bind(swapped)
    far = Places([[60.0, 24.0], [71.0, 26.0]], names=["lon", "lat"])
    with pytest.raises(InvalidInput, match="off the map, which has lon from 24 to 27 and lat from 60 to 62"):
        raster.bind(far)


def test_a_blocked_place_of_a_space_may_be_left_out_of_it():
    with pytest.raises(InvalidInput, match=r"away; leave it out of the space, .* or move it .* with snap$"):
        Raster(WALL, "x", "y").bind(Places([[0, 0], [1, 0]], names=["x", "y"]))


def test_the_first_row_and_column_have_no_sign():
    grid = np.ones((3, 3))
    grid[0, 0] = 0
    with pytest.raises(InvalidInput, match=r"\(row 0, column 0\)"):
        Raster(grid)(HOME - 0.3, HOME + 1)


@example(high=3, wide=4, west=0.0, step=0.975, seed=4)
@given(st.integers(3, 40), st.integers(3, 40), st.floats(-180, 179), st.floats(1e-7, 1.0), st.integers(0, 99))
def test_the_nearest_open_place_can_be_copied_and_its_distance_is_enough_to_snap(high, wide, west, step, seed):
    grid = (stream(seed).random((high, wide)) < 0.2).astype(float)
    grid[0, 0], grid[-1, -1] = 0, 1
    more = {"columns": (west, west + step * wide), "rows": (50.0, 50.0 + step * high)}
    raster = Raster(grid, "lon", "lat", **more).largest_part()
    places = raster.places()
    blocked = np.array([[west, 50.0]])
    with pytest.raises(InvalidInput) as refused:
        raster.bind(places)(blocked, blocked)
    found = re.search(r"nearest open place is \(lon=(\S+), lat=(\S+)\), (\S+) away", str(refused.value))
    lon, lat, far = map(float, found.groups())
    assert places.contains(np.array([[lon, lat]])).all()
    assert Raster(raster.grid, "lon", "lat", **more, snap=far).covers(blocked).all()


def test_a_part_of_a_map_is_what_can_be_reached_from_a_place_in_it():
    raster = Raster(PONDS, "x", "y")
    here, there = raster.part_with(np.array([0.0, 0.0])), raster.part_with(np.array([3.0, 1.2]))
    assert here.covers(np.array([[1.0, 0.0], [3.0, 1.0]])).tolist() == [True, False]
    assert there.covers(np.array([[1.0, 0.0], [3.0, 1.0]])).tolist() == [False, True]
    assert len(here.open_cells()) + len(there.open_cells()) == len(raster.open_cells())
    with pytest.raises(InvalidInput, match=r"\(x=2, y=0\) is in a blocked cell"):
        raster.part_with(np.array([2.0, 0.0]))


@pytest.mark.parametrize("which", [1, 2, 3])
def test_no_route_over_the_lake_crosses_land(which):
    problem = lake(which)
    boat = problem.travel.bind(problem.space)
    x = problem.space.sample(12, stream(which))
    route = plan_route(boat, problem.start, x, None, ShortRoute(), stream(0))
    stops = np.vstack([problem.start, route.places])
    assert route.legs.sum() > Euclidean(scale=10)(stops[:1], stops[-1:]).item()
    for origin, target, leg in zip(stops[:-1], stops[1:], route.legs, strict=True):
        path = boat.path(origin, target)
        assert (water()[tuple(path.T)] == 1).all()
        moves = np.abs(np.diff(path, axis=0))
        assert moves.max(initial=0) <= 1
        assert 0.193 * np.hypot(*moves.T).sum() == pytest.approx(leg)

"""Maps too large to be searched from every stop: exact legs found nearby, an order by rough costs."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csgraph

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.route import AsGiven, ShortRoute, plan_route
from wayfare.travel import Euclidean, Fee, Raster, parallel, rough
from wayfare.travel.raster import nearby, raster
from wayfare.travel.raster.coarse import Coarse
from wayfare.travel.raster.graph import CellGraph
from wayfare.travel.raster.grid import Cells
from wayfare.travel.raster.nearby import Landmarks, Nearby

pytestmark = pytest.mark.slow


def graph_of(rates, width=1.0, height=1.0, moves="eight"):
    return CellGraph(Cells(rates, (width, height), (0.0, 1.0), (0.0, 1.0), 0.0), moves)


def obstacles(kind, n=90, seed=0):
    rng = stream(seed, kind)
    grid = np.ones((n, n))
    if kind == "walls":
        for row, column in rng.integers(0, n, (14, 2)):
            grid[row, column : column + n // 3] = 0
            grid[column : column + n // 3, row] = 0
    elif kind == "blocks":
        for row, column in rng.integers(0, n, (10, 2)):
            grid[row : row + n // 8, column : column + n // 6] = 0
    elif kind == "hard ground":
        grid = rng.uniform(1, 5, (n, n))
        grid[rng.random((n, n)) < 0.2] = 0
    return Raster(grid).largest_part()


KINDS = ["open", "walls", "blocks", "hard ground"]


@pytest.fixture
def all_large(monkeypatch):
    """Every map counts as large, and every batch as many stops."""
    monkeypatch.setattr(raster, "LARGE_MAP", 0)
    monkeypatch.setattr(raster, "MANY_COSTS", 0)


def some(cost, n, seed=0):
    cells = cost.open_cells()
    return cost.centres(cells[stream(seed, "stops").choice(len(cells), n, replace=False)])


def whole_search(cost, origin, target):
    """The cost of a leg by a search over the whole map, whatever its size."""
    start, end = cost._numbers(np.array([origin, target]))
    return csgraph.dijkstra(cost._graph.searches.graph, indices=[start])[0, end]


MAPS = st.tuples(st.integers(2, 25), st.integers(2, 25)).flatmap(
    lambda shape: arrays(float, shape, elements=st.sampled_from([0.0, 1.0, 1.0, 1.0, 1.0, 2.5, 7.0]))
)


@given(MAPS, st.floats(0.1, 9), st.floats(0.1, 9), st.sampled_from(["eight", "any"]), st.integers(0, 9))
def test_a_leg_found_nearby_is_that_of_a_search_of_the_whole_map_to_the_last_digit(grid, width, height, moves, seed):
    assume(grid.any())
    graph = graph_of(grid, width, height, moves)
    legs = Nearby(graph)
    for start, end in stream(seed).integers(0, len(graph.cells), (8, 2)).tolist():
        assert legs.cost(start, end) == csgraph.dijkstra(graph.searches.graph, indices=[start])[0, end]


@pytest.mark.parametrize("moves", ["eight", "any"])
def test_a_window_proves_no_way_that_another_out_of_it_is_shorter_than(monkeypatch, moves):
    monkeypatch.setattr(nearby, "LARGEST_WINDOW", 1.0)
    monkeypatch.setattr(nearby, "MARGIN_CELLS", 0)
    rng, left = stream(0, moves), 0
    for seed in range(20):
        graph = graph_of(stream(seed, "ground").choice([0.0, 1.0, 1.0, 1.1, 1.5], (40, 40)), 1.0, 1.0, moves)
        costs = Nearby(graph)
        for start in rng.integers(0, len(graph.cells), 4).tolist():
            exact = csgraph.dijkstra(graph.searches.graph, indices=[start])[0]
            near = np.flatnonzero((exact > 0) & (exact < 9))
            for end in rng.choice(near, min(12, len(near)), replace=False).tolist():
                window = costs._window(start, end)
                inside, _ = costs._within(window[window >= 0], start, end)
                left += inside > exact[end]
                assert costs.cost(start, end) == exact[end]
    assert left > 5  # so many ways leave their window


@pytest.mark.parametrize("moves", ["eight", "any"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_so_on_larger_maps_where_windows_are_left(kind, moves):
    graph = graph_of(obstacles(kind).grid, 1.0, 2.0, moves)
    legs = Nearby(graph)
    rng = stream(3, kind)
    for start in rng.integers(0, len(graph.cells), 6).tolist():
        expected = csgraph.dijkstra(graph.searches.graph, indices=[start])[0]
        near = np.argsort(expected)[1:900:60]
        assert [legs.cost(start, int(end)) for end in near] == expected[near].tolist()


def test_a_road_far_outside_the_window_is_found():
    grid = np.full((200, 200), 5.0)
    grid[100:131, [90, 110]] = 1.0
    grid[130, 90:111] = 1.0
    graph = graph_of(grid)
    start, end = graph.cells.number[100, [90, 110]].tolist()
    by_road = csgraph.dijkstra(graph.searches.graph, indices=[start])[0, end]
    assert by_road < 80.0
    assert Nearby(graph).cost(start, end) == by_road


@given(MAPS, st.sampled_from(["eight", "any"]), st.integers(0, 9))
def test_no_way_is_shorter_than_landmarks_say_or_passes_cells_that_they_rule_out(grid, moves, seed):
    assume(grid.any())
    graph = graph_of(grid, 1.0, 2.0, moves)
    landmarks = Landmarks(graph)
    start, end = stream(seed).integers(0, len(graph.cells), 2).tolist()
    from_start, from_end = csgraph.dijkstra(graph.searches.graph, indices=[start, end])
    assume(np.isfinite(from_start[end]))
    every = np.flatnonzero(np.isfinite(from_end))
    assert (landmarks.at_least(every, end) <= from_end[every] * (1 + 1e-12)).all()
    limit = 1.2 * from_start[end]
    passed = np.flatnonzero(from_start + from_end <= limit)
    assert np.isin(passed, landmarks.between(start, end, limit * (1 + 1e-12))).all()


def test_landmarks_rule_out_most_of_a_map():
    graph = graph_of(obstacles("hard ground", 200).grid)
    start, end = graph.cells.number[graph.cells.rates > 0][[5000, 5010]].tolist()
    cost = csgraph.dijkstra(graph.searches.graph, indices=[start])[0, end]
    cells = Landmarks(graph).between(start, end, cost)
    assert len(cells) < 0.2 * len(graph.cells)
    assert (np.diff(cells) > 0).all()


@given(MAPS, st.sampled_from(["eight", "any"]))
def test_there_is_a_rough_way_where_there_is_a_way(grid, moves):
    assume(grid.any())
    graph = graph_of(grid, 1.0, 1.0, moves)
    cells = np.arange(min(40, len(graph.cells)))
    exact = np.isfinite(graph.searches.costs(cells, cells))
    costs = Coarse(graph).costs(cells, cells)
    assert np.array_equal(np.isfinite(costs), exact)
    assert (costs >= 0).all()


@given(MAPS)
def test_the_rough_way_back_is_as_long_as_the_way_there(grid):
    assume(grid.any())
    graph = graph_of(grid)
    cells = np.arange(0, len(graph.cells), max(1, len(graph.cells) // 40))
    costs = Coarse(graph).costs(cells, cells)
    assert np.allclose(costs, costs.T)


def test_the_rough_way_between_cells_of_one_block_is_straight():
    graph = graph_of(np.full((500, 500), 2.0))
    cells = graph.cells.number[[0, 3, 9], [1, 5, 1]]
    assert np.allclose(Coarse(graph).costs(cells[:1], cells), [[0.0, 10.0, 18.0]])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("starts", "ends"), [(True, True), (True, False), (False, True), (False, False)])
def test_a_route_over_a_large_map_is_a_permutation_with_exact_legs(all_large, kind, starts, ends):
    cost = obstacles(kind)
    x = some(cost, 22)
    position, end, batch = x[0] if starts else None, x[1] if ends else None, np.vstack([x[2:], x[5:7]])
    route = plan_route(cost, position, batch, end, ShortRoute(), stream(0))
    assert sorted(route.order) == list(range(22))
    assert np.array_equal(route.places, batch[route.order])
    way = [*([position] if starts else []), *route.places, *([end] if ends else [])]
    paid = [whole_search(cost, here, there) for here, there in pairwise(way)]
    walked = ([] if starts else [0.0]) + paid
    assert [*route.legs, *([route.last_leg] if ends else [])] == walked
    assert route.cost == pytest.approx(sum(paid))


def test_the_first_route_searches_for_the_landmarks_and_a_leg_alone_only_if_it_needs_them(all_large, monkeypatch):
    searches, search = [], Landmarks._from
    monkeypatch.setattr(Landmarks, "_from", lambda self, cell: searches.append(cell) or search(self, cell))
    cost = obstacles("open")
    near, far = np.array([[40.0, 40.0], [43.0, 41.0]]), np.array([[2.0, 3.0], [80.0, 70.0]])
    cost(near[:1], near[1:])
    assert searches == []
    plan_route(cost, None, near, None, ShortRoute(), stream(0))  # all of its legs are proven by windows
    assert len(searches) == 5
    cost(far[:1], far[1:])
    plan_route(cost, far[0], some(cost, 20), far[1], ShortRoute(), stream(0))
    assert len(searches) == 5
    alone = obstacles("open")
    alone(far[:1], far[1:])
    assert len(searches) == 10


def test_what_was_asked_before_changes_nothing(all_large):
    batch = some(obstacles("hard ground"), 25)
    fresh, used = obstacles("hard ground"), obstacles("hard ground")
    used(batch, batch)
    used.rough(3)(batch[::2], batch)
    for here, there in pairwise(batch):
        used(here[None], there[None])
    one, other = (plan_route(cost, None, batch, None, ShortRoute(), stream(1)) for cost in (fresh, used))
    assert np.array_equal(one.order, other.order)
    assert np.array_equal(one.legs, other.legs)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_an_order_by_rough_costs_is_little_longer(monkeypatch, kind, clustered):
    excess = []
    for seed in range(4):
        cost = obstacles(kind, 260, seed)
        x = some(cost, 31, seed)
        if clustered:
            near = cost.centres(cost.open_cells())
            heart = near[np.argsort(np.hypot(*(near - x[0]).T))[:150]]
            x = np.vstack([x[:16], heart[stream(seed).choice(len(heart), 15, replace=False)]])
        with monkeypatch.context() as patch:
            patch.setattr(raster, "MANY_COSTS", np.inf)
            exact = plan_route(cost, x[0], x[1:], None, ShortRoute(), stream(0))
            patch.setattr(raster, "LARGE_MAP", 0)
            patch.setattr(raster, "MANY_COSTS", 0)
            roughly = plan_route(cost, x[0], x[1:], None, ShortRoute(), stream(0))
        excess.append(roughly.cost / exact.cost - 1)
    assert np.mean(excess) < 0.02
    assert max(excess) < 0.05


def test_rough_costs_are_for_large_maps_and_many_stops_alone():
    small, large = Raster(np.ones((250, 250))), Raster(np.ones((300, 300)))
    assert small.rough(1000) is None
    assert large.rough(11) is None
    assert large.rough(12) is not None
    assert rough(Euclidean(), 1000) is None


def test_costs_put_together_are_rough_where_a_part_is(all_large):
    cost = obstacles("walls")
    x = some(cost, 15)
    guess = cost.rough(15)(x, x)
    assert not np.array_equal(guess, cost(x, x))
    straight = Euclidean()
    for joined, expected in [
        (3 * cost, 3 * guess),
        (cost + straight + Fee(2), guess + straight(x, x) + Fee(2)(x, x)),
        (parallel(2 * cost, 3 * straight), np.maximum(2 * guess, 3 * straight(x, x))),
    ]:
        assert np.allclose(rough(joined, 15)(x, x), expected)
        route = plan_route(joined, x[0], x[1:], None, ShortRoute(), stream(0))
        legs = [joined(here[None], there[None]).item() for here, there in pairwise([x[0], *route.places])]
        assert route.legs.tolist() == legs
    assert rough(2 * straight, 15) is None
    assert rough(straight + Fee(2), 15) is None


def test_the_planner_sees_rough_costs_and_may_ignore_them(all_large):
    cost = obstacles("blocks")
    x = some(cost, 9)
    route = plan_route(cost, None, x, None, AsGiven(), stream(0))
    assert route.order.tolist() == list(range(9))
    assert route.legs[1:].tolist() == [whole_search(cost, here, there) for here, there in pairwise(x)]


def test_places_without_a_way_are_refused_as_on_a_small_map(all_large):
    grid = np.ones((9, 9))
    grid[:, 4] = 0
    cost = Raster(grid)
    apart = np.array([[0.0, 0.0], [8.0, 8.0], [2.0, 1.0]])
    with pytest.raises(InvalidInput, match=r"no way from \[0.0, 0.0\] to the place \[8.0, 8.0\]"):
        plan_route(cost, None, apart, None, ShortRoute(), stream(0))
    with pytest.raises(InvalidInput, match=r"no way from \[0.0, 0.0\] to the place \[8.0, 8.0\]"):
        cost(apart[:1], apart[1:2])
    with pytest.raises(InvalidInput, match=r"blocked cell \(row 0, column 4\)"):
        plan_route(cost, None, np.array([[0.0, 0.0], [4.0, 0.0]]), None, ShortRoute(), stream(0))

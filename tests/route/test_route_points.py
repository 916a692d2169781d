"""Routes through points, without a table of all costs: as good as with one, and in far less memory."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.route.problems import brute_force, spanning_tree_bound
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.route import ShortRoute, path_cost, plan_route, points, route
from wayfare.space import Choice, Real, Space
from wayfare.travel import Chebyshev, Euclidean, Fee, Manhattan, Scaled, embedding

ROUNDING = 1 + 1e-9
NORMS = [Euclidean(), Manhattan(), Chebyshev(), Euclidean(scale={"x0": 3.0}), Manhattan(["x1"], {"x1": 0.2})]
NORMS += [Chebyshev(scale={"x1": 7.0}), Scaled(Euclidean(scale=2.0), 0.5), Scaled(Manhattan(scale={"x0": 3.0}), 4.0)]


@pytest.fixture
def few_tabled(monkeypatch):
    """Let tables end at 100 stops, so that small problems take the way of large ones."""
    monkeypatch.setattr(route, "MOST_TABLED", 100)


def plane(d=2):
    return Space(*(Real(f"x{k}", 0.0, 1.0) for k in range(d)))


def scattered(n, rng, d=2):
    """Return places at random, on a coarse grid with many ties, in clusters, or on a line."""
    x = rng.random((n, d))
    kind = rng.integers(4)
    if kind == 1:
        x = np.round(4 * x) / 4
    if kind == 2:
        x = x / 100 + rng.integers(3, size=(n, 1))
    if kind == 3:
        x[:, 1:] = 0.5
    return x


def tabled(cost, x, rng):
    """Return the embedding of some places, and the costs of a start, of a table of them and of an end."""
    start, end = rng.random((2, 1, x.shape[1]))
    first = cost(start, x)[0] if rng.random() < 0.7 else np.zeros(len(x))
    last = cost(x, end)[:, 0] if rng.random() < 0.5 else None
    return embedding(cost, x), first, cost(x, x), last


@pytest.mark.parametrize("cost", NORMS)
def test_distances_of_an_embedding_are_the_costs(cost):
    x = np.column_stack([stream(1).random((40, 2)) * 100, stream(2).integers(3, size=40)])
    cost = cost.bind(Space(Real("x0", 0.0, 100.0), Real("x1", 0.0, 100.0), Choice("kind", ["a", "b", "c"])))
    found, costs = embedding(cost, x), cost(x, x)
    rows = stream(3).integers(40, size=(2, 100))
    assert np.allclose([found[row] for row in range(40)], costs, rtol=1e-12)
    assert np.allclose(found.pairs(*rows), costs[tuple(rows)], rtol=1e-12)
    at = list(map(tuple, found.points.tolist()))
    assert np.allclose([found.distance(at[one], at[other]) for one, other in rows.T], costs[tuple(rows)], rtol=1e-12)
    assert costs.max() <= found.extent * ROUNDING
    near, price = found.nearest(5)
    assert np.allclose(price, np.sort(costs + np.diag([np.inf] * 40), axis=1)[:, :5], rtol=1e-12)
    assert (near != np.arange(40)[:, None]).all()


def test_no_embedding_is_made_up():
    assert embedding(Fee(1.0).bind(plane()), np.zeros((3, 2))) is None
    assert embedding(Scaled(Fee(1.0), 2.0).bind(plane()), np.zeros((3, 2))) is None
    assert embedding((Euclidean() + Fee(1.0)).bind(plane()), np.zeros((3, 2))) is None


def test_an_embedding_that_does_not_fit_is_refused():
    class Short(Euclidean):
        def embedding(self, places):
            return super().embedding(places[1:])

    with pytest.raises(InvalidInput, match="embedding of shape"):
        embedding(Short(), np.zeros((3, 2)))


@settings(max_examples=60)
@given(st.integers(1, 7), st.integers(0, 10_000), st.sampled_from(NORMS))
def test_few_points_are_ordered_at_the_least_cost(n, seed, cost):
    rng = stream(seed)
    at, first, between, last = tabled(cost.bind(plane()), scattered(n, rng), rng)
    order = ShortRoute().order_points(first, at, last, rng)
    assert sorted(order) == list(range(n))
    assert path_cost(order, first, between, last) == pytest.approx(brute_force(first, between, last))


@pytest.mark.parametrize("seed", range(8))
def test_points_are_ordered_as_well_as_a_table(seed):
    rng = stream(seed, "points")
    at, first, between, last = tabled(NORMS[seed].bind(plane()), scattered(300, rng), rng)
    by_table = path_cost(ShortRoute().order(first, between, last, stream(0)), first, between, last)
    by_points = path_cost(ShortRoute().order_points(first, at, last, stream(0)), first, between, last)
    assert by_points <= 1.02 * by_table


@pytest.mark.parametrize("seed", range(40))
def test_points_keep_the_bound_even_if_the_search_fails(seed, monkeypatch):
    monkeypatch.setattr(points, "refined_among", lambda order, *_: stream(seed, "any order").permutation(order))
    rng = stream(seed, "bound")
    d = int(rng.integers(1, 5))
    x = scattered(int(rng.integers(2, 200)), rng, d)
    at, first, between, last = tabled(NORMS[seed % 3].bind(plane(d)), x, rng)
    cost = path_cost(ShortRoute().order_points(first, at, last, rng), first, between, last)
    assert cost <= 2 * spanning_tree_bound(first, between, last) * ROUNDING


@pytest.mark.usefixtures("few_tabled")
def test_points_on_a_line_are_visited_from_one_end_to_the_other():
    x = stream(4).permutation(500)[:, None] / 500
    found = plan_route(Manhattan().bind(plane(1)), None, x, None, ShortRoute(kicks=0), stream(0))
    steps = np.diff(found.places[:, 0])
    assert (steps > 0).all() or (steps < 0).all()


@pytest.mark.usefixtures("few_tabled")
def test_many_equal_points_cost_nothing_among_themselves():
    """Of places that differ only on an axis that does not count, all are 0 apart."""
    x = np.column_stack([np.repeat([0.0, 1.0, 0.4], 500), stream(5).random(1500)])
    found = plan_route(Euclidean(["x0"]).bind(plane()), np.zeros(2), x, None, ShortRoute(), stream(0))
    assert found.cost == pytest.approx(1.0)
    assert sorted(found.order) == list(range(1500))


@pytest.mark.usefixtures("few_tabled")
def test_long_routes_are_priced_leg_by_leg_and_repeat():
    x, position, end = stream(6).random((400, 2)), np.array([0.1, 0.2]), np.array([0.9, 0.9])
    x[300:] = x[:100]
    cost = Euclidean(scale={"x1": 3.0}).bind(plane())
    one, other = (plan_route(cost, position, x, end, ShortRoute(), stream(1)) for _ in range(2))
    assert np.array_equal(one.order, other.order)
    along = np.vstack([position, one.places, end])
    legs = [cost(a[None], b[None])[0, 0] for a, b in pairwise(along)]
    assert np.allclose([*one.legs, one.last_leg], legs)
    # Equal places are visited in a row.
    assert (one.legs[1:] == 0).sum() == 100


def test_a_table_is_used_for_few_stops_and_by_planners_that_need_one(monkeypatch):
    class Tabled:
        def order(self, first, between, last, rng):
            assert between.shape == (len(first), len(first))
            return np.arange(len(first))

    monkeypatch.setattr(route, "MOST_TABLED", 100)
    x = stream(7).random((101, 2))
    cost = Euclidean().bind(plane())
    assert len(plan_route(cost, None, x, None, Tabled(), stream(0))) == len(x)
    called = []
    monkeypatch.setattr(ShortRoute, "order", lambda self, first, *_: called.append("table") or np.arange(len(first)))
    monkeypatch.setattr(
        ShortRoute, "order_points", lambda self, first, *_: called.append("points") or np.arange(len(first))
    )
    plan_route(cost, None, x[1:], None, ShortRoute(), stream(0))
    plan_route(cost, None, x, None, ShortRoute(), stream(0))
    plan_route((cost + Fee(1.0)).bind(plane()), None, x, None, ShortRoute(), stream(0))
    assert called == ["table", "points", "table"]


@pytest.mark.usefixtures("few_tabled")
def test_memory_grows_with_the_stops_and_not_with_their_square():
    """A table of the costs of 1,500 stops takes 18 MB, and a search of it six times as much."""
    x = stream(8).random((1500, 2))
    cost = Manhattan().bind(plane())
    tracemalloc.start()
    try:
        plan_route(cost, x[0], x, None, ShortRoute(kicks=0), stream(0))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8e6


def test_too_many_points_are_refused_with_their_number(monkeypatch):
    monkeypatch.setattr(route, "MOST_TABLED", 3)
    monkeypatch.setattr(route, "MOST_POINTS", 5)
    with pytest.raises(InvalidInput, match="6 places are more than can be put in order; 5 at most"):
        plan_route(Euclidean().bind(plane()), None, stream(0).random((6, 2)), None, ShortRoute(), stream(0))

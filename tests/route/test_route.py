from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.route import AsGiven, ShortRoute, plan_route
from wayfare.space import Real, Space
from wayfare.travel import Euclidean, Ramp, parallel

PLANE = Space(Real("a", 0.0, 1.0), Real("b", 0.0, 1.0))
FLAT = Euclidean().bind(PLANE)
RAMP = parallel(Ramp("a", up=1.0, down=3.0), Ramp("b", up=1.0, down=3.0)).bind(PLANE)


@st.composite
def batches(draw):
    """Places on a coarse grid, so that many are equal."""
    rows = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25))
    return np.array(rows) / 3


@settings(max_examples=60)
@given(batches(), st.sampled_from([FLAT, RAMP]), st.booleans(), st.booleans())
def test_a_route_is_the_batch_in_another_order_priced_leg_by_leg(batch, cost, starts, ends):
    position = np.array([0.1, 0.2]) if starts else None
    end = np.array([0.9, 0.9]) if ends else None
    route = plan_route(cost, position, batch, end, ShortRoute(), stream(0))
    assert sorted(route.order) == list(range(len(batch)))
    assert np.array_equal(route.places, batch[route.order])
    way = [*([position] if starts else []), *route.places, *([end] if ends else [])]
    walked = [float(cost(a[None], b[None])[0, 0]) for a, b in pairwise(way)]
    assert route.cost == pytest.approx(sum(walked), abs=1e-12)
    assert np.allclose(route.legs[1:], walked[starts : len(batch) - 1 + starts], atol=1e-12)
    assert route.legs[0] == pytest.approx(walked[0] if starts else 0.0)


@settings(max_examples=60)
@given(batches())
def test_equal_places_are_visited_in_a_row_at_no_cost(batch):
    route = plan_route(FLAT, np.zeros(2), batch, None, ShortRoute(), stream(0))
    stays = (route.places[1:] == route.places[:-1]).all(axis=1)
    assert 1 + (~stays).sum() == len(np.unique(batch, axis=0))
    assert not route.legs[1:][stays].any()
    # Those that came first go first.
    assert (np.diff(route.order)[stays] > 0).all()


def test_the_planner_decides_the_order():
    class Turns:
        def order(self, first, between, last, rng):
            return np.array([1, 2, 3, 0])

    batch = np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    route = plan_route(FLAT, None, batch, None, Turns(), stream(0))
    assert route.order.tolist() == [1, 3, 4, 0, 2]


def test_the_order_of_the_policy_can_be_kept():
    batch = stream(0).random((6, 2))
    assert plan_route(FLAT, None, batch, None, AsGiven(), stream(0)).order.tolist() == [0, 1, 2, 3, 4, 5]


def test_going_up_is_avoided_where_going_down_is_cheap():
    heat = Ramp("a", up=1.0, down=3.0).bind(Space(Real("a", 0.0, 10.0)))
    route = plan_route(heat, None, np.array([[1.0], [5.0], [9.0]]), None, ShortRoute(), stream(0))
    assert route.places.ravel().tolist() == [9.0, 5.0, 1.0]
    assert route.cost == pytest.approx(8 / 3)


def test_the_same_stream_gives_the_same_route():
    batch = stream(0).random((30, 2))
    one, other = (plan_route(FLAT, None, batch, None, ShortRoute(), stream(1)) for _ in range(2))
    assert np.array_equal(one.order, other.order)


def test_an_empty_batch_is_an_empty_route():
    route = plan_route(FLAT, np.zeros(2), np.empty((0, 2)), None, ShortRoute(), stream(0))
    assert len(route) == 0
    assert route.cost == 0.0


def test_nobody_can_write_to_a_route():
    route = plan_route(FLAT, None, stream(0).random((3, 2)), None, ShortRoute(), stream(0))
    for values in (route.places, route.order, route.legs):
        with pytest.raises(ValueError):
            values[0] = 0


class Odd:
    """A travel cost that returns whatever it is told to."""

    is_metric = False
    unit = ""

    def __init__(self, answer):
        self.answer = answer

    def bind(self, space):
        return self

    def __call__(self, origins, targets):
        return self.answer(np.ones((len(origins), len(targets))))


def broken(costs):
    raise RuntimeError("the table is on fire")


@pytest.mark.parametrize(
    "answer", [lambda c: c * np.nan, lambda c: c * np.inf, lambda c: -c, lambda c: c[:, :-1], broken]
)
def test_a_travel_cost_that_cannot_be_paid_is_named(answer):
    with pytest.raises(InvalidInput, match="travel cost Odd"):
        plan_route(Odd(answer), np.zeros(2), np.eye(2), None, ShortRoute(), stream(0))


def test_a_planner_that_forgets_a_stop_is_named():
    class Forgets:
        def order(self, first, between, last, rng):
            return np.zeros(len(first), dtype=int)

    with pytest.raises(InvalidInput, match="Forgets must return each of 2 stops once"):
        plan_route(FLAT, None, np.eye(2), None, Forgets(), stream(0))


@pytest.mark.parametrize("name", ["position", "end"])
def test_a_place_with_other_axes_is_refused(name):
    places = {"position": None, "end": None, name: np.zeros(3)}
    with pytest.raises(InvalidInput, match=f"{name} must have 2 axes"):
        plan_route(FLAT, places["position"], np.eye(2), places["end"], ShortRoute(), stream(0))

"""What legs really cost: scale and offset are recovered from those told, and routes are planned with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare._core.rng import stream
from wayfare.route import plan_route
from wayfare.testing.travel import TravelCostContract
from wayfare.travel import rough
from wayfare.travel.learned import LearnedCost, fitted_legs

SQUARE = wf.Space(wf.Real("x", 0.0, 10.0), wf.Real("y", 0.0, 10.0))


class TestLearnedCost(TravelCostContract):
    @pytest.fixture
    def cost(self):
        return LearnedCost(wf.Manhattan(unit="min"), 1.7, 2.5, 9, 0.1, "min")

    @pytest.fixture
    def space(self):
        return SQUARE


class TestLearnedAsymmetricCost(TravelCostContract):
    @pytest.fixture
    def cost(self):
        ramps = wf.serial(wf.Ramp("x", up=1.0, down=3.0), wf.Ramp("y", up=2.0, down=0.5))
        return LearnedCost(ramps, 0.4, 0.5, 9, 0.1, "")

    @pytest.fixture
    def space(self):
        return SQUARE


@given(st.lists(st.floats(0.5, 20.0), min_size=5, max_size=30), st.floats(0.5, 50.0), st.floats(0.001, 30.0))
def test_scale_and_offset_are_recovered_where_nothing_is_off(legs, scale, offset):
    c = np.array([*legs, 0.5, 25.0])
    found = fitted_legs(c, scale * c + offset)
    assert found == (pytest.approx(scale), pytest.approx(offset, rel=1e-4), pytest.approx(0.0, abs=1e-6))


def test_with_noise_they_are_recovered_within_their_errors():
    within = 0
    for seed in range(200):
        rng = stream(seed, "legs")
        c = rng.uniform(1.0, 20.0, 40)
        scale, offset, sd = fitted_legs(c, 1.31 * c + 6.0 + 0.8 * rng.standard_normal(40))
        error = 0.8 / np.sqrt(((c - c.mean()) ** 2).sum())
        within += abs(scale - 1.31) < 2 * error
        assert sd == pytest.approx(0.8, rel=0.5)
        assert offset == pytest.approx(6.0, abs=2.0)
    assert 180 <= within <= 199  # 95 of a hundred


COSTS = st.one_of(st.just(0.0), st.floats(1e-200, 1e200), st.floats(0.1, 10.0))


@given(st.lists(st.tuples(st.floats(1e-200, 1e200), COSTS), min_size=5, max_size=12))
def test_offset_and_scale_are_never_negative_and_always_numbers(legs):
    stated, spent = np.array(legs).T
    scale, offset, sd = fitted_legs(stated, spent)
    assert scale >= 0
    assert offset >= 0
    assert np.isfinite([offset, sd]).all()


@given(st.lists(st.tuples(st.floats(0.1, 10.0), st.floats(0.1, 10.0)), min_size=5, max_size=12))
def test_no_other_scale_and_offset_allowed_are_nearer(legs):
    stated, spent = np.array(legs).T
    scale, offset, _ = fitted_legs(stated, spent)
    ratio = spent.sum() / stated.sum()
    if stated.std() <= 0.1 * stated.mean():
        assert (scale, offset) == (pytest.approx(ratio), 0.0)
        return

    def missed(a, b):
        return float(((spent - a * stated - b) ** 2).sum())

    for da, db in ((0.01, 0.0), (-0.01, 0.0), (0.0, 0.01), (0.0, -0.01), (0.01, -0.01), (-0.01, 0.01)):
        a, b = scale * (1 + da), offset + db
        if b >= 0 and a >= 0.01 * ratio:
            assert missed(a, b) >= missed(scale, offset) * (1 - 1e-9) - 1e-12


def test_legs_much_alike_tell_a_scale_and_no_offset():
    stated = np.array([4.0, 4.1, 4.0, 3.9, 4.0])
    scale, offset, _ = fitted_legs(stated, 2.0 * stated + 1.0)
    assert (scale, offset) == (pytest.approx(2.25), 0.0)


def test_where_a_move_costs_the_same_however_long_it_is_there_is_still_a_nearer_place():
    stated = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    scale, offset, sd = fitted_legs(stated, np.full(5, 6.0))
    assert (scale, offset) == (pytest.approx(0.02), pytest.approx(5.94))
    assert sd < 0.1


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.floats(0.01, 100.0), st.floats(0.0, 50.0))
def test_where_every_stop_is_a_move_the_short_route_stays_the_same(seed, scale, offset):
    x = stream(seed).uniform(0.0, 10.0, (7, 2))
    stated = wf.Euclidean().bind(SQUARE)
    learned = LearnedCost(stated, scale, offset, 9, 0.1, "")
    one, other = (plan_route(cost, x[0], x[1:], None, wf.ShortRoute(), stream(0)) for cost in (stated, learned))
    assert other.cost == pytest.approx(scale * one.cost + offset * len(one))


def test_an_offset_changes_the_order_where_some_stops_are_reached_for_nothing():
    # Only x costs anything: 4 is passed twice, but setting out for it twice costs two offsets.
    stated = wf.Manhattan(axes=["x"]).bind(SQUARE)
    x = np.array([[4.0, 1.0], [5.0, 2.0], [4.0, 3.0]])
    learned = LearnedCost(stated, 1.0, 10.0, 9, 0.1, "")
    assert learned(x, x).tolist() == [[0.0, 11.0, 0.0], [11.0, 0.0, 11.0], [0.0, 11.0, 0.0]]
    route = plan_route(learned, np.array([0.0, 0.0]), x, None, wf.ShortRoute(), stream(0))
    assert route.legs.tolist() == [14.0, 0.0, 11.0]


def test_on_a_large_map_stops_are_ordered_by_what_the_rough_costs_were_learned_to_be():
    class Large(wf.Euclidean):
        def rough(self, stops):
            return wf.Euclidean(scale=2.0) if stops > 3 else None

    x = SQUARE.sample(5, stream(0))
    learned = LearnedCost(Large().bind(SQUARE), 1.5, 2.0, 9, 0.1, "min")
    assert rough(learned, 3) is None
    expected = 3.0 * np.linalg.norm(x[:, None] - x, axis=2) + 2.0
    np.fill_diagonal(expected, 0.0)
    assert np.allclose(rough(learned, 5)(x, x), expected)

"""Dimensions that are known, laws that covers obey, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.analysis.dimension import Dimension, farthest_first
from wayfare.errors import InvalidInput
from wayfare.travel import Scaled

RNG = np.random.default_rng(3)
SCATTERED = wf.Places(RNG.random((300, 2)))
TOOLS = wf.Space(wf.Real("x", 0, 1), wf.Choice("tool", ["a", "b", "c"]))
MANY_TOOLS = wf.Space(wf.Real("x", 0, 1), wf.Choice("tool", list(range(20))))


def box(*sides):
    return wf.Space(*(wf.Real(f"x{axis}", 0, side) for axis, side in enumerate(sides)))


def cantor_ends(level):
    """Return both ends of the 2^level intervals that are left of the unit interval."""
    starts = np.zeros(1)
    for step in range(1, level + 1):
        starts = np.concatenate([starts, starts + 2 / 3**step])
    return np.sort(np.concatenate([starts, starts + 3.0**-level]))


def sphere(n, rng):
    x = rng.normal(size=(n, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("d", [1, 2])
def test_lines_and_squares_have_the_dimension_that_everyone_knows(d):
    found = wf.dimension(box(*[1] * d), wf.Euclidean(), centres=512)
    assert found.estimate == pytest.approx(d, abs=0.1)
    assert found.low < d < found.high


def test_a_cube_has_dimension_three():
    found = wf.dimension(box(1, 1, 1), wf.Euclidean(), centres=1024)
    assert found.estimate == pytest.approx(3, abs=0.1)
    assert found.low < 3 < found.high


def test_the_cantor_set_has_a_broken_dimension():
    found = wf.dimension(wf.Places(cantor_ends(10)[:, None]), wf.Euclidean())
    assert found.estimate == pytest.approx(np.log(2) / np.log(3), abs=0.1)
    assert found.growth == 0


@pytest.mark.parametrize("norm", [wf.Manhattan(), wf.Chebyshev(), wf.Euclidean(scale={"x0": 5.0})])
def test_no_norm_and_no_scale_of_an_axis_changes_the_dimension_of_a_square(norm):
    assert wf.dimension(box(1, 1), norm, centres=512).estimate == pytest.approx(2, abs=0.1)


def test_the_dimension_is_that_of_the_set_and_not_that_of_its_axes():
    angle = 2 * np.pi * RNG.random(2048)
    circle = wf.Places(np.column_stack([np.cos(angle), np.sin(angle)]))
    assert wf.dimension(circle, wf.Euclidean()).estimate == pytest.approx(1, abs=0.1)
    ball = wf.Places(sphere(2048, RNG))
    assert wf.dimension(ball, wf.Euclidean()).estimate == pytest.approx(2, abs=0.1)
    assert wf.dimension(box(1, 1, 1), wf.Euclidean(axes="x1"), centres=256).estimate == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("fee", [0.3, 5.0, 900.0])
def test_pieces_do_not_add_to_the_dimension(fee):
    travel = wf.Euclidean() + wf.Switch("tool", fee)
    assert wf.dimension(TOOLS, travel, centres=256).estimate == pytest.approx(1, abs=0.1)


@given(st.floats(1e-6, 1e6), st.integers(0, 5))
@settings(max_examples=20)
def test_the_unit_of_the_cost_changes_the_radii_alone(factor, seed):
    one = wf.dimension(SCATTERED, wf.Euclidean(), seed=seed)
    other = wf.dimension(SCATTERED, Scaled(wf.Euclidean(), factor), seed=seed)
    assert other.estimate == pytest.approx(one.estimate, rel=1e-6)
    assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=1e-6)
    assert other.radii == pytest.approx(factor * one.radii)
    assert other.balls == pytest.approx(one.balls)


@given(st.floats(0.25, 1))
@settings(max_examples=10)
def test_a_power_of_the_cost_divides_the_dimension(power):
    travel = wf.Custom(lambda a, b: wf.Euclidean()(a, b) ** power, vectorized=True, metric=True)
    line = wf.Places(np.linspace(0, 1, 600)[:, None])
    assert wf.dimension(line, travel).estimate == pytest.approx(1 / power, rel=0.1)


def test_the_dearer_of_both_ways_counts():
    oven = wf.Space(wf.Real("heat", 0, 100))
    both = wf.dimension(oven, wf.Ramp("heat", up=5, down=2, unit="s"), centres=128)
    dear = wf.dimension(oven, wf.Ramp("heat", up=2, down=2, unit="s"), centres=128)
    assert both.radii == pytest.approx(dear.radii)
    assert both.estimate == pytest.approx(dear.estimate)
    assert not both.is_metric
    assert "not a metric" in str(both)
    assert "not a metric" not in str(dear)


def test_the_same_seed_gives_the_same_estimate():
    first, again, other = (wf.dimension(SCATTERED, wf.Euclidean(), seed=seed).estimate for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_it_says_in_words_what_it_means_for_movement():
    found = Dimension(2.0, 1.8, 2.2, [0.01, 0.1], [100, 10], unit="km", size=500)
    lines = str(found).splitlines()
    assert lines[0] == "dimension 2.00 (95% interval 1.80 to 2.20), at costs from 0.01 to 0.1 km"
    assert "T^0.50 in all, so T^-0.50 per trial: 10 times the trials, 0.32 times the movement" in lines[1]
    assert lines[2].startswith("the 500 places are finite")
    assert found.growth == 0.5
    with pytest.raises(ValueError):
        found.radii[0] = 1


@pytest.mark.parametrize(
    ("space", "travel", "words"),
    [
        (wf.Places(RNG.random((63, 2))), wf.Euclidean(), "at least 64 places.*got 63.*wf.order"),
        (TOOLS, wf.Switch("tool", 3), "at least 64 places.*got 3;"),
        (SCATTERED, wf.Custom(lambda a, b: 0.0), "all travel costs are zero"),
        (box(1), wf.Custom(lambda a, b: 0.0), "all travel costs are zero"),
        (box(1, 1), wf.Euclidean() + wf.Fee(0.5, unit="s"), "at least 0.5 s, however short.*leave the fee out"),
        (box(1), wf.Euclidean(axes="x7"), "no axis 'x7'"),
        (box(1), 3.0, "not a travel cost"),
        (MANY_TOOLS, wf.Euclidean() + wf.Switch("tool", 900), "20 pieces.*one piece alone"),
    ],
)
def test_what_has_no_dimension_is_refused_with_the_way_out(space, travel, words):
    with pytest.raises(InvalidInput, match=words):
        wf.dimension(space, travel, centres=32)


@pytest.mark.parametrize("wrong", [{"centres": 31}, {"centres": 1e3}, {"seed": -1}])
def test_wrong_numbers_are_refused(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        wf.dimension(SCATTERED, wf.Euclidean(), **wrong)


@given(st.integers(2, 40), st.integers(0, 10**6))
def test_farthest_first_centres_cover_all_and_keep_apart(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.random((n, 2))
    costs = wf.Euclidean()(x, x)
    order, radii = farthest_first(costs.__getitem__, n, int(rng.integers(n)))
    assert sorted(order) == list(range(n))
    assert radii[-1] == 0
    for k in range(1, n):
        assert costs[order[:k]].min(axis=0).max() == radii[k - 1]
        assert (costs[np.ix_(order[:k], order[:k])] + 9 * np.eye(k)).min() >= radii[k - 1]

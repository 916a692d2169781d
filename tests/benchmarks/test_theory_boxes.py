"""The part of the theory benchmark that follows methods in continuous boxes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from theory import boxes, laws
from theory.walk import Walk
from wayfare._core.rng import stream
from wayfare.planning.catalogue import method_named
from wayfare.route import ShortRoute, path_cost


@pytest.fixture(autouse=True)
def few_places(monkeypatch):
    """Work the information out at fewer places: quicker, and nearly the same in one or two dimensions."""
    monkeypatch.setattr(boxes, "MESH", 300)
    boxes.spectrum.cache_clear()
    yield
    boxes.spectrum.cache_clear()


@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_function_has_the_norm_that_bpe_is_told(d):
    """The norm bounds its values, for the kernel is one at a place with itself."""
    function = boxes.bumps(d, 5)
    gram = boxes.covariance(function.centres, function.centres)
    assert function.weights @ gram @ function.weights == pytest.approx(boxes.NORM**2)
    assert np.abs(function(stream(0).random((500, d)))).max() <= boxes.NORM
    again = boxes.bumps(d, 5)
    assert np.array_equal(function(again.centres), again(again.centres))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_nothing_in_the_box_is_higher_than_the_highest(d):
    function = boxes.bumps(d, 2)
    top = boxes.highest(function)
    assert function(stream(9).random((20_000, d))).max() <= top + 1e-9
    assert top <= boxes.NORM


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 60), st.sampled_from([1, 2, 3]), st.integers(0, 99))
def test_no_way_through_so_many_places_is_longer_than_the_longest(n, d, seed):
    x = stream(seed).random((n + 1, d))
    if seed % 3 == 0:
        x = np.round(x)  # corners
    first, between = (wf.Euclidean()(x[a], x[b]) for a, b in ((slice(1), slice(1, None)), (slice(1, None),) * 2))
    order = ShortRoute().order(first[0], between, None, stream(0))
    assert path_cost(order, first[0], between) <= laws.longest_way(n, d) + 1e-9


def test_the_longest_way_grows_by_the_power_of_the_theorem():
    for d in (2, 3):
        many = laws.longest_way(1e12, d) / laws.longest_way(1e9, d)
        assert math.log10(many) / 3 == pytest.approx(1 - 1 / d, abs=0.01)


def test_bpe_has_the_stated_constants_and_a_set_as_large_as_the_study():
    policy = boxes.method("bpe", 2000).policy
    assert (policy.places, policy.norm, policy.ridge, policy.mean, policy.spread) == (2000, 3.0, boxes.NOISE**2, 0, 1)
    assert [boxes.method("bpe", trials).policy.places for trials in (10, 10_000)] == [1000, 3162]
    assert boxes.method("tucb", 5000) == method_named("tucb")
    space = wf.Space(*(wf.Real(f"x{axis}", 0, 1) for axis in range(2)))
    x = stream(1).random((6, 2))
    features = policy._embedding(space)(x)
    np.testing.assert_allclose(policy._covariance(features, features), boxes.covariance(x, x))


def test_a_row_says_where_the_walk_stood():
    done = Walk(np.array([4.0, 10.0]), np.array([8.0, 11.0]), np.array([2.0, 5.0]))
    row = boxes.at(("bpe", 1, 7, True), 7, done)
    assert (row["setting"], row["seed"], row["regret"], row["movement"], row["tours"]) == ("interval", 7, 9.5, 3.5, 2)
    assert row["bound"] == pytest.approx(2.0 + 2.0 / 2)
    assert row["rate"] == boxes.rate(1, 7)
    assert math.isnan(boxes.at(("tucb", 1, 7, True), 7, done)["rate"])


def test_the_rate_grows_by_its_power_and_logarithms():
    """Information in a Matérn kernel grows by d / (5 + d) in the end; the width and the batches add a little."""
    for d in (1, 2):
        gained = [boxes.information(d, trials) for trials in (100, 1000)]
        assert 0.5 * d / (5 + d) < math.log10(gained[1] / gained[0]) < d / (5 + d) + 0.15
        assert boxes.rate(d, 1000) / boxes.rate(d, 100) > 10**0.5


def test_cells_go_seed_by_seed_through_all():
    cells = boxes.cells(2, True)
    assert len(cells) == len(set(cells)) == 2 * 3 * 4
    assert [cell[2] for cell in cells] == sorted(cell[2] for cell in cells)

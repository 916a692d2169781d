"""Many results: merged by place without loss, held between fits, and with their neighbours at a known price."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from tests.surrogate.test_outcomes import MATERN, NONE, PLANE, single
from wayfare.surrogate import GP, gp, rows
from wayfare.surrogate.history import History, Past, Repeats, Standard
from wayfare.surrogate.hyper import Evidence
from wayfare.surrogate.rows import FEW, Factored, Rows

NOTES = {"step": "map", "kernel": "matern52", "lengths": [0.2, 0.3], "offsets": [], "variance": 2.0, "noise": 0.01}
X = PLANE.sample(50, np.random.default_rng(7))


def results(n: int, seed: int = 0, places: int | None = None, noise: float = 0.1) -> History:
    """Return ``n`` made-up results at so many places; at one place each if that is None."""
    rng = np.random.default_rng(seed)
    x = PLANE.sample(places or n, rng)
    x = x if places is None else x[rng.integers(places, size=n)]
    return History(PLANE, x, np.sin(2 * x[:, 0]) + 0.1 * x[:, 1] + noise * rng.standard_normal(n), NONE)


def fit(history: History):
    return GP().fit(history, np.random.default_rng(0))


def same(one, other) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.marginals(X), other.marginals(X), strict=True))


@given(counts=st.lists(st.integers(1, 9), min_size=1, max_size=9), seed=st.integers(0, 99))
def test_results_merged_by_place_have_the_evidence_of_single_ones(counts, seed):
    """Value and gradient, also where some of the results are themselves means of runs."""
    history = single(counts, seed)
    history = evolve(history, counts=np.random.default_rng(seed).integers(1, 4, len(history.y)), visited=NONE)
    standard, features = Standard.of_history(history), PLANE.encode(history.x)
    z, which = standard.apply(history.y), np.repeat(np.arange(len(counts)), counts)
    means, repeats = Repeats.merged(history, standard, z, which)
    first = np.cumsum(counts) - counts
    theta = np.array([-1.0, -0.5, 0.3, -2.0])
    merged = Evidence(MATERN, features[first], PLANE.groups, means, repeats)(theta)
    alone = Evidence(MATERN, features, PLANE.groups, z, Repeats.of(history, standard))(theta)
    assert merged[0] == pytest.approx(alone[0], rel=1e-9, abs=1e-8)
    np.testing.assert_allclose(merged[1], alone[1], rtol=1e-7, atol=1e-7)


def test_a_belief_in_merged_results_is_that_in_single_ones(monkeypatch):
    history = results(FEW + 100, places=40)
    merged = GP().recall(history, NOTES)
    monkeypatch.setattr(rows, "FEW", len(history.y))
    alone = GP().recall(history, NOTES)
    assert (len(merged.features), len(alone.features)) == (40, FEW + 100)
    np.testing.assert_allclose(merged.marginals(X), alone.marginals(X), rtol=1e-6)


def test_a_place_tracked_again_catches_up_with_what_was_added_since(monkeypatch):
    belief = GP().recall(results(FEW + 20), NOTES)
    picks = np.random.default_rng(1).integers(6, size=60)
    catching_up = belief.track(X)
    for pick in picks:
        catching_up.add(pick)
    np.testing.assert_allclose(catching_up.marginals, belief.condition(X[picks]).marginals(X), rtol=1e-6)


def after(history: History, n: int, *beliefs) -> History:
    """Return the first ``n`` results, planned for with these beliefs before."""
    return evolve(history.until(n), past=tuple(Past(FEW, belief.notes) for belief in beliefs))


def test_hyperparameters_hold_until_the_results_have_grown():
    history, n = results(400), FEW + 50
    first = fit(history.until(n))
    assert first.notes["fitted"] == n
    held = fit(after(history, n + 10, first))
    assert held.hyper.to_notes() == first.hyper.to_notes()
    assert held.notes == first.notes
    cold = GP().recall(history.until(n + 10), {**first.notes, "fitted": n + 10})
    np.testing.assert_allclose(held.marginals(X), cold.marginals(X), rtol=1e-6)
    grown = fit(after(history, n + 16, first, held))
    assert grown.notes["fitted"] == n + 16
    few = fit(after(history, FEW, fit(history.until(FEW))))
    assert "fitted" not in few.notes


def test_hyperparameters_do_not_hold_where_results_surprise_or_shift():
    history, n = results(FEW + 60), FEW + 50
    first = fit(history.until(n))
    odd = np.array(history.y)
    odd[n + 1 : n + 5] = history.y.max() * np.array([1, -1, 1, -1])  # neither mean nor spread changes much
    assert fit(after(evolve(history, y=odd), n + 6, first)).notes["fitted"] == n + 6
    corrected = np.array(history.y)
    corrected[3] += 10.0
    assert fit(after(evolve(history, y=corrected), n + 1, first)).notes["fitted"] == n + 1


def test_a_held_belief_is_the_same_bit_by_bit_after_a_restart():
    history, n = results(FEW + 60), FEW + 50
    first = fit(history.until(n))
    next_one = fit(after(history, n + 5, first))
    rows._cells.cache_clear()
    assert same(fit(after(history, n + 5, first)), next_one)
    assert same(GP().recall(history.until(n + 5), next_one.notes), next_one)


@pytest.mark.parametrize("seed", range(3))
def test_merged_neighbours_leave_more_doubt_not_less(seed, monkeypatch):
    """Where details matter, at the best results, the belief stays about as sharp as that in all results."""
    history = results(FEW + 200, seed, noise=0.3)
    noisy = {**NOTES, "noise": 0.2}
    exact = GP().recall(history, noisy)
    monkeypatch.setattr(rows, "MOST_ROWS", 100)
    merged = GP().recall(history, noisy)
    assert len(merged.features) == 100
    (mean, sd), (there, doubt) = exact.marginals(X), merged.marginals(X)
    assert (doubt > 0.98 * sd).all()
    assert np.sqrt(np.square((there - mean) / doubt).mean()) < 1.0
    best = history.x[np.argsort(-history.y)[:20]]
    assert np.mean(merged.marginals(best).sd / exact.marginals(best).sd) < 1.5
    rows._cells.cache_clear()
    monkeypatch.setattr(rows, "_weights", lambda which, shift, noises, own: (shift == 0.0).astype(float))
    kept_alone = GP().recall(history, noisy)
    rows._cells.cache_clear()
    assert merged.marginals(X).sd.mean() < 0.9 * kept_alone.marginals(X).sd.mean()


def test_neighbours_count_as_far_as_they_help():
    """Alike rows count fully, those that differ too much not at all; a kept place never gets less known."""
    which, shift = np.array([0, 0, 0, 1, 1]), np.array([0.0, 0.0, 9.0, 0.0, 0.05])
    noises = np.array([1.0, 1.0, 1.0, 0.1, 0.1])
    weights = rows._weights(which, shift, noises, noises[[0, 3]])
    np.testing.assert_allclose(weights[:3], [0.5, 0.5, 0.0])
    np.testing.assert_allclose(weights[3:].sum(), 1.0)
    merged = np.bincount(which, weights=weights * (weights * noises + shift))
    assert (merged < noises[[0, 3]]).all()
    for other in np.linspace(0.01, 0.99, 30):  # no other weights in the second cell are better
        w = np.array([1 - other, other])
        assert merged[1] <= (w * (w * 0.1 + shift[3:])).sum() + 1e-12


def test_places_are_looked_at_in_blocks_alike(monkeypatch):
    belief = GP().recall(results(FEW + 1), NOTES)
    whole = belief.marginals(X)
    monkeypatch.setattr(gp, "BLOCK", 7)
    np.testing.assert_allclose(belief.marginals(X), whole, rtol=1e-9)


def test_no_rows_have_an_empty_factor():
    covariance = fit(results(3)).covariance
    none = Rows(NONE, np.empty(0), None)
    assert Factored.of(covariance, covariance.embed(PLANE.encode(NONE)), none).factor.shape == (0, 0)

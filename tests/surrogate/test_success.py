"""The chance that a visit succeeds: exact integrals where they can be had, and the laws it keeps."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from wayfare.space import Choice, Real, Space
from wayfare.surrogate.hyper import SUBSET, Prior
from wayfare.surrogate.kernels import Covariance, Hyper, Matern52
from wayfare.surrogate.success import LATENT_MEAN, Latent, Success

PLANE = Space(Real("a", 0.0, 1.0), Real("b", 0.0, 1.0))
SALTS = Space(Real("t", 0.0, 1.0), Choice("salt", ["A", "B", "C", "D"]))
RNG = np.random.default_rng


def after(space, x, failed):
    failed = np.asarray(failed, dtype=bool)
    return Success.of(space, x[~failed], x[failed])


@pytest.mark.parametrize("label", [1.0, -1.0])
def test_after_one_outcome_the_chance_is_near_the_exact_one(label):
    """With one outcome the posterior is an integral in one dimension; Laplace's method is close to it."""
    covariance = Covariance.of(Matern52(), Hyper.from_vector(Prior.of(PLANE.groups).mean, 2), PLANE.groups)
    features = np.array([[0.3, 0.4]])
    latent = Latent.of(covariance, features, np.array([label]))
    total = covariance.total
    for there in ([[0.3, 0.4]], [[0.35, 0.5]], [[0.9, 0.9]]):
        share = covariance.between(latent.features, covariance.embed(np.array(there)))[0, 0] / total
        spread = math.sqrt(1 + total * (1 - share**2))

        def weight(g):
            return norm.pdf(g, scale=math.sqrt(total)) * norm.cdf(label * (LATENT_MEAN + g))

        def both(g, share=share, spread=spread):
            return weight(g) * norm.cdf((LATENT_MEAN + share * g) / spread)

        exact = quad(both, -30, 30)[0] / quad(weight, -30, 30)[0]
        assert latent.success(np.array(there))[0] == pytest.approx(exact, abs=0.06)


def test_the_mode_is_where_the_posterior_is_highest():
    """The gradient of the log posterior is zero there: the latent values are K times that of the likelihood."""
    rng = RNG(0)
    features, labels = rng.random((30, 2)), np.where(rng.random(30) < 0.4, -1.0, 1.0)
    covariance = Covariance.of(Matern52(), Hyper.from_vector(Prior.of(PLANE.groups).mean, 2), PLANE.groups)
    latent = Latent.of(covariance, features, labels)
    k = covariance.between(latent.features, latent.features)
    f = LATENT_MEAN + k @ latent.slope
    np.testing.assert_allclose(latent.slope, labels * norm.pdf(f) / norm.cdf(labels * f), atol=1e-4)


def test_without_failures_every_visit_succeeds():
    x = PLANE.sample(20, RNG(0))
    success = after(PLANE, x, np.zeros(20))
    assert success.is_certain
    assert success.at(x).tolist() == [1.0] * 20


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 999), st.integers(0, 25), st.integers(1, 6))
def test_a_further_failure_lowers_the_chance_there_and_a_success_raises_it(seed, worked, failed):
    x = PLANE.sample(worked + failed + 1, RNG(seed))
    states = np.arange(worked + failed) >= worked
    there = x[-1:]
    before, worse, better = (
        after(PLANE, x[: len(states)], states).at(there)[0],
        after(PLANE, x, [*states, True]).at(there)[0],
        after(PLANE, x, [*states, False]).at(there)[0],
    )
    assert worse < before < better
    assert 0 < worse < 1


def test_one_failure_says_little_about_far_places():
    x = np.array([[0.05, 0.05], [0.1, 0.05], [0.95, 0.95]])
    here, near, far = after(PLANE, x[:1], [True]).at(x)
    assert here < 0.5 < near + 0.1
    assert far > 0.7
    assert here < near < far


def test_a_value_that_always_fails_is_told_from_those_that_work():
    rng = RNG(0)
    x = SALTS.sample(24, rng)
    success = after(SALTS, x, x[:, 1] == 2)
    there = np.column_stack([rng.random(50), np.repeat(np.arange(5) % 4, 10)])
    chance = success.at(there)
    assert chance[there[:, 1] == 2].max() < 0.5 < chance[there[:, 1] != 2].min()


def test_the_chances_are_cautious_and_say_more_than_the_share_of_successes():
    """With a sharp edge, places of a low chance succeed less often than it says, those of a high chance more often."""
    chances, truths = [], []
    for seed in range(40):
        rng = RNG(seed)
        normal, edge = rng.standard_normal(2), rng.uniform(0.2, 0.8)
        slope = normal / np.abs(normal).sum()

        def fails(x, slope=slope, edge=edge):
            return (x - 0.5) @ slope > edge - 0.5

        x, there = rng.random((25, 2)), rng.random((200, 2))
        if not fails(x).any():
            continue
        chances.append(after(PLANE, x, fails(x)).at(there))
        truths.append(~fails(there))
    chance, truth = np.concatenate(chances), np.concatenate(truths)
    for low, high, sign in ((0.0, 0.25, -1), (0.25, 0.5, -1), (0.75, 0.9, 1), (0.9, 1.0, 1)):
        band = (chance >= low) & (chance < high)
        assert sign * (truth[band].mean() - chance[band].mean()) > 0
    middle = (chance >= 0.5) & (chance < 0.75)
    assert truth[middle].mean() == pytest.approx(chance[middle].mean(), abs=0.1)
    share = truth.mean()
    loss = -np.where(truth, np.log(chance), np.log(1 - chance)).mean()
    assert loss < 0.6 * -(share * math.log(share) + (1 - share) * math.log(1 - share))


def test_the_order_of_outcomes_does_not_matter():
    x = PLANE.sample(12, RNG(3))
    failed = np.arange(12) % 3 == 0
    order = RNG(4).permutation(12)
    there = PLANE.sample(9, RNG(5))
    one, other = after(PLANE, x, failed), after(PLANE, x[order], failed[order])
    np.testing.assert_allclose(one.at(there), other.at(there), atol=1e-7)


@pytest.mark.parametrize("failing", [0.02, 0.5, 1.0])
def test_of_very_many_outcomes_some_are_used_and_the_failures_still_show(failing):
    rng = RNG(0)
    x = rng.random((2000, 2))
    failed = x[:, 0] > 1 - failing
    success = after(PLANE, x, failed)
    assert all(len(latent.features) <= SUBSET for latent in success.latents)
    inside, outside = success.at(np.array([[1 - failing / 2, 0.5], [(1 - failing) / 2, 0.5]]))
    assert inside < 0.5
    assert failing == 1.0 or outside > 0.5


def test_the_same_place_failing_hundreds_of_times_is_no_trouble():
    x = np.repeat([[0.5, 0.5]], 300, axis=0)
    here, far = after(PLANE, x, np.ones(300)).at(np.array([[0.5, 0.5], [0.0, 0.0]]))
    assert here < 0.05
    assert far > 0.4

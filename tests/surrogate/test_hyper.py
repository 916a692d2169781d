"""The evidence and its gradient, against finite differences and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as SklearnRBF
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from wayfare.surrogate.hyper import KERNELS, NOISE_FLOOR, Evidence, Hyper, Prior, diverse_subset, fit_hyper, gls_mean

GROUPS = np.array([0, 1, 1, 2])


def data(seed: int, n: int = 9) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.random((n, len(GROUPS))), rng.standard_normal(n)


thetas = st.lists(st.floats(-2.0, 1.0), min_size=5, max_size=5).map(np.array)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=str)
@given(theta=thetas, seed=st.integers(0, 99))
def test_the_gradient_of_the_evidence_matches_finite_differences(kernel, theta, seed):
    features, z = data(seed)
    evidence = Evidence(kernel, features, GROUPS, z)
    _, gradient = evidence(theta)
    for i, step in enumerate(1e-5 * np.eye(len(theta))):
        slope = (evidence(theta + step)[0] - evidence(theta - step)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-5)


@given(theta=thetas)
def test_the_gradient_of_the_prior_matches_finite_differences(theta):
    prior = Prior.of(3)
    _, gradient = prior.density(theta)
    for i, step in enumerate(1e-5 * np.eye(len(theta))):
        slope = (prior.density(theta + step)[0] - prior.density(theta - step)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(("name", "oracle"), [("rbf", SklearnRBF), ("matern52", Matern)])
@pytest.mark.parametrize("seed", range(5))
def test_the_evidence_equals_scikit_learns(name, oracle, seed):
    rng = np.random.default_rng(seed)
    features, z = rng.random((12, 3)), rng.standard_normal(12)
    lengths, variance, noise = rng.uniform(0.2, 2.0, 3), 1.7, 0.05
    options = {"nu": 2.5} if oracle is Matern else {}
    kernel = ConstantKernel(variance) * oracle(lengths, **options) + WhiteKernel(noise)
    covariance = kernel(features)
    mean = gls_mean(np.linalg.inv(covariance).sum(axis=1), z)
    model = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0).fit(features, z - mean)
    value, _ = Evidence(KERNELS[name], features, np.arange(3), z)(Hyper(lengths, variance, noise).to_vector())
    assert value == pytest.approx(model.log_marginal_likelihood_value_, abs=1e-8)


def test_the_profiled_mean_is_where_the_evidence_is_highest():
    features, z = data(3)
    theta = np.array([-1.0, -0.5, 0.0, 0.2, -2.0])
    lengths = np.exp(theta[:3])[GROUPS]
    scaled = features / lengths
    r2 = np.square(scaled[:, None] - scaled[None]).sum(axis=2)
    covariance = np.exp(theta[3]) * np.exp(-0.5 * r2) + np.exp(theta[4]) * np.eye(len(z))
    inverse = np.linalg.inv(covariance)

    def misfit(mean):
        return (z - mean) @ inverse @ (z - mean)

    best = gls_mean(inverse.sum(axis=1), z)
    assert misfit(best) < min(misfit(best - 1e-3), misfit(best + 1e-3))


def test_a_fit_finds_the_axis_that_matters():
    rng = np.random.default_rng(0)
    features = rng.random((60, 2))
    z = np.sin(6 * features[:, 0])
    z = (z - z.mean()) / z.std()
    hyper = fit_hyper(KERNELS["rbf"], features, np.arange(2), z, None, None, None, rng)
    assert hyper.lengths[0] < 0.6 < 2.0 < hyper.lengths[1]


def test_a_fit_never_ends_below_where_it_started():
    for seed in range(10):
        features, z = data(seed, 15)
        evidence, prior = Evidence(KERNELS["matern52"], features, GROUPS, z), Prior.of(3)
        hyper = fit_hyper(KERNELS["matern52"], features, GROUPS, z, None, None, None, np.random.default_rng(seed))
        reached, started = hyper.to_vector(), prior.mean
        assert evidence(reached)[0] + prior.density(reached)[0] >= evidence(started)[0] + prior.density(started)[0]


def test_a_known_noise_is_kept():
    features, z = data(1)
    hyper = fit_hyper(KERNELS["rbf"], features, GROUPS, z, None, 0.3, None, np.random.default_rng(0))
    assert hyper.noise == pytest.approx(0.3)
    hyper = fit_hyper(KERNELS["rbf"], features, GROUPS, z, None, 0.0, None, np.random.default_rng(0))
    assert hyper.noise == pytest.approx(NOISE_FLOOR)


def test_a_diverse_subset_reaches_the_far_corner_that_a_crowd_hides():
    rng = np.random.default_rng(0)
    crowd = 0.5 + 0.001 * rng.standard_normal((2000, 2))
    features = np.vstack([crowd, [[0.0, 0.0], [1.0, 1.0]]])
    chosen = diverse_subset(features, 100, rng)
    assert len(chosen) == len(set(chosen.tolist())) == 100
    assert {2000, 2001} <= set(chosen.tolist())


def test_a_diverse_subset_of_repeated_places_still_has_its_size():
    features = np.repeat(np.array([[0.0, 0.0], [1.0, 1.0]]), 50, axis=0)
    assert len(diverse_subset(features, 40, np.random.default_rng(0))) == 40

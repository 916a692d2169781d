"""The evidence and its gradient, against finite differences and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as SklearnRBF
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from wayfare.surrogate.hyper import NOISE_FLOOR, Evidence, Prior, cautious, diverse_subset, fit_hyper
from wayfare.surrogate.kernels import KERNELS, MEAN, Covariance, Hyper

GROUPS = np.array([0, 1, 1, 1, 2])
CHOSEN = np.sqrt(0.5) * np.eye(3)
"""The features of the three values of the choice."""


def data(seed: int, n: int = 9) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = np.column_stack([rng.random(n), CHOSEN[rng.integers(0, 3, n)], rng.random(n)])
    return features, rng.standard_normal(n)


def fit(features, z, groups=GROUPS, name="matern52", noise=None, seed=0, warm=None):
    """Return the peak, and the setting nearer to doubt."""
    rng = np.random.default_rng(seed)
    places = data(77, 16)[0][:, : len(groups)]
    return fit_hyper([KERNELS[name]], features, groups, z, None, noise, warm, places, rng)[1:]


thetas = st.lists(st.floats(-2.0, 1.0), min_size=6, max_size=6).map(np.array)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=str)
@given(theta=thetas, seed=st.integers(0, 99))
def test_the_gradient_of_the_evidence_matches_finite_differences(kernel, theta, seed):
    features, z = data(seed)
    evidence = Evidence(kernel, features, GROUPS, z)
    _, gradient = evidence(theta)
    for i, step in enumerate(1e-5 * np.eye(len(theta))):
        slope = (evidence.value(theta + step) - evidence.value(theta - step)) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-5)


@given(theta=thetas)
def test_the_gradient_of_the_prior_matches_finite_differences(theta):
    prior = Prior.of(GROUPS)
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
    kernel = ConstantKernel(variance) * oracle(lengths, **options) + ConstantKernel(MEAN) + WhiteKernel(noise)
    model = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0).fit(features, z)
    hyper = Hyper(lengths, np.empty(0), variance, noise)
    value, _ = Evidence(KERNELS[name], features, np.arange(3), z)(hyper.to_vector())
    assert value == pytest.approx(model.log_marginal_likelihood_value_, abs=1e-8)


@given(theta=thetas, seed=st.integers(0, 99))
def test_the_gradient_of_the_doubt_matches_finite_differences(theta, seed):
    features, z = data(seed)
    places, _ = data(seed + 1, 7)
    evidence = Evidence(KERNELS["matern52"], features, GROUPS, z)

    def doubt(theta):
        covariance = Covariance.of(KERNELS["matern52"], Hyper.from_vector(theta, 3), GROUPS)
        a, b = covariance.embed(features), covariance.embed(places)
        k = covariance.between(a, b)
        inner = covariance.between(a, a) + np.exp(theta[-1]) * np.eye(len(z))
        return np.log(covariance.total - np.einsum("ij,ij->j", k, np.linalg.solve(inner, k))).mean()

    gradient = evidence.doubt(theta, places)
    for i, step in enumerate(1e-5 * np.eye(len(theta))):
        slope = (doubt(theta + step) - doubt(theta - step)) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-5)


@given(seed=st.integers(0, 999))
def test_no_step_of_one_posterior_sd_raises_the_doubt_more(seed):
    rng = np.random.default_rng(seed)
    root, doubt = rng.standard_normal((4, 4)), rng.standard_normal(4)
    bend = root @ root.T + np.eye(4)
    free = np.array([True, True, False, True])
    step = cautious(bend, doubt, np.ones(4), free)
    assert step[2] == 0
    assert step @ bend @ step == pytest.approx(1.0)
    other = rng.standard_normal(4) * free
    assert doubt @ step >= doubt @ other / np.sqrt(other @ bend @ other) - 1e-9


def test_the_setting_kept_is_in_more_doubt_than_the_peak_and_nears_it_with_results():
    rng = np.random.default_rng(0)
    gaps = []
    for n in (8, 120):
        features = rng.random((n, 2))
        z = np.sin(7 * features[:, 0]) * np.cos(5 * features[:, 1]) * 1.5
        peak, kept = fit(features, z, np.arange(2))
        evidence = Evidence(KERNELS["matern52"], features, np.arange(2), z)
        assert evidence.doubt(peak, rng.random((16, 2))) @ (kept - peak) > 0
        gaps.append(np.abs(kept - peak)[:3].max())
    assert gaps[1] < 0.5 * gaps[0]


def test_a_fit_finds_the_axis_that_matters():
    rng = np.random.default_rng(0)
    features = rng.random((60, 2))
    z = np.sin(6 * features[:, 0])
    z = (z - z.mean()) / z.std()
    peak, _ = fit(features, z, np.arange(2), "rbf")
    assert peak[0] < np.log(0.6) < np.log(2.0) < peak[1]


def test_a_fit_never_ends_below_where_it_started():
    for seed in range(10):
        features, z = data(seed, 15)
        evidence, prior = Evidence(KERNELS["matern52"], features, GROUPS, z), Prior.of(GROUPS)
        (reached, _), started = fit(features, z, seed=seed), prior.mean
        assert evidence(reached)[0] + prior.density(reached)[0] >= evidence(started)[0] + prior.density(started)[0]


def test_a_fit_climbs_first_from_the_best_of_its_starts(monkeypatch):
    """Starts are compared by their values; where a gradient is asked for, a climb has begun."""
    features, z = data(2, 15)
    peak, _ = fit(features, z)
    climbed, evidence = [], Evidence.__call__
    monkeypatch.setattr(Evidence, "__call__", lambda self, theta: climbed.append(theta) or evidence(self, theta))
    fit(features, z, warm=peak)
    assert climbed[0] == pytest.approx(peak)
    fit(features, z, warm=np.full(len(peak), 4.0))
    assert not any(theta == pytest.approx(np.full(len(peak), 4.0)) for theta in climbed)


def test_a_known_noise_is_kept():
    features, z = data(1)
    for noise, used in ((0.3, 0.3), (0.0, NOISE_FLOOR)):
        for theta in fit(features, z, name="rbf", noise=noise):
            assert theta[-1] == pytest.approx(np.log(used))


def test_values_that_differ_a_lot_leave_more_to_hope_for_from_one_that_was_never_tried():
    rng = np.random.default_rng(0)
    x, value = rng.random(24), np.arange(24) % 2
    groups = np.array([0, 1, 1, 1])
    features = np.column_stack([x, CHOSEN[value]])
    untried = np.array([[0.5, *CHOSEN[2]]])
    spread = []
    for apart in (0.1, 3.0):
        z = np.sin(6 * x) + apart * (value - 0.5)
        z = (z - z.mean()) / z.std()
        *_, theta = fit_hyper([KERNELS["matern52"]], features, groups, z, None, None, None, features, rng)
        covariance = Covariance.of(KERNELS["matern52"], Hyper.from_vector(theta, 2), groups)
        a, b = covariance.embed(features), covariance.embed(untried)
        k = covariance.between(a, b)
        inner = covariance.between(a, a) + np.exp(theta[-1]) * np.eye(24)
        spread.append(covariance.total - float(k[:, 0] @ np.linalg.solve(inner, k[:, 0])))
    assert spread[1] > 2 * spread[0]


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

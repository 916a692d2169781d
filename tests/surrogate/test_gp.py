"""The posterior: oracles for its mean, spread, conditioning and draws; the traps it must survive."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as SklearnRBF
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from wayfare.errors import InvalidInput, ModelError
from wayfare.space import Choice, Integer, Real, Space
from wayfare.surrogate import GP
from wayfare.surrogate.history import History
from wayfare.surrogate.hyper import KERNELS, RBF, Matern52, squared_distances
from wayfare.testing.surrogate import SurrogateContract, history_of

MIXED = Space(Real("t", 40.0, 120.0), Real("c", 1e-3, 10.0, log=True), Integer("n", 1, 9), Choice("s", ["a", "b", "c"]))
PLANE = Space(Real("a", -2.0, 3.0), Real("b", 0.0, 10.0))


class TestMaternGP(SurrogateContract):
    @pytest.fixture
    def surrogate(self):
        return GP(kernel="matern52")


class TestRBFGP(SurrogateContract):
    @pytest.fixture
    def surrogate(self):
        return GP(kernel="rbf")


@pytest.mark.parametrize(("name", "oracle"), [("rbf", SklearnRBF), ("matern52", Matern)])
@pytest.mark.parametrize("space", [PLANE, MIXED], ids=["plane", "mixed"])
@pytest.mark.parametrize("n", [1, 2, 15, 60])
def test_the_posterior_equals_scikit_learns(name, oracle, space, n):
    history = history_of(space, n, seed=n)
    posterior = GP(kernel=name).fit(history, np.random.default_rng(0))
    hyper, standard = posterior.hyper, posterior.standard
    options = {"nu": 2.5} if oracle is Matern else {}
    kernel = ConstantKernel(hyper.variance) * oracle(hyper.lengths[space.groups], **options)
    model = GaussianProcessRegressor(kernel, alpha=hyper.noise, optimizer=None)
    model.fit(space.encode(history.x), standard.apply(history.y) - posterior.mean)
    x = space.sample(50, np.random.default_rng(1))
    mean, sd = model.predict(space.encode(x), return_std=True)
    marginals = posterior.marginals(x)
    np.testing.assert_allclose((marginals.mean - standard.shift) / standard.scale - posterior.mean, mean, atol=1e-8)
    np.testing.assert_allclose(np.square(marginals.sd / standard.scale), np.square(sd), atol=1e-8)


def test_a_choice_that_differs_counts_as_squared_distance_one():
    space = Space(Choice("s", ["a", "b", "c"]), Choice("z", [1, 2]))
    x = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0]])
    r2 = squared_distances(space.encode(x), space.encode(x))
    np.testing.assert_allclose(r2, [[0, 1, 2], [1, 0, 2], [2, 2, 0]], atol=1e-12)


@pytest.mark.parametrize("kernel", [RBF(), Matern52()], ids=str)
def test_the_frequencies_of_a_kernel_give_its_covariance_back(kernel):
    frequencies = kernel.frequencies(200_000, 2, np.random.default_rng(0))
    for step in ([0.3, 0.0], [0.5, 0.8], [1.5, -1.0]):
        estimate = np.cos(frequencies @ np.array(step)).mean()
        exact = kernel.profile(np.array([np.square(step).sum()]))[0]
        assert estimate == pytest.approx(exact, abs=5e-3)


def test_a_known_noise_is_used_in_the_units_of_the_outcomes():
    history = history_of(PLANE, 30, seed=0)
    known = History(PLANE, history.x, 1000 * history.y, history.pending, noise=50.0)
    posterior = GP().fit(known, np.random.default_rng(0))
    assert np.sqrt(posterior.hyper.noise) * posterior.standard.scale == pytest.approx(50.0)


def test_the_warm_start_comes_from_the_last_plan_that_has_one():
    from wayfare.surrogate.history import Past

    history = history_of(PLANE, 30, seed=0)
    fitted = GP().fit(history, np.random.default_rng(0))
    warm = History(
        PLANE, history.x, history.y, history.pending, past=(Past(0, {"step": "start"}), Past(30, fitted.notes))
    )
    again = GP().fit(warm, np.random.default_rng(0))
    np.testing.assert_allclose(again.hyper.to_vector(), fitted.hyper.to_vector(), atol=0.02)


def test_an_unknown_kernel_is_refused_by_name():
    with pytest.raises(InvalidInput, match="matern52"):
        GP(kernel="cubic")


def test_a_fit_that_fails_steps_down_and_says_so(monkeypatch):
    def refuse(*_):
        raise ModelError("no")

    monkeypatch.setattr("wayfare.surrogate.gp.fit_hyper", refuse)
    posterior = GP().fit(history_of(PLANE, 8, seed=0), np.random.default_rng(0))
    assert posterior.notes["step"] == "prior after a failed fit"
    assert np.isfinite(posterior.marginals(PLANE.sample(5, np.random.default_rng(0))).mean).all()


def test_each_step_down_is_logged(monkeypatch, caplog):
    def refuse(*_):
        raise ModelError("no fit")

    history, rng = history_of(PLANE, 8, seed=0), np.random.default_rng(0)
    assert GP().fit(history, rng).notes["step"] == "map"
    assert not caplog.records
    monkeypatch.setattr("wayfare.surrogate.gp.fit_hyper", refuse)
    GP().fit(history, rng)
    monkeypatch.setattr(GP, "_build", lambda self, *args: args[-1] if "heavy" in args[-1] else refuse())
    assert GP().fit(history, rng) == "prior with heavy noise"
    assert [record.name for record in caplog.records] == ["wayfare.surrogate.gp"] * 3
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 3
    assert "the fit to 8 results failed (no fit)" in caplog.messages[0]
    assert "assuming heavy noise" in caplog.messages[2]


@settings(max_examples=40, deadline=None)
@given(
    exponent=st.integers(-300, 300),
    n=st.integers(1, 6),
    seed=st.integers(0, 99),
    repeated=st.booleans(),
    constant=st.booleans(),
)
def test_no_range_of_outcomes_breaks_the_model(exponent, n, seed, repeated, constant):
    rng = np.random.default_rng(seed)
    x = PLANE.sample(n, rng)
    x = np.vstack([x, x]) if repeated else x
    y = np.full(len(x), 1.0) if constant else rng.standard_normal(len(x))
    scale = 10.0**exponent
    history = History(PLANE, x, y * scale, np.empty((0, 2)))
    posterior = GP().fit(history, rng)
    mean, sd = posterior.marginals(PLANE.sample(20, rng))
    assert np.isfinite(mean).all()
    assert np.isfinite(sd).all()
    assert (sd >= 0).all()
    assert (np.abs(mean) <= 10 * np.abs(y).max() * scale + 1e-290).all()


def test_the_extremes_of_floating_point_are_survived_together():
    y = np.array([1.7e308, -1.7e308, 1e-300, 0.0])
    history = History(PLANE, PLANE.sample(4, np.random.default_rng(0)), y, np.empty((0, 2)))
    mean, sd = GP().fit(history, np.random.default_rng(0)).marginals(history.x)
    assert np.isfinite(mean).all()
    assert np.isfinite(sd).all()


def test_a_space_of_one_place_has_a_belief_too():
    space = Space(Real("a", 2.0, 2.0), Choice("s", ["only"]))
    history = History(space, np.array([[2.0, 0.0]] * 3), np.array([1.0, 2.0, 3.0]), np.empty((0, 2)))
    mean, sd = GP().fit(history, np.random.default_rng(0)).marginals(history.x)
    assert mean[0] == pytest.approx(2.0, abs=0.2)
    assert 0 < sd[0] < 1


def test_many_results_are_fitted_on_a_subset_and_still_predict_well():
    rng = np.random.default_rng(0)
    x = PLANE.sample(700, rng)
    truth = np.sin(x[:, 0]) + 0.1 * x[:, 1]
    history = History(PLANE, x, truth + 0.05 * rng.standard_normal(len(x)), np.empty((0, 2)))
    posterior = GP().fit(history, rng)
    test = PLANE.sample(200, rng)
    error = posterior.marginals(test).mean - (np.sin(test[:, 0]) + 0.1 * test[:, 1])
    assert np.sqrt(np.square(error).mean()) < 0.02


@pytest.mark.parametrize("name", KERNELS)
def test_recalling_an_earlier_belief_gives_it_back_exactly(name):
    history = history_of(MIXED, 20, seed=5)
    surrogate = GP(kernel=name)
    posterior = surrogate.fit(history, np.random.default_rng(0))
    recalled = surrogate.recall(history, posterior.notes)
    x = MIXED.sample(10, np.random.default_rng(0))
    np.testing.assert_array_equal(recalled.marginals(x).mean, posterior.marginals(x).mean)
    np.testing.assert_array_equal(recalled.marginals(x).sd, posterior.marginals(x).sd)

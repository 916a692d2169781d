"""An estimator of scikit-learn is a surrogate like ours."""

import warnings

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import wayfare as wf
from tests.plug.same import measure
from wayfare._core.rng import one_thread
from wayfare.plug.sklearn import Surrogate
from wayfare.surrogate.history import History
from wayfare.testing.surrogate import SPACE, SurrogateContract, history_of

KERNEL = ConstantKernel(1.0) * Matern([0.5] * 5, nu=2.5) + WhiteKernel(0.05, (1e-4, 1.0))
GPR = GaussianProcessRegressor(KERNEL, n_restarts_optimizer=1)


@pytest.fixture(autouse=True)
def alone():
    """Small matrices are slower on several threads; a study plans on one, too."""
    with one_thread():
        yield


class TestGaussianProcessRegressor(SurrogateContract):
    @pytest.fixture
    def surrogate(self):
        return Surrogate(GPR)


class TestPipeline(SurrogateContract):
    @pytest.fixture
    def surrogate(self):
        return Surrogate(make_pipeline(StandardScaler(), GaussianProcessRegressor(KERNEL, normalize_y=True)))


class TestFixedHyperparameters(SurrogateContract):
    @pytest.fixture
    def surrogate(self):
        return Surrogate(GaussianProcessRegressor(Matern(0.5, nu=2.5), optimizer=None, alpha=0.01))


def test_the_belief_is_that_of_the_estimator_without_its_noise():
    history = history_of(SPACE, 20, seed=0)
    posterior = Surrogate(GPR).fit(history, np.random.default_rng(0))
    y = (history.y - history.y.mean()) / history.y.std()
    model = GaussianProcessRegressor(KERNEL, n_restarts_optimizer=1, random_state=posterior.notes["seed"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a length-scale at its bound
        model.fit(SPACE.encode(history.x), y)
    x = SPACE.sample(300, np.random.default_rng(5))  # more than one chunk
    mean, sd = model.predict(SPACE.encode(x), return_std=True)
    noise = model.kernel_.k2.noise_level
    found = posterior.marginals(x)
    np.testing.assert_allclose(found.mean, history.y.mean() + history.y.std() * mean, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.sd, history.y.std() * np.sqrt(sd**2 - noise), rtol=1e-5)
    assert posterior.noise == pytest.approx(noise, rel=1e-4)


def test_an_earlier_belief_is_recalled_from_its_notes():
    history = history_of(SPACE, 20, seed=0)
    x = SPACE.sample(10, np.random.default_rng(1))
    for surrogate in (Surrogate(GPR), Surrogate(GaussianProcessRegressor())):
        posterior = surrogate.fit(history, np.random.default_rng(3))
        again = surrogate.recall(history, posterior.notes)
        np.testing.assert_allclose(again.marginals(x).sd, posterior.marginals(x).sd, rtol=1e-9)
    prior = surrogate.fit(History.empty(SPACE), np.random.default_rng(0))
    assert surrogate.recall(History.empty(SPACE), prior.notes).notes["step"] == "prior"


def test_an_estimator_that_fails_or_does_not_suit_is_named(caplog):
    class Broken(GaussianProcessRegressor):
        def fit(self, x, y):
            raise np.linalg.LinAlgError("not positive definite")

    history = history_of(SPACE, 20, seed=0)
    posterior = Surrogate(Broken()).fit(history, np.random.default_rng(0))
    assert posterior.notes["step"] == "own GP after a failed fit"
    assert "not positive definite" in caplog.text
    with pytest.raises(wf.InvalidInput, match="BayesianRidge has no predict"):
        Surrogate(BayesianRidge()).fit(history, np.random.default_rng(0))
    with pytest.raises(wf.InvalidInput, match="estimator must be"):
        Surrogate(GaussianProcessRegressor)


@pytest.mark.parametrize("policy", [wf.UCB(), wf.Thompson()])
def test_a_study_plans_with_it_and_twice_the_same(policy):
    space = wf.Space(
        wf.Real("t", 20.0, 120.0), wf.Real("p", 0.001, 1.0), wf.Integer("n", 1, 9), wf.Choice("s", ["a", "b"])
    )
    surrogate = Surrogate(GaussianProcessRegressor(Matern(0.5, nu=2.5) + WhiteKernel(0.01)))
    method = wf.Method(policy, wf.Growing(1.2), surrogate)
    studies = [wf.maximize(measure, space, travel=wf.Manhattan(("t",)), trials=12, method=method) for _ in range(2)]
    assert [trial.value for trial in studies[0].trials] == [trial.value for trial in studies[1].trials]
    assert "fitted" in {plan.notes["step"] for plan in studies[0].state.plans}

"""The posterior: oracles for its mean, spread, conditioning and draws; the traps it must survive."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as SklearnRBF
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from wayfare.errors import InvalidInput, ModelError
from wayfare.space import Choice, Integer, Real, Space
from wayfare.surrogate import GP
from wayfare.surrogate.history import History, Past
from wayfare.surrogate.kernels import KERNELS, MEAN, RBF, Matern52, squared_distances
from wayfare.testing.surrogate import SurrogateContract, history_of

MIXED = Space(Real("t", 40.0, 120.0), Real("c", 1e-3, 10.0, log=True), Integer("n", 1, 9), Choice("s", ["a", "b", "c"]))
PLANE = Space(Real("a", -2.0, 3.0), Real("b", 0.0, 10.0))


class TestGP(SurrogateContract):
    @pytest.fixture
    def surrogate(self):
        return GP()


class TestMaternGP(SurrogateContract):
    @pytest.fixture
    def surrogate(self):
        return GP(kernel="matern52")


class TestRBFGP(SurrogateContract):
    @pytest.fixture
    def surrogate(self):
        return GP(kernel="rbf")


@pytest.mark.parametrize(("name", "oracle"), [("rbf", SklearnRBF), ("matern52", Matern)])
@pytest.mark.parametrize("n", [1, 2, 15, 60])
def test_the_posterior_equals_scikit_learns(name, oracle, n):
    history = history_of(PLANE, n, seed=n)
    posterior = GP(kernel=name).fit(history, np.random.default_rng(0))
    hyper, standard = posterior.hyper, posterior.standard
    options = {"nu": 2.5} if oracle is Matern else {}
    kernel = ConstantKernel(hyper.variance) * oracle(hyper.lengths, **options) + ConstantKernel(MEAN)
    model = GaussianProcessRegressor(kernel, alpha=hyper.noise, optimizer=None)
    model.fit(PLANE.encode(history.x), standard.apply(history.y))
    x = PLANE.sample(50, np.random.default_rng(1))
    mean, sd = model.predict(PLANE.encode(x), return_std=True)
    marginals = posterior.marginals(x)
    np.testing.assert_allclose((marginals.mean - standard.shift) / standard.scale, mean, atol=1e-8)
    np.testing.assert_allclose(np.square(marginals.sd / standard.scale), np.square(sd), atol=1e-8)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("n", [1, 2, 15, 60])
def test_with_choices_the_posterior_is_that_of_a_constant_offsets_and_a_smooth_part(name, n):
    history = history_of(MIXED, n, seed=n)
    posterior = GP(kernel=name).fit(history, np.random.default_rng(0))
    hyper, standard = posterior.hyper, posterior.standard

    def covariance(a, b):
        scaled_a, scaled_b = (MIXED.encode(x) / hyper.lengths[MIXED.groups] for x in (a, b))
        r2 = np.square(scaled_a[:, None] - scaled_b[None]).sum(axis=2)
        same = a[:, 3][:, None] == b[:, 3][None]
        return MEAN + hyper.offsets[0] * same + hyper.variance * KERNELS[name].profile(r2)

    x, z = MIXED.sample(30, np.random.default_rng(1)), standard.apply(history.y)
    inner = covariance(history.x, history.x) + hyper.noise * np.eye(n)
    cross = covariance(history.x, x)
    solved = np.linalg.solve(inner, cross)
    marginals = posterior.marginals(x)
    np.testing.assert_allclose((marginals.mean - standard.shift) / standard.scale, z @ solved, atol=1e-7)
    variance = np.diag(covariance(x, x)) - np.einsum("ij,ij->j", cross, solved)
    np.testing.assert_allclose(np.square(marginals.sd / standard.scale), variance, atol=1e-7)


def test_with_several_choices_each_combination_has_an_offset_of_its_own():
    space = Space(Real("t", 0.0, 1.0), Choice("s", ["a", "b", "c"]), Choice("z", [1, 2]))
    history = history_of(space, 40, seed=3)
    posterior = GP().fit(history, np.random.default_rng(0))
    hyper, standard, kernel = posterior.hyper, posterior.standard, posterior.covariance.kernel

    def covariance(a, b):
        scaled_a, scaled_b = (space.encode(x) / hyper.lengths[space.groups] for x in (a, b))
        r2 = np.square(scaled_a[:, None] - scaled_b[None]).sum(axis=2)
        first, second = (a[:, i][:, None] == b[:, i][None] for i in (1, 2))
        offsets = hyper.offsets[0] * first + hyper.offsets[1] * second + hyper.offsets[2] * (first & second)
        return MEAN + offsets + hyper.variance * kernel.profile(r2)

    x, z = space.sample(30, np.random.default_rng(1)), standard.apply(history.y)
    inner, cross = covariance(history.x, history.x) + hyper.noise * np.eye(40), covariance(history.x, x)
    solved = np.linalg.solve(inner, cross)
    marginals = posterior.marginals(x)
    np.testing.assert_allclose((marginals.mean - standard.shift) / standard.scale, z @ solved, atol=1e-7)
    variance = np.diag(covariance(x, x)) - np.einsum("ij,ij->j", cross, solved)
    np.testing.assert_allclose(np.square(marginals.sd / standard.scale), variance, atol=1e-7)
    # Draws have the same offsets, each combination one for all places.
    drawn = posterior.covariance.trends(4000, np.random.default_rng(2))(posterior.embed(x))
    linear = covariance(x, x) - hyper.variance * kernel.profile(
        squared_distances(*(space.encode(x) / hyper.lengths[space.groups],) * 2)
    )
    np.testing.assert_allclose(drawn @ drawn.T / 4000, linear, atol=0.15)


def test_very_many_combinations_have_no_offsets():
    space = Space(*(Choice(f"c{i}", list(range(20))) for i in range(3)))
    posterior = GP().fit(history_of(space, 30, seed=0), np.random.default_rng(0))
    assert len(posterior.hyper.offsets) == 3
    assert posterior.covariance.combined == 0.0


def smooth(x):
    return np.sin(3 * x[:, 0]) * np.cos(0.4 * x[:, 1])


@pytest.mark.parametrize(("n", "rough", "name"), [(60, False, "rbf"), (60, True, "matern52"), (4, False, "matern52")])
def test_the_kernel_is_the_one_that_explains_the_results_and_the_rougher_one_if_they_are_few(n, rough, name):
    x = PLANE.sample(n, np.random.default_rng(0))
    y = np.abs(x[:, 0] - 0.4) + np.abs(x[:, 1] - 4.0) if rough else smooth(x)
    posterior = GP().fit(History(PLANE, x, y, x[:0]), np.random.default_rng(0))
    assert posterior.notes["kernel"] == name


def test_a_kernel_is_kept_until_there_are_more_results_and_recalled_with_a_plan():
    x = PLANE.sample(80, np.random.default_rng(0))
    history = History(PLANE, x[:60], smooth(x[:60]), x[:0])
    notes = {**GP().fit(history, np.random.default_rng(0)).notes, "kernel": "matern52"}
    assert GP().recall(history, notes).covariance.kernel == Matern52()
    for n, name in ((65, "matern52"), (80, "rbf")):
        later = History(PLANE, x[:n], smooth(x[:n]), x[:0], past=(Past(60, notes),))
        assert GP().fit(later, np.random.default_rng(0)).notes["kernel"] == name
    fixed = GP("matern52").fit(evolve(history, past=(Past(60, {**notes, "kernel": "rbf"}),)), np.random.default_rng(0))
    assert fixed.notes["kernel"] == "matern52"


def test_far_from_one_result_the_mean_is_as_uncertain_as_the_prior_says():
    history = History(PLANE, np.array([[2.5, 9.0]]), np.array([3.0]), np.empty((0, 2)), noise=1e-3)
    posterior = GP().fit(history, np.random.default_rng(0))
    sd = posterior.marginals(np.array([[-2.0, 0.0]])).sd[0] / posterior.standard.scale
    variance = posterior.hyper.variance
    # One result tells of the mean as much as its own variance about the mean lets it.
    left = MEAN * (variance + posterior.hyper.noise) / (MEAN + variance + posterior.hyper.noise)
    assert sd**2 == pytest.approx(variance + left, rel=0.02)


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
    history = history_of(PLANE, 30, seed=0)
    fitted = GP().fit(history, np.random.default_rng(0))
    warm = History(
        PLANE, history.x, history.y, history.pending, past=(Past(0, {"step": "start"}), Past(30, fitted.notes))
    )
    again = GP().fit(warm, np.random.default_rng(0))
    np.testing.assert_allclose(again.notes["peak"], fitted.notes["peak"], atol=0.02)


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
    monkeypatch.setattr(GP, "_build", lambda self, *args: args[3] if "heavy" in args[3] else refuse())
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

"""Runs: the mean of several results says what these would say each by itself."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wayfare.errors import ModelError
from wayfare.space import Real, Space
from wayfare.surrogate import GP
from wayfare.surrogate.gp import DOUBTED
from wayfare.surrogate.history import LEAST_NOISE, History, Past, Repeats, Standard
from wayfare.surrogate.hyper import SUBSET, Evidence, Prior, fit_hyper
from wayfare.surrogate.kernels import KERNELS

PLANE = Space(Real("a", -2.0, 3.0), Real("b", 0.0, 10.0))
NONE = np.empty((0, 2))
MATERN = KERNELS["matern52"]
thetas = st.tuples(*[st.floats(-2.0, 1.0)] * 3, st.floats(-6.0, 1.0)).map(np.array)
counts_of_runs = st.lists(st.integers(1, 9), min_size=1, max_size=9).filter(lambda counts: max(counts) > 1)


def single(counts, seed: int, noise: float = 0.3, noises: float | None = None) -> History:
    """Return made-up results, as many at each of some places as ``counts`` says, each by itself."""
    rng = np.random.default_rng(seed)
    x = np.repeat(PLANE.sample(len(counts), rng), counts, axis=0)
    y = 40.0 + 3.0 * np.sin(2 * x[:, 0]) + np.cos(x[:, 1]) + noise * rng.standard_normal(len(x))
    return History(PLANE, x, y, NONE, noise=noises)


def summed_up(history: History, counts) -> History:
    """Return the same results as the means of runs."""
    runs = np.split(history.y, np.cumsum(counts)[:-1])
    return evolve(
        history,
        x=history.x[np.cumsum(counts) - 1],
        y=[run.mean() for run in runs],
        counts=counts,
        variances=[run.var(ddof=1) if len(run) > 1 else np.nan for run in runs],
        visited=NONE,
    )


def evidence_of(history: History) -> Evidence:
    standard = Standard.of_history(history)
    z, features = standard.apply(history.y), PLANE.encode(history.x)
    return Evidence(MATERN, features, PLANE.groups, z, Repeats.of(history, standard))


def run_of(means, counts, variances, **more) -> History:
    x = PLANE.sample(len(means), np.random.default_rng(0))
    return History(PLANE, x, means, NONE, counts=counts, variances=variances, **more)


def fit(history: History):
    return GP("matern52").fit(history, np.random.default_rng(0))


@given(counts=counts_of_runs, seed=st.integers(0, 99), theta=thetas)
def test_the_evidence_of_runs_is_that_of_the_single_results(counts, seed, theta):
    history = single(counts, seed)
    value, gradient = evidence_of(history)(theta)
    runs = evidence_of(summed_up(history, counts))
    run_value, run_gradient = runs(theta)
    assert run_value == pytest.approx(value, rel=1e-9, abs=1e-8)
    assert runs.value(theta) == run_value
    np.testing.assert_allclose(run_gradient, gradient, rtol=1e-7, atol=1e-7)


@given(counts=counts_of_runs, seed=st.integers(0, 99), theta=thetas, known=st.booleans())
def test_the_gradient_of_the_evidence_of_runs_matches_finite_differences(counts, seed, theta, known):
    history = summed_up(single(counts, seed), counts)
    if not known:
        assume(len(counts) > 1)
        history = evolve(history, variances=np.full(len(counts), np.nan))
    evidence = evidence_of(history)
    _, gradient = evidence(theta)
    for i, step in enumerate(1e-5 * np.eye(len(theta))):
        slope = (evidence(theta + step)[0] - evidence(theta - step)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-4)


def test_the_gradient_holds_where_the_noise_of_a_mean_is_at_its_least():
    x = PLANE.sample(2, np.random.default_rng(0))[[0, 0, 1]]
    counts, variances = [10**6, 10**6, 5], [np.nan] * 3
    history = History(PLANE, x, [1.0, 1.00001, 4.0], NONE, counts=counts, variances=variances)
    noises = Repeats.of(history, Standard.of_history(history)).noises(np.exp(-11.0))
    assert noises.tolist() == [LEAST_NOISE, LEAST_NOISE, np.exp(-11.0) / 5]
    theta, step = np.array([-1.5, -1.5, 0.3, -11.0]), np.array([0.0, 0.0, 0.0, 1e-2])
    evidence = evidence_of(history)
    slope = (evidence(theta + step)[0] - evidence(theta - step)[0]) / 2e-2
    assert evidence(theta)[1][-1] == pytest.approx(slope, abs=1e-3)


@given(counts=counts_of_runs, seed=st.integers(0, 99), size=st.sampled_from([1e-140, 1e-3, 1.0, 1e140]))
def test_runs_are_standardised_as_the_single_results_are(counts, seed, size):
    history = single(counts, seed)
    history = evolve(history, y=size * history.y)
    standard, runs = Standard.of_history(history), Standard.of_history(summed_up(history, counts))
    assert runs.is_constant == standard.is_constant
    assert runs.shift == pytest.approx(standard.shift, rel=1e-12)
    assert runs.scale == pytest.approx(standard.scale, rel=1e-9)


def test_a_run_of_unknown_variance_is_standardised_as_so_many_results_alike():
    runs = run_of([1.0, 5.0, 2.0], [3, 1, 2], [np.nan, np.nan, np.nan])
    expected = Standard.of(np.array([1.0, 1.0, 1.0, 5.0, 2.0, 2.0]))
    assert Standard.of_history(runs).shift == pytest.approx(expected.shift)
    assert Standard.of_history(runs).scale == pytest.approx(expected.scale)


@settings(max_examples=40, deadline=None)
@given(
    counts=counts_of_runs,
    seed=st.integers(0, 99),
    noise=st.sampled_from([1e-3, 0.3, 2.0]),
    known=st.sampled_from([None, 0.5]),
)
def test_the_belief_after_runs_is_that_after_the_single_results(counts, seed, noise, known):
    history = single(counts, seed, noise, known)
    one_by_one, runs = fit(history), fit(summed_up(history, counts))
    assert runs.notes["step"] == one_by_one.notes["step"] == "map"
    np.testing.assert_allclose(runs.hyper.to_vector(), one_by_one.hyper.to_vector(), atol=1e-5)
    x = PLANE.sample(30, np.random.default_rng(seed))
    for a, b in ((runs, one_by_one), (runs.condition(x[:5]), one_by_one.condition(x[:5]))):
        np.testing.assert_allclose(a.marginals(x).mean, b.marginals(x).mean, atol=1e-4)
        np.testing.assert_allclose(a.marginals(x).sd, b.marginals(x).sd, atol=1e-4)


@given(counts=counts_of_runs, seed=st.integers(0, 99))
def test_the_same_notes_recall_the_same_belief_from_runs_and_from_single_results(counts, seed):
    history = single(counts, seed)
    notes = {"step": "map", "lengths": [0.3, 0.5], "variance": 1.2, "noise": 0.04}
    one_by_one, runs = (GP().recall(h, notes) for h in (history, summed_up(history, counts)))
    x = PLANE.sample(30, np.random.default_rng(seed))
    np.testing.assert_allclose(runs.marginals(x).mean, one_by_one.marginals(x).mean, atol=1e-9)
    np.testing.assert_allclose(runs.marginals(x).sd, one_by_one.marginals(x).sd, atol=1e-9)


def test_recalling_the_belief_after_runs_gives_it_back_exactly():
    history = summed_up(single([3, 1, 8, 2], 5), [3, 1, 8, 2])
    posterior = fit(history)
    recalled = GP().recall(history, posterior.notes)
    x = PLANE.sample(10, np.random.default_rng(0))
    np.testing.assert_array_equal(recalled.marginals(x).mean, posterior.marginals(x).mean)
    np.testing.assert_array_equal(recalled.marginals(x).sd, posterior.marginals(x).sd)


def test_paths_drawn_after_runs_have_the_marginals_of_the_belief():
    counts = [40, 1, 5, 200]
    posterior = fit(summed_up(single(counts, 3, noise=2.0), counts))
    x = np.vstack([posterior.space.sample(10, np.random.default_rng(0)), single(counts, 3).x[[0, 40, 41, 46]]])
    drawn = np.hstack([posterior.paths(500, np.random.default_rng(seed))(x) for seed in range(20)])
    mean, sd = posterior.marginals(x)
    np.testing.assert_allclose(drawn.mean(axis=1), mean, atol=0.06 * sd.max())
    np.testing.assert_allclose(drawn.std(axis=1), sd, rtol=0.06)


def test_a_place_hallucinated_after_runs_counts_as_one_result():
    counts = [40, 1, 5, 20]
    history = summed_up(single(counts, 3), counts)
    posterior = fit(history)
    x = PLANE.sample(10, np.random.default_rng(1))
    tracker = posterior.track(x)
    tracker.add(0)
    conditioned = posterior.condition(x[:1])
    np.testing.assert_allclose(conditioned.marginals(x).sd, tracker.marginals.sd, rtol=1e-8)
    # By brute force: one more row, with the noise of one result.
    covariance, places = posterior.covariance, posterior.embed(np.vstack([history.x, x[:1]]))
    noises = np.append(posterior.hyper.noise / np.array(counts), posterior.hyper.noise)
    cross = covariance.between(places, posterior.embed(x))
    inner = covariance.between(places, places) + np.diag(noises)
    variance = covariance.total - np.einsum("ij,ij->j", cross, np.linalg.solve(inner, cross))
    sd = posterior.standard.scale * np.sqrt(variance)
    np.testing.assert_allclose(conditioned.marginals(x).sd, sd, rtol=1e-6)
    assert conditioned.noises[-1] == posterior.hyper.noise


def test_a_result_that_stands_for_itself_is_read_as_ever_whatever_its_variance_says():
    history = single([1] * 12, 4)
    posterior, said = fit(history), fit(evolve(history, variances=np.full(12, 7.0)))
    np.testing.assert_array_equal(said.hyper.to_vector(), posterior.hyper.to_vector())
    assert Repeats.of(history, posterior.standard) is None
    mixed = run_of([1.0, 2.0, 4.0], [1, 3, 1], [9.0, 0.1, np.nan])
    plain = run_of([1.0, 2.0, 4.0], [1, 3, 1], [np.nan, 0.1, np.nan])
    np.testing.assert_array_equal(fit(mixed).hyper.to_vector(), fit(plain).hyper.to_vector())


def test_the_noise_is_learned_from_a_single_run():
    rng = np.random.default_rng(0)
    y = 5.0 + 0.2 * rng.standard_normal(60)
    posterior = fit(run_of([y.mean()], [60], [y.var(ddof=1)]))
    mean, sd = posterior.marginals(posterior.space.sample(1, np.random.default_rng(0)))
    assert posterior.notes["step"] == "map"
    assert mean[0] == pytest.approx(y.mean(), abs=1e-9)
    assert sd[0] == pytest.approx(0.2 / np.sqrt(60), rel=0.3)


def test_one_run_that_says_nothing_of_its_variance_leaves_the_prior():
    posterior = fit(run_of([5.0], [60], [np.nan]))
    assert posterior.notes["step"] == "prior"
    assert posterior.noises[0] == pytest.approx(posterior.hyper.noise / 60)


def test_runs_without_any_scatter_teach_that_there_is_no_noise():
    means = [1.0, 3.0, 2.0, 5.0, 4.0]
    quiet, silent = (fit(run_of(means, [8] * 5, [variance] * 5)) for variance in (0.0, np.nan))
    assert quiet.hyper.noise < 1e-5 < silent.hyper.noise
    assert fit(run_of([2.0, 2.0], [8, 3], [0.0, 0.0])).notes["step"] == "prior"


def test_unknown_variances_leave_the_noise_to_the_means():
    means, counts = [1.0, 3.0, 2.0, 5.0, 4.0], [8, 1, 30, 2, 1]
    history = run_of(means, counts, [np.nan] * 5)
    standard = Standard.of_history(history)
    repeats = Repeats.of(history, standard)
    assert repeats.evidence(-3.0) == (0.0, 0.0)
    inf = run_of(means, counts, [np.inf] * 5)
    np.testing.assert_array_equal(fit(inf).hyper.to_vector(), fit(history).hyper.to_vector())


@pytest.mark.parametrize("noise", [1e-4, 0.1, 1.0])
@pytest.mark.parametrize("count", [100, 10**4, 10**6])
@pytest.mark.parametrize("places", [5, 30])
def test_long_runs_settle_the_noise_and_leave_the_rest_to_be_fitted(noise, count, places):
    history = summed_up(single([4] * places, places, noise), [4] * places)
    history = evolve(history, counts=np.full(places, count))
    evidence, prior = evidence_of(history), Prior.of(PLANE.groups)

    def density(theta):
        (value, slope), (belief, pull) = evidence(theta), prior.density(theta)
        return value + belief, slope + pull

    posterior = fit(history)
    reached = np.array(posterior.notes["peak"])
    assert posterior.notes["step"] == "map"
    repeats = Repeats.of(history, posterior.standard)
    expected = np.log(max(repeats.squares / repeats.freedom, 1e-6))
    assert reached[-1] == pytest.approx(expected, abs=0.1)
    for step in 0.2 * np.vstack([np.eye(4), -np.eye(4)])[[0, 1, 2, 4, 5, 6]]:
        assert density(reached + step)[0] < density(reached)[0]


@pytest.mark.parametrize("lengths", [[0.02, 90.0], [90.0, 0.02], [0.011, 0.011], [90.0, 90.0]])
def test_long_runs_do_not_hold_a_fit_where_the_last_plan_ended(lengths):
    history = summed_up(single([4] * 30, 30, 0.1), [4] * 30)
    history = evolve(history, counts=np.full(30, 10**4))
    evidence, prior = evidence_of(history), Prior.of(PLANE.groups)
    repeats = Repeats.of(history, Standard.of_history(history))
    peak = np.log([*lengths, 1.0, repeats.squares / repeats.freedom]).tolist()
    notes = {**fit(history).notes, "peak": peak}  # those of a whole plan, whose search ended elsewhere
    cold, warm = (np.array(fit(evolve(history, past=past)).notes["peak"]) for past in ((), (Past(0, notes),)))
    assert evidence(warm)[0] + prior.density(warm)[0] == pytest.approx(
        evidence(cold)[0] + prior.density(cold)[0], abs=0.05
    )


@pytest.mark.parametrize("variance", [0.0, 1e-12, 1.0, np.nan])
def test_huge_runs_at_one_place_break_nothing(variance):
    x = np.repeat(PLANE.sample(3, np.random.default_rng(0)), 4, axis=0)
    y = np.repeat([1.0, 2.0, 4.0], 4) + 1e-4 * np.arange(12)
    for counts in ([10**6] * 12, [10**6, *[1] * 11]):
        history = History(PLANE, x, y, NONE, counts=counts, variances=np.full(12, variance))
        for noise in (None, 1e-9, 1.0):
            posterior = fit(evolve(history, noise=noise))
            assert posterior.notes["step"] == "map"
            mean, sd = posterior.marginals(PLANE.sample(20, np.random.default_rng(1)))
            assert np.isfinite(mean).all()
            assert np.isfinite(sd).all()
            assert np.isfinite(posterior.paths(3, np.random.default_rng(0))(x)).all()


def test_many_runs_are_fitted_on_a_subset_but_the_scatter_of_all():
    counts = np.full(SUBSET + 150, 3)
    history = summed_up(single(counts, 0, noise=0.5), counts)
    posterior = fit(history)
    assert np.sqrt(posterior.hyper.noise) * posterior.standard.scale == pytest.approx(0.5, rel=0.05)
    standard = Standard.of_history(history)
    repeats = Repeats.of(history, standard).at(np.arange(SUBSET))
    assert len(repeats.counts) == SUBSET
    assert repeats.freedom == 2 * len(counts)
    features, z = PLANE.encode(history.x), standard.apply(history.y)
    whole = Repeats.of(history, standard)
    rng = np.random.default_rng(0)
    places = PLANE.encode(PLANE.sample(DOUBTED, rng))
    kernel, peak, kept = fit_hyper([MATERN], features, PLANE.groups, z, whole, None, None, places, rng)
    assert kernel == posterior.covariance.kernel == MATERN
    np.testing.assert_array_equal(peak, posterior.notes["peak"])
    np.testing.assert_allclose(kept, posterior.hyper.to_vector(), rtol=1e-12)


def test_a_fit_of_runs_begins_where_the_last_plan_ended():
    counts = [3, 1, 8, 2, 5]
    history = single(counts, 2)
    warm = (Past(3, {**fit(history).notes, "peak": np.log([0.1, 2.0, 3.0, 0.01]).tolist()}),)
    one_by_one = fit(evolve(history, past=warm))
    runs = fit(evolve(summed_up(history, counts), past=warm))
    np.testing.assert_allclose(runs.hyper.to_vector(), one_by_one.hyper.to_vector(), atol=1e-5)


def test_a_fit_of_runs_that_fails_steps_down_to_what_the_single_results_would(monkeypatch):
    def refuse(*_):
        raise ModelError("no")

    monkeypatch.setattr("wayfare.surrogate.gp.fit_hyper", refuse)
    counts = [3, 1, 8, 2, 5]
    history = single(counts, 2, noise=2.0, noises=2.0)
    one_by_one, runs = fit(history), fit(summed_up(history, counts))
    assert runs.notes["step"] == "prior after a failed fit"
    np.testing.assert_allclose(runs.hyper.to_vector(), one_by_one.hyper.to_vector(), atol=1e-9)
    x = PLANE.sample(10, np.random.default_rng(0))
    np.testing.assert_allclose(runs.marginals(x).sd, one_by_one.marginals(x).sd, rtol=1e-8)

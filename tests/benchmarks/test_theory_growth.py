"""The parts of the theory benchmark that follow methods over T."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from theory import arms, boxes, growth, laws, lipschitz
from theory.catalogue import PARTS
from theory.part import run_part
from theory.pulls import follow
from theory.table import TableGP, matern, rows_of
from theory.walk import Goal, walk
from wayfare._core.rng import stream
from wayfare.policy.bandit import ucb1_index
from wayfare.surrogate.history import History

TABLE = growth.grid(4, 2)
PRIOR = matern(TABLE, 0.3)


def believed(x, y, counts=None):
    space = wf.Places(TABLE)
    history = History(space, x, y, np.empty((0, 2)), **({} if counts is None else {"counts": counts}))
    return TableGP(TABLE, PRIOR, 0.25).fit(history, stream(0))


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 15), st.floats(-3, 3)), min_size=1, max_size=12))
def test_the_belief_is_that_of_the_dense_formula_however_results_are_pooled(results):
    at, y = np.array([one for one, _ in results]), np.array([value for _, value in results])
    inverse = np.linalg.inv(PRIOR[np.ix_(at, at)] + 0.25 * np.eye(len(at)))
    mean = PRIOR[:, at] @ inverse @ y
    covariance = PRIOR - PRIOR[:, at] @ inverse @ PRIOR[at]
    single = believed(TABLE[at], y)
    np.testing.assert_allclose(single.mean, mean, atol=1e-9)
    np.testing.assert_allclose(single.covariance, covariance, atol=1e-9)
    arm = np.unique(at)
    counts = np.array([(at == one).sum() for one in arm])
    means = np.array([y[at == one].mean() for one in arm])
    np.testing.assert_allclose(believed(TABLE[arm], means, counts).mean, mean, atol=1e-9)


def test_hallucinated_results_shrink_the_spread_as_real_ones_do():
    at = np.array([3, 3, 7])
    before = believed(TABLE[[0]], np.array([1.0]))
    tracker = before.track(TABLE)
    for one in at:
        tracker.add(int(one))
    after = believed(TABLE[[0, 3, 3, 7]], np.array([1.0, 0.0, 0.0, 0.0]))
    np.testing.assert_allclose(tracker.marginals.sd, after.marginals(TABLE).sd, atol=1e-9)
    np.testing.assert_allclose(before.condition(TABLE[at]).marginals(TABLE).sd, tracker.marginals.sd)
    np.testing.assert_array_equal(tracker.marginals.mean, before.mean)


def test_drawn_functions_have_the_mean_and_the_spread_of_the_belief():
    belief = believed(TABLE[[0, 5]], np.array([1.0, -1.0]))
    drawn = belief.paths(20_000, stream(1))(TABLE)
    np.testing.assert_allclose(drawn.mean(axis=1), belief.mean, atol=0.04)
    np.testing.assert_allclose(np.cov(drawn), belief.covariance, atol=0.05)


def test_rows_are_found_in_any_order():
    order = np.random.default_rng(0).permutation(len(TABLE))
    np.testing.assert_array_equal(rows_of(TABLE[order], TABLE), order)


def test_a_walk_adds_up_regret_and_movement():
    space = wf.Places([[0.0], [1.0]])
    values = np.array([0.0, 1.0])
    method = wf.Method(wf.UCB(), wf.Fixed(5), surrogate=TableGP(space.table, np.eye(2), 0.01))
    goal = Goal(lambda x: values[rows_of(x, space.table)], 1.0, 0.0)
    done = walk(method, space, goal, wf.Euclidean().bind(space), 23, stream(0))
    assert done.trials[-1] == 23
    assert done.sizes.sum() == 23
    assert (done.sizes <= 5).all()
    assert done.after(23, done.regret) == done.regret[-1]
    assert done.after(0, done.regret) == 0
    # Without noise both places are known after two looks: one way there, and one back.
    assert 0.0 <= done.regret[-1] <= 5.0
    assert done.movement[-1] <= 3.0


def test_the_loop_of_single_pulls_does_what_a_study_does():
    places = np.array([[0.0], [0.4], [1.0]])
    results = np.random.default_rng(0).random((3, 60))

    def choose(sums, counts, t):
        return int(ucb1_index(sums / np.maximum(counts, 1), counts, t).argmax())

    # The stock of an arm is used from its end.
    stands = follow(
        choose,
        lambda arm, n, rng: results[arm, ::-1],
        np.array([0.5, 0.25, 0.0]),
        np.abs(places - places.T),
        np.zeros(3),
        [10, 60],
        stream(0),
    )
    study = wf.Study.create(wf.Places(places), direction="maximize", travel=wf.Euclidean(), trials=60, method="ucb1")
    pulled = [0, 0, 0]
    for _ in range(60):
        trial = study.ask()
        arm = int(study.spec.space.index(trial.x[None, :])[0])
        study.tell(trial, float(results[arm, pulled[arm]]))
        pulled[arm] += 1
    assert stands[-1].movement == pytest.approx(sum(trial.leg for trial in study.trials))
    assert stands[-1].regret == pytest.approx(0.5 * pulled[0] + 0.25 * pulled[1])
    assert stands[0].trials == 10


def made_up(power, log=0.0, seeds=3):
    return [
        laws.row(
            "here",
            "mine",
            seed,
            {
                "trials": float(n),
                "regret": (2 + seed) * n**power * math.log(n) ** log,
                "movement": 3.0,
                "tours": 4.0,
                "bound": 5.0,
            },
        )
        for seed in range(seeds)
        for n in (10, 100, 1000, 10_000)
    ]


@pytest.mark.parametrize(("power", "log"), [(0.5, 0.0), (0.75, 0.25), (0.0, 0.0)])
def test_a_power_of_t_is_found_and_that_of_log_t_divided_out(power, log):
    fitted = laws.fitted(made_up(power, log), ("here", "mine"), "regret", log)
    assert fitted.value == pytest.approx(power, abs=1e-9)
    assert fitted.high - fitted.low < 1e-9


def test_the_table_says_what_was_found_beside_the_theory():
    sheet = laws.law_table(made_up(0.5), {("here", "mine"): laws.Law(0.5, 0.0)})
    ((setting, method, regret, theory, rate, movement, zero, bound, last, *ends),) = sheet.rows
    assert (setting, method, theory, rate, zero, last) == ("here", "mine", "0.5", "", "0", "10000")
    assert float(bound) == 0
    assert regret.startswith("0.500")
    assert movement.lstrip("-").startswith("0.000")
    assert ends == ["300", "3", "4"]


def test_the_growth_of_a_bound_is_shown_beside_the_power_where_there_is_one():
    rows = [row | {"rate": row["trials"] ** 0.7} for row in made_up(0.5)]
    assert laws.grown(rows, ("here", "mine"), "rate") == "0.70"
    assert laws.grown(made_up(0.5), ("here", "mine"), "rate") == ""
    assert laws.law_table(rows, {}).rows[0][4] == "0.70"


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 500), st.floats(0.01, 2.0))
def test_information_is_that_of_results_spread_evenly(times, ridge):
    """Half the log determinant of I + K / ridge, each place having been seen so many times."""
    spectrum = np.linalg.eigvalsh(PRIOR) / len(PRIOR)
    _, twice = np.linalg.slogdet(np.eye(len(PRIOR)) + times * PRIOR / ridge)
    assert laws.information(spectrum, times * len(PRIOR), ridge) == pytest.approx(twice / 2)


def test_bpe_is_told_the_model_that_the_functions_are_drawn_from():
    for d, side in ((1, 12), (2, 5)):
        table = growth.grid(side, d)
        policy, space = growth.told(table), wf.Places(table)
        features = policy._embedding(space)(table)
        np.testing.assert_allclose(policy._covariance(features, features), matern(table, growth.LENGTH), atol=1e-12)


@pytest.mark.parametrize("part", ["growth", pytest.param("boxes", marks=pytest.mark.slow), "arms", "lipschitz"])
def test_a_part_measures_the_same_twice_and_draws_itself(part, tmp_path, monkeypatch):
    monkeypatch.setattr(boxes, "MESH", 100)
    one = PARTS[part]
    cells = one.cells(2, True)
    first = cells[0]
    assert str(one.measure(first)) == str(one.measure(first))
    rows = run_part(one, 2, True)
    assert {row["seed"] for row in rows} == {0, 1}
    assert all(row["regret"] >= 0 and row["movement"] >= 0 and row["tours"] >= 1 for row in rows)
    assert len(one.table(rows).rows) == len(laws.keys(rows))
    one.draw(rows).savefig(tmp_path / "part.png")


def test_movement_never_exceeds_the_bound():
    for part in (growth.GROWTH, arms.ARMED):
        for row in run_part(part, 2, True):
            assert math.isnan(row["bound"]) or row["movement"] <= row["bound"]


def test_arms_are_toured_and_not_criss_crossed():
    rows = [row for seed in range(2) for row in arms.measure(("base", seed, True))]
    single = [row for seed in range(2) for row in arms.measure(("ucb1", seed, True))]
    assert max(row["tours"] for row in rows) <= 2 * math.ceil(math.log2(math.log2(1000))) + 2
    assert rows[-1]["movement"] < 0.2 * single[-1]["movement"]


@pytest.mark.parametrize(("height", "d"), [(1.0, 1), (0.1, 2)])
def test_a_cone_falls_by_one_over_an_axis(height, d):
    function = lipschitz.cone(np.full(d, 0.5), height)
    x = np.random.default_rng(0).random((50, d))
    apart = np.abs(x[:, None] - x[None]).max(axis=2)
    assert (np.abs(np.subtract.outer(function(x), function(x))) <= apart + 1e-12).all()
    assert function(np.full((1, d), 0.5))[0] == height

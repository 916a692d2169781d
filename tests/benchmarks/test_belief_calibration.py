"""The calibration benchmark: known beliefs have known coverage, and functions are as described."""

import math

import numpy as np
import pytest
from attrs import evolve

from belief import calibration
from belief.calibration import Cell, Row, cells_of, digest, gather, judge, main, measure, read_rows, write_rows
from belief.functions import functions
from belief.models import MODELS, OURS, Belief, one_hot, suits, version_of
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space import Choice, Integer, Real, Space
from wayfare.surrogate.kernels import KERNELS, squared_distances

EVERY = list(functions())
PEERS = {"botorch": "botorch", "botorch-mixed": "botorch", "scikit-learn": "sklearn"}


class Truth:
    """Given values at given places, the last few of them the best of the space."""

    def __init__(self, values, top=(), sd=1.0):
        self.values = np.concatenate([values, top])
        self.tested, self.top = np.zeros((len(values), 1)), np.zeros((len(top), 1))
        self.sd = sd

    def __call__(self, places):
        return self.values[: len(places)]


def test_the_posterior_of_the_gp_that_drew_the_function_is_calibrated():
    rng = stream(0, "truth")
    x = rng.random((620, 2)) / 0.2
    kernel = KERNELS["matern52"].profile(squared_distances(x, x))
    factor = np.linalg.cholesky(kernel + 1e-9 * np.eye(len(x)))
    weights = np.linalg.solve(kernel[:20, :20] + 0.01 * np.eye(20), kernel[:20, 20:])
    sd = np.sqrt(1.0 - np.einsum("ij,ij->j", kernel[:20, 20:], weights))
    found = []
    for _ in range(300):
        f = factor @ rng.standard_normal(len(x))
        mean = weights.T @ (f[:20] + 0.1 * rng.standard_normal(20))
        found.append(judge(Truth(f[20:]), lambda places, mean=mean: Belief(mean, sd), top=False))
    means = np.mean(found, axis=0)
    assert means[:3] == pytest.approx([0.5, 0.8, 0.95], abs=0.015)
    # The expected NLL of the true model is its entropy, and its expected square error its variance.
    assert means[3] == pytest.approx(np.mean(np.log(sd)) + 0.5 * math.log(2 * math.pi) + 0.5, abs=0.05)
    assert np.mean(np.square([one.rmse for one in found])) == pytest.approx(np.mean(sd**2), rel=0.05)


def test_judge_measures_in_units_of_the_functions_sd():
    truth = Truth(np.zeros(4), np.array([30.0, 0.0, -30.0, 19.0]), sd=10.0)
    mean = np.array([0.0, 10.0, -30.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    found = judge(truth, lambda places: Belief(mean, np.full(8, 10.0)), top=True)
    assert (found.coverage50, found.coverage80, found.coverage95) == (0.5, 0.75, 0.75)
    assert found.nll == pytest.approx(0.5 * math.log(2 * math.pi) + 0.5 * 10 / 4)
    assert found.rmse == pytest.approx(math.sqrt(10 / 4))
    assert found.above == 0.25
    assert math.isnan(judge(truth, lambda places: Belief(mean[:4], np.ones(4)), top=False).above)


def test_no_model_gains_by_an_sd_below_a_thousandth():
    truth = Truth(np.array([0.0, 0.0]), sd=2.0)
    sure = judge(truth, lambda places: Belief(np.array([0.0, 0.002 * 1.9]), np.zeros(2)), top=False)
    less = judge(truth, lambda places: Belief(np.array([0.0, 0.002 * 1.9]), np.full(2, 0.002)), top=False)
    assert sure == pytest.approx(less, nan_ok=True)
    assert sure.coverage95 == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_models_leave_the_noise_of_a_result_out(model):
    if model in PEERS:
        pytest.importorskip(PEERS[model])
    space = Space(Real("a", 0.0, 1.0), Choice("c", ["u", "v"]))
    rng = stream(2, "noise")
    x = space.at(rng.random((80, 2)))
    y = 100.0 + 20.0 * x[:, 1] + 5.0 * rng.standard_normal(80)
    places = np.array([[0.5, 0.0], [0.5, 1.0]])
    belief = MODELS[model](space, x, y, places, stream(2))
    assert belief.mean == pytest.approx([100.0, 120.0], abs=4.0)
    assert np.all((belief.sd > 0.2) & (belief.sd < 3.0))


def test_a_choice_is_one_hot_and_numbers_go_from_0_to_1():
    space = Space(Integer("k", 2, 6), Choice("c", ["u", "v", "w"]), Real("a", -1.0, 1.0))
    assert one_hot(space, np.array([[3.0, 1.0, 1.0]])).tolist() == [[0.25, 0.0, 1.0, 0.0, 1.0]]
    assert suits("botorch-mixed", space)
    assert not suits("botorch-mixed", Space(Integer("k", 2, 6)))


def test_there_are_enough_functions_of_each_kind():
    every = functions().values()
    mixed = [one for one in every if one.kind == "mixed"]
    assert len(every) >= 20
    assert len(mixed) >= 8
    sizes = [[axis.size for axis in one.axes if isinstance(axis, Choice)] for one in mixed]
    assert {2, 12} <= {size for own in sizes for size in own} <= set(range(2, 13))
    assert {0, 1, 2} == set(map(len, sizes))
    assert {len(one.axes) for one in every if one.kind == "real"} == {1, 2, 3, 4, 5, 6}
    assert {one.noise > 0 for one in mixed} == {one.noise > 0 for one in every if one.kind == "real"} == {True, False}


@pytest.mark.parametrize("name", EVERY)
def test_a_functions_best_place_and_sd_are_what_it_says(name):
    function = functions()[name]
    assert function.space.contains(function.best[None, :]).all()
    x = function.uniform(50_000, "test")
    assert function(x).std() == pytest.approx(function.sd, rel=0.03)
    near = function.space.around(function.best[None, :], 0.01, 2000, stream(3, name))
    slack = 1e-5 * function.sd  # the stored places have seven digits
    assert max(function(x).max(), function(near).max()) <= function.optimum + slack
    assert len(function.top) == 400
    assert function(function.top).min() >= np.quantile(function(x), 0.975)


@pytest.mark.parametrize("name", EVERY)
def test_no_function_has_its_best_place_in_the_middle(name):
    function = functions()[name]
    numbers = [column for column, axis in enumerate(function.axes) if not isinstance(axis, Choice)]
    middle = function.space.at(np.full((1, len(function.axes)), 0.5))[0]
    wide = np.array([axis.high - axis.low for axis in function.axes if not isinstance(axis, Choice)])
    assert np.abs((function.best - middle)[numbers] / wide).max() > 0.1
    there = function.best.copy()
    there[numbers] = middle[numbers]
    assert function(there[None, :])[0] < function.optimum - 0.01 * function.sd


def test_a_design_is_the_same_for_all_and_its_beginning_is_the_smaller_design():
    function = functions()["moved3"]
    x, y = gather(function, "uniform", 3, 100)
    assert digest(*gather(function, "uniform", 3, 100)) == digest(x, y)
    assert digest(*gather(function, "uniform", 3, 20)) == digest(x[:20], y[:20])
    assert digest(*gather(function, "uniform", 4, 100)) != digest(x, y)
    assert digest(x * (1 + 1e-13), y) == digest(x, y) != digest(x, y + 1e-3)
    assert (y - function(x)).std() == pytest.approx(0.1 * function.sd, rel=0.3)
    assert set(x[:, 0]) == {0.0, 1.0, 2.0}


def test_known_rows_are_kept_only_if_data_and_versions_are_the_same():
    wanted = ((10, OURS), (20, OURS))
    (ten, twenty) = measure(Cell("forrester", "uniform", 0, wanted))
    assert (ten.n, twenty.n, ten.version) == (10, 20, version_of(OURS))
    assert 0.0 < ten.coverage50 <= ten.coverage80 <= ten.coverage95 <= 1.0
    assert math.isnan(ten.above)
    marked = evolve(ten, nll=123.0)
    assert measure(Cell("forrester", "uniform", 0, wanted, (marked,)))[0].nll == 123.0
    for stale in (evolve(marked, data="other"), evolve(marked, version="older")):
        assert measure(Cell("forrester", "uniform", 0, wanted, (stale,)))[0].nll == ten.nll
    peer, stale = evolve(ten, model="botorch"), evolve(twenty, model="botorch", data="other")
    rows = measure(Cell("forrester", "uniform", 0, wanted, (peer, stale)))
    assert [(row.n, row.model) for row in rows] == [(10, "botorch"), (10, OURS), (20, OURS)]


def test_a_study_gathers_data_and_the_best_of_the_space_is_looked_at():
    (row,) = measure(Cell("moved3", "ucb", 0, ((20, OURS),)))
    assert (row.kind, row.design, row.n, row.seed) == ("mixed", "ucb", 20, 0)
    assert 0.0 <= row.above <= 1.0


def test_peers_are_asked_for_less_on_gathered_data():
    cells = {(cell.design, cell.seed): cell for cell in cells_of(["branin"], ["uniform", "ucb"], 5, MODELS, [])}
    suited = [model for model in MODELS if model != "botorch-mixed"]
    assert cells["uniform", 4].wanted == tuple((n, model) for n in calibration.SIZES for model in suited)
    few = [(n, model) for n in calibration.SIZES for model in suited if model == OURS or n in (20, 100)]
    assert cells["ucb", 3].wanted == tuple(few)
    assert cells["ucb", 4].wanted == tuple((n, OURS) for n in calibration.SIZES)


def test_rows_are_read_as_written_in_order(tmp_path):
    row = Row("branin", "real", "uniform", 10, 0, OURS, 0.5, 0.8, 0.95, 1.23456789, 0.1, math.nan, "00ff", "1, 2")
    later = evolve(row, design="ucb", above=0.25)
    write_rows([later, row], tmp_path / "made" / "rows.csv")
    first, second = read_rows(tmp_path / "made" / "rows.csv")
    assert (first.nll, first.data, first.version, first.design) == (1.23457, "00ff", "1, 2", "uniform")
    assert math.isnan(first.above)
    assert second == evolve(later, nll=1.23457)
    assert read_rows(tmp_path / "none.csv") == []


def test_the_command_measures_and_keeps_what_else_is_in_the_file(tmp_path, capsys):
    out = tmp_path / "rows.csv"
    command = ["--models", OURS, "--designs", "uniform", "--seeds", "1", "--quiet", "--out", str(out)]
    assert main([*command, "--functions", "branin"]) == 0
    assert main([*command, "--functions", "forrester"]) == 0
    assert [(row.function, row.n) for row in read_rows(out)] == [
        (name, n) for name in ("forrester", "branin") for n in calibration.SIZES
    ]
    assert capsys.readouterr().out == f"{out}\n{out}\n"
    assert main([*command, "--functions", "brannin"]) == 2
    assert "there is no 'brannin'" in capsys.readouterr().err


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("belief.models.PACKAGES", {"botorch": ("no-such-package",)})
    with pytest.raises(InvalidInput, match="needs the package no-such-package"):
        version_of.__wrapped__("botorch")

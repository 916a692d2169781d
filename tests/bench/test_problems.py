import pickle
from importlib.resources import files

import numpy as np
import pytest

from wayfare._core.rng import stream
from wayfare.bench import AUTHORS, FIELD, FIGURES, PAPER, PROBLEMS, Problem, problem_named, run_problem
from wayfare.errors import InvalidInput
from wayfare.travel import check

NOISE = {
    "ackley": 1,
    "branin": 3,
    "dropwave": 0.01,
    "griewank": 0.01,
    "levy": 1,
    "griewank2": 0.01,
    "dropwave2": 0.01,
    "levy4": 0.1,
    "ackley8": 0.1,
    "hartmann6": 0.1,
    "snar": 0,
    "lake1": 0.01,
    "lake2": 0.01,
    "lake3": 0.01,
    "lithium": 30,
    "quadratic": 0.1,
    "constant": 0.1,
    "two-peaks": 0.02,
}
OPTIMUM = {
    "branin": -0.397887,
    "dropwave": 1,
    "dropwave2": 1,
    "hartmann6": 3.32237,
    "snar": 0.27473,
    "lake1": 1.23597,
    "lake2": 1.62371,
    "lake3": 1.77145,
    "lithium": 2069.7304,
    "two-peaks": 1,
}
BOUNDS = {
    "ackley": [(-32.768, 32.768)] * 2,
    "branin": [(-5, 10), (0, 15)],
    "dropwave": [(-5.12, 5.12)] * 2,
    "griewank": [(-20, 20)] * 2,
    "levy": [(-5, 5)] * 6,
    "griewank2": [(-20, 20)] * 2,
    "dropwave2": [(-5.21, 5.21)] * 2,
    "levy4": [(-3, 3)] * 4,
    "ackley8": [(-10, 10)] * 8,
    "hartmann6": [(0, 1)] * 6,
    "snar": [(0.5, 2), (1, 5), (0.1, 0.5), (40, 120)],
}
EVERY = {name: problem_named(name) for name in PROBLEMS}


@pytest.fixture(params=EVERY)
def problem(request):
    return EVERY[request.param]


def test_there_are_the_papers_the_authors_the_fields_and_the_figures_problems():
    assert list(PAPER) == ["ackley", "branin", "dropwave", "griewank", "levy"]
    assert list(AUTHORS) == ["griewank2", "dropwave2", "levy4", "ackley8", "hartmann6"]
    assert list(FIELD) == ["snar", "lake1", "lake2", "lake3", "lithium"]
    assert list(FIGURES) == ["quadratic", "constant", "two-peaks"]
    assert set(NOISE) == set(PROBLEMS)


def test_a_problem_is_known_by_its_name(problem):
    assert isinstance(problem, Problem)
    assert problem_named(problem.name).name == problem.name


def test_an_unknown_name_is_refused_with_a_likely_one():
    with pytest.raises(InvalidInput, match="none is called 'hartman6'; did you mean 'hartmann6'"):
        problem_named("hartman6")


def test_the_optimum_is_attained_at_the_best_place(problem):
    assert problem.space.contains(problem.best[None, :]).all()
    assert problem.function(problem.best[None, :])[0] == pytest.approx(problem.optimum, abs=1e-9)
    assert problem.optimum == pytest.approx(OPTIMUM.get(problem.name, 0), abs=1e-5)


def test_the_optimum_is_exceeded_nowhere(problem):
    x = problem.space.sample(20_000, stream(0))
    near = problem.space.around(problem.best[None, :], 0.01, 2_000, stream(1))
    assert problem.regret(np.concatenate([x, near])).min() > -1e-9


def test_places_are_valued_one_by_one_as_together(problem):
    x = problem.space.sample(7, stream(2))
    together = problem.function(x)
    assert together.shape == (7,)
    assert np.allclose(together, [problem.function(row[None, :])[0] for row in x], rtol=1e-13, atol=1e-13)
    assert problem.function(x[:0]).shape == (0,)


def test_noise_and_bounds_are_as_stated(problem):
    assert problem.noise == NOISE[problem.name]
    if problem.name in BOUNDS:
        assert [(axis.low, axis.high) for axis in problem.space.axes] == BOUNDS[problem.name]


def test_only_the_authors_give_places_for_nothing(problem):
    assert problem.initial == (2 * problem.space.d if problem.name in AUTHORS else 0)


def test_the_start_is_a_place_short_of_the_best(problem):
    assert problem.space.contains(problem.start[None, :]).all()
    if problem.name != "constant":
        assert problem.regret(problem.start[None, :])[0] > 5 * problem.noise


def test_the_cost_is_usable_and_a_metric_but_for_the_reactor(problem):
    report = check(problem.travel, problem.space)
    assert report.is_usable
    assert problem.travel.is_metric == (problem.name != "snar")
    assert report.is_metric or not problem.travel.is_metric
    assert problem.travel.unit in ("", problem.unit)


@pytest.mark.filterwarnings("ignore::wayfare.errors.GuaranteeWarning")
def test_every_problem_can_be_run(problem):
    run = run_problem(problem, "random", 5, seed=1)
    noise = problem.noise * stream(1, "noise").standard_normal(5)
    assert np.allclose(run.values - problem.function(run.x), noise)
    if not problem.initial:  # else something is known before, and the first place is chosen
        assert np.allclose(run.x[0], problem.start)
        assert run.legs[0] == 0
    assert (run.regret > -1e-9).all()
    paid = problem.travel.bind(problem.space)(run.x[:-1], run.x[1:]).diagonal()
    assert np.allclose(run.legs[1:], paid)


def test_a_problem_can_be_sent_to_another_process(problem):
    sent = pickle.loads(pickle.dumps(problem))
    x = problem.space.sample(3, stream(3))
    assert np.array_equal(sent.function(x), problem.function(x))
    assert np.array_equal(sent.travel.bind(sent.space)(x, x), problem.travel.bind(problem.space)(x, x))


def test_on_two_peaks_the_way_costs_more_than_the_better_peak_is_worth():
    problem = EVERY["two-peaks"]
    assert problem.start.tolist() == [2]
    x = np.linspace(0, 10, 1001)[:, None]
    values = problem.function(x)
    peaks = x[1:-1][(values[1:-1] > values[:-2]) & (values[1:-1] > values[2:]), 0]
    assert np.allclose(peaks, [2, 9])
    gain = problem.regret(problem.start[None, :])[0]
    assert gain == pytest.approx(0.3)
    assert problem.travel(problem.start[None, :], problem.best[None, :]).item() > 10 * gain


def test_a_planner_leaves_the_worse_of_two_peaks():
    run = run_problem(EVERY["two-peaks"], "tucb", 30, seed=0)
    assert run.x[0, 0] == 2
    assert run.simple_regret < 0.05


@pytest.mark.parametrize("name", ["ypacarai_lake.pbm", "lithium_map.csv.gz"])
def test_data_lie_beside_their_licence(name):
    data = files("wayfare.bench").joinpath("data")
    assert len(data.joinpath(name).read_bytes()) < 50_000
    assert "Copyright" in data.joinpath(f"{name.split('.')[0]}.LICENCE").read_text(encoding="utf-8")
    assert name in data.joinpath("README.md").read_text(encoding="utf-8")

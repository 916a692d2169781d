"""The search for a default: its problems, its rows, and what the page shows of them."""

import numpy as np
import pytest

from blocks import fill_blocks
from tournament import search
from tournament.grounds import grounds
from tournament.page import ROOT
from tournament.run import DEVELOPMENT_SEEDS
from tournament.score import ratio
from tournament.search import Row, different, logs_of, measure, read_rows, run_missing, summary, write_rows

PAGE = (ROOT / "docs" / "method.md").read_text()


def row(method, problem="hill", seed=1000, movement=1.0, simple=0.0, kind="box"):
    return Row(kind, problem, 60, method, seed, movement, 0.5, 0.25, simple, 30, 0.1, "code")


def test_there_are_enough_problems_of_every_kind():
    kinds = [ground.kind for ground in grounds().values()]
    assert {kind: kinds.count(kind) for kind in kinds} == {"box": 19, "landscape": 10, "mixed": 12, "map": 3}


@pytest.mark.parametrize("name", ["quay", "land2a", "solvents", "orchard", "wells", "shoal"])
def test_no_place_of_a_problem_is_better_than_its_best(name):
    ground = grounds()[name]
    for seed in (1000, 1001):
        problem = ground.under(seed)
        x = problem.space.sample(500, np.random.default_rng(seed))
        assert problem.space.contains(problem.start[None, :]).all()
        assert problem.noise > 0
        assert problem.function(x).max() <= problem.optimum + 1e-9
        assert ground.gain == pytest.approx(problem.optimum - problem.function(x).mean(), rel=0.3)


def test_a_table_has_other_noise_and_another_start_under_another_seed():
    one, other = (grounds()["wells"].under(seed) for seed in (1000, 1001))
    assert one.noise == pytest.approx(10 * other.noise)
    assert one.start.tolist() != other.start.tolist()


def test_a_study_is_measured_in_parts_of_what_there_is_to_gain(tmp_path):
    rows = run_missing([("quay", 3, "random", 1000), ("wells", 3, "random", 1000)], tmp_path / "rows.csv", 1)
    assert [one.kind for one in rows] == ["box", "map"]
    for one in rows:
        assert one.movement > 0
        assert 0 <= one.simple_regret <= 3
        assert one.places == 3
    kept = read_rows(tmp_path / "rows.csv")
    assert [one.cell for one in kept] == [one.cell for one in rows]
    assert kept[0].mean_regret == pytest.approx(rows[0].mean_regret, rel=1e-5)
    # Nothing is left to run, so the same rows come back.
    assert run_missing([("quay", 3, "random", 1000)], tmp_path / "rows.csv", 1) == kept


def test_the_same_study_gives_the_same_row():
    first, again = (measure(("forrester", 4, "ucb", 1001)) for _ in range(2))
    assert first[:10] == again[:10]


def test_places_count_once():
    x = np.array([[0.1, 0.1], [0.1, 0.1 + 1e-4], [0.5, 0.1], [0.1, 0.1]])
    assert different(x) == 2


def test_every_problem_counts_once_in_a_ratio_and_small_regrets_are_floored():
    pairs = [(row("a", movement=2.0), row("b"))] * 3 + [(row("a", "lake", movement=0.5), row("b", "lake"))]
    assert ratio(logs_of(pairs, "movement", 1e-9)).mean == pytest.approx(1.0)
    (one,) = logs_of([(row("a", simple=1e-5), row("b", simple=0.02))], "simple_regret", 0.01)["hill"]
    assert one == pytest.approx(np.log(0.5))


def test_the_summary_counts_what_was_lost_and_found():
    rows = [row("ucb", seed=seed, simple=simple) for seed, simple in enumerate([0.0, 0.5, 0.5, 0.0])]
    rows += [row("mine", seed=seed, simple=simple) for seed, simple in enumerate([0.5, 0.0, 0.5, 0.5])]
    line = summary(rows, ["mine"], 60).splitlines()[2]
    assert "| 75% | 50% | 2, 1 | 50% |" in line


def test_rows_are_kept_in_an_order_of_their_own(tmp_path):
    write_rows([row("b"), row("a", seed=1001), row("a")], tmp_path / "rows.csv")
    assert [(one.method, one.seed) for one in read_rows(tmp_path / "rows.csv")] == [
        ("a", 1000),
        ("a", 1001),
        ("b", 1000),
    ]


def test_the_page_shows_the_committed_rows_of_every_problem_and_seed():
    rows = read_rows()
    assert fill_blocks(PAGE, search.blocks(rows)) == PAGE, "python -m benchmarks.tournament page writes it anew"
    every = {(name, seed) for name in grounds() for seed in range(DEVELOPMENT_SEEDS, DEVELOPMENT_SEEDS + 8)}
    for trials, methods in search.SHOWN.items():
        for method in ("ucb", *methods, *(search.PARTS if trials == 60 else ())):
            ran = {(one.problem, one.seed) for one in rows if (one.trials, one.method) == (trials, method)}
            assert ran == every, (trials, method)

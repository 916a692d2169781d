"""benchmarks/routes.md: what the proven factor of routes costs, on a thousand random symmetric instances."""

import re

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path

import routes
from blocks import block_names
from wayfare._core.rng import stream

TEXT = routes.PAGE.read_text()


def figures():
    """Return the rows of the table of the bound."""
    return dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", TEXT.split("begin bound")[1], re.MULTILINE))


def test_the_page_has_its_tables():
    assert block_names(TEXT) == {"best", "large", "bound"}
    assert "none yet" not in TEXT


def test_the_factor_holds_and_costs_next_to_nothing():
    found = figures()
    assert int(found["instances"]) == routes.BOUND_INSTANCES == 1000
    assert float(found["the same, at most (2 is proved)"]) <= 2
    assert float(found["the same of the walk alone, at most"]) <= 2
    assert float(found["cost without the walk over cost with it, on average"]) >= 1
    assert float(found["time of the walk over that of the rest"].rstrip("%")) < 10


def test_large_plans_take_no_more_than_they_may():
    rows = TEXT.split("<!-- begin large -->")[1].split("<!-- end large -->")[0].strip().splitlines()[2:]
    verdicts = [row.split("|")[-2].strip() for row in rows]
    assert verdicts.count("PASS") >= 3
    assert set(verdicts) <= {"PASS", ""}


def test_a_large_plan_is_measured_with_a_bound_below_it():
    case = routes.Large("Manhattan", 150)
    cost, _, memory, tree = routes.plan_large(case)
    assert tree < cost < 2 * tree
    assert 0.01 < memory < 10
    runs = [
        routes.LargeRun(case, 1.0, 0.2, 0.5, 11.0),
        routes.LargeRun(case._replace(seconds=0.5), 1.0, 0.2, None, 11.0),
    ]
    table = routes.large_table(runs).splitlines()
    assert table[2] == "| Manhattan | 150 | table | 0.50 | 11.0 | 1.0 | 0.20 |  |  |"
    assert table[3] == "| Manhattan | 150 | table |  | 11.0 | 1.0 | 0.20 | 0.5 s | FAIL |"


@pytest.mark.parametrize("seed", range(6))
def test_random_costs_are_symmetric_and_no_detour_lowers_them(seed):
    n = 9
    first, between = routes.symmetric_costs(n, stream(seed))
    costs = np.zeros((n + 1, n + 1))
    costs[1:, 1:], costs[0, 1:], costs[1:, 0] = between, first, first
    assert np.array_equal(between, between.T)
    np.testing.assert_allclose(shortest_path(costs), costs, atol=1e-12)


def test_one_instance_is_measured_with_the_walk_and_without(monkeypatch):
    monkeypatch.setattr(routes, "BOUND_STOPS", 25)
    for seed in range(4):
        run = routes.compare(seed)
        rng = stream(seed, "bound")
        first, between = routes.symmetric_costs(int(rng.integers(2, 26)), rng)
        assert run.floor == pytest.approx(first.min() + minimum_spanning_tree(between).sum())
        assert run.floor <= run.kept <= min(run.walk, run.without) * (1 + 1e-12)
        assert run.walk <= 2 * run.floor * (1 + 1e-12)
        assert run.seconds >= run.walk_seconds >= 0 or run.walk_seconds < 0.01


def test_the_table_says_what_was_measured():
    runs = [routes.Walked(1.0, 1.8, 1.2, 1.2, 0.1, 1.1), routes.Walked(1.0, 1.4, 1.4, 1.5, 0.1, 1.1)]
    table = routes.bound_table(runs)
    assert "| instances | 2 |" in table
    assert "on average | 1.300 |" in table
    assert "at most (2 is proved) | 1.400 |" in table
    assert "the search's | 1 |" in table
    assert "of the rest | 10.0% |" in table

import numpy as np
import pytest

from tests.benchmarks.rows import row as made
from tournament.functions import function_named, reporting
from tournament.report import RIVALS, TARGETS, targets
from tournament.score import dominators, groups, paired_logs, ratio
from wayfare.errors import InvalidInput


def row(method, function, seed, movement, regret, trials=100, simple=1.0):
    return made(method, function, movement, regret, simple=simple, seed=seed, trials=trials, cpu=0.1)


# quay: movement 1/2 and 1/8, so 1/4; cone: 1 and 1.
HAND = [
    row("ucb", "quay", 1000, 4, 2),
    row("ucb", "quay", 1001, 8, 2),
    row("ucb", "cone", 1000, 5, 1),
    row("ucb", "cone", 1001, 5, 1),
    row("new", "quay", 1000, 2, 2),
    row("new", "quay", 1001, 1, 8),
    row("new", "cone", 1000, 5, 1),
    row("new", "cone", 1001, 5, 1),
]


def logs(measure="movement", rows=HAND, functions=("quay", "cone"), trials=100):
    return paired_logs(rows, "new", "ucb", measure, trials, functions)


def test_ratios_are_those_worked_out_by_hand():
    found = ratio(logs())
    assert found.mean == pytest.approx(0.5)  # of 1/4 and 1
    assert (found.pairs, found.functions) == (4, 2)
    # Logs by function: -2 log 2 and 0; mean -log 2, sd sqrt(2) log 2, so half = 12.706 log 2.
    half = 12.7062047 * np.log(2)
    assert np.log(found.by_function) == pytest.approx([-np.log(2) - half, -np.log(2) + half])
    # Logs over cells, in log 2: -1, -3, 0, 0; mean -1, sd sqrt(2), so half = 3.1824 sqrt(2) / 2.
    half = 3.1824463 * np.sqrt(2) / 2 * np.log(2)
    assert np.log(found.over_cells) == pytest.approx([-np.log(2) - half, -np.log(2) + half])
    assert ratio(logs("mean_regret")).mean == pytest.approx(2**0.5)


def test_every_function_has_the_same_weight_however_many_pairs():
    assert ratio(logs(rows=HAND[:-1])).mean == pytest.approx(0.5)


def test_one_function_has_the_interval_over_its_cells():
    found = ratio(logs(functions=["quay"]))
    assert found.mean == pytest.approx(0.25)
    assert found.interval == found.over_cells
    assert str(ratio({"quay": [0.0]})) == "1.00"


def test_only_pairs_count():
    assert logs(trials=30) == {}
    assert logs(rows=[*HAND, row("new", "quay", 1002, 1, 1)]) == logs()
    with pytest.raises(InvalidInput, match="no pairs"):
        ratio({})


def test_a_zero_counts_as_a_thousandth():
    spread = function_named("quay").spread
    rows = [row("ucb", "quay", 1000, 1, spread), row("new", "quay", 1000, 0, 0)]
    assert ratio(logs("mean_regret", rows)).mean == pytest.approx(1e-3)
    assert ratio(logs("movement", rows)).mean == pytest.approx(1e-3)  # of a crossing by ramps, which costs 1


def test_domination_takes_less_of_both():
    rows = [
        *(row("a", function, 1000, 4, 2) for function in ("quay", "cone", "mesa")),
        *(row("b", function, 1000, 3, 1) for function in ("quay", "mesa")),
        row("b", "cone", 1000, 3, 3),
        row("c", "quay", 1000, 4, 1),
        row("c", "mesa", 1000, 1, 1),
    ]
    functions = ["quay", "cone", "mesa"]
    assert dominators(rows, "a", ["a", "b", "c"], 100, functions) == {"quay": ["b"], "mesa": ["b", "c"]}
    assert dominators(rows, "b", ["a", "c"], 100, functions) == {}
    assert dominators(rows, "a", ["b"], 30, functions) == {}


def test_groups_are_by_dimension_and_corner():
    found = groups(["trid", "cone", "quay", "hills"])
    assert found == {"all": ["trid", "cone", "quay", "hills"], "d >= 6": ["trid", "hills"], "corner": ["cone"]}


def reported(movement, regret):
    functions = list(reporting())
    horizons = {target.trials for target in TARGETS}
    rows = [row("ucb", name, 0, 10, 10, trials, 10) for name in functions for trials in horizons]
    rows += [row("wayfare", name, 0, movement, regret, trials, 9) for name in functions for trials in horizons]
    rows += [row(rival, name, 0, 9, 9) for name in functions for rival in RIVALS]
    return rows, functions


def verdicts(table):
    return list(table.columns[-1].cells)


def test_targets_hold_or_are_missed():
    table, passed = targets(*reported(2.5, 7))
    assert passed
    assert set(verdicts(table)) == {"holds"}
    table, passed = targets(*reported(3.5, 7))
    assert not passed
    assert verdicts(table)[0] == "MISSED"
    assert verdicts(table)[6] == "holds"  # 0.40 at T = 30


def test_one_bad_function_is_seen():
    rows, functions = reported(2.5, 7)
    bad = row("wayfare", "currin", 0, 2.5, 16)
    rows = [bad if (r.method, r.function, r.trials) == ("wayfare", "currin", 100) else r for r in rows]
    table, passed = targets(rows, functions)
    assert not passed
    shown = dict(zip(table.columns[1].cells, verdicts(table), strict=True))
    assert shown["every function, worst currin"] == "MISSED"


def test_what_was_not_run_does_not_hold():
    rows, functions = reported(2.5, 7)
    table, passed = targets([r for r in rows if r.trials != 300 and r.method != "mini"], functions)
    assert not passed
    assert verdicts(table).count("not run") == 4

import csv

import pytest

from tournament.__main__ import main, refuse_candidates
from tournament.candidates import CANDIDATES, builder
from tournament.run import Row, check_set, design, fingerprint, read, read_csv, run, with_others, write_csv
from wayfare.errors import InvalidInput
from wayfare.planning.catalogue import method_named
from wayfare.planning.method import Method
from wayfare.policy import Uniform
from wayfare.policy.schedule import Fixed, OneByOne

FUNCTIONS = ["forrester", "quay"]
SEEDS = [1000, 1001]


def one_by_one():
    return Method(Uniform(), OneByOne())


def in_pairs():
    return Method(Uniform(), Fixed(2))


def lines(path):
    return len(path.read_text().splitlines())


def test_there_is_a_row_per_cell_and_method(tmp_path):
    rows, failures = run({"a": one_by_one, "b": in_pairs}, FUNCTIONS, [4], SEEDS, 1, tmp_path / "cells.jsonl")
    assert not failures
    assert {(row.function, row.seed, row.method) for row in rows} == {
        (function, seed, method) for function in FUNCTIONS for seed in SEEDS for method in "ab"
    }
    for a, b in zip(rows[::2], rows[1::2], strict=True):
        assert (a.noise, a.start, a.travel) == (b.noise, b.start, b.travel)
    assert all(row.movement > 0 and row.mean_regret > 0 for row in rows)


def test_only_what_changed_is_run_again(tmp_path):
    cache = tmp_path / "cells.jsonl"
    first, _ = run({"base": one_by_one, "mine": one_by_one}, FUNCTIONS, [3], SEEDS, 1, cache)
    ran = lines(cache)
    again, _ = run({"base": one_by_one, "mine": one_by_one}, FUNCTIONS, [3], SEEDS, 1, cache)
    assert again == first
    assert lines(cache) == ran
    changed, _ = run({"base": one_by_one, "mine": in_pairs}, FUNCTIONS, [3], SEEDS, 1, cache)
    assert lines(cache) == ran + 4
    assert [row for row in changed if row.method == "base"] == [row for row in first if row.method == "base"]
    run({"base": one_by_one}, FUNCTIONS, [3], [*SEEDS, 1002], 1, cache)
    assert lines(cache) == ran + 6
    run({"base": one_by_one}, FUNCTIONS, [3], SEEDS, 1, cache, fresh=["base"])
    assert lines(cache) == ran + 10


def test_other_numbers_of_trials_come_along(tmp_path):
    cache = tmp_path / "cells.jsonl"
    run({"a": one_by_one}, FUNCTIONS, [3], SEEDS, 1, cache)
    rows, _ = run({"a": one_by_one}, FUNCTIONS, [2], SEEDS, 1, cache)
    assert {row.trials for row in rows} == {2, 3}


def test_a_line_cut_short_is_run_again(tmp_path):
    cache = tmp_path / "cells.jsonl"
    first, _ = run({"a": one_by_one}, FUNCTIONS, [3], SEEDS, 1, cache)
    cache.write_bytes(cache.read_bytes()[:-20])
    assert len(read(cache)) == 3
    again, _ = run({"a": one_by_one}, FUNCTIONS, [3], SEEDS, 1, cache)
    assert len(read(cache)) == 4
    assert [row.movement for row in again] == [row.movement for row in first]


def test_a_failing_method_does_not_stop_the_others(tmp_path):
    class Broken:
        def __repr__(self):
            return "Broken()"

        def propose(self, situation, size, rng):
            raise RuntimeError("no idea")

    rows, failures = run(
        {"bad": lambda: Method(Broken(), OneByOne()), "a": one_by_one},
        ["quay"],
        [3],
        [1000],
        1,
        tmp_path / "cells.jsonl",
    )
    assert [row.method for row in rows] == ["a"]
    assert failures == ["bad on quay, T = 3, seed 1000: RuntimeError: no idea"]


def test_processes_give_what_one_gives(tmp_path):
    one, _ = run({"a": one_by_one}, ["quay"], [3], [1000], 1, tmp_path / "one.jsonl")
    two, _ = run({"a": one_by_one}, ["quay"], [3], [1000], 2, tmp_path / "two.jsonl")
    assert [row.mean_regret for row in one] == [row.mean_regret for row in two]


def test_a_fingerprint_tells_methods_apart_and_needs_a_repr():
    assert fingerprint(one_by_one()) == fingerprint(one_by_one())
    assert len({fingerprint(method_named(name)) for name in ("ucb", "tucb", "tts")}) == 3
    assert fingerprint(builder("ucb-1sd")()) != fingerprint(method_named("ucb"))

    class Silent:
        def propose(self, situation, size, rng): ...

    with pytest.raises(InvalidInput, match="does not say what it is"):
        fingerprint(Method(Silent(), OneByOne()))


def test_development_never_sees_what_is_reported():
    check_set(["quay"], [1000], report=False)
    check_set(["branin"], [0, 19], report=True)
    with pytest.raises(InvalidInput, match="branin is for reporting only"):
        check_set(["branin"], [1000], report=False)
    with pytest.raises(InvalidInput, match="seeds from 1000 on, got 3"):
        check_set(["quay"], [3], report=False)
    with pytest.raises(InvalidInput, match="seeds 0 to 19, got 20"):
        check_set(["branin"], [20], report=True)
    with pytest.raises(InvalidInput, match="'quay' is not one of this set"):
        check_set(["quay"], [0], report=True)


def test_the_reporting_set_is_not_for_candidates():
    refuse_candidates(["ucb", "tucb", "wayfare"])
    with pytest.raises(InvalidInput, match="ucb-1sd is a candidate"):
        refuse_candidates(["ucb-1sd"])


def test_a_seed_has_the_same_variant_at_every_number_of_trials():
    short, long = (design(FUNCTIONS, [trials], SEEDS, report=False) for trials in (30, 100))
    assert [(c.noise, c.start, c.travel) for c in short] == [(c.noise, c.start, c.travel) for c in long]


def test_every_candidate_can_be_built():
    assert all(isinstance(build(), Method) for build in CANDIDATES.values())


def test_the_csv_has_a_line_per_row(tmp_path):
    rows, _ = run({"a": one_by_one}, ["quay"], [3], SEEDS, 1, tmp_path / "cells.jsonl")
    write_csv(rows, tmp_path / "cells.csv")
    with (tmp_path / "cells.csv").open() as file:
        sheet = list(csv.DictReader(file))
    assert list(sheet[0]) == [
        *("function", "d", "noise", "start", "travel", "trials", "method", "seed"),
        *("movement", "mean_regret", "last_half_regret", "simple_regret", "planner_cpu", "composition"),
    ]
    assert [int(line["seed"]) for line in sheet] == SEEDS
    assert isinstance(rows[0], Row)


def test_the_command_line_runs_prints_and_writes(tmp_path, capsys):
    words = ["--methods", "random,random-route", "--trials", "4", "--seeds", "2", "--jobs", "1"]
    place = ["--functions", "quay,forrester", "--baseline", "random", "--results", str(tmp_path)]
    assert main(["develop", *words, *place]) == 0
    assert "Relative to random, T = 4" in capsys.readouterr().out
    assert "| random-route | all (2) |" in (tmp_path / "development.md").read_text()
    assert main(["develop", *words, "--functions", "branin", "--results", str(tmp_path)]) == 2
    assert "branin is for reporting only" in capsys.readouterr().err


def test_a_table_is_as_good_as_the_lines_it_was_made_of(tmp_path):
    lines, table = tmp_path / "cells.jsonl", tmp_path / "cells.csv"
    first, _ = run({"a": one_by_one}, FUNCTIONS, [3], SEEDS, 1, lines)
    write_csv(first, table)
    lines.unlink()
    again, _ = run({"a": one_by_one}, FUNCTIONS, [3], SEEDS, 1, lines)
    assert again == read_csv(table)
    assert not lines.exists()
    run({"a": in_pairs}, FUNCTIONS, [3], SEEDS, 1, lines)
    assert len(read(lines)) == len(first)


def test_a_table_keeps_other_methods_while_they_are_what_they_were(tmp_path):
    table = tmp_path / "cells.csv"
    first, _ = run({"a": one_by_one, "b": in_pairs}, FUNCTIONS, [3], SEEDS, 1, tmp_path / "cells.jsonl")
    write_csv(first, table)
    mine = [row for row in first if row.method == "a"]
    same, changed = (lambda name: in_pairs), (lambda name: one_by_one)
    assert [row.method for row in with_others(mine, table, same)].count("b") == len(mine)
    assert with_others(mine, table, changed) == mine
    assert with_others(mine, tmp_path / "none.csv", same) == mine

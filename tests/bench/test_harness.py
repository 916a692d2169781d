import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

import pytest
from attrs import evolve

from tests.bench.cells import TINY, files
from tests.cli.studies import call, done
from wayfare._core.rng import stream
from wayfare.bench import cell as cell_module
from wayfare.bench import problem_named
from wayfare.bench.cell import Failure, Measured, our_versions
from wayfare.bench.harness import over_dask, over_processes, run_suite
from wayfare.bench.results import read_results
from wayfare.bench.run import run_problem

pytestmark = [pytest.mark.slow, pytest.mark.subprocess]

MANY = ("bench", "run", "quick", "--methods=random", "--problems=branin", "--seeds=20", "--trials=8")


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """The tiny suite, run without a break, one cell after the other."""
    out = tmp_path_factory.mktemp("once")
    assert run_suite(TINY, out) == []
    return out


def test_the_file_has_every_number_in_full(once):
    problem = problem_named("branin")
    for row in read_results(once, "tiny"):
        start = problem.space.sample(1, stream(row.cell.seed, "start", "branin"))[0]
        run = run_problem(problem, row.cell.method, 5, row.cell.seed, start)
        assert row.regret.tolist() == run.regret.tolist()
        assert row.legs.tolist() == run.legs.tolist()
        assert (row.simple_regret, row.plans, row.unit) == (run.simple_regret, run.plans, "u")


def test_a_run_that_was_killed_and_resumed_equals_one_that_was_not(tmp_path):
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    cells = broken / "quick" / "cells"
    code = "import sys; from wayfare.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, *MANY, "--quiet", "--out", str(broken)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        while len(list(cells.glob("[!.]*"))) < 3:
            assert child.poll() is None, "it ended before it could be killed"
            time.sleep(0.002)
        os.kill(child.pid, signal.SIGKILL)
    kept = {file: file.stat().st_mtime_ns for file in cells.glob("[!.]*")}
    assert 3 <= len(kept) < 20
    assert not (broken / "quick.csv").exists()
    done(*MANY, "--quiet", "--out", broken)
    done(*MANY, "--quiet", "--out", whole)
    assert files(broken, "quick") == files(whole, "quick")
    assert all(file.stat().st_mtime_ns == before for file, before in kept.items())


def test_one_process_and_two_give_the_same_file(tmp_path, once):
    assert run_suite(TINY, tmp_path, over_processes(2)) == []
    assert files(tmp_path) == files(once)


@pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed: pip install .[dask]")
def test_a_dask_cluster_gives_the_same_file(tmp_path, once):
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1"
    ) as cluster:
        assert run_suite(TINY, tmp_path, over_dask(cluster.scheduler_address)) == []
    assert files(tmp_path) == files(once)


ONE_THREAD = """
from threadpoolctl import threadpool_info
import wayfare.bench.cell as module

def look(*arguments, **extra):
    import scipy.optimize, scipy.spatial, scipy.stats
    threads = {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}
    assert threads <= {1}, threads
    print("looked")
    raise SystemExit

module.run_problem = look
module.run_cell(module.Cell("branin", 5, 0, "ucb", 0, "own"))
"""


def test_a_cell_has_one_thread_of_blas_even_of_one_that_is_loaded_later():
    child = subprocess.run([sys.executable, "-c", ONE_THREAD], capture_output=True, text=True, check=False)
    assert child.stdout == "looked\n", child.stderr


def test_finished_cells_are_never_run_again(once, monkeypatch):
    before = files(once)
    monkeypatch.setattr(cell_module, "run_problem", None)
    seen = []
    assert run_suite(TINY, once, on_begin=lambda *counts: seen.append(counts), on_cell=seen.append) == []
    assert seen == [(4, 4)]
    assert files(once) == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: json.dumps(json.loads(text) | {"legs": [0.0]}),
        lambda text: text.replace('"seed": 1', '"seed": 0'),
        lambda text: "[]",
    ],
)
def test_half_written_cells_are_not_counted(tmp_path, once, spoil):
    run_suite(TINY, tmp_path)
    cells = tmp_path / "tiny" / "cells"
    victim = cells / "branin.T5.d0.tucb.s1.json"
    victim.write_text(spoil(victim.read_text()))
    (cells / f".{victim.name}.1.new").write_text("{")
    again = []
    run_suite(TINY, tmp_path, on_cell=again.append)
    assert [str(one.cell) for one in again] == ["tucb on branin, T = 5, seed 1"]
    assert files(tmp_path) == files(once)


def test_a_cell_that_fails_is_named_and_does_not_stop_the_others(tmp_path, once, monkeypatch):
    def fragile(problem, method, trials, seed, *rest, label, **extra):
        if (label, seed) == ("tucb", 0):
            raise RuntimeError("no luck\ntoday")
        return run_problem(problem, method, trials, seed, *rest, label=label, **extra)

    monkeypatch.setattr(cell_module, "run_problem", fragile)
    outcomes = []
    failures = run_suite(TINY, tmp_path, on_cell=outcomes.append)
    assert [str(one) for one in failures] == ["tucb on branin, T = 5, seed 0: RuntimeError: no luck today"]
    assert [type(one) for one in outcomes].count(Measured) == 3
    assert len(files(tmp_path)[0].splitlines()) == 1 + 3
    monkeypatch.undo()
    assert run_suite(TINY, tmp_path) == []
    assert files(tmp_path) == files(once)


def test_a_command_with_a_failing_cell_ends_with_1(tmp_path, monkeypatch):
    monkeypatch.setattr(cell_module, "run_problem", None)
    result = call(*MANY, "--seeds", 2, "--quiet", "--out", tmp_path)
    assert result.exit_code == 1
    assert "failed: random on branin, T = 8, seed 1: TypeError" in result.stderr
    assert "Error: 2 runs failed" in result.stderr


def test_results_of_a_worker_with_other_versions_are_not_taken(tmp_path):
    def elsewhere(cells):
        for one in cells:
            ours = cell_module.run_cell(one)
            yield Measured(one, ours.unit, ours.regret, ours.legs, 0.0, 1, ours.versions | {"numpy": "1.0"}, 0.0)

    failures = run_suite(TINY, tmp_path, elsewhere)
    assert len(failures) == 4
    assert all(isinstance(one, Failure) and "numpy 1.0" in one.why for one in failures)


def test_a_worker_with_other_code_of_ours_says_so(tmp_path):
    def elsewhere(cells):
        for one in cells:
            ours = cell_module.run_cell(one)
            yield evolve(ours, versions=ours.versions | {"wayfare code": "0" * 12})

    here = our_versions()["wayfare code"]
    failures = run_suite(TINY, tmp_path, elsewhere)
    said = f"the worker has wayfare code 000000000000; here it is wayfare code {here}"
    assert [one.why for one in failures] == [said] * 4
    assert not list((tmp_path / "tiny" / "cells").iterdir())


def test_what_only_a_report_shows_may_change(once):
    assert run_suite(evolve(TINY, summary="other", baseline="random"), once) == []


def test_a_cluster_that_does_not_answer_is_one_line(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("wayfare.bench.harness.PATIENCE", 0.2)
    result = call(*MANY, "--dask", "tcp://127.0.0.1:9", "--quiet", "--out", tmp_path)
    assert result.exit_code == 2
    assert "no scheduler answers at 'tcp://127.0.0.1:9'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("qick",), "suite: none is called 'qick'; did you mean 'quick'?"),
        (("quick", "--methods", "tucbb"), "method: none is called 'tucbb'; did you mean 'tucb'?"),
        (("quick", "--problems", "brannin"), "problem: none is called 'brannin'; did you mean 'branin'?"),
        (("quick", "--methods", "ucb,ucb"), "methods: each only once, got ['ucb', 'ucb']"),
        (("quick", "--methods", ","), "--methods: give at least one name"),
        (("quick", "--trials", "1"), "1 is not in the range"),
    ],
)
def test_what_is_unknown_is_refused_with_the_nearest_name(tmp_path, arguments, said):
    result = call("bench", "run", *arguments, "--out", tmp_path)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not list(tmp_path.iterdir())

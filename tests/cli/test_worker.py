"""``wayfare worker``: a program or a function measures the stops, and nothing is lost when it fails or is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import wayfare as wf
from tests.cli.studies import call, done

ROOT = Path(__file__).parents[2]
MEASURE = """
import json, os, subprocess, sys, time
trial = json.load(sys.stdin)
how = sys.argv[1] if trial["number"] == 1 else "well"
if how == "slow":
    open("begun", "w").close()
    time.sleep(60)
if how == "badly":
    print("the pump leaks\\x1b[31m", file=sys.stderr)
    sys.exit(3)
if how == "daemon":
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])
if how == "endless":
    print("x" * 10_000_000, end="")
    print("\\n" * 60_000)
if how == "killed":
    os.kill(os.getpid(), 9)
print("warming up")
print({"silent": "\\n", "text": "done", "nan": "nan", "more": '{"value": 1, "colour": 2}', "list": "[1]"}.get(how)
    or ('{"value": 0.5, "measured": {"purity": 0.9}}' if how == "measured" else trial["params"]["x"]))
"""


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A folder with a study of four stops, and a program that measures."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "measure.py").write_text(MEASURE)
    (tmp_path / "bench.py").write_text(
        "def measure(x):\n    return 2 * x\n\n\ndef fails(x):\n    raise KeyError('x')\n"
    )
    wf.Study.create(
        wf.Space(wf.Real("x", 1, 2)),
        direction="maximize",
        travel=wf.Euclidean(),
        trials=4,
        method="random",
        measured=wf.Measured("purity", at_least=0.5),
        store="lab.db",
        name="hill",
    )
    return tmp_path


def command(how="well"):
    return "worker", "hill", "--store", "lab.db", "--run", f"'{sys.executable}' measure.py {how}"


def trials():
    return wf.Study.open("lab.db", "hill").trials


@pytest.mark.subprocess
def test_a_program_measures_until_nothing_is_left(lab):
    result = call(*command())
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [f"trial {trial.number} told: {trial.value:g}" for trial in trials()]
    assert "no trials are left" in result.stderr
    assert all(trial.value == trial.params["x"] for trial in trials())
    assert call(*command()).stdout == ""


@pytest.mark.subprocess
@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("badly", "the pump leaks"),
        ("killed", "killed by signal 9"),
        ("silent", "must be a number, or JSON with value and measured, got 'warming up'"),
        ("text", "got 'done'"),
        ("nan", "finite"),
        ("more", 'got \'{"value": 1, "colour": 2}\''),
        ("list", r"got '[1]'"),
    ],
)
def test_what_is_no_result_is_a_failed_trial_with_the_reason(lab, how, why):
    result = call(*command(how))
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    assert why in trials()[1].why
    assert [trial.state for trial in trials()] == ["told", "failed", "told", "told"]


@pytest.mark.subprocess
def test_what_is_measured_beside_the_value_is_told(lab):
    (first, second, *_) = map(json.loads, done(*command("measured"), "--json").splitlines())
    assert (second["value"], second["measured"]) == (0.5, {"purity": 0.9})
    assert first["measured"] == {}


def test_a_function_measures_instead(lab):
    assert call("worker", "hill", "--store", "lab.db", "--call", "bench:measure").exit_code == 0
    assert all(trial.value == 2 * trial.params["x"] for trial in trials())


def test_failures_in_a_row_stop_the_worker(lab):
    result = call("worker", "hill", "--store", "lab.db", "--call", "bench:fails", "--failures", "2")
    assert result.exit_code == 1
    assert "Error: KeyError: 'x'; 2 failed trials in a row, trial 1 last" in result.stderr
    assert len(trials()) == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "say what measures"),
        (("--run", "a", "--call", "b:c"), "say what measures"),
        (("--run", " "), "the command is empty"),
        (("--run", "'half"), "No closing quotation"),
        (("--call", "bench"), "written module:attribute, as in lab:measure"),
        (("--call", "bench:none"), "has no 'none'"),
        (("--call", "bench:__name__"), "is no function"),
        (("--run", "a", "--lease", "long"), "not a length of time"),
        (("--run", "a", "--failures", "0"), "--failures"),
    ],
)
def test_misuse_is_refused_before_a_stop_is_asked_for(lab, given, said):
    result = call("worker", "hill", "--store", "lab.db", *given)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not trials()


def test_a_program_that_is_not_there_fails_no_trial(lab):
    result = call("worker", "hill", "--store", "lab.db", "--run", "no-such-program")
    assert result.exit_code == 1
    assert "'no-such-program' cannot be run: No such file or directory" in result.stderr
    assert [trial.state for trial in trials()] == ["asked"]


@pytest.mark.subprocess
@pytest.mark.parametrize("how", ["daemon", "endless"])
def test_a_program_may_leave_another_one_running_and_say_much(lab, how):
    begun = time.monotonic()
    assert call(*command(how), "--lease", "20s").exit_code == 0
    assert all(trial.value == trial.params["x"] for trial in trials())
    assert time.monotonic() - begun < 60


@pytest.mark.subprocess
def test_a_program_that_takes_longer_than_its_lease_is_stopped(lab):
    begun = time.monotonic()
    assert call(*command("slow"), "--lease", "0.5s").exit_code == 0
    assert trials()[1].why == "the command took longer than 0:00:00.500000, and was stopped"
    assert time.monotonic() - begun < 40


def started(lab, how):
    """Start a worker, and wait until its program measures trial 1."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    arguments = [sys.executable, "-m", "wayfare", *command(how)]
    # Tests that run in the background ignore Ctrl-C, and what they start would, too.
    heeded = None if os.name != "posix" else partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    process = subprocess.Popen(arguments, env=environment, preexec_fn=heeded, **pipes)
    until = time.monotonic() + 60
    while not (lab / "begun").exists():
        assert time.monotonic() < until
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.02)
    return process


@pytest.mark.subprocess
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_stopped_leaves_its_trial_open_and_goes_on_with_it(lab, how):
    process = started(lab, "slow")
    process.send_signal(how)
    output, _ = process.communicate(timeout=30)
    assert b"Traceback" not in output
    assert process.returncode == 130
    (trial,) = wf.Study.open("lab.db", "hill").state.open_trials
    assert trial.number == 1
    assert call(*command()).exit_code == 0
    assert {one.worker for one in trials()} == {trial.worker}
    assert all(one.value == one.params["x"] for one in trials())


@pytest.mark.subprocess
@pytest.mark.skipif(os.name != "posix", reason="elsewhere a program does not inherit the lock")
def test_a_killed_worker_whose_program_still_runs_is_not_begun_anew(lab):
    process = started(lab, "slow")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.kill()
    process.communicate()
    worker = trials()[1].worker
    refused = call(*command(), "--worker", worker)
    assert refused.exit_code == 1
    assert "or what it started still runs" in refused.stderr
    os.killpg(int(children[0]), signal.SIGKILL)
    until = time.monotonic() + 30
    while (result := call(*command(), "--worker", worker)).exit_code:
        assert time.monotonic() < until, result.output
        time.sleep(0.05)
    assert [one.state for one in trials()] == ["told"] * 4

"""Processes, threads and forks at one store."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import wayfare as wf
from crashes.crowd import crowd
from crashes.script import NAME, create
from wayfare.store import SqliteStore, database
from wayfare.store.database import Gate
from wayfare.testing.store import FORM, line

pytestmark = pytest.mark.subprocess


def in_a_child(work):
    """Run ``work`` in a fork of this process; return its exit code."""
    if (child := os.fork()) == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return child


def ended_well(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_four_processes_at_one_study_meet_no_error_and_no_trial_twice(tmp_path):
    done = crowd(tmp_path / "lab.db", processes=4, moves=25)
    assert not done.errors
    assert done.moves.total() == 100


def test_a_study_open_before_a_fork_can_be_written_on_both_sides(tmp_path):
    study = create(tmp_path / "lab.db")
    first = study.ask("before")

    def go_on(worker):
        for n in range(6):
            study.tell(study.ask(worker), n, request=f"{worker} {n}")

    children = [in_a_child(lambda worker=worker: go_on(worker)) for worker in ("left", "right")]
    go_on("parent")
    assert all(map(ended_well, children))
    study.tell(first, 1.0)
    state = wf.Study.open(tmp_path / "lab.db", NAME).state
    assert len(state.results) == 19
    workers = [trial.worker for trial in state.trials]
    assert [workers.count(worker) for worker in ("left", "right", "parent", "before")] == [6, 6, 6, 1]


def test_no_connection_is_open_between_two_operations(tmp_path):
    store = SqliteStore(tmp_path / "lab.db")
    store.create("hill", FORM)
    store.append("hill", 0, [line(0)])
    with pytest.raises(wf.Conflict):
        store.append("hill", 0, [line(0)])
    links = [os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")]
    assert str(store.path) not in links


def test_forks_while_threads_write_leave_children_that_can_write(tmp_path):
    # In a process of its own: what other tests left running here is not ours to fork.
    code = "import sys; from tests.store.test_crowds import fork_while_threads_write as go; go(sys.argv[1])"
    root = Path(__file__).parents[2]
    paths = os.pathsep.join(str(path) for path in (root, root / "benchmarks", root / "src"))
    environment = os.environ | {"PYTHONPATH": paths}
    command = [sys.executable, "-c", code, str(tmp_path / "lab.db")]
    done = subprocess.run(command, env=environment, timeout=300, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def fork_while_threads_write(path):
    plenty = 1_000_000  # trials: no writer comes to the end before the last child does
    study, stop = create(Path(path), plenty), threading.Event()

    def write(worker):
        while not stop.is_set():
            study.tell(study.ask(worker), 1.0)

    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(write, f"thread {n}") for n in range(2)]
        children = []
        for n in range(6):
            child = f"child {n}"
            children.append(in_a_child(lambda child=child: study.insert({"x": 0, "y": 0}, worker=child)))
        well = list(map(ended_well, children))
        stop.set()
        for writer in writers:
            writer.result()
    assert all(well)
    workers = [trial.worker for trial in wf.Study.open(path, NAME).trials]
    assert all(workers.count(f"child {n}") == 1 for n in range(6))


def test_no_property_has_a_lock_that_a_fork_could_inherit():
    # Before Python 3.12 functools.cached_property locks its class: a thread that was inside when another one
    # forked is inside for ever in the child. attrs replaces it by one without a lock in classes with slots.
    names = [found.name for found in walk_packages(wf.__path__, "wayfare.")]
    # Plug-ins need packages that may be missing.
    modules = [import_module(name) for name in names if name != "wayfare.__main__" and ".plug." not in name]
    classes = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type)}
    ours = [kind for kind in classes if kind.__module__.startswith("wayfare.")]
    assert len(ours) > 100
    parts = {part: kind for kind in ours for part in vars(kind).values() if isinstance(part, cached_property)}
    assert not parts


def test_a_fork_waits_for_other_threads_and_not_for_its_own():
    gate = Gate()
    inside, leave, shut = threading.Event(), threading.Event(), threading.Event()

    def operate():
        with gate.inside():
            inside.set()
            leave.wait()

    def fork():
        gate.shut()
        shut.set()
        gate.open()

    operating = threading.Thread(target=operate)
    operating.start()
    inside.wait()
    forking = threading.Thread(target=fork)
    forking.start()
    assert not shut.wait(0.05)
    leave.set()
    assert shut.wait(10)
    operating.join()
    forking.join()
    with gate.inside():
        gate.shut()
        gate.open()


def test_a_transaction_that_fails_leaves_nothing_behind(tmp_path):
    path = tmp_path / "lab.db"
    store = SqliteStore(path)
    store.create("hill", FORM)

    def interrupted():
        with database.writing(path) as connection:
            connection.execute("INSERT INTO event VALUES (1, 0, 'x', x'00')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert store.read("hill").events == []
    store.append("hill", 0, [line(0)])

"""The lock that a planner holds beside the store's file."""

import errno
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread

import pytest

from wayfare.store import SqliteStore, lock

HOLD = """
import sys, time
from pathlib import Path
from wayfare.store.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lab.db.planning"


def holder(path):
    """Return another process that holds the lock."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    return process


def is_free(path):
    handle = lock.take(path)
    if handle is not None:
        lock.give_back(path, handle)
    return handle is not None


@pytest.mark.subprocess
def test_a_process_that_is_killed_lets_go_of_the_lock(path):
    process = holder(path)
    assert not is_free(path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert is_free(path)
    assert not path.exists()


@pytest.mark.subprocess
def test_a_child_that_outlives_its_killed_parent_does_not_keep_the_lock(path):
    with lock.locked(path):
        assert not is_free(path)
        if (child := os.fork()) == 0:
            time.sleep(600)
            os._exit(0)
        held = next(iter(lock._held))
        lock._held.discard(held)
        os.close(held)  # as the system does when a process is killed
        deadline = time.monotonic() + 10
        while not (free := is_free(path)) and time.monotonic() < deadline:
            time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert free


@pytest.mark.subprocess
def test_leaving_the_lock_in_a_forked_child_does_not_take_it_from_the_parent(path):
    with lock.locked(path):
        if (child := os.fork()) == 0:
            os._exit(0 if not lock._held else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert not is_free(path)
    assert is_free(path)


def test_the_lock_leaves_no_file_behind(path):
    with lock.locked(path):
        assert path.exists()
    assert not path.exists()


def test_an_error_inside_lets_go_of_the_lock(path):
    with pytest.raises(KeyboardInterrupt), lock.locked(path):
        raise KeyboardInterrupt
    assert is_free(path)


def test_a_lock_on_a_file_that_was_removed_meanwhile_does_not_count(path, monkeypatch):
    monkeypatch.setattr(lock, "_lock", lambda handle: path.unlink())  # its holder let go just now
    assert lock.take(path) is None


def test_a_holder_that_stands_still_is_waited_for_only_so_long(path, monkeypatch, caplog):
    monkeypatch.setattr(lock, "PATIENCE", 0.05)
    with lock.locked(path), caplog.at_level(logging.WARNING), lock.locked(path):
        pass
    assert "another process has held" in caplog.text
    assert is_free(path)


def test_a_place_without_locks_is_said_and_costs_only_time(path, monkeypatch, caplog):
    def refuse(handle):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(lock, "_lock", refuse)
    with caplog.at_level(logging.INFO), lock.locked(path), lock.locked(path):
        pass
    assert "cannot be locked (No locks available): several workers may plan at once" in caplog.text


def test_a_link_in_the_place_of_the_lock_is_not_followed(path, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("kept")
    path.symlink_to(precious)
    with lock.locked(path):
        pass
    assert precious.read_text() == "kept"


def test_studies_of_any_name_have_locks_of_their_own_beside_the_store(tmp_path):
    path = SqliteStore(tmp_path / "lab.db").path
    names = ["hill", "lake", "a/b", "..", "\ud800", "x" * 5000, "北京"]
    files = {lock.lock_of(path, name) for name in names}
    assert len(files) == len(names)
    assert {file.parent for file in files} == {Path(tmp_path)}
    for file in files:
        with lock.locked(file):
            assert file.exists()


def test_a_thread_waits_until_another_lets_go(path):
    order, held = [], Event()

    def second():
        held.wait()
        with lock.locked(path):
            order.append("second")

    waiting = Thread(target=second)
    waiting.start()
    with lock.locked(path):
        held.set()
        time.sleep(0.05)
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]

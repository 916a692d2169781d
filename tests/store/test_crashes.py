"""Killed, out of space or without current: nothing acknowledged is lost, and nothing happens twice.

These are the short versions; ``benchmarks/faults.py`` takes every system call and many more disks.
"""

import random

import pytest

from crashes.child import memory_folder, strace_works
from crashes.kills import (
    BROKEN,
    CREATE,
    Stage,
    fail_every_call,
    kill_at_every_call,
    kill_at_random,
    limit_every_size,
    starve_of_memory,
)
from crashes.malformed import spoil_in_every_way
from crashes.power import cut_everywhere
from crashes.script import SCRIPT, Undisturbed, create, play
from crashes.writes import Setting, load, record

pytestmark = pytest.mark.subprocess

needs_strace = pytest.mark.skipif(not strace_works(), reason="strace is not here or may not trace")
FAIR = {"refused, not stored", "acknowledged, stored", "unsure, not stored", "unsure, stored"}
STEPS = {"create": CREATE, "ask": 10, "tell": 11, "plan": 12}


def quiet(line):
    """Show no progress."""


@pytest.fixture
def folder():
    """A folder in memory if there is one: what a real disk would do is simulated here."""
    with memory_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def undisturbed():
    return Undisturbed()


def test_the_steps_are_what_they_are_called():
    assert [SCRIPT[step][0] for step in (10, 11, 12)] == ["ask", "tell", "ask"]


@needs_strace
@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_a_process_killed_at_any_system_call_leaves_a_good_store(folder, undisturbed, step):
    stage = Stage(folder, step, undisturbed)
    ends = kill_at_every_call(stage, every=20 if step != CREATE else 5, progress=quiet)
    assert set(ends) <= {"killed, stored", "killed, not stored", "acknowledged, stored"}
    assert ends["killed, not stored"] > 5


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_a_process_killed_at_any_moment_leaves_a_good_store(folder, undisturbed, step):
    ends = kill_at_random(Stage(folder, step, undisturbed), 8, random.Random(0), progress=quiet)
    assert sum(ends.values()) == 8


@needs_strace
@pytest.mark.parametrize(("error", "calls"), [("ENOSPC", ("pwrite64",)), ("EIO", ("fdatasync", "unlink", "openat"))])
@pytest.mark.parametrize("step", [CREATE, 11], ids=["create", "tell"])
def test_a_disk_that_fails_makes_a_store_error_and_what_is_reported_is_stored(folder, undisturbed, step, error, calls):
    ends = fail_every_call(Stage(folder, step, undisturbed), (error,), calls, progress=quiet)
    assert ends["refused, not stored"] > 2
    assert set(ends) <= FAIR


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_files_that_may_not_grow_make_a_store_error_and_what_is_reported_is_stored(folder, undisturbed, step):
    ends = limit_every_size(Stage(folder, step, undisturbed), by=8_000)
    assert ends["refused, not stored"]
    assert ends["acknowledged, stored"]
    assert BROKEN not in ends


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_a_process_without_memory_loses_nothing(folder, undisturbed, step):
    ends = starve_of_memory(Stage(folder, step, undisturbed), of_sqlite=24_000, of_all=1 << 21, progress=quiet)
    assert BROKEN not in ends
    assert ends["out of memory, not stored"] > 2
    assert ends["acknowledged, stored"] >= 8


def test_what_is_read_from_a_malformed_database_is_right_or_an_error(folder):
    ends = spoil_in_every_way(folder, random.Random(0), progress=quiet, each=20)
    assert ends["wrong"] == 0
    assert ends["error"] > 100
    assert ends["right"] > 10


def cuts(log, folder, undisturbed, every=1):
    return cut_everywhere(log, folder / "disk", undisturbed, 2, random.Random(0), every, progress=quiet)


@needs_strace
def test_no_power_cut_loses_what_was_acknowledged(folder, undisturbed):
    found = cuts(record(folder, Setting(), moves=4), folder, undisturbed)
    assert found.lost == 0, found.reasons
    assert found.moments > 80
    assert found.disks > 60


def test_no_power_cut_in_the_log_kept_with_the_tests_loses_what_was_acknowledged(folder, undisturbed):
    found = cuts(load(), folder, undisturbed, every=8)
    assert found.lost == 0, found.reasons
    assert found.disks > 60


@needs_strace
@pytest.mark.parametrize(
    "weaker", [Setting("DELETE", "FULL"), Setting("DELETE", "OFF"), Setting("WAL", "NORMAL")], ids=str
)
def test_the_simulation_finds_what_weaker_settings_lose(folder, undisturbed, weaker):
    assert cuts(record(folder, weaker, moves=2), folder, undisturbed).lost > 0


def test_the_simulation_finds_a_loss_in_the_kept_log_if_folders_are_never_synced(folder, undisturbed):
    log = [entry for entry in load() if not (entry.what == "sync" and entry.name == "")]
    assert cuts(log[:45], folder, undisturbed).lost > 0


def test_the_script_ends_alike_in_a_file_and_in_memory(folder, undisturbed):
    play(create(folder / "lab.db"), 0, len(SCRIPT))
    assert undisturbed.check(folder / "lab.db", len(SCRIPT), len(SCRIPT)) == len(SCRIPT)

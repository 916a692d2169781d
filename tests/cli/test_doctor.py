"""``doctor``: all is well, or what is not."""

import os
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from importlib.metadata import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.cli.studies import REACTOR, call, done, records
from wayfare.cli.upkeep import EXTRAS


def checks():
    return {one["check"]: one for one in records("doctor")}


def test_a_sound_store_is_found_sound_and_left_alone(lab):
    before = (lab / "wayfare.db").read_bytes()
    found = checks()
    assert all(one["ok"] is not False for one in found.values())
    assert found["store"]["said"].endswith("format 2, journal delete, synchronous extra")
    assert found["writable"]["ok"]
    assert "0 of 6 trials told, 0 events" in found["study snar"]["said"]
    assert found["self test"]["said"] == "planned and told 4 trials in memory"
    assert " kB, format 2" in found["store"]["said"]
    assert (lab / "wayfare.db").read_bytes() == before
    assert not (lab / "wayfare.db-journal").exists()


def test_the_table_stays_within_eighty_columns(lab):
    lines = done("doctor").splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("ok  sqlite") for line in lines)


def test_no_store_yet_is_nothing_wrong(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = checks()
    assert found["store"]["ok"] is None
    assert "wayfare new" in found["store"]["said"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be one" * 50, b"SQLite format 3\0"])
def test_a_file_that_is_no_store_is_found(lab, content):
    (lab / "wayfare.db").write_bytes(content)
    result = call("doctor")
    assert result.exit_code == 1
    assert result.stderr == "Error: not in order: store\n"
    assert "WRONG  store" in result.stdout
    assert (lab / "wayfare.db").read_bytes() == content


def test_a_missing_folder_is_found(lab):
    result = call("doctor", "--store", "none/lab.db")
    assert result.exit_code == 1
    assert "there is no folder" in result.stdout


def test_a_full_disk_is_found(lab, monkeypatch):
    usage = namedtuple("usage", "total used free")(1, 1, 1_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    result = call("doctor")
    assert result.exit_code == 1
    assert "not in order: disk" in result.stderr


@pytest.mark.parametrize("kept", ["wayfare.db", ""])
def test_a_store_that_cannot_be_written_is_found(lab, kept, monkeypatch):
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != lab / kept and allowed(path, mode))
    result = call("doctor")
    assert result.exit_code == 1
    assert "writable" in result.stderr
    assert "WRONG  writable" in result.stdout
    assert "  no:" in result.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_what_another_user_may_not_write_is_found_by_writing():
    with TemporaryDirectory() as folder:
        (Path(folder) / "snar.toml").write_text(REACTOR)
        store = Path(folder) / "lab.db"
        done("new", Path(folder) / "snar.toml", "--store", store)
        before = store.read_bytes()
        store.chmod(0o444)
        Path(folder).chmod(0o555)
        code = (
            "import os, pathlib, wayfare.store.database; from wayfare.cli.upkeep import try_writing; "
            "os.setgroups([]); os.setgid(65534); os.setuid(65534); os.access = lambda *_: True; "
            f"try_writing(pathlib.Path({str(store)!r}))"
        )
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert ran.returncode == 1
        assert "StoreError: no: " in ran.stderr
        assert "read-only for this user" in ran.stderr
        assert store.read_bytes() == before


def test_a_self_test_that_fails_is_a_finding_not_a_crash(lab, monkeypatch):
    def ill(*arguments, **options):
        raise RuntimeError("no linear algebra today")

    monkeypatch.setattr("wayfare.study.study.Study.create", ill)
    result = call("doctor")
    assert result.exit_code == 1
    assert "RuntimeError: no linear algebra today" in result.stdout


def test_every_extra_of_a_user_is_listed(lab):
    """None that is added to the package may be forgotten; those of developers need not be told."""
    extras = set(metadata("wayfare").get_all("Provides-Extra")) - {"dev", "docs", "peers", "plug", "browser"}
    assert set(EXTRAS.values()) == extras
    assert extras <= set(re.split(r"\W+", checks()["extras"]["said"]))

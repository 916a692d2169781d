"""``doctor``: all is well, or what is not."""

import os
import shutil
from collections import namedtuple

import pytest

from tests.cli.studies import call, done, records


def checks():
    return {one["check"]: one for one in records("doctor")}


def test_a_sound_store_is_found_sound_and_left_alone(lab):
    before = (lab / "wayfare.db").read_bytes()
    found = checks()
    assert all(one["ok"] is not False for one in found.values())
    assert found["store"]["said"].endswith("format 1, journal delete, synchronous extra")
    assert found["writable"]["ok"]
    assert "0 of 6 trials told, 0 events" in found["study snar"]["said"]
    assert "planned and told 4 trials" in found["self test"]["said"]
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


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to be one" * 50, b"SQLite format 3\0"]
)
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


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_store_that_cannot_be_written_is_found(lab):
    (lab / "wayfare.db").chmod(0o444)
    result = call("doctor")
    assert result.exit_code == 1
    assert "writable" in result.stderr


def test_a_self_test_that_fails_is_a_finding_not_a_crash(lab, monkeypatch):
    def ill(*arguments, **options):
        raise RuntimeError("no linear algebra today")

    monkeypatch.setattr("wayfare.study.Study.create", ill)
    result = call("doctor")
    assert result.exit_code == 1
    assert "RuntimeError: no linear algebra today" in result.stdout

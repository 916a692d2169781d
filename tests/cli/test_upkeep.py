"""``backup`` and ``verify``: a second copy, and whether the first is sound."""

import json
import os
import sqlite3
import sys

from tests.cli.studies import call, done, record, records


def test_a_backup_holds_the_same_studies(lab):
    done("ask", "snar")
    result = call("backup", "copy.db")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "1 study copied from wayfare.db to copy.db\n"
    assert record("backup", "two.db") == {"store": "wayfare.db", "target": "two.db", "studies": ["snar"]}
    assert records("trials", "snar", "--store", "copy.db") == records("trials", "snar")


def test_a_backup_never_writes_over_a_file(lab):
    (lab / "copy.db").write_text("precious")
    result = call("backup", "copy.db")
    assert result.exit_code == 1
    assert "exists already" in result.stderr
    assert (lab / "copy.db").read_text() == "precious"


def test_a_backup_of_nothing_is_refused(lab):
    result = call("backup", "copy.db", "--store", "none.db")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: no store at")
    assert not (lab / "copy.db").exists()


def test_a_sound_store_says_what_was_checked(lab):
    done("ask", "snar")
    done("tell", "snar", 0, "0.5")
    lines = done("verify").splitlines()
    assert lines[0] == "wayfare.db: 1 study, 3 events, 1 trial, 1 leg checked"
    assert lines[-1] == "sound"
    found = record("verify")
    assert found["sound"] is True
    assert (found["events"], found["findings"]) == (3, [])


def test_what_was_changed_behind_the_back_is_found(lab):
    done("ask", "snar")
    done("tell", "snar", 0, "0.5")
    with sqlite3.connect(lab / "wayfare.db") as connection:
        connection.execute("DROP TRIGGER event_no_update")
        connection.execute("UPDATE event SET body = replace(body, '0.5', '0.9')")
        trigger = "BEFORE update ON event BEGIN SELECT raise(ABORT, 'what a store holds never changes'); END"
        connection.execute(f"CREATE TRIGGER event_no_update {trigger}")
    connection.close()
    result = call("verify")
    assert result.exit_code == 1
    assert "WRONG: study 'snar'" in result.stdout
    assert result.stderr.startswith("Error: the store is not sound")
    assert json.loads(call("verify", "--json").stdout)["sound"] is False


def test_a_backup_that_cannot_be_made_names_its_target_and_no_other_file(lab, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        result = call("backup", "copy.db")
        assert result.exit_code == 1
        assert ".part" not in result.stderr
        assert "copy.db could not be made: No space left" in result.stderr
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    result = call("backup", "copy.db")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith("copy.db cannot be made: its folder is read-only for this user; choose another\n")
    assert sorted(path.name for path in lab.iterdir()) == ["snar.toml", "wayfare.db"]


def test_events_that_do_not_add_up_are_said_in_words(lab, monkeypatch):
    def odd(*arguments):
        raise KeyError("nothing a person could read")

    done("ask", "snar")
    monkeypatch.setattr(sys.modules["wayfare.store.verify"], "replay", odd)
    assert "it cannot be read back: its events cannot be replayed" in call("verify").stdout
    monkeypatch.setattr("wayfare.study.journal.apply", odd)
    for arguments in (("status", "snar"), ("list",)):
        result = call(*arguments)
        assert result.exit_code == 1
        assert "nothing a person" not in result.output
        assert "cannot be replayed" in " ".join(result.output.split())

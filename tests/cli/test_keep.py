"""``backup`` and ``verify``: a second copy, and whether the first is sound."""

import json
import sqlite3

from tests.cli.studies import call, done, record, records


def test_a_backup_holds_the_same_studies(lab):
    done("ask", "snar")
    result = call("backup", "copy.db")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "1 study copied from wayfare.db to copy.db\n"
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

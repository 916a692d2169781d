"""``rename``, ``archive``, ``delete``, ``restore`` and ``upgrade`` over a real file."""

from pathlib import Path

import pytest

from tests.cli.studies import call, done, record, records

GOLDEN = Path(__file__).parents[1] / "golden" / "stores"


@pytest.fixture
def told(lab):
    """The study with a trial told."""
    done("ask", "snar")
    done("tell", "snar", 0, 0.5)
    return lab


def test_a_renamed_study_goes_on_and_its_log_says_so(told):
    assert done("rename", "snar", "coil", "--why", "typo", "--as", "bo") == "snar is called coil now\n"
    assert record("ask", "coil")["number"] == 1
    result = call("status", "snar")
    assert result.exit_code == 1
    assert (
        result.stderr == "Error: no study named 'snar': it was renamed to 'coil', `wayfare log` says when and by whom\n"
    )
    (entry,) = [entry for entry in records("log", "coil") if entry["what"] == "renamed"]
    assert (entry["by"], entry["via"], entry["why"]) == ("bo", "cli", "typo")
    assert record("rename", "coil", "snar") == {"store": "wayfare.db", "before": "coil", "after": "snar"}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("rename", "snar", "snar"), 2, "is called so already"),
        (("rename", "snar", "--", "-x"), 2, "begins with a dash"),
        (("rename", "snare", "x"), 1, "did you mean 'snar'?"),
        (("archive", "snare"), 1, "did you mean 'snar'?"),
        (("archive", "snar", "--undo"), 1, "not archived"),
        (("delete", "snare", "--yes", "snare"), 1, "did you mean 'snar'?"),
        (("delete", "snar", "--yes", "snare"), 2, "nothing was deleted"),
        (("restore", "none.db"), 1, "no store at"),
        (("restore", "wayfare.db"), 2, "is the store itself"),
        (("restore", "snar.toml"), 1, "is not a store"),
        (("upgrade", "--store", "none.db"), 1, "no store at"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_changes_nothing(told, arguments, code, said):
    before = {path.name: path.read_bytes() for path in told.iterdir()}
    result = call(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert said in result.stderr
    assert {path.name: path.read_bytes() for path in told.iterdir()} == before


def test_an_archived_study_is_hidden_and_kept(told):
    done("new", "snar.toml", "--name", "second")
    assert done("archive", "snar") == "snar is archived; `wayfare list --all` shows it\n"
    result = call("list")
    assert [line.split()[0] for line in result.stdout.splitlines()[1:]] == ["second"]
    assert result.stderr == "Note: 1 archived; list --all shows it\n"
    assert [one["name"] for one in records("list", "--all")] == ["snar", "second"]
    assert [one["name"] for one in records("list")] == ["second"]
    assert record("ask", "snar")["number"] == 1
    assert record("archive", "snar", "--undo") == {"store": "wayfare.db", "study": "snar", "archived": False}
    assert len(records("list")) == 2


def test_deleting_asks_for_the_name(told):
    before = (told / "wayfare.db").read_bytes()
    for typed in ("snare\n", "\n\n", ""):
        assert call("delete", "snar", input=typed).exit_code != 0
        assert (told / "wayfare.db").read_bytes() == before
    result = call("delete", "snar", "--why", "asked for", input="snar\n")
    assert (result.exit_code, result.stdout) == (0, "snar is deleted, with 3 events\n")
    assert "snar and its 3 events will be gone for good; archive hides a study and keeps it" in result.stderr
    assert records("list") == []
    entry = records("log")[-1]
    assert (entry["what"], entry["by"], entry["why"]) == ("deleted", "ana", "asked for")
    assert {one["field"]: one["before"] for one in entry["changes"]}["events"] == 3
    assert "deleted: name snar, events 3, head " in " ".join(done("log").split())


def test_deleting_needs_no_question_if_the_name_is_given_twice(told):
    assert record("delete", "snar", "--yes", "snar") == {"store": "wayfare.db", "study": "snar", "events": 3}


def test_a_backup_is_put_back_and_the_old_store_kept(told):
    done("backup", "copy.db")
    done("delete", "snar", "--yes", "snar")
    result = call("restore", "copy.db", "--why", "wrong study")
    assert result.stdout == "1 study restored from copy.db to wayfare.db\n"
    (aside,) = told.glob("wayfare.replaced-*.db")
    assert aside.name in result.stderr
    assert records("trials", "snar")[0]["value"] == 0.5
    assert records("log")[-1]["why"] == "wrong study"
    assert "deleted" in done("log", "--store", aside)
    (told / "wayfare.db").unlink()
    assert record("restore", "copy.db")["aside"] is None


def test_an_old_store_is_upgraded_on_request(lab):
    Path("old.db").write_bytes((GOLDEN / "mishaps.db").read_bytes())
    done("status", "mishaps", "--store", "old.db")
    assert Path("old.db").read_bytes() == (GOLDEN / "mishaps.db").read_bytes()
    assert done("upgrade", "--store", "old.db") == "old.db has format 2 now; it was 1\n"
    assert done("upgrade", "--store", "old.db") == "old.db has today's format, 2, already\n"
    assert record("upgrade", "--store", "old.db") == {"store": "old.db", "before": 2, "after": 2}
    assert done("verify", "--store", "old.db").endswith("sound\n")


def test_doctor_says_what_the_store_lies_on(told, monkeypatch, tmp_path):
    from wayfare.store import filesystem

    monkeypatch.setattr(filesystem, "MOUNTS", tmp_path / "mounts")
    for kind, ok in (("ext4", True), ("nfs4", False)):
        filesystem._mounted.cache_clear()
        (tmp_path / "mounts").write_text(f"1 0 0:1 / / rw - {kind} x rw\n")
        result = call("doctor", "--json")
        (line,) = [line for line in result.stdout.splitlines() if "file system" in line and '"check": "file' in line]
        assert kind in line
        assert (f'"ok": {str(ok).lower()}') in line
        assert (result.exit_code == 0) is ok
    filesystem._mounted.cache_clear()

"""``export --signed``, ``check``, ``key`` and ``verify --head`` over real files."""

import json
import stat
from pathlib import Path

import pytest

from tests.cli.studies import call, done, record


@pytest.fixture
def signed(lab):
    """The study with a trial told, exported and signed as CSV."""
    done("ask", "snar")
    done("tell", "snar", 0, 0.5)
    assert done("key", "lab.key").endswith(" written to lab.key\n")
    done("--as", "bo", "export", "snar", "--out", "s.csv", "--signed", "--key", "lab.key")
    return lab


def test_a_signed_file_is_as_it_was_signed(signed):
    lines = done("check", "s.csv", "--key", "lab.key").splitlines()
    assert lines[0] == "file    s.csv: as it was signed"
    assert lines[1] == "study   snar, 3 events"
    assert lines[2].startswith("signed  2")
    assert " by bo, with key " in lines[2]
    said = record("check", "s.csv", "--key", "lab.key")
    assert (said["sound"], said["findings"], said["by"], said["events"]) == (True, [], "bo", 3)
    assert done("export", "snar") == Path("s.csv").read_text(), "the file itself is as without a signature"


def test_a_changed_file_is_found(signed):
    Path("s.csv").write_text(Path("s.csv").read_text().replace("0.5", "0.9"))
    result = call("check", "s.csv", "--key", "lab.key")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: s.csv: the file is not the one that was signed: its content was changed\n"
    result = call("check", "s.csv", "--key", "lab.key", "--json")
    assert (result.exit_code, json.loads(result.stdout)["sound"]) == (1, False)


def test_the_head_that_was_signed_is_found_in_the_store_as_it_goes_on(signed):
    head = record("check", "s.csv", "--key", "lab.key")["head"]
    done("ask", "snar")
    assert "noted: snar, 3 events as they were\n" in done("verify", "--head", head)
    assert record("verify", "--head", head)["noted"] == [{"study": "snar", "events": 3, "digest": head}]
    result = call("verify", "--head", "0" * 64)
    assert result.exit_code == 1
    assert "is in no chain" in " ".join(result.stdout.split())
    assert call("verify", "--head", "xy").exit_code == 2


def test_the_heads_are_said_on_request(signed):
    lines = done("verify", "--heads").splitlines()
    assert lines[1] == f"{record('check', 's.csv', '--key', 'lab.key')['head']}  snar, 3 events"
    assert lines[2].endswith("  the register, 1 entry")
    assert "snar" not in done("verify")


def test_a_whole_study_is_signed_and_imported_as_ever(signed):
    done("export", "snar", "--out", "s.json", "--signed", env={"WAYFARE_KEY": "lab.key"})
    said = record("check", "s.json", env={"WAYFARE_KEY": "lab.key"})
    assert (said["events"], said["head"]) == (3, record("check", "s.csv", "--key", "lab.key")["head"])
    done("import", "again", "s.json")
    assert record("status", "again")["told"] == 1


def test_a_key_is_for_its_owner_alone(signed):
    assert stat.S_IMODE(Path("lab.key").stat().st_mode) == 0o600
    Path("lab.key").chmod(0o644)
    result = call("check", "s.csv", "--key", "lab.key")
    assert result.exit_code == 0
    assert result.stderr == "Note: lab.key can be read by other users of this computer; chmod 600 keeps it to you\n"


REFUSED = [
    (("export", "snar", "--signed", "--key", "lab.key"), 2, "needs --out"),
    (("export", "snar", "--out", "t.csv", "--signed"), 2, "needs a key file"),
    (("export", "snar", "--out", "t.csv", "--key", "lab.key"), 2, "--key is for --signed"),
    (("export", "snar", "--out", "t.csv", "--signed", "--key", "none.key"), 2, "none.key: no such file"),
    (("export", "snar", "--out", "t.csv", "--signed", "--key", "short.key"), 2, "a key has 32 bytes at least"),
    (("export", "snar", "--out", "s.csv", "--signed", "--key", "lab.key"), 1, "s.csv: exists already"),
    (("export", "snar", "--out", "u.csv", "--signed", "--key", "lab.key"), 1, "u.csv.sig: exists already"),
    (("check", "s.csv"), 2, "needs a key file"),
    (("check", "none.csv", "--key", "lab.key"), 2, "no such file"),
    (("check", "snar.toml", "--key", "lab.key"), 2, "snar.toml.sig: no such file"),
    (("check", "s.csv", "--key", "lab.key", "--signature", "snar.toml"), 1, "not one of wayfare's"),
    (("key", "lab.key"), 1, "lab.key: exists already"),
]


@pytest.mark.parametrize(("arguments", "code", "said"), REFUSED)
def test_what_cannot_be_signed_or_checked_is_one_line_and_changes_nothing(signed, arguments, code, said):
    Path("short.key").write_text("secret")
    Path("short.key").chmod(0o600)
    Path("u.csv.sig").write_text("precious")
    before = {path.name: path.read_bytes() for path in signed.iterdir()}
    result = call(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert said in result.stderr
    assert {path.name: path.read_bytes() for path in signed.iterdir()} == before

"""``log``, ``trials --times``, ``status`` and ``export --stamps``: who did what, and when."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.studies import call, done, record, records
from wayfare.cli.output import WIDTH


@pytest.fixture
def told(lab):
    """The study with a trial told by Ana and corrected by Bo, and one out."""
    done("ask", "snar")
    done("tell", "snar", 0, 0.5)
    done("--as", "bo", "amend", "snar", 0, 0.7, "--why", "wrong peak")
    done("ask", "snar")
    return lab


def test_the_log_says_what_changed_from_what_to_what_why_and_by_whom(told):
    lines = done("log", "snar").splitlines()
    assert lines[0] == "event  at [UTC]             by   via  what"
    assert lines[1].endswith("cli  created")
    (line,) = [line for line in lines if "amended" in line]
    assert line.split()[0] == "3"
    assert line.endswith("bo   cli  trial 0 amended: value 0.5 → 0.7; wrong")
    assert max(map(len, lines)) <= WIDTH


def test_the_log_as_json_has_every_change_in_full(told):
    entries = records("log", "snar")
    assert [entry["event"] for entry in entries] == [None, *range(5)]
    amended = entries[4]
    assert (amended["what"], amended["trial"], amended["by"], amended["via"], amended["why"]) == (
        *("amended", 0, "bo", "cli"),
        "wrong peak",
    )
    assert amended["changes"] == [{"trial": 0, "field": "value", "before": 0.5, "after": 0.7}]
    assert all(list(entry) == list(amended) for entry in entries)
    assert amended["at"] == records("trials", "snar")[0]["closed"]["at"]


def test_the_log_as_a_table_has_a_row_for_every_change(told):
    text = done("log", "snar", "--csv")
    assert done("log", "snar", "--out", "log.csv") == "snar: 6 entries written to log.csv\n"
    assert Path("log.csv").read_text() == text
    rows = list(csv.DictReader(StringIO(text)))
    (row,) = [row for row in rows if row["what"] == "amended"]
    assert (row["field"], row["before"], row["after"], row["by"], row["why"]) == (
        *("value", "0.5", "0.7", "bo"),
        "wrong peak",
    )
    assert call("log", "snar", "--out", "log.csv").exit_code == 1
    assert call("log", "snar", "--out", "wayfare.db", "--force").exit_code == 2


def test_a_table_of_the_log_holds_no_formula_and_no_command_for_a_terminal(lab):
    done("ask", "snar", "--worker", "=1+1")
    done("fail", "snar", 0, "--why", "@SUM(A1)\x1b[31m")
    rows = list(csv.DictReader(StringIO(done("log", "snar", "--csv"))))
    assert {row["why"] for row in rows if row["what"] == "failed"} == {"'@SUM(A1)\x1b[31m"}
    assert [row["after"] for row in rows if row["field"] == "worker"] == ["'=1+1"]
    assert "\x1b" not in done("log", "snar") + done("log", "snar", "--json")


def test_json_and_a_table_exclude_each_other(told):
    for more in (["--csv"], ["--out", "log.csv"]):
        assert call("log", "snar", "--json", *more).exit_code == 2


def test_the_log_of_the_store_names_its_studies(told):
    done("--as", "bo", "new", "snar.toml", "--name", "second")
    lines = done("log").splitlines()
    assert lines[0] == "at [UTC]             by   via  what"
    assert lines[2].endswith("bo   cli  created: name second")
    assert [entry["changes"][0]["after"] for entry in records("log")] == ["snar", "second"]


def test_the_log_of_a_study_that_is_not_there_is_refused(told):
    assert "no study named 'snare'; did you mean 'snar'?" in call("log", "snare").stderr


def test_trials_say_when_and_by_whom_on_request(told):
    lines = done("trials", "snar", "--times").splitlines()
    assert lines[0].split() == ["trial", "state", "issued", "[UTC]", "by", "closed", "[UTC]", "by"]
    assert lines[1].split()[0:2] == ["0", "told"]
    assert (lines[1].split()[4], lines[1].split()[-1]) == ("ana", "bo")
    assert lines[2].split()[-2:] == ["-", "-"]
    first, second = records("trials", "snar")
    assert (first["issued"]["by"], first["closed"]["by"], second["closed"]) == ("ana", "bo", None)


def test_status_says_what_happened_last(told):
    said = done("status", "snar")
    at = record("status", "snar")["last"]["at"]
    assert f"last      asked trial 1, by ana, {at[:10]} {at[11:19]} UTC\n" in said


def test_an_export_with_stamps_comes_back_as_one_without(told):
    text = done("export", "snar", "--stamps", "--out", "s.csv")
    head, first, second = csv.reader(StringIO(Path("s.csv").read_text()))
    assert head[-4:] == ["issued_at", "issued_by", "closed_at", "closed_by"]
    closed = records("trials", "snar")[0]["closed"]
    assert first[-4:] == [records("trials", "snar")[0]["issued"]["at"], "ana", closed["at"], "bo"]
    assert second[-2:] == ["", ""]
    assert text.startswith("snar: 2 trials written")
    assert done("import", "snar", "s.csv") == "2 rows: 1 still open, 1 already there\n"
    result = call("export", "snar", "--stamps", "--format", "json")
    assert (result.exit_code, "JSON has it anyway" in result.stderr) == (2, True)


def test_a_run_sheet_says_when_its_trials_were_handed_out_and_by_whom(told):
    day = records("trials", "snar")[1]["issued"]["at"][:10]
    assert f"Handed out by ana: {day} (UTC)." in done("sheet", "snar")


def test_stores_of_before_have_a_log_without_stamps(lab):
    golden = Path(__file__).parents[1] / "golden" / "stores" / "mishaps-reactor.db"
    Path("old.db").write_bytes(golden.read_bytes())
    entries = [json.loads(line) for line in done("log", "mishaps-reactor", "--json", "--store", "old.db").splitlines()]
    assert {entry["at"] for entry in entries} == {None}
    assert {"planned", "asked", "told", "failed", "skipped", "inserted", "replanned"} <= {e["what"] for e in entries}
    assert "\nlast " not in done("status", "mishaps-reactor", "--store", "old.db")
    assert done("trials", "mishaps-reactor", "--times", "--store", "old.db").splitlines()[1].split()[2:] == ["-"] * 4

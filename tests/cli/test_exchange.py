"""``import`` and ``export``: files in and out, the store never harmed, nothing half written."""

import csv
import json
import os
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.studies import call, done, record, records

DRY = "Note: a dry run, nothing was written\n"
HEAD = "number,state,temp_C,flow,catalyst,leg,value,spent,worker,why,prior\n"


@pytest.fixture
def run(lab):
    """The study with one trial told and one out."""
    done("ask", "snar")
    done("tell", "snar", 0, "0.5")
    done("ask", "snar")
    return lab


def refused(*arguments, code=2, **extra):
    """Run a command that must be refused with one line; return it."""
    before = snapshot()
    result = call(*arguments, **extra)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert snapshot() == before
    return result.stderr


def snapshot():
    """Every file of the folder, byte for byte."""
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


def test_a_study_is_printed_as_csv(run):
    result = call("export", "snar")
    assert result.stdout.startswith(HEAD + "0,told,40.0,1,Pd,3.0,0.5,,,,false\n1,asked,")
    assert result.stderr == ""


def test_the_ending_says_the_format(run):
    done("export", "snar", "--out", "s.json")
    done("export", "snar", "--out", "s.CSV")
    done("export", "snar", "--out", "s.txt", "--format", "json")
    assert (run / "s.CSV").read_text() == done("export", "snar")
    assert json.loads((run / "s.json").read_text())["format"] == "wayfare study"
    assert (run / "s.txt").read_text() == done("export", "snar", "--format", "json")


def test_a_run_sheet_goes_out_and_comes_in(run):
    done("export", "snar", "--out", "sheet.csv")
    head, *rows = csv.reader(StringIO((run / "sheet.csv").read_text()))
    rows[1][head.index("value")] = "0.75"
    out = StringIO(newline="")
    csv.writer(out).writerows([head, *rows])
    (run / "sheet.csv").write_text(out.getvalue())
    dry = call("import", "snar", "sheet.csv", "--dry-run")
    assert (dry.stdout.splitlines()[-1], dry.stderr) == ("2 rows: 1 told, 1 already there", DRY)
    assert records("trials", "snar")[1]["state"] == "asked"
    result = call("import", "snar", "sheet.csv")
    assert (result.stdout, result.stderr) == ("2 rows: 1 told, 1 already there\n", "")
    assert records("trials", "snar")[1]["value"] == 0.75
    assert done("import", "snar", "sheet.csv") == "2 rows: 2 already there\n"


def test_a_row_still_blank_is_still_open(run):
    done("export", "snar", "--out", "sheet.csv")
    assert done("import", "snar", "sheet.csv") == "2 rows: 1 still open, 1 already there\n"
    assert record("import", "snar", "sheet.csv") == {
        "study": "snar",
        "rows": 2,
        "told": 0,
        "failed": 0,
        "skipped": 0,
        "visits": 0,
        "prior": 0,
        "open": 1,
        "same": 1,
        "dry_run": False,
    }


@pytest.mark.parametrize("options", [("--extra",), ("--prior",)])
def test_rows_without_a_number_are_not_doubled_by_accident(run, options):
    text = "temp_C,flow,catalyst,value\n50,3,Pd,1\n60,4,Ni,2\n"
    done("import", "snar", "-", *options, input=text)
    said = refused("import", "snar", "-", *options, input=text)
    assert "line 2 is trial 2, line 3 is trial 3, with the same place and value" in said
    assert "--again" in said
    assert len(records("trials", "snar")) == 4
    done("import", "snar", "-", *options, input=text.replace(",2\n", ",2.5\n").replace("50,3,Pd,1\n", ""))
    done("import", "snar", "-", "--again", *options, input=text)
    assert [trial["value"] for trial in records("trials", "snar")[2:]] == [1, 2, 2.5, 1, 2]


def test_a_row_out_of_bounds_is_taken_with_a_note(run):
    result = call("import", "snar", "-", "--prior", input="temp_C,flow,catalyst,value\n500,3,Pd,1\n")
    assert result.stdout == "1 row: 1 known before\n"
    assert result.stderr.startswith("Note: old result k0: temp_C=500 is outside 40 to 120; ")
    rows = "".join(f"{i},3,Pd,1\n" for i in range(7))
    notes = call("import", "snar", "-", "--extra", input="temp_C,flow,catalyst,value\n" + rows).stderr.splitlines()
    assert len(notes) == 6
    assert notes[-1] == "Note: 2 more values are outside their bounds"


def test_what_was_written_is_said_as_json_too(run):
    assert record("export", "snar", "--out", "s.csv") == {"study": "snar", "format": "csv", "trials": 2, "out": "s.csv"}
    assert call("export", "snar", "--out", "t.csv").stdout == "snar: 2 trials written to t.csv\n"
    assert "needs --out" in refused("export", "snar", "--json")
    done("export", "snar", "--out", "whole.json")
    made = record("import", "copy", "whole.json")
    assert made == {"study": "copy", "trials": 2, "events": 4, "dry_run": False}


def test_a_result_by_another_name_is_told_where_it_goes(run):
    said = refused("import", "snar", "-", input="temp_C,flow,catalyst,yield\n50,3,Pd,1\n")
    assert "unknown column 'yield'; the result goes in 'value'" in said


def test_another_trial_of_that_number_is_shown_in_words(run):
    said = refused("import", "snar", "-", input="number,temp_C,flow,catalyst,value\n0,99,3,Ni,1\n")
    assert "trial 0 is at temp_C=40, flow=1, catalyst=Pd, not here" in said


def test_rows_come_in_through_a_pipe_as_known_before(run):
    text = "temp_C,flow,catalyst,value\n50,3,Pd,1\n60,4,Ni,2\n"
    assert done("import", "snar", "-", "--prior", input=text) == "2 rows: 2 known before\n"
    assert [trial["prior"] for trial in records("trials", "snar")] == [False, False, True, True]


def test_the_same_request_happens_once(run):
    text = "temp_C,flow,catalyst,value\n50,3,Pd,1\n"
    for said in ("1 row: 1 new visit\n", "1 row: 1 already there\n"):
        assert call("import", "snar", "-", "--extra", "--request", "monday", input=text).stdout == said


def test_a_whole_study_moves_to_another_name(run):
    done("export", "snar", "--out", "whole.json")
    dry = call("import", "copy", "whole.json", "--dry-run")
    assert (dry.stdout, dry.stderr) == ("new study copy: 2 trials, 4 events\n", DRY)
    assert done("import", "copy", "whole.json") == "new study copy: 2 trials, 4 events\n"
    assert records("trials", "copy") == records("trials", "snar")
    assert "exists already" in refused("import", "copy", "whole.json", code=1)
    assert "exists already" in refused("import", "copy", "whole.json", "--dry-run", code=1)


def test_a_file_is_written_over_only_by_force(run):
    (run / "s.csv").write_text("precious")
    os.chmod(run / "s.csv", 0o640)
    assert "use --force or another name" in refused("export", "snar", "--out", "s.csv", code=1)
    done("export", "snar", "--out", "s.csv", "--force")
    assert (run / "s.csv").read_text() == done("export", "snar")
    assert (run / "s.csv").stat().st_mode & 0o777 == 0o640


def test_the_store_is_never_written_over(run):
    for out in ("wayfare.db", "./wayfare.db"):
        said = refused("export", "snar", "--out", out, "--format", "json", "--force")
        assert "is the store itself" in said
    os.symlink("wayfare.db", "link.csv")
    assert "is the store itself" in refused("export", "snar", "--out", "link.csv", "--force")


WRITERS = {
    "export": ["snar", "--out", "s.csv"],
    "sheet": ["snar", "--out", "s.html"],
    "predict": ["snar", "--csv", "sites.csv", "--out", "s.csv"],
    "plot": ["snar", "--kind", "history", "--out", "s.png"],
    "order": ["sites.csv", "--out", "s.csv"],
    "demo": ["--hours", "1", "--seeds", "1", "--out", "s.png"],
}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("command", WRITERS)
def test_nothing_is_written_through_a_link_to_nowhere(run, command, force):
    """A folder from a stranger may hold a link to a file that a program would run if it were there."""
    (run / "sites.csv").write_text("temp_C,flow,catalyst\n50,3,Pd\n60,4,Ni\n")
    arguments = WRITERS[command]
    os.symlink(run / "elsewhere", run / arguments[-1])
    forced = ["--force"] if force and command not in ("plot", "demo") else []
    said = refused(command, *arguments, *forced, code=1)
    assert (
        said == f"Error: {arguments[-1]}: is a link to a file that is not there; remove the link, or use another name\n"
    )
    assert not (run / "elsewhere").exists()
    assert os.readlink(run / arguments[-1]) == str(run / "elsewhere")


def test_a_crash_while_writing_leaves_the_old_file(run, monkeypatch):
    (run / "s.csv").write_text("precious")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    said = refused("export", "snar", "--out", "s.csv", "--force", code=1)
    assert said == "Error: s.csv: cannot be written: No space left on device\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("export", "snar", "--out", "s.xml"), "ends in none of .csv, .json, .xlsx"),
        (("export", "snar", "--out", "."), "--format"),
        (("export", "snar", "--format", "xml"), "--format"),
        (("import", "snar", "nothing.csv"), "nothing.csv: no such file"),
        (("import", "snar", "."), "ends in none of .csv, .json, .xlsx"),
        (("import", "snar", ".", "--format", "csv"), ".: is not a file"),
        (("import", "snar", "bad.csv"), "bad.csv: line 2: axis 'temp_C' must be a finite number"),
        (("import", "snar", "latin.csv", "--encoding", "utf-8"), "line 2 is not utf-8 text; save it as UTF-8"),
        (("import", "other", "bad.json"), "bad.json: not valid JSON"),
        (("import", "other", "bad.json", "--prior"), "--prior is for CSV and .xlsx"),
        (("import", "other", "bad.json", "--again"), "--again is for CSV and .xlsx"),
        (("import", "--", "-x", "bad.json"), "begins with a dash"),
        (("import", "snar", "a\0b"), "is no path to a file"),
    ],
)
def test_misuse_is_one_line_and_changes_nothing(run, arguments, words):
    (run / "bad.csv").write_text("temp_C,flow,catalyst,value\n1_0,3,Pd,1\n")
    (run / "latin.csv").write_bytes("temp_C,flow,catalyst,value,why\n1,3,Pd,1,übel\n".encode("latin-1"))
    (run / "bad.json").write_text('{"format"')
    assert words in refused(*arguments)


@pytest.mark.parametrize("command", [("export", "none"), ("import", "none", "sheet.csv")])
def test_an_unknown_study_could_not_be_found(run, command):
    (run / "sheet.csv").write_text("a,value\n1,2\n")
    said = refused(*command, code=1)
    assert said == "Error: no study named 'none'; `wayfare list` names those there are\n"


@pytest.mark.parametrize(
    ("out", "words"),
    [(("--out", "nowhere/s.csv"), "there is no folder"), (("--out", ".", "--format", "csv"), "is not a file")],
)
def test_a_file_that_cannot_be_made_is_no_misuse(run, out, words):
    assert words in refused("export", "snar", *out, code=1)


def test_a_file_over_fifty_megabytes_is_not_read(run):
    with open("huge.csv", "wb") as stream:
        stream.truncate(50_000_001)
    result = call("import", "snar", "huge.csv")
    assert (result.exit_code, result.stderr) == (2, "Error: huge.csv: is larger than 50 MB\n")

"""What a user may get wrong: each mistake is one line that names the field, and changes nothing."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.studies import REACTOR, call, done
from wayfare.cli.output import print_json

PLACE = ("temp_C=50", "flow=5", "catalyst=Ni")

# Words of a command line, and what the refusal must say.
COMMANDS = [
    # numbers
    (("tell", "snar", 3, "1_0"), "'VALUE': '1_0' is not a finite number such as 72.5\n"),
    (("tell", "snar", 3, "１２"), "'VALUE': '１２' is not a finite number"),
    (("tell", "snar", 3, "1e999"), "'VALUE': '1e999'"),
    (("tell", "snar", 3, "-1e999"), "'VALUE': '-1e999'"),
    (("tell", "snar", 3, "nan"), "'VALUE': 'nan'"),
    (("tell", "snar", 3, "inf"), "'VALUE': 'inf'"),
    (("tell", "snar", 3, "-inf"), "'VALUE': '-inf'"),
    (("tell", "snar", 3, "-nan"), "'VALUE': '-nan'"),
    (("tell", "snar", 3, "0x10"), "'VALUE': '0x10'"),
    (("tell", "snar", 3, " 7"), "'VALUE': ' 7'"),
    (("tell", "snar", 3, "7\n"), "'VALUE': '7\\n'"),
    (("tell", "snar", 3, "0,5"), "'0,5' is not a finite number such as 72.5; write a point: 0.5"),
    (("tell", "snar", 3, "½"), "'VALUE': '½'"),
    (("tell", "snar", 3, "--5"), "No such option"),
    (("tell", "snar", 3, ""), "'VALUE': ''"),
    (("tell", "snar", 3, "1\x002"), "'VALUE': '1\\x002'"),
    (("tell", "snar", 3, "1e301"), "beyond ±1e300"),
    (("tell", "snar", 3), "Missing argument 'VALUE'"),
    (("tell", "snar", 3, 1, "x"), "'VALUE': 'x' is not a finite number"),
    (("tell", "snar", 3, 1, 2, "--count", 2), "--count and --variance describe one VALUE, the mean; got 2"),
    (("tell", "snar", 3, 1, 2, "--variance", 2), "--count and --variance describe one VALUE"),
    (("tell", "snar", 3, 1, "--variance", 2), "--variance needs --count"),
    (("tell", "snar", 3, 1, "--variance", 2, "--count", 1), "--variance needs --count"),
    (("tell", "snar", 3, 1, "--count", 2, "--variance", "-2"), "'--variance': '-2' must not be negative"),
    (("tell", "snar", 3, 1, "--count", 2, "--variance", "nan"), "'--variance': 'nan'"),
    (("tell", "snar", 3, 1, "--count", 2, "--variance", "1e301"), "beyond 1e300"),
    (("tell", "snar", 3, 1, "--count", 0), "'--count': '0' must be at least 1"),
    (("tell", "snar", 3, 1, "--count", "-2"), "'--count': '-2'"),
    (("tell", "snar", 3, 1, "--count", "2.5"), "'--count': '2.5' is not a whole number"),
    (("tell", "snar", 3, 1, "--count"), "Option '--count' requires an argument"),
    (("tell", "snar", 3, "1e200", "-1e200"), "variance is beyond 1e300"),
    (("amend", "snar", 0, "--count", 2), "--count and --variance describe one VALUE, the mean; got 0"),
    (("amend", "snar", 0, 1, 2, "--withdraw"), "withdraw"),
    (("insert", "snar", "temp_C=50", "flow=2", "catalyst=Pd", "--count", 0), "'--count': '0' must be"),
    (("ask", "snar", "--count", 3), "unexpected extra argument"),
    # trial numbers
    (("tell", "snar", "1_0", 1), "'NUMBER': '1_0'"),
    (("tell", "snar", "３", 1), "'NUMBER': '３'"),
    (("tell", "snar", " 3", 1), "'NUMBER': ' 3'"),
    (("tell", "snar", "3.0", 1), "'NUMBER': '3.0'"),
    (("tell", "snar", "-1", 1), "'NUMBER': '-1'"),
    (("tell", "snar", "+3", 1), "'NUMBER': '+3'"),
    (("tell", "snar", "three", 1), "'NUMBER': 'three'"),
    (("tell", "snar", "9" * 5000, 1), "'NUMBER': '999"),
    (("tell", "snar", 4, 1), "trial 4 was never handed out"),
    (("fail", "snar", 99), "trial 99 was never handed out"),
    (("skip", "snar", 10**18), f"trial {10**18} was never handed out"),
    (("amend", "snar", 99, 1), "trial 99 was never handed out"),
    (("tell", "empty", 0, 1), "trial 0 was never handed out (none has been)"),
    (("fail", "snar"), "Missing argument 'NUMBER'"),
    # outcomes given twice, or to the wrong trial
    (("tell", "snar", 0, 0.7), "trial 0 already has the value 0.5"),
    (("tell", "snar", 0, 0.7, "--request", "r0"), "request 'r0' was already used"),
    (("tell", "snar", 3, 0.5, "--request", "r0"), "request 'r0' was already used"),
    (("fail", "snar", 3, "--request", "r0"), "request 'r0' was already used"),
    (("skip", "snar", 3, "--request", "r0"), "request 'r0' was already used"),
    (("insert", "snar", *PLACE, "--request", "r0"), "request 'r0' was already used"),
    (("replan", "snar", "--request", "r0"), "request 'r0' was already used"),
    (("tell", "snar", 3, 1, "--request", ""), "request must not be empty"),
    (("tell", "snar", 1, 0.7), "trial 1 failed"),
    (("tell", "snar", 2, 0.7), "trial 2 was skipped"),
    (("fail", "snar", 0), "trial 0 already has the value"),
    (("skip", "snar", 0), "trial 0 already has the value"),
    (("skip", "snar", 1), "trial 1 failed"),
    (("amend", "snar", 3, 1), "trial 3 is still out"),
    (("amend", "snar", 2, 1), "trial 2 was skipped"),
    (("amend", "snar", 0), "trial 0: nothing to amend"),
    (("amend", "snar", 0, 1, "--withdraw"), "trial 0: withdraw takes the value back"),
    (("amend", "snar", 0, "x"), "'[VALUE]': 'x'"),
    # places
    (("tell", "snar", 3, 1, "--actual", "temp_C"), "--actual: write AXIS=VALUE, got 'temp_C'"),
    (("tell", "snar", 3, 1, "--actual", "=5"), "--actual: there is no axis ''"),
    (("tell", "snar", 3, 1, "--actual", "temp=5"), "--actual: there is no axis 'temp'; did you mean 'temp_C'?"),
    (("tell", "snar", 3, 1, "--actual", "temp_C=hot"), "--actual: axis 'temp_C' must be a finite number"),
    (("tell", "snar", 3, 1, "--actual", "temp_C=1_0"), "--actual: axis 'temp_C'"),
    (("tell", "snar", 3, 1, "--actual", "temp_C=１２"), "--actual: axis 'temp_C'"),
    (("tell", "snar", 3, 1, "--actual", "temp_C=nan"), "--actual: axis 'temp_C'"),
    (("tell", "snar", 3, 1, "--actual", "temp_C="), "--actual: axis 'temp_C'"),
    (("tell", "snar", 3, 1, "--actual", "flow=1.5"), "axis 'flow' must be a whole number"),
    (("tell", "snar", 3, 1, "--actual", "flow=9e99"), "axis 'flow' must be within"),
    (("tell", "snar", 3, 1, "--actual", "catalyst=Pdd"), "axis 'catalyst' has no value 'Pdd'; did you mean 'Pd'?"),
    (("tell", "snar", 3, 1, "--actual", "temp_C=5", "--actual", "temp_C=6"), "axis 'temp_C' is given twice"),
    (("tell", "snar", 3, 1, "--actual"), "Option '--actual' requires an argument"),
    (("fail", "snar", 3, "--actual", "temp\x1b=5"), "--actual: there is no axis 'temp\\x1b'"),
    (("insert", "snar"), "Missing argument 'AXIS=VALUE...'"),
    (("insert", "snar", "temp_C=50"), "lacks axes 'flow', 'catalyst'"),
    (("insert", "snar", *PLACE, "temp_C=51"), "axis 'temp_C' is given twice"),
    (("insert", "snar", "temp_C=500", "flow=5", "catalyst=Ni"), "temp_C=500 is not in the space"),
    (("insert", "snar", "temp_C=500", "flow=5", "catalyst=Ni", "--dry-run"), "not in the space"),
    (("insert", "snar", "temp_C=-5", "flow=5", "catalyst=Ni"), "not in the space"),
    (("insert", "snar", "temp_C=50", "flow=0", "catalyst=Ni"), "not in the space"),
    (("insert", "snar", "temp_C=50", "flow=5", "catalyst=Rh"), "axis 'catalyst' has no value 'Rh'"),
    (("insert", "snar", "-5"), "place: write AXIS=VALUE, got '-5'"),
    (("replan", "snar", "--from", "temp_C"), "--from: write AXIS=VALUE"),
    (("replan", "snar", "--from", "temprature=5"), "--from: there is no axis 'temprature'"),
    (("replan", "full"), "all 1 trials have been handed out"),
    (("ask", "full"), "no trials are left"),
    # costs, reasons, workers
    (("tell", "snar", 3, 1, "--spent", "-5"), "'--spent': '-5' must not be negative"),
    (("tell", "snar", 3, 1, "--spent", "nan"), "'--spent': 'nan'"),
    (("tell", "snar", 3, 1, "--spent", "1e301"), "spent 1e+301 is beyond"),
    (("tell", "snar", 3, 1, "--spent", "5min"), "'--spent': '5min'"),
    (("fail", "snar", 3, "--why", "w" * 10_001), "why has 10001 characters"),
    (("fail", "snar", 3, "--why", "half \ud800"), "why holds half a character"),
    (("ask", "snar", "--worker", "w" * 10_001), "worker has 10001 characters"),
    # options and commands
    (("tell", "snar", 3, 1, "--spnt", 5), "No such option '--spnt'"),
    (("tell", "snar", 3, 1, "-x"), "No such option"),
    (("tell", "snar", 3, "--valeu=1"), "No such option"),
    (("ask", "snar", "--dry-run"), "No such option"),
    (("tel", "snar", 3, 1), "No such command 'tel'"),
    (("--stroe", "x", "list"), "No such option '--stroe'"),
    (("ask",), "Missing argument 'NAME'"),
    (("ask", "snar", "--json=yes"), "'--json'"),
    (("status", "snar", "--store"), "'--store' requires an argument"),
    # studies and stores
    (("ask", "sanr"), "no study named 'sanr'; did you mean 'snar'?"),
    (("ask", "zebra"), "no study named 'zebra'; `wayfare list` names those there are"),
    (("status", ""), "no study named ''"),
    (("status", "Snar"), "no study named 'Snar'; did you mean 'snar'?"),
    (("status", "SNAR"), "no study named 'SNAR'; did you mean 'snar'?"),
    (("status", "sn\x00ar"), "no study named 'sn\\x00ar'"),
    (("status", "snar\ud800"), "no study named"),
    (("best", "empty"), "no trial has been told yet"),
    (("status", "snar", "--store", "nowhere.db"), "no store at"),
    (("list", "--store", "nowhere.db"), "nowhere.db"),
    (("list", "--store", "no/folder/lab.db"), "no store at"),
    (("list", "--store", ""), "folder"),
    (("list", "--store", "."), "is a folder"),
    (("list", "--store", "a\x00b"), "'--store': 'a\\x00b' is no path"),
    (("list", "--store", "notes.txt"), "notes.txt"),
    (("ask", "snar", "--store", "notes.txt"), "notes.txt"),
    (("ask", "snar", "--store", "other.db"), "not one of wayfare's"),
    (("ask", "snar", "--store", "newer.db"), "newer"),
    (("ask", "snar", "--store", "empty.db"), "empty.db"),
    (("--store", "nowhere.db", "ask", "snar"), "no store at"),
    (("new", "snar.toml", "--store", "notes.txt"), "notes.txt"),
    (("new", "snar.toml", "--store", "no/folder/lab.db"), "no folder"),
    # new
    (("new", "snar.toml"), "a study named 'snar' exists already"),
    (("new", "nowhere.toml"), "nowhere.toml: no such file"),
    (("new", "."), "is a directory"),
    (("--store", "a\x00b", "list"), "'--store': 'a\\x00b' is no path"),
    (("new", "a\x00b"), "'FILE': 'a\\x00b' is no path"),
    (("new", "wayfare.db"), "wayfare.db"),
    (("new", "snar.toml", "--name", "-x"), "name: '-x' begins with a dash"),
    (("new", "snar.toml", "--name", ""), "name must not be empty"),
    (("new", "snar.toml", "--name", "half \ud800"), "name"),
    (("new",), "Missing argument 'FILE'"),
]

# A study file, by what is put in place of what, and what the refusal must say.
FILES = {
    "nothing": ("", "", "name is missing"),
    "no TOML": (REACTOR, "name = ", "bad.toml: not valid TOML"),
    "a NUL": ("snar", "sn\x00ar", "bad.toml: holds NUL bytes"),
    "unknown key": ("trials = 6", "trails = 6", "trails: unknown key; did you mean 'trials'?"),
    "unknown axis key": ("high = 120.0", "hihg = 120.0", "hihg: unknown key; did you mean 'high'?"),
    "no direction": ('direction = "maximize"', "", "direction is missing"),
    "another direction": ('"maximize"', '"upwards"', "direction"),
    "no trials": ("trials = 6", "trials = 0", "trials"),
    "half a trial": ("trials = 6", "trials = 6.5", "trials"),
    "trials as text": ("trials = 6", 'trials = "6"', "trials must be a number"),
    "a negative seed": ("seed = 7", "seed = -7", "seed"),
    "bounds reversed": ("low = 40.0", "low = 400.0", "axis[0]"),
    "a bound of nan": ("low = 40.0", "low = nan", "axis[0].low"),
    "a bound of inf": ("high = 120.0", "high = inf", "axis[0].high"),
    "an unknown kind": ('kind = "integer"', 'kind = "whole"', "axis[1].kind"),
    "one axis twice": ('name = "flow"', 'name = "temp_C"', "temp_C"),
    "an empty name": ('name = "flow"', 'name = ""', "axis[1].name"),
    "one value twice": ('"Ni"]', '"Pd"]', "axis[2]"),
    "no values": ('["Pd", "Ni"]', "[]", "axis[2].values"),
    "an unknown method": (
        'method = {policy = {kind = "ucb", beta = 4.0}, schedule = {kind = "fixed", size = 3}}',
        'method = "tucp"',
        "method: none is called 'tucp'; did you mean 'tucb'?",
    ),
    "an unknown policy": ('kind = "ucb"', 'kind = "ubc"', "method.policy.kind"),
    "a negative fee": ("fee = 15", "fee = -15", "travel.parts[1]"),
    "a ramp of no axis": ('axis = "temp_C"', 'axis = "tempC"', "travel.parts[0]"),
    "a ramp that stands": ("up = 5.0", "up = 0.0", "travel.parts[0].up"),
    "a start without an axis": ("flow = 1,", "", "start.flow is missing"),
    "a start with another": ("flow = 1,", "flow = 1, pH = 7,", "start.pH"),
    "a start that is text": ("{temp_C = 25.0", '{temp_C = "25"', "start.temp_C"),
    "a number of 5000 digits": ("seed = 7", "seed = " + "7" * 5000, "bad.toml"),
    "a deep nest": ("seed = 7", "seed = " + "[" * 3000 + "]" * 3000, "bad.toml"),
    "a huge file": ("seed = 7", "seed = 7 #" + "x" * 11_000_000, "bad.toml: larger than"),
    "an escape in a name": ('name = "flow"', 'name = "flow\\u001b"', "axis[1].name has a control character"),
}


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A folder with studies at work, and files that are no stores."""
    folder = tmp_path_factory.mktemp("template")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("WAYFARE_STORE", raising=False)
        Path("snar.toml").write_text(REACTOR)
        for name in ("snar", "empty"):
            done("new", "snar.toml", "--name", name)
        Path("full.toml").write_text(REACTOR.replace("trials = 6", "trials = 1").replace('"snar"', '"full"'))
        done("new", "full.toml")
        done("ask", "full")
        done("tell", "full", 0, 1)
        for _ in range(4):
            done("ask", "snar", "--no-wait")
        done("tell", "snar", 0, 0.5, "--request", "r0")
        done("fail", "snar", 1, "--why", "clogged")
        done("skip", "snar", 2)
        Path("notes.txt").write_text("no database at all\n" * 100)
        Path("empty.db").write_text("")
        with sqlite3.connect("other.db") as other:
            other.execute("CREATE TABLE things (x)")
        other.close()
        shutil.copy("wayfare.db", "newer.db")
        with sqlite3.connect("newer.db") as newer:
            newer.execute("PRAGMA user_version = 999")
        newer.close()
    return folder


@pytest.fixture
def lab(template, tmp_path, monkeypatch):
    """A copy of it, to be spoilt."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WAYFARE_STORE", raising=False)
    return tmp_path


def everything_in(folder):
    return {path.relative_to(folder): path.is_file() and path.read_bytes() for path in folder.rglob("*")}


def check_refused(lab, arguments, said):
    before = everything_in(lab)
    result = call(*arguments)
    assert result.exit_code in (1, 2), result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.endswith("\n")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.rstrip("\n").isprintable()
    assert said in result.stderr
    assert everything_in(lab) == before


@pytest.mark.parametrize(("arguments", "said"), COMMANDS, ids=[" ".join(map(repr, c))[:60] for c, _ in COMMANDS])
def test_a_mistake_on_the_command_line_is_one_line_and_changes_nothing(lab, arguments, said):
    check_refused(lab, arguments, said)


@pytest.mark.parametrize(("old", "new", "said"), FILES.values(), ids=FILES)
def test_a_mistake_in_a_study_file_is_one_line_and_changes_nothing(lab, old, new, said):
    assert old in REACTOR
    text = REACTOR.replace(old, new) if old else new
    (lab / "bad.toml").write_text(text)
    check_refused(lab, ("new", "bad.toml"), said)


def test_a_study_file_that_is_not_utf8_is_refused(lab):
    (lab / "bad.toml").write_bytes(REACTOR.replace("flow", "débit").encode("latin-1"))
    check_refused(lab, ("new", "bad.toml"), "bad.toml: not UTF-8 text")


def test_a_pipe_for_a_study_file_is_refused_without_waiting(lab):
    os.mkfifo(lab / "pipe.toml")
    result = call("new", "pipe.toml")
    assert result.exit_code == 2
    assert result.stderr == "Error: pipe.toml: is not a regular file\n"


def test_there_are_at_least_eighty_of_them():
    assert len(COMMANDS) + len(FILES) >= 80


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("tell", "snar", "3", "1_0"), 2),
        (("tell", "snar", "3", "-0.5", "--spnt", "3"), 2),
        (("tell", "snar", "99", "1"), 1),
        (("ask", "nowhere"), 1),
        (("new", "nowhere.toml"), 2),
    ],
)
def test_it_is_the_same_as_a_program_of_its_own(lab, words, code):
    before = everything_in(lab)
    program = Path(sys.executable).parent / "wayfare"
    ran = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert ran.returncode == code
    assert ran.stdout == ""
    assert ran.stderr.startswith("Error: ")
    assert ran.stderr.count("\n") == 1
    assert everything_in(lab) == before


def test_bytes_that_are_no_text_are_refused_in_one_line(lab):
    program = Path(sys.executable).parent / "wayfare"
    ran = subprocess.run([program, "status", b"sn\xffar"], capture_output=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr == b"Error: no study named 'sn\\udcffar'; did you mean 'snar'?\n"


def test_misuse_points_to_the_help(lab):
    assert call("tell", "snar", 3).stderr == "Error: Missing argument 'VALUE' (see main tell --help)\n"


def test_without_a_command_the_help_is_shown():
    result = call()
    assert result.exit_code == 2
    assert "At the bench:" in result.output


def test_what_is_not_finite_never_reaches_json(capsys):
    print_json({"paid": float("inf"), "legs": [1.0, float("nan"), {"x": -float("inf")}], "n": 3, "what": None})
    said = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert said == {"paid": None, "legs": [1.0, None, {"x": None}], "n": 3, "what": None}


def test_a_message_is_cut():
    result = call("status", "n" * 5000)
    assert result.exit_code == 1
    assert len(result.output) < 2100
    assert result.output.count("\n") == 1


def test_a_command_that_runs_out_of_memory_ends_in_one_line(lab, monkeypatch):
    def no_memory(*given):
        raise MemoryError

    monkeypatch.setattr("wayfare.store.sqlite.SqliteStore.names", no_memory)
    result = call("list")
    assert result.exit_code == 1
    assert result.stderr == "Error: out of memory; `wayfare status` says what is recorded\n"

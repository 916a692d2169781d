"""Beginning studies, and listing them and the methods."""

import json
import sqlite3
from pathlib import Path

from tests.cli.studies import REACTOR, call, done, record, records
from wayfare.cli import main
from wayfare.planning.catalogue import CATALOGUE

MINE = [
    *("new", "list", "ask", "tell", "fail", "skip", "insert"),
    *("amend", "replan", "plan", "status", "trials", "best", "ledger"),
]


def test_new_says_what_was_made_and_what_to_do_next(lab):
    assert done("new", "snar.toml", "--name", "second").splitlines() == [
        "study   second",
        "axes    temp_C 40 to 120; flow 1 to 20; catalyst Pd or Ni",
        "trials  6, maximize",
        "method  custom",
        "unit    min",
        "store   wayfare.db",
        "next    wayfare ask second",
    ]


def test_what_to_do_next_can_be_typed_as_it_stands(lab):
    lines = done("new", "snar.toml", "--name", "two words", "--store", "other.db").splitlines()
    assert lines[-1] == "next    wayfare ask 'two words' --store other.db"
    lines = done("new", "snar.toml", "--name", "third", env={"WAYFARE_STORE": "other.db"}).splitlines()
    assert lines[-1] == "next    wayfare ask third"


def test_new_as_json_has_what_was_made(lab):
    assert record("new", "snar.toml", "--name", "second") == {
        "name": "second",
        "direction": "maximize",
        "trials": 6,
        "axes": ["temp_C", "flow", "catalyst"],
        "method": "custom",
        "seed": 7,
        "unit": "min",
        "budget": None,
        "home": None,
        "dwell": 0.0,
        "trip": None,
        "day": None,
        "trip_cost": 0.0,
        "max_step": None,
        "anchor": None,
        "anchor_every": None,
        "shuffle": 0.0,
        "stop": None,
        "also": [],
        "measured": [],
        "forbidden": [],
        "constraints": [],
        "store": "wayfare.db",
    }


def test_a_lost_guarantee_is_one_note_on_stderr(lab):
    """Batches of three, and then a fee as well: one line that names both. Growing batches and ramps: nothing."""
    lost, link = "Note: average movement need not go to zero: ", " (docs/theory.md)\n"
    result = call("new", "snar.toml", "--name", "second")
    assert result.stderr == lost + "the method's batches do not grow" + link
    fee = REACTOR.split("[travel]")[0] + "[travel]\nkind = 'fee'\namount = 3\nunit = 'min'"
    Path("fee.toml").write_text(fee)
    both = call("new", "fee.toml", "--name", "third").stderr
    assert both == lost + "every move costs at least 3 min, however short; the method's batches do not grow" + link
    Path("kept.toml").write_text(REACTOR.replace('{kind = "fixed", size = 3}', '{kind = "growing", factor = 1.1}'))
    assert call("new", "kept.toml", "--name", "fourth").stderr == ""


def test_the_note_is_given_once_when_the_study_is_made(lab):
    for arguments in [("ask",), ("tell", 0, 1), ("status",), ("trials",), ("best",), ("ledger",)]:
        command, *rest = arguments
        assert call(command, "snar", *rest).stderr == "", command


def test_files_named_in_the_study_file_are_looked_for_beside_it(lab):
    (lab / "there").mkdir()
    (lab / "there" / "sites.csv").write_text("x,y\n0,0\n3,4\n6,8\n")
    (lab / "there" / "sites.toml").write_text(
        'name = "sites"\ndirection = "maximize"\ntrials = 3\n[places]\nfile = "sites.csv"\n'
        '[travel]\nkind = "euclidean"\nunit = "km"\n'
    )
    assert record("new", "there/sites.toml")["axes"] == ["x", "y"]
    assert record("ask", "sites")["unit"] == "km"


def test_list_names_the_studies_oldest_first(lab):
    done("new", "snar.toml", "--name", "Zweite")
    done("ask", "snar")
    done("tell", "snar", 0, 1)
    done("ask", "snar")
    assert records("list") == [
        {
            "name": "snar",
            "direction": "maximize",
            "method": "custom",
            "trials": 6,
            "told": 1,
            "out": 1,
            "left": 4,
            "prior": 0,
        },
        {
            "name": "Zweite",
            "direction": "maximize",
            "method": "custom",
            "trials": 6,
            "told": 0,
            "out": 0,
            "left": 6,
            "prior": 0,
        },
    ]
    assert done("list").splitlines() == [
        "name    direction  method  trials  told  out  left  prior",
        "snar     maximize  custom       6     1    1     4      0",
        "Zweite   maximize  custom       6     0    0     6      0",
    ]


def test_every_command_explains_itself(lab):
    for command in MINE:
        shown = done(command, "--help")
        assert shown.startswith(f"Usage: main {command} ")
        assert max(map(len, shown.splitlines())) <= 80
        if command not in ("new", "list"):
            assert " NAME" in shown.splitlines()[0]
        assert "--json" in shown
        assert "--store" in shown


def test_every_command_fits_its_line_in_the_help(lab):
    listed = done("--help", terminal_width=80).split("Begin:")[1]
    assert all(f"\n  {name} " in listed for name in main.commands)
    assert not [line for line in listed.splitlines() if line.endswith("...")]


def test_json_is_explained_alike_everywhere(lab):
    said = {line for name in main.commands for line in done(name, "--help").splitlines() if " --json " in line}
    assert len({line.split()[1:].__str__() for line in said}) == 1


def test_one_damaged_study_does_not_hide_the_others(lab):
    done("new", "snar.toml", "--name", "other")
    done("ask", "snar")
    done("ask", "other")
    with sqlite3.connect("wayfare.db") as connection:
        connection.execute("DROP TRIGGER event_no_update")
        connection.execute("UPDATE event SET link = x'00' WHERE study = 1")
        trigger = "BEFORE update ON event BEGIN SELECT raise(ABORT, 'what a store holds never changes'); END"
        connection.execute(f"CREATE TRIGGER event_no_update {trigger}")
    connection.close()
    result = call("list", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["name"] == "other"
    assert result.stderr.startswith("Error: study 'snar' cannot be read: event 0 of study 'snar' is damaged")
    assert result.stderr.count("\n") == 1


def test_methods_lists_the_catalogue_within_eighty_columns():
    lines = done("methods").splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == list(CATALOGUE)


def test_methods_as_json_is_one_object_per_line():
    objects = records("methods")
    assert [entry["name"] for entry in objects] == list(CATALOGUE)
    assert all(entry["summary"] == CATALOGUE[entry["name"]].summary for entry in objects)
    assert all(entry["source"] == CATALOGUE[entry["name"]].source for entry in objects)

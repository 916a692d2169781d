"""``wayfare change``: a study under way changed key by key, or by its study file."""

import pytest

from tests.cli.studies import call, done, record, records

OVEN = """
name = "oven"
direction = "maximize"
trials = 20
start = {temp_C = 40, solvent = "water"}
home = "start"
method = "random"

[[axis]]
name = "temp_C"
low = 40
high = 120

[[axis]]
name = "solvent"
kind = "choice"
values = ["water", "ether"]

[[measured]]
name = "bar"
at_most = 9

[travel]
kind = "serial"
[[travel.parts]]
kind = "ramp"
axis = "temp_C"
up = 2
down = 1
unit = "min"
[[travel.parts]]
kind = "switch"
axis = "solvent"
fee = 10
unit = "min"
"""


@pytest.fixture
def oven(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WAYFARE_STORE", str(tmp_path / "lab.db"))
    (tmp_path / "oven.toml").write_text(OVEN)
    done("new", "oven.toml")
    return tmp_path


def changed(*words):
    return {one["field"]: (one["before"], one["after"]) for one in record("change", "oven", *words)["changes"]}


def test_keys_change_what_the_study_file_calls_so(oven):
    assert changed("trials=30", "budget=400", "axis.temp_C.high=140", "axis.solvent+=DMF", "axis.solvent-=ether") == {
        "trials": (20, 30),
        "budget": (None, 400.0),
        "axis.temp_C.high": (120.0, 140.0),
        "axis.solvent.values": (["water", "ether"], ["water", "DMF"]),
    }
    assert changed("axis.temp_C=50,90", "axis.temp_C.step=0.5", "budget=", "home.temp_C=60", "travel.parts.0.up=4") == {
        "axis.temp_C.low": (40.0, 50.0),
        "axis.temp_C.high": (140.0, 90.0),
        "axis.temp_C.step": (None, 0.5),
        "budget": (400.0, None),
        "home.temp_C": (40.0, 60.0),
        "travel.parts.0.up": (2.0, 4.0),
    }
    assert changed("method=ucb", "noise=0.1", "measured.bar.at_most=8.5", "axis.solvent=ether,water") == {
        "method": ("random", "ucb"),
        "noise": (None, 0.1),
        "measured.bar.at_most": (9.0, 8.5),
        "axis.solvent.values": (["water", "DMF"], ["water", "ether"]),
    }


def test_the_answer_is_the_same_in_words_and_as_a_dry_run(oven):
    done("ask", "oven")
    tried = call("change", "oven", "trials=30", "axis.temp_C=40,80", "--dry-run")
    assert tried.stderr == "Note: a dry run, nothing was written\n"
    assert records("log", "oven")[-1]["what"] != "changed"
    made = done("change", "oven", "trials=30", "axis.temp_C=40,80", "--why", "seal")
    assert made == tried.stdout
    assert made.splitlines()[:2] == ["changed  trials 20 → 30", "         axis.temp_C.high 120 → 80"]
    assert "left     29 trials" in made
    last = records("log", "oven")[-1]
    assert (last["what"], last["why"]) == ("changed", "seal")
    assert "changed: trials 20 → 30, axis.temp_C.high" in " ".join(done("log", "oven").split())
    assert "axis.temp_C.high,120.0,80.0,seal" in done("log", "oven", "--csv")


def test_a_record_has_what_is_dropped_and_what_is_left(oven):
    done("ask", "oven")
    made = record("change", "oven", "noise=0.3", "--dry-run")
    assert list(made) == [*("changes", "dropped", "kept", "ruled_out", "trials_left", "before", "after", "dry_run")]
    assert made["dry_run"]
    assert made["kept"] == 0
    assert list(made["after"]) == ["budget", "left", "trip", "trip_left", "home", "unit"]
    assert made["after"]["unit"] == "min"


def test_a_study_file_states_all_of_it(oven):
    done("change", "oven", "trials=25", "noise=0.2")
    file = oven / "oven.toml"
    file.write_text(OVEN.replace("trials = 20", "trials = 22").replace('"ether"]', '"DMF", "water2"]'))
    made = record("change", "oven", "--file", "oven.toml")
    assert {one["field"]: (one["before"], one["after"]) for one in made["changes"]} == {
        "trials": (25, 22),
        "noise": (0.2, None),
        "axis.solvent.values": (["water", "ether"], ["water", "DMF", "water2"]),
    }
    assert call("change", "oven", "--file", "oven.toml").stderr.startswith("Error: nothing changes")
    done("ask", "oven")
    assert done("verify").splitlines()[-1] == "sound"


def test_places_come_from_a_file_below_this_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WAYFARE_STORE", str(tmp_path / "lab.db"))
    (tmp_path / "sites.csv").write_text("site,depth\np,1\nq,2\n")
    head = 'name = "s"\ndirection = "maximize"\ntrials = 9\nmethod = "random"\n'
    tail = '[places]\nfile = "sites.csv"\nonce = true\n[travel]\nkind = "euclidean"\naxes = ["depth"]\n'
    (tmp_path / "s.toml").write_text(head.replace("9", "2") + tail)
    done("new", "s.toml")
    (tmp_path / "more.csv").write_text("site,depth\nq,2\nr,3\nt,4\n")
    made = record("change", "s", "places.file=more.csv", "trials=3")
    assert [(one["field"], one["after"]) for one in made["changes"]] == [
        ("trials", 3),
        ("places.rows", "3 places (2 new, 1 dropped)"),
    ]
    asked = {record("ask", "s", "--no-wait")["params"]["site"] for _ in range(3)}
    assert asked == {"q", "r", "t"}
    result = call("change", "s", "places.file=../more.csv")
    assert "is not in the folder of the study file" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give KEY=VALUE for what changes, or --file with the new study file"),
        (["trials=30", "--file", "oven.toml"], "give KEY=VALUE for what changes, or --file"),
        (["trials"], "write KEY=VALUE, got 'trials'"),
        (["trails=30"], "there is no key 'trails' in a study file; did you mean 'trials'?"),
        (["trials=30", "trials=31"], "trials is given twice"),
        (["trials=many"], "trials must be a number, got 'many'"),
        (["trials="], "trials cannot be taken away"),
        (["direction=minimize"], "direction cannot be changed"),
        (["seed=4"], "seed cannot be changed"),
        (["budget=-3"], "budget must be above 0, got -3"),
        (["axis.temp=3"], "there is no axis 'temp'; did you mean 'temp_C'?"),
        (["axis.temp_C=50"], "axis.temp_C takes LOW,HIGH, got '50'"),
        (["axis.temp_C+=3"], "'temp_C' holds numbers"),
        (["axis.temp_C=90,50"], "has low 90.0 above high 50.0"),
        (["axis.temp_C.high=1979-05-27"], "got the date or time 1979-05-27"),
        (["axis.solvent+=water"], "axis.solvent already has value 'water'; it has water, ether"),
        (["axis.solvent-=DMF"], "axis.solvent has no value 'DMF'"),
        (["axis.solvent="], "axis 'solvent' has no value left"),
        (["axis.solvent+=DMF,THF", "axis.solvent-=THF"], "axis.solvent-=THF contradict each other"),
        (["axis.temp_C.high=150", "axis.temp_C=40,140"], "axis.temp_C.high and axis.temp_C state the same thing"),
        (["axis.temp_K.high=400"], "there is no axis 'temp_K'; did you mean 'temp_C'?"),
        (["trials+=3"], "+= and -= add and retire values of a choice"),
        (["travel.parts.7.up=3"], "there is no '7' in a list of 2"),
        (["travel.unit.x=s"], "has no parts; state all of it"),
        (["travel.kind=teleport"], "travel.kind: there is no kind 'teleport'"),
        (["places.file=x.csv"], "places: this study has axes"),
        (["map.allowed=x"], "map: a map is places and a travel cost in one"),
        (["home.temp_K=3"], "home.temp_K: unknown key"),
        (["method=magic"], "none is called 'magic'"),
        (["trials=3\ntrials=4"], "is no single value"),
        (["anchor=best"], "anchor and anchor_every belong together"),
        (["--file", "none.toml"], "none.toml: no such file"),
    ],
)
def test_misuse_is_refused_in_a_line_and_nothing_is_written(oven, words, said):
    before = records("log", "oven")
    result = call("change", "oven", *words)
    assert result.exit_code in (1, 2)
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert said in result.stderr
    assert records("log", "oven") == before

"""What is measured beside the value, from the command line: told, corrected, shown, exported and imported."""

import json

import pytest

from tests.cli.studies import REACTOR, call, done, record, records

LIMITED = REACTOR + (
    '[[measured]]\nname = "pressure"\nat_most = 10\nunit = "bar"\n[[measured]]\nname = "purity"\nat_least = 0.9\n'
)
PLACE = ("temp_C=50", "flow=5", "catalyst=Pd")


@pytest.fixture
def rig(lab):
    """A folder with a study ``rig`` that has two limits, and one trial of it out."""
    (lab / "rig.toml").write_text(LIMITED)
    done("new", "rig.toml", "--name", "rig")
    done("insert", "rig", *PLACE)
    return lab


@pytest.fixture
def two(rig):
    """Two results: the better one breaks a limit, the other was measured in part."""
    done("tell", "rig", 0, 80, "--measured", "pressure=12.5", "--measured", "purity=0.95")
    done("insert", "rig", "temp_C=60", "flow=5", "catalyst=Pd")
    done("tell", "rig", 1, 70, "--measured", "purity=0.9")
    return rig


def test_new_says_the_limits(rig):
    assert "measured  pressure at most 10 bar; purity at least 0.9\n" in done("new", "rig.toml", "--name", "second")
    assert record("new", "rig.toml", "--name", "third")["measured"] == [
        {"name": "pressure", "at_most": 10.0, "at_least": None, "unit": "bar"},
        {"name": "purity", "at_most": None, "at_least": 0.9, "unit": ""},
    ]


def test_tell_takes_the_numbers_and_says_which_break_a_limit(rig):
    assert done("tell", "rig", 0, -5, "--measured", "pressure=12.5", "--measured", "purity=-1e-3") == (
        "trial 0 told: -5, leg 5 min\n"
        "    temp_C=50, flow=5, catalyst=Pd\n"
        "    pressure 12.5 bar, not at most 10 bar\n"
        "    purity -0.001, not at least 0.9\n"
        "    extra place\n"
    )


def test_tell_says_what_was_not_measured(rig):
    printed = done("tell", "rig", 0, 5, "--measured", "pressure=10")
    assert "    pressure 10 bar\n    purity not measured\n" in printed
    assert records("trials", "rig")[0]["measured"] == {"pressure": 10.0}


def test_fail_and_open_trials_say_nothing_of_numbers(rig):
    assert "measured" not in done("fail", "rig", 0)
    assert records("trials", "rig")[0]["measured"] == {}


def test_amend_corrects_adds_and_takes_back(two):
    assert record("amend", "rig", 0, "--measured", "pressure=9")["measured"] == {"pressure": 9.0, "purity": 0.95}
    assert record("amend", "rig", 0, "--measured", "purity=")["measured"] == {"pressure": 9.0}
    assert record("amend", "rig", 0, 3)["measured"] == {"pressure": 9.0}
    assert record("amend", "rig", 0, "--withdraw")["measured"] == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pressure"], "--measured: write NAME=NUMBER, got 'pressure'"),
        (["pressure="], "--measured: 'pressure' must be a finite number such as 72.5, got ''"),
        (["pressure=9,2"], "--measured: 'pressure' must be a finite number such as 72.5, got '9,2'; write a point"),
        (["pressure=nan"], "--measured: 'pressure' must be a finite number such as 72.5, got 'nan'"),
        (["presure=9"], "trial 0: the study does not measure 'presure'; did you mean 'pressure'?"),
        (["q=9"], "trial 0: the study does not measure 'q'; the names are 'pressure', 'purity'"),
        (["purity=1", "purity=2"], "--measured: 'purity' is given twice"),
    ],
)
def test_tell_refuses_numbers_it_cannot_read_and_writes_nothing(rig, words, said):
    before = (rig / "wayfare.db").read_bytes()
    result = call("tell", "rig", 0, 1, *(part for word in words for part in ("--measured", word)))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {said}")
    assert (rig / "wayfare.db").read_bytes() == before


def test_a_study_without_limits_refuses_numbers(lab):
    done("ask", "snar")
    result = call("tell", "snar", 0, 1, "--measured", "p=1")
    assert result.exit_code == 2
    assert "trial 0: 'p' was measured, but the study limits nothing that is" in result.stderr


def test_the_trials_have_a_column_for_every_number_and_mark_what_breaks(two):
    done("insert", "rig", "temp_C=70", "flow=5", "catalyst=Pd")
    assert done("trials", "rig") == (
        "trial  state  temp_C  flow  catalyst  leg [min]  value  pressure [bar]  purity\n"
        "    0  told       50     5        Pd          5     80           12.5!    0.95\n"
        "    1  told       60     5        Pd          2     70               -     0.9\n"
        "    2  asked      70     5        Pd          2      -               -       -\n"
        "\n"
        "trial 0: extra place\n"
        "trial 1: extra place\n"
        "trial 2: extra place\n"
        "! breaks its limit: pressure at most 10 bar\n"
    )


def test_trials_too_wide_for_a_table_say_their_numbers_too(rig):
    done("tell", "rig", 0, 80, "--measured", "pressure=12.5", "--actual", "temp_C=50.1234", "--why", "windy")
    done("ask", "rig", "--worker", "a worker with a long name")
    assert "\n    pressure 12.5 bar, not at most 10 bar\n    purity not measured\n" in done("trials", "rig")


def test_status_counts_what_keeps_the_limits_and_shows_the_best_that_does(two):
    said = record("status", "rig")
    assert [(one["kept"], one["broken"], one["not_measured"]) for one in said["measured"]] == [(0, 1, 1), (2, 0, 0)]
    assert said["best"]["number"] == 1
    printed = done("status", "rig")
    assert "best      70 observed, trial 1\n" in printed
    assert "measured  pressure at most 10 bar: 0 keep it, 1 breaks it, 1 not measured\n" in printed
    assert "measured  purity at least 0.9: 2 keep it\n" in printed


def test_status_says_that_every_result_breaks_a_limit(rig):
    assert "measured  pressure at most 10 bar\n" in done("status", "rig")
    done("tell", "rig", 0, 80, "--measured", "pressure=12.5")
    assert record("status", "rig")["best"] is None
    assert "best      none: every result breaks a limit\n" in done("status", "rig")


def test_a_table_goes_out_and_comes_in(two):
    done("insert", "rig", *PLACE)
    done("sheet", "rig", "--out", "sheet.csv")
    text = (two / "sheet.csv").read_text()
    assert text.splitlines()[0].split(",")[6:9] == ["value", "pressure", "purity"]
    cells = text.splitlines()[1].split(",")
    cells[6:9] = ["55", "9.75", ""]
    (two / "sheet.csv").write_text(f"{text.splitlines()[0]}\n{','.join(cells)}\n")
    assert done("import", "rig", "sheet.csv") == "1 row: 1 told\n"
    assert records("trials", "rig")[2]["measured"] == {"pressure": 9.75}
    done("export", "rig", "--out", "all.csv")
    assert done("import", "rig", "all.csv") == "3 rows: 3 already there\n"


def test_the_whole_study_moves_with_its_numbers_and_is_sound(two):
    done("amend", "rig", 0, "--measured", "pressure=")
    done("export", "rig", "--out", "rig.json")
    done("import", "copy", "rig.json")
    assert records("trials", "copy") == records("trials", "rig")
    assert json.loads((two / "rig.json").read_text())["events"][1]["measured"] == {"pressure": 12.5, "purity": 0.95}
    done("backup", "copy.db")
    for store in ("wayfare.db", "copy.db"):
        assert done("verify", "--store", store).endswith("sound\n")
    assert records("trials", "copy", "--store", "copy.db") == records("trials", "rig")

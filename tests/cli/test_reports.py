"""The commands that only look, over a real file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.studies import REACTOR, call, done, record, records
from tests.cli.test_moves import KEYS
from wayfare.cli.output import WIDTH, plain, width, wrap

READS = ("plan", "status", "trials", "best", "predict", "ledger", "drift")
WAYFARE = Path(sys.executable).parent / "wayfare"


@pytest.fixture
def busy(lab):
    """A study with something of everything: told, failed, skipped, out, stops ahead."""
    for number, outcome in enumerate([("tell", 0.4), ("fail",), ("skip",), ("tell", -0.25)]):
        done("ask", "snar")
        done(outcome[0], "snar", number, *outcome[1:])
    done("ask", "snar", "--worker", "Anna")
    return lab


def test_reading_leaves_the_file_as_it_is(busy):
    before = (busy / "wayfare.db").read_bytes()
    for command in READS:
        done(command, "snar")
        records(command, "snar")
    done("list")
    assert (busy / "wayfare.db").read_bytes() == before
    assert sorted(path.name for path in busy.iterdir()) == ["snar.toml", "wayfare.db"]


def test_status_adds_up(busy):
    said = record("status", "snar")
    assert (said["told"], said["failed"], said["skipped"], said["out"]) == (2, 1, 1, 1)
    assert said["left"] == 6 - 4
    assert (said["name"], said["direction"], said["method"], said["unit"]) == ("snar", "maximize", "custom", "min")
    trials = records("trials", "snar")
    assert said["position"] == trials[-1]["params"]
    assert said["moved"] == sum(trial["leg"] for trial in trials)
    assert said["best"] == trials[0]
    assert said["open"] == [trials[4]]
    ahead = records("plan", "snar")
    assert (said["ahead"], said["ahead_cost"]) == (len(ahead), ahead[-1]["total"])


def test_status_in_words_says_the_same(busy):
    lines = done("status", "snar").splitlines()
    assert lines[0] == "study     snar: maximize with custom, 6 trials"
    assert lines[1] == "trials    2 told, 1 failed, 1 skipped, 1 out, 2 left"
    assert lines[2].startswith("position  temp_C=")
    assert lines[3].startswith("moved     ")
    assert lines[3].endswith(" min")
    assert lines[4].startswith("ahead     2 stops, ")
    assert lines[5] == "best      0.4 observed, trial 0"
    assert lines[6].startswith("last      asked trial 4, by ana, ")
    assert lines[7] == "out       trial 4, worker Anna"


def test_what_was_known_before_is_counted_by_itself(busy):
    done("import", "snar", "-", "--prior", input="temp_C,flow,catalyst,value\n50,3,Pd,1\n60,4,Ni,2\n")
    said = record("status", "snar")
    assert (said["told"], said["failed"], said["out"], said["left"], said["prior"]) == (2, 1, 1, 2, 2)
    assert "trials    2 told, 1 failed, 1 skipped, 1 out, 2 left; 2 known before" in done("status", "snar")
    assert records("list")[0]["told"] == 2
    assert "2 of 6 trials told, 2 known before" in done("doctor")


def test_the_best_of_a_study_that_minimizes_is_the_lowest(lab):
    Path("low.toml").write_text(REACTOR.replace("maximize", "minimize").replace('"snar"', '"low"'))
    done("new", "low.toml")
    for number, value in enumerate([0.4, -0.25, 0.1]):
        done("ask", "low")
        done("tell", "low", number, value)
    assert record("status", "low")["best"]["value"] == -0.25
    assert record("best", "low")["observed"] == {
        "number": 1,
        "params": records("trials", "low")[1]["params"],
        "value": -0.25,
        "count": 1,
    }


def test_a_new_study_has_a_status(lab):
    said = record("status", "snar")
    assert (said["best"], said["open"], said["ahead"], said["moved"]) == (None, [], 0, 0.0)
    assert "best      -" in done("status", "snar")


def test_plan_gives_changes_legs_and_running_totals(lab):
    for number in range(3):
        done("ask", "snar")
        done("tell", "snar", number, 0.5)
    done("ask", "snar")
    stops = records("plan", "snar")
    assert [stop["ahead"] for stop in stops] == [1, 2]
    assert stops[0]["before"] == record("status", "snar")["position"]
    assert stops[1]["before"] == stops[0]["params"]
    assert stops[1]["total"] == pytest.approx(stops[0]["leg"] + stops[1]["leg"])
    head, first, *_ = done("plan", "snar").splitlines()
    assert head.split("  ")[0] == "stop"
    assert head.endswith("leg [min]  total [min]")
    assert first.startswith("   1  temp_C ")
    assert "→" in first


def test_plan_without_stops_says_that_the_next_ask_plans_a_route(lab):
    result = call("plan", "snar")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "Note: no stops are ahead: the next ask plans a route\n"
    for number in range(6):
        done("ask", "snar")
        done("tell", "snar", number, 0.5)
    assert "all 6 trials have been handed out" in call("plan", "snar").stderr


def test_trials_as_json_have_the_same_keys_in_every_state(busy):
    trials = records("trials", "snar")
    assert [trial["state"] for trial in trials] == ["told", "failed", "skipped", "told", "asked"]
    assert all(list(trial) == KEYS for trial in trials)
    assert [trial["number"] for trial in trials] == list(range(5))
    assert list(record("ask", "snar", "--worker", "Anna")) == KEYS
    assert record("ask", "snar", "--worker", "Anna") == trials[4]


def test_trials_without_any_say_so(lab):
    result = call("trials", "snar")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "Note: no trials yet: ask hands out the first\n"


def test_every_float_is_printed_in_full(lab):
    done("ask", "snar")
    done("tell", "snar", 0, "0.1234567890123456789")
    assert records("trials", "snar")[0]["value"] == 0.12345678901234568


def test_best_has_the_mean_with_its_sd_beside_the_best_result(busy):
    said = record("best", "snar")
    assert said["sd"] > 0
    assert said["observed"]["value"] == 0.4
    assert said["params"] == records("trials", "snar")[said["number"]]["params"]
    lines = done("best", "snar").splitlines()
    assert lines[0] == f"best place: mean {said['mean']:.3f}, sd {said['sd']:.2g} (trial {said['number']})"
    assert lines[2] == "best single result: 0.4 (trial 0)"


def test_the_ledger_says_paid_predicted_unordered_and_saved_in_the_unit(busy):
    said = record("ledger", "snar")
    costs = ["paid", "predicted", "unordered", "ordered", "saved", "unit"]
    counts = ["visits", "plans", "results"]
    more = ["home_expected", "owed", "trips", "trip", "trip_left", "shuffled", "learned", "also"]
    assert list(said) == [*costs, *counts, "dwell", "budget", "left", "home", *more]
    assert (said["visits"], said["results"]) == (4, 2)
    assert said["saved"] == said["unordered"] - said["paid"]
    lines = done("ledger", "snar").splitlines()
    assert [line.split()[0] for line in lines] == ["paid", "predicted", "unordered", "saved"]
    assert all(" min " in line for line in lines)


def test_the_ledger_adds_up_where_a_setting_was_missed(busy):
    done("tell", "snar", record("ask", "snar")["number"], 1.0, "--actual", "temp_C=41")
    said = record("ledger", "snar")
    assert said["ordered"] != said["predicted"]
    assert said["saved"] == said["unordered"] - said["ordered"]
    lines = done("ledger", "snar").splitlines()
    assert [line.split()[0] for line in lines] == ["paid", "predicted", "unordered", "ordered", "saved"]
    assert f"ordered    {said['ordered']:.4g} min the same places in the order they were visited" in lines


def long_study(axes, folder):
    """A study of these (name, values) choices; None for a real axis."""
    parts = [
        "direction = 'maximize'",
        "trials = 8",
        "name = 'long'",
        "travel = {kind = 'fee', amount = 3, unit = 'min'}",
    ]
    for name, values in axes:
        kind = f"kind = 'choice'\nvalues = {json.dumps(values)}" if values else "low = 0\nhigh = 1"
        parts.append(f"[[axis]]\nname = {json.dumps(name)}\n{kind}")
    (folder / "long.toml").write_text("\n".join(parts))
    done("new", "long.toml")
    for number in range(2):
        done("ask", "long", "--worker", "the crew of the second boat, in the afternoon")
        done("tell", "long", number, number / 3)
    done("ask", "long")
    done("fail", "long", 2, "--why", "the line clogged " * 20)
    done("replan", "long")


WIDE = {
    "64 axes": [(f"axis_{i}", None) for i in range(64)],
    "names of 200 letters": [("n" * 200, None), ("m" * 200, ["a", "b"])],
    "values of 200 letters": [("x", None), ("solvent", ["a" * 200, "b " * 100])],
    "wide letters": [("温度" * 12, ["高" * 50, "低"]), ("流量", None)],
}


@pytest.mark.parametrize("axes", WIDE.values(), ids=WIDE)
def test_nothing_is_wider_than_eighty_columns(lab, axes):
    long_study(axes, lab)
    for command in (*READS, "ask"):
        printed = done(command, "long")
        assert printed
        assert max(map(width, printed.splitlines())) <= WIDTH, command
    listed = done("list")
    assert max(map(width, listed.splitlines())) <= WIDTH
    told = done("tell", "long", 3, 1)
    assert max(map(width, told.splitlines())) <= WIDTH


def test_nothing_of_a_long_value_is_lost(lab):
    long_study(WIDE["values of 200 letters"], lab)
    shown = "".join(done("trials", "long").split())
    assert all(trial["params"]["solvent"].replace(" ", "") in shown for trial in records("trials", "long"))


def test_columns_stay_aligned_under_wide_letters(lab):
    Path("wide.toml").write_text(
        REACTOR.replace('"snar"', '"wide"')
        .replace("{temp_C", "{'temp_C'")
        .replace("temp_C", "温度")
        .replace("Pd", "パラジウム")
    )
    done("new", "wide.toml")
    for number in range(3):
        done("ask", "wide")
        done("tell", "wide", number, 0.5)
    lines = done("trials", "wide").splitlines()
    assert len({width(line) for line in lines}) == 1


def test_wide_letters_take_two_columns_and_accents_none():
    assert [width(text) for text in ("", "ab", "温度", "ＡＢ", "e\u0301", "→", "µL")] == [0, 2, 4, 4, 1, 1, 2]


def test_a_trial_that_was_skipped_shows_no_leg(busy):
    states = [line.split() for line in done("trials", "snar").splitlines()[1:6]]
    assert [row[1] for row in states] == ["told", "failed", "skipped", "told", "asked"]
    assert states[2][-2:] == ["-", "-"]
    assert states[1][-2] != "-"


def test_control_characters_are_shown_escaped_never_raw(lab):
    done("ask", "snar")
    done("fail", "snar", 0, "--why", "red \x1b[31m, bell \a, up \x9b1A, turned \u202e, two\nlines")
    for arguments in [("trials", "snar"), ("trials", "snar", "--json")]:
        printed = done(*arguments)
        assert not set("\x1b\a\x9b\u202e") & set(printed)
    assert "red \\x1b[31m, bell \\x07, up \\x9b1A, turned \\u202e, two\\nlines" in done("trials", "snar")
    assert records("trials", "snar")[0]["why"].endswith("\u202e, two\nlines")
    refused = call("tell", "snar", 0, 1).stderr
    assert "\\x1b" in refused
    assert not set("\x1b\a\x9b\u202e") & set(refused)


@pytest.mark.parametrize("text", ["", "a", "a b  c", "x" * 50, "温度" * 9, "word " * 9, "e\u0301" * 30])
def test_wrapped_lines_fit_and_lose_nothing(text):
    lines = wrap(text, 7)
    assert max(map(width, lines)) <= 7
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_plain_text_is_left_alone():
    assert plain("Größe 温度 5 µL e\u0301") == "Größe 温度 5 µL e\u0301"


def test_the_store_is_named_before_or_after_the_command_or_by_the_environment(lab):
    for name in ("a", "b", "c"):
        done("new", "snar.toml", "--name", name, "--store", f"{name}.db")
    assert [one["name"] for one in records("list", "--store", "a.db")] == ["a"]
    assert [one["name"] for one in records("--store", "a.db", "list")] == ["a"]
    environment = {"WAYFARE_STORE": "b.db"}
    assert [one["name"] for one in records("list", env=environment)] == ["b"]
    assert [one["name"] for one in records("--store", "a.db", "list", env=environment)] == ["a"]
    assert [one["name"] for one in records("list", "--store", "a.db", env=environment)] == ["a"]
    both = ("--store", "b.db", "list", "--store", "c.db")
    assert [one["name"] for one in records(*both, env=environment)] == ["c"]
    assert [one["name"] for one in records("list")] == ["snar"]


def test_a_reader_that_leaves_early_is_no_error(lab):
    for number in range(6):
        done("ask", "snar")
        done("tell", "snar", number, number)
    command = f"set -o pipefail; {WAYFARE} trials snar --json | head -1"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert json.loads(ran.stdout)["number"] == 0
    assert ran.stderr == ""


def test_a_reader_that_is_gone_is_no_error(lab):
    ran = subprocess.run(["bash", "-c", f"{WAYFARE} status snar | true"], capture_output=True, text=True, check=False)
    assert ran.stderr == ""


# Output is held back until a program ends, unless this says otherwise.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_one_line(lab):
    ran = subprocess.run(
        ["bash", "-c", f"{WAYFARE} status snar > /dev/full"],
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith("Error: cannot print: No space left")
    assert ran.stderr.count("\n") == 1


def test_a_terminal_without_the_letters_still_gets_an_answer(lab):
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    ran = subprocess.run([WAYFARE, "ask", "snar"], capture_output=True, check=False, env=environment)
    assert ran.returncode == 0
    assert b"25 \\u2192 " in ran.stdout
    done("fail", "snar", 0, "--why", "trop chaud, é")
    ran = subprocess.run([WAYFARE, "trials", "snar", "--json"], capture_output=True, check=True, env=environment)
    assert json.loads(ran.stdout)["why"] == "trop chaud, é"

"""The moves from the command line, over a real file."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.studies import call, done, record, records
from wayfare.cli import output
from wayfare.space import Real, Space
from wayfare.study.study import Study
from wayfare.travel import Fee

KEYS = [
    *("number", "state", "params", "leg", "unit", "value", "worker", "plan"),
    *("stop", "predicted", "spent", "asked", "why", "earlier", "prior", "label", "count", "variance"),
    *("home_first", "measured", "issued", "closed", "former"),
]


def test_ask_says_the_number_the_leg_and_what_to_change(lab):
    printed = done("ask", "snar")
    assert printed.splitlines()[0].startswith("trial 0, leg ")
    assert printed.splitlines()[0].endswith(" min")
    assert "  temp_C    25 → " in printed
    assert "  flow      " in printed
    assert "  catalyst  Pd" in printed


def test_asking_again_gives_the_same_open_trial(lab):
    assert record("ask", "snar") == record("ask", "snar")
    assert len(records("trials", "snar")) == 1


def test_two_workers_have_a_trial_each_and_keep_it(lab):
    anna, ben = record("ask", "snar", "--worker", "Anna"), record("ask", "snar", "--worker", "Ben")
    assert (anna["number"], ben["number"]) == (0, 1)
    assert record("ask", "snar", "--worker", "Anna") == anna
    assert record("ask", "snar", "--worker", "Ben") == ben
    done("tell", "snar", 1, 0.5)
    assert record("ask", "snar", "--worker", "Ben")["number"] == 2
    assert record("ask", "snar", "--worker", "Anna") == anna


def test_a_trial_is_taken_over_when_its_lease_is_over_and_all_are_told(lab):
    done("ask", "snar", "--worker", "Anna")
    assert record("ask", "snar", "--worker", "Ben", "--take-over", "2h")["number"] == 1
    done("tell", "snar", 1, 0.5)
    taken = call("ask", "snar", "--worker", "Ben", "--take-over", "0s")
    assert taken.stderr == "Note: trial 0 was taken over from Anna\n"
    assert taken.stdout.startswith("trial 0, leg ")
    assert records("trials", "snar")[0]["former"] == ["Anna"]
    assert "trial 0: taken over from Anna" in done("trials", "snar")
    assert "trial 0 reassigned: worker Anna → Ben" in " ".join(done("log", "snar").split())
    again = call("ask", "snar", "--worker", "Anna")
    assert again.stderr.startswith("Note: trial 0, which you had, was taken over by Ben at 20")
    assert again.stdout.startswith("trial 2, leg ")
    done("tell", "snar", 2, 0.7)
    assert call("ask", "snar", "--worker", "Anna").stderr == ""


@pytest.mark.parametrize("time", ["2", "h", "", "-1h", "nanh", "infd", "1e300d", "2 weeks", "1h30min", "２h"])
def test_a_lease_that_is_no_length_of_time_is_refused(lab, time):
    refused = call("ask", "snar", "--take-over", time)
    assert refused.exit_code == 2
    assert refused.stderr.count("\n") == 1
    assert records("trials", "snar") == []


def test_no_wait_goes_on_although_results_are_out(lab):
    assert [record("ask", "snar", "--no-wait")["number"] for _ in range(3)] == [0, 1, 2]


def test_the_same_ask_sent_twice_hands_out_one_trial(lab):
    first = record("ask", "snar", "--no-wait", "--request", "morning")
    assert record("ask", "snar", "--no-wait", "--request", "morning") == first
    assert len(records("trials", "snar")) == 1


def test_ask_with_nothing_left_says_whether_trials_are_out_and_exits_with_one(lab):
    for _ in range(6):
        done("ask", "snar", "--no-wait")
    result = call("ask", "snar", "--no-wait")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == ("Error: no trials are left: all 6 have been handed out, 6 still out (trials 0 to 5)\n")
    for number in range(6):
        done("tell", "snar", number, number)
    result = call("ask", "snar", "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == ("Error: no trials are left: all 6 have been handed out and have their outcome\n")


@pytest.mark.parametrize("value", ["-0.5", "-.5", "-1e-3", "-0", "+2", "7", "-5."])
def test_a_negative_value_needs_no_ceremony(lab, value):
    done("ask", "snar")
    assert record("tell", "snar", 0, value)["value"] == float(value)


def test_a_negative_value_may_stand_among_options(lab):
    done("ask", "snar")
    told = record("tell", "--spent", 3, "snar", 0, "-0.5", "--request", "a")
    assert (told["value"], told["spent"], told["leg"]) == (-0.5, 3.0, 3.0)
    assert record("amend", "snar", "--why", "-1 misread", 0, "-0.75")["earlier"] == [-0.5]


def test_a_study_whose_name_begins_with_a_dash_is_reached_behind_two(lab):
    Study.create(
        Space(Real("a", 0.0, 1.0)), direction="maximize", travel=Fee(1.0), trials=3, store="wayfare.db", name="-x"
    )
    done("ask", "--", "-x")
    done("tell", "--request", "-r", "--", "-x", 0, "-1")
    assert json.loads(done("trials", "--json", "--", "-x"))["value"] == -1.0


def test_tell_keeps_what_really_happened(lab):
    asked = record("ask", "snar")
    told = record("tell", "snar", 0, 0.81, "--actual", "temp_C=43.5", "--spent", 12)
    assert list(told) == KEYS
    assert (told["state"], told["value"], told["leg"], told["spent"]) == ("told", 0.81, 12.0, 12.0)
    assert told["params"] == {**asked["params"], "temp_C": 43.5}
    assert told["asked"] == asked["params"]
    assert told["predicted"] == asked["leg"]
    printed = done("trials", "snar")
    assert f"asked for temp_C={asked['params']['temp_C']:.6g}" in printed
    assert "leg as told" in printed


def test_the_same_tell_sent_twice_happens_once(lab):
    done("ask", "snar")
    first = record("tell", "snar", 0, 0.5, "--request", "r1")
    before = (lab / "wayfare.db").read_bytes()
    assert record("tell", "snar", 0, 0.5, "--request", "r1") == first
    assert (lab / "wayfare.db").read_bytes() == before


def test_fail_counts_the_way_but_has_no_value(lab):
    asked = record("ask", "snar")
    failed = record("fail", "snar", 0, "--why", "clogged line", "--actual", "flow=3", "--spent", 4)
    assert (failed["state"], failed["value"], failed["why"]) == ("failed", None, "clogged line")
    assert failed["params"] == {**asked["params"], "flow": 3}
    assert record("ledger", "snar")["paid"] == 4.0


def test_skip_costs_neither_movement_nor_a_trial(lab):
    done("ask", "snar")
    skipped = record("skip", "snar", 0, "--why", "no Ni today")
    assert (skipped["state"], skipped["leg"], skipped["why"]) == ("skipped", 0.0, "no Ni today")
    assert record("status", "snar")["left"] == 6
    assert record("ledger", "snar")["paid"] == 0.0


def test_insert_hands_out_the_place_and_says_what_the_detour_costs(lab):
    done("ask", "snar")
    here = records("trials", "snar")[-1]["params"]
    place = {"temp_C": here["temp_C"], "flow": 5, "catalyst": here["catalyst"]}
    extra = record("insert", "snar", *(f"{axis}={value}" for axis, value in place.items()), "--worker", "B")
    assert list(extra) == [*KEYS, "detour", "also"]
    assert (extra["params"], extra["worker"], extra["stop"]) == (place, "B", None)
    assert (extra["leg"], extra["detour"]) == (0.0, 0.0)
    lines = done("insert", "snar", "flow=6", "temp_C=41.5", "catalyst=Pd").splitlines()
    assert lines[0].startswith("trial 2, leg ")
    assert lines[2] == "  flow      5 → 6"
    assert lines[4].startswith("detour ")
    assert lines[4].endswith(" min on top of the route")


def test_a_dry_run_says_the_price_and_writes_nothing(lab):
    done("ask", "snar")
    before = (lab / "wayfare.db").read_bytes()
    place = ("temp_C=100", "flow=5", "catalyst=Ni")
    quote = record("insert", "snar", *place, "--dry-run")
    assert quote["dry_run"] is True
    shown = call("insert", "snar", *place, "--dry-run")
    assert shown.stdout.startswith("would be trial 1, leg ")
    assert shown.stderr == "Note: a dry run, nothing was written\n"
    assert (lab / "wayfare.db").read_bytes() == before
    made = record("insert", "snar", *place)
    assert quote.pop("issued") is None
    assert made.pop("issued")["by"] == "ana"
    assert {key: quote[key] for key in made} == made


def test_amend_corrects_and_the_earlier_values_stay_readable(lab):
    done("ask", "snar")
    done("tell", "snar", 0, 0.5)
    amended = record("amend", "snar", 0, 0.6, "--why", "wrong peak", "--spent", 2)
    assert (amended["value"], amended["earlier"], amended["why"]) == (0.6, [0.5], "wrong peak")
    assert amended["leg"] == 2.0
    moved = record("amend", "snar", 0, "--actual", "temp_C=44")
    assert (moved["value"], moved["params"]["temp_C"]) == (0.6, 44.0)
    withdrawn = record("amend", "snar", 0, "--withdraw")
    assert (withdrawn["state"], withdrawn["value"]) == ("failed", None)
    assert withdrawn["earlier"] == [0.5, 0.6]
    assert "earlier 0.5, 0.6" in done("trials", "snar")


def test_a_value_is_echoed_with_every_digit(lab):
    done("ask", "snar")
    assert done("tell", "snar", 0, "0.123456789012", "--why", "twice").startswith("trial 0 told: 0.123456789012,")
    assert records("trials", "snar")[0]["why"] == "twice"
    printed = done("amend", "snar", 0, "7")
    assert printed.startswith("trial 0 told: 7,")
    assert "earlier 0.123456789012" in printed


@pytest.mark.parametrize("command", [("tell", "snar", 0, 1), ("fail", "snar", 0)])
def test_a_place_out_of_bounds_is_taken_with_a_note(lab, command):
    done("ask", "snar")
    result = call(*command, "--actual", "temp_C=721.5", "--actual", "flow=3")
    assert result.exit_code == 0
    assert result.stderr == (
        "Note: trial 0: temp_C=721.5 is outside 40 to 120; "
        "if that is a slip, `wayfare amend snar 0 --actual AXIS=VALUE` corrects it\n"
    )
    assert call("amend", "snar", 0, "--actual", "temp_C=72.5", "--json").stderr == ""
    assert "flow=0 is outside 1 to 20" in call("amend", "snar", 0, "--actual", "flow=0").stderr


def test_an_axis_name_may_hold_an_equals_sign(lab):
    Path("odd.toml").write_text(
        'name = "odd"\ndirection = "maximize"\ntrials = 3\ntravel = {kind = "fee", amount = 1}\n'
        '[[axis]]\nname = "additive"\nlow = 0\nhigh = 9\n[[axis]]\nname = "additive=x"\nlow = 0\nhigh = 9\n'
    )
    done("new", "odd.toml")
    assert record("insert", "odd", "additive=x=1", "additive=2")["params"] == {"additive": 2.0, "additive=x": 1.0}
    assert record("tell", "odd", 0, 1, "--actual", "additive=x=3")["params"]["additive=x"] == 3.0
    assert "got 'y=3'" in call("amend", "odd", 0, "--actual", "additive=y=3").stderr


def test_replan_from_elsewhere_names_the_trials_that_are_out(lab):
    done("ask", "snar")
    result = call("replan", "snar", "--from", "temp_C=60")
    assert result.exit_code == 0
    assert result.stderr == (
        "Note: trial 0 is still out; --from is where you stand after it; skip it if you will not go\n"
    )
    assert call("replan", "snar").stderr == ""
    done("ask", "snar", "--no-wait")
    assert call("replan", "snar", "--from", "temp_C=50").stderr.startswith("Note: trials 0 and 1 are still out;")


def test_replan_drops_the_route_and_shows_both_prices(lab):
    for number in range(2):
        done("ask", "snar")
        done("tell", "snar", number, 0.5)
    ahead = records("plan", "snar")
    made = record("replan", "snar", "--from", "temp_C=25", "--why", "lunch", "--request", "noon")
    assert [stop["params"] for stop in made["before"]["stops"]] == [stop["params"] for stop in ahead]
    assert made["before"]["stops"][0]["before"]["temp_C"] == 25.0
    assert made["after"]["stops"] == records("plan", "snar")
    assert made["after"]["cost"] == made["after"]["stops"][-1]["total"]
    assert made["unit"] == "min"
    assert record("status", "snar")["position"]["temp_C"] == 25.0
    printed = done("replan", "snar").splitlines()
    assert [line.split()[0] for line in printed] == ["dropped", "planned"]
    assert all(line.endswith(" min") for line in printed)


def test_what_a_move_prints_in_a_pipe_is_what_it_prints_in_process(lab):
    program = Path(sys.executable).parent / "wayfare"
    ran = subprocess.run([program, "ask", "snar"], capture_output=True, text=True, check=True)
    assert ran.stdout == done("ask", "snar")
    assert ran.stderr == ""
    told = subprocess.run([program, "tell", "snar", "0", "-0.5", "--json"], capture_output=True, text=True, check=True)
    assert json.loads(told.stdout)["value"] == -0.5


def test_someone_at_a_terminal_sees_that_planning_goes_on(monkeypatch, capsys):
    monkeypatch.setattr(output, "PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with output.busy():
        time.sleep(0.3)
    assert "planning ..." in capsys.readouterr().err


def test_nothing_is_shown_of_planning_in_a_pipe(monkeypatch, capsys):
    monkeypatch.setattr(output, "PATIENCE", 0.0)
    with output.busy():
        time.sleep(0.3)
    assert capsys.readouterr().err == ""


def test_an_interrupt_is_one_line_and_exits_with_130(lab, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("wayfare.study.study.Study.ask", interrupted)
    result = call("ask", "snar")
    assert result.exit_code == 130
    assert result.stdout == ""
    assert result.stderr == "Error: interrupted; `wayfare status` says what is recorded\n"

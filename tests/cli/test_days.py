"""Days on the command line: the stops of a day, the evening, and what is said of both."""

import pytest

from tests.cli.studies import call, done, record, records

LINE = """
name = "line"
direction = "maximize"
trials = 9
method = {policy = {kind = "uniform"}, schedule = {kind = "horizon"}}
start = {x = 0.0}
home = "start"
day = "12 min"
dwell = 1
[places]
columns = {x = [0, 1, 2, 3, 4]}
[travel]
kind = "euclidean"
unit = "min"
"""


@pytest.fixture
def line(lab):
    (lab / "line.toml").write_text(LINE)
    done("new", "line.toml")
    return lab


def test_a_day_is_said_wherever_a_trip_is(line):
    assert "limits  1 min for each result, days of 12 min, home is x=0\n" in done("new", "line.toml", "--name", "b")
    assert "a day of 12 min from home to home" in done("new", "line.toml", "--name", "c", "--check")
    made = record("new", "line.toml", "--name", "d")
    assert (made["day"], made["trip"]) == (12.0, None)
    done("insert", "line", "x=4")
    assert "\nday       7 min of this day left, home is 4 min away\n" in done("status", "line")
    assert done("ledger", "line").endswith("day        7 min of this day left, home is 4 min away\n")
    assert " in 1 day\n" in done("ledger", "line")


def test_the_stops_of_a_day_and_then_home(line):
    out = records("ask", "line", "-n", "day")
    assert out
    assert not any(trial["home_first"] for trial in out[1:])
    assert [trial["number"] for trial in records("ask", "line", "-n", "day")] == [trial["number"] for trial in out]
    assert record("sheet", "line", "--take", "day", "--out", "day.html")["trials"] == [t["number"] for t in out]
    answer = call("go-home", "line")
    assert answer.stdout.startswith("at home, leg ")
    assert "; day 2 begins: 12 min of this day left, home is 0 min" in " ".join(answer.stdout.split())
    assert f"trial{'s' * (len(out) > 1)} " in answer.stderr
    assert "tell " in answer.stderr
    again = call("go-home", "line")
    assert (again.exit_code, again.stdout) == (2, "")
    assert again.stderr == "Error: go home: the traveller is at home, and nothing was visited since\n"
    more = records("ask", "line", "-n", "day")
    assert not more[len(out)]["home_first"]


def test_going_home_is_in_the_log_with_its_reason(line):
    done("insert", "line", "x=3")
    made = record("go-home", "line", "--spent", "4.5", "--why", "fog", "--request", "e1")
    assert (made["leg"], made["trips"], made["stops"]) == (4.5, 2, [])
    assert record("go-home", "line", "--spent", "4.5", "--why", "fog", "--request", "e1") == made
    last = records("log", "line")[-1]
    assert (last["what"], last["why"]) == ("returned", "fog")
    assert [(one["field"], one["after"]) for one in last["changes"]] == [("position", {"x": 0}), ("way_home", 4.5)]
    assert "fog" in done("log", "line")
    assert record("status", "line")["moved"] == 3.0 + 4.5
    assert done("verify").endswith("sound\n")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('unit = "min"', 'unit = "m"', "day: the travel cost is in 'm', which is not a time (s, min or h)"),
        ('day = "12 min"', 'day = "8 hours and a bit"', "day: '8 hours and a bit' is not a length of time"),
        ('day = "12 min"', "day = true", "day must be a number"),
        ('day = "12 min"', 'day = "12 min"\ntrip = 3', "day and trip are both how long"),
        ('home = "start"\n', "", "day needs a place to come back to"),
        ('"12 min"', '"0.5 min"', "day is 0.5 min, but from home to x=0 for one result and back costs 1 min"),
    ],
)
def test_a_day_that_cannot_be_is_one_line_and_nothing_is_written(lab, old, new, words):
    (lab / "line.toml").write_text(LINE.replace(old, new))
    answer = call("new", "line.toml")
    assert answer.exit_code == 2
    assert words in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert "line" not in done("list")


def test_the_day_of_a_study_without_any_is_refused(lab):
    for command in (["ask", "snar", "-n", "day"], ["sheet", "snar", "--take", "day"]):
        answer = call(*command)
        assert answer.stderr == "Error: the stops of a day: the study has neither a day nor a trip; say how many\n"
    assert "0 told" in done("status", "snar")
    assert call("ask", "snar", "-n", "week").exit_code == 2

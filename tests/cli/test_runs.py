"""Runs from the command line: several results at one stop, handed out, told, corrected and shown."""

import pytest

import wayfare as wf
from tests.cli.studies import call, done, record, records
from tests.cli.test_moves import KEYS
from wayfare.policy import Runs

LINE = wf.Space(wf.Real("x", 0.0, 100.0))
PLACE = ("temp_C=50", "flow=5", "catalyst=Pd")


class Marks:
    """Proposes the marks 10 and 20, for three and 1200 results."""

    def propose(self, situation, size, rng):
        return Runs([[10.0], [20.0]], [3, 1200])


@pytest.fixture
def line(tmp_path, monkeypatch):
    """A folder with a study ``line``, its route planned: a policy of one's own is not in the file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WAYFARE_STORE", raising=False)
    study = wf.Study.create(
        LINE,
        direction="maximize",
        travel=wf.Euclidean(unit="m"),
        trials=2000,
        start=[0.0],
        method=wf.Method(Marks(), wf.Horizon(), opening=wf.NoOpening()),
        store="wayfare.db",
        name="line",
    )
    study.replan()
    return tmp_path


@pytest.fixture
def half(line):
    """The first run told, the second out."""
    done("ask", "line", "--count")
    done("tell", "line", 0, 1, 2, 6)
    done("ask", "line", "--count", "--worker", "ann")
    return line


def test_ask_hands_out_the_whole_run_and_says_how_many_results_to_take(line):
    assert done("ask", "line", "--count") == "trial 0, leg 10 m, take 3 results here\n  x  0 → 10\n"
    done("tell", "line", 0, 1, 2, 6)
    assert done("ask", "line", "--count").startswith("trial 1, leg 10 m, take 1,200 results here\n")
    assert record("ask", "line")["count"] == 1200


def test_ask_hands_out_one_result_at_a_time_to_whoever_does_not_ask_for_more(line):
    assert done("ask", "line").startswith("trial 0, leg 10 m\n")
    done("tell", "line", 0, 1)
    assert [stop["count"] for stop in records("plan", "line")] == [2, 1200]
    assert done("ask", "line", "--count").startswith("trial 1, leg 0 m, take 2 results here\n")


def test_several_values_are_told_one_after_another(line):
    done("ask", "line", "--count")
    told = record("tell", "line", 0, "-1", "--spent", 4, 2, "-.5e1", "--why", "windy")
    assert list(told) == KEYS
    assert (told["value"], told["count"], told["variance"]) == (pytest.approx(-4 / 3), 3, pytest.approx(37 / 3))
    assert (told["spent"], told["why"]) == (4.0, "windy")


def test_a_mean_is_told_with_its_count_and_variance(line):
    done("ask", "line", "--count")
    printed = done("tell", "line", 0, 3, "--count", 5, "--variance", 7)
    assert printed == "trial 0 told: 3, mean of 5 results, variance 7, leg 10 m\n    x=10\n"
    assert record("status", "line")["left"] == 1995
    kept = records("trials", "line")[0]
    assert (kept["value"], kept["count"], kept["variance"]) == (3.0, 5, 7.0)


def test_the_list_and_its_mean_say_the_same(lab):
    for number, words in enumerate([(1, 2, 6), (3, "--count", 3, "--variance", 7)]):
        done("insert", "snar", *PLACE, "--count", 3)
        done("tell", "snar", number, *words)
    one, other = ({key: r[key] for key in ("value", "count", "variance")} for r in records("trials", "snar"))
    assert one == other


def test_one_result_of_many_is_told_by_saying_so(line):
    done("ask", "line", "--count")
    assert record("tell", "line", 0, 2, "--count", 1)["count"] == 1


@pytest.mark.parametrize("command", ["tell", "amend"])
def test_a_single_number_for_a_run_is_refused_in_words_of_the_command_line(line, command):
    done("ask", "line", "--count")
    if command == "amend":
        done("tell", "line", 0, 1, 2, 6)
    before = (line / "wayfare.db").read_bytes()
    result = call(command, "line", 0, 2)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "Error: trial 0 is a run of 3 results, and one number was given; "
        "give all of them, or their mean with --count and --variance\n"
    )
    assert (line / "wayfare.db").read_bytes() == before


def test_the_same_run_sent_twice_is_told_once(line):
    done("ask", "line", "--count", "--request", "a")
    assert record("ask", "line", "--count", "--request", "a")["number"] == 0
    first = record("tell", "line", 0, 1, 2, 6, "--request", "b")
    assert record("tell", "line", 0, 1, 2, 6, "--request", "b") == first
    assert call("tell", "line", 0, 1, 2, 7, "--request", "b").exit_code == 1
    assert record("status", "line")["told"] == 3


def test_amend_takes_what_tell_takes_and_keeps_what_is_not_given(half):
    amended = record("amend", "line", 0, 4, 6, "--why", "one was another place")
    assert (amended["value"], amended["count"], amended["variance"], amended["earlier"]) == (5, 2, 2, [3])
    moved = record("amend", "line", 0, "--actual", "x=11")
    assert (moved["value"], moved["count"], moved["variance"]) == (5, 2, 2)
    assert record("amend", "line", 0, 6, "--count", 9)["variance"] is None
    assert done("amend", "line", 0, "--withdraw").startswith("trial 0 failed, leg 11 m\n")


def test_an_extra_place_may_be_a_run(lab):
    lines = done("insert", "snar", *PLACE, "--count", 4, "--dry-run").splitlines()
    assert lines[0].startswith("would be trial 0, leg ")
    assert lines[0].endswith(", take 4 results here")
    assert record("status", "snar")["left"] == 6
    assert record("insert", "snar", *PLACE, "--count", 4)["count"] == 4
    assert record("status", "snar")["left"] == 2


def test_the_route_has_a_column_of_results_where_a_stop_has_several(line):
    assert done("plan", "line") == (
        "stop  changes    results  leg [m]  total [m]\n"
        "   1  x 0 → 10         3       10         10\n"
        "   2  x 10 → 20     1200       10         20\n"
    )


def test_the_trials_have_a_column_of_results_where_one_is_a_run(half):
    assert done("trials", "line") == (
        "trial  state   x  worker  leg [m]  value  results\n"
        "    0  told   10               10      3        3\n"
        "    1  asked  20     ann       10      -     1200\n"
    )
    done("fail", "line", 1)
    assert done("trials", "line").splitlines()[2].split()[-2:] == ["-", "-"]


def test_status_counts_trials_by_results_and_adds_up(half):
    said = record("status", "line")
    assert (said["told"], said["out"], said["left"], said["visits"]) == (3, 1200, 797, 2)
    assert said["told"] + said["failed"] + said["out"] + said["left"] == said["trials"]
    lines = done("status", "line").splitlines(keepends=True)
    assert "".join(line for line in lines if not line.startswith("last ")) == (  # who did it when
        "study     line: maximize with custom, 2000 trials\n"
        "trials    3 told, 0 failed, 0 skipped, 1200 out, 797 left\n"
        "visits    2, some for several results\n"
        "position  x=20\n"
        "moved     20 m\n"
        "ahead     no stops\n"
        "best      3 observed (mean of 3 results), trial 0\n"
        "out       trial 1, worker ann, take 1,200 results\n"
    )
    assert records("list")[0]["told"] == 3


def test_status_says_for_how_many_results_the_route_ahead_is(line):
    said = record("status", "line")
    assert (said["ahead"], said["ahead_results"]) == (2, 1203)
    assert "ahead     2 stops for 1,203 results, 20 m\n" in done("status", "line")


def test_best_and_ledger_say_what_they_are_the_mean_of_and_what_was_brought(half):
    done("tell", "line", 1, 2, "--count", 1200)
    assert record("best", "line")["observed"] == {"number": 0, "params": {"x": 10.0}, "value": 3.0, "count": 3}
    assert "best result: 3 (mean of 3 results, trial 0)\n" in done("best", "line")
    assert (record("ledger", "line")["visits"], record("ledger", "line")["results"]) == (2, 1203)
    assert done("ledger", "line").startswith("paid       20 m for 2 visits with 1,203 results on 1 route\n")


def test_a_run_sheet_goes_out_and_comes_in(half):
    done("export", "line", "--out", "sheet.csv")
    text = (half / "sheet.csv").read_text()
    assert text.splitlines()[2] == "1,asked,20.0,10.0,,,ann,,false,1200,"
    (half / "sheet.csv").write_text(text.replace(",10.0,,,ann,,false,1200,", ",10.0,2.5,,ann,,false,1190,0.5"))
    assert done("import", "line", "sheet.csv") == "2 rows: 1 told, 1 already there\n"
    kept = records("trials", "line")[1]
    assert (kept["value"], kept["count"], kept["variance"]) == (2.5, 1190, 0.5)
    assert "sound\n" in done("verify")


def test_the_whole_study_moves_with_its_runs(half):
    done("export", "line", "--out", "line.json")
    done("import", "copy", "line.json")
    assert records("trials", "copy") == records("trials", "line")
    assert "sound\n" in done("verify")


@pytest.mark.parametrize("first", ["tell", "amend"])
def test_a_number_told_before_its_trial_became_a_run_may_be_sent_again(lab, first):
    done("ask", "snar")
    if first == "amend":
        done("tell", "snar", 0, 1)
    done(first, "snar", 0, 2, "--request", "r")
    done("amend", "snar", 0, 3, 4)
    assert record(first, "snar", 0, 2, "--request", "r")["count"] == 2
    assert call("amend", "snar", 0, 2).exit_code == 2

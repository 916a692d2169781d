"""What a study learns about its own conditions, on the command line: drift, shuffling, legs as they cost."""

import pytest

from tests.cli.studies import call, done, record, records

LINE = """
name = "line"
direction = "maximize"
trials = 40
method = {policy = {kind = "uniform"}, schedule = {kind = "fixed", size = 4}, opening = {kind = "none"}}
start = {x = 0.0}
shuffle = 0.5
[[axis]]
name = "x"
low = 0
high = 100
[travel]
kind = "euclidean"
unit = "min"
"""


@pytest.fixture
def line(lab):
    (lab / "line.toml").write_text(LINE)
    done("new", "line.toml")
    return lab


def travel(trials):
    """Tell some trials, legs costing twice what was predicted and three minutes."""
    for _ in range(trials):
        trial = record("ask", "line")
        done("tell", "line", trial["number"], 1.0, "--spent", 2 * trial["leg"] + 3)


def test_new_says_what_is_left_to_chance(line):
    (line / "other.toml").write_text(LINE.replace('"line"', '"other"'))
    assert "shuffle  50% of the stops\n" in done("new", "other.toml")
    (line / "all.toml").write_text(LINE.replace('"line"', '"all"').replace("shuffle = 0.5", "shuffle = 1"))
    assert "shuffle  100% of the stops\n" in done("new", "all.toml")
    assert record("new", "other.toml", "--name", "third")["shuffle"] == 0.5


def test_plan_and_ledger_say_the_price_of_shuffling(line):
    record("ask", "line")
    assert "of the route as planned, " in done("plan", "line").splitlines()[-1]
    price = record("status", "line")["ahead_shuffled"]
    assert price > 0
    price /= 4  # one of the four stops was visited
    assert record("ledger", "line")["shuffled"] == price
    assert f"shuffled   {price:.3g} min for leaving the order to chance\n" in done("ledger", "line")


def test_plan_status_and_ledger_say_what_legs_really_cost(line):
    travel(9)
    ahead = records("plan", "line")
    assert [stop["expected"] for stop in ahead] == pytest.approx([2 * stop["leg"] + 3 for stop in ahead])
    head, *_, expected, _ = done("plan", "line").splitlines()
    assert head.endswith("leg [min]  expected [min]  total [min]")
    total = sum(stop["expected"] for stop in ahead)
    assert expected == f"expected {total:.3g} min in all, by what legs have really cost"
    assert record("status", "line")["ahead_expected"] == pytest.approx(total)
    assert f" min, expected {total:.3g} min\n" in done("status", "line")
    learned = record("ledger", "line")["learned"]
    assert (learned["scale"], learned["offset"], learned["legs"]) == (pytest.approx(2), pytest.approx(3), 9)
    assert "learned    legs cost 2 x what was predicted + 3 min (9 legs told, off by" in done("ledger", "line")


def drift(slope):
    for at in range(6):
        done("insert", "line", "x=50")
        done("tell", "line", at, slope * at + 0.01 * (at % 2))


def test_ask_says_on_stderr_that_results_drift_and_goes_on(lab):
    (lab / "line.toml").write_text("anchor = {x = 50}\nanchor_every = 30\n" + LINE)
    done("new", "line.toml")
    drift(1.0)
    result = call("ask", "line", "--json")
    assert result.exit_code == 0
    assert result.stderr.startswith("Note: drift: results rose by 6.01 over 7 visits (1 ± ")
    assert result.stderr.count("\n") == 1
    assert "Warning" not in result.stderr
    assert call("ask", "line").stderr == ""


@pytest.mark.parametrize("anchor", ["", 'anchor = "best"\nanchor_every = 30\n'])
def test_without_a_fixed_anchor_a_drift_is_told_only_to_who_asks_for_it(lab, anchor):
    (lab / "line.toml").write_text(anchor + LINE)
    done("new", "line.toml")
    drift(1.0)
    assert "drift" not in done("status", "line")
    assert done("drift", "line").startswith("drift: results rose by 5 over 6 visits (1 ± ")
    said = record("status", "line")["drift"]
    assert said == record("drift", "line")
    assert (said["found"], said["repeats"], said["missing"], said["places"]) == (True, 5, 0, 1)


def test_status_has_a_line_on_drift_if_a_fixed_anchor_is_set(lab):
    (lab / "line.toml").write_text("anchor = {x = 50}\nanchor_every = 30\n" + LINE)
    done("new", "line.toml")
    assert "drift     too few repeats to tell: 0 of 3 needed" in done("status", "line")
    drift(1.0)
    assert "drift     results rose by 5 over 6 visits (1 ± " in done("status", "line")


def test_drift_says_it_in_full(line):
    assert done("drift", "line").startswith("drift: too few repeats to tell: 0 of 3 needed;\nonly a visit")
    drift(0.0)
    assert "drift" not in done("status", "line")
    assert done("drift", "line").startswith("drift: none shows over 6 visits (")
    assert record("drift", "line")["found"] is False

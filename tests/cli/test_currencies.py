"""Several currencies on the command line, side by side."""

import pytest

from tests.cli.studies import REACTOR, done, record, records

EUROS = """
[[also]]
kind = "serial"
unit = "EUR"
parts = [{kind = "fee", amount = 2}, {kind = "switch", axis = "catalyst", fee = 40}]
"""


@pytest.fixture
def money(lab):
    text = REACTOR.replace('"snar"', '"money"').replace("seed = 7", "seed = 7\ndwell = {min = 5, EUR = 30}")
    (lab / "money.toml").write_text(text + EUROS)
    assert "also    EUR\n" in done("new", "money.toml", "--name", "other")
    assert "limits  5 min and 30 EUR for each result\n" in done("new", "money.toml")
    return lab


def test_new_as_json_has_the_currencies(money):
    assert record("new", "money.toml", "--name", "third")["also"] == [{"unit": "EUR", "dwell": 30.0}]


def test_ask_and_plan_say_the_leg_in_each_currency(money):
    first = done("ask", "money").splitlines()[0]
    assert first == f"trial 0, leg {record('ask', 'money')['leg']:.4g} min and 2 EUR"
    done("tell", "money", 0, 1)
    done("ask", "money")
    stops = records("plan", "money")
    assert stops
    assert all(stop["also"][0]["unit"] == "EUR" for stop in stops)
    assert {stop["also"][0]["leg"] for stop in stops} <= {2.0, 42.0}
    head = done("plan", "money").splitlines()[0]
    assert head.split()[-6:] == ["leg", "[min]", "total", "[min]", "leg", "[EUR]"]


def test_insert_says_the_detour_in_each_currency(money):
    done("ask", "money")
    place = ("temp_C=50", "flow=3", "catalyst=Ni")
    said = record("insert", "money", *place, "--dry-run")
    (euros,) = said["also"]
    assert euros["unit"] == "EUR"
    assert euros["detour"] in (2.0, 42.0, 82.0)
    detour = f"detour {said['detour']:.4g} min and {euros['detour']:.4g} EUR on top of the route"
    assert done("insert", "money", *place).splitlines()[-1] == detour


def test_the_ledger_has_them_side_by_side(money):
    for number in range(3):
        done("ask", "money")
        done("tell", "money", number, number)
    said = record("ledger", "money")
    (euros,) = said["also"]
    assert euros["dwell"] == 90.0
    assert euros["remark"] == ""
    lines = done("ledger", "money").splitlines()
    assert lines[0].startswith(f"paid       {said['paid']:.4g} min and {euros['paid']:.4g} EUR for 3 visits")
    assert lines[1] == f"predicted  {said['predicted']:.4g} min as they were handed out"
    assert lines[-1] == "dwell      15 min and 90 EUR for taking results"

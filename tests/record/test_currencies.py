"""Several currencies: reported side by side, one of them planned with."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from tests.exchange.studies import exported
from wayfare.exchange import export_json, import_json
from wayfare.form import read_spec, write_spec
from wayfare.travel import Ramp, Scaled

LINE = wf.Space(wf.Real("x", 0.0, 10.0))
EUROS = wf.Fee(2.0, unit="EUR") + wf.Euclidean(scale=0.5, unit="EUR")


def taxi(a, b):
    return 3.0 * abs(a[0] - b[0])


def make(space=LINE, method="random-route", trials=6, **changes):
    options = {"direction": "maximize", "travel": wf.Euclidean(unit="min"), "start": {"x": 0.0}}
    return wf.Study.create(space, trials=trials, method=method, **(options | changes))


def walk(study):
    while (trial := study.ask(count=True)) is not None:
        study.tell(trial, 0.0, count=trial.count if trial.count > 1 else None)
    return study


def told(study, *places):
    """Go to these places and tell them."""
    for x in places:
        study.tell(study.insert({"x": x}).trial, 0.0)
    return study


def test_known_answers_on_a_line():
    study = told(make(also=[EUROS]), 4.0, 4.0, 1.0)
    (account,) = study.ledger().also
    assert study.ledger().paid == 7.0
    # Four and three at half a euro, and two moves at two; staying is no move.
    assert (account.unit, account.paid, account.unordered, account.saved) == ("EUR", 7.5, 7.5, 0.0)
    assert account.dwell == 0.0
    assert str(study.ledger()).endswith("; paid 7.5 EUR, unordered 7.5 EUR, saved 0 EUR")


def test_the_same_cost_in_another_unit_gives_the_same_account():
    """The ledger of the planned currency is the oracle, also for what ordering saved."""
    twin = wf.Euclidean(unit="EUR")
    study = make(trials=9, also=[twin], dwell={"min": 5.0, "EUR": 5.0}, seed=3)
    for _ in range(4):
        study.tell(study.ask(), 0.0)
    study.skip(study.ask())
    study.tell(study.ask(), 0.0, actual={"x": 7.5})
    study.replan({"x": 9.0})
    study.fail(study.ask())
    study.tell(study.insert({"x": 2.0}, count=3).trial, [0.0, 1.0, 0.0])
    ledger = study.ledger()
    (account,) = ledger.also
    names = ("paid", "unordered", "saved", "dwell")
    assert [getattr(account, name) for name in names] == pytest.approx([getattr(ledger, name) for name in names])
    assert ledger.saved > 0
    for stop in study.route().stops:
        assert stop.also == (("EUR", stop.leg),)


def test_what_was_told_of_a_leg_counts_in_the_own_unit_alone():
    study = make(also=[wf.Euclidean(unit="EUR")])
    study.tell(study.insert({"x": 4.0}).trial, 0.0, spent=99.0)
    assert (study.ledger().paid, study.ledger().also[0].paid) == (99.0, 4.0)


@pytest.mark.parametrize("method", ["wayfare", "tucb", "random-route", "eipu"])
def test_what_is_reported_besides_changes_no_plan(method):
    space = wf.Space(wf.Real("x", 0.0, 10.0), wf.Choice("tool", ["a", "b"]))
    options = {"start": {"x": 0.0, "tool": "a"}, "trials": 8, "method": method}
    plain = walk(make(space, **options))
    both = walk(make(space, **options, also=[wf.Switch("tool", 50.0, "EUR")], dwell={"EUR": 3.0}))
    assert [trial.params for trial in plain.trials] == [trial.params for trial in both.trials]
    assert plain.ledger().paid == both.ledger().paid
    assert both.ledger().dwell == 0.0
    assert both.ledger().also[0].dwell == 24.0


def test_a_budget_counts_its_own_currency_alone():
    study = make(also=[EUROS], budget=10.0, dwell={"EUR": 1000.0})
    told(study, 3.0, 5.0)
    assert study.ledger().left == 5.0
    assert study.ledger().also[0].dwell == 2000.0


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(0, 10), min_size=1, max_size=6), st.floats(0.1, 9))
def test_a_cost_scaled_is_an_account_scaled(places, rate):
    study = told(make(also=[Scaled(wf.Euclidean(), rate, "EUR")]), *places)
    assert study.ledger().also[0].paid == pytest.approx(rate * study.ledger().paid)


def test_a_cost_that_is_no_metric_may_be_reported_without_a_warning(recwarn):
    study = make(also=[Ramp("x", up=1.0, down=0.5, unit="kWh")])
    assert not recwarn
    assert told(study, 4.0, 3.0).ledger().also[0].paid == 6.0


def test_the_route_ahead_says_the_leg_in_each_currency():
    study = make(also=[EUROS, wf.Fee(1.0, unit="kWh")])
    study.tell(study.ask(), 0.0)
    study.replan()
    stops = study.route().stops
    assert len(stops) == 5
    assert [[unit for unit, _ in stop.also] for stop in stops] == [["EUR", "kWh"]] * len(stops)
    for stop in stops:
        assert stop.also[0][1] == pytest.approx(2.0 + 0.5 * stop.leg)
    line = str(study.route()).splitlines()[0]
    assert f"leg {stops[0].leg:.4g} min and {stops[0].also[0][1]:.4g} EUR and 1 kWh, total" in line


def test_without_a_start_the_first_leg_is_free_in_every_currency():
    study = make(start=None, also=[EUROS])
    study.replan()
    assert study.route().stops[0].also == (("EUR", 0.0),)
    study.tell(study.ask(), 0.0)
    assert study.ledger().also[0].paid == 0.0
    walk(study)
    assert study.ledger().also[0].paid > 0


def test_without_further_costs_nothing_is_said_of_them():
    study = walk(make())
    assert study.ledger().also == ()
    assert "EUR" not in str(study.ledger())
    assert "also" not in write_spec(study.spec)


def test_a_study_with_currencies_goes_on_as_before_from_a_file_and_from_an_archive(tmp_path):
    study = make(also=[EUROS], dwell={"min": 5, "EUR": 30}, store=tmp_path / "lab.db")
    study.tell(study.ask(), 0.0)
    again = wf.Study.open(tmp_path / "lab.db", "study")
    copy = import_json(wf.MemoryStore(), export_json(study))
    assert exported(copy) == exported(study)
    assert study.ledger() == again.ledger() == copy.ledger()
    assert (again.ledger().dwell, again.ledger().also[0].dwell) == (5.0, 30.0)


def test_a_python_function_is_left_out_of_reports_with_a_remark_until_it_is_supplied(tmp_path):
    also = [wf.Custom(taxi, unit="EUR"), wf.Fee(1.0, unit="kWh")]
    study = make(also=also, dwell={"EUR": 2.0}, store=tmp_path / "lab.db")
    told(study, 4.0)
    study.tell(study.ask(), 0.0)
    again = wf.Study.open(tmp_path / "lab.db", "study")
    absent, fee = again.ledger().also
    assert (absent.paid, absent.unordered, absent.saved, absent.dwell) == (None,) * 4
    assert "the Python function 'taxi'" in absent.remark
    assert "Study.open(..., also=...) supplies it" in absent.remark
    assert "in EUR unknown: a travel cost of this study is the Python function 'taxi'" in str(again.ledger())
    assert fee == study.ledger().also[1]
    assert {unit for stop in again.route().stops for unit, _ in stop.also} <= {"kWh"}
    again.tell(again.ask(), 0.0)  # and planning goes on without it
    supplied = wf.Study.open(tmp_path / "lab.db", "study", also=also)
    assert supplied.ledger().also[0].dwell == 6.0
    assert supplied.ledger().also[0].paid >= 12.0
    with pytest.raises(wf.InvalidInput, match="reports 2 further costs, got 1; supply each"):
        wf.Study.open(tmp_path / "lab.db", "study", also=also[:1])
    with pytest.raises(wf.InvalidInput, match=r"also\[1\]: what is supplied differs .* in also\[1\]\.amount"):
        wf.Study.open(tmp_path / "lab.db", "study", also=[also[0], wf.Fee(2.0, unit="kWh")])


def test_a_place_that_a_further_cost_does_not_know_is_remarked_and_stops_nothing():
    towns = wf.Places([[1.0], [2.0], [3.0]], names=["x"])
    table = wf.Table(towns, 1.0 - np.eye(3), unit="EUR")
    study = make(towns, trials=3, start=None, also=[table])
    study.tell(study.ask(), 0.0, actual={"x": 1.5})
    walk(study)
    (account,) = study.ledger().also
    assert account.paid is None
    assert account.remark


def test_a_study_file_has_tables_of_further_costs_and_dwells_by_unit():
    form = write_spec(make().spec) | {
        "dwell": {"min": 5, "EUR": 30},
        "also": [
            {"kind": "serial", "unit": "EUR", "parts": [{"kind": "fee", "amount": 2}]},
            {"kind": "parallel", "parts": [{"kind": "fee", "amount": 1, "unit": "kWh"}]},
        ],
    }
    spec = read_spec(form)
    assert [(one.unit, one.dwell) for one in spec.also] == [("EUR", 30.0), ("kWh", 0.0)]
    assert spec.limits.dwell == 5.0
    assert read_spec(write_spec(spec)).also == spec.also
    assert write_spec(spec)["dwell"] == {"min": 5.0, "EUR": 30.0}


def not_home(a, b):
    return 1.0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"also": [wf.Fee(1.0, unit="min")]}, r"also\[0\] is in 'min', and so is the study's own"),
        ({"also": [EUROS, wf.Fee(1.0, unit="EUR")]}, r"also\[1\] is in 'EUR', and so is that of another"),
        ({"also": [wf.Fee(1.0)]}, r"also\[0\] has no unit .* such as unit='EUR'"),
        ({"also": EUROS}, "also must be a list of travel costs"),
        ({"also": "EUR"}, "also must be a list of travel costs"),
        ({"also": [taxi]}, r"also\[0\]: .* is not a travel cost; wrap a function in Custom"),
        ({"also": [wf.Switch("tool", 1.0, "EUR")]}, r"also\[0\]: .*no axis 'tool'"),
        ({"also": [wf.Custom(not_home, unit="EUR")]}, r"also\[0\]: this cost cannot be used"),
        ({"dwell": {"EUR": 3.0}}, "dwell has an amount in 'EUR'; the units are 'min'"),
        ({"also": [EUROS], "dwell": {"EU": 3.0}}, "dwell has an amount in 'EU'; did you mean 'EUR'"),
        ({"also": [EUROS], "dwell": {"EUR": -3.0}}, "dwell.* must not be negative"),
        ({"dwell": {"min": "much"}}, "dwell.* must be a number"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_name(changes, said):
    with pytest.raises(wf.InvalidInput, match=said):
        make(**changes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"also": {"kind": "fee"}}, r"also must be a list of tables, each under \[\[also\]\]"),
        ({"also": [{"kind": "fee", "amount": -1}]}, r"also\[0\]\.amount must not be negative"),
        ({"also": [{"kind": "custom", "unit": "EUR"}]}, r"also\[0\]\.kind: a study file cannot hold a Python"),
        (
            {"also": [{"kind": "serial", "unit": "EUR", "parts": [{"kind": "fee", "amount": 1, "unit": "h"}]}]},
            r"also\[0\]\.unit is 'EUR', but its parts are in 'h'",
        ),
        ({"dwell": {"min": -1}}, r"dwell\.min must not be negative"),
        ({"dwell": "much"}, "dwell must be a number"),
    ],
)
def test_a_wrong_study_file_is_refused_with_its_path(changes, said):
    with pytest.raises(wf.InvalidInput, match=said):
        read_spec(write_spec(make().spec) | changes)


def test_with_trips_too_what_ordering_saved_is_that_of_the_ledger_in_another_unit():
    """Visits home stand where they would have been cheapest in both orders, not where they were made."""
    study = make(also=[wf.Scaled(wf.Euclidean(unit="EUR"), 2.0)], trip=12.0, home="start")
    told(study, 5.0, 1.0)
    study.tell(study.insert({"x": 1.5}).trial, 0.0, spent=2.5)  # so the next has to go home first
    told(study, 2.0)
    ledger = study.ledger()
    assert (ledger.predicted, ledger.ordered) == (5.0 + 4.0 + 0.5 + 3.5, 5.0 + 4.0 + 0.5 + 0.5)
    (account,) = ledger.also
    assert (account.unordered, account.ordered) == (2 * ledger.unordered, 2 * ledger.ordered)
    assert account.saved == pytest.approx(2 * ledger.saved)
    assert account.paid == pytest.approx(2 * ledger.predicted)
    assert f"ordered {account.ordered:.4g} EUR, saved" in str(account)

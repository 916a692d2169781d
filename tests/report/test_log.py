"""The log tells all: added up, its changes are the study, and nothing else is in it."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings

import wayfare as wf
from tests.exchange.studies import studies
from wayfare.errors import StoreError
from wayfare.exchange.records import trial_record
from wayfare.record.state import replay
from wayfare.report.log import COLUMNS, Change, LogEntry, log_of, whole_entry

SLOW = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
SPACE = wf.Space(wf.Real("x", 0.0, 10.0), wf.Real("y", 0.0, 10.0))

USUAL = {"state": "asked", "count": 1, "home_first": False, "prior": False, "worker": ""}
"""What a trial is unless its log says otherwise."""


def make(**options):
    usual = {"direction": "maximize", "travel": wf.Manhattan(unit="m"), "trials": 9, "start": [0, 0], "by": "ana"}
    return wf.Study.create(SPACE, **(usual | options))


def added_up(log):
    """What the changes of a log come to, by trial and field; each must begin where the one before it ended."""
    now = {}
    for entry in log:
        for one in entry.changes:
            if one.trial is None:
                continue
            mine = now.setdefault(one.trial, {})
            if one.field == "place":
                assert one.before is None
                mine.update({f"place.{axis}": value for axis, value in one.after.items()})
                continue
            if one.field != "why":  # what a trial says is first given with its outcome, as the reason of that
                usual = {} if entry.what in ("asked", "inserted") else USUAL
                assert one.before == mine.get(one.field, usual.get(one.field)), (entry, one)
            assert one.before != one.after
            mine[one.field] = one.after
    return now


@SLOW
@given(studies())
def test_the_changes_of_a_log_add_up_to_the_trials(drawn):
    study, _ = drawn
    now = added_up(study.log())
    for trial in study.trials:
        mine = now[trial.number]
        assert {axis: mine[f"place.{axis}"] for axis in trial.params} == dict(trial.params)
        measured = {name.removeprefix("measured."): value for name, value in mine.items() if name[:9] == "measured."}
        assert {name: value for name, value in measured.items() if value is not None} == dict(trial.measured)
        for field, usual in USUAL.items():
            assert mine.get(field, usual) == getattr(trial, field), field
        for field in ("value", "variance", "spent", "leg"):
            assert mine.get(field) == getattr(trial, field), field
    assert len(now) == len(study.trials)


@SLOW
@given(studies())
def test_a_log_has_every_event_in_its_order(drawn):
    study, _ = drawn
    log, events = study.log(), study.events
    assert [entry.event for entry in log if entry.event is not None] == list(range(len(events)))
    assert [entry.stamp for entry in log][1:] == [event.stamp for event in events]
    assert log[0].what == "created"


@SLOW
@given(studies())
def test_reading_the_log_does_not_change_how_events_add_up(drawn):
    study, _ = drawn
    log_of(study.spec, study.events)
    again = replay(study.spec, study.events)
    assert [trial_record(trial) for trial in again.trials] == [trial_record(trial) for trial in study.trials]


def test_a_correction_says_from_what_to_what_and_why():
    study = make()
    first = study.ask()
    study.tell(first, 1.0, why="as seen")
    study.insert([3.0, 4.0])
    study.tell(1, 2.0)
    study.amend(0, 1.5, actual={"x": 1.0}, why="wrong peak")
    *_, last = study.log()
    assert (last.what, last.trial, last.stamp.by, last.stamp.via, last.why) == (
        "amended",
        0,
        "ana",
        "python",
        "wrong peak",
    )
    assert last.changes == (
        Change(0, "value", 1.0, 1.5),
        Change(0, "why", "as seen", "wrong peak"),
        Change(0, "place.x", 0.0, 1.0),
        Change(0, "leg", 0.0, 1.0),
        Change(1, "leg", 7.0, 6.0),
    )


def test_a_position_put_by_hand_says_where_the_traveller_was():
    study = make()
    study.tell(study.ask(), 1.0)
    study.replan([5.0, 5.0], why="lunch")
    entry = next(entry for entry in study.log() if entry.what == "replanned")
    assert entry.changes == (Change(None, "position", {"x": 0.0, "y": 0.0}, {"x": 5.0, "y": 5.0}),)
    assert entry.why == "lunch"


def test_a_route_says_how_many_stops_it_has_and_what_they_cost():
    study = make()
    study.ask()
    plan = study.state.plans[0]
    entry = study.log()[1]
    assert (entry.what, entry.trial) == ("planned", None)
    assert entry.changes == (
        Change(None, "stops", None, len(plan.stops)),
        Change(None, "cost", None, float(plan.legs.sum())),
    )


def test_an_import_of_a_whole_study_is_in_the_log():
    from wayfare.exchange import export_json, import_json

    study = make(store=wf.MemoryStore())
    study.tell(study.ask(), 1.0)
    again = import_json(wf.MemoryStore(), export_json(study), by="bo")
    said = [(entry.what, entry.stamp.by, entry.stamp.via) for entry in again.log()]
    assert said[:3] == [("created", "ana", "python"), ("imported", "bo", "import"), ("planned", "ana", "python")]


def test_what_happened_to_the_study_as_a_whole_stands_where_its_time_is():
    study = make()
    study.tell(study.ask(), 1.0)
    events = study.events
    who = {"why": "", "by": "bo", "via": "cli", "app": "1"}
    early = json.dumps({"kind": "archived", "at": "2001-01-01T00:00:00.000000Z", **who})
    late = json.dumps({"kind": "renamed", "at": "2999-01-01T00:00:00.000000Z", **who})
    log = log_of(study.spec, events, history=(early, late))
    assert [entry.what for entry in log] == ["archived", "planned", "asked", "told", "renamed"]
    assert log[0].stamp.at == datetime(2001, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("text", ["x", "[]", "{}", '{"kind":"renamed","at":3}', '{"kind":"renamed","before":3}'])
def test_an_entry_that_nobody_can_have_written_is_refused_in_words(text):
    with pytest.raises(StoreError, match="cannot be read"):
        whole_entry(text)


def test_a_log_says_in_a_line_how_long_it_is():
    study = wf.Study.create(wf.Space(wf.Real("x", 0, 1)), direction="maximize", travel=wf.Euclidean(), trials=3)
    study.tell(study.ask(), 0.5)
    assert repr(study.log()) == "<Log of 4 entries, last told>"
    assert repr(study.snapshot()) == "<Snapshot of study 'study': 1 result>"


def test_a_log_as_a_table_has_a_row_for_every_change():
    study = make()
    study.tell(study.ask(), 1.0, spent=3.0)
    frame = study.log().to_dataframe()
    assert tuple(frame.columns) == COLUMNS
    assert len(frame) == sum(max(1, len(entry.changes)) for entry in study.log())
    told = frame[frame["what"] == "told"].set_index("field")
    assert (told.loc["value", "after"], told.loc["spent", "after"], told.loc["state", "before"]) == (1.0, 3.0, "asked")
    assert str(frame["at"].dt.tz) == "UTC"
    assert frame["trial"].dtype == frame["event"].dtype == "Int64"


def test_a_log_without_stamps_is_a_table_too():
    frame = log_of(make().spec, []).to_dataframe()
    assert tuple(frame.columns) == COLUMNS
    assert not len(frame)


def test_a_log_is_a_sequence():
    log = make().log()
    assert len(log) == 1
    assert isinstance(log[0], LogEntry)
    assert list(log[:1]) == list(log)


def test_no_attribute_of_a_trial_that_a_user_states_is_left_out():
    """A field that is added to trials must be followed, or derive from what is."""
    derived = {"number", "x", "unit", "plan", "stop", "predicted", "asked", "earlier", "issued", "closed", "rank"}
    derived |= {"former"}  # the log says it of the worker
    followed = {"params", "measured", "state", "value", "count", "variance", "spent", "leg"}
    followed |= {"worker", "home_first", "prior", "why"}
    assert {one.name for one in wf.Trial.__attrs_attrs__} == derived | followed

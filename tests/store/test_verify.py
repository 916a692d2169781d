"""Verifying finds what is wrong with a store, and nothing where all is well."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

import wayfare as wf
from wayfare.errors import StoreError
from wayfare.record import events
from wayfare.record.events import write_event
from wayfare.store import SqliteStore, verify
from wayfare.store.chain import event_link


def study_in(path, **given):
    usual = {
        "travel": wf.Euclidean(),
        "method": wf.Method(wf.Uniform(), wf.Fixed(4)),
        "start": {"x": 0.0, "y": 0.0},
        "name": "hill",
    }
    space = wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0))
    return wf.Study.create(space, direction="maximize", trials=40, store=path, **(usual | given))


def travelled(study):
    """A study in which everything happened that changes a leg."""
    for n in range(8):
        trial = study.ask()
        study.tell(trial, n / 3)
    study.tell(study.ask(), 1.0, actual={"x": 1.5})
    study.skip(study.ask(), "rain")
    study.tell(study.ask(), 1.0, spent=12.5)
    study.fail(study.ask(), "broke", actual={"y": 0.125})
    first, second = study.ask("a"), study.ask("b")
    study.tell(second, 0.5)
    study.skip(first)
    study.insert({"x": 0.1, "y": 0.9})
    study.amend(3, 7.0, actual={"x": 0.75})
    study.amend(4, spent=3.0)
    study.replan({"x": 0.5, "y": 0.5}, why="towed")
    study.ask("c")
    return study


@pytest.fixture
def path(tmp_path):
    travelled(study_in(tmp_path / "lab.db"))
    return tmp_path / "lab.db"


def changed(path, statement, *values):
    """Change a row behind the store's back."""
    with closing(sqlite3.connect(path)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement, values)
        for _, sql in triggers:
            connection.execute(sql)
        connection.commit()


def with_event(path, event):
    """Append an event without asking whether it may happen."""
    store = SqliteStore(path)
    store.append("hill", len(store.read("hill").events), [write_event(event)])


def test_a_number_that_the_study_does_not_measure_is_found(tmp_path):
    path = tmp_path / "lab.db"
    study = study_in(path, measured=wf.Measured("p", at_most=1))
    study.tell(study.ask(), 0.5, measured={"p": 0.25})
    study.ask()
    assert verify(path).is_sound
    with_event(path, events.Told(1, 0.5, "late", measured={"q": 1.0}))
    assert verify(path).findings == ("study 'hill': trial 1 has a number for 'q', which the study does not measure",)


def test_a_store_in_which_everything_happened_is_sound(path):
    verdict = verify(path)
    assert verdict.findings == ()
    assert verdict.is_sound
    assert verdict.remarks == ()
    study = wf.Study.open(path, "hill")
    assert (verdict.studies, verdict.trials, verdict.legs) == (1, len(study.trials), len(study.trials))
    assert verdict.events == study.state.version


@pytest.mark.parametrize("start", [None, {"x": -3.0, "y": 0.0}])
@pytest.mark.parametrize("travel", [wf.Manhattan(), wf.Ramp("x", up=1.0, down=3.0)])
@pytest.mark.filterwarnings("ignore::wayfare.errors.GuaranteeWarning")
def test_any_start_and_any_cost_of_ours_can_be_worked_out_anew(tmp_path, start, travel):
    travelled(study_in(tmp_path / "lab.db", start=start, travel=travel))
    assert verify(tmp_path / "lab.db").is_sound


@pytest.mark.filterwarnings("ignore::wayfare.errors.GuaranteeWarning")
@pytest.mark.parametrize("joined", [False, True])
def test_a_cost_that_is_a_python_function_is_said_not_to_be_checked(tmp_path, joined):
    def far(a, b):
        return float(np.abs(a - b).sum())

    travel = wf.Custom(far) + wf.Euclidean() if joined else wf.Custom(far)
    study = study_in(tmp_path / "lab.db", travel=travel)
    study.tell(study.ask(), 1.0)
    verdict = verify(tmp_path / "lab.db")
    assert verdict.is_sound
    assert verdict.legs == 0
    assert len(verdict.remarks) == 1
    assert "far" in verdict.remarks[0]
    assert "hill" in verdict.remarks[0]


def test_a_leg_that_is_not_the_price_of_its_way_is_found(path):
    study = wf.Study.open(path, "hill")
    wrong = events.Inserted(len(study.trials), (0.2, 0.2), 123.0, "", "z")
    with_event(path, wrong)
    findings = verify(path).findings
    assert len(findings) == 1
    assert f"leg of trial {wrong.number} is kept as 123.0" in findings[0]


@pytest.mark.parametrize("change", [1e-8, -1e-8])
def test_a_leg_off_by_little_is_found_too(path, change):
    study = wf.Study.open(path, "hill")
    place = np.array([0.2, 0.2])
    leg = float(np.linalg.norm(place - study.state.position)) * (1 + change)
    with_event(path, events.Inserted(len(study.trials), tuple(place), leg, "", "z"))
    assert len(verify(path).findings) == 1


def test_a_history_that_cannot_have_happened_is_found(path):
    with_event(path, events.Told(0, 1.0, "again"))
    (finding,) = verify(path).findings
    assert "study 'hill'" in finding
    assert "trial 0 already has" in finding


def test_a_request_that_happened_twice_is_found(path):
    study = wf.Study.open(path, "hill")
    twice = study.state.open_trials[0]
    for _ in range(2):
        number = len(wf.Study.open(path, "hill").trials)
        with_event(path, events.Inserted(number, tuple(twice.x), 0.0, "", "same"))
    assert any("'same' happened 2 times" in finding for finding in verify(path).findings)


def test_damaged_events_are_named(path):
    rainy = next(n for n, text in enumerate(SqliteStore(path).read("hill").events) if '"rain"' in text)
    changed(path, "UPDATE event SET body = replace(body, 'rain', 'snow')")
    findings = verify(path).findings
    assert any(f"the chain breaks at event {rainy}" in finding for finding in findings), findings


def test_a_missing_event_is_named(path):
    changed(path, "DELETE FROM event WHERE number = 5")
    assert any("event 5 is missing" in finding for finding in verify(path).findings)


def test_a_damaged_specification_is_named_and_the_other_studies_are_still_looked_at(path):
    travelled(study_in(path, name="lake"))
    changed(path, "UPDATE study SET link = x'00' WHERE id = 1")
    verdict = verify(path)
    (finding,) = verdict.findings
    assert "study 'hill'" in finding
    assert verdict.studies == 2
    assert verdict.legs > 10


def test_events_of_no_study_are_found(path):
    text = write_event(events.Told(0, 1.0, "a"))
    changed(path, "INSERT INTO event VALUES (7, 0, ?, ?)", text, event_link(bytes(32), 0, text.encode()))
    assert any("study number 7" in finding for finding in verify(path).findings)


def test_damaged_pages_are_findings_and_no_errors(path):
    data = bytearray(path.read_bytes())
    data[-4096:-3000] = bytes(1096)
    path.write_bytes(data)
    verdict = verify(path)
    assert not verdict.is_sound
    assert all("\n" not in finding for finding in verdict.findings)


def test_verifying_changes_nothing(path):
    before = path.read_bytes()
    verify(path)
    assert path.read_bytes() == before


def test_what_is_no_store_cannot_be_verified(tmp_path):
    with pytest.raises(StoreError, match="no store"):
        verify(tmp_path / "nowhere.db")
    (tmp_path / "text.db").write_text("hello " * 100)
    with pytest.raises(StoreError, match="not a store"):
        verify(tmp_path / "text.db")

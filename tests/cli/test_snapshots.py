"""How often a command reads the store: everything that it prints is true of one moment."""

from collections import Counter

import pytest

from tests.cli.studies import done, record
from wayfare.store import SqliteStore
from wayfare.study.study import Study

READING = ("spec", "events", "read")
WRITING = ("create", "append")


@pytest.fixture
def calls(lab, monkeypatch):
    """Calls of the store's methods since the study was opened, and of ``Study.open`` itself."""
    for number in range(2):
        done("ask", "snar")
        done("tell", "snar", number, 0.5)
    done("ask", "snar")
    counted = Counter()

    def counting(method):
        real = getattr(SqliteStore, method)

        def call(*arguments, **options):
            counted[method] += 1
            return real(*arguments, **options)

        return call

    for method in (*READING, *WRITING):
        if hasattr(SqliteStore, method):
            monkeypatch.setattr(SqliteStore, method, counting(method))
    real_open = Study.open

    def open_study(*arguments, **options):
        opened = real_open(*arguments, **options)
        assert sum(counted[method] for method in READING) == 1
        counted.clear()
        counted["opened"] = 1
        return opened

    monkeypatch.setattr(Study, "open", open_study)
    return counted


def reads(calls):
    return sum(calls[method] for method in READING)


REPORTS = [
    *[(command, "snar") for command in ("status", "plan", "trials", "best", "predict", "ledger", "drift")],
    ("export", "snar", "--format", "csv"),
    ("sheet", "snar"),
    ("sheet", "snar", "--format", "csv"),
    ("plot", "snar"),
    ("plot", "snar", "--kind", "history"),
    ("plot", "snar", "--kind", "belief"),
]


@pytest.mark.parametrize("arguments", REPORTS, ids=" ".join)
def test_a_report_opens_the_study_once_and_reads_its_events_once(calls, arguments):
    done(*arguments)
    assert calls["opened"] == 1
    assert reads(calls) <= 1
    assert not any(calls[method] for method in WRITING)


def test_waypoints_read_the_events_once(calls, lab):
    (lab / "sites.toml").write_text(
        'name = "sites"\ndirection = "maximize"\ntrials = 5\nstart = {lat = 52.0, lon = 11.0}\n'
        '[[axis]]\nname = "lat"\nlow = 52.0\nhigh = 53.0\n[[axis]]\nname = "lon"\nlow = 11.0\nhigh = 12.0\n'
        '[travel]\nkind = "haversine"\nlat = "lat"\nlon = "lon"\n'
    )
    done("new", "sites.toml")
    calls.clear()
    done("ask", "sites")
    for kind in ("gpx", "geojson", "qgc"):
        calls.clear()
        done("waypoints", "sites", "--format", kind, "--alt", "20")
        assert calls["opened"] == 1
        assert reads(calls) <= 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("tell", "snar", 2, 0.7),
        ("tell", "snar", 2, 0.7, "--actual", "temp_C=721.5", "--spent", 3),
        ("fail", "snar", 2),
        ("skip", "snar", 2),
        ("amend", "snar", 0, 0.9),
        ("ask", "snar", "--no-wait"),
        ("insert", "snar", "temp_C=50", "flow=3", "catalyst=Ni"),
        ("replan", "snar", "--from", "temp_C=60"),
    ],
    ids=lambda arguments: " ".join(map(str, arguments)),
)
def test_a_move_reads_once_and_writes_once(calls, arguments):
    done(*arguments)
    assert calls["opened"] == 1
    assert reads(calls) <= 1
    assert calls["append"] == 1


def test_an_ask_that_shows_an_open_trial_writes_nothing(calls):
    assert record("ask", "snar")["number"] == 2
    assert reads(calls) <= 1
    assert calls["append"] == 0


def test_last_is_the_state_that_a_move_left_without_a_read(calls):
    """Another process may have moved on since; only ``snapshot`` sees that."""
    study = Study.open("wayfare.db", "snar")
    study.tell(2, 0.7)
    calls.clear()
    assert study.last.trials[2].value == 0.7
    assert reads(calls) == 0
    Study.open("wayfare.db", "snar").amend(2, 0.8)
    assert study.last.trials[2].value == 0.7
    assert study.snapshot().trials[2].value == 0.8
    assert study.last.trials[2].value == 0.8
    assert study.last.snapshot().trials[2].value == 0.8

"""Stores written by an earlier version still open, say what they said, and go on."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

import wayfare as wf
from wayfare.cli import main
from wayfare.record.events import read_event, write_event
from wayfare.store import SqliteStore, archived, log
from wayfare.store.database import VERSION

HERE = Path(__file__).parent
SAID = json.loads((HERE / "stores.json").read_text("utf-8"))
RTOL = 1e-9


def near(value):
    """The same number, but for the rounding of another processor."""
    return pytest.approx(value, rel=RTOL, abs=RTOL) if isinstance(value, float) else value


@pytest.fixture(params=sorted(SAID))
def name(request):
    return request.param


@pytest.fixture
def store(name, tmp_path):
    return shutil.copyfile(HERE / "stores" / f"{name}.db", tmp_path / "kept.db")


def test_golden_stores_are_all_listed():
    """Every store has its record, and every record its store."""
    assert sorted(path.stem for path in (HERE / "stores").glob("*.db")) == sorted(SAID)


def test_every_format_there_was_has_a_golden_store():
    """A change of the format brings a store of the new one, and leaves those of before."""
    found = set()
    for path in (HERE / "stores").glob("*.db"):
        with closing(sqlite3.connect(path)) as connection:
            found.add(connection.execute("PRAGMA user_version").fetchone()[0])
    assert found == set(range(1, VERSION + 1))


def test_golden_register_says_what_happened_to_the_studies(tmp_path):
    """New names, archived and deleted studies are read back with who did it, when and why."""
    path = shutil.copyfile(HERE / "stores" / "format-2.db", tmp_path / "kept.db")
    entries = log(path)
    said = [(entry.what, entry.stamp.by, entry.why) for entry in entries]
    assert said[2:] == [
        ("created", "bo", ""),
        ("renamed", "bo", "typo"),
        ("archived", "ana", ""),
        ("archived", "ana", ""),
        ("unarchived", "ana", ""),
        ("deleted", "bo", "asked for"),
    ]
    assert (SqliteStore(path).names(), archived(path)) == (["format-2", "kept"], ["kept"])
    assert str(entries[-1].stamp.at) == "2026-11-16 10:20:00+00:00"


def test_golden_store_is_sound(store):
    """``wayfare verify`` finds nothing wrong, every leg worked out anew."""
    result = CliRunner().invoke(main, ["verify", "--store", str(store)])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == "sound"


def test_golden_store_is_written_today_as_it_was_then(name, store):
    """Every event has the same text, so that nothing that was added to events since changes what is stored."""
    texts = SqliteStore(store).read(name).events
    assert [write_event(read_event(text)) for text in texts] == list(texts)


def test_golden_store_has_the_recorded_trials(name, store):
    """Trials are as they were when they were made."""
    trials = wf.Study.open(store, name).trials
    assert len(trials) == len(SAID[name]["trials"])
    for trial, said in zip(trials, SAID[name]["trials"], strict=True):
        assert dict(trial.params) == {axis: near(value) for axis, value in said.pop("params").items()}
        assert str(trial.state) == said.pop("state")
        assert dict(trial.measured) == said.pop("measured", {})
        assert {key: getattr(trial, key) for key in said} == {key: near(one) for key, one in said.items()}


def test_golden_store_has_the_recorded_ledger(name, store):
    """The ledger adds up to what it did."""
    ledger, said = wf.Study.open(store, name).ledger(), SAID[name]["ledger"]
    assert {key: getattr(ledger, key) for key in said} == {key: near(one) for key, one in said.items()}


@pytest.mark.filterwarnings("ignore::wayfare.DriftWarning")
def test_golden_store_goes_on(name, store):
    """A study that is not over hands out one more trial, within its space, and takes the result."""
    study = wf.Study.open(store, name)
    before = len(study.trials)
    trial = study.ask("someone new", wait=False)
    if trial is None:
        assert len(wf.Study.open(store, name).trials) == before
        return
    assert trial.number == before
    assert study.spec.space.contains(trial.x[None, :])[0]
    assert trial.leg >= 0
    study.tell(trial, [0.5] * trial.count if trial.count > 1 else 0.5)
    again = wf.Study.open(store, name)
    assert again.trials[trial.number].value == 0.5
    assert again.ledger().paid == near(SAID[name]["ledger"]["paid"] + trial.leg)

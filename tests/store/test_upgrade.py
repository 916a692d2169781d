"""A store of wayfare 0.2 is read as it is, and becomes one of today with the first write, in one transaction."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import wayfare as wf
from wayfare.errors import StoreError
from wayfare.store import SqliteStore, backup, database, verify
from wayfare.testing.store import FORM, line

OLD = Path(__file__).parents[1] / "golden" / "stores" / "mishaps.db"


@pytest.fixture
def path(tmp_path):
    return shutil.copyfile(OLD, tmp_path / "old.db")


def version(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


def sql(path, statement):
    """Change rows behind the store's back, its triggers dropped and made again."""
    with closing(sqlite3.connect(path)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)
        for _, text in triggers:
            connection.execute(text)
        connection.commit()


def test_reading_an_old_store_changes_nothing(path):
    before = path.read_bytes()
    store = SqliteStore(path)
    (name,) = store.names()
    count = len(store.read(name).events)
    assert store.read(name, count - 1).events == store.read(name).events[-1:]
    study = wf.Study.open(path, name)
    assert {event.stamp.at for event in study.events} == {None}
    assert study.journal.created == ()
    assert verify(path).is_sound
    assert path.read_bytes() == before


def test_the_first_write_makes_it_a_store_of_today_with_the_same_events(path):
    store = SqliteStore(path)
    (name,) = store.names()
    form, events = store.read(name)
    heads = verify(path).heads
    store.append(name, len(events), [line(0)])
    assert version(path) == 2
    assert store.read(name) == (form, [*events, line(0)])
    assert verify(path, [heads[0].digest]).noted == heads[:1]
    with closing(sqlite3.connect(path)) as connection:
        entries = connection.execute("SELECT study, name, body FROM register").fetchall()
    assert entries[0] == (1, name, "")
    assert entries[1][:2] == (0, None)
    assert entries[1][2].startswith('{"kind": "upgraded", "from": 1, "to": 2, "at": "')


def test_a_new_study_makes_it_a_store_of_today_too(path):
    store = SqliteStore(path)
    names = store.names()
    store.create("new", FORM)
    assert version(path) == 2
    assert store.names() == [*names, "new"]


def test_an_upgrade_that_fails_leaves_the_store_as_it_was(path):
    before = path.read_bytes()

    def interrupted():
        with database.writing(path):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE event SET body = replace(body, '0', '1') WHERE number = 3", "event 3 of study 'mishaps' is damaged"),
        ("UPDATE study SET spec = spec || ' '", "study number 1 is damaged"),
        ("DELETE FROM event WHERE number = 3", "not in order"),
    ],
)
def test_a_damaged_old_store_is_refused_and_left_alone(path, statement, said):
    sql(path, statement)
    before = path.read_bytes()
    store = SqliteStore(path)
    for call in (store.names, lambda: store.create("new", FORM), lambda: verify(path)):
        with pytest.raises(StoreError, match=said):
            call()
    assert path.read_bytes() == before


def test_a_backup_of_an_old_store_is_one(path, tmp_path):
    backup(path, tmp_path / "copy.db")
    assert version(tmp_path / "copy.db") == 1
    assert SqliteStore(tmp_path / "copy.db").names() == SqliteStore(path).names()

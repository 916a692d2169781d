"""Files that a store will not touch, and what it says about them."""

import os
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from wayfare.errors import StoreError
from wayfare.store import SqliteStore, database
from wayfare.testing.store import FORM, line

CALLS = {
    "names": SqliteStore.names,
    "read": lambda store: store.read("hill"),
    "read since": lambda store: store.read("hill", 1),
    "append": lambda store: store.append("hill", 0, [line(0)]),
    "create": lambda store: store.create("lake", FORM),
}


def made(path, *statements):
    SqliteStore(path).create("hill", FORM)
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def foreign(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE study (a)")
        connection.commit()


def cut_short(path):
    made(path)
    path.write_bytes(path.read_bytes()[:-4096])


FILES = {
    "text": (lambda path: path.write_text("temp,flow\n1,2\n" * 50), "is not a store"),
    "five bytes": (lambda path: path.write_text("hello"), "is not a store"),
    "another database": (foreign, "not one of wayfare's"),
    "another application": (lambda path: made(path, "PRAGMA application_id = 7"), "not one of wayfare's"),
    "a newer version": (lambda path: made(path, "PRAGMA user_version = 3"), "newer wayfare.*update wayfare"),
    "a version below": (lambda path: made(path, "PRAGMA user_version = 0"), "damaged"),
    "more tables": (lambda path: made(path, "CREATE TABLE more (a)"), "tables are not those of a store"),
    "no triggers": (lambda path: made(path, "DROP TRIGGER event_no_update"), "tables are not those"),
    "cut short": (cut_short, "damaged"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_no_good_store_is_refused_in_one_line_and_left_alone(tmp_path, kind, call):
    path = tmp_path / "lab.db"
    make, match = FILES[kind]
    make(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=match) as caught:
        CALLS[call](SqliteStore(path))
    assert "\n" not in str(caught.value)
    assert "lab.db" in str(caught.value)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["lab.db"]


@pytest.mark.parametrize("call", CALLS)
def test_a_folder_is_no_store(tmp_path, call):
    with pytest.raises(StoreError, match="is a folder"):
        CALLS[call](SqliteStore(tmp_path))


@pytest.mark.parametrize("parent", ["nowhere", "file.txt"])
def test_a_store_is_not_made_where_there_is_no_folder(tmp_path, parent):
    (tmp_path / "file.txt").write_text("text")
    store = SqliteStore(tmp_path / parent / "lab.db")
    with pytest.raises(StoreError, match="there is no folder"):
        store.create("hill", FORM)
    with pytest.raises(StoreError, match="no store"):
        store.names()


def test_whoever_holds_the_file_too_long_is_named_as_the_reason(tmp_path, monkeypatch):
    path = tmp_path / "lab.db"
    made(path)
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for call in CALLS.values():
            with pytest.raises(StoreError, match="in use by another program") as caught:
                call(SqliteStore(path))
            assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
    assert SqliteStore(path).names() == ["hill"]


def test_a_reader_does_not_stop_a_writer_for_good(tmp_path, monkeypatch):
    path = tmp_path / "lab.db"
    made(path)
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM study").fetchall()
        with pytest.raises(StoreError, match="in use"):
            SqliteStore(path).append("hill", 0, [line(0)])
    assert SqliteStore(path).read("hill").events == []
    SqliteStore(path).append("hill", 0, [line(0)])


def as_somebody_else(work):
    """Run ``work`` in a child without root's rights, where read-only means read-only; return what it said."""
    out, into = os.pipe()
    if (child := os.fork()) == 0:
        try:
            if os.getuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            said = repr(work())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(into, said.encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


@pytest.fixture
def shared():
    """A folder that somebody else may read."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)
        os.chmod(folder, 0o755)


needs_rights = pytest.mark.skipif(sys.platform == "win32", reason="rights are set the POSIX way")


@needs_rights
@pytest.mark.parametrize("folder", [0o555, 0o777])
def test_a_read_only_file_can_be_read_and_not_written(shared, folder):
    path = shared / "lab.db"
    made(path)
    os.chmod(path, 0o444)
    os.chmod(shared, folder)
    store = SqliteStore(path)
    assert as_somebody_else(lambda: (store.names(), tuple(store.read("hill")))) == repr((["hill"], (FORM, [])))
    for call in ("append", "create"):
        said = as_somebody_else(lambda call=call: CALLS[call](store))
        assert said.startswith("StoreError: ")
        assert "read-only" in said


@needs_rights
def test_a_folder_one_may_not_write_to_gets_no_store(shared):
    os.chmod(shared, 0o555)
    said = as_somebody_else(lambda: SqliteStore(shared / "lab.db").create("hill", FORM))
    assert said.startswith("StoreError: ")
    assert "rights" in said


@needs_rights
def test_a_file_one_may_not_read_says_so(shared):
    path = shared / "lab.db"
    made(path)
    os.chmod(path, 0)
    for call in CALLS.values():
        said = as_somebody_else(lambda call=call: call(SqliteStore(path)))
        assert said.startswith("StoreError: ")
        assert "rights" in said


def left_in_the_middle_of_a_write(path):
    """Leave a store as a crash does: pages overwritten, and the journal that undoes it still there."""
    made(path)
    store = SqliteStore(path)
    store.append("hill", 0, [line(n) for n in range(40)])
    if (child := os.fork()) == 0:
        with database.writing(path) as connection:
            connection.execute("PRAGMA cache_spill = 1")
            connection.execute("PRAGMA cache_size = 1")
            rows = ((1, 40 + n, "x" * 500, b"") for n in range(200))
            connection.executemany("INSERT INTO event VALUES (?, ?, ?, ?)", rows)
            os._exit(0)
    os.waitpid(child, 0)
    assert path.with_name("lab.db-journal").stat().st_size > 512


def test_a_reader_undoes_what_a_crash_left_half_done(tmp_path):
    path = tmp_path / "lab.db"
    left_in_the_middle_of_a_write(path)
    assert SqliteStore(path).read("hill").events == [line(n) for n in range(40)]
    assert os.listdir(tmp_path) == ["lab.db"]


@needs_rights
def test_whoever_may_not_write_is_told_why_a_half_done_write_cannot_be_read(shared):
    path = shared / "lab.db"
    left_in_the_middle_of_a_write(path)
    os.chmod(path, 0o444)
    os.chmod(shared, 0o555)
    said = as_somebody_else(SqliteStore(path).names)
    assert said.startswith("StoreError: ")
    os.chmod(shared, 0o755)
    assert len(SqliteStore(path).read("hill").events) == 40

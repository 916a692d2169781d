"""The SQLite store keeps the contract, makes its file only when told to, and never reads a wrong number."""

import os
import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from wayfare.errors import Conflict, InvalidInput, StoreError
from wayfare.store import MemoryStore, SqliteStore, as_store, database
from wayfare.testing.store import FORM, StoreContract, line

EVENTS = [*map(line, range(20)), '{"kind":"replanned","position":[0.25],"why":"moved by crane","request":"m"}']


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path):
        return SqliteStore(tmp_path / "lab.db")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lab.db"


@pytest.fixture
def store(path):
    """A store with a study of a few events."""
    store = SqliteStore(path)
    store.create("hill", FORM)
    store.append("hill", 0, EVENTS)
    return store


def sql(path, *statements):
    with closing(sqlite3.connect(path)) as connection:
        rows = [connection.execute(statement).fetchall() for statement in statements]
        connection.commit()
    return rows[-1]


READS = [SqliteStore.names, lambda s: s.read("hill"), lambda s: s.read("hill", 1)]
APPEND = lambda s: s.append("hill", 0, [line(0)])  # noqa: E731


@pytest.mark.parametrize("call", [*READS, APPEND])
@pytest.mark.parametrize("empty", [False, True])
def test_only_create_makes_a_file(path, call, empty):
    if empty:
        path.touch()
    with pytest.raises(StoreError, match=r"no store at .*lab\.db.*wayfare new"):
        call(SqliteStore(path))
    assert path.exists() == empty
    assert os.listdir(path.parent) == (["lab.db"] if empty else [])


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    SqliteStore(path).create("hill", FORM)
    assert SqliteStore(path).names() == ["hill"]


def test_another_store_object_sees_what_was_written(store, path):
    assert SqliteStore(path).read("hill") == (FORM, EVENTS)
    assert sorted(os.listdir(path.parent)) == ["lab.db"]


def test_the_file_says_whose_it_is(store, path):
    assert path.read_bytes()[68:72] == b"wayf"
    assert sql(path, "PRAGMA user_version") == [(2,)]


@pytest.mark.parametrize("table", ["study", "event", "register"])
@pytest.mark.parametrize("statement", ["UPDATE {} SET link = x'00'", "DELETE FROM {}"])
def test_nothing_kept_can_be_changed_or_taken_away(store, path, table, statement):
    with pytest.raises(sqlite3.IntegrityError, match="never changes"):
        sql(path, statement.format(table))


def test_every_connection_has_the_settings_that_survive_power_cuts(store, path):
    for opened in (database.reading(path), database.writing(path), database.writing(path, new=True)):
        with opened as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == (b"delete",)
            assert connection.execute("PRAGMA synchronous").fetchone() == (3,)
            assert connection.execute("PRAGMA busy_timeout").fetchone() == (30_000,)


def test_a_file_that_someone_put_in_wal_mode_is_taken_back(store, path):
    sql(path, "PRAGMA journal_mode = WAL")
    store.append("hill", len(EVENTS), [line(9)])
    assert sql(path, "PRAGMA journal_mode") == [("delete",)]


def test_settings_that_do_not_hold_are_refused(store, path, monkeypatch):
    monkeypatch.setattr(database, "_SYNCHRONOUS_EXTRA", 4)
    with pytest.raises(StoreError, match="cannot be written safely"):
        store.append("hill", len(EVENTS), [line(9)])


def test_an_old_sqlite_is_refused(store, monkeypatch):
    monkeypatch.setattr(database.sqlite3, "sqlite_version_info", (3, 36, 9))
    with pytest.raises(StoreError, match=r"SQLite 3\.37"):
        store.names()


def test_a_name_that_cannot_be_kept_is_refused_before_a_file_is_made(path):
    with pytest.raises(InvalidInput, match="half a character"):
        SqliteStore(path).create("\ud800", FORM)
    assert not path.exists()


def test_a_changed_letter_is_an_error_that_names_the_event(store, path):
    data = path.read_bytes()
    assert data.count(b"moved by crane") == 1
    path.write_bytes(data.replace(b"moved by crane", b"moved by train"))
    number = len(EVENTS) - 1
    with pytest.raises(StoreError, match=rf"event {number} of study 'hill' is damaged.*lab\.db"):
        store.read("hill")
    with pytest.raises(StoreError, match=f"event {number}"):
        store.read("hill", since=number)
    assert store.read("hill", since=number + 1) == (FORM, [])


def test_a_changed_specification_is_an_error(store, path):
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"trials":5', b'"trials":7'))
    for call in READS:
        with pytest.raises(StoreError, match="study number 1 is damaged"):
            call(store)


def test_an_event_in_the_wrong_place_is_an_error(store, path):
    with closing(sqlite3.connect(path)) as connection:
        body, link = connection.execute("SELECT body, link FROM event WHERE number = 2").fetchone()
        number = len(EVENTS)
        connection.execute("INSERT INTO event VALUES (1, ?, ?, ?)", (number, body, link))
        connection.commit()
    with pytest.raises(StoreError, match=f"event {number}"):
        store.read("hill")


def test_a_gap_is_an_error(store, path):
    number = len(EVENTS)
    store.append("hill", number, [line(0), line(1), line(2)])
    sql(path, "DROP TRIGGER event_no_delete", f"DELETE FROM event WHERE number = {number}")
    sql(path, next(text for text in database.STATEMENTS if "event_no_delete" in text))
    for since, named in ((0, number), (1, number), (number, number), (number + 1, number + 1)):
        with pytest.raises(StoreError, match=f"event {named} "):
            store.read("hill", since)
    assert store.read("hill", number + 2).events == [line(2)]


def test_a_last_event_that_says_it_is_of_another_study_is_missed(store, path):
    store.create("lake", FORM)
    store.append("lake", 0, [line(0), line(1)])
    for other in (1, 7):
        trigger = "event_no_update"
        again = next(text for text in database.STATEMENTS if trigger in text)
        number = 50 if other == 1 else 1
        move = f"UPDATE event SET study = {other}, number = {number} WHERE study = 2 AND number = 1"
        before = path.read_bytes()
        sql(path, f"DROP TRIGGER {trigger}", move, again)
        with pytest.raises(StoreError, match="not in order"):
            store.read("lake")
        path.write_bytes(before)
    assert store.read("lake").events == [line(0), line(1)]


def test_no_flipped_bit_anywhere_in_the_file_gives_a_wrong_answer(store, path, tmp_path):
    good, rng = path.read_bytes(), random.Random(0)
    expected = (["hill"], (FORM, EVENTS))
    other = SqliteStore(tmp_path / "other.db")
    noticed = []
    # Every byte of the header and of the pages' own books, and a sample of all else.
    books = [page + i for page in range(0, len(good), 4096) for i in range(40)]
    for place in sorted({*range(100), *books, *rng.sample(range(len(good)), 500)}):
        damaged = bytearray(good)
        damaged[place] ^= 1 << rng.randrange(8)
        other.path.write_bytes(damaged)
        try:
            kept = other.names(), tuple(other.read("hill"))
        except StoreError as error:
            noticed.append(str(error))
            continue
        assert kept == expected, place
    assert len(noticed) > 100
    assert not [what for what in noticed if "\n" in what]


def test_a_store_replaced_by_an_older_copy_is_noticed(store, path):
    older = path.read_bytes()
    number = len(EVENTS)
    store.append("hill", number, [line(0)])
    path.write_bytes(older)
    with pytest.raises(StoreError, match="older copy"):
        store.read("hill", since=number + 1)


def test_two_stores_on_one_path_and_many_threads_lose_nothing(path):
    stores = [SqliteStore(path), SqliteStore(str(path))]
    stores[0].create("hill", FORM)

    def win(number):
        while True:
            store = stores[number % 2]
            try:
                store.append("hill", len(store.read("hill").events), [line(number)])
                return
            except Conflict:
                continue

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(win, range(60)))
    assert sorted(stores[0].read("hill").events) == sorted(map(line, range(60)))


def test_threads_that_create_the_same_study_at_once_make_it_once(path):
    def create(_):
        try:
            SqliteStore(path).create("hill", FORM)
        except Conflict:
            return 0
        return 1

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(create, range(12))) == 1
    assert SqliteStore(path).names() == ["hill"]


@pytest.mark.parametrize("name", ["what? #1 100%.db", "ü 北京.db", "a&mode=memory.db", "file:x.db"])
def test_any_file_name_is_that_file(tmp_path, name):
    SqliteStore(tmp_path / name).create("hill", FORM)
    assert os.listdir(tmp_path) == [name]
    assert SqliteStore(str(tmp_path / name)).names() == ["hill"]


def test_a_relative_path_is_where_it_was_when_the_store_was_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = SqliteStore("lab.db")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    store.create("hill", FORM)
    assert (tmp_path / "lab.db").exists()


def test_a_store_is_given_as_itself_as_a_path_or_not_at_all(path):
    assert isinstance(as_store(None), MemoryStore)
    assert isinstance(as_store(path), SqliteStore)
    assert as_store(str(path)).path == path
    own = MemoryStore()
    assert as_store(own) is own


@pytest.mark.parametrize("bad", [3, MemoryStore, b"lab.db", ["lab.db"], "", "  ", "a\0b", ":memory:"])
def test_what_cannot_be_a_store_is_refused(bad):
    with pytest.raises(InvalidInput, match="store"):
        as_store(bad)

"""Stores from a stranger: refused in one line, in bounded work, and left as they are."""

import os
import sqlite3
import struct
from contextlib import closing

import pytest

from wayfare.errors import StoreError
from wayfare.store import SqliteStore, database, verify
from wayfare.store.register import enter, read_register
from wayfare.store.upkeep import archived, log
from wayfare.store.verify import Verdict
from wayfare.testing.store import FORM, line

CALLS = {
    "names": SqliteStore.names,
    "read": lambda store: store.read("hill"),
    "read since": lambda store: store.read("hill", 1),
    "append": lambda store: store.append("hill", 3, [line(3)]),
    "create": lambda store: store.create("lake", FORM),
    "verify": lambda store: verify(store.path),
}
AFTER = "AFTER INSERT ON event BEGIN"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
PAGE = 4096


def made(path, *statements, schema=()):
    """Make a store with a study of three events; then do to it what no store allows, and to its schema."""
    store = SqliteStore(path)
    store.create("hill", FORM)
    store.append("hill", 0, [line(number) for number in range(3)])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.execute("PRAGMA writable_schema = ON")
        for statement in schema:
            connection.execute(statement)


def hidden(kind, name, table, sql):
    """What puts a row into the schema that no statement could: names like sqlite_zz are SQLite's own."""
    return f"INSERT INTO sqlite_schema VALUES ('{kind}', '{name}', '{table}', 0, '{sql}')"


def without(trigger):
    return f"DROP TRIGGER {trigger}"


SCHEMAS = {
    "a hidden endless trigger": {
        "schema": [hidden("trigger", "sqlite_zz", "event", f"CREATE TRIGGER sqlite_zz {AFTER} {ENDLESS}; END")]
    },
    "a hidden trigger that removes": {
        "schema": [hidden("trigger", "sqlite_a", "event", f"CREATE TRIGGER sqlite_a {AFTER} DELETE FROM study; END")]
    },
    "a hidden view": {"schema": [hidden("view", "sqlite_v", "sqlite_v", f"CREATE VIEW sqlite_v AS {ENDLESS}")]},
    "a trigger on the register": {
        "statements": ["CREATE TRIGGER more AFTER INSERT ON register BEGIN SELECT raise(ROLLBACK, 'no'); END"]
    },
    "a trigger under a known name": {
        "statements": [
            without("event_no_update"),
            f"CREATE TRIGGER event_no_update AFTER INSERT ON event BEGIN {ENDLESS}; END",
        ]
    },
    "a trigger of another table": {
        "schema": ["UPDATE sqlite_schema SET tbl_name = 'study' WHERE name = 'event_no_update'"]
    },
    "a view in place of the events": {
        "statements": [
            "DROP TABLE event",
            f"CREATE VIEW event AS SELECT 1 AS study, ({ENDLESS}) AS number, 'x' AS body, x'00' AS link",
        ]
    },
    "a view in place of the studies": {
        "statements": [
            "DROP TABLE study",
            f"CREATE VIEW study AS SELECT ({ENDLESS}) AS id, '{{}}' AS spec, x'00' AS link",
        ]
    },
    "a computed column": {
        "statements": [
            "DROP TABLE register",
            "CREATE TABLE register (number INTEGER PRIMARY KEY, study INTEGER, name TEXT, body TEXT, "
            "link BLOB AS (zeroblob(1000000000)))",
        ]
    },
    "an index over an expression": {"statements": ["CREATE INDEX more ON event (length(body))"]},
    "a view of its own": {"statements": [f"CREATE VIEW more AS {ENDLESS}"]},
    "a table of statistics": {"statements": ["ANALYZE"]},
    "a table that counts": {
        "statements": ["CREATE TABLE more (id INTEGER PRIMARY KEY AUTOINCREMENT)", "DROP TABLE more"]
    },
    "looser tables": {
        "statements": [
            without("event_no_update"),
            without("event_no_delete"),
            "ALTER TABLE event RENAME TO old",
            "CREATE TABLE event (study INTEGER, number INTEGER, body TEXT, link BLOB)",
            "INSERT INTO event SELECT * FROM old",
            "DROP TABLE old",
        ]
    },
    "a missing trigger": {"schema": ["DELETE FROM sqlite_schema WHERE name = 'study_no_delete'"]},
    "a text that is no statement": {"schema": ["UPDATE sqlite_schema SET sql = 'x' WHERE name = 'study_no_delete'"]},
    "one table on the page of another": {
        "schema": [
            "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'study') "
            "WHERE name = 'register'"
        ]
    },
    "a table on a page far away": {"schema": ["UPDATE sqlite_schema SET rootpage = 123456789 WHERE name = 'event'"]},
    "a version below zero": {"statements": ["PRAGMA user_version = -2"]},
    "the tables of today under the first version": {"statements": ["PRAGMA user_version = 1"]},
}


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_store_with_a_schema_of_its_own_is_refused_and_left_alone(tmp_path, kind):
    path = tmp_path / "lab.db"
    made(path, *SCHEMAS[kind].get("statements", ()), schema=SCHEMAS[kind].get("schema", ()))
    check_refused(path)


def refusal(path, call):
    """Return what is said against the file; empty if it is taken."""
    try:
        done = call(SqliteStore(path))
    except StoreError as error:
        return str(error)
    return done.findings[0] if isinstance(done, Verdict) and done.findings else ""


def check_refused(path, calls=CALLS):
    """No call succeeds; each says so in one line, and changes nothing."""
    before, files = path.read_bytes(), sorted(os.listdir(path.parent))
    for name, call in calls.items():
        said = refusal(path, call)
        assert said, f"{name} took the file"
        assert "\n" not in said
        assert len(said) < 500
    assert path.read_bytes() == before
    assert sorted(os.listdir(path.parent)) == files


# Pages: of a table they are a tree, and a forged one need not be.


def interior(children, page=PAGE, at=0):
    """A page of a tree of rows that has these pages as children, whatever keys they hold."""
    *left, right = children
    cells = [struct.pack(">I", child) + bytes([1]) for child in left]
    top = page - sum(map(len, cells))
    header = struct.pack(">BHHHBI", 5, 0, len(cells), top, 0, right)
    pointers = b"".join(struct.pack(">H", top + 5 * n) for n in range(len(cells)))
    body = header + pointers
    return body + bytes(page - at - len(body) - 5 * len(cells)) + b"".join(cells)


def root_of(path, table):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]


def put_page(path, number, data):
    with path.open("r+b") as file:
        file.seek((number - 1) * PAGE)
        file.write(data)


def add_pages(path, *pages):
    """Append pages to the file and tell its header; return the number of the first."""
    data = bytearray(path.read_bytes())
    first = len(data) // PAGE + 1
    data += b"".join(pages)
    data[28:32] = struct.pack(">I", len(data) // PAGE)
    path.write_bytes(data)
    return first


def bomb(path, table, levels=10, wide=300):
    """Let a table's root lead over many levels of pages that each name the next one hundreds of times."""
    root = root_of(path, table)
    leaf = path.read_bytes()[(root - 1) * PAGE : root * PAGE]
    first = len(path.read_bytes()) // PAGE + 1
    pages = [interior([first + level + 1] * wide) for level in range(levels)]
    add_pages(path, *pages, leaf)
    put_page(path, root, interior([first] * wide))


def loop(path, table):
    root = root_of(path, table)
    put_page(path, root, interior([root] * 300))


def long_row(path):
    """Let a row claim to be larger than the file, over pages that lead to themselves."""
    made(path, f"INSERT INTO register VALUES (2, 1, 'hill', '{'x' * 20_000}', x'00')")
    data = bytearray(path.read_bytes())
    overflow = next(n for n in range(2, len(data) // PAGE + 1) if data[(n - 1) * PAGE + 4 :][:100] == b"x" * 100)
    data[(overflow - 1) * PAGE : (overflow - 1) * PAGE + 4] = struct.pack(">I", overflow)
    path.write_bytes(data)


def free_pages_in_a_ring(path):
    made(path, "CREATE TABLE more (a)", f"INSERT INTO more VALUES (zeroblob({20 * PAGE}))", "DROP TABLE more")
    data = bytearray(path.read_bytes())
    trunk = int.from_bytes(data[32:36], "big")
    data[(trunk - 1) * PAGE : (trunk - 1) * PAGE + 4] = struct.pack(">I", trunk)
    path.write_bytes(data)


def schema_bomb(path):
    """The same for the table of tables, on the first page."""
    made(path)
    data = path.read_bytes()
    leaf = bytearray(data[:PAGE])
    first = add_pages(path, interior([len(data) // PAGE + 2] * 300), bytes(leaf[100:]) + bytes(100))
    put_page(path, 1, path.read_bytes()[:100] + interior([first] * 300, at=100))


PAGES = {
    "events that lead to themselves": lambda path: (made(path), loop(path, "register")),
    "studies without end": lambda path: (made(path), bomb(path, "study")),
    "a register without end": lambda path: (made(path), bomb(path, "register")),
    "tables without end": schema_bomb,
    "a row without end": long_row,
}


@pytest.mark.parametrize("kind", PAGES)
def test_pages_that_stand_for_any_number_of_rows_are_refused(tmp_path, kind):
    path = tmp_path / "lab.db"
    PAGES[kind](path)
    before = path.read_bytes()
    for name in ("names", "read", "create", "verify"):
        check_refused(path, {name: CALLS[name]})
    assert path.read_bytes() == before


def test_work_without_end_is_cut_off(tmp_path, monkeypatch):
    """Should a forged file get past all checks, SQLite's machine is stopped."""
    path = tmp_path / "lab.db"
    made(path, f"CREATE VIEW more AS {ENDLESS} WHERE i > 0")
    monkeypatch.setattr(database, "_parts", lambda version: _all_parts(path))
    monkeypatch.setattr(database, "_LEAST_STEPS", 1e6)
    match = "far more work to read than a store of its size"
    with pytest.raises(StoreError, match=match), database.reading(path) as connection:
        connection.execute("SELECT * FROM more").fetchall()


def _all_parts(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))


# Files beside the store, which SQLite opens by their names.


def test_a_journal_that_names_another_file_is_refused(tmp_path):
    """SQLite would delete the file that a journal names, wherever it is."""
    path, victim = tmp_path / "lab.db", tmp_path / "diary.txt"
    made(path)
    victim.write_text("dear diary")
    name = os.fsencode(victim)
    magic = database._JOURNAL_END
    page = path.read_bytes()[:PAGE]
    header = magic + struct.pack(">IIIII", 0, 0, len(path.read_bytes()) // PAGE, 512, PAGE)
    tail = struct.pack(">I", 2**30 // PAGE + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
    journal = tmp_path / "lab.db-journal"
    journal.write_bytes(header.ljust(512, b"\0") + tail)
    check_refused(path)
    assert victim.read_text() == "dear diary"
    assert page == path.read_bytes()[:PAGE]


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_is_no_journal(tmp_path, ending, kind):
    path, beside = tmp_path / "lab.db", tmp_path / f"lab.db{ending}"
    made(path)
    if kind == "link":
        beside.symlink_to(tmp_path / "elsewhere.txt")
    else:
        os.mkfifo(beside) if kind == "pipe" else beside.mkdir()
    with pytest.raises(StoreError, match="is not a regular file"):
        SqliteStore(path).read("hill")
    check_refused(path)
    assert not (tmp_path / "elsewhere.txt").exists()


# Rows with a sound chain, and bytes of every other kind.


def rows(path, *statements):
    """Change rows as someone does who knows the tables."""
    triggers = [text for text in database.STATEMENTS if text.startswith("CREATE TRIGGER")]
    drops = [f"DROP TRIGGER {text.split()[2]}" for text in triggers]
    made(path, *drops, *statements, *triggers)


ROWS = {
    "an event of the last number there is": "UPDATE event SET number = 9223372036854775807 WHERE number = 2",
    "an event below zero": "UPDATE event SET number = -1 WHERE number = 2",
    "a name that is no text": "UPDATE register SET name = CAST(x'ff00fe' AS TEXT)",
    "a name of 5 MB": f"UPDATE register SET name = '{'n' * 5_000_000}'",
    "a study of the last number there is": "UPDATE study SET id = 9223372036854775807",
    "a register without entries": "DELETE FROM register",
    "a register that begins late": "UPDATE register SET number = 9223372036854775807",
    "an empty digest": "UPDATE register SET link = x''",
    "a long digest": f"UPDATE study SET link = zeroblob({10**6})",
    "a form that is no text": "UPDATE study SET spec = CAST(x'ff' AS TEXT)",
    "an event of no study": "UPDATE event SET study = 7 WHERE number = 0",
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows_that_no_store_wrote_are_refused(tmp_path, kind):
    path = tmp_path / "lab.db"
    rows(path, ROWS[kind])
    check_refused(path, {name: CALLS[name] for name in ("read", "verify")})


BYTES = {
    "a header and nothing else": lambda data: data[:100],
    "half a header": lambda data: data[:50],
    "pages of another size": lambda data: data[:16] + b"\x02\x00" + data[18:],
    "pages of an impossible size": lambda data: data[:16] + b"\x00\x03" + data[18:],
    "a file of a later SQLite": lambda data: data[:18] + b"\x09\x09" + data[20:],
    "more pages than there are": lambda data: data[:28] + b"\x7f\xff\xff\xff" + data[32:],
    "another alphabet": lambda data: data[:56] + b"\x00\x00\x00\x03" + data[60:],
    "zeros in the middle": lambda data: data[:PAGE] + bytes(PAGE) + data[2 * PAGE :],
    "the tables' page all ones": lambda data: data[:100] + b"\xff" * (PAGE - 100) + data[PAGE:],
    "pages in another order": lambda data: (
        data[:PAGE] + data[2 * PAGE : 3 * PAGE] + data[PAGE : 2 * PAGE] + data[3 * PAGE :]
    ),
}


@pytest.mark.parametrize("kind", BYTES)
def test_bytes_that_no_sqlite_wrote_are_refused(tmp_path, kind):
    path = tmp_path / "lab.db"
    made(path)
    path.write_bytes(BYTES[kind](path.read_bytes()))
    check_refused(path)


def test_free_pages_in_a_ring_are_refused(tmp_path):
    path = tmp_path / "lab.db"
    free_pages_in_a_ring(path)
    check_refused(path, {name: CALLS[name] for name in ("names", "read", "create", "verify")})


REGISTERS = {
    "what is no JSON": "what",
    "what is no table": "[]",
    "what has no kind": "{}",
    "a kind that is a list": '{"kind": []}',
    "a reason that is a number": '{"kind": "renamed", "why": 7}',
    "a change that is a list": '{"kind": "renamed", "before": [1]}',
    "a stamp of no day": '{"kind": "renamed", "at": "2026-02-30T20:00:00.000001Z", "by": "", "via": "", "app": ""}',
    "tables without end": '{"kind":' * 100_000,
}


@pytest.mark.parametrize("kind", REGISTERS)
def test_a_register_with_a_sound_chain_that_says_nonsense_is_refused(tmp_path, kind):
    path = tmp_path / "lab.db"
    made(path)
    with database.writing(path) as connection:
        last = read_register(connection)[-1].link
        enter(connection, last, 1, "hill", REGISTERS[kind])
    check_refused(path, {"log": lambda store: log(store.path), "archived": lambda store: archived(store.path)})


def test_a_form_that_is_none_is_named_by_the_log(tmp_path):
    path = tmp_path / "lab.db"
    SqliteStore(path).create("hill", "[" * 100_000)
    check_refused(path, {"log": lambda store: log(store.path)})

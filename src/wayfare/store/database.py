"""A connection to a store's file: set so that what is committed survives a power cut, its errors explained.

The settings are the ones that lost nothing in simulated power cuts (``benchmarks/faults.md``): SQLite's own
defaults lose the last transaction now and then, because the directory entry of the deleted journal may come
back. A connection lives for one operation, so threads never share one and a fork never inherits one.
"""

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, get_ident
from urllib.parse import quote_from_bytes

from wayfare.errors import StoreError

# The tables of a store's file, and how one knows the file for a store.


APPLICATION = int.from_bytes(b"wayf", "big")
VERSION = 1
"""Of the tables and of the events in them; a change that older versions cannot read raises it."""

_TABLES = """
CREATE TABLE study (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    spec TEXT NOT NULL,
    crc INTEGER NOT NULL
) STRICT;
CREATE TABLE event (
    study INTEGER NOT NULL REFERENCES study (id),
    number INTEGER NOT NULL,
    body TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (study, number)
) STRICT, WITHOUT ROWID
"""
_TRIGGER = (
    "CREATE TRIGGER {table}_no_{move} BEFORE {move} ON {table} "
    "BEGIN SELECT raise(ABORT, 'what a store holds never changes'); END"
)
STATEMENTS = [
    *(table.strip() for table in _TABLES.split(";")),
    *(_TRIGGER.format(table=t, move=move) for t in ("study", "event") for move in ("update", "delete")),
]


def make(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty file; the transaction is the caller's."""
    for statement in STATEMENTS:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def is_made(connection: sqlite3.Connection, path: str) -> bool:
    """Return whether the file holds our tables, False if it is empty; refuse any other file."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    found = connection.execute("SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite@_%' ESCAPE '@'")
    statements = sorted(_as_text(row[0]) for row in found)
    if not (application or version or statements):
        return False
    if application != APPLICATION:
        raise StoreError(f"{path} is a database, but not one of wayfare's; it was left alone")
    if version > VERSION:
        raise StoreError(
            f"{path} was made by a newer wayfare (its format is {version}, this one reads {VERSION}); "
            "pip install --upgrade wayfare"
        )
    if version != VERSION or statements != sorted(STATEMENTS):
        raise StoreError(f"{path} is damaged: its tables are not those of a store; restore a backup")
    return True


def _as_text(sql: object) -> str:
    return sql.decode(errors="replace") if isinstance(sql, bytes) else str(sql)


def study_crc(number: int, name: bytes, spec: bytes) -> int:
    """Return the checksum kept beside a specification."""
    return zlib.crc32(b"%d %d %b %b" % (number, len(name), name, spec))


def event_crc(study: int, number: int, body: bytes) -> int:
    """Return the checksum kept beside an event; it covers where the event stands, too."""
    return zlib.crc32(b"%d %d %b" % (study, number, body))


# No fork in the middle of a transaction: in the child, SQLite would take the parent's locks for its own.


class Gate:
    """Lets any number of operations in, and a fork only between them."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._inside: list[int] = []
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.shut, after_in_parent=self.open, after_in_child=self._renew)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Hold forks off while an operation is under way."""
        thread = get_ident()
        with self._changed:
            self._inside.append(thread)
        try:
            yield
        finally:
            with self._changed:
                self._inside.remove(thread)
                self._changed.notify_all()

    def shut(self) -> None:
        """Wait until all other threads are out, and keep them out."""
        self._changed.acquire()
        me = get_ident()
        self._changed.wait_for(lambda: all(thread == me for thread in self._inside))

    def open(self) -> None:
        """Let operations in again."""
        self._changed.release()

    def _renew(self) -> None:
        # The threads that waited for the old condition do not exist in the child.
        self._changed = Condition()


GATE = Gate()

PATIENCE = 30.0
"""Seconds to wait for another process."""
_OLDEST = (3, 37, 0)
_SYNCHRONOUS_EXTRA = 3

Connection = sqlite3.Connection


class NoStore(StoreError):
    """There is nothing in that place, or an empty file."""


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """Give a connection to a store that exists; one consistent view for all that is read."""
    if not _has_content(path):
        raise NoStore(f"no store at {path}; Study.create or `wayfare new` makes one")
    with connected(path, "rw") as connection:
        _settle(connection, path)
        connection.execute("BEGIN")
        yield connection


@contextmanager
def writing(path: Path, new: bool = False) -> Iterator[Connection]:
    """Give a connection inside a transaction that is committed at the end, and rolled back on any error.

    Nobody else can write meanwhile. ``new`` makes the file and its tables where there are none yet, in the
    same transaction: after a crash there is a good store or an empty file, which counts as none.
    """
    if not new and not _has_content(path):
        raise NoStore(f"no store at {path}; Study.create or `wayfare new` makes one")
    if not os.path.isdir(path.parent):
        raise StoreError(f"{path} cannot be made: there is no folder {path.parent}")
    with connected(path, "rwc" if new else "rw") as connection:
        _settle(connection, path, empty=new)
        connection.execute("BEGIN IMMEDIATE")
        if new and not is_made(connection, str(path)):
            make(connection)
        yield connection
        connection.execute("COMMIT")


def _has_content(path: Path) -> bool:
    # Never by opening it: closing it again would take away the locks of every thread of this process.
    try:
        return path.stat().st_size > 0
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error


@contextmanager
def connected(path: Path, mode: str) -> Iterator[Connection]:
    """Give a bare connection to the file; whatever SQLite reports about it becomes a ``StoreError``."""
    if sqlite3.sqlite_version_info < _OLDEST:
        raise StoreError(f"stores need SQLite 3.37 or newer, this Python has {sqlite3.sqlite_version}")
    if os.path.isdir(path):
        raise StoreError(f"{path} is a folder; a store is a file")
    uri = f"file:{quote_from_bytes(os.fsencode(path))}?mode={mode}"
    try:
        with GATE.inside():
            connection = sqlite3.connect(uri, timeout=PATIENCE, isolation_level=None, uri=True)
            try:
                yield connection
            finally:
                connection.close()  # rolls back what was not committed
    except sqlite3.Error as error:
        raise StoreError(explain(error, path)) from error
    except UnicodeDecodeError as error:
        # The module cannot even decode SQLite's message, which quotes the damaged text.
        raise StoreError(f"{path} is damaged; restore a backup") from error


def _settle(connection: Connection, path: Path, empty: bool = False) -> None:
    """Check that the file is ours before anything about it is set, then set it and read it back."""
    connection.text_factory = bytes  # a damaged text must reach its checksum, not fail to decode
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA fullfsync = ON")  # on macOS, fsync alone stops at the drive's cache
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("BEGIN")
    made = is_made(connection, str(path))
    connection.execute("COMMIT")
    if not made and not empty:
        raise NoStore(f"no store at {path}, only an empty file; Study.create or `wayfare new` fills it")
    mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
    synchronous = connection.execute("PRAGMA synchronous").fetchone()[0]
    if mode != b"delete" or synchronous != _SYNCHRONOUS_EXTRA:
        raise StoreError(f"{path} cannot be written safely: SQLite kept to {mode!r}, {synchronous!r}")


def check_whole(connection: Connection, path: Path) -> None:
    """Refuse a file in which a search could miss events: pages out of order, or keys out of place.

    Checksums tell a wrong event from a right one, but not that one is missing at the end. This takes some
    3 ms for every 1,000,000 bytes.
    """
    found = connection.execute("PRAGMA quick_check").fetchone()[0]
    if found != b"ok":
        what = " ".join(found.decode(errors="replace").split())
        raise StoreError(f"{path} is damaged ({what}); restore a backup")
    known = {row[0] for row in connection.execute("SELECT id FROM study NOT INDEXED")}
    # Read in the order of the pages: a key that lies about its study begins a run of its own.
    for study, count, first, last in connection.execute(_RUNS):
        if study not in known or (first, last) != (0, count - 1):
            raise StoreError(f"{path} is damaged (its events are not in order); restore a backup")
        known.discard(study)


_RUNS = "SELECT study, count(*), min(number), max(number) FROM event GROUP BY study"
_SAID = {
    "SQLITE_BUSY": f"has been in use by another program for {PATIENCE:.0f} s; try again later",
    "SQLITE_READONLY": "is read-only for this user; get the right to write there, or work on a copy",
    "SQLITE_READONLY_ROLLBACK": "was left in the middle of a write; open it once as who may write there",
    "SQLITE_FULL": "could not be written, the disk is full; what was acknowledged is safe",
    "SQLITE_IOERR": "could not be read or written, the disk reports an error",
    "SQLITE_CORRUPT": "is damaged; restore a backup",
    "SQLITE_NOTADB": "is not a store: the file is something else",
    "SQLITE_CANTOPEN": "cannot be opened; look at the rights to the file and to its folder",
    "SQLITE_PERM": "cannot be opened; look at the rights to the file",
    "SQLITE_NOLFS": "is too large for this file system",
}


def explain(error: sqlite3.Error, path: Path) -> str:
    """Return what an error of SQLite means for whoever keeps studies in ``path``."""
    name = getattr(error, "sqlite_errorname", "")
    family = "_".join(name.split("_")[:2])
    said = _SAID.get(name) or _SAID.get(family)
    detail = " ".join(str(error or name).split())[:200]
    return f"{path} {said} ({detail})" if said else f"{path}: {detail}"

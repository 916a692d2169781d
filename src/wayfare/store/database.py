"""Connections to a store's SQLite file, with settings under which committed data survives a power cut.

A file may come from a stranger, so its tables and triggers must be exactly those of a store, and reading it takes no
more work than a file of its size can need.

The settings lost nothing in simulated power cuts (``benchmarks/faults.md``). SQLite's defaults now and then lose the
last transaction, because the directory entry of the deleted journal may come back. A connection lives for one
operation, so threads never share one and a fork never inherits one.
"""

import json
import os
import sqlite3
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from threading import Condition, get_ident
from urllib.parse import quote_from_bytes

from wayfare.errors import StoreError
from wayfare.record.stamp import Author, stamp_form, stamped
from wayfare.store.filesystem import check_local
from wayfare.store.upgrade import FIRST, upgrade

Connection = sqlite3.Connection

VERSION = 2
"""Version of the tables and of the events in them; raised by a change that older versions cannot read.

A store of version 1 is read as it is, and becomes one of today with the first write.
"""
PATIENCE = 30.0
"""Seconds to wait for another process."""
_APPLICATION = int.from_bytes(b"wayf", "big")
"""SQLite's application id, in the header of the file."""
_OLDEST = (3, 37, 0)
"""The oldest SQLite with STRICT tables."""
_SYNCHRONOUS_EXTRA = 3
_STEP = 100_000
"""Instructions of SQLite's machine after which it is looked whether they are too many."""
_LEAST_STEPS, _STEPS_PER_BYTE = 2e7, 20
"""Instructions that an operation may take; a whole store is read with less than one for each byte of its file."""
_JOURNAL_END = bytes.fromhex("d9d505f920a163d7")
"""The end of a journal that names another file, which SQLite would open and may delete; no store needs one."""

_TABLES = """
CREATE TABLE study (
    id INTEGER PRIMARY KEY,
    spec TEXT NOT NULL,
    link BLOB NOT NULL
) STRICT;
CREATE TABLE event (
    study INTEGER NOT NULL REFERENCES study (id),
    number INTEGER NOT NULL,
    body TEXT NOT NULL,
    link BLOB NOT NULL,
    PRIMARY KEY (study, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE register (
    number INTEGER PRIMARY KEY,
    study INTEGER NOT NULL,
    name TEXT,
    body TEXT NOT NULL,
    link BLOB NOT NULL
) STRICT
"""
_DELETED = "EXISTS (SELECT 1 FROM register WHERE study = old.{key} AND name IS NULL)"
_TRIGGER = (
    "CREATE TRIGGER {table}_no_{move} BEFORE {move} ON {table} {when}"
    "BEGIN SELECT raise(ABORT, 'what a store holds never changes'); END"
)


def _statements(tables: str, deletable: Mapping[str, str]) -> list[str]:
    """Return what makes tables whose rows never change.

    Args:
        tables: makes the tables.
        deletable: of each table whose rows go when their study is deleted, the column with its number.
    """
    made = [table.strip() for table in tables.split(";")]
    for name in (table.split()[2] for table in list(made)):
        deleted = f"WHEN NOT {_DELETED.format(key=deletable[name])} " if name in deletable else ""
        made.append(_TRIGGER.format(table=name, move="update", when=""))
        made.append(_TRIGGER.format(table=name, move="delete", when=deleted))
    return made


STATEMENTS = _statements(_TABLES, {"study": "id", "event": "study"})
_STATEMENTS = {1: _statements(FIRST, {}), VERSION: STATEMENTS}
"""What makes the tables of each version."""


class Gate:
    """Lets any number of operations in, and a fork only between them.

    A child forked in the middle of a transaction would take the parent's locks for its own.
    """

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


_GATE = Gate()


class NoStore(StoreError):
    """There is no file at the path, or an empty one."""


@contextmanager
def reading(path: Path, as_is: bool = False) -> Iterator[Connection]:
    """Give a connection to a store that exists; everything read through it is as of one moment.

    Unless it is to be read ``as_is``, a store of an earlier version is read as a copy in memory, which is one of today.
    """
    _check_there(path)
    with connected(path, "rw") as connection:
        seen = _settle(connection, path)
        connection.execute("BEGIN")  # until the connection closes, no other can change what is read
        if as_is or _is_still(seen, connection, path) == VERSION:
            yield connection
            return
        check_whole(connection, path)
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
            connection.backup(copy)
            copy.text_factory = bytes
            upgrade(copy, path, STATEMENTS, None)
            yield copy


@contextmanager
def writing(path: Path, new: bool = False, who: Author = (None, "")) -> Iterator[Connection]:
    """Give a connection inside a transaction that is committed at the end, and rolled back on any error.

    No other connection can write meanwhile. In the same transaction, a store of an earlier version becomes one of
    today: a crash leaves the one or the other.

    Args:
        path: of the file.
        new: make the file and its tables if there are none yet; a crash leaves an empty file, which counts as none.
        who: writes, if that is known: kept with the upgrade of an earlier version.
    """
    if not new:
        _check_there(path)
    elif not os.path.isdir(path.parent):
        raise StoreError(f"{path} cannot be made: there is no folder {path.parent}")
    check_local(path)
    with connected(path, "rwc" if new else "rw") as connection:
        seen = _settle(connection, path, empty=new)
        connection.execute("BEGIN IMMEDIATE")  # takes the write lock now, not at the first INSERT
        version = _is_still(seen, connection, path)
        if not version:
            for statement in (*STATEMENTS, f"PRAGMA application_id = {_APPLICATION}"):
                connection.execute(statement)
        elif version < VERSION:
            check_whole(connection, path)
            note = {"kind": "upgraded", "from": version, "to": VERSION, **stamp_form(stamped(who))}
            upgrade(connection, path, STATEMENTS, json.dumps(note))
        if version != VERSION:
            connection.execute(f"PRAGMA user_version = {VERSION}")
        yield connection
        connection.execute("COMMIT")


def _check_there(path: Path) -> None:
    # Never by opening the file: closing it again would drop the locks of every thread of this process.
    try:
        if path.stat().st_size > 0:
            return
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    raise NoStore(f"no store at {path}; Study.create or `wayfare new` makes one")


@contextmanager
def connected(path: Path, mode: str) -> Iterator[Connection]:
    """Give a connection without settings; every error that SQLite reports becomes a ``StoreError``."""
    if sqlite3.sqlite_version_info < _OLDEST:
        raise StoreError(f"stores need SQLite 3.37 or newer, this Python has {sqlite3.sqlite_version}")
    try:
        found = os.stat(path)
    except OSError:
        found = None  # SQLite makes it, or says why not
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise StoreError(f"{path} is a folder; a store is a file")
    uri = f"file:{quote_from_bytes(os.fsencode(path))}?mode={mode}"
    _check_beside(path)
    try:
        with _GATE.inside():
            connection = sqlite3.connect(uri, timeout=PATIENCE, isolation_level=None, uri=True)
            try:
                _guard(connection, 0 if found is None else found.st_size)
                yield connection
            finally:
                connection.close()  # rolls back an open transaction
    except sqlite3.Error as error:
        raise StoreError(explain(error, path)) from error
    except UnicodeDecodeError as error:
        # Damaged text: in a row, or in SQLite's own message, which quotes it.
        raise StoreError(f"{path} is damaged; restore a backup") from error


def _check_beside(path: Path) -> None:
    """Refuse a journal beside the file that would make SQLite wait, or write or delete another file."""
    for ending in ("-journal", "-wal", "-shm"):
        beside = f"{path}{ending}"  # no Path: this is done at every operation
        try:
            if not stat.S_ISREG((found := os.lstat(beside)).st_mode):
                raise StoreError(f"{beside} is not a regular file, and belongs to no store; look at it and remove it")
            if ending == "-journal":
                with open(beside, "rb") as journal:
                    journal.seek(max(0, found.st_size - len(_JOURNAL_END)))
                    if journal.read(len(_JOURNAL_END)) == _JOURNAL_END:
                        raise StoreError(f"{beside} names a file of another program; look at it and remove it")
        except OSError:
            pass  # there is none, as almost always, or SQLite will say why it cannot be read


def _guard(connection: Connection, size: int) -> None:
    """Let nothing in a file of that size act or take for ever: no functions in its tables, bounded work."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")  # notices some damaged pages earlier
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
    left = (_LEAST_STEPS + _STEPS_PER_BYTE * size) / _STEP

    def is_too_much() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(is_too_much, _STEP)


def _settle(connection: Connection, path: Path, empty: bool = False) -> tuple[int, int]:
    """Check that the file is a store before any setting is made; make the settings and read them back.

    Return the version of its tables, and SQLite's number for the state of the file in which they were read.
    """
    connection.text_factory = bytes  # damaged text must reach its checksum, not fail to decode
    connection.execute("PRAGMA fullfsync = ON")  # on macOS, fsync alone stops at the drive's cache
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("BEGIN")  # header and tables as of one moment, while another process may create them
    made, seen = _is_made(connection, path), _state_of(connection)
    connection.execute("COMMIT")
    if not made and not empty:
        raise NoStore(f"no store at {path}, only an empty file; Study.create or `wayfare new` fills it")
    # The file may have been put in WAL mode by another program, and SQLite may refuse a setting in silence.
    mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
    synchronous = connection.execute("PRAGMA synchronous").fetchone()[0]
    if mode != b"delete" or synchronous != _SYNCHRONOUS_EXTRA:
        raise StoreError(f"{path} cannot be written safely: SQLite kept to {mode!r}, {synchronous!r}")
    return made, seen


def _is_still(seen: tuple[int, int], connection: Connection, path: Path) -> int:
    """Return the version of the tables now, without looking again if no other connection wrote to the file since."""
    version, state = seen
    return version if state == _state_of(connection) else _is_made(connection, path)


def _state_of(connection: Connection) -> int:
    """Return a number that changes for this connection whenever another one has changed the file."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


def _is_made(connection: Connection, path: Path) -> int:
    """Return the version of the tables in the file, 0 if it is empty; refuse any other file."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchmany(_MOST_PARTS)
    if not (application or version or found):
        return 0
    if application != _APPLICATION:
        raise StoreError(f"{path} is a database, but not one of wayfare's; it was left alone")
    if version > VERSION:
        raise StoreError(
            f"{path} was made by a newer wayfare (its format is {version}, this one reads {VERSION}); "
            "update wayfare from where this one came, which `wayfare doctor` says"
        )
    if version not in _STATEMENTS or set(found) != _parts(version):
        raise StoreError(f"{path} is damaged: its tables are not those of a store; restore a backup")
    return int(version)


_MOST_PARTS = 100


@cache
def _parts(version: int) -> set[tuple[bytes, bytes, bytes, bytes | None]]:
    """Return all tables, indices and triggers of a store of a version, those that SQLite itself makes too."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.text_factory = bytes
        for statement in _STATEMENTS[version]:
            made.execute(statement)
        return set(made.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))


def check_whole(connection: Connection, path: Path) -> None:
    """Refuse a file in which a search could miss events: pages out of order, or keys out of place.

    Checksums do not show that the last event is missing. This takes about 3 ms per MB.
    """
    check_pages(connection, path)
    check_order(connection, path)


def check_pages(connection: Connection, path: Path) -> None:
    """Refuse a file whose pages are out of order; in a forged one, a page may stand for any number of rows."""
    found = connection.execute("PRAGMA quick_check").fetchone()[0]
    if found != b"ok":
        what = " ".join(found.decode(errors="replace").split())
        raise StoreError(f"{path} is damaged ({what[:200]}); restore a backup")


def check_order(connection: Connection, path: Path) -> None:
    """Refuse a file in which events are out of order, lack one or have no study."""
    known = {row[0] for row in connection.execute("SELECT id FROM study NOT INDEXED")}
    # In the order of the pages, a wrong key begins a group of its own.
    groups = "SELECT study, count(*), min(number), max(number) FROM event GROUP BY study"
    for study, count, first, last in connection.execute(groups):
        if study not in known or (first, last) != (0, count - 1):
            raise StoreError(f"{path} is damaged (its events are not in order); restore a backup")
        known.discard(study)


_EXPLANATIONS = {
    "SQLITE_BUSY": f"has been in use by another program for {PATIENCE:.0f} s; try again later",
    "SQLITE_READONLY": "is read-only for this user; get the right to write there, or work on a copy",
    "SQLITE_READONLY_DBMOVED": "was replaced by another file meanwhile; open it again",
    "SQLITE_READONLY_ROLLBACK": "was left in the middle of a write; open it once as a user who may write there",
    "SQLITE_FULL": "could not be written, the disk is full; what was acknowledged is safe",
    "SQLITE_IOERR": "could not be read or written, the disk reports an error",
    "SQLITE_CORRUPT": "is damaged; restore a backup",
    "SQLITE_NOTADB": "is not a store: the file is something else",
    "SQLITE_CANTOPEN": "cannot be opened; look at the rights to the file and to its folder",
    "SQLITE_PERM": "cannot be opened; look at the rights to the file",
    "SQLITE_INTERRUPT": "takes far more work to read than a store of its size; it is damaged, restore a backup",
    "SQLITE_NOLFS": "is too large for this file system",
}


def explain(error: sqlite3.Error, path: Path) -> str:
    """Return an error of SQLite in the user's words, with the way out."""
    name = getattr(error, "sqlite_errorname", "")
    family = "_".join(name.split("_")[:2])
    explanation = _EXPLANATIONS.get(name) or _EXPLANATIONS.get(family)
    detail = " ".join(str(error or name).split())[:200]
    return f"{path} {explanation} ({detail})" if explanation else f"{path}: {detail}"

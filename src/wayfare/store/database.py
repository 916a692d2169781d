"""A connection to a store's file: set so that what is committed survives a power cut, its errors explained.

The settings are the ones that lost nothing in simulated power cuts (``benchmarks/faults.md``): SQLite's own
defaults lose the last transaction now and then, because the directory entry of the deleted journal may come
back. A connection lives for one operation, so threads never share one and a fork never inherits one.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote_from_bytes

from wayfare.errors import StoreError
from wayfare.store import schema
from wayfare.store.forks import GATE

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
        if new and not schema.is_made(connection, str(path)):
            schema.make(connection)
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
    made = schema.is_made(connection, str(path))
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

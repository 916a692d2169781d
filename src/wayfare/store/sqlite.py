"""A store in one SQLite file that survives crashes, power cuts and many processes at once.

Every study and event has a digest beside it that covers its text and the digest before: a damaged file is an error and
never a wrong number, and a change behind the store's back breaks the chain (``chain.py``).
"""

import errno
import os
import sqlite3
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from wayfare._core import checks
from wayfare.errors import Conflict, InvalidInput, StoreError, UnknownStudy
from wayfare.record.stamp import Author
from wayfare.store.base import Decision, Rows, Stored
from wayfare.store.chain import START, event_link, study_link
from wayfare.store.database import (
    VERSION,
    Connection,
    NoStore,
    check_order,
    check_pages,
    check_whole,
    connected,
    explain,
    reading,
    writing,
)
from wayfare.store.lock import lock_of, locked
from wayfare.store.register import STORE, Entry, became_of, enter, history_of, names_in, read_register

_EVENTS = "SELECT number, body, link FROM event WHERE study = ? AND number >= ? ORDER BY number"
_LINK = "SELECT link FROM event WHERE study = ? AND number = ?"
_STUDY = "SELECT spec, link FROM study WHERE id = ?"
_LAST = "SELECT number, link FROM event WHERE study = ? ORDER BY number DESC LIMIT 1"

_FIRST_LOOK, _LAST_LOOK = 0.05, 0.5
"""Seconds between two looks at the file while waiting for events, at first and at last."""


class _Study(NamedTuple):
    """A study in the file: its number, its name, its form, and its link."""

    number: int
    name: bytes
    form: bytes
    link: bytes


class SqliteStore:
    """Studies in the SQLite file at ``path``; ``create`` makes the file.

    When ``append`` returns, the events are on the disk, not in a cache of the system. Threads and processes may share
    the file, and threads the object.
    """

    def __init__(self, path: str | Path) -> None:
        """Name the file; nothing is opened yet."""
        text = os.fspath(path)
        if not isinstance(text, str) or not text.strip() or "\0" in text:
            raise InvalidInput(f"store must be the path of a file, such as 'lab.db', got {path!r}")
        if text == ":memory:":
            raise InvalidInput("store ':memory:': leave the store out, and the study is kept in memory")
        self.path = Path(os.path.abspath(text))

    def __repr__(self) -> str:
        """Return the class and the path."""
        return f"SqliteStore({str(self.path)!r})"

    def __str__(self) -> str:
        """Return the path."""
        return str(self.path)

    def names(self) -> list[str]:
        """Return the names of the studies, oldest first."""
        with reading(self.path) as connection:
            check_pages(connection, self.path)
            return [study.name.decode() for study in _studies(connection)]

    def create(self, name: str, form: str, events: Sequence[str] = ()) -> None:
        """Begin a study, in a new file if there is none; raise ``Conflict`` if the name is taken.

        Args:
            name: of the study.
            form: what it is.
            events: its first events, stored with it or not at all.
        """
        try:
            name_bytes, form_bytes = checks.name(name, "name").encode(), form.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(f"name {name!r} holds half a character; write it again") from error
        is_inserted = False
        try:
            with writing(self.path, new=True) as connection:
                check_pages(connection, self.path)
                if name_bytes in (study.name for study in _studies(connection)):
                    raise Conflict(f"a study named {name!r} exists already; choose another name")
                entries = read_register(connection)
                number = 1 + max((entry.study for entry in entries), default=0)  # no number is given twice
                link = study_link(number, name_bytes, form_bytes)
                connection.execute("INSERT INTO study VALUES (?, ?, ?)", (number, form, link))
                enter(connection, entries[-1].link if entries else START, number, name, "")
                _add(connection, number, 0, link, events)
                is_inserted = True
        except StoreError as error:
            # COMMIT may fail after the data reached the disk; read again to find out.
            if not is_inserted or not self._holds(name, form_bytes, error):
                raise

    def _holds(self, name: str, form: bytes, error: StoreError) -> bool:
        """Return whether the study is in the file although creating it ended in ``error``."""
        try:
            with reading(self.path) as connection:
                return find_study(connection, name).form == form
        except (UnknownStudy, NoStore):
            return False
        except StoreError:
            raise StoreError(
                f"{error}. Whether study {name!r} was made cannot be read now; look before you send it again"
            ) from error

    def read(self, name: str, since: int = 0) -> Stored:
        """Return the form and all events but the first ``since``; if that is 0, check the whole file."""
        first = max(since, 0)
        with reading(self.path) as connection:
            # Pages come before rows. Numbers show a gap, digests show damage, and the order of the whole file shows a
            # missing end.
            if first == 0:
                check_pages(connection, self.path)
            study = find_study(connection, name)
            rows = connection.execute(_EVENTS, (study.number, max(first - 1, 0))).fetchall()
            if first and not rows:
                count, _ = end_of(connection, study)
                raise StoreError(
                    f"study {name!r} has {count} events in {self.path}, and had {since}: was it replaced by an "
                    "older copy? Open it again"
                )
            # The event before the first that is wanted has the digest that the chain goes on from.
            number, _, last = rows.pop(0) if first else (-1, b"", study.link)
            rows = rows if number == first - 1 else [(-1, b"", b"")]
            for expected, (number, body, link) in enumerate(rows, start=first):
                right = number == expected and isinstance(body, bytes) and isinstance(last, bytes)
                if not right or event_link(last, number, body) != link:
                    raise StoreError(
                        f"event {expected} of study {name!r} is damaged in {self.path}: "
                        "its digest differs; restore a backup"
                    )
                last = link
            if first == 0:
                check_order(connection, self.path)
            return Stored(study.form.decode(), [body.decode() for _, body, _ in rows])

    def append(self, name: str, after: int, events: Sequence[str]) -> None:
        """Add events, all or none, if there are exactly ``after`` so far; else raise ``Conflict``.

        Args:
            name: of the study.
            after: number of events that the study must have so far.
            events: to be added, in this order.
        """
        with writing(self.path) as connection:
            study = find_study(connection, name)
            count, last = end_of(connection, study)
            if count != after:  # and no other connection can write before this transaction ends
                raise Conflict(f"study {name!r} has {count} events, not {after}: it changed in between")
            _add(connection, study.number, after, last, events)

    def head(self, name: str, events: int) -> str:
        """Return the head of the chain of a study after so many events; ``verify`` finds it again, be there more."""
        with reading(self.path) as connection:
            study = find_study(connection, name)
            row = connection.execute(_LINK, (study.number, events - 1)).fetchone() if events else (study.link,)
        if row is None:
            raise StoreError(f"study {name!r} has less than {events} events in {self.path}")
        return bytes(row[0]).hex()

    def history(self, name: str) -> list[str]:
        """Return the register's entries about a study since it was created, and about the store, as lines of JSON."""
        with reading(self.path) as connection:
            number = find_study(connection, name).number
            return history_of(read_register(connection), number)

    def entries(self) -> list[Entry]:
        """Return the register, oldest entry first."""
        with reading(self.path) as connection:
            check_pages(connection, self.path)
            return read_register(connection)

    def enter(self, decide: Decision, who: Author) -> None:
        """Add to the register what is decided, in one transaction; if a study has no name any more, its rows go.

        Args:
            decide: given all entries, returns what is to be added.
            who: does it, for the upgrade of a store of an earlier version.
        """
        with writing(self.path, who=who) as connection:
            check_pages(connection, self.path)
            studies = {study.number: study for study in _studies(connection)}
            entries = read_register(connection)
            study, name, body = decide(entries, lambda number: end_of(connection, studies[number]))
            # First the entry: the triggers let only the rows of a study go that has no name any more.
            enter(connection, entries[-1].link, study, name, body)
            if name is None and study != STORE:
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute("DELETE FROM event WHERE study = ?", (study,))
                connection.execute("DELETE FROM study WHERE id = ?", (study,))

    def forms(self) -> dict[int, bytes]:
        """Return the forms of the studies by their numbers."""
        with reading(self.path) as connection:
            check_pages(connection, self.path)
            return dict(connection.execute("SELECT id, spec FROM study"))

    def rows(self, findings: list[str]) -> Rows:
        """Return as many rows as can be read; an error that stops the reading, and damaged pages, are findings."""
        with reading(self.path) as connection:
            for (said,) in _read_rows(connection, self.path, "PRAGMA integrity_check", findings):
                if said != b"ok":
                    findings.append(f"{self.path}: {' '.join(said.decode(errors='replace').split())[:200]}")
            register = "SELECT * FROM register ORDER BY number"
            studies = "SELECT id, spec, link FROM study NOT INDEXED ORDER BY id"
            events = "SELECT study, number, body, link FROM event"
            return Rows(*(_read_rows(connection, self.path, query, findings) for query in (register, studies, events)))

    def fill(self, rows: Rows) -> None:
        """Take over all rows of another store, in a new file or an empty store."""
        with writing(self.path, new=True) as connection:
            if read_register(connection):
                raise Conflict(f"{self.path} has studies already; copy to a new file")
            connection.set_progress_handler(None, 0)
            for table, values in zip(("register", "study", "event"), rows, strict=True):
                for row in values:  # digests stay bytes, all else is text
                    texts = (cell.decode() if isinstance(cell, bytes) else cell for cell in row[:-1])
                    connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", (*texts, row[-1]))

    def upgrade(self, who: Author) -> int:
        """Bring the store to today's format, in one transaction; return the format that it had.

        Args:
            who: does it.
        """
        with reading(self.path, as_is=True) as connection:
            (before,) = connection.execute("PRAGMA user_version").fetchone()
        if before != VERSION:
            with writing(self.path, who=who):
                pass
        return int(before)

    def watch(self, name: str, since: int, seconds: float) -> int:
        """Return how many events the study has once these are more than ``since``, or after that many seconds.

        Args:
            name: of the study.
            since: number of events that are known.
            seconds: to wait at most.
        """
        until, pause, count, seen = time.monotonic() + seconds, _FIRST_LOOK, since, (0, 0)
        while True:
            # Every write changes the file, and looking at that is cheaper than opening it.
            found = os.stat(self.path) if self.path.exists() else None
            if found is None or (found.st_mtime_ns, found.st_size) != seen:
                with reading(self.path) as connection:
                    count, _ = end_of(connection, find_study(connection, name))
                seen = (0, 0) if found is None else (found.st_mtime_ns, found.st_size)
            if count > since or (left := until - time.monotonic()) <= 0:
                return count
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LAST_LOOK)

    def planning(self, name: str) -> AbstractContextManager[None]:
        """Return a context in which no other thread or process plans a route of this study; see ``lock.py``."""
        return locked(lock_of(self.path, name))


def _add(connection: Connection, study: int, after: int, last: bytes, events: Sequence[str]) -> None:
    """Add events to a study inside a transaction, after so many others and their head."""
    rows = []
    for number, body in enumerate(events, after):
        last = event_link(last, number, body.encode())
        rows.append((study, number, body, last))
    connection.set_progress_handler(None, 0)  # all that is left is ours, however much it is
    connection.executemany("INSERT INTO event VALUES (?, ?, ?, ?)", rows)


def _read_rows(connection: Connection, path: Path, query: str, findings: list[str]) -> list[tuple[Any, ...]]:
    """Return as many rows as can be read; an error that stops the reading is a finding.

    Rows that add up to more than the file are one, too: in a forged file, a page may stand for any number of them.
    """
    rows: list[tuple[Any, ...]] = []
    try:
        pages, size = (connection.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "page_size"))
        left = pages * size
        for row in connection.execute(query):
            left -= sum(len(cell) for cell in row if isinstance(cell, bytes))
            if left < 0:
                findings.append(f"{path} is damaged: it holds more rows than its size allows")
                break
            rows.append(row)
    except sqlite3.DatabaseError as error:
        findings.append(explain(error, path))
    return rows


def find_study(connection: Connection, name: str) -> _Study:
    """Return a study by its name; if it has none of that name, say what became of the one that had it."""
    wanted, entries = name.encode(errors="surrogatepass"), read_register(connection)
    for number, called in names_in(entries).items():
        if called == wanted:
            row = connection.execute(_STUDY, (number,)).fetchone()
            return _checked(_created(entries), number, called, row)
    _studies(connection)  # if the register lost its name, that is damage
    raise became_of(entries, name)


def _studies(connection: Connection) -> list[_Study]:
    """Return all studies, oldest first; the register and every form are checked."""
    entries = read_register(connection)
    created = _created(entries)
    rows = {row[0]: row[1:] for row in connection.execute("SELECT id, spec, link FROM study NOT INDEXED")}
    studies = [
        _checked(created, number, name, rows.pop(number, None)) for number, name in sorted(names_in(entries).items())
    ]
    if rows:
        raise StoreError(f"study number {min(rows)} is damaged: it is not in the register; restore a backup")
    return studies


def _created(entries: Sequence[Entry]) -> dict[int, bytes]:
    """Return the names under which studies were created: as their first entries call them."""
    return {entry.study: entry.name or b"" for entry in reversed(entries)}


def _checked(created: Mapping[int, bytes], number: int, name: bytes, row: tuple[bytes, bytes] | None) -> _Study:
    """Return a study that the register has, if its row is there and as it was."""
    form, link = row or (None, None)
    if not isinstance(form, bytes) or not isinstance(link, bytes) or study_link(number, created[number], form) != link:
        raise StoreError(f"study number {number} is damaged: its digest differs; restore a backup")
    return _Study(number, name, form, link)


def end_of(connection: Connection, study: _Study) -> tuple[int, bytes]:
    """Return the number of events of a study and the head of its chain."""
    number, link = connection.execute(_LAST, (study.number,)).fetchone() or (-1, study.link)
    if not isinstance(link, bytes):
        raise StoreError(f"event {number} of study {study.name.decode()!r} is damaged: restore a backup")
    return number + 1, link


@contextmanager
def new_file(target: str | Path) -> Iterator[Path]:
    """Give the path of a file to be filled, which becomes ``target`` when it is whole and on the disk.

    An existing file is never overwritten.
    """
    there = SqliteStore(target).path
    if os.path.lexists(there):
        raise StoreError(f"{there} exists already; use another name for the backup")
    if not os.path.isdir(there.parent):
        raise StoreError(f"{there} cannot be made: there is no folder {there.parent}")
    if not os.access(there.parent, os.W_OK | os.X_OK):
        raise StoreError(f"{there} cannot be made: its folder is read-only for this user; choose another")
    # The copy grows under another name in the same folder and gets its own when it is on the disk.
    part = there.with_name(f".{there.name[:100]}.{uuid.uuid4().hex}.part")
    try:
        yield part
        sync(part)
        give_name(part, there)
        sync(there.parent)
    except StoreError as error:
        # The caller does not know the name of the partial file.
        raise StoreError(str(error).replace(str(part), str(there))) from error
    except OSError as error:
        raise StoreError(f"{there} could not be made: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
        part.with_name(f"{part.name}-journal").unlink(missing_ok=True)


def copy_file(source: Path, target: Path) -> None:
    """Copy a store's file as it is at one moment; others may go on, and a write waits while the copy is made."""
    with reading(source, as_is=True) as original:
        check_whole(original, source)
        with connected(target, "rwc") as copy:
            copy.execute("PRAGMA synchronous = EXTRA")
            original.backup(copy)
    with reading(target, as_is=True) as copy:
        check_whole(copy, target)


def give_name(part: Path, target: Path) -> None:
    """Give the file its name, unless another file took it meanwhile."""
    try:
        os.link(part, target)
    except FileExistsError as error:
        raise StoreError(f"{target} exists already; use another name for the backup") from error
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        # A file system without hard links, such as a memory stick: renaming leaves a gap after the check.
        if os.path.lexists(target):
            raise StoreError(f"{target} exists already; use another name for the backup") from error
        part.rename(target)


def sync(path: Path) -> None:
    """Return when a file or a folder is on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows cannot open a folder, and writes names at once
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

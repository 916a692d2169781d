"""A store in one SQLite file that survives crashes, power cuts and many processes at once.

The text of every study and event has a checksum beside it: a damaged file is an error and never a wrong number.
"""

import errno
import os
import uuid
from collections.abc import Sequence
from pathlib import Path

from wayfare._core import checks
from wayfare.errors import Conflict, InvalidInput, StoreError, UnknownStudy
from wayfare.store.base import Stored
from wayfare.store.database import Connection, NoStore, check_whole, connected, event_crc, reading, study_crc, writing

_EVENTS = "SELECT number, body, crc FROM event WHERE study = ? AND number >= ? ORDER BY number"
_COUNT = "SELECT coalesce(max(number) + 1, 0) FROM event WHERE study = ?"


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

    def names(self) -> list[str]:
        """Return the names of the studies, oldest first."""
        with reading(self.path) as connection:
            return [name.decode() for _, name, _ in _studies(connection)]

    def create(self, name: str, form: str) -> None:
        """Begin a study, in a new file if there is none; raise ``Conflict`` if the name is taken."""
        try:
            name_bytes, form_bytes = checks.name(name, "name").encode(), form.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(f"name {name!r} holds half a character; write it again") from error
        is_inserted = False
        try:
            with writing(self.path, new=True) as connection:
                studies = _studies(connection)
                if name_bytes in (taken for _, taken, _ in studies):
                    raise Conflict(f"a study named {name!r} exists already; choose another name")
                number = 1 + max((number for number, _, _ in studies), default=0)
                row = number, name, form, study_crc(number, name_bytes, form_bytes)
                connection.execute("INSERT INTO study (id, name, spec, crc) VALUES (?, ?, ?, ?)", row)
                is_inserted = True
        except StoreError as error:
            # COMMIT may fail after the data reached the disk; read again to find out.
            if not is_inserted or not self._holds(name, form_bytes, error):
                raise

    def _holds(self, name: str, form: bytes, error: StoreError) -> bool:
        """Return whether the study is in the file although creating it ended in ``error``."""
        try:
            with reading(self.path) as connection:
                return _study(connection, name)[1] == form
        except (UnknownStudy, NoStore):
            return False
        except StoreError:
            raise StoreError(
                f"{error}. Whether study {name!r} was made cannot be read now; look before you send it again"
            ) from error

    def read(self, name: str, since: int = 0) -> Stored:
        """Return the form and all events but the first ``since``; if that is 0, check the whole file."""
        with reading(self.path) as connection:
            # Numbers show a gap, checksums show damage, and the order of the whole file shows a missing end.
            study, form = _study(connection, name)
            count = connection.execute(_COUNT, (study,)).fetchone()[0]
            rows = connection.execute(_EVENTS, (study, since)).fetchall()
            for expected, (number, body, crc) in enumerate(rows, start=max(since, 0)):
                right = number == expected and isinstance(body, bytes)
                if not right or event_crc(study, number, body) != crc:
                    raise StoreError(
                        f"event {expected} of study {name!r} is damaged in {self.path}: "
                        "its checksum differs; restore a backup"
                    )
            if since <= 0:
                check_whole(connection, self.path)
            if count < since:
                raise StoreError(
                    f"study {name!r} has {count} events in {self.path}, and had {since}: was it replaced by an "
                    "older copy? Open it again"
                )
            return Stored(form.decode(), [body.decode() for _, body, _ in rows])

    def append(self, name: str, after: int, events: Sequence[str]) -> None:
        """Add events, all or none, if there are exactly ``after`` so far; else raise ``Conflict``.

        Args:
            name: of the study.
            after: number of events that the study must have so far.
            events: to be added, in this order.
        """
        with writing(self.path) as connection:
            study = _study(connection, name)[0]
            count = connection.execute(_COUNT, (study,)).fetchone()[0]
            if count != after:  # and no other connection can write before this transaction ends
                raise Conflict(f"study {name!r} has {count} events, not {after}: it changed in between")
            rows = ((study, n, body, event_crc(study, n, body.encode())) for n, body in enumerate(events, after))
            connection.executemany("INSERT INTO event (study, number, body, crc) VALUES (?, ?, ?, ?)", rows)


def _study(connection: Connection, name: str) -> tuple[int, bytes]:
    """Return the number and the form of a study."""
    # By reading them all, not by the index, which no checksum covers.
    for number, taken, form in _studies(connection):
        if taken == name.encode(errors="surrogatepass"):
            return number, form
    raise UnknownStudy(f"no study named {name!r}")


def _studies(connection: Connection) -> list[tuple[int, bytes, bytes]]:
    rows = connection.execute("SELECT id, name, spec, crc FROM study NOT INDEXED ORDER BY id").fetchall()
    for number, name, form, crc in rows:
        texts = isinstance(name, bytes) and isinstance(form, bytes)
        if not texts or study_crc(number, name, form) != crc:
            raise StoreError(f"study number {number} is damaged: its checksum differs; restore a backup")
    return [row[:3] for row in rows]


def backup(source: str | Path, target: str | Path) -> None:
    """Copy the store at ``source`` to a new file ``target``, as it is at one moment.

    Others may go on; a write waits while the copy is made. ``target`` appears only when it is whole and on the disk,
    and an existing file is never overwritten. A damaged store is refused.
    """
    here, there = SqliteStore(source).path, SqliteStore(target).path
    if os.path.lexists(there):
        raise StoreError(f"{there} exists already; use another name for the backup")
    if not os.path.isdir(there.parent):
        raise StoreError(f"{there} cannot be made: there is no folder {there.parent}")
    if not os.access(there.parent, os.W_OK | os.X_OK):
        raise StoreError(f"{there} cannot be made: its folder is read-only for this user; choose another")
    # The copy grows under another name in the same folder and gets its own when it is on the disk.
    part = there.with_name(f".{there.name[:100]}.{uuid.uuid4().hex}.part")
    try:
        with reading(here) as original:
            check_whole(original, here)
            with connected(part, "rwc") as copy:
                copy.execute("PRAGMA synchronous = EXTRA")
                original.backup(copy)
        with reading(part) as copy:
            check_whole(copy, part)
        _sync(part)
        _give_name(part, there)
        _sync(there.parent)
    except StoreError as error:
        # The caller does not know the name of the partial file.
        raise StoreError(str(error).replace(str(part), str(there))) from error
    except OSError as error:
        raise StoreError(f"{there} could not be made: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
        part.with_name(f"{part.name}-journal").unlink(missing_ok=True)


def _give_name(part: Path, target: Path) -> None:
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


def _sync(path: Path) -> None:
    if path.is_dir() and os.name == "nt":
        return  # Windows cannot open a folder, and writes names at once
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

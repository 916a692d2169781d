"""A store in one file that survives crashes, power cuts and many processes at once."""

import errno
import json
import os
import uuid
from collections.abc import Sequence
from pathlib import Path

from wayfare._core import checks
from wayfare.errors import Conflict, InvalidInput, StoreError, UnknownStudy
from wayfare.form import read_spec, write_spec
from wayfare.record.events import Event, StudySpec
from wayfare.store.database import Connection, NoStore, check_whole, connected, event_crc, reading, study_crc, writing
from wayfare.store.events import read_event, write_event

_APPEND = """
INSERT INTO event (study, number, body, crc)
SELECT :study, :after + row.key, json_extract(row.value, '$[0]'), json_extract(row.value, '$[1]')
FROM json_each(:rows) AS row
WHERE (SELECT coalesce(max(number) + 1, 0) FROM event WHERE study = :study) = :after
"""
_EVENTS = "SELECT number, body, crc FROM event WHERE study = ? AND number >= ? ORDER BY number"
_COUNT = "SELECT coalesce(max(number) + 1, 0) FROM event WHERE study = ?"


class SqliteStore:
    """Studies in the SQLite file at ``path``; ``create`` makes the file.

    What ``append`` has returned from is on the disk, not in a cache of the system. Threads and processes may
    share the file, and threads the object. Each specification and event has a checksum, so that a damaged
    file is an error and never a wrong number.
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
        """Say which file it is."""
        return f"SqliteStore({str(self.path)!r})"

    def names(self) -> Sequence[str]:
        """Return the names of the studies kept here, oldest first."""
        with reading(self.path) as connection:
            return _names(connection)

    def create(self, spec: StudySpec) -> None:
        """Begin a study, in a new file if there is none; a ``Conflict`` if the name is taken."""
        name = _name_bytes(spec.name)
        form = json.dumps(write_spec(spec), allow_nan=False, separators=(",", ":")).encode()
        read_spec(json.loads(form), new=False)  # what could not be read again is refused now
        tried = False
        try:
            with writing(self.path, new=True) as connection:
                if spec.name in _names(connection):
                    raise Conflict(f"a study named {spec.name!r} exists already; choose another name")
                number = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM study").fetchone()[0]
                row = number, spec.name, form.decode(), study_crc(number, name, form)
                connection.execute("INSERT INTO study (id, name, spec, crc) VALUES (?, ?, ?, ?)", row)
                tried = True
        except StoreError as error:
            # The disk may fail when all is written but for the farewell: the store alone knows.
            if not tried or not self._holds(spec.name, form, error):
                raise

    def _holds(self, name: str, form: bytes, error: StoreError) -> bool:
        """Return whether the study is there after all, though its making met an error."""
        try:
            with reading(self.path) as connection:
                return _study(connection, name)[1] == form
        except (UnknownStudy, NoStore):
            return False
        except StoreError:
            raise StoreError(
                f"{error}. Whether study {name!r} was made cannot be read now; look before you send it again"
            ) from error

    def spec(self, name: str) -> StudySpec:
        """Return what the study was created with; ``UnknownStudy`` if there is none."""
        with reading(self.path) as connection:
            form = _study(connection, name)[1]
        try:
            return read_spec(json.loads(form), new=False)
        except ValueError as error:
            raise StoreError(f"study {name!r} cannot be read by this version: {error}") from error

    def events(self, name: str, since: int = 0) -> Sequence[Event]:
        """Return the events from number ``since`` on; if that is 0, the whole file is checked."""
        with reading(self.path) as connection:
            study = _study(connection, name)[0]
            kept = connection.execute(_COUNT, (study,)).fetchone()[0]
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
        if kept < since:
            raise StoreError(
                f"study {name!r} has {kept} events in {self.path}, and had {since}: was it replaced by an "
                "older copy? Open it anew"
            )
        return [read_event(body) for _, body, _ in rows]

    def append(self, name: str, after: int, events: Sequence[Event]) -> None:
        """Add events, all or none, if there are exactly ``after`` so far; else a ``Conflict``."""
        bodies = [write_event(event) for event in events]
        with writing(self.path) as connection:
            study = _study(connection, name)[0]
            rows = [(body, event_crc(study, number, body.encode())) for number, body in enumerate(bodies, after)]
            given = {"study": study, "after": after, "rows": json.dumps(rows)}
            added = connection.execute(_APPEND, given).rowcount
            kept = connection.execute(_COUNT, (study,)).fetchone()[0]
            if added != len(rows) or kept != after + len(rows):
                raise Conflict(f"study {name!r} has {kept} events, not {after}: it changed in between")


def _name_bytes(name: str) -> bytes:
    try:
        return checks.name(name, "name").encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"name {name!r} holds half a character; write it anew") from error


def _names(connection: Connection) -> list[str]:
    return [name.decode() for _, name, _ in _studies(connection)]


def _study(connection: Connection, name: str) -> tuple[int, bytes]:
    """Return the number and the written specification of a study."""
    # By reading them all, not by the index, which no checksum covers.
    for number, kept, form in _studies(connection):
        if kept == name.encode(errors="surrogatepass"):
            return number, form
    raise UnknownStudy(f"no study named {name!r}")


def _studies(connection: Connection) -> list[tuple[int, bytes, bytes]]:
    rows = connection.execute("SELECT id, name, spec, crc FROM study NOT INDEXED ORDER BY id").fetchall()
    for number, name, form, crc in rows:
        texts = isinstance(name, bytes) and isinstance(form, bytes)
        if not texts or study_crc(number, name, form) != crc:
            raise StoreError(f"study number {number} is damaged: its checksum differs; restore a backup")
    return [row[:3] for row in rows]


# A copy of a store, taken while others write.


def backup(source: str | Path, target: str | Path) -> None:
    """Copy the store at ``source`` to a new file ``target``, as it is at one moment.

    Others may go on; a write waits while the copy is made. ``target`` appears only when it is whole and on
    the disk, and an existing file is never overwritten. A damaged store is refused.
    """
    here, there = SqliteStore(source).path, SqliteStore(target).path
    if os.path.lexists(there):
        raise StoreError(f"{there} exists already; use another name for the backup")
    if not os.path.isdir(there.parent):
        raise StoreError(f"{there} cannot be made: there is no folder {there.parent}")
    if not os.access(there.parent, os.W_OK | os.X_OK):
        raise StoreError(f"{there} cannot be made: its folder is read-only for this user; choose another")
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
        # Who asked for a backup has never heard of the file it grows in.
        raise StoreError(str(error).replace(str(part), str(there))) from error
    except OSError as error:
        raise StoreError(f"{there} could not be made: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
        part.with_name(f"{part.name}-journal").unlink(missing_ok=True)


def _give_name(part: Path, target: Path) -> None:
    """Let the file appear under its name, unless another has taken it meanwhile."""
    try:
        os.link(part, target)
    except FileExistsError as error:
        raise StoreError(f"{target} exists already; use another name for the backup") from error
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        # A file system without hard links, such as a memory stick: nearly as good.
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

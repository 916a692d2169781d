"""What happens to the studies of a SQLite store as a whole: the log of its register."""

from pathlib import Path

from attrs import evolve

from wayfare.form import read_form
from wayfare.record.stamp import NO_STAMP
from wayfare.report.log import Log, LogEntry, whole_entry
from wayfare.store.database import reading
from wayfare.store.register import read_register
from wayfare.store.sqlite import SqliteStore


def log(path: str | Path) -> Log:
    """Return what happened to the studies of a store as a whole, oldest first, those that were deleted too.

    When a study was created stands in the study itself, so it is unknown of one that was deleted.
    """
    with reading(SqliteStore(path).path) as connection:
        entries = read_register(connection)
        forms = dict(connection.execute("SELECT id, spec FROM study"))
    return Log(tuple(_entry(entry.name, entry.body.decode(), forms.get(entry.study)) for entry in entries))


def _entry(name: bytes | None, body: str, form: bytes | None) -> LogEntry:
    entry = whole_entry(body, "" if name is None else name.decode())
    if body or form is None:
        return entry
    return evolve(entry, stamp=(read_form(form)[1] or (NO_STAMP,))[-1])

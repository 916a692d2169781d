"""The tables of a store's file, and how one knows the file for a store."""

import sqlite3
import zlib

from wayfare.errors import StoreError

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

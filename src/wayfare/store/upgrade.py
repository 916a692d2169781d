"""Stores of wayfare 0.2 and before (version 1 of the tables): how they were, and how they become stores of today.

They had a checksum beside every row instead of the chain. Their events are kept letter for letter; when and by whom
they were made stays unknown.
"""

import zlib
from pathlib import Path
from sqlite3 import Connection

from wayfare.errors import StoreError
from wayfare.store.chain import START, event_link, study_link
from wayfare.store.register import STORE, enter

FIRST = """
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
"""The tables of version 1."""


def study_crc(number: int, name: bytes, form: bytes) -> int:
    """Return the checksum that version 1 has beside a form."""
    return zlib.crc32(b"%d %d %b %b" % (number, len(name), name, form))


def event_crc(study: int, number: int, body: bytes) -> int:
    """Return the checksum that version 1 has beside an event."""
    return zlib.crc32(b"%d %d %b" % (study, number, body))


def upgrade(connection: Connection, path: Path, statements: list[str], note: str | None) -> None:
    """Make a store of version 2 from one of version 1, inside a transaction; refuse damaged rows.

    Args:
        connection: to a store of version 1 whose pages were checked.
        path: of its file, for refusals.
        statements: make the tables of version 2.
        note: what the register says of it; None: nothing.
    """
    # 1. Read all rows, checked. 2. Create new tables. 3. Every study with its first link, and its name in the register.
    studies = connection.execute("SELECT id, name, spec, crc FROM study NOT INDEXED ORDER BY id").fetchall()
    events = connection.execute("SELECT study, number, body, crc FROM event ORDER BY study, number").fetchall()
    for number, name, form, crc in studies:
        if not isinstance(name, bytes) or not isinstance(form, bytes) or study_crc(number, name, form) != crc:
            raise StoreError(f"study number {number} is damaged in {path}: its checksum differs; restore a backup")
    names = {number: name.decode() for number, name, _, _ in studies}
    for study, number, body, crc in events:
        if not isinstance(body, bytes) or event_crc(study, number, body) != crc:
            where = f"event {number} of study {names.get(study)!r}"
            raise StoreError(f"{where} is damaged in {path}: its checksum differs; restore a backup")
    for table in ("event", "study"):
        connection.execute(f"DROP TABLE {table}")
    for statement in statements:
        connection.execute(statement)
    last, heads = START, {}
    for number, name, form, _ in studies:
        heads[number] = study_link(number, name, form)
        connection.execute("INSERT INTO study VALUES (?, ?, ?)", (number, form.decode(), heads[number]))
        last = enter(connection, last, number, name.decode(), "")
    if note is not None:
        enter(connection, last, STORE, None, note)
    for study, number, body, _ in events:
        heads[study] = event_link(heads[study], number, body)
        connection.execute("INSERT INTO event VALUES (?, ?, ?, ?)", (study, number, body.decode(), heads[study]))

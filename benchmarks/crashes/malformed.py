"""Spoil a store's file as broken disks, copies and strangers do: what is then read or written is right, or an error."""

import random
import sqlite3
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from crashes.bits import begin
from wayfare.errors import StoreError
from wayfare.store import SqliteStore, Stored
from wayfare.testing.store import line

PAGE = 4096
FORGED = (
    "CREATE TRIGGER zz AFTER INSERT ON event BEGIN DELETE FROM event; END",
    "CREATE TRIGGER zz AFTER INSERT ON event BEGIN UPDATE study SET spec = 'mine'; END",
    "CREATE TRIGGER zz BEFORE INSERT ON event BEGIN SELECT raise(IGNORE); END",
    "CREATE VIEW zz AS SELECT * FROM event",
    "CREATE TABLE zz (a)",
    "CREATE INDEX zz ON event (body)",
    "DROP TRIGGER event_no_update",
    "ALTER TABLE event RENAME COLUMN body TO text",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = 99",
    "PRAGMA application_id = 7",
    "PRAGMA journal_mode = WAL",
    "PRAGMA auto_vacuum = FULL; VACUUM",
    "PRAGMA page_size = 512; VACUUM",
    "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE type = 'trigger'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 4000000000",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = NULL WHERE name = 'event'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET name = 'sqlite_zz' WHERE type = 'trigger'",
)
"""What a stranger's program may do to the tables."""


def spoil_in_every_way(
    folder: Path, rng: random.Random, progress: Callable[[str], None], each: int = 40
) -> Counter[str]:
    """Spoil a store, read it and append to it; count what was right, an error, and wrong.

    Args:
        folder: where the store is made.
        rng: chooses places and rubbish.
        progress: is told about what went wrong.
        each: how many times each way that chance has a part in is taken.
    """
    store, expected = begin(folder)
    good = store.path.read_bytes()
    tally: Counter[str] = Counter()
    for what, spoilt in (*_bytes(good, rng, each), *_tables(good, folder)):
        for beside in store.path.parent.glob(f"{store.path.name}-*"):
            beside.unlink()
        store.path.write_bytes(spoilt)
        found = _met(store, expected)
        tally[found] += 1
        if found == "wrong":
            progress(f"WRONG: {what}")
    return tally


def _met(store: SqliteStore, expected: tuple[Sequence[str], Stored, Stored]) -> str:
    """Return what reading and appending came to."""
    try:
        if (store.names(), store.read("hill"), store.read("lake")) != expected:
            return "wrong"
    except StoreError:
        return "error"
    try:
        store.append("hill", 60, [line(60)])
    except StoreError:
        return "right, not to be written to"
    try:
        return "right" if [*store.read("hill").events] == [*expected[1].events, line(60)] else "wrong"
    except StoreError:
        return "wrong"  # what was acknowledged cannot be read


def _bytes(good: bytes, rng: random.Random, each: int) -> Iterator[tuple[str, bytes]]:
    """Yield spoilt copies: pages exchanged, doubled, emptied and overwritten, ends cut and added, headers changed."""
    pages = len(good) // PAGE
    for _ in range(each):
        one, other = rng.sample(range(pages), 2)
        here, there = (good[n * PAGE : (n + 1) * PAGE] for n in (one, other))
        yield f"pages {one} and {other} exchanged", _put(_put(good, one * PAGE, there), other * PAGE, here)
        yield f"page {one} over page {other}", _put(good, other * PAGE, here)
        yield f"rubbish over page {one}", _put(good, one * PAGE, rng.randbytes(PAGE))
        start, size = rng.randrange(len(good)), rng.randrange(1, 600)
        yield f"{size} bytes of rubbish at {start}", _put(good, start, rng.randbytes(size))
        start, size = rng.randrange(100), rng.choice((1, 2, 4))
        yield f"{size} bytes of the header at {start}", _put(good, start, rng.randbytes(size))
        page, number = rng.randrange(pages), struct.pack(">I", rng.choice((0, 1, pages, pages + 1, 2**31, 2**32 - 1)))
        yield f"a number in the head of page {page}", _put(good, page * PAGE + rng.randrange(12), number)
    for page in range(pages):
        yield f"page {page} empty", _put(good, page * PAGE, bytes(PAGE))
        yield f"cut before page {page}", good[: page * PAGE]
        yield f"cut within page {page}", good[: page * PAGE + PAGE // 2]
    yield "a page of zeros added", good + bytes(PAGE)
    yield "rubbish added", good + rng.randbytes(PAGE)
    yield "the file twice", good + good


def _put(good: bytes, start: int, piece: bytes) -> bytes:
    return (good[:start] + piece + good[start + len(piece) :])[: len(good)]


def _tables(good: bytes, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield stores with other tables, triggers and settings."""
    path = folder / "forged.db"
    for statements in FORGED:
        path.write_bytes(good)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.executescript(statements)
        yield statements, path.read_bytes()

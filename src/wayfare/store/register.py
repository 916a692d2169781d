"""The register of a store: what each study is called, and every time that changed; each entry a link of a chain.

A study is entered when it is created, and again when it is renamed or deleted. So a study whose rows were taken out
behind the store's back is missed, and its name cannot be changed in silence.
"""

from collections.abc import Sequence
from sqlite3 import Connection
from typing import NamedTuple

from wayfare.errors import StoreError, UnknownStudy
from wayfare.store.chain import START, entry_link

STORE = 0
"""Stands for the store itself where an entry has the number of a study."""


class Entry(NamedTuple):
    """An entry: the name that a study has from now on, None for no more, and what was said of it."""

    number: int
    study: int
    name: bytes | None
    body: bytes
    link: bytes


def read_register(connection: Connection) -> list[Entry]:
    """Return all entries, oldest first; raise ``StoreError`` where the chain is broken."""
    entries = [Entry(*row) for row in connection.execute("SELECT * FROM register ORDER BY number")]
    check_register(entries)
    return entries


def check_register(entries: Sequence[Entry]) -> None:
    """Raise ``StoreError`` where the chain of the register is broken."""
    if (broken := broken_entry(entries)) is not None:
        raise StoreError(f"entry {broken} of its register is damaged: its digest differs; restore a backup")


def broken_entry(entries: Sequence[Entry]) -> int | None:
    """Return the number of the first entry whose digest differs; None if all are sound."""
    last = START
    for expected, entry in enumerate(entries, 1):
        number, study, name, body, link = entry
        texts = isinstance(study, int) and isinstance(body, bytes) and isinstance(name, bytes | None)
        if number != expected or not texts or entry_link(last, number, study, name, body) != link:
            return expected
        last = link
    return None


def names_in(entries: Sequence[Entry]) -> dict[int, bytes]:
    """Return the names of the studies there are, by their numbers."""
    names = {entry.study: entry.name for entry in entries if entry.study != STORE}
    return {number: name for number, name in names.items() if name is not None}


def enter(connection: Connection, last: bytes, study: int, name: str | None, body: str) -> bytes:
    """Add an entry inside a transaction; return its digest.

    Args:
        connection: to the store.
        last: digest of the last entry, or ``START``.
        study: number of the study, or ``STORE``.
        name: what it is called from now on; None if it has no name any more.
        body: what is said of it.
    """
    (number,) = connection.execute("SELECT coalesce(max(number), 0) FROM register").fetchone()
    entry = next_entry(number, last, study, name, body)
    connection.execute("INSERT INTO register VALUES (?, ?, ?, ?, ?)", (entry.number, study, name, body, entry.link))
    return entry.link


def next_entry(number: int, last: bytes, study: int, name: str | None, body: str) -> Entry:
    """Return the entry after the last one.

    Args:
        number: of the last entry, 0 if there is none.
        last: its digest, or ``START``.
        study: number of the study, or ``STORE``.
        name: what it is called from now on; None if it has no name any more.
        body: what is said of it.
    """
    called = None if name is None else name.encode()
    return Entry(number + 1, study, called, body.encode(), entry_link(last, number + 1, study, called, body.encode()))


def became_of(entries: Sequence[Entry], name: str) -> UnknownStudy:
    """Return the error for a name that no study has, with what became of the one that had it."""
    wanted = name.encode(errors="surrogatepass")
    if (had := next((entry.study for entry in reversed(entries) if entry.name == wanted), None)) is None:
        return UnknownStudy(f"no study named {name!r}")
    now = names_in(entries).get(had)
    became = "it was deleted" if now is None else f"it was renamed to {now.decode()!r}"
    return UnknownStudy(f"no study named {name!r}: {became}, `wayfare log` says when and by whom")


def history_of(entries: Sequence[Entry], study: int) -> list[str]:
    """Return the register's entries about a study since it was created, and about the store, as lines of JSON."""
    first = next(entry.number for entry in entries if entry.study == study)
    about = (entry.body.decode() for entry in entries if entry.study in (STORE, study) and entry.number > first)
    return [body for body in about if body]

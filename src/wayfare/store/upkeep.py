"""The life of the studies in a store: new names, archived and deleted ones; and of the store as a whole.

Each of these is an entry of the store's register, which has a chain of its own and is never shortened: that a study was
deleted, when, by whom and why stays known, though its results are gone.
"""

import json
import os
import sqlite3
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import evolve

from wayfare._core import checks
from wayfare.errors import Conflict, InvalidInput, StoreError
from wayfare.form import read_form
from wayfare.record.stamp import NO_STAMP, Author, author, stamp_form, stamped
from wayfare.report.log import Log, LogEntry, whole_entry
from wayfare.store.address import kept_store
from wayfare.store.base import Ends, KeptStore, NewEntry
from wayfare.store.database import VERSION, connected
from wayfare.store.register import STORE, Entry, became_of, names_in
from wayfare.store.sqlite import SqliteStore, copy_file, give_name, new_file, sync
from wayfare.store.verify import verify

LONGEST_WHY = 10_000


Kept = KeptStore | str | Path
"""A store that lasts: the path of its file, the address of its database, or the store itself."""


def rename(store: Kept, name: str, new: str, *, why: str = "", by: str | None = None, via: str = "python") -> None:
    """Give a study another name; a ``Conflict`` if it is taken.

    A program that has the study open under the old name is told so at its next move, and must open it again.

    Args:
        store: where the study is.
        name: of the study.
        new: its name from now on.
        why: the reason, kept in the log.
        by: who does it; None: ``WAYFARE_USER``, else the login name.
        via: by which way.
    """
    who, text = author(by, via), checks.name(new, "new")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"new {new!r} holds half a character; write it again") from error
    if new == name:
        raise InvalidInput(f"new: study {name!r} is called so already")

    def decide(entries: Sequence[Entry], ends: Ends) -> NewEntry:
        study = _number(entries, name)
        if new.encode() in names_in(entries).values():
            raise Conflict(f"a study named {new!r} exists already; choose another name")
        return NewEntry(study, new, _body("renamed", who, why, before={"name": name}, after={"name": new}))

    kept_store(store).enter(decide, who)


def archive(
    store: Kept, name: str, *, undo: bool = False, why: str = "", by: str | None = None, via: str = "python"
) -> None:
    """Hide a study from lists; it is kept, can be opened, and still works.

    Args:
        store: where the study is.
        name: of the study.
        undo: show it again.
        why: the reason, kept in the log.
        by: who does it; None: ``WAYFARE_USER``, else the login name.
        via: by which way.
    """
    who = author(by, via)

    def decide(entries: Sequence[Entry], ends: Ends) -> NewEntry:
        study = _number(entries, name)
        if (name in _archived(entries)) is not undo:
            raise Conflict(f"study {name!r} is {'not archived' if undo else 'archived already'}")
        return NewEntry(study, name, _body("unarchived" if undo else "archived", who, why, after={"name": name}))

    kept_store(store).enter(decide, who)


def archived(store: Kept) -> list[str]:
    """Return the names of the archived studies, oldest first."""
    return _archived(kept_store(store).entries())


def delete(store: Kept, name: str, *, why: str = "", by: str | None = None, via: str = "python") -> None:
    """Delete a study, its specification and its events, for good; only that it happened stays in the log.

    The log has its name, the number of its events and the head of its chain, so that a copy kept elsewhere can still be
    known as this study. Its content is overwritten in the file; backups keep it.

    Args:
        store: where the study is.
        name: of the study.
        why: the reason, kept in the log.
        by: who does it; None: ``WAYFARE_USER``, else the login name.
        via: by which way.
    """
    who = author(by, via)

    def decide(entries: Sequence[Entry], ends: Ends) -> NewEntry:
        study = _number(entries, name)
        events, head = ends(study)
        was = {"name": name, "events": events, "head": head.hex()}
        return NewEntry(study, None, _body("deleted", who, why, before=was))

    kept_store(store).enter(decide, who)


def _number(entries: Sequence[Entry], name: str) -> int:
    """Return the number of a study by its name."""
    wanted = name.encode(errors="surrogatepass")
    for number, known in names_in(entries).items():
        if known == wanted:
            return number
    raise became_of(entries, name)


def copy(source: Kept, target: Kept) -> int:
    """Copy all studies of a store to an empty one, event for event and digest for digest; return how many there are.

    So a store moves between a file and a database. The source is checked first and stays as it is; others should
    not write to it meanwhile, for what they add after the copy is not in it.

    Args:
        source: the store, which must be sound.
        target: a new file, or a database without studies.
    """
    from_, to = kept_store(source), kept_store(target)
    verdict = verify(from_)
    if verdict.findings:
        raise StoreError(f"{verdict.store} is not sound: {verdict.findings[0]}; restore a backup")
    findings: list[str] = []
    rows = from_.rows(findings)
    to.fill(rows)
    if (arrived := verify(to)).findings or not set(verdict.heads) <= set(arrived.heads):
        raise StoreError(f"{to} does not hold what was copied: {', '.join(arrived.findings)[:200] or 'heads differ'}")
    return arrived.studies


def backup(source: Kept, target: str | Path) -> None:
    """Copy a store to a new file, as it is at one moment; others may go on with their studies.

    ``target`` appears only when it is whole and on the disk, and an existing file is never overwritten. A damaged store
    is refused.

    Args:
        source: the store; of a database, all studies go into one file.
        target: the new file.
    """
    kept = kept_store(source)
    with new_file(target) as part:
        if isinstance(kept, SqliteStore):
            copy_file(kept.path, part)
        else:
            copy(kept, part)


def upgrade(store: Kept, *, by: str | None = None, via: str = "python") -> tuple[int, int]:
    """Bring a store of an earlier version to today's format, in one transaction; return its format before and after.

    The first write does the same. A crash leaves the one or the other. A database that has no tables yet gets them.

    Args:
        store: the store.
        by: who does it; None: ``WAYFARE_USER``, else the login name.
        via: by which way.
    """
    return kept_store(store).upgrade(author(by, via)), VERSION


def restore(
    source: str | Path, path: str | Path, *, why: str = "", by: str | None = None, via: str = "python"
) -> Path | None:
    """Put a backup in the place of a store; return where the store that was there is now.

    A backup that ``verify`` finds unsound is refused. The old file is kept beside the new one, damaged or not. Programs
    that use the store meanwhile wait or fail; none can write to a file that is not there any more.

    Args:
        source: the backup; it stays as it is.
        path: of the store; there need not be one.
        why: the reason, kept in the log.
        by: who does it; None: ``WAYFARE_USER``, else the login name.
        via: by which way.
    """
    if not isinstance(kept_store(path), SqliteStore):
        raise InvalidInput(f"{path} is a database; put a backup into an empty one, with `wayfare copy`")
    who, from_ = author(by, via), SqliteStore(source).path
    here = Path(os.path.realpath(SqliteStore(path).path))  # a link stays a link
    if os.path.realpath(from_) == str(here):
        raise InvalidInput(f"{from_} is the store itself; name a backup of it")
    aside = _aside(here) if os.path.lexists(here) else None
    told = {"from": from_.name} if aside is None else {"from": from_.name, "replaced": aside.name}
    body = _body("restored", who, why, after=told)
    if findings := verify(from_).findings:
        raise StoreError(f"{from_} is not sound: {findings[0]}; restore another backup")
    # 1. A copy in the store's folder, with the entry. 2. The old file gets another name, the copy its own.
    part = here.with_name(f".{here.name[:100]}.{uuid.uuid4().hex}.part")
    try:
        backup(from_, part)
        SqliteStore(part).enter(lambda entries, ends: NewEntry(STORE, None, body), who)
        sync(part)
        if aside is None:
            give_name(part, here)
        else:
            with _alone(here, aside):
                give_name(here, aside)
                os.replace(part, here)
        sync(here.parent)
    except OSError as error:
        raise StoreError(f"{here} could not be restored: {error.strerror or error}") from error
    except StoreError as error:
        raise StoreError(str(error).replace(str(part), str(here))) from error
    finally:
        for ending in ("", "-journal"):
            Path(f"{part}{ending}").unlink(missing_ok=True)
    return aside


def _aside(here: Path) -> Path:
    """Return a name that is free for the store that is replaced: ``lab.replaced-20261118T200000Z.db``."""
    now = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    names = (f"{here.stem}.replaced-{now}{more}{here.suffix}" for more in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(path for path in map(here.with_name, names) if not os.path.lexists(path))


@contextmanager
def _alone(here: Path, aside: Path) -> Iterator[None]:
    """Keep all other programs out of a store while its file is replaced.

    What is no database at all cannot be locked, and nothing is written to it. A journal beside it would be taken for
    one of the file that comes: it goes aside, too.
    """
    try:
        with connected(here, "rw") as connection:
            connection.execute("BEGIN EXCLUSIVE")
            yield
            return
    except StoreError as error:
        if not isinstance(error.__cause__, sqlite3.DatabaseError) or isinstance(
            error.__cause__, sqlite3.OperationalError
        ):
            raise
    journal = Path(f"{here}-journal")
    if os.path.lexists(journal):
        journal.rename(f"{aside}-journal")
    yield


def log(store: Kept) -> Log:
    """Return what happened to the studies of a store as a whole, oldest first, those that were deleted too.

    When a study was created stands in the study itself, so it is unknown of one that was deleted.
    """
    kept = kept_store(store)
    entries, forms = kept.entries(), kept.forms()
    return Log(tuple(_said(entry, forms.get(entry.study)) for entry in entries))


def _said(entry: Entry, form: bytes | None) -> LogEntry:
    """Return an entry of the register as one of the log, with the name of its study."""
    name = "" if entry.name is None else entry.name.decode()
    said = whole_entry(entry.body.decode(), name)
    if entry.body:
        return said
    if form is None:
        return said
    try:
        created = read_form(form)[1]
    except (ValueError, RecursionError) as error:
        raise StoreError(f"study {name[:80]!r} cannot be read by this version: {error}") from error
    return evolve(said, stamp=(created or (NO_STAMP,))[-1])


def _archived(entries: Sequence[Entry]) -> list[str]:
    """Return the names of the studies whose last word on it was that they are archived."""
    last: dict[int, bool] = {}
    for entry in entries:
        kind = whole_entry(entry.body.decode()).what
        if kind in ("archived", "unarchived"):
            last[entry.study] = kind == "archived"
    return [name.decode() for number, name in sorted(names_in(entries).items()) if last.get(number)]


def _body(
    kind: str, who: Author, why: str, *, before: Mapping[str, Any] | None = None, after: Mapping[str, Any] | None = None
) -> str:
    """Return the text of an entry."""
    if not isinstance(why, str) or len(why) > LONGEST_WHY:
        raise InvalidInput(f"why must be text of at most {LONGEST_WHY} characters")
    changes = {key: value for key, value in (("before", before), ("after", after)) if value is not None}
    return json.dumps({"kind": kind, "why": why, **changes, **stamp_form(stamped(who))})

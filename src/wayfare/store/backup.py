"""A copy of a store, taken while others write."""

import errno
import os
import uuid
from pathlib import Path

from wayfare.errors import StoreError
from wayfare.store.database import check_whole, connected, reading
from wayfare.store.sqlite import SqliteStore


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

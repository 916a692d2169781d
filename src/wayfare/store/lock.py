"""A lock on a file: of many processes, one plans a study's next route, and the others wait for that route.

The system holds the lock and takes it back when its holder ends, killed or not, so it can never be left behind. It
saves work and guards nothing: what may be written is decided by ``append`` alone. So a place without locks, or a holder
that stands still, costs time and nothing else.
"""

import errno
import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from random import SystemRandom

PATIENCE = 60.0
"""Seconds to wait for another's route, which takes less unless that process stands still; then plan as well."""
_PAUSE = 0.003
"""Mean pause between two looks at the lock, in seconds."""
_HELD_BY_ANOTHER = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)

_log = logging.getLogger(__name__)
_chance = SystemRandom()  # not the streams of a study, nor the user's; and a fork does not repeat it
_held: set[int] = set()

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _let_go() -> None:
        # A forked child has the handles of its parent, and would go on holding the lock when the parent is killed.
        while _held:
            os.close(_held.pop())

    os.register_at_fork(after_in_child=_let_go)


def lock_of(path: Path, name: str) -> Path:
    """Return the file that is locked while a route of that study is planned; it is there only meanwhile.

    Args:
        path: of the store.
        name: of the study.
    """
    return path.with_name(f"{path.name}.{sha256(name.encode(errors='surrogatepass')).hexdigest()[:12]}.planning")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock on the file at ``path``, made for this; wait for another holder, at most ``PATIENCE`` seconds."""
    handle = _wait_for(path)
    try:
        yield
    finally:
        if handle in _held:  # not in a child forked meanwhile
            give_back(path, handle)


def _wait_for(path: Path) -> int | None:
    """Return the handle that holds the lock; None, and a line in the log, if it cannot be had."""
    until = time.monotonic() + PATIENCE
    try:
        while (handle := take(path)) is None:
            if time.monotonic() > until:
                _log.warning("another process has held %s for %.0f s; planning beside it", path, PATIENCE)
                return None
            time.sleep(_chance.uniform(0.5, 1.5) * _PAUSE)
    except OSError as error:
        _log.info("%s cannot be locked (%s): several workers may plan at once", path, error.strerror or error)
        return None
    return handle


def take(path: Path) -> int | None:
    """Return a handle that holds the lock on a file made for this; None if another process has it."""
    handle = os.open(path, os.O_RDONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        _lock(handle)
    except OSError as error:
        os.close(handle)
        if error.errno in _HELD_BY_ANOTHER:
            return None
        raise
    if os.fstat(handle).st_nlink == 0:  # the holder before removed it: others would lock a new file
        os.close(handle)
        return None
    _held.add(handle)
    return handle


def give_back(path: Path, handle: int) -> None:
    """Let others have the lock.

    Args:
        path: of the file.
        handle: that holds it.
    """
    # The file goes first: once the lock is gone, it is another's. Windows removes no file that is open.
    _held.discard(handle)
    with suppress(OSError):
        path.unlink(missing_ok=True)
    os.close(handle)

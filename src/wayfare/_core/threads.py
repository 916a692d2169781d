"""Linear algebra on one thread while planning.

The matrices are small, so more threads only get in each other's way; and how a product is split between
threads changes its last bits, while the same study must give the same plan on any number of cores.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import RLock

from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Give a context in which BLAS uses one thread; other threads that want the same wait their turn."""
    # The limit holds for the whole process, so a thread that leaves must not lift that of another.
    with _locks[-1], _controller().limit(limits=1, user_api="blas"):
        yield


_locks = [RLock()]
if hasattr(os, "register_at_fork"):
    # A forked child gets a new lock: the thread that held the old one does not exist there.
    os.register_at_fork(after_in_child=lambda: _locks.append(RLock()))


@cache
def _controller() -> ThreadpoolController:
    # NumPy and SciPy have a BLAS each, and only what is loaded by now is found. Looking takes milliseconds.
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()

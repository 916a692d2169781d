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


class _Turn:
    """Whose turn it is: the limit holds for the whole process, so who leaves must not lift another's."""

    def __init__(self) -> None:
        self.lock = RLock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        # The thread that held it does not exist in the child.
        self.lock = RLock()


_TURN = _Turn()


@contextmanager
def one_thread() -> Iterator[None]:
    """Give a context in which BLAS uses one thread; other threads that want the same wait their turn."""
    with _TURN.lock, _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    # NumPy and SciPy have a BLAS each, and only what is loaded by now is found. Looking takes milliseconds.
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()

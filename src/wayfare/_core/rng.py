"""Same study, same plan: random streams addressed by key, and linear algebra on one thread."""

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import RLock

import numpy as np
from numpy.random import Generator
from threadpoolctl import ThreadpoolController


def stream(seed: int, *key: int | str) -> Generator:
    """Return the generator that belongs to ``key`` under ``seed``.

    Streams with different keys are independent. Words are hashed by CRC-32, which, unlike
    ``hash``, gives the same number in every process.
    """
    words = [zlib.crc32(part.encode()) if isinstance(part, str) else part for part in key]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))


@contextmanager
def one_thread() -> Iterator[None]:
    """Give a context in which BLAS uses one thread; other threads that want the same wait their turn.

    How a product is split between threads changes its last bits, and the same study must give the same plan on any
    number of cores. The matrices are small, so one thread is also the fastest.
    """
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

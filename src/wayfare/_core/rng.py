"""Random streams addressed by key: the same draws after a restart, with no generator state stored."""

import zlib

import numpy as np
from numpy.random import Generator


def stream(seed: int, *key: int | str) -> Generator:
    """Return the generator that belongs to ``key`` under ``seed``.

    Streams with different keys are independent. Words are hashed by CRC-32, which, unlike
    ``hash``, gives the same number in every process.
    """
    words = [zlib.crc32(part.encode()) if isinstance(part, str) else part for part in key]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))

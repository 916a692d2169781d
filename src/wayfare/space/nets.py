"""Sobol nets in the unit cube: points that share it evenly, however few they are."""

from functools import lru_cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare.arrays import Matrix, Values

BITS = 32


def net(n: int, d: int, rng: Generator) -> Matrix:
    """Return ``n`` points of a Sobol net under a random digital shift, which keeps it a net."""
    points = _sobol(max(0, (n - 1).bit_length()), d)[:n]
    return _unit(points ^ rng.integers(0, 2**BITS, size=d, dtype=np.uint64))


def net_through(start: Values, n: int, rng: Generator) -> Matrix:
    """Return ``n`` points that are a Sobol net together with one in the stratum of ``start``.

    Along every axis the n + 1 lie in different ones of the next power of two of equal strata. Which point of
    the net falls on the start is drawn, and how far into their strata all of them lie.
    """
    power = n.bit_length()
    points = _sobol(power, len(start))[: n + 1]
    within = np.uint64(2 ** (BITS - power) - 1)
    here = (np.clip(start, 0.0, 1.0 - 2.0**-BITS) * 2.0**BITS).astype(np.uint64)
    depth = rng.integers(0, 2**BITS, size=len(start), dtype=np.uint64) & within
    own = int(rng.integers(n + 1))
    # The digital shift that takes the point ``own`` to the start's stratum keeps the net one.
    shifted = points ^ points[own] ^ (here & ~within) ^ depth
    return _unit(np.delete(shifted, own, axis=0))


def _unit(points: NDArray[np.uint64]) -> Matrix:
    centres: Matrix = (points.astype(np.float64) + 0.5) / 2**BITS
    return centres


@lru_cache(maxsize=32)
def _sobol(power: int, d: int) -> NDArray[np.uint64]:
    # scipy.stats takes longer to import than all of wayfare, so only here; and building a sequence takes
    # longer than using it, so once. A power of two of points keeps the sequence balanced.
    from scipy.stats import qmc

    unit = qmc.Sobol(d, scramble=False).random_base2(power)
    return (unit * 2.0**BITS).astype(np.uint64)

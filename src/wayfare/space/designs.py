"""Points that share the unit cube evenly, however few they are: Sobol nets and Latin hypercubes."""

from functools import lru_cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core.arrays import Matrix, Values

BITS = 32


def net(n: int, d: int, rng: Generator) -> Matrix:
    """Return ``n`` points of a Sobol net under a random digital shift, which keeps it a net."""
    points = _sobol(max(0, (n - 1).bit_length()), d)[:n]
    return _unit(points ^ rng.integers(0, 2**BITS, size=d, dtype=np.uint64))


def latin_through(start: Values, n: int, rng: Generator) -> Matrix:
    """Return ``n`` points that are a Latin hypercube together with ``start``.

    Every axis is cut into n + 1 equal slices, and no two of the n + 1 share a slice of any axis. The points
    are in the middle of theirs; which slices of the axes come together is drawn.
    """
    slices = n + 1
    own = np.minimum((start * slices).astype(np.intp), n)
    # Those that are left on each axis: n of them, and the one of the start passed over.
    left = np.arange(n) + (np.arange(n) >= own[:, None])
    middles: Matrix = (rng.permuted(left, axis=1).T + 0.5) / slices
    return middles


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

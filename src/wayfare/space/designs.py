"""Points that share the unit cube evenly, however few they are: Sobol nets, Latin hypercubes and grids."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core.arrays import Matrix, Points, Values, unique_rows

BITS = 32
"""Binary digits of a coordinate of a net."""


def net(n: int, d: int, rng: Generator) -> Matrix:
    """Return ``n`` points of a Sobol net under a random digital shift, which keeps it a net."""
    points = _sobol(max(0, (n - 1).bit_length()), d)[:n] ^ rng.integers(0, 2**BITS, size=d, dtype=np.uint64)
    return np.asarray((points.astype(np.float64) + 0.5) / 2**BITS)


@lru_cache(maxsize=32)
def _sobol(power: int, d: int) -> NDArray[np.uint64]:
    # scipy.stats takes longer to import than all of wayfare, so only here; and building a sequence takes
    # longer than using it, so once. A power of two of points keeps the sequence balanced.
    from scipy.stats import qmc

    unit = qmc.Sobol(d, scramble=False).random_base2(power)
    return (unit * 2.0**BITS).astype(np.uint64)


def latin_through(start: Values, n: int, rng: Generator) -> Matrix:
    """Return ``n`` points that are a Latin hypercube together with ``start``.

    Every axis is cut into n + 1 equal slices, and no two of the n + 1 points share a slice of any axis. The
    points are in the middle of their slices; which slices of the axes come together is drawn.
    """
    slices = n + 1
    own = np.minimum((start * slices).astype(np.intp), n)
    # The slices that are left on each axis: n of them, the start's passed over.
    left = np.arange(n) + (np.arange(n) >= own[:, None])
    return np.asarray((rng.permuted(left, axis=1).T + 0.5) / slices)


def grid(columns: Sequence[Values]) -> Points:
    """Return every combination of the columns' numbers, the last column changing fastest."""
    size = block = prod(len(numbers) for numbers in columns)
    table = np.empty((size, len(columns)))
    for column, numbers in enumerate(columns):
        block //= len(numbers)
        table[:, column] = np.tile(np.repeat(numbers, block), size // (block * len(numbers)))
    return table


def distinct(start: Values, x: Points) -> Points:
    """Return the rows of ``x`` that differ from ``start`` and from all rows before them."""
    first, _ = unique_rows(np.vstack([start, x]))
    return x[first[1:] - 1]

"""Points that share the unit cube evenly, however few they are: Sobol nets, Latin hypercubes and grids."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core.arrays import Features, Matrix, Order, Points, Values, unique_rows
from wayfare.space.base import AnySpace

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

    Every axis is cut into n + 1 equal slices, and no two of the n + 1 points share a slice of any axis. Which slices of
    the axes come together is drawn, and so is where in the middle half of its slices a point is: in their exact middles
    some points would be at the exact centre of the space, where many a test function has its optimum.
    """
    slices = n + 1
    own = np.minimum((start * slices).astype(np.intp), n)
    # The slices that are left on each axis: n of them, the start's passed over.
    left = np.arange(n) + (np.arange(n) >= own[:, None])
    within = 0.25 + 0.5 * rng.random((n, len(start)))
    return np.asarray((rng.permuted(left, axis=1).T + within) / slices)


def deal(k: int, n: int, rng: Generator, shown: int | None = None) -> Order:
    """Return ``n`` of the numbers 0 to k - 1 in rounds: each once in an order by chance, then all once more.

    Which of them come once more, or not at all where there are more than ``n``, is drawn, so that none is preferred.

    Args:
        k: how many numbers there are.
        n: how many to return.
        rng: draws them.
        shown: a number that counts as returned once before.
    """
    rounds = rng.permuted(np.tile(np.arange(k), (n // k + 2, 1)), axis=1).ravel()
    if shown is not None:
        rounds = np.delete(rounds, int(np.argmax(rounds == shown)))
    return np.asarray(rounds[:n])


def grid(columns: Sequence[Values]) -> Points:
    """Return every combination of the columns' numbers, the last column changing fastest."""
    size = block = prod(len(numbers) for numbers in columns)
    table = np.empty((size, len(columns)))
    for column, numbers in enumerate(columns):
        block //= len(numbers)
        table[:, column] = np.tile(np.repeat(numbers, block), size // (block * len(numbers)))
    return table


def numbers_of(space: AnySpace, x: Points) -> Features:
    """Return the rows in the unit cube as if all had the same values of every choice."""
    level = x.copy()
    level[:, [column for column, values in enumerate(space.choices) if values is not None]] = 0.0
    return space.encode(level)


def nearest_rows(space: AnySpace, table: Points, taken: Points, wanted: Features, rng: Generator) -> Points:
    """Return for each wanted place one of the table, none twice and none of those taken.

    It is the one that shows most values of choices not shown before, then the values shown least often, and of those
    with equal values the nearest. Ties are broken by chance, not by the place in the table.

    Args:
        space: the space of the places.
        table: the places to choose from.
        taken: the places that are visited anyway; their values count as shown.
        wanted: (n, p) the wanted places in the unit cube, whatever their values of choices (``numbers_of``).
        rng: breaks ties.
    """
    choices = [(column, len(values)) for column, values in enumerate(space.choices) if values is not None]
    if choices:
        table = table[rng.permutation(len(table))]
    encoded, free = numbers_of(space, table), np.ones(len(table), dtype=np.bool_)
    visited = list(taken)
    for place in taken:
        free &= (table != place).any(axis=1)
    for place in wanted:
        if not free.any():
            break
        burden = np.zeros(len(table))
        for column, k in choices:
            times = np.bincount([int(row[column]) for row in visited], minlength=k)
            # One value more that was not shown before outweighs how often the others were.
            burden += np.where(times, len(visited) + times, 0)[table[:, column].astype(np.intp)]
        least = free & (burden == burden[free].min())
        away = np.square(encoded - place).sum(axis=1)
        visited.append(table[int(np.where(least, away, np.inf).argmin())])
        free &= (table != visited[-1]).any(axis=1)
    return np.array(visited[len(taken) :]).reshape(-1, space.d)


def distinct(start: Values, x: Points) -> Points:
    """Return the rows of ``x`` that differ from ``start`` and from all rows before them."""
    first, _ = unique_rows(np.vstack([start, x]))
    return x[first[1:] - 1]

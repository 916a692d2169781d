"""Array types that name their shape, and the read-only copies that values keep."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Points: TypeAlias = NDArray[np.float64]
"""(n, d): one place per row, one axis per column, in the user's units."""
Features: TypeAlias = NDArray[np.float64]
"""(n, p): places as the surrogate sees them, in the unit cube."""
Values: TypeAlias = NDArray[np.float64]
"""(n,): one number per place."""
Matrix: TypeAlias = NDArray[np.float64]
"""(n, m): one number per pair."""
Mask: TypeAlias = NDArray[np.bool_]
"""(n,): one yes or no per place."""
Order: TypeAlias = NDArray[np.intp]
"""(n,): positions of places, in visiting order."""


def read_only(values: ArrayLike) -> NDArray[np.float64]:
    """Return a C-ordered copy of floats that cannot be written to."""
    copy = np.array(values, dtype=np.float64, order="C")
    copy.flags.writeable = False
    return copy


def whole(values: ArrayLike) -> Order:
    """Return a copy of whole numbers that cannot be written to."""
    copy = np.array(values, dtype=np.intp)
    copy.flags.writeable = False
    return copy


def no_points(d: int) -> Points:
    """Return an empty (0, d) table of places."""
    return read_only(np.empty((0, d)))


def same_rows(x: Points, others: Points) -> Mask:
    """Return which rows are among the others; -0.0 equals 0.0."""
    known = {row.tobytes() for row in others + 0.0}
    return np.array([row.tobytes() in known for row in x + 0.0], dtype=np.bool_)


def unique_rows(x: Points) -> tuple[Order, Order]:
    """Return the position of the first of each distinct row, and for every row which of those it equals.

    The distinct rows come in order of first appearance, and -0.0 equals 0.0.
    """
    _, first, which = np.unique(x + 0.0, axis=0, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.sort(first), rank[which.reshape(-1)]

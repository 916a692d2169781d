"""The rows of a table nearest to given points, all in the unit cube."""

from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen

from wayfare.arrays import Features, Matrix, Order

MOST_PAIRS = 4_000_000
"""Distances held at one time."""
TREE_FROM = 4096
"""Rows from which a k-d tree beats comparing with all of them."""


@frozen(eq=False)
class Neighbours:
    """Finds the nearest rows of ``table``."""

    table: Features

    def nearest(self, points: Features, k: int) -> tuple[Order, Matrix]:
        """Return for each point its ``k`` nearest rows, nearest first, and their squared distances.

        Both are (n, k), and ``k`` is 1 to ``len(table)``. Of equally near rows, the first comes first
        in tables below ``TREE_FROM`` rows.
        """
        if len(self.table) >= TREE_FROM and self.table.shape[1]:
            distances, rows = self._tree.query(points, k=np.arange(1, k + 1))
            return rows.astype(np.intp), distances**2
        rows = np.empty((len(points), k), dtype=np.intp)
        squares = np.empty((len(points), k))
        chunk = max(1, MOST_PAIRS // len(self.table))
        for start in range(0, len(points), chunk):
            some = squared_distances(points[start : start + chunk], self.table)
            near = np.argsort(some, axis=1, kind="stable")[:, :k] if k > 1 else some.argmin(axis=1)[:, None]
            rows[start : start + chunk] = near
            squares[start : start + chunk] = np.take_along_axis(some, near, axis=1)
        return rows, squares

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree  # slow to import, and small tables do without

        return cKDTree(self.table)


def squared_distances(a: Features, b: Features) -> Matrix:
    """Return the (n, m) squared distances, by differences: equal rows are exactly 0 apart."""
    total = np.zeros((len(a), len(b)))
    for column in range(a.shape[1]):
        move = np.subtract.outer(a[:, column], b[:, column])
        total += np.multiply(move, move, out=move)
    return total

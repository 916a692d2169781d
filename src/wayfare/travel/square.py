"""A square matrix of costs, checked at the door."""

from typing import Any

import numpy as np

from wayfare.arrays import Matrix, read_only
from wayfare.errors import InvalidInput


def read_square(values: Any, what: str) -> Matrix:
    """Return an (n, n) read-only matrix: finite, not negative, zero on the diagonal."""
    try:
        matrix = read_only(values)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{what} must hold numbers in rows of one length: {error}") from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise InvalidInput(f"{what} must be square, got shape {matrix.shape}")
    wrong = ~np.isfinite(matrix) | (matrix < 0)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InvalidInput(
            f"{what} must be finite and not negative, got {matrix[row, column]} from {row} to {column}"
        )
    if matrix.diagonal().any():
        at = int(np.flatnonzero(matrix.diagonal())[0])
        raise InvalidInput(f"{what} must be 0 on the diagonal, got {matrix[at, at]} at {at}")
    return matrix

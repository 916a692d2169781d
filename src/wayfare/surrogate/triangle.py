"""Solving with a Cholesky factor, without the checks that cost more than the work at our sizes."""

import numpy as np

from wayfare import numerics
from wayfare.arrays import Matrix


def solve_lower(factor: Matrix, b: Matrix, transposed: bool = False) -> Matrix:
    """Return the solution of ``factor @ x = b`` for a lower triangle (of ``factor.T @ x = b`` if transposed).

    The diagonal of a Cholesky factor is positive, so the solve cannot fail.
    """
    if len(b) == 0:
        return b
    solved, _ = numerics.dtrtrs(factor, b, lower=1, trans=int(transposed))
    return np.asarray(solved)

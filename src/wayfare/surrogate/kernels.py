"""Stationary kernels as functions of the squared scaled distance, with their spectral densities.

Choices are one-hot columns with a common length-scale (see ``Space.encode``), so that the squared distance
between two places counts each differing choice once: the Hamming kernel is the same formula.
"""

from typing import Protocol

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core.arrays import Features, Matrix


class Kernel(Protocol):
    """A kernel of unit variance, ``k(x, x') = profile(|x - x'|^2)`` in scaled features."""

    name: str

    def profile(self, r2: Matrix) -> Matrix:
        """Return the covariance at squared distances ``r2``."""

    def slope(self, r2: Matrix) -> tuple[Matrix, Matrix]:
        """Return the covariance and its derivative by ``r2``."""

    def frequencies(self, n: int, p: int, rng: Generator) -> Matrix:
        """Return (n, p) frequencies drawn from the kernel's spectral density.

        Args:
            n: the number of frequencies.
            p: the number of feature columns.
            rng: draws them.
        """


@frozen
class RBF:
    """The squared exponential kernel: infinitely smooth functions."""

    name = "rbf"

    def profile(self, r2: Matrix) -> Matrix:
        """Return exp(-r2 / 2)."""
        return np.exp(-0.5 * r2)

    def slope(self, r2: Matrix) -> tuple[Matrix, Matrix]:
        """Return the covariance and its derivative by ``r2``."""
        k = np.exp(-0.5 * r2)
        return k, -0.5 * k

    def frequencies(self, n: int, p: int, rng: Generator) -> Matrix:
        """Return normal frequencies."""
        return rng.standard_normal((n, p))


@frozen
class Matern52:
    """The Matérn kernel of smoothness 5/2: twice differentiable functions."""

    name = "matern52"

    def profile(self, r2: Matrix) -> Matrix:
        """Return (1 + a + a^2/3) exp(-a) with a = sqrt(5 r2)."""
        a = np.sqrt(5.0 * r2)
        # In place: this is the innermost product of every prediction.
        k = a * (1.0 / 3.0)
        k += 1.0
        k *= a
        k += 1.0
        np.negative(a, out=a)
        k *= np.exp(a, out=a)
        return k

    def slope(self, r2: Matrix) -> tuple[Matrix, Matrix]:
        """Return the covariance and its derivative by ``r2``, finite at zero distance."""
        a = np.sqrt(5.0 * r2)
        decay = np.exp(-a)
        tail = (1.0 + a) * decay
        return tail + (5.0 / 3.0) * r2 * decay, (-5.0 / 6.0) * tail

    def frequencies(self, n: int, p: int, rng: Generator) -> Matrix:
        """Return multivariate t frequencies with 5 degrees of freedom."""
        normal = rng.standard_normal((n, p))
        return normal / np.sqrt(rng.chisquare(5.0, (n, 1)) / 5.0)


KERNELS: dict[str, Kernel] = {kernel.name: kernel for kernel in (RBF(), Matern52())}


def squared_distances(a: Features, b: Features) -> Matrix:
    """Return the (n, m) squared distances between scaled features.

    By the inner product: its rounding error, about 1e-16 of the squared norm, is far below any noise
    variance we allow, and it is several times faster than differences.
    """
    r2 = a @ (-2.0 * b.T)
    r2 += np.einsum("ij,ij->i", a, a)[:, None]
    r2 += np.einsum("ij,ij->i", b, b)[None, :]
    return np.maximum(r2, 0.0, out=r2)

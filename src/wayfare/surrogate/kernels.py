"""Covariances: kernels, the hyperparameters that shape them, and what is unknown besides.

A function is taken as a constant, an offset for each value of a choice and, if there are several choices, for each
combination of their values, and a smooth part, all of them unknown. The kernel of the smooth part is a function of the
squared scaled distance. A choice is one-hot columns with a common length-scale (see ``Space.encode``), which says how
alike the function is under two values: the longer, the more of what is learned under one holds for the others.
"""

from collections.abc import Callable
from math import prod
from typing import Protocol

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core.arrays import Features, Matrix, Order, Values
from wayfare.surrogate.history import Notes, noted_number, noted_numbers


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


MEAN = 1.0
"""Prior variance of the constant mean, in standard units."""


@frozen(eq=False)
class Hyper:
    """The numbers that shape a covariance, in standard units.

    Attributes:
        lengths: the length-scale of each active axis, in the unit cube.
        offsets: for each choice, the variance of what a value of it adds everywhere; then, with several choices, that
            of what a combination of their values adds.
        variance: the variance of the function about its mean and these offsets.
        noise: the noise variance of one result.
    """

    lengths: Values
    offsets: Values
    variance: float
    noise: float

    def to_vector(self) -> Values:
        """Return the logarithms, the form in which they are fitted."""
        return np.asarray(np.log(np.concatenate([self.lengths, self.offsets, [self.variance, self.noise]])))

    @classmethod
    def from_vector(cls, theta: Values, axes: int) -> "Hyper":
        """Return the hyperparameters of so many active axes whose logarithms are ``theta``."""
        values = np.exp(theta)
        return cls(values[:axes], values[axes:-2], float(values[-2]), float(values[-1]))

    def to_notes(self) -> Notes:
        """Return them as plain values, to be stored with a plan."""
        lists = {"lengths": self.lengths.tolist(), "offsets": self.offsets.tolist()}
        return {**lists, "variance": self.variance, "noise": self.noise}

    @classmethod
    def from_notes(cls, notes: Notes) -> "Hyper":
        """Return the hyperparameters stored with a plan."""
        lengths, offsets = (np.array(noted_numbers(notes, name), dtype=float) for name in ("lengths", "offsets"))
        return cls(lengths, offsets, noted_number(notes, "variance"), noted_number(notes, "noise"))


def choices_among(groups: Order) -> Order:
    """Return which active axes are choices: those of several feature columns."""
    return np.flatnonzero(np.bincount(groups) > 1)


COMBINATIONS = 4096
"""With more combinations of values than this, none has an offset of its own: few would ever be visited twice."""


def offsets_among(groups: Order) -> int:
    """Return how many variances of offsets there are: one for each choice, and one if they are combined."""
    sizes = np.bincount(groups)[choices_among(groups)].tolist()
    return len(sizes) + (len(sizes) > 1 and prod(sizes) <= COMBINATIONS)


@frozen(eq=False)
class Covariance:
    """The prior covariance: the kernel, an unknown constant, and unknown offsets of the values of choices.

    A place is embedded as its features divided by the length-scales, followed by the columns of a linear kernel (the
    constant, and one for each value of each choice) and the number of its combination of values, 0 without one.

    Attributes:
        kernel: that of the smooth part.
        hyper: the hyperparameters.
        scales: (p,) one over the length-scale of each feature column.
        linear: (p,) the weight of each feature column in the linear kernel.
        radix: (p,) what each feature column adds to the number of the combination.
        combined: the variance of what a combination adds.
    """

    kernel: Kernel
    hyper: Hyper
    scales: Values
    linear: Values
    radix: Values
    combined: float

    @classmethod
    def of(cls, kernel: Kernel, hyper: Hyper, groups: Order) -> "Covariance":
        """Return the covariance over features.

        Args:
            kernel: that of the smooth part.
            hyper: the hyperparameters.
            groups: for each feature column, which active axis it belongs to.
        """
        linear, radix, base = np.zeros(len(hyper.lengths)), np.zeros(len(groups)), 1
        choices = choices_among(groups)
        # The feature of a value is sqrt(1/2), so that two values are 1 apart.
        linear[choices] = np.sqrt(2.0 * hyper.offsets[: len(choices)])
        combined = float(hyper.offsets[len(choices) :].sum())
        for choice in choices if combined else ():
            columns = np.flatnonzero(groups == choice)
            radix[columns] = np.sqrt(2.0) * base * np.arange(len(columns))
            base *= len(columns)
        return cls(kernel, hyper, 1.0 / hyper.lengths[groups], linear[groups], radix, combined)

    @property
    def total(self) -> float:
        """The variance at any place."""
        return MEAN + float(self.hyper.offsets.sum()) + self.hyper.variance

    def embed(self, features: Features) -> Features:
        """Return the embedded places, given their features in the unit cube."""
        constant = np.full((len(features), 1), np.sqrt(MEAN))
        chosen = self.linear > 0
        number = np.rint(features @ self.radix)[:, None]
        offsets = features[:, chosen] * self.linear[chosen]
        return np.hstack([(features - 0.5) * self.scales, constant, offsets, number])

    def between(self, a: Features, b: Features) -> Matrix:
        """Return the (n, m) covariances between embedded places."""
        p = len(self.scales)
        k = self.kernel.profile(squared_distances(a[:, :p], b[:, :p]))
        k *= self.hyper.variance
        k += a[:, p:-1] @ b[:, p:-1].T
        if self.combined:
            k += self.combined * (a[:, -1:] == b[:, -1])
        return k

    def trends(self, n: int, rng: Generator) -> Callable[[Features], Matrix]:
        """Return ``n`` draws of the constant and the offsets, as functions of embedded places."""
        p, columns = len(self.scales), 1 + int((self.linear > 0).sum())
        weights = rng.standard_normal((columns, n))
        offsets = np.sqrt(self.combined) * rng.standard_normal((COMBINATIONS if self.combined else 1, n))

        def drawn(features: Features) -> Matrix:
            return np.asarray(features[:, p:-1] @ weights + offsets[features[:, -1].astype(np.intp)])

        return drawn

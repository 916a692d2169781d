"""Functions made for one trait each, on the unit cube: (n, d) in, n out. Those in pairs differ in shape."""

import math

import numpy as np
from attrs import field, frozen
from numpy.random import Generator
from scipy.linalg import hadamard

from wayfare._core.arrays import Matrix, Points, Values, read_only
from wayfare._core.rng import stream


def uneven_bowl(x: Points) -> Values:
    """A bowl, each axis four times as steep as the one before: best at (0.3, 0.7, 0.62, 0.35), 0."""
    return np.asarray(-np.square(x - [0.3, 0.7, 0.62, 0.35]) @ np.array([1.0, 4.0, 16.0, 64.0]))


ROTATION = np.linalg.qr(stream(8, "rotation").standard_normal((8, 8)))[0]
TURNED_BEST = np.array([0.3, 0.66, 0.4, 0.72, 0.25, 0.58, 0.35, 0.7])


def turned_bowl(x: Points) -> Values:
    """A bowl of eight variables along no axis, a hundred times as steep one way as another: 0."""
    return np.asarray(-np.square((x - TURNED_BEST) @ ROTATION) @ np.logspace(0, 2, 8))


def waves(x: Points) -> Values:
    """Two equal waves along each of three axes: eight equal optima, 1."""
    return np.asarray(np.cos(4 * math.pi * (x - [0.1, 0.3, 0.17])).mean(axis=1))


def needle(x: Points) -> Values:
    """A slope up to the far corner, and a narrow Gaussian peak where the slope is low."""
    away = np.square(x - [0.25, 0.3]).sum(axis=1)
    return np.asarray(x @ np.array([0.5, 0.3]) + 1.5 * np.exp(-away / (2 * 0.06**2)))


def spike(x: Points) -> Values:
    """A ridge that falls to both sides, and a peak with heavy tails away from its top."""
    away = np.square(x - [0.72, 0.2]).sum(axis=1)
    return np.asarray(-np.square(x[:, 0] - 0.15) + 0.4 * x[:, 1] + 1.2 / (1 + away / 0.05**2))


def mesa(x: Points) -> Values:
    """A flat top with steep sides in a flat plain: best at (0.3, 0.65, 0.6), 1."""
    away = (np.square(x - [0.3, 0.65, 0.6]) / np.square([0.4, 0.3, 0.35])).sum(axis=1)
    return np.asarray(1 / (1 + away**3))


def terraces(x: Points) -> Values:
    """Four flat steps up to (0.68, 0.3, 0.6): 4."""
    stairs = 4 - 5 * np.sqrt(np.square(x - [0.68, 0.3, 0.6]).sum(axis=1))
    return np.asarray(stairs - np.sin(2 * math.pi * stairs) / (2 * math.pi))


def saturating(x: Points) -> Values:
    """Rises to the corner (1, 0, 1), ever less."""
    u = np.abs(x - [0, 1, 0])
    return np.asarray((1 - np.exp(-2 * u)) @ np.array([1.0, 0.7, 0.4]) + 0.3 * u[:, 0] * u[:, 2])


def cone(x: Points) -> Values:
    """Minus the distance to the corner (1, 1, 0, 1, 0)."""
    return np.asarray(-np.sqrt(np.square(x - [1, 1, 0, 1, 0]).sum(axis=1)))


def lure(x: Points) -> Values:
    """A peak in the corner (0, 1), and a broader, lower one inside."""
    r = np.sqrt(np.square(x - [0, 1]).sum(axis=1))
    return np.asarray(np.exp(-3 * r) + 0.6 * np.exp(-10 * np.square(x - [0.65, 0.35]).sum(axis=1)))


def product(x: Points) -> Values:
    """A product of rises to the corner (1, 0, 0, 1): 1."""
    return np.asarray((0.3 + 0.7 * np.abs(x - [0, 1, 1, 0]) ** 1.5).prod(axis=1))


def quay(x: Points) -> Values:
    """Rises to the side where the first variable is 1, in waves along it: best at (1, 0.35)."""
    return np.asarray(1 - np.exp(-3 * x[:, 0]) + 0.4 * np.cos(3 * math.pi * (x[:, 1] - 0.35)))


def shore(x: Points) -> Values:
    """Best where two of four variables are at a bound, (1, 0), and the others at (0.3, 0.6): 1."""
    bent = np.square(x[:, 2] - 0.3 * x[:, 0]) + np.square(x[:, 3] - 0.6)
    return np.asarray(x[:, 0] * (1 - 0.5 * x[:, 1]) - 0.3 * x[:, 1] - 2 * bent)


def eggs(x: Points) -> Values:
    """Hills and hollows that grow with the distance, without the kinks of the eggholder."""
    a, b = 13 * x.T - [[6.0], [5.0]]
    return np.asarray(a * np.sin(b) - b * np.cos(a) - 0.05 * (a**2 + b**2))


# Any two rows of the Hadamard matrix differ in four of the seven axes: the hills stand apart.
HILLS = 0.5 + 0.25 * hadamard(8)[1:6, 1:] + stream(7, "hills").uniform(-0.1, 0.1, (5, 7))
HILL_HEIGHTS = np.array([1.0, 0.85, 0.75, 0.65, 0.6])
HILL_WIDTHS = np.array([0.3, 0.33, 0.36, 0.4, 0.45])


def hills(x: Points) -> Values:
    """Five Gaussian hills in seven variables, the higher the narrower."""
    away = np.square(x[:, None, :] - HILLS).sum(axis=2)
    return np.asarray(np.exp(-away / (2 * HILL_WIDTHS**2)) @ HILL_HEIGHTS)


@frozen(eq=False)
class Draw:
    """A draw from a Gaussian process by Fourier features: the sum of waves of random directions."""

    frequencies: Matrix = field(converter=read_only)
    phases: Values = field(converter=read_only)
    weights: Values = field(converter=read_only)

    def __call__(self, x: Points) -> Values:
        """Return the values."""
        return np.asarray(np.cos(x @ self.frequencies + self.phases) @ self.weights)


def draw(d: int, length: float, rng: Generator, matern: bool) -> Draw:
    """Return a draw of unit variance and that length-scale: Matérn-5/2, or else RBF."""
    m = 256
    gaussian = rng.standard_normal((d, m))
    # The spectral density of Matérn-5/2 is Student's t with 5 degrees of freedom.
    heavy = np.sqrt(5 / rng.chisquare(5, m)) if matern else np.ones(m)
    phases = rng.uniform(0, 2 * math.pi, m)
    return Draw(gaussian * heavy / length, phases, math.sqrt(2 / m) * rng.standard_normal(m))

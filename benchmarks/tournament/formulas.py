"""Test functions from the literature, negated where they are usually minimised: (n, d) in, n out."""

import math

import numpy as np

from wayfare._core.arrays import Points, Values


def forrester(x: Points) -> Values:
    """One variable in 0 to 1: a low basin, a lower one, and the best near 0.757."""
    u = x[:, 0]
    return np.asarray(-np.square(6 * u - 2) * np.sin(12 * u - 4))


def gramacy_lee(x: Points) -> Values:
    """One variable in 0.5 to 2.5: ever weaker waves on a slope."""
    u = x[:, 0]
    return np.asarray(-np.sin(10 * math.pi * u) / (2 * u) - (u - 1) ** 4)


def himmelblau(x: Points) -> Values:
    """Four equal optima, 0, one of them at (3, 2)."""
    a, b = x.T
    return np.asarray(-np.square(a**2 + b - 11) - np.square(a + b**2 - 7))


def trid(x: Points) -> Values:
    """A bowl whose axes hang together: best at i (d + 1 - i), d (d + 4) (d - 1) / 6."""
    return np.asarray((x[:, 1:] * x[:, :-1]).sum(axis=1) - np.square(x - 1).sum(axis=1))


def rosenbrock(x: Points) -> Values:
    """A curved valley with the best place, all ones, along it: 0."""
    across, along = x[:, 1:] - np.square(x[:, :-1]), 1 - x[:, :-1]
    return np.asarray(-(100 * np.square(across) + np.square(along)).sum(axis=1))


def log_dixon_price(x: Points) -> Values:
    """Minus log(1 + Dixon and Price): a valley that bends along every axis, 0 at 2^(2^(1 - i) - 1)."""
    number = np.arange(2, x.shape[1] + 1)
    bends = number * np.square(2 * np.square(x[:, 1:]) - x[:, :-1])
    return np.asarray(-np.log1p(np.square(x[:, 0] - 1) + bends.sum(axis=1)))


def log_beale(x: Points) -> Values:
    """Minus log(1 + Beale): a narrow bent valley between flats, best at (3, 0.5), 0."""
    a, b = x.T
    square = sum(np.square(c - a + a * b**power) for c, power in ((1.5, 1), (2.25, 2), (2.625, 3)))
    return np.asarray(-np.log1p(square))


def rastrigin(x: Points) -> Values:
    """Rastrigin's waves on a bowl with an amplitude of 3 where 10 is usual: 0 at the origin."""
    return np.asarray((3 * np.cos(2 * math.pi * x) - 3 - np.square(x)).sum(axis=1))


def salomon(x: Points) -> Values:
    """Rings around the origin, each lower than the one inside: 0 at the origin."""
    r = np.sqrt(np.square(x).sum(axis=1))
    return np.asarray(np.cos(2 * math.pi * r) - 1 - 0.3 * r)


def camel6(x: Points) -> Values:
    """The six-hump camel: two equal optima among six basins, 1.0316."""
    a, b = x.T
    return np.asarray(-(4 - 2.1 * a**2 + a**4 / 3) * a**2 - a * b - (4 * b**2 - 4) * b**2)


def styblinski_tang(x: Points) -> Values:
    """Two basins per axis, the lower side better: 39.16617 d."""
    return np.asarray(-0.5 * (x**4 - 16 * x**2 + 5 * x).sum(axis=1))


def easom(x: Points) -> Values:
    """Flat but for one bump at (pi, pi): 1."""
    away = np.square(x - math.pi).sum(axis=1)
    return np.asarray(np.cos(x).prod(axis=1) * np.exp(-away))


def currin(x: Points) -> Values:
    """Currin's exponential function: best on the edge where the second variable is 0."""
    a, b = x.T
    with np.errstate(divide="ignore"):
        rise = 1 - np.exp(-1 / (2 * b))
    above = 2300 * a**3 + 1900 * a**2 + 2092 * a + 60
    return np.asarray(rise * above / (100 * a**3 + 500 * a**2 + 4 * a + 20))


def otl_circuit(x: Points) -> Values:
    """The midpoint voltage of a push-pull circuit of five resistances and a gain, monotone in each."""
    b1, b2, f, c1, c2, gain = x.T
    driven = gain * (c2 + 9)
    first = (12 * b2 / (b1 + b2) + 0.74) * driven / (driven + f)
    return np.asarray(first + 11.35 * f / (driven + f) + 0.74 * f * driven / ((driven + f) * c1))


def log_goldstein_price(x: Points) -> Values:
    """Minus the logarithm of Goldstein and Price's polynomial: best at (0, -1), -log 3."""
    a, b = x.T
    one = 19 - 14 * a + 3 * a**2 - 14 * b + 6 * a * b + 3 * b**2
    two = 18 - 32 * a + 12 * a**2 + 48 * b - 36 * a * b + 27 * b**2
    return np.asarray(-np.log(1 + np.square(a + b + 1) * one) - np.log(30 + np.square(2 * a - 3 * b) * two))


def michalewicz(x: Points) -> Values:
    """Steep drops crossing each other; the power is 4 where 20 is usual, so that a model can see them."""
    number = np.arange(1, x.shape[1] + 1)
    return np.asarray((np.sin(x) * np.sin(number * np.square(x) / math.pi) ** 4).sum(axis=1))


FOXHOLES = np.array([[4, 4], [1, 1], [8, 8], [6, 6], [3, 7], [2, 9], [5, 3]], dtype=float)
WIDTHS = np.array([0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3])


def shekel(x: Points) -> Values:
    """Shekel's seven foxholes in four variables, 0 to 10: 10.4029."""
    away = np.square(x[:, None, :] - np.tile(FOXHOLES, 2)).sum(axis=2)
    return np.asarray((1 / (away + WIDTHS)).sum(axis=1))


HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
SLOPES = np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
CENTRES = np.array(
    [[0.3689, 0.1170, 0.2673], [0.4699, 0.4387, 0.7470], [0.1091, 0.8732, 0.5547], [0.0381, 0.5743, 0.8828]]
)


def hartmann3(x: Points) -> Values:
    """Hartmann's function of three variables in the unit cube: 3.86278."""
    away = (SLOPES * np.square(x[:, None, :] - CENTRES)).sum(axis=2)
    return np.asarray(np.exp(-away) @ HEIGHTS)

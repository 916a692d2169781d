"""The functions to maximise that have a closed form: (n, d) places in, n values out, without noise."""

import math

import numpy as np

from wayfare.arrays import Points, Values


def ackley(x: Points) -> Values:
    """Ackley's function, negated: best at the origin, 0."""
    bowl = 20.0 * np.exp(-0.2 * np.sqrt(np.square(x).mean(axis=1)))
    waves = np.exp(np.cos(2 * math.pi * x).mean(axis=1))
    return np.asarray(bowl + waves - 20.0 - math.e)


def branin(x: Points) -> Values:
    """Branin's function, negated: best at (-pi, 12.275), (pi, 2.275) and (9.42478, 2.475), -0.397887."""
    a, b = x[:, 0], x[:, 1]
    valley = b - 5.1 / (4 * math.pi**2) * a**2 + 5 / math.pi * a - 6
    return np.asarray(-(valley**2 + 10 * (1 - 1 / (8 * math.pi)) * np.cos(a) + 10))


def drop_wave(x: Points) -> Values:
    """The drop wave, negated: rings around the best place, the origin, 1."""
    square = np.square(x).sum(axis=1)
    return np.asarray((1 + np.cos(12 * np.sqrt(square))) / (0.5 * square + 2))


def griewank(x: Points) -> Values:
    """Griewank's function, negated: best at the origin, 0."""
    root = np.sqrt(np.arange(1, x.shape[1] + 1))
    return np.asarray(-(np.square(x).sum(axis=1) / 4000 - np.cos(x / root).prod(axis=1) + 1))


def levy(x: Points) -> Values:
    """Levy's function, negated: best where all coordinates are 1, 0."""
    w = 1 + (x - 1) / 4
    inner = np.square(w[:, :-1] - 1) * (1 + 10 * np.square(np.sin(math.pi * w[:, :-1] + 1)))
    last = np.square(w[:, -1] - 1) * (1 + np.square(np.sin(2 * math.pi * w[:, -1])))
    return np.asarray(-(np.square(np.sin(math.pi * w[:, 0])) + inner.sum(axis=1) + last))


HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
SLOPES = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
CENTRES = np.array(
    [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ]
)


def hartmann6(x: Points) -> Values:
    """Hartmann's function of six variables, negated: four bumps in the unit cube, 3.32237 at the best."""
    away = (SLOPES * np.square(x[:, None, :] - CENTRES)).sum(axis=2)
    return np.asarray(np.exp(-away) @ HEIGHTS)


def quadratic(x: Points) -> Values:
    """A dome: best at the origin, 0."""
    return np.asarray(-np.square(x).sum(axis=1))


def constant(x: Points) -> Values:
    """Zero: best everywhere."""
    return np.zeros(len(x))


def two_peaks(x: Points) -> Values:
    """A lower peak of 0.7 at 2 and a higher one of 1 at 9, far from each other."""
    lower, higher = (np.exp(-np.square(x[:, 0] - peak) / 2) for peak in (2, 9))
    return np.asarray(0.7 * lower + higher)

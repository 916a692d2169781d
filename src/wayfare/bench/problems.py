"""Benchmark problems: a function to maximise, where, from where, and at what cost of moving."""

import math
from collections.abc import Callable

import numpy as np
from attrs import field, frozen

from wayfare import door
from wayfare.arrays import Points, Values, read_only
from wayfare.errors import InvalidInput
from wayfare.space import AnySpace, Real, Space
from wayfare.travel import Euclidean, TravelCost


@frozen(eq=False)
class Problem:
    """A function on a space, larger being better, whose best value is known.

    ``function`` takes (n, d) places in user units and returns n values without noise. ``noise`` is the
    standard deviation of one result. ``initial`` counts the uniform places whose results are given before the
    first trial, for nothing: they are no trials, and nobody travels to them.
    """

    name: str
    function: Callable[[Points], Values]
    space: AnySpace
    travel: TravelCost
    noise: float
    start: Values = field(converter=read_only)
    optimum: float
    unit: str
    initial: int = 0

    def regret(self, x: Points) -> Values:
        """Return how far each place falls short of the optimum."""
        return self.optimum - self.function(x)


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


def box(
    name: str,
    function: Callable[[Points], Values],
    bounds: list[tuple[float, float]],
    noise: float,
    optimum: float,
) -> Problem:
    """Return a problem on a box with Euclidean cost in the original units.

    It starts a fifth into the box, for half of these functions have their best place in the middle. The unit
    is called "u": the functions are dimensionless.
    """
    space = Space(*(Real(f"x{i + 1}", low, high) for i, (low, high) in enumerate(bounds)))
    start = [low + 0.2 * (high - low) for low, high in bounds]
    return Problem(name, function, space, Euclidean(), noise, start, optimum, "u")


PAPER: dict[str, Callable[[], Problem]] = {
    "ackley": lambda: box("ackley", ackley, [(-32.768, 32.768)] * 2, 1.0, 0.0),
    "branin": lambda: box("branin", branin, [(-5, 10), (0, 15)], 3.0, -0.39788735772973816),
    "dropwave": lambda: box("dropwave", drop_wave, [(-5.12, 5.12)] * 2, 0.01, 1.0),
    "griewank": lambda: box("griewank", griewank, [(-20, 20)] * 2, 0.01, 0.0),
    "levy": lambda: box("levy", levy, [(-5, 5)] * 6, 1.0, 0.0),
}
"""The paper's five functions. It gives the noise as N(0, v) without saying whether v is a variance; its
authors' code passes v as the standard deviation, and so do we."""


def problem_named(name: str) -> Problem:
    """Return the problem of that name."""
    if name not in PAPER:
        raise InvalidInput(f"problem: none is called {name!r}; {door.nearest(name, PAPER, 'problems')}")
    return PAPER[name]()

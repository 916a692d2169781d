"""The functions that beliefs are held against: 15 of real numbers, 12 with choices or integers.

They were chosen for their variety, before any model was run on them; constants are chosen on others, in variants.py.
They have 1 to 6 dimensions, are smooth to kinked, noisy or not; choices of 2 to 12 values, alone or in pairs, add to
the rest or interact with it.
Real axes go from 0 to 1, larger is better, and no function has its best place in the middle of its space.
"""

import math
from collections.abc import Callable
from functools import cache, cached_property

import numpy as np
from attrs import field, frozen
from scipy.stats import qmc

from tournament import formulas
from wayfare._core.arrays import Points, Values, read_only
from wayfare._core.rng import stream
from wayfare.bench.problems import Problem
from wayfare.bench.problems.boxes import ackley, branin, hartmann6
from wayfare.space import Axis, Choice, Integer, Real, Space
from wayfare.travel import Manhattan, Switch, TravelCost

TESTED, SEARCHED, BEST_SHARE = 2000, 20_000, 0.02
"""Number of places a belief is tried at, and the number of which the best share is the top of the space."""


@frozen(eq=False)
class Function:
    """A function whose best place is known.

    Attributes:
        name: its name.
        axes: the axes of its space.
        formula: takes (n, d) places, returns n values without noise.
        noise: standard deviation of one result, as a share of ``sd``.
        best: the best place, found by search where it is not known from the formula.
    """

    name: str
    axes: tuple[Axis, ...]
    formula: Callable[[Points], Values]
    noise: float
    best: Values = field(converter=read_only)

    @property
    def kind(self) -> str:
        """``real``, or ``mixed`` if any axis is a choice or an integer."""
        return "real" if all(isinstance(axis, Real) for axis in self.axes) else "mixed"

    @cached_property
    def space(self) -> Space:
        """The space of all combinations."""
        return Space(*self.axes)

    @cached_property
    def optimum(self) -> float:
        """The value at the best place."""
        return float(self(self.best[None, :])[0])

    @cached_property
    def sd(self) -> float:
        """The standard deviation of the values over the space, from 2^15 places of a Sobol sequence."""
        unit = qmc.Sobol(len(self.axes), scramble=False).random_base2(15)
        return float(self(self.space.at(unit)).std())

    def __call__(self, x: Points) -> Values:
        """Return the values without noise."""
        return np.asarray(self.formula(x), dtype=np.float64)

    def uniform(self, n: int, *key: int | str) -> Points:
        """Return ``n`` places drawn uniformly and independently, always the same under one key."""
        return self.space.at(stream(0, "belief", self.name, *key).random((n, len(self.axes))))

    @cached_property
    def tested(self) -> Points:
        """The places at which a belief is held against the truth."""
        return self.uniform(TESTED, "tested")

    @cached_property
    def top(self) -> Points:
        """The best 2% of the space, by true value: the best 400 of 20,000 uniform places."""
        x = self.uniform(SEARCHED, "top")
        return x[np.argsort(-self(x), kind="stable")[: round(BEST_SHARE * SEARCHED)]]

    def problem(self, seed: int) -> Problem:
        """Return the search for its best place from a start drawn by ``seed``.

        Crossing an axis of numbers costs 1, and so does any change of a choice.
        """
        costs: list[TravelCost] = [Switch(axis.name, 1.0) for axis in self.axes if isinstance(axis, Choice)]
        widths = {axis.name: axis.high - axis.low for axis in self.axes if not isinstance(axis, Choice)}
        if widths:
            costs.append(Manhattan(tuple(widths), {name: 1.0 / width for name, width in widths.items()}))
        travel = costs[0]
        for cost in costs[1:]:
            travel = travel + cost  # type: ignore[operator]  # all of ours can be added
        start, noise = self.uniform(1, "start", seed)[0], self.noise * self.sd
        return Problem(self.name, self, self.space, travel, noise, start, self.optimum, "", self.best)


def reals(d: int) -> tuple[Real, ...]:
    """Return ``d`` axes from 0 to 1."""
    return tuple(Real(f"x{i + 1}", 0.0, 1.0) for i in range(d))


def choice(name: str, size: int) -> Choice:
    """Return a choice of so many values."""
    return Choice(name, [f"{name}{i + 1}" for i in range(size)])


def boxed(formula: Callable[[Points], Values], *bounds: tuple[float, float]) -> Callable[[Points], Values]:
    """Return a formula on the unit cube; its own box is ``bounds``."""
    low, high = np.transpose(bounds)
    return lambda x: formula(low + x * (high - low))


# Real ones


def kinks(x: Points) -> Values:
    """Folds across a slope: not differentiable along four lines."""
    a, b = x.T
    return np.asarray(-np.abs(a - 0.31) - 0.7 * np.abs(b - 0.82 + 0.5 * a) + 0.5 * np.abs(np.sin(7 * a + 3 * b)))


def cliff(x: Points) -> Values:
    """A yield that rises to an edge and falls off it."""
    a, b, c = x.T
    edge = 0.75 - 0.3 * b
    return np.asarray((0.4 + a) * (1 - 0.6 * (c - 0.25) ** 2) / (1 + np.exp((a - edge) / 0.03)))


def friedman(x: Points) -> Values:
    """Friedman's regression function of five variables."""
    a, b, c, d, e = x.T
    return np.asarray(10 * np.sin(math.pi * a * b) + 20 * np.square(c - 0.5) + 10 * d + 5 * e)


def levy(x: Points) -> Values:
    """Levy's function: waves on a bowl, 0 at all ones."""
    w = 1 + (x - 1) / 4
    inner = np.square(w[:, :-1] - 1) * (1 + 10 * np.square(np.sin(math.pi * w[:, :-1] + 1)))
    last = np.square(w[:, -1] - 1) * (1 + np.square(np.sin(2 * math.pi * w[:, -1])))
    return np.asarray(-np.square(np.sin(math.pi * w[:, 0])) - inner.sum(axis=1) - last)


# Mixed ones: columns of choices hold the position of the value.


def bump(x: Points, centre: Points, width: float) -> Values:
    """Return a Gaussian bump of height 1; ``centre`` has a row per place, or one for all."""
    return np.asarray(np.exp(-np.square(x - centre).sum(axis=1) / (2 * width**2)))


def of(table: list[float] | Points, position: Values) -> Values:
    """Return the entry of a table at each position."""
    return np.asarray(np.asarray(table)[position.astype(int)])


def added8(x: Points) -> Values:
    """Eight values, each with a bonus of its own on one and the same bowl."""
    bonus = of([0.0, 0.9, -0.4, 0.35, 1.2, -0.8, 0.6, 0.15], x[:, 0])
    return np.asarray(bonus - 4 * np.square(x[:, 1:] - [0.3, 0.65]).sum(axis=1))


def heights5(x: Points) -> Values:
    """Five values, each a multiple of one bump."""
    return of([0.5, 0.95, 0.7, 1.2, 0.85], x[:, 0]) * bump(x[:, 1:], np.array([[0.7, 0.25]]), 0.25)


def moved3(x: Points) -> Values:
    """Three values, each with its bump elsewhere."""
    centres = of(np.array([[0.2, 0.3], [0.75, 0.6], [0.45, 0.85]]), x[:, 0])
    return of([1.0, 1.2, 0.9], x[:, 0]) * bump(x[:, 1:], centres, 0.22)


def pair2x3(x: Points) -> Values:
    """Two choices that need each other, and a wave whose phase follows the first."""
    a, b, u, v = x.T
    both = np.array([[0.2, 1.0, -0.3], [0.9, -0.5, 0.4]])[a.astype(int), b.astype(int)]
    return np.asarray(both + 0.6 * np.sin(5 * u + 2 * a) - 1.5 * np.square(v - 0.7))


def pair5x4(x: Points) -> Values:
    """Two choices that add to each other, and to a smooth curve."""
    first, second = [0.1, 0.8, -0.6, 0.4, 1.1], [-0.3, 0.5, 0.0, 0.9]
    return of(first, x[:, 0]) + of(second, x[:, 1]) + 0.8 * np.sin(4 * x[:, 2] + 0.5)


BONUS12 = stream(0, "belief", "bonus").normal(0.0, 0.5, 12)
CENTRES12 = np.array([0.3, 0.7, 0.6]) + stream(0, "belief", "centres").normal(0.0, 0.08, (12, 3))


def many12(x: Points) -> Values:
    """Twelve values, each with a bonus and with its bump moved a little."""
    return of(BONUS12, x[:, 0]) + 1.5 * bump(x[:, 1:], of(CENTRES12, x[:, 0]), 0.35)


CAMEL = boxed(formulas.camel6, (-2, 2), (-1, 1))
BRANIN = boxed(branin, (-5, 10), (0, 15))


def unlike2(x: Points) -> Values:
    """Two values with nothing in common: the six-hump camel, and Branin."""
    return np.where(x[:, 0] == 0, CAMEL(x[:, 1:]) / 1.5, BRANIN(x[:, 1:]) / 50 + 0.8)


def stages10(x: Points) -> Values:
    """One to ten stages: more of them need more of the first variable."""
    k, a, b = x.T
    return np.asarray(-np.square((k - 7) / 4) - 3 * np.square(a - 0.08 * k) + 0.4 * np.cos(5 * b - 1))


def recipe(x: Points) -> Values:
    """Two to eight parts of an additive of six kinds, each kind with its own best amount."""
    k, c, a, b = x.T
    amount = of([3.0, 6.0, 4.0, 7.0, 2.5, 5.0], c)
    strength = of([0.7, 1.3, 0.9, 1.0, 0.6, 1.1], c)
    return np.asarray(strength * np.exp(-np.square((k - amount) / 2.5)) + 0.8 * a * (1 - b) - 0.7 * np.square(a - 0.35))


EFFECTS = stream(0, "belief", "effects").normal(0.0, 0.4, (7, 6))


def table504(x: Points) -> Values:
    """Two choices and a whole number, and nothing else."""
    a, b, k = x.T
    first, second = [0.0, 0.7, -0.5, 1.0, 0.3, -0.9, 0.5], [0.4, -0.4, 0.9, 0.0, -0.7, 0.2]
    both = EFFECTS[a.astype(int), b.astype(int)]
    return np.asarray(of(first, a) + of(second, b) + both + 0.5 * np.sin(k / 2.5))


SMALL9 = stream(0, "belief", "small").normal(0.0, 0.12, 9)


def groups9(x: Points) -> Values:
    """Nine values in three families: alike within a family, unlike between them."""
    family = np.floor(x[:, 0] / 3)
    centres = of(np.array([[0.25, 0.7], [0.8, 0.75], [0.6, 0.2]]), family)
    return of([0.8, 1.3, 1.0], family) * bump(x[:, 1:], centres, 0.28) + of(SMALL9, x[:, 0])


def idle4(x: Points) -> Values:
    """Four values that make no difference, and five to twelve plates that do."""
    _, k, a, b = x.T
    return np.asarray(0.12 * k - np.square(a - 0.2 - 0.04 * k) * 2 + 0.5 * np.sin(6 * b))


BEST = {
    "forrester": [0.7572488],
    "gramacy-lee": [0.0242817],
    "branin": [0.5427728, 0.1516667],
    "camel6": [0.5224605, 0.1436718],
    "rastrigin": [11 / 34, 24 / 33],
    "kinks": [0.3418583, 0.6490709],
    "currin": [0.2166667, 0.0],
    "cliff": [0.6443751, 0.0, 0.25],
    "hartmann3": [0.1145889, 0.5556489, 0.852547],
    "ackley": [3 / 8, 6 / 8, 2 / 6],
    "levy": [4 / 7, 6 / 8, 2 / 7, 5 / 7],
    "rosenbrock": [2.5 / 3.5] * 4,
    "friedman": [0.8310463, 0.6016512, 0.0, 1.0, 1.0],
    "hartmann6": [0.2016895, 0.1500107, 0.476874, 0.2753324, 0.3116516, 0.6573005],
    "otl-circuit": [0.0, 1.0, 1.0, 0.0, 0.0, 0.0],
    "added8": [4.0, 0.3, 0.65],
    "heights5": [3.0, 0.7, 0.25],
    "moved3": [1.0, 0.75, 0.6],
    "pair2x3": [0.0, 1.0, 0.3141593, 0.7],
    "pair5x4": [4.0, 3.0, 0.2676991],
    "many12": [7.0, 0.1602485, 0.693917, 0.5873545],
    "unlike2": [1.0, 0.9616519, 0.165],
    "stages10": [7.0, 0.56, 0.2],
    "recipe": [6.0, 1.0, 0.9214286, 0.0],
    "table504": [6.0, 2.0, 4.0],
    "groups9": [4.0, 0.8, 0.75],
    "idle4": [3.0, 12.0, 0.68, 0.2617994],
}
"""The best place of each, by its formula or by search: from the best 40 of 200,000 places, each walked uphill."""


@cache
def functions() -> dict[str, Function]:
    """Return all functions by name, real ones first."""
    listed: list[tuple[str, tuple[Axis, ...], Callable[[Points], Values], float]] = [
        ("forrester", reals(1), formulas.forrester, 0.0),
        ("gramacy-lee", reals(1), boxed(formulas.gramacy_lee, (0.5, 2.5)), 0.2),
        ("branin", reals(2), BRANIN, 0.0),
        ("camel6", reals(2), CAMEL, 0.1),
        ("rastrigin", reals(2), boxed(formulas.rastrigin, (-1.1, 2.3), (-2.4, 0.9)), 0.0),
        ("kinks", reals(2), kinks, 0.05),
        ("currin", reals(2), formulas.currin, 0.1),
        ("cliff", reals(3), cliff, 0.05),
        ("hartmann3", reals(3), formulas.hartmann3, 0.1),
        ("ackley", reals(3), boxed(ackley, (-3, 5), (-6, 2), (-2, 4)), 0.0),
        ("levy", reals(4), boxed(levy, (-3, 4), (-5, 3), (-1, 6), (-4, 3)), 0.05),
        ("rosenbrock", reals(4), boxed(formulas.rosenbrock, *[(-1.5, 2.0)] * 4), 0.0),
        ("friedman", reals(5), friedman, 0.2),
        ("hartmann6", reals(6), hartmann6, 0.05),
        (
            "otl-circuit",
            reals(6),
            boxed(formulas.otl_circuit, (50, 150), (25, 70), (0.5, 3), (1.2, 2.5), (0.25, 1.2), (50, 300)),
            0.1,
        ),
        ("added8", (choice("c", 8), *reals(2)), added8, 0.1),
        ("heights5", (choice("c", 5), *reals(2)), heights5, 0.05),
        ("moved3", (choice("c", 3), *reals(2)), moved3, 0.1),
        ("pair2x3", (choice("a", 2), choice("b", 3), *reals(2)), pair2x3, 0.0),
        ("pair5x4", (choice("a", 5), choice("b", 4), *reals(1)), pair5x4, 0.1),
        ("many12", (choice("c", 12), *reals(3)), many12, 0.1),
        ("unlike2", (choice("c", 2), *reals(2)), unlike2, 0.0),
        ("stages10", (Integer("k", 1, 10), *reals(2)), stages10, 0.05),
        ("recipe", (Integer("k", 2, 8), choice("c", 6), *reals(2)), recipe, 0.1),
        ("table504", (choice("a", 7), choice("b", 6), Integer("k", 1, 12)), table504, 0.1),
        ("groups9", (choice("c", 9), *reals(2)), groups9, 0.05),
        ("idle4", (choice("c", 4), Integer("k", 5, 12), *reals(2)), idle4, 0.2),
    ]
    return {name: Function(name, axes, formula, noise, BEST[name]) for name, axes, formula, noise in listed}

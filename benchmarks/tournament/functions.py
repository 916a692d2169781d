"""The functions of the tournament: a set to develop on and a set to report on, with none in both.

Every function says its character, and each set has them all. Values are natural ones, larger is better. Boxes
are in the user's units and of many sizes. No function has its best place in the middle of its box, where a survey
could hit it by construction: the classics that have, the paper's ackley, dropwave and griewank among them, are put
off-centre by a box that is not symmetric about it.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Literal, get_args

import numpy as np
from attrs import field, frozen
from scipy.stats import qmc

from tournament import formulas, shapes
from wayfare._core import checks
from wayfare._core.arrays import Points, Values, read_only
from wayfare._core.rng import stream
from wayfare.bench.problems import PAPER
from wayfare.bench.problems.boxes import HARTMANN6, ackley, drop_wave, griewank, hartmann6
from wayfare.errors import InvalidInput
from wayfare.space import Real, Space

Character = Literal[
    "bowl", "equal optima", "needle", "ridge", "plateau", "corner", "edge", "off-centre", "basins", "draw"
]
CHARACTERS: tuple[Character, ...] = get_args(Character)
Bounds = Sequence[tuple[float, float]]

BEST = {
    "needle": [0.251200326865823, 0.300720196141515],
    "camel6": [0.0898420131015985, -0.712656403021796],
    "eggs": [0.950655714753307, 0.0158531615085262],
    "hills": [
        0.252856544128442,
        0.727799825508666,
        0.275977881349921,
        0.690224725269414,
        0.30217455200489,
        0.717744852534715,
        0.227089022600077,
    ],
    "draw1": [0.999246446068823],
    "draw2": [0.539986249972927, 0.584324025477392],
    "draw4": [0.0905289505027906, 0.98491206132157, 0.0, 1.0],
    "spike": [0.718813471799552, 0.200417194148556],
    "shekel": [4.00057281939659, 3.9996062094717, 4.00057281929585, 3.99960621011918],
    "hartmann3": [0.114588876653691, 0.555648894602931, 0.852546984691371],
    "michalewicz": [2.13755836693878, 1.57079632411507, 1.29421435665128, 1.92002068085362, 1.71947165058673],
    "gramacy-lee": [0.548563444530293],
    "draw3": [0.0524350119212109, 0.501694313563518, 0.0],
    "draw5": [0.704228603373041, 0.62900480838623, 0.996008977476696, 0.389617985229305, 0.125892270886603],
    "draw7": [0.0310065322065687, 0.980344861098779, 0.134447395739229, 0.414695101480322, 0.0, 1.0, 0.0],
    "land1a": [0.983469538737054],
    "land1b": [0.316227877163858],
    "land2a": [0.668833170424645, 0.167529177102388],
    "land2b": [0.365428266452495, 0.101691962397094],
    "land2c": [0.0, 0.750870628861337],
    "land3a": [0.0429105692626133, 0.0601641501361323, 0.668401295177524],
    "land3b": [0.55359106019243, 0.111913040278033, 0.492312062634681],
    "land4": [0.0, 0.0, 0.501507379137898, 0.868910066626329],
    "land5": [1.0, 0.715138803572038, 0.856025909869164, 0.0, 0.0],
    "land6": [0.000861417604024935, 0.641432349325695, 0.0, 0.110360166866055, 0.475140746456338, 0.28242799517684],
    "view1a": [0.581785361974161],
    "view1b": [0.852719787761041],
    "view2a": [0.742223695446087, 0.434254489071473],
    "view2b": [0.97993948233664, 1],
    "view2c": [0.0690433018954405, 0.689215179140393],
    "view2d": [1, 0.753928352499181],
    "view3a": [0.87245076501742, 0.765680462825866, 0.554939403841202],
    "view3b": [8.04631469124671e-05, 0.691061985242415, 1],
    "view4a": [0.164395839880577, 0.642045510454793, 0, 0.631936818255118],
    "view4b": [0.582219247922611, 0, 0.0976461170360821, 1],
    "view5": [0.651176267661462, 0.513903345614253, 1, 1, 0.00745991772849168],
    "view6": [1, 0.0915411359666019, 0.241702298042461, 0.0508881140122777, 1, 1],
}
"""Of the functions that do not show theirs, the best place in the natural box, found by ``optima.search``
from the best 64 of 32,768 places."""

LANDSCAPES = {
    "land1a": (1, 0.08, True),
    "land1b": (1, 0.2, False),
    "land2a": (2, 0.15, True),
    "land2b": (2, 0.25, False),
    "land2c": (2, 0.4, True),
    "land3a": (3, 0.25, True),
    "land3b": (3, 0.4, False),
    "land4": (4, 0.4, True),
    "land5": (5, 0.5, False),
    "land6": (6, 0.6, True),
}
"""Ten more draws to search a method on: the variables, the length-scale, and whether the kernel is Matérn."""

VIEWS = {
    "view1a": (1, 0.06, False),
    "view1b": (1, 0.12, True),
    "view2a": (2, 0.12, False),
    "view2b": (2, 0.2, True),
    "view2c": (2, 0.3, False),
    "view2d": (2, 0.35, True),
    "view3a": (3, 0.2, False),
    "view3b": (3, 0.35, True),
    "view4a": (4, 0.3, False),
    "view4b": (4, 0.5, True),
    "view5": (5, 0.45, True),
    "view6": (6, 0.5, False),
}
"""Twelve more draws to report on, as above."""


@frozen(eq=False)
class Function:
    """A function on a box, ``low`` to ``high``, whose best place and value are known.

    ``formula`` is evaluated after the box is laid onto ``natural``, its own one.
    """

    name: str
    characters: tuple[Character, ...]
    formula: Callable[[Points], Values]
    low: Values = field(converter=read_only)
    high: Values = field(converter=read_only)
    natural: Points = field(converter=read_only)
    best: Values = field(converter=read_only)

    @property
    def d(self) -> int:
        """How many variables."""
        return len(self.low)

    @property
    def space(self) -> Space:
        """The box."""
        return Space(*(Real(f"x{i + 1}", *pair) for i, pair in enumerate(zip(self.low, self.high, strict=True))))

    @cached_property
    def optimum(self) -> float:
        """The value at the best place."""
        return float(self(self.best[None, :])[0])

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the values over the box, from 8192 places of a Sobol sequence."""
        unit = qmc.Sobol(self.d, scramble=False).random_base2(13)
        return float(self(self.place(unit)).std())

    @cached_property
    def gain(self) -> float:
        """The best value less the mean over the box: what there is to gain over a place at random."""
        unit = qmc.Sobol(self.d, scramble=False).random_base2(13)
        return self.optimum - float(self(self.place(unit)).mean())

    def place(self, unit: Points) -> Points:
        """Return places in the box from those in the unit cube."""
        return np.clip(self.low + unit * (self.high - self.low), self.low, self.high)

    def unit(self, x: Points) -> Points:
        """Return places in the unit cube from those in the box."""
        return (x - self.low) / (self.high - self.low)

    def __call__(self, x: Points) -> Values:
        """Return the values without noise."""
        if np.array_equal(self.natural, [self.low, self.high]):
            return self.formula(x)
        low, high = self.natural
        return self.formula(np.clip(low + self.unit(x) * (high - low), low, high))


def on(
    name: str,
    character: str,
    formula: Callable[[Points], Values],
    bounds: Bounds,
    best: Sequence[float],
    natural: Bounds | None = None,
) -> Function:
    """Return a function on a box; ``best`` is in the natural box, and ``character`` separated by commas."""
    low, high = np.transpose(bounds)
    inner = np.array([low, high] if natural is None else np.transpose(natural), dtype=np.float64)
    place = np.asarray(best, dtype=np.float64)
    if natural is not None:
        place = np.clip(low + (place - inner[0]) / (inner[1] - inner[0]) * (high - low), low, high)
    return Function(name, tuple(character.split(", ")), formula, low, high, inner, place)  # type: ignore[arg-type]  # the tests know them


def drawn(name: str, bounds: Bounds, length: float, matern: bool, best: Sequence[float]) -> Function:
    """Return a draw from a Gaussian process, always the same by its name."""
    d = len(bounds)
    formula = shapes.draw(d, length, stream(0, "tournament", name), matern)
    return on(name, "draw, basins", formula, bounds, best, [(0, 1)] * d)


def paper(name: str, character: str) -> Function:
    """Return a function of the paper, on its own box."""
    problem = PAPER[name]()
    bounds = [(axis.low, axis.high) for axis in problem.space.axes]  # type: ignore[attr-defined]  # a box
    return on(name, character, problem.function, bounds, problem.best.tolist())


@cache
def development() -> dict[str, Function]:
    """Return the functions to search a method on."""
    cube = [(0.0, 1.0)]
    functions = [
        on("forrester", "basins", formulas.forrester, [(20, 80)], [0.7572487144081974], cube),
        on("himmelblau", "equal optima", formulas.himmelblau, [(-5, 5)] * 2, [3, 2]),
        on(
            "uneven-bowl",
            "bowl",
            shapes.uneven_bowl,
            [(0, 10), (-1, 1), (100, 130), (0, 4)],
            [0.3, 0.7, 0.62, 0.35],
            cube * 4,
        ),
        on("trid", "bowl, ridge", formulas.trid, [(-36, 36)] * 6, [6, 10, 12, 12, 10, 6]),
        on("needle", "needle", shapes.needle, [(0, 50), (0, 50)], BEST["needle"], cube * 2),
        on("rosenbrock", "ridge", formulas.rosenbrock, [(-1.5, 2)] * 3, [1, 1, 1]),
        on("mesa", "plateau", shapes.mesa, [(0, 2), (0, 1), (0, 3)], [0.3, 0.65, 0.6], cube * 3),
        on("saturating", "corner", shapes.saturating, [(0, 5), (10, 20), (-1, 1)], [1, 0, 1], cube * 3),
        on("cone", "corner", shapes.cone, [(0, 1), (0, 2), (0, 1), (0, 3), (0, 1)], [1, 1, 0, 1, 0], cube * 5),
        on("quay", "edge", shapes.quay, [(0, 8), (0, 3)], [1, 0.35], cube * 2),
        on("rastrigin-off", "off-centre", formulas.rastrigin, [(-2, 3.5), (-3.2, 1.6)], [0, 0]),
        on(
            "salomon-off", "off-centre", formulas.salomon, [(-0.6, 1.4), (-1.6, 0.7), (-1.3, 0.5), (-0.7, 1.7)], [0] * 4
        ),
        on("camel6", "basins, equal optima", formulas.camel6, [(-2, 2), (-1, 1)], BEST["camel6"]),
        on("styblinski-tang", "basins", formulas.styblinski_tang, [(-5, 5)] * 4, [-2.903534027771177] * 4),
        on("eggs", "basins", shapes.eggs, [(0, 1000), (0, 1000)], BEST["eggs"], cube * 2),
        on("hills", "basins", shapes.hills, [(-1, 1)] * 7, BEST["hills"], cube * 7),
        drawn("draw1", [(300, 400)], 0.1, True, BEST["draw1"]),
        drawn("draw2", [(0, 6), (0, 2)], 0.2, True, BEST["draw2"]),
        drawn("draw4", [(-1, 1)] * 4, 0.4, False, BEST["draw4"]),
        *(drawn(name, [(0, 1)] * d, length, matern, BEST[name]) for name, (d, length, matern) in LANDSCAPES.items()),
    ]
    return {function.name: function for function in functions}


@cache
def reporting() -> dict[str, Function]:
    """Return the functions to report on, the paper's five among them, three shifted. Nothing is chosen by these."""
    cube = [(0.0, 1.0)]
    dixon_price = [2.0 ** (2.0 ** (1 - i) - 1) for i in range(1, 5)]
    functions = [
        on("ackley", "basins", ackley, [(-21, 44.5), (-41.5, 24)], [0, 0]),
        paper("branin", "equal optima"),
        on("dropwave", "basins", drop_wave, [(-3.4, 6.8), (-6.5, 3.7)], [0, 0]),
        on("griewank", "basins", griewank, [(-13, 27), (-25, 15)], [0, 0]),
        paper("levy", "off-centre"),
        on("ackley-off", "off-centre", ackley, [(-3, 8), (-12, 6), (-2, 5), (-8, 3)], [0] * 4),
        on("griewank-off", "off-centre", griewank, [(-9, 4), (-3, 7), (-8, 12), (-5, 2), (-4, 9)], [0] * 5),
        on(
            "turned-bowl",
            "bowl",
            shapes.turned_bowl,
            [(0, 1), (0, 2), (-1, 1), (0, 5), (0, 1), (10, 13), (0, 2), (-4, 0)],
            shapes.TURNED_BEST.tolist(),
            cube * 8,
        ),
        on("waves", "equal optima", shapes.waves, [(0, 12), (0, 12), (0, 30)], [0.1, 0.3, 0.17], cube * 3),
        on("spike", "needle", shapes.spike, [(-10, 10), (0, 15)], BEST["spike"], cube * 2),
        on("dixon-price", "ridge", formulas.log_dixon_price, [(-2, 3)] * 4, dixon_price),
        on("beale", "ridge, plateau", formulas.log_beale, [(-4.5, 4.5)] * 2, [3, 0.5]),
        on("easom", "plateau, needle", formulas.easom, [(-2, 6), (-7, 5)], [np.pi, np.pi]),
        on("terraces", "plateau", shapes.terraces, [(0, 4), (0, 4), (0, 10)], [0.68, 0.3, 0.6], cube * 3),
        on("lure", "corner, basins", shapes.lure, [(0, 100), (0, 20)], [0, 1], cube * 2),
        on("product", "corner", shapes.product, [(0, 1), (5, 9), (0, 2), (-3, 3)], [1, 0, 0, 1], cube * 4),
        on(
            "otl-circuit",
            "corner",
            formulas.otl_circuit,
            [(50, 150), (25, 70), (0.5, 3), (1.2, 2.5), (0.25, 1.2), (50, 300)],
            [50, 70, 3, 1.2, 0.25, 50],
        ),
        on("currin", "edge", formulas.currin, [(0, 1)] * 2, [0.21666666666666667, 0]),
        on("shore", "edge", shapes.shore, [(0, 3), (0, 1), (20, 22), (0, 5)], [1, 0, 0.3, 0.6], cube * 4),
        on("shekel", "basins, needle", formulas.shekel, [(0, 10)] * 4, BEST["shekel"]),
        on("hartmann3", "basins", formulas.hartmann3, [(0, 4), (0, 2), (0, 1)], BEST["hartmann3"], cube * 3),
        on("hartmann6", "basins", hartmann6, [(0, 1)] * 6, HARTMANN6),
        on("michalewicz", "basins, ridge", formulas.michalewicz, [(0, np.pi)] * 5, BEST["michalewicz"]),
        on("goldstein-price", "basins, ridge", formulas.log_goldstein_price, [(-2, 2)] * 2, [0, -1]),
        on("gramacy-lee", "basins", formulas.gramacy_lee, [(0, 200)], BEST["gramacy-lee"], [(0.5, 2.5)]),
        drawn("draw3", [(0, 1), (0, 3), (0, 2)], 0.3, True, BEST["draw3"]),
        drawn("draw5", [(-2, 2)] * 5, 0.5, False, BEST["draw5"]),
        drawn("draw7", [(0, 1)] * 7, 0.7, True, BEST["draw7"]),
        *(drawn(name, [(0, 1)] * d, length, matern, BEST[name]) for name, (d, length, matern) in VIEWS.items()),
    ]
    return {function.name: function for function in functions}


def function_named(name: str) -> Function:
    """Return the function of that name, of either set."""
    both = development() | reporting()
    if name not in both:
        raise InvalidInput(f"function: none is called {name!r}; {checks.nearest(name, both, 'functions')}")
    return both[name]

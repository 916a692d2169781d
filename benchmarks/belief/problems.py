"""The problems of ``finding.py``: studies whose best place is known, because here the truth is a formula.

A formula sees the shares of the axes that hold numbers (0 at the low end, 1 at the high end, in logarithms on a
log axis) and the positions of the values of the choices. More is better. Nothing has its best place in the middle of
the box. Under each seed the values of every choice are listed in another order and the traveller starts at
another place, so that no method gains by the place of a value in a list.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import product
from typing import Literal, TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray
from scipy.stats import qmc

from wayfare._core.arrays import Mask, Matrix, Points, Values
from wayfare._core.rng import stream
from wayfare.space import Choice, Integer, Real, Space
from wayfare.travel import Euclidean, Ramp, Switch, TravelCost, parallel, serial

Axis: TypeAlias = Real | Integer | Choice
Positions: TypeAlias = NDArray[np.intp]
Formula: TypeAlias = Callable[[Matrix, Positions], Values]
"""From (n, numbers) shares and (n, choices) positions to n values."""
Part = Literal["mixed", "reactor", "values", "old", "failing", "measured"]

SAMPLE = 2**12
"""Places in a dense search, for every combination of choices."""


@frozen
class Limit:
    """A number measured at every visit, and the limit that it must keep: at most ``most``, or at least ``least``.

    Attributes:
        name: the name that results give it.
        formula: its true value.
        most: the largest number that complies, or None.
        least: the smallest number that complies, or None.
        noise: the standard deviation of one measurement.
    """

    name: str
    formula: Formula = field(repr=False)
    most: float | None = None
    least: float | None = None
    noise: float = 0.0

    def excess(self, numbers: Values) -> Values:
        """Return by how much the numbers break the limit; 0 or less where they comply."""
        return numbers - self.most if self.most is not None else np.asarray(self.least) - numbers


@frozen(eq=False)
class Problem:
    """A problem: what is searched for, where, at what cost, and what goes wrong.

    Attributes:
        name: its name.
        part: the part of the benchmark that it belongs to.
        axes: the axes, the values of choices in the order that ``formula`` knows.
        formula: the objective without noise.
        trials: the number of trials of a study.
        noise: the standard deviation of one result.
        travel: the cost of moving.
        unit: its unit.
        held_out: no one chooses a model by it.
        source: where it is published, if it is.
        breaks: where visits always fail: the formula of a number that is above 0 there.
        limits: the measured limits.
        old: the number of results known before the study.
        new: the value of the first choice that the old results do not have.
    """

    name: str
    part: Part
    axes: tuple[Axis, ...]
    formula: Formula = field(repr=False)
    trials: int
    noise: float
    travel: TravelCost = field(repr=False)
    unit: str = "min"
    held_out: bool = False
    source: str = ""
    breaks: Formula | None = field(default=None, repr=False)
    limits: tuple[Limit, ...] = ()
    old: int = 0
    new: str = ""

    def under(self, seed: int) -> "Lab":
        """Return the problem as the studies of one seed meet it."""
        rng = stream(seed, "order", self.name)
        orders = [rng.permutation(len(axis.values)) for axis in self.axes if isinstance(axis, Choice)]
        return Lab(self, seed, tuple(tuple(int(at) for at in order) for order in orders))

    @cached_property
    def as_written(self) -> "Lab":
        """The problem with its values in the order that the formula knows."""
        return Lab(self, 0, tuple(tuple(range(len(a.values))) for a in self.axes if isinstance(a, Choice)))

    @cached_property
    def best(self) -> float:
        """The largest value at a place that may be kept, by dense search."""
        return float(self.as_written.value(best_place(self)[None, :])[0])

    @cached_property
    def mean(self) -> float:
        """The mean value of the places that may be kept."""
        x = everywhere(self.as_written.space)
        return float(self.as_written.value(x[self.as_written.may_keep(x)]).mean())

    @property
    def spread(self) -> float:
        """The best value less the mean: what there is to gain over a place at random."""
        return self.best - self.mean

    def short(self, value: float) -> float:
        """Return by which part of the spread a value is short of the best."""
        return (self.best - value) / self.spread


@frozen(eq=False)
class Lab:
    """A problem under a seed: the order in which the values of its choices are listed, its start and its noise."""

    problem: Problem
    seed: int
    orders: tuple[tuple[int, ...], ...]

    @cached_property
    def space(self) -> Space:
        """The space with its values in this order."""
        orders = iter(self.orders)
        return Space(
            *(
                Choice(axis.name, [axis.values[at] for at in next(orders)]) if isinstance(axis, Choice) else axis
                for axis in self.problem.axes
            )
        )

    @cached_property
    def start(self) -> Values:
        """The place where the traveller stands at first; nothing fails there, and an old solvent is in it."""
        drawn = self.space.sample(256, stream(self.seed, "start", self.problem.name))
        start: Values = drawn[~self.fails(drawn) & ~self.is_new(drawn)][0]
        return start

    @cached_property
    def noise(self) -> Matrix:
        """Standard normal numbers: a row per trial, for its value and for each number that is measured."""
        shape = (self.problem.trials, 1 + len(self.problem.limits))
        return stream(self.seed, "noise", self.problem.name).standard_normal(shape)

    def value(self, x: Points) -> Values:
        """Return the true values."""
        return self.problem.formula(*self._read(x))

    def fails(self, x: Points) -> Mask:
        """Return where a visit fails."""
        if self.problem.breaks is None:
            return np.zeros(len(x), dtype=bool)
        return np.asarray(self.problem.breaks(*self._read(x)) > 0)

    def measured(self, x: Points) -> Matrix:
        """Return the true numbers, a column per limit."""
        read = self._read(x)
        return np.array([limit.formula(*read) for limit in self.problem.limits]).reshape(-1, len(x)).T

    def complies(self, x: Points) -> Mask:
        """Return where every limit is kept, by the truth, but for one standard deviation of a measurement."""
        kept = np.ones(len(x), dtype=bool)
        for limit, numbers in zip(self.problem.limits, self.measured(x).T, strict=True):
            kept &= limit.excess(numbers) <= limit.noise
        return kept

    def may_keep(self, x: Points) -> Mask:
        """Return which places neither fail nor break a limit at all."""
        kept = ~self.fails(x)
        for limit, numbers in zip(self.problem.limits, self.measured(x).T, strict=True):
            kept &= limit.excess(numbers) <= 0
        return kept

    def is_new(self, x: Points) -> Mask:
        """Return which places have the value that old results do not have."""
        column = next((at for at, axis in enumerate(self.space.axes) if isinstance(axis, Choice)), None)
        if not self.problem.new or column is None:
            return np.zeros(len(x), dtype=bool)
        return np.asarray(x[:, column] == self.space.axes[column].read(self.problem.new))

    def result(self, x: Values, trial: int) -> tuple[float, list[float]]:
        """Return what a visit finds: the value and the measured numbers, with the noise of that trial."""
        noise = self.noise[trial]
        numbers = self.measured(x[None, :])[0]
        told = [
            float(number + limit.noise * z)
            for number, limit, z in zip(numbers, self.problem.limits, noise[1:], strict=True)
        ]
        return float(self.value(x[None, :])[0] + self.problem.noise * noise[0]), told

    def old_results(self) -> tuple[Points, Values]:
        """Return the places and results that are known before the study."""
        places, noise = stream(self.seed, "old", self.problem.name).spawn(2)
        x = self.space.sample(16 * max(1, self.problem.old), places)
        x = x[~self.is_new(x)][: self.problem.old]
        return x, self.value(x) + self.problem.noise * noise.standard_normal(len(x))

    def _read(self, x: Points) -> tuple[Matrix, Positions]:
        """Return the shares of the numbers and the positions of the choices, in the order the formula knows."""
        shares, positions, orders = [], [], iter(self.orders)
        for axis, column in zip(self.problem.axes, x.T, strict=True):
            if isinstance(axis, Choice):
                positions.append(np.array(next(orders), dtype=np.intp)[column.astype(np.intp)])
            else:
                shares.append(axis.encode(column)[:, 0])
        empty = np.empty((len(x), 0))
        return (
            np.column_stack(shares) if shares else empty,
            np.column_stack(positions) if positions else empty.astype(np.intp),
        )


def everywhere(space: Space, sample: int = SAMPLE, seed: int = 0) -> Points:
    """Return places all over the space: a Sobol sample of the numbers for every combination of choices."""
    numbers = [at for at, axis in enumerate(space.axes) if not isinstance(axis, Choice)]
    choices = [at for at, axis in enumerate(space.axes) if isinstance(axis, Choice)]
    unit = qmc.Sobol(len(numbers), seed=seed).random(sample)
    combinations = list(product(*(range(len(space.axes[at].choices or ())) for at in choices)))
    x = np.empty((len(combinations), sample, space.d))
    for column, at in enumerate(numbers):
        x[:, :, at] = space.axes[at].place(unit[:, column])
    for row, combination in enumerate(combinations):
        x[row][:, choices] = combination
    return x.reshape(-1, space.d)


def best_place(problem: Problem, sample: int = SAMPLE, seed: int = 0) -> Values:
    """Return the best place that may be kept: the best of a dense sample, each improved by ever smaller steps."""
    lab, rng = problem.as_written, np.random.default_rng(seed)
    space, keep = lab.space, 32
    numbers = [(at, axis) for at, axis in enumerate(space.axes) if not isinstance(axis, Choice)]

    def top(x: Points) -> Points:
        x = x[lab.may_keep(x)]
        kept: Points = x[np.argsort(-lab.value(x), kind="stable")[:keep]]
        return kept

    x = top(everywhere(space, sample, seed))
    for radius in np.geomspace(0.1, 1e-6, 24):
        cloud = np.repeat(x, 64, axis=0)
        for at, axis in numbers:
            unit = axis.encode(cloud[:, at])[:, 0] + radius * rng.standard_normal(len(cloud))
            moved = axis.place(np.clip(unit, 0, 1)) if isinstance(axis, Real) else cloud[:, at]
            cloud[:, at] = moved
        x = top(np.concatenate([x, cloud]))
    best: Values = x[0]
    return best


# The parts that formulas are made of.


def bump(u: Matrix, centre: object, width: object) -> Values:
    """Return a Gaussian hill of height 1; centre and width per axis, or per row and axis."""
    return np.asarray(np.exp(-0.5 * np.square((u - np.asarray(centre)) / np.asarray(width)).sum(axis=1)))


def spaced(low: float, high: float, n: int) -> Values:
    """Return ``n`` numbers from ``low`` to nearly ``high``, and then ``high`` itself, a gap above the others."""
    return np.append(np.linspace(low, low + 0.7 * (high - low), n - 1), high)


def letters(n: int, word: str) -> list[str]:
    """Return ``n`` names."""
    return [f"{word} {'ABCDEFGHIJKL'[at]}" for at in range(n)]


def machine(*axes: Axis, switch: float = 15.0) -> TravelCost:
    """Return the cost of a machine in minutes.

    All numbers are set at once, 10 min for a whole axis upwards and 20 min downwards; every choice that changes
    costs ``switch`` more.
    """
    ramps = [
        Ramp(axis.name, up=(axis.high - axis.low) / 10, down=(axis.high - axis.low) / 20)
        for axis in axes
        if not isinstance(axis, Choice)
    ]
    switches = [Switch(axis.name, switch) for axis in axes if isinstance(axis, Choice)]
    return serial(parallel(*ramps), *switches)


def mixed(name: str, axes: Sequence[Axis], formula: Formula, noise: float, held_out: bool = False) -> Problem:
    """Return a mixed problem of 60 trials on a machine."""
    return Problem(name, "mixed", tuple(axes), formula, 60, noise, machine(*axes), held_out=held_out)


# The mixed problems.

TEMP = Real("temp_C", 30, 150)
TIME = Real("time_min", 1, 60, log=True)
LOAD = Real("load", 0.02, 0.4)


def catalysts() -> Problem:
    """Additive: six catalysts lift one hill by different amounts."""
    lift = np.array([0.0, 0.34, 0.05, 0.22, 0.1, 0.16])
    axes = (Choice("catalyst", letters(6, "cat")), TEMP, TIME, LOAD)
    return mixed(
        "catalysts", axes, lambda u, c: lift[c[:, 0]] + 0.6 * bump(u, (0.68, 0.36, 0.62), (0.3, 0.35, 0.5)), noise=0.006
    )


def solvents() -> Problem:
    """Multiplied: the same hill in five solvents, with other heights."""
    height = np.array([0.72, 0.55, 1.0, 0.65, 0.84])
    axes = (TEMP, TIME, Choice("solvent", letters(5, "solvent")))
    return mixed("solvents", axes, lambda u, c: height[c[:, 0]] * bump(u, (0.3, 0.71), (0.22, 0.26)), noise=0.02)


def peaks_four() -> Problem:
    """Every value has its hill at another place."""
    height = np.array([0.88, 0.7, 1.0, 0.8])
    centre = np.array([[0.25, 0.3], [0.7, 0.75], [0.82, 0.24], [0.2, 0.8]])
    axes = (Choice("buffer", letters(4, "buffer")), Real("pH", 4, 9), TEMP)
    return mixed("peaks-four", axes, lambda u, c: height[c[:, 0]] * bump(u, centre[c[:, 0]], 0.24), noise=0.006)


def peaks_eight() -> Problem:
    """Eight dyes, each with its own best wavelength on a common slope."""
    rng = stream(1, "peaks-eight")
    height, centre = rng.permutation(spaced(0.45, 1.0, 8)), rng.permutation(np.linspace(0.12, 0.9, 8))
    axes = (Choice("dye", letters(8, "dye")), Real("wavelength_nm", 400, 700))
    return mixed(
        "peaks-eight",
        axes,
        lambda u, c: 0.2 * u[:, 0] + height[c[:, 0]] * bump(u, centre[c[:, 0], None], 0.16),
        noise=0.006,
    )


def additives() -> Problem:
    """Additive: twelve values, one of them clearly better."""
    lift = stream(2, "additives").permutation(spaced(0.0, 0.5, 12))
    axes = (Choice("additive", letters(12, "additive")), Real("dose", 0, 5), TEMP)
    return mixed("additives", axes, lambda u, c: lift[c[:, 0]] + 0.5 * bump(u, (0.24, 0.66), (0.3, 0.3)), noise=0.006)


def bases() -> Problem:
    """Additive in two choices."""
    first, second = np.array([0.1, 0.0, 0.3, 0.17]), np.array([0.25, 0.0, 0.1])
    axes = (Choice("solvent", letters(4, "solvent")), Choice("base", letters(3, "base")), TEMP, TIME)
    return mixed(
        "bases",
        axes,
        lambda u, c: first[c[:, 0]] + second[c[:, 1]] + 0.6 * bump(u, (0.7, 0.3), (0.25, 0.35)),
        noise=0.02,
    )


def ligands() -> Problem:
    """Two choices that interact: the best pair is not the pair of those that are best on average."""
    rng = stream(4, "ligands")
    own, other = rng.uniform(0, 0.2, 6), rng.uniform(0, 0.2, 5)
    pair = 0.35 * np.abs(np.multiply.outer(rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 5)))
    pair[4, 1] += 0.35
    centre = rng.uniform(0.18, 0.36, 6)
    axes = (Choice("ligand", letters(6, "ligand")), Choice("solvent", letters(5, "solvent")), TEMP)
    return mixed(
        "ligands",
        axes,
        lambda u, c: (
            own[c[:, 0]] + other[c[:, 1]] + pair[c[:, 0], c[:, 1]] + 0.4 * bump(u, centre[c[:, 0], None], 0.25)
        ),
        noise=0.006,
    )


def coats() -> Problem:
    """An integer: the best number of coats differs between three lacquers."""
    coat, height = np.array([0.18, 0.55, 0.82]), np.array([0.8, 1.0, 0.7])
    axes = (Choice("lacquer", letters(3, "lacquer")), Integer("coats", 1, 12), TEMP, Real("gap_um", 5, 200, log=True))

    def hardness(u: Matrix, c: Positions) -> Values:
        centre = np.column_stack([coat[c[:, 0]], np.full(len(u), 0.62), np.full(len(u), 0.35)])
        return height[c[:, 0]] * bump(u, centre, (0.25, 0.3, 0.35)) + 0.1 * u[:, 2]

    return mixed("coats", axes, hardness, noise=0.008)


def nozzles() -> Problem:
    """Two values and four numbers: a wide hill with the first nozzle, a higher one elsewhere with the other."""
    axes = (Choice("nozzle", ["round", "flat"]), Real("speed", 10, 90), Real("flow", 80, 120), TEMP, Real("fan", 0, 1))

    def strength(u: Matrix, c: Positions) -> Values:
        round_ = 0.8 * bump(u, (0.3, 0.6, 0.35, 0.7), (0.45, 0.4, 0.45, 0.5))
        flat = bump(u, (0.72, 0.35, 0.66, 0.3), (0.35, 0.4, 0.35, 0.45))
        return np.where(c[:, 0] == 0, round_, flat)

    return mixed("nozzles", axes, strength, noise=0.006)


def series() -> Problem:
    """A reaction in series, A to B to C, in a stirred tank: five catalysts with other rates and energies.

    The yield of B is k1 t / ((1 + k1 t) (1 + k2 t)); the rates follow Arrhenius.
    """
    rate = np.array([[0.9, 0.12], [0.5, 0.012], [1.6, 0.4], [0.25, 0.03], [0.7, 0.2]])
    energy = np.array([[60, 85], [55, 95], [50, 70], [75, 90], [65, 65]])
    axes = (Choice("catalyst", letters(5, "cat")), Real("temp_K", 310, 410), Real("tau_min", 0.2, 60, log=True))

    def yield_of(u: Matrix, c: Positions) -> Values:
        kelvin, minutes = 310 + 100 * u[:, 0], 0.2 * 300 ** u[:, 1]
        inverse = (1 / 350 - 1 / kelvin) / 8.314e-3
        first, second = (rate[c[:, 0], k] * np.exp(energy[c[:, 0], k] * inverse) * minutes for k in (0, 1))
        return np.asarray(first / ((1 + first) * (1 + second)))

    return mixed("series", axes, yield_of, noise=0.01)


def rugged() -> Problem:
    """Five values, each with three hills of its own and two that all have."""
    rng = stream(8, "rugged")
    centre, height = rng.uniform(0.1, 0.9, (5, 3, 2)), rng.uniform(0.2, 0.8, (5, 3))
    axes = (Choice("alloy", letters(5, "alloy")), TEMP, Real("rate", 1, 100, log=True))

    def quality(u: Matrix, c: Positions) -> Values:
        shared = 0.3 * bump(u, (0.75, 0.7), 0.3) + 0.2 * bump(u, (0.2, 0.35), 0.25)
        own = sum(height[c[:, 0], k] * bump(u, centre[c[:, 0], k], 0.17) for k in range(3))
        return np.asarray(shared + own)

    return mixed("rugged", axes, quality, noise=0.008)


def metals() -> Problem:
    """Ten values: eight are alike, one is good, one much better."""
    height = np.array([0.45, 0.5, 0.42, 0.75, 0.48, 0.44, 0.5, 1.0, 0.4, 0.46])
    axes = (Choice("metal", letters(10, "metal")), Real("load_pct", 0.1, 10, log=True), Integer("cycles", 1, 8))
    return mixed(
        "metals", axes, lambda u, c: height[c[:, 0]] * (0.4 + 0.6 * bump(u, (0.63, 0.28), (0.3, 0.4))), noise=0.006
    )


def esters() -> Problem:
    """Held out: seven values that lift and stretch one hill in three numbers."""
    rng = stream(11, "esters")
    lift, height = rng.permutation(np.linspace(0, 0.2, 7)), rng.permutation(spaced(0.5, 1.0, 7))
    axes = (Choice("ester", letters(7, "ester")), TEMP, TIME, LOAD)
    return mixed(
        "esters",
        axes,
        lambda u, c: lift[c[:, 0]] + height[c[:, 0]] * bump(u, (0.36, 0.7, 0.3), (0.35, 0.35, 0.4)),
        0.008,
        held_out=True,
    )


def membranes() -> Problem:
    """Held out: three by eight values that interact, a number and an integer."""
    rng = stream(12, "membranes")
    table = rng.uniform(0, 0.25, (3, 1)) + rng.uniform(0, 0.25, (1, 8)) + rng.uniform(0, 0.3, (3, 8))
    shift = rng.uniform(-0.12, 0.12, (3, 8))
    axes = (
        Choice("support", letters(3, "support")),
        Choice("polymer", letters(8, "polymer")),
        Real("pressure_bar", 1, 20),
        Integer("layers", 1, 9),
    )

    def flux(u: Matrix, c: Positions) -> Values:
        centre = np.column_stack([0.66 + shift[c[:, 0], c[:, 1]], np.full(len(u), 0.3)])
        return table[c[:, 0], c[:, 1]] + 0.5 * bump(u, centre, (0.25, 0.35))

    return mixed("membranes", axes, flux, 0.008, held_out=True)


def batch() -> Problem:
    """Held out: A to B to C in a batch, six catalysts; B is k1 / (k2 - k1) (exp(-k1 t) - exp(-k2 t))."""
    rng = stream(13, "batch")
    rate = np.column_stack([rng.uniform(0.05, 0.3, 6), rng.uniform(0.004, 0.06, 6)])
    energy = np.column_stack([rng.uniform(45, 70, 6), rng.uniform(60, 100, 6)])
    axes = (
        Choice("catalyst", letters(6, "cat")),
        Real("temp_K", 320, 400),
        Real("time_min", 1, 120, log=True),
        Real("ratio", 0.5, 3),
    )

    def yield_of(u: Matrix, c: Positions) -> Values:
        kelvin, minutes, ratio = 320 + 80 * u[:, 0], 120 ** u[:, 1], 0.5 + 2.5 * u[:, 2]
        inverse = (1 / 350 - 1 / kelvin) / 8.314e-3
        first = rate[c[:, 0], 0] * np.exp(energy[c[:, 0], 0] * inverse) * np.sqrt(ratio)
        second = rate[c[:, 0], 1] * np.exp(energy[c[:, 0], 1] * inverse) * (0.7 + 0.3 * ratio**2)
        gap = np.where(np.abs(second - first) < 1e-9, 1e-9, second - first)
        return np.asarray(first / gap * (np.exp(-first * minutes) - np.exp(-second * minutes)))

    return mixed("batch", axes, yield_of, 0.01, held_out=True)


def blades() -> Problem:
    """Held out: three values, each with its own hill in four numbers."""
    rng = stream(14, "blades")
    centre, height = rng.uniform(0.2, 0.8, (3, 4)), np.array([0.85, 0.7, 1.0])
    axes = (
        Choice("blade", letters(3, "blade")),
        Real("angle", 0, 40),
        Real("pitch", 1, 9),
        TEMP,
        Real("rpm", 200, 3000),
    )
    return mixed("blades", axes, lambda u, c: height[c[:, 0]] * bump(u, centre[c[:, 0]], 0.42), 0.008, held_out=True)


def resins() -> Problem:
    """Held out: twelve values with hills at other places, over a number and an integer."""
    rng = stream(15, "resins")
    centre = np.column_stack([rng.uniform(0.5, 0.85, 12), rng.uniform(0.15, 0.5, 12)])
    height = rng.permutation(spaced(0.4, 1.0, 12))
    axes = (Choice("resin", letters(12, "resin")), TEMP, Integer("passes", 1, 10))
    return mixed(
        "resins",
        axes,
        lambda u, c: 0.15 * u[:, 0] + height[c[:, 0]] * bump(u, centre[c[:, 0]], (0.25, 0.35)),
        0.008,
        held_out=True,
    )


# A reactor, eight values, old results.

HEIGHTS = np.array([0.60, 0.75, 0.85, 1.00])
SOLVENTS = ("heptane", "toluene", "acetone", "DMF")
WORST_SOLVENT = SOLVENTS[0]
REACTOR = (Choice("solvent", SOLVENTS), Real("temp_C", 20, 120), Real("time_min", 1, 10))
REACTOR_TRAVEL = serial(Ramp("temp_C", up=5, down=2, unit="min"), Switch("solvent", 20, unit="min"))


def reactor_yield(u: Matrix, c: Positions) -> Values:
    """Return the yield: the same hill in four solvents, at 82 °C and 3.7 min."""
    return HEIGHTS[c[:, 0]] * bump(u, (0.62, 0.3), (0.2, 0.25))


def reactor() -> Problem:
    """The reactor of four solvents."""
    return Problem("reactor", "reactor", REACTOR, reactor_yield, 40, 0.01, REACTOR_TRAVEL)


def eight_values() -> Problem:
    """Eight values of an additive choice, and two numbers."""
    lift = np.array([0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.38, 0.5])
    axes = (Choice("electrolyte", letters(8, "salt")), TEMP, Real("molar", 0.1, 2))
    return Problem(
        "eight-values",
        "values",
        axes,
        lambda u, c: lift[c[:, 0]] + 0.6 * bump(u, (0.34, 0.67), (0.28, 0.3)),
        100,
        0.008,
        machine(*axes),
    )


def new_solvent() -> Problem:
    """The reactor with 12 old results in three solvents, and a fourth solvent that is better."""
    return Problem("new-solvent", "old", REACTOR, reactor_yield, 40, 0.01, REACTOR_TRAVEL, old=12, new="DMF")


# Regions that always fail.


def pressure_limit() -> Problem:
    """The yield rises with temperature, and a hidden pressure limit cuts off where it would be highest."""
    axes = (Real("temp_C", 40, 180), Real("time_min", 1, 60, log=True), Real("fill", 0.2, 0.9))

    def yield_of(u: Matrix, c: Positions) -> Values:
        return bump(u, (0.85, 0.6, 0.8), (0.45, 0.4, 0.5))

    def excess(u: Matrix, c: Positions) -> Values:
        # The vapour doubles every 25 °C, and the gas above the liquid is compressed as the vessel is filled.
        bar = 0.5 * 2 ** ((140 * u[:, 0] - 40) / 25) / (1.1 - (0.2 + 0.7 * u[:, 2]))
        return bar - 4

    return Problem("pressure-limit", "failing", axes, yield_of, 40, 0.005, machine(*axes), breaks=excess)


def disc() -> Problem:
    """The highest hill is within a disc where everything fails; the second hill is to be found."""
    axes = (Real("x_mm", 0, 200), Real("y_mm", 0, 100))

    def value(u: Matrix, c: Positions) -> Values:
        return bump(u, (0.42, 0.56), 0.17) + 0.9 * bump(u, (0.82, 0.22), (0.15, 0.17))

    def inside(u: Matrix, c: Positions) -> Values:
        return 0.27 - np.hypot(u[:, 0] - 0.42, u[:, 1] - 0.56)

    return Problem("disc", "failing", axes, value, 40, 0.005, machine(*axes), breaks=inside)


def bad_salt() -> Problem:
    """One of five salts always fails, and two more do when they are hot and concentrated."""
    height = np.array([0.7, 1.0, 0.8, 0.9, 0.6])
    axes = (Choice("salt", letters(5, "salt")), TEMP, Real("molar", 0.1, 2))

    def value(u: Matrix, c: Positions) -> Values:
        return height[c[:, 0]] * bump(u, (0.7, 0.64), (0.3, 0.3))

    def breaks(u: Matrix, c: Positions) -> Values:
        corner = u.sum(axis=1) - 1.5
        return np.where(c[:, 0] == 1, 1.0, np.where((c[:, 0] == 3) | (c[:, 0] == 4), corner, -1.0))

    return Problem("bad-salt", "failing", axes, value, 40, 0.005, machine(*axes), breaks=breaks)


# Measured limits.

GARDNER = "Gardner et al. 2014, Bayesian Optimization with Inequality Constraints"
GRAMACY = "Gramacy et al. 2016, Modeling an Augmented Lagrangian for Blackbox Constrained Optimization"


def gardner_one() -> Problem:
    """The first simulation of Gardner et al.: a wave with a curved limit, on a square of 6 by 6."""
    axes = (Real("x", 0, 6), Real("y", 0, 6))

    def value(u: Matrix, c: Positions) -> Values:
        x, y = 6 * u.T
        return np.asarray(-(np.cos(2 * x) * np.cos(y) + np.sin(x)))

    def limit(u: Matrix, c: Positions) -> Values:
        x, y = 6 * u.T
        return np.asarray(np.cos(x) * np.cos(y) - np.sin(x) * np.sin(y))

    limits = (Limit("c", limit, most=0.5),)
    return Problem("gardner-1", "measured", axes, value, 60, 0.0, Euclidean(), "", source=GARDNER, limits=limits)


def gardner_two() -> Problem:
    """The second simulation of Gardner et al.: 2% of the square comply, in two small regions."""
    axes = (Real("x", 0, 6), Real("y", 0, 6))

    def value(u: Matrix, c: Positions) -> Values:
        x, y = 6 * u.T
        return np.asarray(-(np.sin(x) + y))

    def limit(u: Matrix, c: Positions) -> Values:
        x, y = 6 * u.T
        return np.asarray(np.sin(x) * np.sin(y))

    limits = (Limit("c", limit, most=-0.95),)
    return Problem(
        "gardner-2", "measured", axes, value, 60, 0.0, Euclidean(), "", held_out=True, source=GARDNER, limits=limits
    )


def gramacy() -> Problem:
    """The toy problem of Gramacy et al.: a plane with a wavy limit and a round one, on the unit square."""
    axes = (Real("x1", 0, 1), Real("x2", 0, 1))

    def wavy(u: Matrix, c: Positions) -> Values:
        x, y = u.T
        return np.asarray(1.5 - x - 2 * y - 0.5 * np.sin(2 * np.pi * (x**2 - 2 * y)))

    limits = (Limit("c1", wavy, most=0.0), Limit("c2", lambda u, c: (u**2).sum(axis=1), most=1.5))
    return Problem(
        "gramacy",
        "measured",
        axes,
        lambda u, c: -u.sum(axis=1),
        60,
        0.0,
        Euclidean(),
        "",
        source=GRAMACY,
        limits=limits,
    )


def autoclave() -> Problem:
    """Four solvents with other vapour pressures: the best by yield alone boils over."""
    height, boiling = np.array([0.7, 0.85, 0.8, 1.0]), np.array([110.0, 80.0, 65.0, 40.0])
    axes = (Choice("solvent", SOLVENTS), Real("temp_C", 30, 150), Real("time_min", 1, 60, log=True))

    def yield_of(u: Matrix, c: Positions) -> Values:
        return height[c[:, 0]] * bump(u, (0.7, 0.62), (0.3, 0.35))

    def pressure(u: Matrix, c: Positions) -> Values:
        return np.asarray(2 ** ((30 + 120 * u[:, 0] - boiling[c[:, 0]]) / 20))

    limits = (Limit("pressure_bar", pressure, most=3.0, noise=0.02),)
    return Problem("autoclave", "measured", axes, yield_of, 60, 0.005, machine(*axes), limits=limits)


def extruder() -> Problem:
    """Output in three numbers, with a melt that must not be too hot and a strand that must be strong enough."""
    axes = (Real("rpm", 20, 200), Real("barrel_C", 160, 240), Real("feed", 1, 10))

    def output(u: Matrix, c: Positions) -> Values:
        return 0.25 * u[:, 2] + 0.15 * u[:, 0] + 0.6 * bump(u, (0.62, 0.36, 0.9), (0.35, 0.4, 0.45))

    def melt(u: Matrix, c: Positions) -> Values:
        return 160 + 80 * u[:, 1] + 45 * u[:, 0] ** 1.5 - 10 * u[:, 2]

    def strength(u: Matrix, c: Positions) -> Values:
        return np.asarray(40 - 14 * u[:, 2] ** 2 - 6 * np.square(u[:, 1] - 0.25))

    limits = (Limit("melt_C", melt, most=215.0, noise=0.5), Limit("strength_MPa", strength, least=30.0, noise=0.1))
    return Problem("extruder", "measured", axes, output, 60, 0.005, machine(*axes), limits=limits)


MAKERS: tuple[Callable[[], Problem], ...] = (
    catalysts,
    solvents,
    peaks_four,
    peaks_eight,
    additives,
    bases,
    ligands,
    coats,
    nozzles,
    series,
    rugged,
    metals,
    esters,
    membranes,
    batch,
    blades,
    resins,
    reactor,
    eight_values,
    new_solvent,
    pressure_limit,
    disc,
    bad_salt,
    gardner_one,
    gramacy,
    autoclave,
    extruder,
    gardner_two,
)
PROBLEMS: dict[str, Problem] = {problem.name: problem for problem in (make() for make in MAKERS)}
"""All problems, by name."""

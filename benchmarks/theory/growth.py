"""The part ``growth``: regret and movement of the batched Gaussian-process policies over T up to 100,000.

The places are a grid in the unit interval or square and the functions are drawn from the model, which is
known, as the proofs assume. ``tucb``, ``tts`` and ``bpe-heuristic`` are as in the catalogue: their constants (two
standard deviations for a bound, one to rule a place out) are those that serve at a hundred trials, and are
too bold for ever: on some seeds the best place is ruled out, and then regret grows like T. The same with
``-proof`` have the constants of the union bound over all places and trials, sqrt(2 log(K T^2 pi^2 / (6
delta))) with delta = 0.1.

The movement of a batch of b different places is at most that of the worst ones: the interval twice, or in the
square sqrt(2 b) + 1.75 (Few 1955) and the way there. Added up over the batches that is ``bound``.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from attrs import evolve

import theory.laws as law
from theory.laws import Key, Law
from theory.part import Part, Row
from theory.table import TableGP, matern
from theory.walk import Walk, walk
from wayfare._core.arrays import Points, Values
from wayfare._core.rng import stream
from wayfare.bench.report import Sheet
from wayfare.planning.catalogue import method_named
from wayfare.planning.method import Method
from wayfare.policy import UCB, Elimination, PureExploration, Thompson
from wayfare.policy.schedule import Growing, LogLog
from wayfare.space import Places
from wayfare.travel import Euclidean

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SIDES = {1: 64, 2: 16}
SMALL_SIDES = {1: 12, 2: 4}
TRIALS = tuple(round(10 ** (power / 2)) for power in range(4, 11))
FEW = (10, 32, 100)
LENGTH, NOISE, DELTA = 0.2, 0.5, 0.1
SETTINGS = {1: "interval", 2: "square"}


def width(places: int, trials: int) -> float:
    """Return how many standard deviations bound all places at all trials, but with probability delta."""
    return math.sqrt(2 * math.log(places * trials**2 * math.pi**2 / (6 * DELTA)))


METHODS: dict[str, Callable[[float], Method]] = {
    "tucb": lambda sds: method_named("tucb"),
    "tts": lambda sds: method_named("tts"),
    "bpe-heuristic": lambda sds: method_named("bpe-heuristic"),
    "tucb-proof": lambda sds: Method(Elimination(UCB(beta=sds**2), eta=sds), Growing(1.1)),
    "tts-proof": lambda sds: Method(Elimination(Thompson(), eta=sds), Growing(1.1)),
    "bpe-proof": lambda sds: Method(Elimination(PureExploration(fresh=True), eta=sds), LogLog()),
}
"""By how many standard deviations the proof asks for."""

Cell = tuple[str, int, int, bool]
"""A method, a dimension, a seed, and whether it is small."""


def cells(seeds: int, quick: bool) -> list[Cell]:
    """Return every method in every dimension under every seed."""
    return [(name, d, seed, quick) for seed in range(seeds) for d in SIDES for name in METHODS]


def measure(cell: Cell) -> list[Row]:
    """Return where a method stood at each of the numbers of trials.

    Methods that plan by T take a walk for each number of trials; for the others one walk passes them all.
    """
    name, d, seed, quick = cell
    counts = FEW if quick else TRIALS
    table = grid((SMALL_SIDES if quick else SIDES)[d], d)
    covariance = matern(table, LENGTH)
    root = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(table)))
    values = root @ stream(seed, "theory", "growth", d).standard_normal(len(table))
    space = Places(table)
    method = METHODS[name](width(len(table), counts[-1]))
    method = evolve(method, surrogate=TableGP(table, covariance, NOISE**2))
    run = partial(walk, method, space, values, NOISE, Euclidean().bind(space))
    ends = counts if isinstance(method.schedule, LogLog) else counts[-1:]
    walks = [(trials, run(trials, stream(seed, "theory", "growth", d, name, trials))) for trials in ends]
    by_horizon = dict(walks)
    return [at(cell, trials, by_horizon.get(trials, walks[-1][1]), len(table)) for trials in counts]


def at(cell: Cell, trials: int, done: Walk, places: int) -> Row:
    """Return the row of a walk after so many trials; within a batch all grows evenly."""
    name, d, seed, _ = cell
    passed = np.concatenate([[0.0], done.trials])

    def then(values: Values) -> float:
        return float(np.interp(trials, passed, np.concatenate([[0.0], values])))

    sizes = np.diff(passed)
    numbers = {
        "trials": float(trials),
        "regret": then(done.regret),
        "movement": then(done.movement),
        "tours": float(np.searchsorted(done.trials, trials) + 1),
        "bound": then(np.cumsum([longest(min(size, places), d) for size in sizes])),
    }
    return law.row(SETTINGS[d], name, seed, numbers)


def longest(places: float, d: int) -> float:
    """Return the longest way there can be through so many places of the unit interval or square."""
    return 2.0 if d == 1 else math.sqrt(2 * places) + 1.75 + math.sqrt(2)


def grid(side: int, d: int) -> Points:
    """Return the middles of the cells of a grid."""
    ticks = (np.arange(side) + 0.5) / side
    return np.stack(np.meshgrid(*[ticks] * d, indexing="ij"), axis=-1).reshape(-1, d)


LAWS: dict[Key, Law] = {
    (setting, name): Law(0.5 if name.endswith("proof") else None, 0.0)
    for setting in SETTINGS.values()
    for name in METHODS
}
"""Regret by the square root of T but for logarithms; movement by logarithms, for the places are finite."""


def table(rows: Sequence[Row]) -> Sheet:
    """Return the exponents beside the theory's."""
    return law.law_table(rows, LAWS)


def draw(rows: Sequence[Row]) -> "Figure":
    """Return the picture."""
    return law.draw_laws(rows, LAWS, "side of the square")


GROWTH = Part("growth", "regret and movement of batched policies over T", cells, measure, table, draw)

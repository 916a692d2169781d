"""The part ``growth``: regret and movement of the batched Gaussian-process policies over T up to 100,000.

The places are a grid in the unit interval or square and the functions are drawn from the model, which is
known, as the proofs assume. ``tucb``, ``tts`` and ``bpe-heuristic`` are as in the catalogue: their constants (two
standard deviations for a bound, one to rule a place out) are those that serve at a hundred trials, and are
too bold for ever: on some seeds the best place is ruled out, and then regret grows like T. The same with
``-proof`` have the constants of the union bound over all places and trials, sqrt(2 log(K T^2 pi^2 / (6
delta))) with delta = 0.1. ``bpe`` is told the kernel and the noise; for a function drawn from the model its
bound holds without a norm, by the union bound over all places and batches, sqrt(2 log(K B / delta)).

The movement of a batch of b different places is at most that of the worst ones: the interval twice, or in the
square sqrt(2 b) + 1.75 (Few 1955) and the way there. Added up over the batches that is ``bound``. ``rate`` is the
bound on regret but for a constant: width sqrt(T gamma_T), and for ``bpe`` times the number of batches.
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
from theory.table import TableGP, matern, rows_of
from theory.walk import Goal, Walk, walk
from wayfare._core.arrays import Points, Values
from wayfare._core.rng import stream
from wayfare.bench.report import Sheet
from wayfare.planning.catalogue import method_named
from wayfare.planning.method import Method
from wayfare.planning.opening import JustStart
from wayfare.policy import BPE, UCB, Elimination, Thompson
from wayfare.policy.bpe import most_batches
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


Build = Callable[[float, Points], Method]
"""From the number of standard deviations that the proof asks for, and the places."""

METHODS: dict[str, Build] = {
    "tucb": lambda sds, table: method_named("tucb"),
    "tts": lambda sds, table: method_named("tts"),
    "bpe-heuristic": lambda sds, table: method_named("bpe-heuristic"),
    "tucb-proof": lambda sds, table: Method(Elimination(UCB(beta=sds**2), eta=sds), Growing(1.1)),
    "tts-proof": lambda sds, table: Method(Elimination(Thompson(), eta=sds), Growing(1.1)),
    "bpe": lambda sds, table: Method(told(table), LogLog(), opening=JustStart()),
}


def told(table: Points) -> BPE:
    """Return pure exploration that is told the model."""
    # Its length-scale is a share of the diagonal of the box about the places, a cell smaller than the unit box.
    length = LENGTH / float(np.linalg.norm(np.ptp(table, axis=0)))
    return BPE(length=length, ridge=NOISE**2, norm=0.0, noise=NOISE, delta=DELTA, mean=0.0, spread=1.0)


PROVEN = ("tucb-proof", "tts-proof", "bpe")
"""Methods whose constants are those of a proof."""

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
    goal = Goal(lambda x: values[rows_of(x, table)], float(values.max()), NOISE)
    space = Places(table)
    method = METHODS[name](width(len(table), counts[-1]), table)
    method = evolve(method, surrogate=TableGP(table, covariance, NOISE**2))
    run = partial(walk, method, space, goal, Euclidean().bind(space))
    ends = counts if isinstance(method.schedule, LogLog) else counts[-1:]
    walks = {trials: run(trials, stream(seed, "theory", "growth", d, name, trials)) for trials in ends}
    spectrum = np.linalg.eigvalsh(covariance) / len(table)
    return [at(cell, trials, walks.get(trials, walks[ends[-1]]), spectrum) for trials in counts]


def at(cell: Cell, trials: int, done: Walk, spectrum: Values) -> Row:
    """Return the row of a walk after so many trials."""
    name, d, seed, quick = cell
    places = len(spectrum)
    wide = width(places, (FEW if quick else TRIALS)[-1])
    if name == "bpe":
        batches = most_batches(trials)
        wide = batches * math.sqrt(2 * math.log(places * batches / DELTA))
    numbers = {
        "trials": float(trials),
        "regret": done.after(trials, done.regret),
        "movement": done.after(trials, done.movement),
        "tours": float(np.searchsorted(done.trials, trials) + 1),
        "bound": done.after(trials, np.cumsum([law.longest_way(min(size, places), d) for size in done.sizes])),
        "rate": wide * math.sqrt(trials * law.information(spectrum, trials, NOISE**2)) if name in PROVEN else math.nan,
    }
    return law.row(SETTINGS[d], name, seed, numbers)


def grid(side: int, d: int) -> Points:
    """Return the middles of the cells of a grid."""
    ticks = (np.arange(side) + 0.5) / side
    return np.stack(np.meshgrid(*[ticks] * d, indexing="ij"), axis=-1).reshape(-1, d)


LAWS: dict[Key, Law] = {
    (setting, name): Law(0.5 if name in PROVEN else None, 0.0) for setting in SETTINGS.values() for name in METHODS
}
"""Regret by the square root of T but for logarithms; movement by logarithms, for the places are finite."""


def table(rows: Sequence[Row]) -> Sheet:
    """Return the exponents beside the theory's."""
    return law.law_table(rows, LAWS)


def draw(rows: Sequence[Row]) -> "Figure":
    """Return the picture."""
    return law.draw_laws(rows, LAWS, "side of the square")


GROWTH = Part("growth", "regret and movement of batched policies over T", cells, measure, table, draw)

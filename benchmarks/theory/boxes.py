"""The part ``boxes``: regret and movement in continuous boxes of one, two and three dimensions.

The functions are sums of 30 d Matérn-5/2 bumps with the norm ``NORM`` in the kernel's space, so that all which the
proof of batched pure exploration assumes is known: ``bpe`` is told the kernel, the norm and the noise, and has a set
of as many places as there are trials, from 1,000 to 3,162. Regret is that to the best of the whole box. They are smooth
enough that ``bpe`` rules places out within a thousand trials in the cube, too: until then its regret grows like
T. The other methods are those of the catalogue; they are told the noise alone and fit a belief of their own. A walk
plans as a study does. How far T goes is what each method costs: an exact Gaussian process takes n^3 steps for n
results, ``bpe`` n^2 for each place of its set.

Movement in a batch of b places is at most that of the worst ones: the interval twice, sqrt(2 b) + 1.75 in the square
(Few 1955), and in the cube a walk through columns m by m with a detour to each place, for the best m; and the way
there. Added up over the batches that is ``bound``.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

import theory.laws as law
from theory.laws import Key, Law
from theory.part import Part, Row
from theory.walk import Goal, Walk, walk
from wayfare._core.arrays import Matrix, Points, Values
from wayfare._core.rng import stream
from wayfare.bench.report import Sheet
from wayfare.planning.catalogue import method_named
from wayfare.planning.method import Method
from wayfare.planning.opening import JustStart
from wayfare.policy import BPE
from wayfare.policy.bpe import most_batches
from wayfare.policy.schedule import LogLog
from wayfare.space import Real, Space
from wayfare.surrogate.kernels import Matern52
from wayfare.travel import Euclidean

if TYPE_CHECKING:
    from matplotlib.figure import Figure


TRIALS = (100, 316, 1000, 3162, 10_000, 31_623)
FEW = (8, 16, 32)
METHODS = {"wayfare": 3162, "tucb": 3162, "tts": 3162, "bpe": 31_623}
"""The methods, and how far T goes for each."""
PLANS_BY_HORIZON = ("wayfare", "bpe")
"""Methods that plan by T take a walk for each number of trials; for the others one walk passes them all."""
SETTINGS = {1: "interval", 2: "square", 3: "cube"}
LENGTH, NORM, NOISE, DELTA = 0.3, 3.0, 0.1, 0.1
"""The length-scale is a share of the diagonal."""
LEAST_PLACES, MOST_PLACES = 1000, 3162
"""How many places the set of ``bpe`` has: as many as there are trials, within these."""
MESH = 1500
"""At how many places the information to be gained is worked out."""

Cell = tuple[str, int, int, bool]
"""A method, a dimension, a seed, and whether it is small."""


@frozen(eq=False)
class Bumps:
    """A function of the kernel's space: ``weights`` times the kernel about ``centres``."""

    centres: Points
    weights: Values

    def __call__(self, x: Points) -> Values:
        """Return the values at the rows of ``x``."""
        return np.asarray(covariance(x, self.centres) @ self.weights)

    @property
    def norm(self) -> float:
        """The norm in the kernel's space."""
        return math.sqrt(self.weights @ covariance(self.centres, self.centres) @ self.weights)


def covariance(a: Points, b: Points) -> Matrix:
    """Return the kernel between places of the unit box."""
    return Matern52().profile(np.square(cdist(a, b) / (LENGTH * math.sqrt(a.shape[1]))))


def bumps(d: int, seed: int) -> Bumps:
    """Return a function drawn at random, of the norm ``NORM``."""
    rng = stream(seed, "theory", "boxes", d)
    drawn = Bumps(rng.random((30 * d, d)), rng.standard_normal(30 * d))
    return Bumps(drawn.centres, drawn.weights * (NORM / drawn.norm))


def highest(function: Bumps) -> float:
    """Return the highest value in the box: the best of many climbs."""
    d = function.centres.shape[1]
    x = stream(0, "theory", "climbs").random((20_000, d))
    starts = x[np.argsort(function(x))[-20:]]

    def below(place: Values) -> float:
        return -float(function(place[None, :])[0])

    return max(-float(minimize(below, start, bounds=[(0, 1)] * d).fun) for start in starts)


def cells(seeds: int, quick: bool) -> list[Cell]:
    """Return every method in every dimension under every seed."""
    return [(name, d, seed, quick) for seed in range(seeds) for d in SETTINGS for name in METHODS]


def measure(cell: Cell) -> list[Row]:
    """Return where a method stood at each of the numbers of trials."""
    name, d, seed, quick = cell
    counts = FEW if quick else [trials for trials in TRIALS if trials <= METHODS[name]]
    function = bumps(d, seed)
    goal = Goal(function, highest(function), NOISE)
    space = Space(*(Real(f"x{axis}", 0.0, 1.0) for axis in range(d)))
    ends = counts if name in PLANS_BY_HORIZON else counts[-1:]
    walks = {}
    for trials in ends:
        rng = stream(seed, "theory", "boxes", d, name, trials)
        walks[trials] = walk(method(name, trials), space, goal, Euclidean().bind(space), trials, rng)
    return [at(cell, trials, walks.get(trials, walks[ends[-1]])) for trials in counts]


def method(name: str, trials: int) -> Method:
    """Return a method of the catalogue; ``bpe`` with the constants of its proof stated."""
    if name != "bpe":
        return method_named(name)
    policy = BPE(
        places=set_size(trials),
        length=LENGTH,
        ridge=NOISE**2,
        norm=NORM,
        noise=NOISE,
        delta=DELTA,
        mean=0.0,
        spread=1.0,
    )
    return Method(policy, LogLog(), opening=JustStart())


def set_size(trials: int) -> int:
    """Return how many places the set of ``bpe`` has in so many trials."""
    return min(max(LEAST_PLACES, trials), MOST_PLACES)


def at(cell: Cell, trials: int, done: Walk) -> Row:
    """Return the row of a walk after so many trials."""
    name, d, seed, _ = cell
    numbers = {
        "trials": float(trials),
        "regret": done.after(trials, done.regret),
        "movement": done.after(trials, done.movement),
        "tours": float(np.searchsorted(done.trials, trials) + 1),
        "bound": done.after(trials, np.cumsum([law.longest_way(size, d) for size in done.sizes])),
        "rate": rate(d, trials) if name == "bpe" else math.nan,
    }
    return law.row(SETTINGS[d], name, seed, numbers)


def rate(d: int, trials: int) -> float:
    """Return how the bound on the regret of ``bpe`` grows: width, batches and sqrt(T gamma_T), but for a constant."""
    batches = most_batches(trials)
    width = NORM + math.sqrt(2 * math.log(set_size(trials) * batches / DELTA))
    return width * batches * math.sqrt(trials * information(d, trials))


def information(d: int, trials: int) -> float:
    """Return the information of so many results that are spread evenly over the box."""
    return law.information(spectrum(d), trials, NOISE**2)


@cache
def spectrum(d: int) -> Values:
    """Return the eigenvalues of the kernel in the box, those of the covariance of many places over their number."""
    x = stream(0, "theory", "mesh").random((MESH, d))
    return np.linalg.eigvalsh(covariance(x, x)) / MESH


def power(d: int) -> float:
    """Return the power of T in sqrt(T gamma_T), where gamma_T is T^(d / (5 + d)) but for logarithms."""
    return 0.5 + 0.5 * d / (5 + d)


LAWS: dict[Key, Law] = {
    (setting, name): Law(power(d) if name == "bpe" else None, 1 - 1 / d)
    for d, setting in SETTINGS.items()
    for name in METHODS
}
"""Movement in few batches is bounded for all of them, regret for ``bpe`` alone; but for logarithms."""


def table(rows: Sequence[Row]) -> Sheet:
    """Return the exponents beside the theory's."""
    return law.law_table(rows, LAWS)


def draw(rows: Sequence[Row]) -> "Figure":
    """Return the picture."""
    return law.draw_laws(rows, LAWS, "side of the box")


BOXES = Part("boxes", "regret and movement in continuous boxes over T", cells, measure, table, draw)

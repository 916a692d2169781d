"""The part ``arms``: BaSE among ten arms against UCB1 and Thompson sampling, over T up to a million pulls.

The arms are places drawn in the unit square, pulls succeed or not, with chances drawn between 0.1 and 0.9.
``base`` and ``base-minimax``, the published grid, are those of the catalogue; they run as studies that know
their noise, 1/2, the half range of a success or failure, and hand out runs. ``ucb1-half`` knows as much.
``ucb1`` is the published one, whose bonus is twice as wide. One at a time, the last three stop at 100,000.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

import theory.laws as law
from theory.laws import Key, Law
from theory.part import Part, Row
from theory.pulls import Stand, follow, run_study
from wayfare._core.arrays import Order, Points, Values
from wayfare._core.rng import stream
from wayfare.bench.report import Sheet
from wayfare.policy.bandit import beta_draw, ucb1_index
from wayfare.space import Places
from wayfare.study.study import Study
from wayfare.travel import Euclidean

if TYPE_CHECKING:
    from matplotlib.figure import Figure


ARMS, HALF = 10, 0.5
SETTING = f"{ARMS} arms"
TRIALS = tuple(round(10 ** (power / 2)) for power in range(4, 13))
ONE_BY_ONE = 100_000
FEW = (100, 316, 1000)
RUNS = ("base", "base-minimax")
SINGLE = ("ucb1", "ucb1-half", "ts-beta")

Cell = tuple[str, int, bool]
"""A method, a seed, and whether it is small."""


def cells(seeds: int, quick: bool) -> list[Cell]:
    """Return every method under every seed."""
    return [(name, seed, quick) for seed in range(seeds) for name in (*RUNS, *SINGLE)]


def measure(cell: Cell) -> list[Row]:
    """Return where a method stood at each of the numbers of pulls."""
    name, seed, quick = cell
    made = stream(seed, "theory", "arms")
    places, chances = made.random((ARMS, 2)), made.uniform(0.1, 0.9, ARMS)
    rng = stream(seed, "theory", "arms", name)
    trials = FEW if quick else TRIALS
    stands = (
        [studied(name, places, chances, n, seed, rng) for n in trials]
        if name in RUNS
        else single(name, places, chances, [n for n in trials if n <= ONE_BY_ONE], rng)
    )
    return [row(name, seed, stand) for stand in stands]


def row(name: str, seed: int, stand: Stand) -> Row:
    """Return where a method stood as a row; a tour of ten places in the unit square is at most so long."""
    numbers = {
        "trials": float(stand.trials),
        "regret": stand.regret,
        "movement": stand.movement,
        "tours": float(stand.tours),
        "bound": stand.tours * law.longest_way(ARMS, 2) if name in RUNS else float("nan"),
    }
    return law.row(SETTING, name, seed, numbers)


def studied(name: str, places: Points, chances: Values, trials: int, seed: int, rng: Generator) -> Stand:
    """Return where a study of so many pulls ends."""
    space = Places(places)
    study = Study.create(
        space,
        direction="maximize",
        travel=Euclidean(),
        trials=trials,
        start=[0.5, 0.5],
        method=name,
        seed=seed,
        noise=HALF,
    )

    def tell(x: Values, count: int) -> Values:
        chance = chances[int(space.index(x[None, :])[0])]
        mean = rng.binomial(count, chance) / count
        return np.array([mean, mean * (1 - mean) * count / max(count - 1, 1)])

    return run_study(study, lambda x: float(chances.max() - chances[int(space.index(x[None, :])[0])]), tell)


def single(name: str, places: Points, chances: Values, at: Sequence[int], rng: Generator) -> list[Stand]:
    """Return where a method that pulls one arm at a time stands at these numbers of pulls."""
    draw_rng = rng.spawn(1)[0]

    def choose(sums: Values, counts: Order, t: int) -> int:
        if name == "ts-beta":
            return int(beta_draw(sums, counts, 1.0, 1.0, draw_rng).argmax())
        scale = 1.0 if name == "ucb1" else HALF
        return int(ucb1_index(sums / np.maximum(counts, 1), counts, t, scale=scale).argmax())

    def draw(arm: int, n: int, rng: Generator) -> Values:
        return np.asarray(rng.random(n) < chances[arm], dtype=float)

    between = Euclidean().bind(Places(places))
    first = between(np.array([[0.5, 0.5]]), places)[0]
    return follow(choose, draw, chances.max() - chances, between(places, places), first, at, rng)


LAWS: dict[Key, Law] = {(SETTING, name): Law(0.5, 0.0) for name in RUNS} | {
    (SETTING, name): Law(0.5, None) for name in SINGLE
}
"""Regret at worst by the square root of T; BaSE's movement by log log T."""


def table(rows: Sequence[Row]) -> Sheet:
    """Return the exponents beside the theory's."""
    return law.law_table(rows, LAWS)


def draw(rows: Sequence[Row]) -> "Figure":
    """Return the picture."""
    return law.draw_laws(rows, LAWS, "side of the square")


ARMED = Part("arms", "BaSE and one-by-one bandits among ten arms over T", cells, measure, table, draw)

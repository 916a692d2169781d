"""The part ``lipschitz``: BLiN in one and two dimensions against UCB1 on a mesh, and zooming, over T.

Two functions, both falling by at most 1 over the length of an axis (largest difference along any axis). The
``hill`` is a cone of height 1 around a place drawn at random: narrowing down pays. The ``needle`` is what the
lower bound is made of: flat ground, and somewhere a cone just as high as T trials can barely see, (noise^2
log T / T)^(1/(d+2)); so every T has a function of its own, and BLiN's regret of T^((d+1)/(d+2))
log(T)^(1/(d+2)) cannot be beaten by more than a factor and logarithms. The power of the logarithm is divided
out before the exponents are fitted.

``blin`` runs as a study and hands out runs. The others choose one place at a time, and are told the noise, as
BLiN is; ``zooming`` looks at the whole mesh at every step and stops at 10,000.
"""

import math
from collections.abc import Callable, Sequence
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
from wayfare.planning.catalogue import method_named
from wayfare.policy.bandit import bareness, mesh_parts, ucb1_index, zooming_index, zooming_radius
from wayfare.policy.bandit.cubes import every_cell, sup_distances
from wayfare.space import Real, Space
from wayfare.study.study import Study
from wayfare.travel import Euclidean

if TYPE_CHECKING:
    from matplotlib.figure import Figure


NOISE = 0.25
TRIALS = tuple(round(10 ** (power / 4)) for power in range(12, 21))
MOST_ZOOMING, MESH = 10_000, {1: 512, 2: 24}
FEW = (100, 316)
SETTINGS = {f"{shape}, d = {d}": (shape, d) for shape in ("hill", "needle") for d in (1, 2)}
METHODS = ("blin", "mesh-ucb1", "zooming")

Cell = tuple[str, str, int, bool]
"""A setting, a method, a seed, and whether it is small."""
Function = Callable[[Points], Values]


def cells(seeds: int, quick: bool) -> list[Cell]:
    """Return every method in every setting under every seed."""
    return [(setting, name, seed, quick) for seed in range(seeds) for setting in SETTINGS for name in METHODS]


def measure(cell: Cell) -> list[Row]:
    """Return where a method stood at each of the numbers of trials."""
    setting, name, seed, quick = cell
    shape, d = SETTINGS[setting]
    top = stream(seed, "theory", "lipschitz", setting).random(d)
    rows = []
    for trials in FEW if quick else TRIALS:
        if name == "zooming" and trials > MOST_ZOOMING:
            break
        height = 1.0 if shape == "hill" else (NOISE**2 * math.log(trials) / trials) ** (1 / (d + 2))
        function = cone(top, height)
        rng = stream(seed, "theory", "lipschitz", setting, name, trials)
        if name == "blin":
            stand = studied(function, height, d, trials, seed, rng)
        else:
            stand = meshed(name, function, height, d, trials, rng)
        numbers = {
            "trials": float(trials),
            "regret": stand.regret,
            "movement": stand.movement,
            "tours": float(stand.tours),
            "bound": float("nan"),
        }
        rows.append(law.row(setting, name, seed, numbers))
    return rows


def cone(top: Values, height: float) -> Function:
    """Return a cone of that height and of slope 1 on flat ground."""
    return lambda x: np.maximum(height - np.abs(x - top).max(axis=1), 0.0)


def studied(function: Function, height: float, d: int, trials: int, seed: int, rng: Generator) -> Stand:
    """Return where a study of so many trials ends."""
    study = Study.create(
        Space(*(Real(f"x{axis}", 0.0, 1.0) for axis in range(d))),
        direction="maximize",
        travel=Euclidean(),
        trials=trials,
        start=[0.5] * d,
        method=method_named("blin"),
        seed=seed,
        noise=NOISE,
    )

    def tell(x: Values, count: int) -> Values:
        mean = float(function(x[None, :])[0]) + NOISE * rng.standard_normal() / np.sqrt(count)
        return np.array([mean, NOISE**2 * rng.chisquare(max(count - 1, 1)) / max(count - 1, 1)])

    return run_study(study, lambda x: height - float(function(x[None, :])[0]), tell)


def meshed(name: str, function: Function, height: float, d: int, trials: int, rng: Generator) -> Stand:
    """Return where a method ends that chooses one place of a mesh at a time."""
    parts = mesh_parts(trials, d) if name == "mesh-ucb1" else MESH[d]
    places: Points = (every_cell(parts, d) + 0.5) / parts
    values = function(places)
    apart = sup_distances(places, places)

    def choose(sums: Values, counts: Order, t: int) -> int:
        if name == "mesh-ucb1":
            return int(ucb1_index(sums / np.maximum(counts, 1), counts, t, scale=NOISE).argmax())
        arms = np.flatnonzero(counts)
        if not len(arms):
            return len(counts) // 2
        radii = zooming_radius(counts[arms], trials, NOISE)
        bare = bareness(apart[arms], radii)
        if bare.max() > 0:
            return int(bare.argmax())
        return int(arms[zooming_index(sums[arms] / counts[arms], radii).argmax()])

    def draw(arm: int, n: int, rng: Generator) -> Values:
        return np.asarray(values[arm] + NOISE * rng.standard_normal(n))

    space = Space(*(Real(f"x{axis}", 0.0, 1.0) for axis in range(d)))
    cost = Euclidean().bind(space)
    first = cost(np.full((1, d), 0.5), places)[0]
    return follow(choose, draw, height - values, cost(places, places), first, [trials], rng)[0]


LAWS: dict[Key, Law] = {
    (setting, name): Law((d + 1) / (d + 2), 1 - 1 / d if name == "blin" else None, 1 / (d + 2))
    for setting, (_, d) in SETTINGS.items()
    for name in METHODS
}
"""The worst case; on a hill less is possible. Only BLiN's movement is bounded."""


def table(rows: Sequence[Row]) -> Sheet:
    """Return the exponents beside the theory's."""
    return law.law_table(rows, LAWS)


def draw(rows: Sequence[Row]) -> "Figure":
    """Return the picture."""
    return law.draw_laws(rows, LAWS, "side of the box")


LIPSCHITZ = Part("lipschitz", "BLiN and one-by-one bandits in a box over T", cells, measure, table, draw)

"""The part ``dimension``: what ``wf.dimension`` says of sets whose dimension is known."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from theory.grounds import sphere
from theory.part import Part, Row
from wayfare._core.arrays import Points
from wayfare._core.rng import stream
from wayfare.analysis.dimension import dimension
from wayfare.bench.report import Sheet
from wayfare.space import AnySpace, Choice, Places, Real, Space
from wayfare.travel import Chebyshev, Euclidean, Manhattan, Ramp, Switch, TravelCost, parallel

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Known = tuple[float, AnySpace, TravelCost]
"""A dimension, and a space and a cost that have it."""
Cell = tuple[str, int, int]
"""A set, the balls of its finest cover and a seed."""

CENTRES, FEW = 2048, 64


def box(*sides: float) -> Space:
    """Return a box with sides of these lengths."""
    return Space(*(Real(f"x{axis}", 0, side) for axis, side in enumerate(sides)))


def cantor_ends(level: int) -> Points:
    """Return both ends of the 2^level intervals that are left of the unit interval."""
    starts = np.zeros(1)
    for step in range(1, level + 1):
        starts = np.concatenate([starts, starts + 2 / 3**step])
    return np.sort(np.concatenate([starts, starts + 3.0**-level]))


@lru_cache(maxsize=1)
def known_sets() -> dict[str, Known]:
    """Return sets of known dimension, by name. Cached: callers must not change the dict."""
    rng = stream(0, "theory", "dimension")
    straight = Euclidean(unit="m")
    ends, few = cantor_ends(11), cantor_ends(5)
    angle = 2 * np.pi * rng.random(4096)
    bench = Space(Real("x", 0, 1), Real("y", 0, 1), Choice("tool", ["a", "b", "c"]))
    oven = Space(Real("heat", 0, 100), Real("flow", 0, 1))
    ramps = parallel(Ramp("heat", up=5, down=2, unit="s"), Ramp("flow", up=0.1, down=0.05, unit="s"))
    thin, dust = np.log(2) / np.log(3), np.log(4) / np.log(3)
    return {
        "line": (1.0, box(1), straight),
        "square": (2.0, box(1, 1), straight),
        "cube": (3.0, box(1, 1, 1), straight),
        "cube in 4-d": (4.0, box(1, 1, 1, 1), straight),
        "square, Manhattan": (2.0, box(1, 1), Manhattan(unit="m")),
        "square, Chebyshev": (2.0, box(1, 1), Chebyshev(unit="m")),
        "box of 10 by 1": (2.0, box(10, 1), straight),
        "3 squares, a switch apart": (2.0, bench, Euclidean(unit="s") + Switch("tool", 900)),
        "two ramps at once": (2.0, oven, ramps),
        "circle, 4096 places": (1.0, Places(np.column_stack([np.cos(angle), np.sin(angle)])), straight),
        "sphere, 8192 places": (2.0, Places(sphere(8192, rng)), straight),
        "Cantor set, 4096 places": (thin, Places(ends[:, None]), straight),
        "Cantor dust, 4096 places": (dust, Places(np.array(list(product(few, few)))), straight),
        "square, 500 places": (2.0, Places(rng.random((500, 2))), straight),
    }


def cells(seeds: int, quick: bool) -> list[Cell]:
    """Return every set under every seed."""
    return [(name, FEW if quick else CENTRES, seed) for seed in range(seeds) for name in known_sets()]


def measure(cell: Cell) -> list[Row]:
    """Return the estimate of a cell, a row for each scale that it rests on."""
    name, centres, seed = cell
    truth, space, travel = known_sets()[name]
    found = dimension(space, travel, seed=seed, centres=centres)
    own = {"set": name, "truth": truth, "seed": seed, "centres": centres}
    own |= {"estimate": found.estimate, "low": found.low, "high": found.high}
    scales = zip(found.radii.tolist(), found.balls.tolist(), strict=True)
    return [{**own, "radius": radius, "balls": balls, "unit": found.unit} for radius, balls in scales]


def by_set(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return one row per seed of each set."""
    found: dict[str, dict[int, Row]] = {}
    for row in rows:
        found.setdefault(row["set"], {})[row["seed"]] = row
    return {name: list(own.values()) for name, own in found.items()}


def table(rows: Sequence[Row]) -> Sheet:
    """Return the estimates, means over the seeds, beside the truth, and the worst error of any seed."""
    lines = []
    for name, own in by_set(rows).items():
        truth = own[0]["truth"]
        estimate, low, high = (float(np.mean([row[key] for row in own])) for key in ("estimate", "low", "high"))
        worst = max((row["estimate"] - truth for row in own), key=abs)
        lines.append((name, f"{truth:.2f}", f"{estimate:.2f} [{low:.2f}, {high:.2f}]", f"{worst:+.2f}"))
    return Sheet(("set", "truth", "estimate [95%]", "worst seed"), lines)


def draw(rows: Sequence[Row]) -> "Figure":
    """Return the picture."""
    from theory.pictures import draw_dimensions

    return draw_dimensions(rows)


DIMENSION = Part("dimension", "wf.dimension on sets whose dimension is known", cells, measure, table, draw)

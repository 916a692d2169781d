"""The part ``paths``: the shortest open path through n points against the theorem's n^(1 - 1/d).

The theorem bounds the path through any n points, and says that some n points need as much. Here the
points are drawn uniformly at random, the same way on every set and for every n; nothing is chosen by
dimension. Random points lie below the worst ones by a factor, not by a power: so their exponent must be
1 - 1/d as well, or 0 where d <= 1 and the path is bounded. Edges add a share of about n^(-1/d) to the
length, which fades slowly for large d: in cubes of several dimensions the exponent comes out a little
low. Evenly spread points (Sobol nets) would not be fairer: their paths jump with the digits of n.

The Cantor dust is not connected, which the theorem needs for d = 1 alone: its path is about a n^(1 - 1/d) less a
constant for the gaps, so its exponent comes down slowly from above, and at these n it is still 0.08 too high.

The paths are those of ``ShortRoute(kicks=1)``: 0.1 to 0.9% longer than with many more kicks, at 64 points
and at 2048, which bends the exponent by less than 0.002. The exponent is fitted seed by seed over all n;
its interval is Student's, and knows nothing of edges and gaps.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from theory.exponent import Exponent, exponent, slope
from theory.grounds import GROUNDS
from theory.part import Part, Row
from wayfare._core.rng import stream
from wayfare.bench.report import Sheet
from wayfare.route import ShortRoute, path_cost

if TYPE_CHECKING:
    from matplotlib.figure import Figure


STOPS = (64, 128, 256, 512, 1024, 2048)
FEW = (16, 32, 64)
NAMED = {ground.name: ground for ground in GROUNDS}

Cell = tuple[str, int, int]
"""A set, the number of points and a seed."""


def cells(seeds: int, quick: bool) -> list[Cell]:
    """Return every set with every number of points, seed by seed."""
    stops = FEW if quick else STOPS
    return [(name, n, seed) for seed in range(seeds) for name in NAMED for n in stops]


def measure(cell: Cell) -> list[Row]:
    """Return the length of a short path through the points of a cell."""
    name, n, seed = cell
    ground = NAMED[name]
    draw_rng, route_rng = stream(seed, "theory", "paths", name, n).spawn(2)
    between = ground.draw(n, draw_rng)
    anywhere = np.zeros(n)
    order = ShortRoute(kicks=1).order(anywhere, between, None, route_rng)
    length = path_cost(order, anywhere, between)
    return [{"set": name, "d": ground.d, "n": n, "seed": seed, "length": length, "unit": ground.unit}]


def bound(d: float) -> float:
    """Return the exponent of the theorem: 1 - 1/d, and 0 where a set is so thin that its path is bounded."""
    return max(0.0, 1 - 1 / d)


def exponents(rows: Sequence[Row]) -> dict[str, Exponent]:
    """Return the fitted exponent of each set."""
    slopes: dict[str, list[float]] = {}
    for name in dict.fromkeys(row["set"] for row in rows):
        own = [row for row in rows if row["set"] == name]
        for seed in dict.fromkeys(row["seed"] for row in own):
            points = [row for row in own if row["seed"] == seed]
            fitted = slope([row["n"] for row in points], [row["length"] for row in points])
            slopes.setdefault(name, []).append(fitted)
    return {name: exponent(own) for name, own in slopes.items()}


def table(rows: Sequence[Row]) -> Sheet:
    """Return the exponents beside the theorem's."""
    lines = []
    for name, fitted in exponents(rows).items():
        wanted = bound(NAMED[name].d)
        off = f"{fitted.value - wanted:+.3f}"
        lines.append((name, f"{NAMED[name].d:.3g}", str(fitted), f"{wanted:.3f}", off))
    return Sheet(("set", "d", "exponent [95%]", "1 - 1/d", "off by"), lines)


def draw(rows: Sequence[Row]) -> "Figure":
    """Return the picture."""
    from theory.pictures import draw_paths

    return draw_paths(rows)


PATHS = Part("paths", "the shortest path through n points against n^(1 - 1/d)", cells, measure, table, draw)

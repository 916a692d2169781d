"""The graph of x sin(1/x): of dimension 1, connected, and yet no path through n of its places is of bounded length.

It takes about (1/r) ln(1/r) / pi balls of radius r to cover it, so its dimension, the limit of ln N(r) / ln(1/r), is 1.
Places that are at least r apart are as many, and any tree that joins them is as long as ln n. So the bound n^(1 - 1/d)
needs N(r) <= C r^-d, which is more than that the dimension be d.
"""

from collections.abc import Iterator

import numpy as np

from wayfare._core.arrays import Points
from wayfare.bench.report import Sheet
from wayfare.route.search import spanning_tree
from wayfare.travel import Euclidean

GAPS = tuple(2.0**-power for power in range(3, 11))
FINE = 8
"""The curve is looked at so many times on each stretch as long as the gap."""


def apart(gap: float) -> Points:
    """Return places of the curve that are at least ``gap`` apart, as many as a walk along it from x = 1 finds."""
    kept: list[tuple[float, float]] = []
    cells: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for x, y in along(gap / FINE):
        column, row = int(x // gap), int(y // gap)
        around = [cells.get((column + i, row + j), ()) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        if all((x - a) ** 2 + (y - b) ** 2 >= gap**2 for near in around for a, b in near):
            kept.append((x, y))
            cells.setdefault((column, row), []).append((x, y))
    return np.array(kept)


def along(step: float) -> Iterator[tuple[float, float]]:
    """Yield places along the curve, no farther than about ``step`` from each other, to where it is as flat."""
    u = 1.0
    while u < 1 / step:
        yield 1 / u, float(np.sin(u)) / u
        u += step * u


def tree_length(x: Points) -> float:
    """Return the length of the shortest tree that joins the places."""
    costs = Euclidean()(x, x)
    return float(costs[spanning_tree(costs)].sum())


def table() -> Sheet:
    """Return how long the tree becomes as more places are found, and by how much longer it is each time."""
    lines, before = [], None
    for gap in GAPS:
        x = apart(gap)
        length = tree_length(x)
        longer = "" if before is None else f"+{length - before:.2f}"
        lines.append((f"1/{1 / gap:g}", str(len(x)), f"{length:.2f}", longer))
        before = length
    return Sheet(("at least apart", "places", "shortest tree", "longer by"), lines)

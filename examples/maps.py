"""A journey drawn on a map."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from wayfare._core.arrays import Points, Values
from wayfare.plot.path import VISITS, explain_below
from wayfare.plot.style import BEST_MARK, INK, MARK, ORDER, SMALL, START_MARK

TRUE_MARK = MARK | {
    "marker": "o",
    "markersize": 14,
    "markerfacecolor": "none",
    "markeredgecolor": INK,
    "markeredgewidth": 1.2,
    "label": "true best place",
}


TRIPS = [("solid", INK), ((0, (5, 1.5)), "#0072b2"), ((0, (1, 1)), "#a0307d"), ((0, (5, 1, 1, 1)), "#8c4a00")]
"""How the line of each trip looks, and its colour; a fifth looks like the first."""

HIDDEN, READABLE = 0.015, 0.05
"""Shares of a map: visits nearer than the first hide each other, numbers nearer than the second do."""

BESIDE = np.array([(0, -13), (0, 13), (19, -7), (19, 7), (-19, -7), (-19, 7), (22, 0), (-22, 0)])
"""Where the middle of a number may be, in points from its place; the preferred first."""
POINTS = 160
"""About how many points on paper a map is wide."""


def draw_journey(ax: Axes, ways: Sequence[Points], visits: Points, kept: Values, true: Values, start: str) -> None:
    """Draw the way of each trip, the visits, where it begins, and what was kept beside what is true."""
    for number, (way, (dash, colour)) in enumerate(zip(ways, cycle(TRIPS), strict=False), 1):
        look = {"linestyle": dash, "color": colour, "linewidth": 0.9 if len(ways) == 1 else 1.2}
        ax.plot(*way.T, **look, alpha=0.85, label=named(number, len(ways)), zorder=2)
    order = np.arange(len(visits))
    look: dict[str, Any] = {"s": 26, "c": order, "cmap": ORDER, "edgecolors": INK, "linewidths": 0.6}
    ax.scatter(visits[:, 0], visits[:, 1], label=VISITS, zorder=5, **look)
    ax.plot(*ways[0][0], **(START_MARK | {"label": start}), zorder=4)
    ax.plot(*true, **TRUE_MARK, zorder=3)
    ax.plot(*kept, **(BEST_MARK | {"label": "place to keep"}), zorder=6)
    wide = float(np.ptp(np.vstack(ways), axis=0).max())
    for place, times in stacked(visits, wide):
        halo = [withStroke(linewidth=2, foreground="white", alpha=0.85)]
        middle = roomiest(place, np.vstack([visits, kept]), wide)
        beside: dict[str, Any] = {"xytext": middle, "textcoords": "offset points", "zorder": 8}
        beside |= {"ha": "center", "va": "center"}
        ax.annotate(f"×{times}", place, fontsize=SMALL, color=INK, path_effects=halo, **beside)


def named(number: int, trips: int) -> str:
    """Return what the line of a trip is called: trips that look the same share a name."""
    if trips == 1:
        return "path"
    alike = range((number - 1) % len(TRIPS) + 1, trips + 1, len(TRIPS))
    return f"trip {number}" if len(alike) == 1 else f"trips {', '.join(map(str, alike))}"


def roomiest(place: Points, marks: Points, wide: float) -> tuple[float, float]:
    """Return where beside a place its number hides no mark, in points, on a map that is so ``wide``."""
    apart = BESIDE[:, None] - (marks - place)[None, :] * POINTS / wide
    room = np.hypot(apart[..., 0] / 15, apart[..., 1] / 9).min(axis=1)  # 1 where a mark touches the number
    across, up = BESIDE[np.minimum(room, 1.3).argmax()]
    return float(across), float(up)


def stacked(visits: Points, wide: float) -> list[tuple[Points, int]]:
    """Return where three visits or more lie on one another, and how many, on a map that is so ``wide``."""
    found: list[tuple[Points, int]] = []
    left = visits
    while len(left):
        apart = np.hypot(*np.moveaxis(left[:, None] - left[None, :], 2, 0))
        near = apart < HIDDEN * wide
        most = int(near.sum(axis=1).argmax())
        place, times = left[most], int(near[most].sum())
        if times > 2 and all(np.hypot(*(place - other)) > READABLE * wide for other, _ in found):
            found.append((place, times))
        left = left[~near[most]]
    return found


def explain(figure: Figure) -> None:
    """Explain the marks of all panels in a row below them."""
    explain_below(figure, max(figure.axes, key=lambda ax: len(ax.get_legend_handles_labels()[0])))

"""A journey drawn on a map."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wayfare.arrays import Points, Values
from wayfare.plot.marks import BEST_MARK, MARK, START_MARK
from wayfare.plot.path import VISITS, explain_below
from wayfare.plot.style import INK, ORDER

TRUE_MARK = MARK | {
    "marker": "o",
    "markersize": 14,
    "markerfacecolor": "none",
    "markeredgecolor": INK,
    "markeredgewidth": 1.2,
    "label": "true best place",
}


def draw_journey(ax: Axes, way: Points, visits: Points, kept: Values, true: Values, start: str) -> None:
    """Draw the way from its first place on, the visits on it, and what was kept beside what is true."""
    ax.plot(*way.T, color=INK, linewidth=0.9, alpha=0.8, solid_joinstyle="round", zorder=2)
    order = np.arange(len(visits))
    look: dict[str, Any] = {"s": 26, "c": order, "cmap": ORDER, "edgecolors": INK, "linewidths": 0.6}
    ax.scatter(visits[:, 0], visits[:, 1], label=VISITS, zorder=5, **look)
    ax.plot(*way[0], **(START_MARK | {"label": start}), zorder=4)
    ax.plot(*true, **TRUE_MARK, zorder=3)
    ax.plot(*kept, **(BEST_MARK | {"label": "place to keep"}), zorder=6)


def explain(figure: Figure) -> None:
    """Explain the marks of all panels in a row below them."""
    explain_below(figure, figure.axes[0])

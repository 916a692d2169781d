"""The forbidden regions of a space, as far as the slice that is drawn cuts them."""

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from wayfare.plot.view import View
from wayfare.space import Choice, Integer
from wayfare.space.forbidden import Region, Side

LOOK: dict[str, Any] = {
    "facecolor": "#d0d0d0",
    "edgecolor": "#808080",
    "hatch": "////",
    "linewidth": 0.5,
    "zorder": 1,
}


def draw_regions(ax: Axes, view: View) -> None:
    """Hatch the regions of a two-axis view that no place may lie in."""
    for region in view.frame.forbidden:
        if not cuts(view, region):
            continue
        sides = {side.column: side for side in region.sides}
        across, up = (list(pieces(view, at, sides.get(column))) for at, column in enumerate(view.columns))
        for (left, right), (bottom, top) in product(across, up):
            label = "_more" if any(patch.get_label() == "forbidden" for patch in ax.patches) else "forbidden"
            ax.add_patch(Rectangle((left, bottom), right - left, top - bottom, label=label, **LOOK))


def cuts(view: View, region: Region) -> bool:
    """Return whether a region is there at the values that the axes not drawn are held at.

    One that depends on an axis held nowhere, at nan, is not.
    """
    held = [side for side in region.sides if side.column not in view.columns]
    return all(side.covers(view.through[[side.column]])[0] for side in held)


def pieces(view: View, at: int, side: Side | None) -> Iterator[tuple[float, float]]:
    """Yield what a region covers of axis ``at`` of the view: all, a stretch, or a band for each value."""
    low, high = view.span(at)
    if side is None:
        yield low, high
    elif isinstance(view.axes[at], Choice):
        for position in side.positions:
            yield position - 0.5, position + 0.5
    else:
        half = 0.5 if isinstance(view.axes[at], Integer) else 0.0
        first = math.ceil(side.low) if half and math.isfinite(side.low) else side.low
        last = math.floor(side.high) if half and math.isfinite(side.high) else side.high
        left, right = max(low, first - half), min(high, last + half)
        if left < right:
            yield left, right

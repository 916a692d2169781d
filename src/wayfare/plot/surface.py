"""The background of a picture: the belief, or the true function, over the axes drawn.

Forbidden regions are hatched over it, as far as the slice that is drawn cuts them.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import BoundaryNorm, Colormap, ListedColormap
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from wayfare._core.arrays import Mask, Points, Values
from wayfare.errors import InvalidInput
from wayfare.plot.style import SMALL, ground, tidy
from wayfare.plot.view import View
from wayfare.record.state import StudyState
from wayfare.report.predict import WIDE
from wayfare.space import Choice, Integer, Places, Real
from wayfare.space.forbidden import Side
from wayfare.travel import Raster, TravelCost, leaves

Truth = Callable[[Points], Values]
"""The true function: (n, d) places in user units, choices by position, to n values in the user's sign."""
BAND, MEAN = "#9ecae1", "#08519c"
INTERVAL = "95% interval"
BARS = f"posterior mean and {INTERVAL}"
LAND, SHORE = "#e3e0d8", "#77736a"
NO_WAY = "impassable"
"""The label of what a map leaves no way through."""
HATCH: dict[str, Any] = {"facecolor": "#d0d0d0", "edgecolor": "#808080", "hatch": "////", "linewidth": 0.5, "zorder": 1}


def values_at(function: Truth, x: Points) -> Values:
    """Return the values of a function at places; a truth that is not vectorised is refused."""
    values = np.asarray(function(x), dtype=np.float64)
    if values.shape != (len(x),):
        raise InvalidInput(
            f"truth must return one value per place: for {len(x)} places of {x.shape[1]} coordinates it "
            f"returned the shape {values.shape}"
        )
    return values


def draw_surface(
    ax: Axes,
    view: View,
    state: StudyState,
    function: Truth,
    levels: Sequence[float] | Callable[[Values], Values] | None = None,
    colours: Colormap | None = None,
) -> ScalarMappable:
    """Fill the axes with the function over a two-axis view, and return the mappable for a colour bar.

    Two continuous axes get contours, others a cell per value, and a table of places its dots.

    Args:
        ax: where to draw.
        view: on two axes.
        state: of the study, whose space and direction decide.
        function: the values to draw.
        levels: of the contours, or a function that chooses them from the values; None: ``level_steps``.
        colours: from the lowest level to the highest; None: light where values are good.
    """
    space = state.spec.space
    x = view.drawn(space)
    values = values_at(function, x)
    levels = level_steps if levels is None else levels
    steps = levels(values) if callable(levels) else np.unique(np.asarray(levels, dtype=np.float64))
    colours = colours or ground(state.spec.direction == "minimize")
    norm = BoundaryNorm(steps, colours.N, extend=_extend(values, steps))
    mappable = ScalarMappable(norm, colours)
    if isinstance(space, Places):
        across, up = x[:, list(view.columns)].T
        look: dict[str, Any] = {"s": 26, "edgecolors": "#9a9a9a", "linewidths": 0.4}
        ax.scatter(across, up, c=values, cmap=colours, norm=norm, zorder=1, **look)
        return mappable
    across, up = view.ticks(0), view.ticks(1)
    table = values.reshape(len(across), len(up)).T
    if all(isinstance(axis, Real) for axis in view.axes):
        filled = ax.contourf(across, up, table, levels=steps, cmap=colours, norm=norm, extend=norm.extend, zorder=0)
        filled.set_rasterized(True)
        if len(inner := steps[(steps > values.min()) & (steps < values.max())]):
            ax.contour(across, up, table, levels=inner, colors="white", linewidths=0.4, linestyles="solid", zorder=0.5)
    else:
        ax.pcolormesh(across, up, table, cmap=colours, norm=norm, shading="nearest", zorder=0, rasterized=True)
    return mappable


def level_steps(values: Values, number: int = 11) -> Values:
    """Return rounded levels between the values: evenly spaced, or by quantiles if values are skewed.

    Most of a skewed function would fall between two even levels, and its best region would show nothing.
    """
    spread = float(np.std(values))
    low, high = float(values.min()), float(values.max())
    if not spread > 1e-9 * max(abs(low), abs(high)):
        return even_steps(values, number)
    skew = float(np.mean(((values - values.mean()) / spread) ** 3))
    if abs(skew) < 1.0:
        return even_steps(values, number)
    marks = np.quantile(values, np.linspace(0.0, 1.0, number + 2)[1:-1])
    marks = np.unique(np.append(marks, np.quantile(values, [0.01, 0.99])))
    # Each level is rounded to the decade of its nearest neighbour's distance, so that no two become one.
    gaps = np.diff(marks)
    nearest = np.minimum(np.append(gaps, gaps[-1]), np.insert(gaps, 0, gaps[0]))
    unit = 10.0 ** np.floor(np.log10(np.maximum(nearest, 1e-12 * (high - low))))
    return np.unique(np.round(marks / unit) * unit)


def even_steps(values: Values, number: int = 11) -> Values:
    """Return rounded, evenly spaced levels that hold all values."""
    low, high = float(values.min()), float(values.max())
    if not high - low > 1e-9 * max(abs(low), abs(high)):
        return np.array([low - 1.0, high + 1.0]) if abs(low) < 1e6 else np.sort([0.9 * low, 1.1 * low])
    return np.asarray(MaxNLocator(number, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high))


def _extend(values: Values, steps: Values) -> Literal["neither", "both", "min", "max"]:
    """Return at which ends the values go beyond the levels, as matplotlib calls it."""
    if values.min() < steps[0]:
        return "both" if values.max() > steps[-1] else "min"
    return "max" if values.max() > steps[-1] else "neither"


def draw_scale(axes: Sequence[Axes], mappable: ScalarMappable, label: str) -> None:
    """Put one slim labelled colour bar beside the axes, which says so if its steps are uneven."""
    figure = axes[0].get_figure()
    assert figure is not None
    bar = figure.colorbar(mappable, ax=list(axes), fraction=0.045, pad=0.03, aspect=28)
    steps = np.diff(getattr(mappable.norm, "boundaries", [0.0, 1.0]))
    bar.set_label(label if np.allclose(steps, steps[0]) else f"{label} (uneven steps)", fontsize=SMALL)
    bar.outline.set_linewidth(0.6)
    tidy(bar.ax)
    bar.ax.tick_params(which="both", length=0)


def draw_band(ax: Axes, view: View, at: Values, mean: Values, sd: Values) -> None:
    """Draw the posterior mean and its 95% interval along one axis: a band, or bars where places stand apart.

    Args:
        ax: where to draw.
        view: on that axis.
        at: where along the axis.
        mean: the posterior mean there.
        sd: its standard deviation.
    """
    if view.is_apart:
        bars = ax.errorbar(at, mean, WIDE * sd, fmt="_", color=MEAN, ecolor=BAND, elinewidth=5, markersize=9, zorder=1)
        bars.set_label(BARS)
    else:
        low, high = mean - WIDE * sd, mean + WIDE * sd
        ax.fill_between(at, low, high, color=BAND, alpha=0.5, linewidth=0, label=INTERVAL, zorder=0)
        ax.plot(at, mean, color=MEAN, linewidth=1.3, label="posterior mean", zorder=1)


def draw_ground(ax: Axes, view: View, travel: TravelCost) -> None:
    """Shade where a map has no way, with its shore and the outlines of obstacles, if the view is of its axes."""
    for part in leaves(travel):
        if not isinstance(part, Raster) or sorted(view.columns) != sorted((int(part.x), int(part.y))):
            continue
        (west, east), (top, bottom), closed = part.columns, part.rows, ~(part.grid > 0)
        across, up = (
            np.linspace(first, last, many + 1)
            for first, last, many in (
                (*_to_edges(west, east, closed.shape[1]), closed.shape[1]),
                (*_to_edges(top, bottom, closed.shape[0]), closed.shape[0]),
            )
        )
        if view.columns[0] != int(part.x):
            across, up, closed = up, across, closed.T
        look: dict[str, Any] = {"cmap": ListedColormap([LAND]), "rasterized": True, "zorder": 0.6}
        ax.pcolormesh(across, up, np.ma.masked_equal(closed.astype(np.float64), 0.0), **look)
        ax.add_collection(LineCollection(list(_outlines(closed, across, up)), colors=SHORE, linewidths=0.7, zorder=0.7))
        ax.add_patch(Rectangle((np.nan, np.nan), 0, 0, facecolor=LAND, edgecolor=SHORE, linewidth=0.7, label=NO_WAY))
        return


def _to_edges(first: float, last: float, many: int) -> tuple[float, float]:
    """Return the outer edges of the first and the last of many cells, from their middles."""
    half = (last - first) / (many - 1) / 2
    return first - half, last + half


def _outlines(closed: Mask, across: Values, up: Values) -> NDArray[np.float64]:
    """Return the edges between cells with and without a way, as (n, 2, 2) pieces of line."""
    row, column = np.nonzero(closed[:, 1:] != closed[:, :-1])
    beside = [np.column_stack([across[column + 1], up[row + end]]) for end in (0, 1)]
    row, column = np.nonzero(closed[1:] != closed[:-1])
    above = [np.column_stack([across[column + end], up[row + 1]]) for end in (0, 1)]
    return np.concatenate([np.stack(beside, axis=1), np.stack(above, axis=1)])


def draw_regions(ax: Axes, view: View) -> None:
    """Hatch the forbidden regions of a view, and what breaks a constraint at the values of the axes not drawn."""
    _draw_broken(ax, view)
    for region in view.frame.regions:
        # A region is drawn if it holds at the values of the axes not drawn; one held nowhere, at nan, is not covered.
        held = [side for side in region.sides if side.column not in view.columns]
        if not all(side.covers(view.through[[side.column]])[0] for side in held):
            continue
        sides = {side.column: side for side in region.sides}
        across, *rest = (list(_pieces(view, at, sides.get(column))) for at, column in enumerate(view.columns))
        up = rest[0] if rest else [ax.get_ylim()]
        for (left, right), (bottom, top) in product(across, up):
            label = "_more" if any(patch.get_label() == "forbidden" for patch in ax.patches) else "forbidden"
            ax.add_patch(Rectangle((left, bottom), right - left, top - bottom, label=label, **HATCH))


def _draw_broken(ax: Axes, view: View) -> None:
    """Hatch where a constraint is broken; but a sum that must have one value is broken all but everywhere."""
    x, numbers = view.grid(), all(axis.choices is None and axis.width for axis in view.axes)
    rules = [one for one in view.frame.constraints if getattr(one, "low", 0.0) != getattr(one, "high", 1.0)]
    if len(view.columns) < 2 or not numbers or not rules or not np.isfinite(x).all():
        return
    broken = ~np.logical_and.reduce([one.keeps(x) for one in rules])
    across, up = view.ticks(0), view.ticks(1)
    table = broken.reshape(len(across), len(up)).T.astype(np.float64)
    if broken.any():
        ax.contourf(
            across, up, table, levels=[0.5, 1.5], colors="none", hatches=[HATCH["hatch"]], zorder=HATCH["zorder"]
        )


def _pieces(view: View, at: int, side: Side | None) -> Iterator[tuple[float, float]]:
    """Yield the part of axis ``at`` of the view that a region covers: all, a stretch, or a band for each value."""
    low, high = view.span(at)
    if side is None:
        yield low, high
    elif isinstance(view.axes[at], Choice):
        for position in side.positions:
            yield position - 0.5, position + 0.5
    else:
        # The steps that it covers are drawn with half a step around them; np.ceil takes an open end, too.
        is_stepped = isinstance(view.axes[at], Integer)
        first, last = (np.ceil(side.low) - 0.5, np.floor(side.high) + 0.5) if is_stepped else (side.low, side.high)
        if (left := max(low, first)) < (right := min(high, last)):
            yield left, right

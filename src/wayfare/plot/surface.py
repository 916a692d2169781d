"""The background of a picture: the posterior mean, or the true function, over the axes drawn."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from attrs import frozen
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, Colormap
from matplotlib.ticker import MaxNLocator

from wayfare.arrays import Points, Values
from wayfare.best import belief_of
from wayfare.errors import InvalidInput
from wayfare.plot.style import SMALL, ground, tidy
from wayfare.plot.view import View
from wayfare.space import Places, Real
from wayfare.state import StudyState
from wayfare.surrogate import Posterior
from wayfare.threads import one_thread

Truth = Callable[[Points], Values]
"""The true function: (n, d) places in user units, choices by position, to n values in the user's sign."""


@frozen(eq=False)
class Belief:
    """The belief after all results, in the user's sign."""

    posterior: Posterior
    sign: float

    def __call__(self, x: Points) -> Values:
        """Return the posterior mean."""
        return self.marginals(x)[0]

    def marginals(self, x: Points) -> tuple[Values, Values]:
        """Return mean and standard deviation."""
        with one_thread():
            mean, sd = self.posterior.marginals(x)
        return self.sign * mean, sd


def believe(state: StudyState) -> Belief:
    """Return the belief that ``study.best()`` judges by."""
    return Belief(belief_of(state), state.spec.sign)


def values_at(function: Truth, x: Points) -> Values:
    """Return what a function says at places; a truth that is not vectorised is refused."""
    values = np.asarray(function(x), dtype=np.float64)
    if values.shape != (len(x),):
        raise InvalidInput(
            f"truth must return one value per place: for {len(x)} places of {x.shape[1]} coordinates it "
            f"returned the shape {values.shape}"
        )
    return values


def draw_surface(
    ax: Axes, view: View, state: StudyState, function: Truth, levels: Sequence[float] | None
) -> ScalarMappable:
    """Fill the axes with the function over a two-axis view, and return what a colour bar needs.

    Two continuous axes get contours, others a cell per value, and a table of places its dots.
    """
    space = state.spec.space
    x = space.table if isinstance(space, Places) else view.grid()
    values = values_at(function, x)
    steps = level_steps(values) if levels is None else np.unique(np.asarray(levels, dtype=np.float64))
    colours = ground(state.spec.direction == "minimize")
    norm = BoundaryNorm(steps, colours.N, extend=spill(values, steps))
    mappable = ScalarMappable(norm, colours)
    if isinstance(space, Places):
        across, up = x[:, list(view.columns)].T
        look: dict[str, Any] = {"s": 26, "edgecolors": "#9a9a9a", "linewidths": 0.4}
        ax.scatter(across, up, c=values, cmap=colours, norm=norm, zorder=1, **look)
        return mappable
    across, up = view.ticks(0), view.ticks(1)
    table = values.reshape(len(across), len(up)).T
    if all(isinstance(axis, Real) for axis in view.axes):
        contour(ax, across, up, table, steps, colours, norm)
    else:
        ax.pcolormesh(
            across, up, table, cmap=colours, norm=norm, shading="nearest", zorder=0, rasterized=True
        )
    return mappable


def contour(
    ax: Axes, across: Values, up: Values, table: Points, steps: Values, colours: Colormap, norm: BoundaryNorm
) -> None:
    """Fill between the levels, and draw them as thin white lines."""
    filled = ax.contourf(
        across, up, table, levels=steps, cmap=colours, norm=norm, extend=norm.extend, zorder=0
    )
    filled.set_rasterized(True)
    ax.contour(
        across, up, table, levels=steps, colors="white", linewidths=0.4, linestyles="solid", zorder=0.5
    )


def draw_scale(axes: Sequence[Axes], mappable: ScalarMappable, label: str) -> None:
    """Put one slim labelled colour bar beside the axes."""
    figure = axes[0].get_figure()
    assert figure is not None
    bar = figure.colorbar(mappable, ax=list(axes), fraction=0.045, pad=0.03, aspect=28)
    bar.set_label(label, fontsize=SMALL)
    bar.outline.set_linewidth(0.6)
    tidy(bar.ax)
    bar.ax.tick_params(which="both", length=0)


def level_steps(values: Values, number: int = 11) -> Values:
    """Return rounded levels between the values: evenly spaced, or by quantiles where values are skewed.

    Most of a skewed function would fall between two even levels, and its best region would show nothing.
    """
    spread = float(np.std(values))
    low, high = float(values.min()), float(values.max())
    if not spread > 1e-9 * max(abs(low), abs(high)):
        return np.array([low - 1.0, high + 1.0]) if abs(low) < 1e6 else np.sort([0.9 * low, 1.1 * low])
    skew = float(np.mean(((values - values.mean()) / spread) ** 3))
    if abs(skew) < 1.0:
        return np.asarray(MaxNLocator(number, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high))
    marks = np.quantile(values, np.linspace(0.0, 1.0, number + 2)[1:-1])
    marks = np.unique(np.append(marks, np.quantile(values, [0.01, 0.99])))
    gaps = np.diff(marks)
    nearest = np.minimum(np.append(gaps, gaps[-1]), np.insert(gaps, 0, gaps[0]))
    unit = 10.0 ** np.floor(np.log10(np.maximum(nearest, 1e-12 * (high - low))))
    return np.unique(np.round(marks / unit) * unit)


def spill(values: Values, steps: Values) -> Literal["neither", "both", "min", "max"]:
    """Say at which ends the values go beyond the levels, as matplotlib calls it."""
    below, above = values.min() < steps[0], values.max() > steps[-1]
    if below and above:
        return "both"
    return "min" if below else "max" if above else "neither"

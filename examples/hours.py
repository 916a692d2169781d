"""A machine's settings drawn over the hours: thick while it works, thin while it changes."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from wayfare._core.arrays import Values
from wayfare.plot.style import SERIES


def hours(legs: Sequence[float], work: float) -> tuple[Values, Values]:
    """Return when each piece of ``work`` began and ended, in hours, of minutes of changing and of work."""
    ended = np.cumsum(np.asarray(legs) + work)
    return (ended - work) / 60, ended / 60


def draw_setting(
    ax: Axes,
    legs: Sequence[float],
    work: float,
    levels: Sequence[float],
    start: float,
    colours: Sequence[str] | str = SERIES[6],
) -> None:
    """Draw one setting, which was at ``start`` when the first change began."""
    began, ended = hours(legs, work)
    times = np.column_stack([began, ended]).ravel()
    ax.plot(np.append(0, times), np.append(start, np.repeat(levels, 2)), color="#999999", lw=0.8, zorder=1)
    ax.hlines(levels, began, ended, color=colours, lw=3, zorder=2)

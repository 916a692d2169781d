"""``draw_day``: one setting of a machine over the hours of a day, a panel for each method."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wayfare._core.arrays import Values
from wayfare.plot.style import NORMAL, colour_of, tidy

WAITING = "#999999"


def draw_day(
    days: Mapping[str, tuple[Values, Values]],
    *,
    work: float,
    start: float,
    setting: str,
    hours: float,
    captions: Mapping[str, tuple[str, str]],
) -> Figure:
    """Return the days one below the other, on the same hours.

    Args:
        days: by method, the minutes of waiting before each piece of work, and the setting during it.
        work: minutes that a piece of work takes.
        start: the setting in the morning.
        setting: what it is called, with its unit.
        hours: how long the day is.
        captions: what each method is, and what it made of the day.
    """
    figure = Figure(figsize=(8.4, 1.1 * len(days) + 0.5), layout="constrained")
    panels: list[Axes] = list(figure.subplots(len(days), 1, sharex=True, sharey=True, squeeze=False)[:, 0])
    for ax, (name, (legs, levels)) in zip(panels, days.items(), strict=True):
        ended = np.cumsum(legs + work) / 60
        began = ended - work / 60
        times = np.append(0, np.column_stack([began, ended]).ravel())
        ax.plot(times, np.append(start, np.repeat(levels, 2)), color=WAITING, linewidth=0.8, zorder=1)
        ax.hlines(levels, began, ended, color=colour_of(name), linewidth=4, zorder=2)
        what, made = captions[name]
        ax.set_title(what, loc="left", fontsize=NORMAL, fontweight="bold", color=colour_of(name), pad=4)
        ax.set_title(made, loc="right", fontsize=NORMAL, pad=4)
        ax.set_ylabel(setting)
        ax.spines[["top", "right"]].set_visible(False)
        tidy(ax)
    panels[-1].set_xlim(0, hours)
    panels[-1].set_xlabel("hours since the morning; thick: a run, thin: waiting for the settings", fontsize=NORMAL)
    return figure

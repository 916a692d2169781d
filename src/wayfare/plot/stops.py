"""``plot_stops``: the way through the trials that are out, numbered, for paper; needs no results."""

from collections.abc import Collection
from math import cos, radians

import numpy as np
from matplotlib.axes import Axes

from wayfare.errors import InvalidInput
from wayfare.plot.path import frame_path
from wayfare.plot.style import INK, SMALL, START, named, tidy
from wayfare.plot.view import View, busiest, frame_of
from wayfare.space import Choice, Places, Space
from wayfare.state import StudyState
from wayfare.study import Study
from wayfare.words import LATITUDE, LONGITUDE

PAST = "#b5b5b5"


def plot_stops(study: Study, numbers: Collection[int], axes: tuple[str, str], ax: Axes) -> Axes:
    """Draw the visits so far in grey, and the trials of these numbers as numbered stops joined by their way.

    Over longitude and latitude, a kilometre is as long up as it is across, in the middle of the stops.
    """
    state = study.state
    frame = frame_of(state.spec.space)
    if len(axes) != 2 or axes[0] == axes[1]:
        raise InvalidInput(f"axes must be two different names, got {axes!r}")
    columns = tuple(frame.column(name) for name in axes)
    view = View(frame, columns, state.trials[0].x, isinstance(state.spec.space, Places))
    for axis in view.axes:
        if isinstance(axis, Choice):
            raise InvalidInput(f"axes: {axis.name!r} is a choice; stops are drawn over two axes of numbers")
    ahead = [trial for trial in state.trials if trial.number in numbers]
    past = [trial.x for trial in state.trials if trial.is_visit and trial.number not in numbers]
    here = state.origin(ahead[0].number)
    d = frame.d
    begun = view.project(np.array([] if here is None else [here]).reshape(-1, d))
    gone = view.project(np.array(past).reshape(-1, d))
    stops = view.project(np.array([trial.x for trial in ahead]))
    ax.plot(*gone.T, linestyle="none", marker="o", markersize=4, color=PAST, zorder=2)
    ax.plot(*np.vstack([begun, stops]).T, color=INK, linewidth=0.9, zorder=3)
    ax.plot(*begun.T, linestyle="none", marker="s", markersize=8, color=START, clip_on=False, zorder=4)
    look = {"facecolor": "white", "edgecolor": INK, "linewidth": 0.8}
    spots: dict[tuple[float, float], list[str]] = {}
    for trial, (across, up) in zip(ahead, stops.tolist(), strict=True):
        spots.setdefault((across, up), []).append(str(trial.number))
    for (across, up), shared in spots.items():
        shape = "circle,pad=0.25" if len(shared) == 1 else "round,pad=0.3,rounding_size=0.8"
        text = ax.text(across, up, ", ".join(shared), ha="center", va="center", fontsize=SMALL)
        text.set(zorder=5, gid="trial number", bbox=look | {"boxstyle": shape})
    view.dress(ax)
    ax.set_xlabel(named(axes[0]))
    ax.set_ylabel(named(axes[1]))
    frame_path(ax, view, np.vstack([begun, gone, stops]))
    tidy(ax)
    if is_map(axes):
        ax.set_aspect(1 / max(cos(radians(float(stops[:, 1].mean()))), 0.05), adjustable="box")
    return ax


def stop_axes(state: StudyState) -> tuple[str, str] | None:
    """Return the two axes to draw: longitude and latitude, else the busiest numbers; None without two."""
    if not isinstance(state.spec.space, Places | Space):
        return None  # a user's own kind of space need not have axes that can be drawn
    frame = frame_of(state.spec.space)
    numbers = [axis.name for axis in frame.axes if axis.width and not isinstance(axis, Choice)]
    for names in (LONGITUDE, LATITUDE):
        if sum(axis.lower() in names for axis in numbers) != 1:
            break
    else:
        east, north = (next(a for a in numbers if a.lower() in names) for names in (LONGITUDE, LATITUDE))
        return east, north
    if len(numbers) < 2:
        return None
    # A choice can be told in the table; numbers first, as for a table of places.
    first, second = busiest(state, frame, loose=True)
    return frame.axes[first].name, frame.axes[second].name


def is_map(axes: tuple[str, str]) -> bool:
    """Return whether the axes are longitude and latitude, in this order."""
    return axes[0].lower() in LONGITUDE and axes[1].lower() in LATITUDE

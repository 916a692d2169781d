"""``plot_stops``: the way through the trials that are out, numbered, for paper; needs no results."""

from collections.abc import Collection

import numpy as np
from matplotlib.axes import Axes

from wayfare.errors import InvalidInput
from wayfare.plot.badges import write_badges
from wayfare.plot.path import frame_path
from wayfare.plot.style import INK, START, named, tidy
from wayfare.plot.terrain import terrain_of
from wayfare.plot.view import View, busiest, frame_of
from wayfare.plot.ways import drawn_way
from wayfare.space import Choice, Places, Space
from wayfare.state import StudyState
from wayfare.study import Study

PAST = "#b5b5b5"


def plot_stops(study: Study, numbers: Collection[int], axes: tuple[str, str], ax: Axes) -> Axes:
    """Draw the visits so far in grey, and the trials of these numbers as numbered stops joined by their way.

    A way by home goes there. On a map, a kilometre is as long up as it is across, in the middle of the stops.
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
    here, end = state.origin(ahead[0].number), state.spec.limits.end
    places = [] if here is None else [here]
    by_home = []
    for trial in ahead:
        if trial.home_first and end is not None:
            by_home.append(len(places))
            places.append(end)
        places.append(trial.x)
    x = np.array(places)
    drawn, gone = view.project(x), view.project(np.array(past).reshape(-1, frame.d))
    line = drawn_way(view, state.spec.travel, x, drawn, range(len(x)))
    begun, stops = drawn[: here is not None], view.project(np.array([trial.x for trial in ahead]))
    ax.plot(*gone.T, linestyle="none", marker="o", markersize=4, color=PAST, zorder=2)
    ax.plot(*line.T, color=INK, linewidth=0.9, zorder=3)
    ax.plot(*begun.T, linestyle="none", marker="s", markersize=8, color=START, clip_on=False, zorder=4)
    if by_home:
        across, up = drawn[by_home[0]]
        ax.scatter(across, up, s=80, marker="p", color=START, clip_on=False, zorder=4, gid="home")
    view.dress(ax)
    ax.set_xlabel(named(axes[0]))
    ax.set_ylabel(named(axes[1]))
    frame_path(ax, view, np.vstack([drawn, gone, line]))
    tidy(ax)
    terrain = terrain_of(state, frame)
    aspect = None if terrain is None else terrain.aspect(columns, stops)
    if aspect is not None:
        ax.set_aspect(aspect, adjustable="box")
    write_badges(ax, [trial.number for trial in ahead], stops)
    return ax


def stop_axes(state: StudyState) -> tuple[str, str] | None:
    """Return the two axes to draw: those of a map, else the busiest numbers; None without two."""
    if not isinstance(state.spec.space, Places | Space):
        return None  # a user's own kind of space need not have axes that can be drawn
    frame = frame_of(state.spec.space)
    terrain = terrain_of(state, frame)
    if terrain is None:
        numbers = [axis.name for axis in frame.axes if axis.width and not isinstance(axis, Choice)]
        if len(numbers) < 2:
            return None
        # A choice can be told in the table; numbers first, as for a table of places.
        across, up = busiest(state, frame, loose=True)
    else:
        across, up = terrain.columns
    return frame.axes[across].name, frame.axes[up].name

"""The path of a study over two axes: visits in their order, the start, the best place, the stops ahead."""

from typing import Any

import numpy as np
from attrs import frozen
from matplotlib.axes import Axes
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D

from wayfare.arrays import Mask, Points
from wayfare.plot.style import BEST, INK, ORDER, START, legend_below
from wayfare.plot.view import View
from wayfare.records import StudyState, TrialState

MARK: dict[str, Any] = {"linestyle": "none", "clip_on": False}
START_MARK = MARK | {
    "marker": "s",
    "markersize": 8,
    "color": START,
    "markeredgecolor": "white",
    "label": "start",
}
BEST_MARK = MARK | {
    "marker": "*",
    "markersize": 12,
    "color": BEST,
    "markeredgecolor": INK,
    "label": "best place",
}
OPEN_MARK = MARK | {
    "marker": "D",
    "markersize": 5,
    "color": "white",
    "markeredgecolor": INK,
    "label": "not yet told",
}
STOP_MARK = MARK | {
    "marker": "o",
    "markersize": 5,
    "color": "white",
    "markeredgecolor": INK,
    "label": "stops ahead",
}
VISITS = "visits, first to last"


@frozen(eq=False)
class Journey:
    """Where everything is drawn, one row each; ``told`` says which of ``visits`` have a value."""

    start: Points
    visits: Points
    ahead: Points
    told: Mask

    @property
    def all(self) -> Points:
        """Every row, in travelling order."""
        return np.vstack([self.start, self.visits, self.ahead])


def make_journey(view: View, state: StudyState) -> Journey:
    """Return the journey of a study, projected on the axes of the view."""
    start = np.empty((0, state.spec.space.d)) if state.spec.start is None else state.spec.start[None, :]
    drawn = view.project(np.vstack([start, *(trial.x for trial in state.trials), state.stops_ahead]))
    begun, here = len(start), len(start) + len(state.trials)
    told = np.array([trial.state is TrialState.TOLD for trial in state.trials])
    return Journey(drawn[:begun], drawn[begun:here], drawn[here:], told)


def draw_path(ax: Axes, journey: Journey, best: int) -> None:
    """Draw the journey: solid and filled where it has been, dashed and hollow ahead."""
    behind = np.vstack([journey.start, journey.visits])
    ax.plot(*behind.T, color=INK, linewidth=0.8, alpha=0.75, solid_joinstyle="round", label="path", zorder=2)
    draw_visits(ax, journey.visits, journey.told)
    if len(journey.ahead):
        route = np.vstack([behind[-1:], journey.ahead])
        ax.plot(*route.T, color=INK, linewidth=0.9, linestyle=(0, (4, 2)), label="route ahead", zorder=2)
        ax.plot(*journey.ahead.T, **STOP_MARK, zorder=4)
    if len(journey.start):
        ax.plot(*journey.start.T, **START_MARK, zorder=3)
    ax.plot(*journey.visits[[best]].T, **BEST_MARK, zorder=6)


def draw_visits(ax: Axes, visits: Points, told: Mask) -> None:
    """Draw the visits as dots, darker the later; those not yet told are hollow."""
    size = float(np.clip(30 - 0.15 * len(visits), 12, 30))
    ax.scatter(
        visits[told, 0],
        visits[told, 1],
        s=size,
        c=np.flatnonzero(told),
        cmap=ORDER,
        vmin=0,
        vmax=max(1, len(visits) - 1),
        edgecolors=INK,
        linewidths=0.6,
        label=VISITS,
        clip_on=False,
        zorder=5,
    )
    if not told.all():
        ax.plot(*visits[~told].T, **OPEN_MARK, zorder=5)


def draw_legend(ax: Axes) -> None:
    """Explain the marks that were drawn, below the picture."""
    handles, labels = marks_on(ax)
    rows = (len(labels) + 3) // 4
    legend_below(ax, handles=handles, labels=labels, ncols=-(-len(labels) // rows), handler_map=SIDE_BY_SIDE)


def marks_on(ax: Axes) -> tuple[list[Any], list[str]]:
    """Return the marks to explain and what they mean; the visits are shown by three of their colours."""
    drawn: dict[str, Any] = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    for obvious in ("path", "route ahead"):
        drawn.pop(obvious, None)
    drawn[VISITS] = tuple(
        Line2D([], [], linestyle="none", marker="o", markersize=5, color=ORDER(share), markeredgecolor=INK)
        for share in (0.0, 0.5, 1.0)
    )
    return list(drawn.values()), list(drawn)


SIDE_BY_SIDE: dict[Any, Any] = {tuple: HandlerTuple(ndivide=None, pad=0.3)}


def frame_path(ax: Axes, view: View, drawn: Points) -> None:
    """Set the limits to the space, widened where the journey leaves it."""
    for at in range(len(view.columns)):
        into, back = (np.log, np.exp) if view.is_log(at) else (np.asarray, np.asarray)
        low, high = (float(into(bound)) for bound in view.span(at))
        reached, margin = into(drawn[:, at]), 0.06 * (high - low)
        if reached.min() < low - 1e-9 * margin:
            low = float(reached.min()) - margin
        if reached.max() > high + 1e-9 * margin:
            high = float(reached.max()) + margin
        limits = float(back(low)), float(back(high))
        if at == 0:
            ax.set_xlim(limits)
        else:
            ax.set_ylim(limits)

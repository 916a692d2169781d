"""The path of a study over two axes: visits in their order, the start, the best place, the stops ahead."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D

from wayfare.arrays import Points
from wayfare.plot.journey import Journey
from wayfare.plot.marks import (
    BEST_MARK,
    FAILED_MARK,
    HOME_MARK,
    OPEN_MARK,
    PRIOR_MARK,
    PUT_MARK,
    SKIPPED_MARK,
    START_MARK,
    STOP_MARK,
)
from wayfare.plot.style import INK, ORDER, SMALL, legend_below
from wayfare.plot.view import View
from wayfare.records import TrialState

VISITS = "visits, first to last"


def draw_path(ax: Axes, journey: Journey, best: int) -> None:
    """Draw the journey: solid and filled where it has been, dashed and hollow ahead."""
    ax.plot(
        *journey.behind.T,
        color=INK,
        linewidth=0.8,
        alpha=0.75,
        solid_joinstyle="round",
        label="path",
        zorder=2,
    )
    draw_visits(ax, journey.visits, journey)
    if len(journey.ahead):
        ax.plot(
            *journey.beyond.T, color=INK, linewidth=0.9, linestyle=(0, (4, 2)), label="route ahead", zorder=2
        )
        ax.plot(*journey.ahead.T, **STOP_MARK, zorder=4)
    if len(journey.put):
        ax.plot(*journey.put.T, **PUT_MARK, zorder=3)
    if len(journey.start):
        ax.plot(*journey.start.T, **START_MARK, zorder=3)
    if journey.is_elsewhere:
        ax.plot(*journey.home.T, **HOME_MARK, zorder=3)
    ax.plot(*journey.visits[[best]].T, **BEST_MARK, zorder=6)


def draw_visits(ax: Axes, visits: Points, journey: Journey) -> None:
    """Draw the visits as dots, darker the later; what is no visit with a value has a mark of its own."""
    states = np.array([trial.state for trial in journey.trials])
    prior = np.array([trial.prior for trial in journey.trials])
    told = journey.told & ~prior
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
    for mark, which in (
        (PRIOR_MARK, journey.told & prior),
        (OPEN_MARK, states == TrialState.ASKED),
        (FAILED_MARK, states == TrialState.FAILED),
        (SKIPPED_MARK, states == TrialState.SKIPPED),
    ):
        if which.any():
            ax.plot(*visits[which].T, **mark, zorder=5)


def draw_legend(ax: Axes) -> None:
    """Explain the marks that were drawn, below the picture."""
    handles, labels = marks_on(ax)
    rows = -(-len(labels) // (4 if len(labels) <= 6 else 3))
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


def explain_below(figure: Figure | SubFigure, ax: Axes) -> None:
    """Explain the marks on ``ax``, once for all panels, in a row below them."""
    handles, labels = marks_on(ax)
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=len(labels),
        frameon=False,
        fontsize=SMALL,
        handler_map=SIDE_BY_SIDE,
    )


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

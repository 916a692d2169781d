"""The path of a study over two axes: visits in their order, the start, the best place, the stops ahead."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import frozen
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from wayfare._core.arrays import Mask, Matrix, Points, unique_rows
from wayfare.plot.style import (
    BEST_MARK,
    FAILED_MARK,
    HOME_MARK,
    INK,
    OPEN_MARK,
    ORDER,
    PRIOR_MARK,
    PUT_MARK,
    SKIPPED_MARK,
    SMALL,
    START_MARK,
    STOP_MARK,
    legend_below,
)
from wayfare.plot.view import View
from wayfare.record.events import Trial, TrialState
from wayfare.record.state import StudyState
from wayfare.report.route_ahead import route_ahead_of
from wayfare.space import Choice
from wayfare.travel import TravelCost, way

# The line that a traveller follows, as it is drawn over two axes.


def drawn_way(view: View, travel: TravelCost, x: Points, drawn: Points, rows: Sequence[int]) -> Points:
    """Return the line through these rows of ``x``, which lie at ``drawn``, with the turns of the way between.

    It breaks off at nan where a row is -1. Over a choice, where visits are spread by their order, and along
    a single axis it is straight.
    """
    straight = np.vstack([drawn, np.full((1, drawn.shape[1]), np.nan)])[list(rows)]
    if len(view.columns) < 2 or any(isinstance(axis, Choice) for axis in view.axes):
        return straight
    pieces = [straight[:1]]
    for at, (here, there) in enumerate(pairwise(rows), 1):
        if here >= 0 and there >= 0:
            pieces.append(view.project(way(travel, x[here], x[there])[1:-1]))
        pieces.append(straight[at : at + 1])
    return np.vstack(pieces)


# ``Journey``: where everything of a study is drawn over one or two axes, and the line it followed.


@frozen(eq=False)
class Journey:
    """Where everything is drawn, one row each: all trials by number, and where the traveller was put by hand.

    ``way`` numbers the rows of ``all`` in the order they were passed, -1 where the line breaks off.
    ``behind`` is the line that was followed, and ``beyond`` the one ahead, with their turns.
    """

    start: Points
    visits: Points
    put: Points
    ahead: Points
    home: Points
    trials: tuple[Trial, ...]
    way: tuple[int, ...]
    behind: Points
    beyond: Points

    @property
    def all(self) -> Points:
        """Every row: the start, the trials, the places of ``put``, the stops ahead, home."""
        return np.vstack([self.start, self.visits, self.put, self.ahead, self.home])

    @property
    def is_elsewhere(self) -> bool:
        """Whether there is a home that is not where it started."""
        return len(self.home) > 0 and not np.array_equal(self.home, self.start)

    @property
    def reached(self) -> Points:
        """All that must be in the picture: every row, and the turns between."""
        lines = np.vstack([self.behind, self.beyond])
        return np.vstack([self.all, lines[np.isfinite(lines).all(axis=1)]])

    @property
    def told(self) -> Mask:
        """Which trials have a value."""
        return np.array([trial.state is TrialState.TOLD for trial in self.trials])

    def along(self, rows: Points) -> Points:
        """Return ``rows``, one for each of ``all``, in the order they were passed; nan where it breaks."""
        return np.vstack([rows, np.full((1, rows.shape[1]), np.nan)])[list(self.way)]


def make_journey(view: View, state: StudyState) -> Journey:
    """Return the journey of a study, projected on the axes of the view."""
    d = state.spec.space.d
    start = np.empty((0, d)) if state.spec.start is None else state.spec.start[None, :]
    put = np.array([x for _, x in state.moved]).reshape(-1, d)
    x = np.array([trial.x for trial in state.trials]).reshape(-1, d)
    end = state.spec.limits.home
    home = np.empty((0, d)) if end is None else end[None, :]
    places = np.vstack([start, x, put, state.stops_ahead, home])
    drawn = view.project(places)
    begun, here = len(start), len(start) + len(x)
    there, last = here + len(put), len(drawn) - len(home)
    way = [*range(begun)]
    moves = [after for after, _ in state.moved]
    for number, trial in enumerate(state.trials):
        way += _put_before(moves, number, here)
        if trial.is_visit:
            way += [last, begun + number] if trial.home_first else [begun + number]
    way += _put_before(moves, len(x), here)
    route = way[-1:]
    for stop, ahead in enumerate(route_ahead_of(state).stops):
        route += [last, there + stop] if ahead.home_first else [there + stop]
    lines = [drawn_way(view, state.spec.travel, places, drawn, rows) for rows in (way, route)]
    start, visits, put, stops, home = np.split(drawn, [begun, here, there, last])
    return Journey(start, visits, put, stops, home, state.trials, tuple(way), *lines)


def _put_before(moves: Sequence[int], number: int, first: int) -> list[int]:
    """Return the rows where the traveller was put just before a trial, the line breaking off before each."""
    rows = [first + at for at, after in enumerate(moves) if after == number]
    return [row for at in rows for row in (-1, at)]


VISITS = "visits, first to last"


def draw_path(ax: Axes, journey: Journey, best: int) -> None:
    """Draw the journey: solid and filled where it has been, dashed and hollow ahead."""
    ax.plot(*journey.behind.T, color=INK, linewidth=0.8, alpha=0.75, solid_joinstyle="round", label="path", zorder=2)
    draw_visits(ax, journey.visits, journey)
    if len(journey.ahead):
        ax.plot(*journey.beyond.T, color=INK, linewidth=0.9, linestyle=(0, (4, 2)), label="route ahead", zorder=2)
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


# Numbers beside the visits: as many as there is room for, none over another or over a visit.


DIRECTIONS = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
"""Where a number may stand beside its visit, the preferred first."""


FEW = 12
"""How many numbers are written where not every visit gets one."""


def number_visits(ax: Axes, drawn: Points, most: int, marks: Points) -> None:
    """Write the trial numbers beside the visits, all of them if there are ``most`` at most.

    Beyond that only round numbers and the last are written. Visits to the same spot share one text. Other
    ``marks`` are kept free too. The layout must be settled, for what collides is decided in points on paper.
    """
    figure = ax.get_figure(root=True)
    if figure is None or most < 1:
        return
    to_points = 72 / figure.dpi
    points = ax.transData.transform(drawn) * to_points
    taken = [box(point, 5.0, 5.0) for point in points]
    taken += [box(point, 8.0, 8.0) for point in ax.transData.transform(marks) * to_points]
    paper = np.asarray(ax.bbox.get_points()) * to_points
    for text, at in texts(drawn, most):
        width, height = 0.58 * SMALL * len(text) + 1.5, 0.85 * SMALL
        for across, up in DIRECTIONS:
            reach = np.array([across * (4.2 + width / 2), up * (4.2 + height / 2)])
            place = box(points[at] + reach, width, height)
            if within(place, paper) and not any(overlap(place, other) for other in taken):
                taken.append(place)
                ax.annotate(
                    text,
                    drawn[at],
                    xytext=(float(reach[0]), float(reach[1])),
                    textcoords="offset points",
                    ha="center",
                    va="center",
                    fontsize=SMALL,
                    color=INK,
                    path_effects=[withStroke(linewidth=1.6, foreground="white", alpha=0.85)],
                    zorder=8,
                    gid="visit number",
                    annotation_clip=False,
                )
                break


def texts(drawn: Points, most: int) -> Iterator[tuple[str, int]]:
    """Yield what to write and at which row, the most telling first: last, first, then in order."""
    n = len(drawn)
    stride = 1 if n <= most else next(step for step in strides() if n / step <= min(FEW, most))
    shown = sorted({*range(0, n, stride), n - 1}, key=lambda i: (i != n - 1, i))
    _, spots = unique_rows(drawn)
    written: set[int] = set()
    for i in shown:
        if int(spots[i]) in written:
            continue
        written.add(int(spots[i]))
        same = [str(j) for j in sorted(shown) if spots[j] == spots[i]]
        yield ", ".join(same if len(same) <= 3 else [*same[:2], "…", same[-1]]), i


def strides() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50, … without end."""
    decade = 1
    while True:
        yield from (decade, 2 * decade, 5 * decade)
        decade *= 10


def box(centre: Points, width: float, height: float) -> Matrix:
    """Return the lower left and upper right corners."""
    half = np.array([width, height]) / 2
    return np.array([centre - half, centre + half])


def within(one: Matrix, other: Matrix) -> bool:
    """Return whether the first box lies in the second."""
    return bool((one[0] >= other[0]).all() and (one[1] <= other[1]).all())


def overlap(one: Matrix, other: Matrix) -> bool:
    """Return whether two boxes meet."""
    return bool((one[0] < other[1]).all() and (other[0] < one[1]).all())

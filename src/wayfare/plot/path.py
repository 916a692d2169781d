"""The path of a study over one or two axes: visits in their order, the start, the best place, the stops ahead.

Everything is projected once, as a ``Journey``; the functions below draw it, explain its marks and number its visits.
"""

from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from typing import Any

import numpy as np
from attrs import frozen
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.transforms import ScaledTranslation

from wayfare._core.arrays import Mask, Matrix, Points, Values, unique_rows
from wayfare.plot import style
from wayfare.plot.style import INK, ORDER, SMALL
from wayfare.plot.view import View
from wayfare.record.events import Trial, TrialState
from wayfare.record.state import StudyState
from wayfare.report.route_ahead import route_ahead_of
from wayfare.space import Choice
from wayfare.travel import TravelCost, way

VISITS = "visits, first to last"
DASHED = (0, (4, 2))
SIDE_BY_SIDE: dict[Any, Any] = {tuple: HandlerTuple(ndivide=None, pad=0.3)}
LEGEND: dict[str, Any] = {"frameon": False, "fontsize": SMALL, "handler_map": SIDE_BY_SIDE}
FEW = 12
"""How many numbers are written if not every visit gets one."""
AROUND, BESIDE = 12.0, 2
"""Points around the star of the best place, and how many numbers are written of the visits there."""
DIRECTIONS = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
"""Where a number may stand beside its visit, the preferred first."""


@frozen(eq=False)
class Journey:
    """Where everything is drawn, one row each: all trials by number, and the positions set by ``replan`` as ``put``.

    ``near`` says of each trial how near it is to the slice that is drawn, 1 on it. ``way`` numbers the rows of
    ``all`` in the order they were passed, -1 where the line breaks off. ``behind`` is the line that was followed, and
    ``beyond`` the one ahead, with their turns.
    """

    start: Points
    visits: Points
    put: Points
    ahead: Points
    home: Points
    trials: tuple[Trial, ...]
    near: Values
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
        return np.array([trial.state is TrialState.TOLD for trial in self.trials], dtype=np.bool_)

    def along(self, rows: Points) -> Points:
        """Return ``rows``, one for each of ``all``, in the order they were passed; nan where it breaks."""
        return _with_gap(rows)[list(self.way)]


def make_journey(view: View, state: StudyState) -> Journey:
    """Return the journey of a study, projected on the axes of the view."""
    # 1. Project all places at once: the start, the trials, the positions put, the stops ahead, home.
    d, home, went = state.spec.space.d, state.spec.limits.home, {one.move for one in state.returns}
    moved = {at: x for at, (_, x) in enumerate(state.moved) if at not in went}
    parts = (
        [] if state.spec.start is None else [state.spec.start],
        [trial.x for trial in state.trials],
        list(moved.values()),
        state.stops_ahead,
        [] if home is None else [home],
    )
    places = np.vstack([np.array(part, dtype=np.float64).reshape(-1, d) for part in parts])
    drawn = view.project(places)
    trials, put, stops, last = np.cumsum([len(part) for part in parts])[:-1].tolist()
    # 2. The rows passed so far, a gap before each position that was put, and 3. those ahead.
    way, rows_put = [*range(trials)], {at: put + n for n, at in enumerate(moved)}
    for number in range(len(state.trials) + 1):
        for at in (at for at, (after, _) in enumerate(state.moved) if after == number):
            way += [-1, rows_put[at]] if at in moved else [last]
        if number < len(state.trials) and (trial := state.trials[number]).is_visit:
            way += [last, trials + number] if trial.home_first else [trials + number]
    route = way[-1:]
    for at, stop in enumerate(route_ahead_of(state).stops):
        route += [last, stops + at] if stop.home_first else [stops + at]
    lines = [drawn_way(view, state.spec.travel, places, drawn, rows) for rows in (way, route)]
    start, visits, positions, ahead, end = np.split(drawn, [trials, put, stops, last])
    near = view.nearness(np.array(parts[1], dtype=np.float64).reshape(-1, d))
    return Journey(start, visits, positions, ahead, end, state.trials, near, tuple(way), *lines)


def drawn_way(view: View, travel: TravelCost, x: Points, drawn: Points, rows: Sequence[int]) -> Points:
    """Return the line through these rows of ``x``, which lie at ``drawn``, with the turns between them.

    It breaks off at nan if a row is -1. It is straight along a single axis, and over a choice, whose visits are
    spread by their order.
    """
    straight = _with_gap(drawn)[list(rows)]
    if len(view.columns) < 2 or any(isinstance(axis, Choice) for axis in view.axes):
        return straight
    pieces = [straight[:1]]
    for at, (here, there) in enumerate(pairwise(rows), 1):
        if here >= 0 and there >= 0:
            pieces.append(view.project(way(travel, x[here], x[there])[1:-1]))
        pieces.append(straight[at : at + 1])
    return np.vstack(pieces)


def _with_gap(rows: Points) -> Points:
    return np.vstack([rows, np.full((1, rows.shape[1]), np.nan)])  # so that number -1 is a gap


def draw_path(ax: Axes, journey: Journey, best: int | None) -> None:
    """Draw the journey: solid and filled behind the traveller, dashed and hollow ahead."""
    ax.plot(*journey.behind.T, color=INK, linewidth=0.8, alpha=0.75, solid_joinstyle="round", label="path", zorder=2)
    draw_visits(ax, journey.visits, journey)
    if len(journey.ahead):
        draw_ahead(ax, journey.beyond, journey.ahead)
    home = journey.home if journey.is_elsewhere else ()
    for places, mark in ((journey.put, style.PUT_MARK), (journey.start, style.START_MARK), (home, style.HOME_MARK)):
        if len(places):
            ax.plot(*np.transpose(places), **mark, zorder=3)
    if best is not None:
        ax.plot(*journey.visits[[best]].T, **style.BEST_MARK, zorder=6)


def draw_ahead(ax: Axes, line: Points, stops: Points) -> None:
    """Draw the route ahead and its stops."""
    ax.plot(*line.T, color=INK, linewidth=0.9, linestyle=DASHED, label="route ahead", zorder=2)
    ax.plot(*stops.T, **style.STOP_MARK, zorder=4)


def draw_visits(ax: Axes, visits: Points, journey: Journey) -> None:
    """Draw the visits as dots, darker the later, small and pale off the slice; other trials have marks of their own."""
    states = np.array([trial.state for trial in journey.trials])
    prior = np.array([trial.prior for trial in journey.trials], dtype=np.bool_)
    told = journey.told & ~prior
    size = float(np.clip(30 - 0.15 * len(visits), 12, 30))
    shades: dict[str, Any] = {"c": np.flatnonzero(told), "cmap": ORDER, "vmin": 0, "vmax": max(1, len(visits) - 1)}
    look: dict[str, Any] = {"edgecolors": INK, "linewidths": 0.6, "label": VISITS, "clip_on": False, "zorder": 5}
    if told.any():
        share = 0.3 + 0.7 * journey.near[told]
        look |= {"s": size * share, "alpha": share}
        ax.scatter(visits[told, 0], visits[told, 1], **shades, **look)
    for mark, which in (
        (style.PRIOR_MARK, journey.told & prior),
        (style.OPEN_MARK, states == TrialState.ASKED),
        (style.FAILED_MARK, states == TrialState.FAILED),
        (style.SKIPPED_MARK, states == TrialState.SKIPPED),
    ):
        if which.any():
            ax.plot(*visits[which].T, **mark, zorder=5)


def frame_path(ax: Axes, view: View, drawn: Points) -> None:
    """Set the limits to the space, widened if the journey leaves it."""
    for at in range(len(view.columns)):
        into, back = (np.log, np.exp) if view.is_log(at) else (np.asarray, np.asarray)
        low, high = (float(into(bound)) for bound in view.span(at))
        reached, margin = into(drawn[:, at]), 0.06 * (high - low)
        least, most = float(reached.min()), float(reached.max())
        low = least - margin if least < low - 1e-9 * margin else low
        high = most + margin if most > high + 1e-9 * margin else high
        (ax.set_xlim if at == 0 else ax.set_ylim)(float(back(low)), float(back(high)))


def draw_legend(ax: Axes) -> None:
    """Explain the marks that were drawn, below the axis label, outside of the data."""
    handles, labels = _marks_on(ax)
    rows = -(-len(labels) // (4 if len(labels) <= 6 else 3))
    figure = ax.get_figure(root=True)
    assert figure is not None
    below = ax.transAxes + ScaledTranslation(0, -32 / 72, figure.dpi_scale_trans)
    place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "bbox_transform": below}
    space: dict[str, Any] = {"handletextpad": 0.5, "columnspacing": 1.4, "borderaxespad": 0}
    ax.legend(handles=handles, labels=labels, ncols=-(-len(labels) // rows), **place, **space, **LEGEND)


def explain_below(figure: Figure | SubFigure, ax: Axes) -> None:
    """Explain the marks on ``ax``, once for all panels, in a row below them."""
    handles, labels = _marks_on(ax)
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), **LEGEND)


def _marks_on(ax: Axes) -> tuple[list[Any], list[str]]:
    """Return the marks to explain and their labels; the visits are shown by three of their colours."""
    marks = zip(*ax.get_legend_handles_labels(), strict=True)
    drawn: dict[str, Any] = {label: mark for mark, label in marks if label not in ("path", "route ahead")}
    if VISITS in drawn:
        drawn[VISITS] = tuple(
            Line2D([], [], linestyle="none", marker="o", markersize=5, color=ORDER(share), markeredgecolor=INK)
            for share in (0.0, 0.5, 1.0)
        )
    return list(drawn.values()), list(drawn)


def number_visits(
    ax: Axes, drawn: Points, most: int, marks: Points, labels: Sequence[str] = (), star: Points | None = None
) -> None:
    """Write the trial numbers beside the visits, all of them if there are ``most`` at most.

    Beyond that only round numbers and the last are written. Visits to the same spot share one text. Other ``marks``
    are kept free too. The layout must be settled, because collisions are decided in points on paper. ``labels`` are
    what to write instead of the numbers. Around the ``star`` of the best place, where visits crowd, few are
    written.
    """
    figure = ax.get_figure(root=True)
    if figure is None or most < 1:
        return
    to_points = 72 / figure.dpi
    points = ax.transData.transform(drawn) * to_points
    taken = [box(point, 5.0, 5.0) for point in points]
    taken += [box(point, 8.0, 8.0) for point in ax.transData.transform(marks) * to_points]
    near, crowded = np.zeros(len(points), dtype=np.bool_), 0
    if star is not None:
        near = np.linalg.norm(points - ax.transData.transform(star) * to_points, axis=1) < AROUND
    paper = np.asarray(ax.bbox.get_points()) * to_points
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SMALL, "color": INK, "zorder": 8}
    look["path_effects"] = [withStroke(linewidth=1.6, foreground="white", alpha=0.85)]
    for text, at in texts(drawn, most, labels):
        if near[at] and crowded == BESIDE:
            continue
        crowded += int(near[at])
        width, height = 0.58 * SMALL * len(text) + 1.5, 0.85 * SMALL
        for across, up in DIRECTIONS:
            reach = np.array([across * (4.2 + width / 2), up * (4.2 + height / 2)])
            place = box(points[at] + reach, width, height)
            inside = (place[0] >= paper[0]).all() and (place[1] <= paper[1]).all()
            if inside and not any(overlap(place, other) for other in taken):
                taken.append(place)
                text_at: dict[str, Any] = {"xytext": tuple(reach.tolist()), "textcoords": "offset points"}
                ax.annotate(text, drawn[at], **text_at, **look, gid="visit number", annotation_clip=False)
                break


def texts(drawn: Points, most: int, labels: Sequence[str] = ()) -> Iterator[tuple[str, int]]:
    """Yield the text and the row of each number, the most telling first: last, first, then in order."""
    n = len(drawn)
    strides = (step * 10**decade for decade in count() for step in (1, 2, 5))
    stride = 1 if n <= most else next(step for step in strides if n / step <= min(FEW, most))
    shown = sorted({*range(0, n, stride), n - 1}, key=lambda i: (i != n - 1, i))
    _, spots = unique_rows(drawn)
    written: set[int] = set()
    for i in (i for i in shown if int(spots[i]) not in written):
        written.add(int(spots[i]))
        same = [labels[j] if labels else str(j) for j in sorted(shown) if spots[j] == spots[i]]
        yield ", ".join(same if len(same) <= 3 else [*same[:2], "…", same[-1]]), i


def box(centre: Values, width: float, height: float) -> Matrix:
    """Return the lower left and upper right corners."""
    half = np.array([width, height]) / 2
    return np.array([centre - half, centre + half])


def overlap(one: Matrix, other: Matrix) -> bool:
    """Return whether two boxes meet."""
    return bool((one[0] < other[1]).all() and (other[0] < one[1]).all())

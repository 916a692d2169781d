"""``plot_route``: the path of a study over the belief about the function, or over the true function."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import blended_transform_factory

from wayfare._core.arrays import Points
from wayfare._core.format import counted
from wayfare._core.rng import stream
from wayfare.plot import path
from wayfare.plot.style import (
    BEST_MARK,
    HOME_MARK,
    INK,
    OPEN_MARK,
    PLACE_MARK,
    START_MARK,
    STOP_MARK,
    amount,
    entitle,
    named,
    root_of,
    tidy,
)
from wayfare.plot.surface import Truth, draw_band, draw_ground, draw_regions, draw_scale, draw_surface, values_at
from wayfare.plot.view import View, make_view, snapshot_of, terrain_of
from wayfare.record.state import StudyState, apply
from wayfare.report.predict import believe
from wayfare.report.route_ahead import route_ahead_of
from wayfare.space import Places
from wayfare.study import moves
from wayfare.study.study import Snapshot, Study


def plot_route(
    study: Study | Snapshot,
    *,
    truth: Truth | None = None,
    axes: tuple[str, ...] | None = None,
    ax: Axes | None = None,
    levels: Sequence[float] | None = None,
    numbered: int = 40,
    title: str | None = None,
    scale: bool = True,
    legend: bool = True,
) -> Figure:
    """Draw the path of a study, and return the figure.

    Two axes show the path over filled contours, one axis the results over the place. Visits to a choice are spread
    over its band in their order. Of more than two axes those of a map are drawn, which is true to scale, else those
    with most movement in the unit cube; the background is the slice through the best place. If the travel cost knows
    the line between two places, as a ``Raster`` does, the path follows it. Forbidden regions are hatched, and where a
    map has no way it is shaded.

    Before the first result the picture shows the ground, the start, home and the route planned, numbered as its trials
    will be; if none is planned yet, the one that ``ask`` would plan.

    Args:
        study: a study; a snapshot will do.
        truth: the true function, drawn instead of the posterior mean: takes (n, d) places in user units,
            choices by position, and returns n values in the sign of the results.
        axes: the names of one or two axes to draw.
        ax: where to draw, on a figure of yours; None: a new figure.
        levels: of the contours; None: chosen from the values.
        numbered: number all visits if there are so many at most, else only round numbers; a number without room is
            left out. 0: none.
        title: None: the study's name, and the movement so far with its unit.
        scale: whether to add the colour bar.
        legend: whether to explain the marks.
    """
    # 1. What to draw: one snapshot, its view, and where everything lies in it.
    now = snapshot_of(study, "plot_route")
    if not now.state.results:
        return _plot_plan(now.state, axes, ax, numbered, title, legend)
    state, spec, best = now.state, now.spec, now.best()
    view = make_view(state, axes, state.trials[best.trial].x)
    journey = path.make_journey(view, state)
    terrain = terrain_of(state, view.frame)
    if ax is None:
        _, ax = plt.subplots(figsize=(5.2, 4.4), layout="constrained" if terrain is None else "compressed")
    # 2. The background and the path.
    if len(view.columns) == 1:
        visits, marks, star = _draw_line(ax, view, state, journey, truth, best.trial)
    else:
        visits, star = journey.visits, journey.visits[[best.trial]]
        marks = np.vstack([journey.start, journey.home, journey.put, journey.ahead])
        mappable = draw_surface(ax, view, state, believe(state) if truth is None else truth, levels)
        draw_ground(ax, view, spec.travel)
        draw_regions(ax, view)
        path.draw_path(ax, journey, best.trial)
        if scale:
            draw_scale([ax], mappable, "posterior mean" if truth is None else "true value")
    # 3. Axes, title and legend, and last the numbers, which need the final layout.
    view.dress(ax)
    path.frame_path(ax, view, journey.reached)
    tidy(ax)
    if terrain is not None:
        terrain.set_scale(ax, view.columns, journey.visits)
    if title is None:
        visits_made = counted(sum(trial.is_visit for trial in state.trials), "visit")
        title = f"{named(spec.name)}: movement {amount(now.ledger().paid, spec.unit)} over {visits_made}"
    caption = view.caption(best.params)
    if caption.startswith("slice") and len(view.columns) > 1:
        caption = f"{caption}\nsmall and pale: visits off the slice"
    entitle(ax, title, caption)
    if legend:
        path.draw_legend(ax)
    figure = root_of(ax)
    if numbered:
        figure.draw_without_rendering()
        path.number_visits(ax, visits, numbered, marks, [trial.label for trial in state.trials], star)
    return figure


def _plot_plan(
    state: StudyState, axes: tuple[str, ...] | None, ax: Axes | None, numbered: int, title: str | None, legend: bool
) -> Figure:
    """Draw the route ahead of a study without results: along a single axis, by the order of its stops."""
    # 1. The route: as planned, else as it would be.
    if not len(state.stops_ahead) and not state.out and (made := moves.plan(state)) is not None:
        state = apply(state, [made])
    known, spec = [trial.x for trial in state.trials] + [*state.stops_ahead], state.spec
    view = make_view(state, axes, known[0] if known else spec.space.sample(1, stream(spec.seed, "plot"))[0])
    journey, terrain = path.make_journey(view, state), terrain_of(state, view.frame)
    if ax is None:
        _, ax = plt.subplots(figsize=(5.2, 4.4), layout="constrained" if terrain is None else "compressed")
    # 2. The ground, and the route over it.
    stops, marks = np.vstack([journey.visits, journey.ahead]), np.vstack([journey.start, journey.home])
    if len(view.columns) == 1:
        stops, marks = _draw_order(ax, journey)
    else:
        if isinstance(spec.space, Places):
            ax.plot(*spec.space.table[:, view.columns].T, **PLACE_MARK, zorder=1)
        draw_ground(ax, view, spec.travel)
        path.draw_path(ax, journey, None)
    draw_regions(ax, view)
    # 3. Axes, title and legend, and last the numbers, which need the final layout.
    view.dress(ax)
    path.frame_path(ax, view, journey.reached)
    tidy(ax)
    if terrain is not None and len(stops):
        terrain.set_scale(ax, view.columns, stops)
    route = route_ahead_of(state)
    ahead = f"{counted(len(route), 'stop')} ahead, {amount(route.cost, spec.unit)}" if len(route) else "no stops ahead"
    if state.trials:
        ahead = f"{counted(len(state.trials), 'trial')} without a result, {ahead}"
    entitle(ax, f"{named(spec.name)}: {ahead}" if title is None else title, view.caption(None))
    if legend:
        path.draw_legend(ax)
    figure = root_of(ax)
    if numbered and len(stops):
        figure.draw_without_rendering()
        labels = [*(trial.label for trial in state.trials), *map(str, range(len(state.trials), len(stops)))]
        path.number_visits(ax, stops, numbered, marks, labels)
    return figure


def _draw_order(ax: Axes, journey: path.Journey) -> tuple[Points, Points]:
    """Draw the stops of a single axis below one another, and return where they and the start and home are drawn."""
    across = np.vstack(
        [journey.start, journey.visits, journey.ahead, journey.home if journey.is_elsewhere else journey.ahead[:0]]
    )
    first = -len(journey.start)
    drawn = np.column_stack([across[:, 0], np.arange(first, first + len(across))])
    starts, out, ahead = len(journey.start), len(journey.visits), len(journey.ahead)
    ax.plot(*drawn.T, color=INK, linewidth=0.9, linestyle=path.DASHED, label="route ahead", zorder=2)
    begin, visits, stops, home = np.split(drawn, np.cumsum([starts, out, ahead]))
    for places, mark in ((begin, START_MARK), (visits, OPEN_MARK), (stops, STOP_MARK), (home, HOME_MARK)):
        if len(places):
            ax.plot(*places.T, **mark, zorder=4)
    ax.set(ylabel="order of the visits", ylim=(len(across) + first - 0.5, first - 0.5))
    ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
    return np.vstack([visits, stops]), np.vstack([begin, home])


def _draw_line(
    ax: Axes, view: View, state: StudyState, journey: path.Journey, truth: Truth | None, best: int
) -> tuple[Points, Points, Points]:
    """Draw results over the only axis of the view, and return where visits, other marks and the star are drawn.

    Trials not yet told and stops ahead have no value: they lie on the posterior mean. The start and home lie on the
    axis.
    """
    belief = believe(state)
    x = view.drawn(state.spec.space)
    at = x[:, view.columns[0]]
    draw_band(ax, view, at, *belief.marginals(x))
    if truth is not None:
        look = {"linestyle": "none", "marker": "x", "markersize": 4} if view.is_apart else {"linestyle": ":"}
        ax.plot(at, values_at(truth, x), color=INK, linewidth=1.2, label="true value", zorder=1, **look)
    values = np.array([trial.value if trial.value is not None else np.nan for trial in state.trials])
    expected = belief(np.array([trial.x for trial in state.trials]))
    visits = np.column_stack([journey.visits[:, 0], np.where(journey.told, values, expected)])
    # The start and the positions put have no value, so the line is drawn between visits only.
    rows = np.column_stack([journey.all[:, 0], np.full(len(journey.all), np.nan)])
    rows[len(journey.start) :][: len(visits)] = visits
    behind = journey.along(rows)
    ax.plot(*behind.T, color=INK, linewidth=0.6, alpha=0.5, label="path", zorder=2)
    path.draw_visits(ax, visits, journey)
    ahead = np.empty((0, 2))
    if len(journey.ahead):
        ahead = np.column_stack([journey.ahead[:, 0], belief(state.stops_ahead)])
        path.draw_ahead(ax, np.vstack([behind[-1:], ahead]), ahead)
    on_axis = blended_transform_factory(ax.transData, ax.transAxes)
    if len(journey.start):
        ax.plot(journey.start[:, 0], [0.0], **START_MARK, transform=on_axis, zorder=6)
    if journey.is_elsewhere:
        ax.plot(journey.home[:, 0], [0.0], **HOME_MARK, transform=on_axis, zorder=6)
    star = np.array([[visits[best, 0], expected[best]]])
    ax.plot(*star.T, **BEST_MARK, zorder=6)
    ax.set_ylabel("value")
    return visits, ahead, star

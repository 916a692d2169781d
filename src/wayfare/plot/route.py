"""``plot_route``: the path of a study over the belief about the function, or over the true function."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import blended_transform_factory

from wayfare._core.arrays import Points
from wayfare._core.format import counted
from wayfare.plot import path
from wayfare.plot.style import BEST_MARK, HOME_MARK, INK, START_MARK, amount, entitle, named, root_of, tidy
from wayfare.plot.surface import Truth, draw_band, draw_regions, draw_scale, draw_surface, values_at
from wayfare.plot.view import View, make_view, terrain_of, told_snapshot
from wayfare.record.state import StudyState
from wayfare.report.predict import believe
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
    the line between two places, as a ``Raster`` does, the path follows it. Forbidden regions are hatched.

    Args:
        study: has at least one result; a snapshot will do.
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
    now = told_snapshot(study, "plot_route")
    state, spec, best = now.state, now.spec, now.best()
    view = make_view(state, axes, state.trials[best.trial].x)
    journey = path.make_journey(view, state)
    terrain = terrain_of(state, view.frame)
    if ax is None:
        _, ax = plt.subplots(figsize=(5.2, 4.4), layout="constrained" if terrain is None else "compressed")
    # 2. The background and the path.
    if len(view.columns) == 1:
        visits, marks = _draw_line(ax, view, state, journey, truth, best.trial)
    else:
        visits, star = journey.visits, journey.visits[[best.trial]]
        marks = np.vstack([journey.start, journey.home, journey.put, journey.ahead, star])
        mappable = draw_surface(ax, view, state, believe(state) if truth is None else truth, levels)
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
    entitle(ax, title, view.caption(best.params))
    if legend:
        path.draw_legend(ax)
    figure = root_of(ax)
    if numbered:
        figure.draw_without_rendering()
        path.number_visits(ax, visits, numbered, marks, [trial.label for trial in state.trials])
    return figure


def _draw_line(
    ax: Axes, view: View, state: StudyState, journey: path.Journey, truth: Truth | None, best: int
) -> tuple[Points, Points]:
    """Draw results over the only axis of the view, and return where the visits and the other marks are drawn.

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
    return visits, np.vstack([star, ahead])

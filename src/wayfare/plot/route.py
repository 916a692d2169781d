"""``plot_route``: the path of a study over what is believed, or known, of the function."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from attrs import frozen
from matplotlib.axes import Axes
from matplotlib.transforms import blended_transform_factory

from wayfare._core.arrays import Points, Values
from wayfare._core.format import counted
from wayfare.plot.path import Journey, draw_legend, draw_path, draw_visits, frame_path, make_journey, number_visits
from wayfare.plot.style import BEST_MARK, HOME_MARK, INK, START_MARK, STOP_MARK, amount, entitle, named, tidy
from wayfare.plot.surface import Belief, Truth, believe, draw_regions, draw_scale, draw_surface, values_at
from wayfare.plot.view import View, make_view, terrain_of, told_state
from wayfare.record.state import StudyState
from wayfare.space import Choice, Places
from wayfare.study.study import Snapshot, Study

# A study along one axis: results over the place, with the belief behind them.


BAND, MEAN = "#9ecae1", "#08519c"


@frozen(eq=False)
class Profile:
    """The posterior along the axis drawn: places, mean and standard deviation."""

    x: Points
    mean: Values
    sd: Values


def draw_line(
    ax: Axes, view: View, state: StudyState, journey: Journey, belief: Belief, truth: Truth | None, best: int
) -> tuple[Points, Points]:
    """Draw results over the only axis of the view, and return where the visits and the other marks are drawn.

    Trials not yet told and stops ahead have no value: they lie on the posterior mean. The start and home lie
    on the axis.
    """
    draw_belief(ax, view, state, belief, truth)
    values = np.array([trial.value if trial.value is not None else np.nan for trial in state.trials])
    expected = belief(np.array([trial.x for trial in state.trials]))
    visits = np.column_stack([journey.visits[:, 0], np.where(journey.told, values, expected)])
    # The start and the places put by hand have no value, so the line is drawn between visits only.
    rows = np.column_stack([journey.all[:, 0], np.full(len(journey.all), np.nan)])
    rows[len(journey.start) :][: len(visits)] = visits
    behind = journey.along(rows)
    ax.plot(*behind.T, color=INK, linewidth=0.6, alpha=0.5, label="path", zorder=2)
    draw_visits(ax, visits, journey)
    ahead = np.empty((0, 2))
    if len(journey.ahead):
        ahead = np.column_stack([journey.ahead[:, 0], belief(state.stops_ahead)])
        route = np.vstack([behind[-1:], ahead])
        ax.plot(*route.T, color=INK, linewidth=0.9, linestyle=(0, (4, 2)), label="route ahead", zorder=2)
        ax.plot(*ahead.T, **STOP_MARK, zorder=4)
    on_axis = blended_transform_factory(ax.transData, ax.transAxes)
    if len(journey.start):
        ax.plot(journey.start[:, 0], [0.0], **START_MARK, transform=on_axis, zorder=6)
    if journey.is_elsewhere:
        ax.plot(journey.home[:, 0], [0.0], **HOME_MARK, transform=on_axis, zorder=6)
    star = np.array([[visits[best, 0], expected[best]]])
    ax.plot(*star.T, **BEST_MARK, zorder=6)
    ax.set_ylabel("value")
    return visits, np.vstack([star, ahead])


def draw_belief(ax: Axes, view: View, state: StudyState, belief: Belief, truth: Truth | None) -> None:
    """Draw the posterior mean and two standard deviations: a band, or bars where places stand apart."""
    space = state.spec.space
    x = space.table[np.argsort(space.table[:, view.columns[0]])] if isinstance(space, Places) else view.grid()
    at = x[:, view.columns[0]]
    mean, sd = belief.marginals(x)
    apart = isinstance(space, Places) or isinstance(view.axes[0], Choice)
    if apart:
        bars = ax.errorbar(at, mean, 2 * sd, fmt="_", color=MEAN, ecolor=BAND, elinewidth=5, markersize=9, zorder=1)
        bars.set_label("posterior mean ± 2 sd")
    else:
        ax.fill_between(at, mean - 2 * sd, mean + 2 * sd, color=BAND, alpha=0.5, linewidth=0, label="± 2 sd", zorder=0)
        ax.plot(at, mean, color=MEAN, linewidth=1.3, label="posterior mean", zorder=1)
    if truth is not None:
        style = {"linestyle": "none", "marker": "x", "markersize": 4} if apart else {"linestyle": ":"}
        ax.plot(at, values_at(truth, x), color=INK, linewidth=1.2, label="true value", zorder=1, **style)


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
) -> Axes:
    """Draw the path of a study and return the axes it is drawn on.

    Two axes show the path over filled contours, one axis the results over the place. Visits to a choice are
    spread over its band in their order. Of more than two axes those of a map are drawn, which is true to
    scale, else those with most movement in the unit cube; the background is the slice through the best place.
    Where the travel cost knows the way from place to place, as a ``Raster`` does, the path follows it.
    Regions that are forbidden are hatched.

    Args:
        study: has at least one result.
        truth: the true function, drawn instead of the posterior mean: takes (n, d) places in user units,
            choices by position, and returns n values in the sign of the results.
        axes: the names of one or two axes to draw.
        ax: where to draw; None: a new figure.
        levels: of the contours; None: chosen from the values.
        numbered: write the number beside every visit if there are so many at most, else beside round
            numbers only; where there is no room a number is left out. 0: none.
        title: None: the study's name, and the movement so far with its unit.
        scale: whether to add the colour bar.
        legend: whether to explain the marks.
    """
    state = told_state(study, "plot_route")
    spec, best = state.spec, study.best()
    view = make_view(study, axes, state.trials[best.trial].x)
    journey = make_journey(view, state)
    terrain = terrain_of(state, view.frame)
    if ax is None:
        _, ax = plt.subplots(figsize=(5.2, 4.4), layout="constrained" if terrain is None else "compressed")
    caption = view.caption(best.params)
    if len(view.columns) == 1:
        visits, marks = draw_line(ax, view, state, journey, believe(state), truth, best.trial)
    else:
        visits, marks = (
            journey.visits,
            np.vstack([journey.start, journey.home, journey.put, journey.ahead, journey.visits[[best.trial]]]),
        )
        mappable = draw_surface(ax, view, state, believe(state) if truth is None else truth, levels)
        draw_regions(ax, view)
        draw_path(ax, journey, best.trial)
        if scale:
            draw_scale([ax], mappable, "posterior mean" if truth is None else "true value")
    view.dress(ax)
    frame_path(ax, view, journey.reached)
    tidy(ax)
    aspect = None if terrain is None else terrain.aspect(view.columns, journey.visits)
    if aspect is not None:
        ax.set_aspect(aspect, adjustable="box")
    if title is None:
        paid = amount(study.ledger().paid, spec.unit)
        visited = sum(trial.is_visit for trial in state.trials)
        title = f"{named(spec.name)}: movement {paid} over {counted(visited, 'visit')}"
    entitle(ax, title, caption)
    if legend:
        draw_legend(ax)
    figure = ax.get_figure(root=True)
    if figure is not None and numbered:
        figure.draw_without_rendering()
        number_visits(ax, visits, numbered, marks)
    return ax

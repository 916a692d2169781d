"""A study along one axis: results over the place, with the belief behind them."""

import numpy as np
from attrs import frozen
from matplotlib.axes import Axes
from matplotlib.transforms import blended_transform_factory

from wayfare.arrays import Points, Values
from wayfare.plot.journey import Journey
from wayfare.plot.marks import BEST_MARK, HOME_MARK, START_MARK, STOP_MARK
from wayfare.plot.path import draw_visits
from wayfare.plot.style import INK
from wayfare.plot.surface import Belief, Truth, values_at
from wayfare.plot.view import View
from wayfare.space import Choice, Places
from wayfare.state import StudyState

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
        bars = ax.errorbar(
            at, mean, 2 * sd, fmt="_", color=MEAN, ecolor=BAND, elinewidth=5, markersize=9, zorder=1
        )
        bars.set_label("posterior mean ± 2 sd")
    else:
        ax.fill_between(
            at, mean - 2 * sd, mean + 2 * sd, color=BAND, alpha=0.5, linewidth=0, label="± 2 sd", zorder=0
        )
        ax.plot(at, mean, color=MEAN, linewidth=1.3, label="posterior mean", zorder=1)
    if truth is not None:
        style = {"linestyle": "none", "marker": "x", "markersize": 4} if apart else {"linestyle": ":"}
        ax.plot(at, values_at(truth, x), color=INK, linewidth=1.2, label="true value", zorder=1, **style)

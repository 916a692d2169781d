"""``plot_belief``: what is believed of the function, how sure that is, and where a visit is likely to do.

Colours are honest: equal steps of colour are equal steps of the number, every level is on the scale, the standard
deviation begins at 0 and a probability runs from 0 to 1. Light is good throughout: a good value, sure, probable.
"""

from collections.abc import Callable, Mapping, Sequence
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from attrs import frozen
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from wayfare._core.arrays import Mask, Points, Values
from wayfare._core.format import results
from wayfare.plot.path import LEGEND, frame_path
from wayfare.plot.style import (
    BEST_MARK,
    BROKE_MARK,
    FAILED_MARK,
    NORMAL,
    PRIOR_MARK,
    RESULT_MARK,
    SERIES,
    SMALL,
    doubt,
    ground,
    named,
    tidy,
)
from wayfare.plot.surface import BARS, INTERVAL, draw_band, draw_regions, draw_scale, draw_surface, even_steps
from wayfare.plot.view import View, frame_of, make_view, near, terrain_of, told_snapshot
from wayfare.record.state import StudyState
from wayfare.report.best import Best
from wayfare.report.predict import Belief, believe
from wayfare.space import Choice, Places
from wayfare.study.study import Snapshot, Study
from wayfare.surrogate.history import History

MOST_VALUES = 8
"""So many values of a choice are drawn at most: those of the best posterior mean."""
MOST_SLICES = 12
"""So many axes are drawn at most: those along which the posterior mean changes most."""
PER_ROW = 4
GONE = 0.05
"""How near to the slice a visit must be to be drawn at all; 1 is on it."""
SHARES = np.linspace(0.0, 1.0, 11)


def plot_belief(study: Study | Snapshot, *, axes: tuple[str, ...] | None = None, title: str | None = None) -> Figure:
    """Draw what is believed of the function, and return the figure.

    Two axes of numbers show the posterior mean and its standard deviation as two surfaces; one axis shows the mean
    and its 95% interval as a band, with the results; a number and a choice a band for each of the eight best values
    of the choice. Of more axes, and unless it is a map, each gets a band of its own, along which it alone changes and
    the others stay at the best place. A table of places is drawn as dots. If a visit has failed, the probability of
    success is drawn, too, and if something measured has a limit, the probability that all limits hold.

    Args:
        study: has at least one result; a snapshot will do.
        axes: the names of one or two axes to draw; the others stay at the best place.
        title: None: the study's name, and of how many results it is the belief.
    """
    # 1. What to draw: one snapshot, its belief, and the slice through its best place.
    now = told_snapshot(study, "plot_belief")
    state, best = now.state, now.best()
    subject = Subject(state, believe(state), best, state.trials[best.trial].x)
    views, remarks = _views(subject, axes)
    # 2. One surface for each number, or one panel for each line.
    held = _held(subject, views)
    if len(views[0].columns) == 2:
        figure = _draw_surfaces(subject, views[0])
    else:
        figure, said = _draw_lines(subject, views)
        remarks += said
    # 3. Title and legend.
    if title is None:
        title = f"{named(state.spec.name)}: belief after {results(int(subject.history.counts.sum()))}"
    width = int(figure.get_figwidth() * 72 / (0.5 * SMALL))
    lines = [title, *(fill(text, width) for text in (held, "; ".join(remarks)) if text)]
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=NORMAL)
    _explain(figure, fades=bool(held))
    return figure


def _explain(figure: Figure, fades: bool) -> None:
    """Explain the marks once for all panels, in as few rows as fit below them."""
    drawn = {label: mark for ax in figure.axes for mark, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    if INTERVAL in drawn:
        drawn.pop(BARS, None)  # bars have the colours of the band
    for mark in (RESULT_MARK, PRIOR_MARK, BROKE_MARK, FAILED_MARK):
        if mark["label"] in drawn:
            drawn[mark["label"]] = Line2D([], [], **mark)  # in full colour
    words = {RESULT_MARK["label"]: "results, fainter the further from the slice"} if fades else {}
    labels, room = [words.get(label, label) for label in drawn], figure.get_figwidth() * 72
    for rows in range(1, len(labels) + 1):
        columns = [labels[at : at + rows] for at in range(0, len(labels), rows)]
        if sum(40 + 0.55 * SMALL * max(map(len, column)) for column in columns) < room:
            break
    figure.legend(list(drawn.values()), labels, loc="outside lower center", ncols=len(columns), **LEGEND)


@frozen(eq=False)
class Subject:
    """A study to draw: its state, the belief after its results, and its best place as a row."""

    state: StudyState
    belief: Belief
    best: Best
    here: Values

    @property
    def history(self) -> History:
        """The results and the failures so far."""
        return self.state.history

    @property
    def known(self) -> Mask:
        """Which results were known before the study and break no limit."""
        known = np.array([self.state.trials[number].prior for number in self.state.results], dtype=np.bool_)
        return known & ~self.broke

    @property
    def broke(self) -> Mask:
        """Which results broke a limit on something measured; what was not measured broke none."""
        history = self.history
        broke = [
            any(
                not limit.holds(number)
                for limit, number in zip(history.limits, row, strict=True)
                if not np.isnan(number)
            )
            for row in history.measured
        ]
        return np.array(broke, dtype=np.bool_)

    @property
    def chances(self) -> dict[str, Callable[[Points], Values]]:
        """The probabilities worth drawing: of success if a visit failed, of compliance if there are limits."""
        history = self.history
        drawn: dict[str, Callable[[Points], Values]] = {}
        if len(history.failed):
            drawn["probability of success"] = self.belief.success
        if history.limits:
            drawn["probability of compliance"] = self.belief.compliance
        return drawn


def _views(subject: Subject, axes: tuple[str, ...] | None) -> tuple[list[View], list[str]]:
    """Return the views to draw, two axes or else one line each, and what to say about those left out."""
    state, frame = subject.state, frame_of(subject.state.spec.space)
    loose = isinstance(state.spec.space, Places)
    active = [column for column, axis in enumerate(frame.axes) if axis.width]
    if axes is None and len(active) > 2 and not loose and terrain_of(state, frame) is None:
        return _most(subject, [View(frame, (column,), subject.here, loose) for column in active], MOST_SLICES, "axes")
    view = make_view(state, axes, subject.here)
    choices = [column for column, axis in zip(view.columns, view.axes, strict=True) if isinstance(axis, Choice)]
    if loose or len(view.columns) == 1 or len(choices) != 1:
        return [view], []
    # A number and a choice: the number along the axis, in one view for each value of the choice.
    (choice,) = choices
    number, axis = next(column for column in view.columns if column != choice), frame.axes[choice]
    through = np.tile(subject.here, (axis.size or 0, 1))
    through[:, choice] = axis.everything()
    each = [View(frame, (number,), row, loose) for row in through]
    return _most(subject, each, MOST_VALUES, f"values of {axis.name}")


def _most(subject: Subject, views: list[View], most: int, what: str) -> tuple[list[View], list[str]]:
    """Return the most telling views in their order, and how many of ``what`` were left out."""
    if len(views) <= most:
        return views, []
    means = [subject.state.spec.sign * subject.belief(view.grid()) for view in views]
    worth = [float(np.ptp(mean) if what == "axes" else mean.max()) for mean in means]
    kept = sorted(np.argsort(-np.array(worth), kind="stable")[:most].tolist())
    why = "along which the mean changes least" if what == "axes" else "whose mean is worst"
    return [views[at] for at in kept], [f"{len(views) - most} of {len(views)} {what} are left out, {why}"]


def _held(subject: Subject, views: Sequence[View]) -> str:
    """Return what stays the same: the axes at which the views are slices through the best place; empty if none is."""
    frame, params = views[0].frame, subject.best.params
    if views[0].loose:
        return ""
    one_each = len({view.columns for view in views}) > 1
    varied = set() if one_each else set(views[0].columns)
    varied |= set(np.flatnonzero(np.ptp([view.through for view in views], axis=0)).tolist())
    held = [axis for column, axis in enumerate(frame.axes) if axis.width and column not in varied]
    place = ", ".join(f"{axis.name} = {near(axis, params[axis.name])}" for axis in held)
    if len(held) > MOST_SLICES:
        place = f"{len(held)} axes"
    slices = "each panel changes one axis of the best place" if one_each else "slice through the best place"
    return f"{slices}: {place}" if held else ""


# Two axes: a surface each for the mean, its standard deviation and the probabilities.


def _draw_surfaces(subject: Subject, view: View) -> Figure:
    state, belief = subject.state, subject.belief

    def unsure(x: Points) -> Values:
        return belief.marginals(x)[1]

    def from_zero(values: Values) -> Values:
        return even_steps(np.array([0.0, values.max() or 1.0]), 9)

    light_mean, blues = ground(state.spec.direction == "minimize"), doubt("Blues").reversed()
    parts: list[tuple[str, Callable[[Points], Values], Callable[[Values], Values], Colormap, str]] = [
        ("posterior mean", belief, even_steps, light_mean, "mean of the value"),
        ("standard deviation", unsure, from_zero, doubt("Purples"), "sd of the value"),
        *((name, chance, lambda _: SHARES, blues, "probability") for name, chance in subject.chances.items()),
    ]
    terrain, across = terrain_of(state, view.frame), 2 if len(parts) == 4 else len(parts)
    layout: Any = "constrained" if terrain is None else "compressed"
    figure = plt.figure(figsize=(0.4 + 3.6 * across, 0.9 + 2.9 * len(parts) / across), layout=layout)
    panels = figure.subplots(len(parts) // across, across, squeeze=False).ravel()
    for panel, (name, function, levels, colours, label) in zip(panels, parts, strict=True):
        mappable = draw_surface(panel, view, state, function, levels, colours)
        draw_regions(panel, view)
        visits = _draw_visits(panel, subject, view)
        draw_scale([panel], mappable, label)
        view.dress(panel)
        frame_path(panel, view, visits)
        tidy(panel)
        panel.set_title(name, loc="left", fontsize=NORMAL)
        if terrain is not None:
            terrain.set_scale(panel, view.columns, visits)
        panel.label_outer()  # the names and numbers of the axes only at the left and below
    return figure


def _draw_visits(ax: Axes, subject: Subject, view: View) -> Points:
    """Mark results, failures and the best place on a surface; return where they are."""
    history = subject.history
    x, best = np.vstack([history.x, history.failed]), subject.state.results.index(subject.best.trial)
    drawn = x[:, list(view.columns)] if view.loose else view.project(x)  # on the dots of a table
    none = np.zeros(len(history.failed), dtype=bool)
    is_told, is_broken, is_known = (
        np.arange(len(x)) < history.told,
        np.append(subject.broke, none),
        np.append(subject.known, none),
    )
    marks = (
        (RESULT_MARK, is_told & ~is_broken & ~is_known),
        (PRIOR_MARK, is_known),
        (BROKE_MARK, is_broken),
        (FAILED_MARK, ~is_told),
    )
    for mark, which in marks:
        _draw_marks(ax, mark, drawn[which], view.nearness(x[which]))
    ax.plot(*drawn[[best]].T, **BEST_MARK, zorder=6)
    return drawn


def _draw_marks(ax: Axes, mark: Mapping[str, Any], places: Points, nearness: Values) -> None:
    """Draw a mark at each place, fainter the further it is from the slice."""
    look = dict(mark)
    for at in np.argsort(nearness, kind="stable"):
        if nearness[at] >= GONE and np.isfinite(places[at]).all():
            ax.plot(*places[at], **look, alpha=float(nearness[at]), zorder=4 + float(nearness[at]))
            look["label"] = "_more"  # explained once


# One axis a panel: a line and its band, the probabilities below.


@frozen(eq=False)
class Line:
    """The belief along one axis, as it is drawn.

    Attributes:
        view: on the axis.
        x: the places along it.
        values: of a choice, the positions of the values that are drawn, from left to right.
        remark: how many values were left out.
    """

    view: View
    x: Points
    values: tuple[int, ...] | None = None
    remark: str = ""

    def at(self, x: Points) -> Values:
        """Return where places are drawn along the axis; nan at a value that is left out."""
        drawn = self.view.project(x)[:, 0]
        if self.values is None:
            return drawn
        position = x[:, self.view.columns[0]]
        slots = {float(value): slot for slot, value in enumerate(self.values)}
        return np.array([slots.get(float(value), np.nan) for value in position]) + drawn - position

    def dress(self, ax: Axes) -> None:
        """Name the axis and its values."""
        self.view.dress(ax)
        if self.values is not None:
            axis = self.view.axes[0]
            names = [str(axis.value(value)) for value in self.values]
            crowded = sum(map(len, names)) > 16
            tilt: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
            ax.set_xticks(range(len(names)), names, **tilt)
            ax.set_xlim(-0.5, len(names) - 0.5)
        tidy(ax)
        ax.spines[["top", "right"]].set_visible(False)


def _line(subject: Subject, view: View) -> Line:
    """Return the line along a view of one axis; of a choice with many values, along the best."""
    x, axis = view.drawn(subject.state.spec.space), view.axes[0]
    if not isinstance(axis, Choice):
        return Line(view, x)
    position = x[:, view.columns[0]]
    worth = subject.state.spec.sign * subject.belief(x)
    best = sorted(np.unique(position).tolist(), key=lambda value: -float(worth[position == value].max()))
    kept = sorted(best[:MOST_VALUES])
    remark = f"{len(best) - len(kept)} of {len(best)} values of {axis.name} are left out, whose mean is worst"
    return Line(view, x[np.isin(position, kept)], tuple(map(int, kept)), remark if len(kept) < len(best) else "")


def _draw_lines(subject: Subject, views: Sequence[View]) -> tuple[Figure, list[str]]:
    """Draw a panel for each view; return the figure, and what to say about values left out."""
    # 1. The grid of panels: those of the values, and below each that of the probabilities, if there are any.
    n, chances = len(views), subject.chances
    across, each = min(n, PER_ROW), 2 if chances else 1
    down = -(-n // across)
    wide, tall = (5.2, 3.4) if n == 1 else (1.0 + 2.2 * across, 2.5)
    figure = plt.figure(figsize=(wide, 0.8 + down * (tall + 1.1 * (each - 1))), layout="constrained")
    grid = figure.subplots(down * each, across, squeeze=False, height_ratios=[3.0, 1.2][:each] * down)
    panels = [grid[each * (at // across) : each * (at // across) + each, at % across] for at in range(down * across)]
    for spare in panels[n:]:
        for panel in spare:
            panel.remove()
    # 2. The lines, 3. all values on one scale, so that they can be compared.
    lines = [_line(subject, view) for view in views]
    for line, (upper, *below) in zip(lines, panels, strict=False):
        line.dress(upper)
        _draw_value(upper, subject, line)
        for lower in below:
            line.dress(lower)
            _draw_chances(lower, subject, line)
            lower.set_xlim(upper.get_xlim())
            upper.set_xlabel("")
            upper.tick_params(labelbottom=False)
    uppers = [panel[0] for panel in panels[:n]]
    low, high = min(panel.get_ylim()[0] for panel in uppers), max(panel.get_ylim()[1] for panel in uppers)
    for at, panel in enumerate(panels[:n]):
        panel[0].set_ylim(low, high)
        draw_regions(panel[0], views[at])
        _name_panel(panel[0], views, at)
        for ax, label in zip(panel, ("value", "probability"), strict=False):
            ax.set_ylabel(label if at % across == 0 else "", fontsize=NORMAL)
            ax.tick_params(labelleft=at % across == 0)
    return figure, [line.remark for line in lines if line.remark]


def _name_panel(panel: Axes, views: Sequence[View], at: int) -> None:
    """Write the value of the choice over its panel, if the views differ by it."""
    through = np.array([view.through for view in views])
    for column in np.flatnonzero((through != through[0]).any(axis=0)):
        axis = views[at].frame.axes[column]
        panel.set_title(f"{axis.name} = {axis.value(float(through[at, column]))}", loc="left", fontsize=SMALL)


def _draw_value(ax: Axes, subject: Subject, line: Line) -> None:
    """Draw the posterior mean and its interval, the results and the best place."""
    history, view, sign = subject.history, line.view, subject.state.spec.sign
    centre = line.x[:, view.columns[0]] if line.values is None else np.round(line.at(line.x))
    draw_band(ax, view, centre, *subject.belief.marginals(line.x))
    if line.values is None:
        frame_path(ax, view, view.project(history.x))
    shown, nearness = np.column_stack([line.at(history.x), sign * history.y]), view.nearness(history.x)
    plain = ~subject.broke & ~subject.known
    for mark, which in ((RESULT_MARK, plain), (PRIOR_MARK, subject.known), (BROKE_MARK, subject.broke)):
        _draw_marks(ax, mark, shown[which], nearness[which])
    if view.loose or (np.delete(view.through, view.columns) == np.delete(subject.here, view.columns)).all():
        ax.plot(line.at(subject.here[None, :]), [subject.best.mean], **BEST_MARK, zorder=6)


def _draw_chances(ax: Axes, subject: Subject, line: Line) -> None:
    """Draw the probabilities from 0 to 1, with what succeeded at 1 and what failed at 0."""
    centre = line.x[:, line.view.columns[0]] if line.values is None else np.round(line.at(line.x))
    apart = {"linestyle": "none", "marker": "_", "markersize": 11, "markeredgewidth": 2} if line.view.is_apart else {}
    for (name, chance), colour, dash in zip(subject.chances.items(), SERIES[3:], ("-", "--"), strict=False):
        look: dict[str, Any] = {"color": colour, "linewidth": 1.3, "linestyle": dash} | apart
        ax.plot(centre, chance(line.x), label=name, clip_on=False, **look)
    history = subject.history
    failed = np.column_stack([line.at(history.failed), np.zeros(len(history.failed))])
    _draw_marks(ax, FAILED_MARK, failed, line.view.nearness(history.failed))
    ax.set_ylim(0, 1)
    ax.set_yticks([0, 0.5, 1])

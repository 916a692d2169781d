"""``plot_route``: the path of a study over what is believed, or known, of the function."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from wayfare.plot.journey import make_journey
from wayfare.plot.line import draw_line
from wayfare.plot.numbers import number_visits
from wayfare.plot.path import draw_legend, draw_path, frame_path
from wayfare.plot.regions import draw_regions
from wayfare.plot.style import amount, entitle, named, tidy
from wayfare.plot.surface import Truth, believe, draw_scale, draw_surface
from wayfare.plot.terrain import terrain_of
from wayfare.plot.view import make_view, told_state
from wayfare.study import Study
from wayfare.words import counted


def plot_route(
    study: Study,
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
            np.vstack(
                [journey.start, journey.home, journey.put, journey.ahead, journey.visits[[best.trial]]]
            ),
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

"""``plot_comparison``: studies of one function side by side, their paths above, their curves below."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from wayfare.errors import InvalidInput
from wayfare.plot.history import make_curves, plot_history
from wayfare.plot.path import explain_below
from wayfare.plot.route import plot_route
from wayfare.plot.style import amount, entitle
from wayfare.plot.surface import Truth, draw_scale
from wayfare.plot.view import make_view, told_snapshot
from wayfare.study.study import Snapshot, Study

MOST = 4


def plot_comparison(
    studies: Mapping[str, Study | Snapshot],
    *,
    truth: Truth,
    optimum: float,
    axes: tuple[str, str] | None = None,
    levels: Sequence[float] | None = None,
) -> Figure:
    """Draw up to four studies of the same function, and return the figure.

    Above, each path over the true function, with its movement and mean regret; below, the regret and the
    cumulative movement of all.

    Args:
        studies: one to four studies by label; snapshots will do.
        truth: the true function, as for ``plot_route``.
        optimum: the best value possible, in the sign of the results.
        axes: the names of the two axes to draw; None: as ``plot_route`` chooses them for the first study.
        levels: of the contours; None: chosen from the values.
    """
    if not 1 <= len(studies) <= MOST:
        raise InvalidInput(f"plot_comparison draws 1 to {MOST} studies, got {len(studies)}")
    # One snapshot each, so that both halves of the figure show the same trials.
    snapshots = {name: told_snapshot(study, "plot_route") for name, study in studies.items()}
    figure = plt.figure(figsize=(7.2, 5.6), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(1.25, 1), hspace=0.04, squeeze=False)[:, 0]
    draw_paths(above, snapshots, truth, optimum, axes, levels)
    plot_history(snapshots, optimum=optimum, truth=truth, axes=list(below.subplots(1, 2)))
    return figure


def draw_paths(
    figure: SubFigure,
    studies: Mapping[str, Study | Snapshot],
    truth: Truth,
    optimum: float,
    axes: tuple[str, ...] | None,
    levels: Sequence[float] | None,
) -> None:
    """Draw the paths in a row, on the same axes and with the same levels, explained once."""
    snapshots = [told_snapshot(study, "plot_route") for study in studies.values()]
    view = make_view(snapshots[0].state, axes, snapshots[0].trials[0].x)
    if len(view.columns) != 2:
        raise InvalidInput("plot_comparison needs two axes to draw; use plot_route and plot_history for one")
    quiet: dict[str, Any] = {"numbered": 0, "title": "", "scale": False, "legend": False}
    names = (view.axes[0].name, view.axes[1].name)
    panels: list[Axes] = list(figure.subplots(1, len(studies), sharex=True, sharey=True, squeeze=False)[0])
    for panel, name, now in zip(panels, studies, snapshots, strict=True):
        plot_route(now, truth=truth, axes=names, ax=panel, levels=levels, **quiet)
        # The background is drawn first; the others take over its levels.
        levels = list(panel.collections[0].norm.boundaries)  # type: ignore[attr-defined]  # a BoundaryNorm
        regret = make_curves(now.state, truth).mean_regret(optimum)[-1]
        paid = amount(now.ledger().paid, now.spec.unit)
        entitle(panel, name, f"movement {paid}\nmean regret {regret:.3g}")
        panel.label_outer()
    draw_scale(panels, panels[0].collections[0], "true value")
    explain_below(figure, panels[0])

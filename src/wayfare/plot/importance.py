"""``plot_importance``: how much each axis matters, as bars."""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from wayfare._core.format import results
from wayfare.plot.style import NORMAL, SERIES, SMALL, entitle, named, root_of, tidy
from wayfare.plot.view import told_snapshot
from wayfare.study.study import Snapshot, Study


def plot_importance(study: Study | Snapshot, *, ax: Axes | None = None, title: str | None = None) -> Figure:
    """Draw for each axis the share of the variation that involves it, and return the figure.

    Args:
        study: has at least one result; a snapshot will do.
        ax: where to draw, on a figure of yours; None: a new figure.
        title: None: the study's name, and of how many results the belief is.
    """
    now = told_snapshot(study, "plot_importance")
    found = now.importance()
    if ax is None:
        _, ax = plt.subplots(figsize=(5.2, 0.9 + 0.32 * len(found.axes)), layout="constrained")
    at = range(len(found.axes))[::-1]
    bars = ax.barh(at, [one.share for one in found.axes], height=0.6, color=SERIES[2])
    for bar, (_, share, length) in zip(bars, found.rows, strict=True):
        ax.annotate(
            share if length == "-" else f"{share}, length-scale {length}",
            (bar.get_width(), bar.get_y() + bar.get_height() / 2),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL,
        )
    ax.set_yticks(at, [named(one.name) for one in found.axes], fontsize=NORMAL)
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1.0])
    ax.set_xlim(0, 1.45)  # with room for the words behind the longest bar
    ax.set_xlabel("share of the variation that involves the axis", fontsize=NORMAL)
    ax.spines[["top", "right"]].set_visible(False)
    tidy(ax)
    entitle(ax, f"{named(now.spec.name)}: belief after {results(found.results)}" if title is None else title)
    return root_of(ax)

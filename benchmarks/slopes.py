"""The picture of docs/field.md: every seed a line, from what ``ucb`` paid to what ``wayfare`` did."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from amounts import more_or_less
from savings import BASELINE, SUBJECT, SUITE, Pairs, Row, column, pairs_of
from wayfare.plot.style import INK, SERIES, SMALL, entitle, tidy

WIDTH, HEIGHT, PIXELS = 9.6, 5.6, 170
LESS, MORE, MIDDLE = SERIES[1], SERIES[6], "#767676"
"""Seeds that paid less than the baseline, those that paid more, and the places unordered."""
STEPS = (BASELINE, "\nunordered", SUBJECT)
"""One lower than the others, for they would not fit side by side."""


def draw_slopes(rows: Sequence[Row]) -> Figure:
    """Return a panel for each problem and number of trials, and a legend below."""
    figure = Figure(figsize=(WIDTH, HEIGHT), layout=ConstrainedLayoutEngine(h_pad=0.08, w_pad=0.06))
    panels = figure.subplots(len(SUITE.trials), len(SUITE.problems), sharey="col", squeeze=False)
    for line, trials in zip(panels, SUITE.trials, strict=True):
        for ax, problem in zip(line, SUITE.problems, strict=True):
            draw_panel(ax, f"{problem}, T = {trials}", pairs_of(rows, problem, trials, SUBJECT))
    for ax in panels[0]:  # all of a column share its scale, and only now is all there
        ax.set_ylim(bottom=0)
    explain(figure)
    return figure


def draw_panel(ax: Axes, title: str, pairs: Pairs) -> None:
    """Draw the seeds of a problem: what the baseline paid, the places unordered, and what was paid."""
    paid = [column(pairs.theirs, "paid"), column(pairs.ours, "unordered"), column(pairs.ours, "paid")]
    at = np.arange(3)
    for seed, costs in enumerate(np.column_stack(paid)):
        colour = MORE if pairs.paid_more[seed] else LESS
        ax.plot(at, costs, color=colour, linewidth=0.8, alpha=0.35, zorder=2)
        ax.scatter(at, costs, s=11, color=[INK, MIDDLE, colour], linewidths=0, alpha=0.75, zorder=3)
    for x, costs in enumerate(paid):
        centre = float(np.median(costs))
        ax.plot([x - 0.26, x + 0.26], [centre, centre], color=INK, linewidth=2, solid_capstyle="butt", zorder=4)
    ax.set_xlim(-0.45, 2.45)
    ax.set_xticks(at, STEPS)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", linewidth=0.4, color="#dddddd", zorder=0)
    tidy(ax)
    said = more_or_less(pairs.saved, pairs.share_saved, pairs.unit)
    entitle(ax, title, f"{said}\nmean regret × {pairs.mean_regret.mean:.2f}")
    ax.set_ylabel(f"paid [{pairs.unit}]")


def explain(figure: Figure) -> None:
    """Say below what the marks are."""
    said = {LESS: f"a seed under which {SUBJECT} paid less than {BASELINE}", MORE: "one under which it paid more"}
    handles = [
        Line2D([], [], color=colour, marker="o", markersize=4, linewidth=0.8, label=words)
        for colour, words in said.items()
    ]
    handles.append(Line2D([], [], color=INK, linewidth=2, label="median"))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=SMALL)

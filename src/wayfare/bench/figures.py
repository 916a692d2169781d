"""The figures of a report: regret and movement over the trials, and one against the other."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, SymmetricalLogLocator

from wayfare.arrays import Values
from wayfare.bench.compare import Comparison, front, two_standard_errors
from wayfare.bench.curves import Curve, curve_of
from wayfare.bench.looks import Look, families
from wayfare.plot.style import NORMAL, SMALL, entitle, tidy, with_unit

MOST = 7
"""More methods than this are drawn family by family, the others in grey behind them."""
GREY = "#c8c8c8"
COLUMNS = 3

Quantity = Literal["regret", "legs"]


def draw_curves(one: Comparison, look: dict[str, Look]) -> Figure:
    """Return regret and movement over the trials, each the mean over the last half so far.

    A line is the mean over the seeds, its band reaches from the least to the most. Movement begins with the
    second trial: the first is usually where the traveller stands.
    """
    rows = families(one.cells) if len(one.cells) > MOST else {"": list(one.cells)}
    figure = Figure(figsize=(8.6, 0.75 + 2.5 * len(rows)), layout="constrained")
    axes = figure.subplots(len(rows), 2, sharex=True, sharey="col", squeeze=False)
    quantities: tuple[tuple[Quantity, int, str], ...] = (
        ("regret", 1, "regret per trial"),
        ("legs", 2, with_unit("movement per trial", one.unit)),
    )
    for column, (quantity, first, words) in enumerate(quantities):
        curves = {method: curve_of(cells.values(), quantity, first) for method, cells in one.cells.items()}
        means = np.concatenate([curve.mean for curve in curves.values()])
        for row, (family, members) in enumerate(rows.items()):
            ax: Axes = axes[row, column]
            draw_panel(ax, curves, members, look)
            set_scale(ax, "y", means)
            ax.set_ylabel(words)
            tidy(ax)
            if column == 0:
                entitle(ax, family)
            else:
                ax.legend(
                    loc="upper left",
                    bbox_to_anchor=(1.02, 1.0),
                    frameon=False,
                    fontsize=SMALL,
                    handlelength=2.6,
                )
        axes[-1, column].set_xlabel("trial")
    seeds = max(map(len, one.cells.values()))
    spread = "one seed" if seeds == 1 else f"mean and range of {seeds} seeds"
    title = f"{one.setting}: mean over the last half of the trials so far; {spread}"
    figure.suptitle(title, fontsize=NORMAL)
    return figure


def draw_panel(ax: Axes, curves: dict[str, Curve], members: Sequence[str], look: dict[str, Look]) -> None:
    """Draw the curves of some methods, those of the others in grey."""
    for method, curve in curves.items():
        if method not in members:
            ax.plot(curve.steps, curve.mean, color=GREY, lw=0.7, zorder=1)
            continue
        own = look[method]
        ax.fill_between(curve.steps, curve.least, curve.most, color=own.colour, alpha=0.12, lw=0, zorder=2)
        ax.plot(curve.steps, curve.mean, color=own.colour, ls=own.line, lw=1.6, label=method, zorder=3)


def draw_fronts(every: Sequence[Comparison], look: dict[str, Look]) -> Figure:
    """Return mean regret against mean movement, a panel per setting, ± two standard errors.

    A line joins the methods that no other beats in both, and their marks are filled.
    """
    columns = min(COLUMNS, len(every))
    rows = -(-len(every) // columns)
    across = max(1, min(6, len(look), 90 // (max(map(len, look)) + 8)))
    legend_rows = -(-len(look) // across)
    size = (max(3.1 * columns, 6.8), 2.8 * rows + 0.4 + 0.2 * legend_rows)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax, one in zip(axes, every, strict=False):
        draw_front(ax, one, look)
    for ax in axes[len(every) :]:
        ax.set_axis_off()
    handles = [
        Line2D([], [], ls="", marker=own.mark, ms=6, color=own.colour, label=method)
        for method, own in look.items()
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=across,
        frameon=False,
        fontsize=SMALL,
        title="mean ± 2 standard errors; filled and joined: no other method is better in both",
        title_fontsize=SMALL,
    )
    return figure


def draw_front(ax: Axes, one: Comparison, look: dict[str, Look]) -> None:
    """Draw one setting."""
    best, at = front(one), dict[str, tuple[float, float]]()
    for method in one.cells:
        moved, regret = (one.values(method, measure) for measure in ("mean_movement", "mean_regret"))
        at[method] = (float(moved.mean()), float(regret.mean()))
        own = look[method]
        ax.errorbar(
            *at[method],
            xerr=np.nan_to_num(two_standard_errors(moved)),
            yerr=np.nan_to_num(two_standard_errors(regret)),
            fmt=own.mark,
            color=own.colour,
            mfc=own.colour if method in best else "white",
            ms=6,
            elinewidth=0.6,
            zorder=3 if method in best else 2,
        )
    ax.plot(*zip(*sorted(at[method] for method in best), strict=True), color="#555555", lw=0.8, zorder=1)
    moved, regret = np.array(list(at.values())).T
    set_scale(ax, "x", moved)
    set_scale(ax, "y", regret)
    ax.set_xlabel(with_unit("movement per trial", one.unit))
    ax.set_ylabel("regret per trial")
    entitle(ax, str(one.setting))
    tidy(ax)


def set_scale(ax: Axes, which: Literal["x", "y"], values: Values) -> None:
    """Set a logarithmic scale around the values; where some are zero, one that has a place for zero."""
    positive = values[values > 0]
    if not len(positive):
        return
    least, most = float(positive.min()), float(positive.max())
    axis: Any = ax.xaxis if which == "x" else ax.yaxis
    subs = (1.0, 2.0, 5.0) if most / least < 50 else (1.0,)
    if len(positive) == len(values):
        ax.set(**{f"{which}scale": "log", f"{which}lim": (least / 1.4, most * 1.4)})
        axis.set_major_locator(LogLocator(subs=subs))
    else:
        # Straight below the least, but at most for three decades, where nobody looks for details.
        bend = 10.0 ** np.floor(np.log10(max(least, most / 1000)))
        (ax.set_xscale if which == "x" else ax.set_yscale)("symlog", linthresh=bend, linscale=0.5)
        ax.set(**{f"{which}lim": (-0.2 * bend, most * 1.4)})
        axis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=bend))
    axis.set_major_formatter(FuncFormatter(lambda value, at: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())

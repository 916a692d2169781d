"""The figures of a report: regret and movement over the trials, and one against the other."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from attrs import frozen
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, SymmetricalLogLocator

from wayfare._core.arrays import Matrix, Values
from wayfare.bench.cell import Measured
from wayfare.bench.compare import Comparison, front, two_standard_errors
from wayfare.plot.style import NORMAL, SERIES, SMALL, entitle, tidy, with_unit

# How each method looks in every figure: a colour within its family, and a line and a mark of the family.


FAMILIES = {
    "one by one": ("ucb", "ts", "ei"),
    "planned ahead": ("tucb", "tts", "tei", "bpe", "wayfare"),
    "movement-aware": ("snake", "gs", "dist-ucb", "eipu", "tr-ei", "mini", "lsr"),
    "without a model": ("random", "random-route", "lhs-route"),
}
OTHERS = "others"
LINES = ("--", "-", "-.", ":", (0, (6, 1, 1, 1, 1, 1)))
MARKS = ("o", "s", "^", "X", "D")


@frozen
class Look:
    """A colour that survives colour blindness, a line style and a mark."""

    colour: str
    line: str | tuple[int, tuple[int, ...]]
    mark: str


def families(methods: Iterable[str]) -> dict[str, list[str]]:
    """Return the methods by family; those that are not in the catalogue are a family of their own."""
    known = {method: family for family, members in FAMILIES.items() for method in members}
    found: dict[str, list[str]] = {family: [] for family in (*FAMILIES, OTHERS)}
    for method in methods:
        found[known.get(method, OTHERS)].append(method)
    return {family: members for family, members in found.items() if members}


def looks(methods: Sequence[str]) -> dict[str, Look]:
    """Return how each method looks: each in a colour of its own, or, where they are many, within its family.

    Then those of the catalogue look the same in all figures, and a policy has one colour in both families.
    """
    found = {}
    names = [*FAMILIES, OTHERS]
    few = len(methods) <= len(SERIES)
    for family, members in families(methods).items():
        style = names.index(family)
        rivals = methods if few else FAMILIES.get(family, members)
        for method in members:
            found[method] = Look(SERIES[rivals.index(method) % len(SERIES)], LINES[style], MARKS[style])
    return {method: found[method] for method in methods}


# Curves over the trials: at each step the mean over the last half of the steps so far, as in the paper.


def last_half_curve(steps: Values) -> Values:
    """Return at each step t the mean over the last ceil(t / 2) of the first t steps.

    The paper's formula sums the first half and multiplies where it should divide; this is what its words
    say. So the curve ends at the last-half mean of the whole run.
    """
    t = np.arange(1, len(steps) + 1)
    total = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray((total[t] - total[t // 2]) / (t - t // 2))


@frozen(eq=False)
class Curve:
    """A mean over the seeds, and the least and the most of any, at each of the ``steps``."""

    steps: Values
    mean: Values
    least: Values
    most: Values


def curve_of(cells: Iterable[Measured], quantity: str, first: int = 1) -> Curve:
    """Return the curve of ``"regret"`` or ``"legs"`` over cells of one length, from step ``first`` on."""
    curves: Matrix = np.array([last_half_curve(getattr(cell, quantity)) for cell in cells])
    shown = curves[:, first - 1 :]
    steps = np.arange(first, curves.shape[1] + 1)
    return Curve(steps, shown.mean(axis=0), shown.min(axis=0), shown.max(axis=0))


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
                ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=SMALL, handlelength=2.6)
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
        Line2D([], [], ls="", marker=own.mark, ms=6, color=own.colour, label=method) for method, own in look.items()
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

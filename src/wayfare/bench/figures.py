"""The figures of a report: regret and movement over the trials, and one against the other.

Methods of one family share a line style and a mark, so that many can be told apart, also by the colour-blind.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, SymmetricalLogLocator

from wayfare._core.arrays import Order, Values
from wayfare.bench.cell import Measured
from wayfare.bench.compare import Comparison, front, two_standard_errors
from wayfare.plot.style import NORMAL, SMALL, colours_of, entitle, tidy, with_unit

FAMILIES = {
    "one by one": ("ucb", "ts", "ei"),
    "planned ahead": ("tucb", "tts", "tei", "bpe-heuristic", "wayfare", "thrifty"),
    "to the letter": ("plan-ucb", "plan-ts", "tucb-paper", "tts-paper", "bpe"),
    "movement-aware": ("gs", "dist-ucb", "eipu", "tr-ei", "mini", "lsr", "lambo"),
    "rolling": ("snake", "lookahead"),
    "without a model": ("random", "random-route", "lhs-route"),
}
OTHERS = "others"
LINES = ("--", "-", (0, (8, 2)), "-.", (0, (3, 1, 3, 1, 1, 1)), ":", (0, (6, 1, 1, 1, 1, 1)))
MARKS = ("o", "s", "P", "^", "v", "X", "D")
MOST_IN_PANEL = 7
"""More methods than this are drawn family by family, the others in grey behind them."""
GREY = "#c8c8c8"
COLUMNS = 3


class Look(NamedTuple):
    """A colour, a line style and a mark."""

    colour: str
    line: str | tuple[int, tuple[int, ...]]
    mark: str


def families(methods: Collection[str]) -> dict[str, list[str]]:
    """Return the methods by family; those that are not in the catalogue are a family of their own."""
    known = {method: family for family, members in FAMILIES.items() for method in members}
    found: dict[str, list[str]] = {family: [] for family in (*FAMILIES, OTHERS)}
    for method in methods:
        found[known.get(method, OTHERS)].append(method)
    return {family: members for family, members in found.items() if members}


def looks(methods: Sequence[str]) -> dict[str, Look]:
    """Return the look of each method: its own colour, and the line style and mark of its family.

    Those of the catalogue look the same in all figures.
    """
    family_of = {method: family for family, members in families(methods).items() for method in members}
    styles = [[*FAMILIES, OTHERS].index(family_of[method]) for method in methods]
    drawn = zip(methods, colours_of(methods), styles, strict=True)
    return {method: Look(colour, LINES[style], MARKS[style]) for method, colour, style in drawn}


class Curve(NamedTuple):
    """The mean, least and most over the seeds, at each of the ``steps``."""

    steps: Order
    mean: Values
    least: Values
    most: Values


def curve_of(cells: Iterable[Measured], quantity: str, first: int = 1) -> Curve:
    """Return the curve of ``"regret"`` or ``"legs"`` over cells of one length, from step ``first`` on."""
    curves = np.array([last_half_curve(getattr(cell, quantity)) for cell in cells])[:, first - 1 :]
    steps = first + np.arange(curves.shape[1])
    return Curve(steps, curves.mean(axis=0), curves.min(axis=0), curves.max(axis=0))


def last_half_curve(steps: Values) -> Values:
    """Return at each step t the mean over the last ceil(t / 2) of the first t steps.

    The paper's formula sums the first half and multiplies where it should divide; this follows its words. So the curve
    ends at the last-half mean of the whole run.
    """
    t = np.arange(1, len(steps) + 1)
    total = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray((total[t] - total[t // 2]) / (t - t // 2))


def draw_curves(one: Comparison, look: dict[str, Look]) -> Figure:
    """Return regret and movement over the trials, each the mean over the last half so far.

    A line is the mean over the seeds, its band reaches from the least to the most. Movement begins with the second
    trial, because the first is usually where the traveller stands.
    """
    rows = families(one.cells) if len(one.cells) > MOST_IN_PANEL else {"": list(one.cells)}
    figure = Figure(figsize=(8.6, 0.75 + 2.5 * len(rows)), layout="constrained")
    axes = figure.subplots(len(rows), 2, sharex=True, sharey="col", squeeze=False)
    quantities = (("regret", 1, "regret per trial"), ("legs", 2, with_unit("movement per trial", one.unit)))
    for column, (quantity, first, words) in enumerate(quantities):
        curves = {method: curve_of(cells.values(), quantity, first) for method, cells in one.cells.items()}
        means = np.concatenate([curve.mean for curve in curves.values()])
        for ax, (family, members) in zip(axes[:, column], rows.items(), strict=True):
            _draw_panel(ax, curves, members, look)
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
    figure.suptitle(f"{one.setting}: mean over the last half of the trials so far; {spread}", fontsize=NORMAL)
    return figure


def _draw_panel(ax: Axes, curves: dict[str, Curve], members: Sequence[str], look: dict[str, Look]) -> None:
    """Draw the curves of some methods, those of the others in grey."""
    for method, curve in curves.items():
        if method not in members:
            ax.plot(curve.steps, curve.mean, color=GREY, lw=0.7, zorder=1)
            continue
        colour, line, _ = look[method]
        ax.fill_between(curve.steps, curve.least, curve.most, color=colour, alpha=0.12, lw=0, zorder=2)
        ax.plot(curve.steps, curve.mean, color=colour, ls=line, lw=1.6, label=method, zorder=3)


def draw_fronts(every: Sequence[Comparison], look: dict[str, Look]) -> Figure:
    """Return mean regret against mean movement, a panel per setting, ± two standard errors.

    A line joins the methods that no other beats in both, and their marks are filled.
    """
    columns = min(COLUMNS, len(every))
    rows = -(-len(every) // columns)
    across = max(1, min(6, len(look), 90 // (max(map(len, look)) + 8)))
    legend_rows = -(-len(look) // across)
    height = 2.8 * rows + 0.4 + 0.2 * legend_rows
    figure = Figure(figsize=(max(3.1 * columns, 6.8), height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax, one in zip(axes, every, strict=False):
        _draw_front(ax, one, look)
    for ax in axes[len(every) :]:
        ax.set_axis_off()
    marks = [Line2D([], [], ls="", marker=own.mark, ms=6, color=own.colour, label=name) for name, own in look.items()]
    title = "mean ± 2 standard errors; filled and joined: no other method is better in both"
    size = {"fontsize": SMALL, "title_fontsize": SMALL}
    figure.legend(handles=marks, loc="outside lower center", ncols=across, frameon=False, title=title, **size)
    return figure


def _draw_front(ax: Axes, one: Comparison, look: dict[str, Look]) -> None:
    best, at = front(one), dict[str, tuple[float, float]]()
    for method in one.cells:
        values = [one.values(method, measure) for measure in ("mean_movement", "mean_regret")]
        x, y = at[method] = (float(values[0].mean()), float(values[1].mean()))
        dx, dy = np.nan_to_num([two_standard_errors(each) for each in values])
        colour, _, mark = look[method]
        fill, level = (colour, 3) if method in best else ("white", 2)
        ax.errorbar(x, y, dy, dx, fmt=mark, color=colour, mfc=fill, ms=6, elinewidth=0.6, zorder=level)
    ax.plot(*zip(*sorted(at[method] for method in best), strict=True), color="#555555", lw=0.8, zorder=1)
    moved, regret = np.array(list(at.values())).T
    set_scale(ax, "x", moved)
    set_scale(ax, "y", regret)
    ax.set_xlabel(with_unit("movement per trial", one.unit))
    ax.set_ylabel("regret per trial")
    entitle(ax, str(one.setting))
    tidy(ax)


def set_scale(ax: Axes, which: Literal["x", "y"], values: Values) -> None:
    """Set a logarithmic scale around the values; if some are zero, one that has a place for zero."""
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
        # Linear below the least value, but at most for three decades, where details do not matter.
        bend = 10.0 ** np.floor(np.log10(max(least, most / 1000)))
        (ax.set_xscale if which == "x" else ax.set_yscale)("symlog", linthresh=bend, linscale=0.5)
        ax.set(**{f"{which}lim": (-0.2 * bend, most * 1.4)})
        axis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=bend))
    axis.set_major_formatter(FuncFormatter(lambda value, at: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())

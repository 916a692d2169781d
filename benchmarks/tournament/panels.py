"""The picture of the tournament function by function."""

from collections.abc import Mapping, Sequence
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tournament.blocks import METHODS, TRIALS
from tournament.functions import function_named, reporting
from tournament.labels import Place
from tournament.pictures import MOVEMENT, PIXELS, REGRET, Point, mark, middle, points, refer, scale
from tournament.report import SUBJECT
from tournament.run import Row
from tournament.score import dominators
from wayfare.plot.style import INK, NORMAL, SMALL, tidy

COLUMNS, WIDTH = 6, 9.6
TINT = "#fbe6d6"
FAR = 1e9
"""Beyond the rim of any panel."""


def draw_by_function(rows: Sequence[Row]) -> Figure:
    """Return movement against mean regret on each function; where the subject is dominated is tinted."""
    every = {name: points([row for row in rows if row.function == name], [name]) for name in reporting()}
    every = {name: found for name, found in every.items() if found}
    dominated = dominators(rows, SUBJECT, METHODS, TRIALS, list(every))
    lines = max(1, -(-len(every) // COLUMNS))
    figure = Figure(figsize=(WIDTH, 1.55 * lines + 0.9), dpi=PIXELS / WIDTH, layout="constrained")
    axes = figure.subplots(lines, COLUMNS, sharex=True, sharey=True, squeeze=False).ravel()
    for ax, (name, found) in zip(axes, every.items(), strict=False):
        draw_function(ax, name, found, dominated.get(name, []))
    for ax in axes[len(every) :]:
        ax.set_axis_off()
    for ax in axes[max(0, len(every) - COLUMNS) : len(every)]:
        ax.tick_params(labelbottom=True)
    middles = [middle(point) for found in every.values() for point in found.values()]
    scale(axes[0], "x", [1.0, *(x for x, _ in middles)])
    scale(axes[0], "y", [1.0, *(y for _, y in middles)])
    figure.supxlabel(MOVEMENT, fontsize=NORMAL)
    figure.supylabel(REGRET, fontsize=NORMAL)
    explain(figure, [method for method in METHODS if any(method in found for found in every.values())])
    return figure


def draw_function(ax: Axes, name: str, found: Mapping[str, Point], by: Sequence[str]) -> None:
    """Draw the methods on one function and their front, and say who dominates the subject."""
    refer(ax)
    for method, point in found.items():
        ax.plot(*middle(point), **mark(method, 5), zorder=4 if method == SUBJECT else 3)
    best = front([middle(point) for point in found.values()])
    # Up from the first and on to the right from the last: what is beyond the line is dominated.
    x, y = zip((best[0][0], FAR), *best, (FAR, best[-1][1]), strict=True)
    ax.plot(x, y, color=INK, lw=0.6, drawstyle="steps-post", zorder=2)
    title = f"{name}, d = {function_named(name).d}"
    if by:
        ax.set_facecolor(TINT)
        title += "\n" + fill(f"dominated by {', '.join(by)}", 26)
    ax.set_title(title, loc="left", fontsize=SMALL, pad=3, color=INK)
    tidy(ax)


def front(places: Sequence[Place]) -> list[Place]:
    """Return the places that no other is left of and below, from the left."""
    kept: list[Place] = []
    for place in sorted(places):
        if not kept or place[1] < kept[-1][1]:
            kept.append(place)
    return kept


def explain(figure: Figure, methods: Sequence[str]) -> None:
    """Put the legend on top."""
    figure.legend(
        handles=[Line2D([], [], **mark(method, 6), label=method) for method in methods],
        loc="outside upper center",
        ncols=len(methods) or 1,
        frameon=False,
        fontsize=SMALL,
        title=f"{TRIALS} trials; line: what no other method beats in both; tinted: {SUBJECT} is dominated",
        title_fontsize=SMALL,
    )

"""The pictures of the tournament: movement against regret, over all functions and on each."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from tournament.blocks import HORIZONS, METHODS, PLANNED, TRIALS
from tournament.functions import reporting
from tournament.labels import Place, place_labels
from tournament.report import BASELINE, SUBJECT
from tournament.run import Row
from tournament.score import MEASURES, Measure, Ratio, paired_logs, ratio
from wayfare.plot.style import INK, NORMAL, SERIES, entitle, tidy

PIXELS = 1600
EMPHASIS, GREY, LEGIBLE = SERIES[1], "#767676", "#20719f"
LOOKS = {
    BASELINE: (INK, "o"),
    "ucb-1sd": (GREY, "o"),
    "tucb": (SERIES[2], "s"),
    "tts": (SERIES[3], "^"),
    "snake": (SERIES[4], "D"),
    "eipu": (SERIES[5], "v"),
    "mini": (SERIES[6], "P"),
    SUBJECT: (EMPHASIS, "*"),
}
"""The colour and the mark of each of ``METHODS``. For words tucb's is too pale: ``LEGIBLE`` is darker."""
SHOWN: tuple[tuple[str, Measure], ...] = ((SUBJECT, "movement"), (SUBJECT, "mean_regret"), (PLANNED, "movement"))
"""What is shown over the number of trials."""
MOVEMENT = f"movement relative to {BASELINE} (left is better)"
REGRET = f"mean regret relative to {BASELINE} (below is better)"
Point = tuple[Ratio, Ratio]
"""Movement and mean regret relative to the baseline."""
Line = tuple[Place, Place]
AS_GOOD: tuple[Line, Line] = (((1e-9, 1.0), (1e9, 1.0)), ((1.0, 1e-9), (1.0, 1e9)))
"""Where a method is as good as the baseline, in regret and in movement."""


def draw_frontier(rows: Sequence[Row]) -> Figure:
    """Return movement against mean regret at ``TRIALS``, a mark per method, and both over the trials."""
    figure = Figure(figsize=(8.6, 3.7), dpi=PIXELS / 8.6, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    found = points(rows, list(reporting()))
    draw_methods(left, found)
    over = {(method, measure): over_trials(rows, method, measure, list(reporting())) for method, measure in SHOWN}
    draw_horizons(right, {which: ratios for which, ratios in over.items() if ratios})
    bold = {SUBJECT: {"color": EMPHASIS, "fontsize": NORMAL + 1.5, "fontweight": "bold"}}
    lines = [*AS_GOOD, *(line for point in found.values() for line in cross(point))]
    # The subject is last, and its label the first to have a place.
    place_labels(left, {method: middle(found[method]) for method in reversed(found)}, lines, bold)
    return figure


def points(rows: Sequence[Row], functions: Sequence[str]) -> dict[str, Point]:
    """Return where each method stands that was run, in the order of ``METHODS``."""
    found = {}
    for method in METHODS:
        moves = paired_logs(rows, method, BASELINE, "movement", TRIALS, functions)
        regrets = paired_logs(rows, method, BASELINE, "mean_regret", TRIALS, functions)
        if moves:
            found[method] = (ratio(moves), ratio(regrets))
    return found


def middle(point: Point) -> Place:
    """Return where the mark of a point is."""
    return point[0].mean, point[1].mean


def cross(point: Point) -> tuple[Line, Line]:
    """Return the two intervals of a point as lines; one that is not known has no length."""
    x, y = middle(point)
    (left, right), (low, high) = (ends(each) for each in point)
    return ((left, y), (right, y)), ((x, low), (x, high))


def ends(found: Ratio) -> tuple[float, float]:
    """Return the interval, or twice the mean if there is none."""
    return (found.mean, found.mean) if np.isnan(found.interval[0]) else found.interval


def draw_methods(ax: Axes, found: Mapping[str, Point]) -> None:
    """Draw a mark per method with its intervals."""
    refer(ax)
    for method, point in found.items():
        for line in cross(point):
            ax.plot(*zip(*line, strict=True), color=LOOKS[method][0], lw=0.9, alpha=0.7, zorder=2)
        ax.plot(*middle(point), **mark(method, 7), zorder=4 if method == SUBJECT else 3)
    corners = [end for point in found.values() for line in cross(point) for end in line]
    scale(ax, "x", [1.0, *(x for x, _ in corners)])
    scale(ax, "y", [1.0, *(y for _, y in corners)])
    ax.set(xlabel=MOVEMENT, ylabel=REGRET)
    functions = max((point[0].functions for point in found.values()), default=0)
    entitle(ax, f"{TRIALS} trials", f"geometric mean over {functions} functions, 95% intervals")
    tidy(ax)


def refer(ax: Axes) -> None:
    """Draw thin lines where a method is as good as the baseline."""
    ax.axhline(1, color=GREY, lw=0.6, ls=":", zorder=1)
    ax.axvline(1, color=GREY, lw=0.6, ls=":", zorder=1)


def mark(method: str, size: float) -> dict[str, Any]:
    """Return how the mark of a method is drawn; the subject's is twice as large as the others."""
    colour, shape = LOOKS[method]
    large = 2.0 if method == SUBJECT else 1.0
    return {"marker": shape, "ms": size * large, "color": colour, "mec": "white", "mew": 0.5, "ls": ""}


def scale(ax: Axes, which: Literal["x", "y"], values: Sequence[float]) -> None:
    """Set a logarithmic scale around the values."""
    least, most = min(values), max(values)
    ax.set(**{f"{which}scale": "log", f"{which}lim": (least / 1.2, most * 1.2)})
    axis: Any = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_locator(LogLocator(subs=(1, 2, 3, 5, 7) if most / least < 6 else (1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, at: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def over_trials(rows: Sequence[Row], method: str, measure: Measure, functions: Sequence[str]) -> dict[int, Ratio]:
    """Return the ratios to the baseline at each number of trials that was run."""
    every = {trials: paired_logs(rows, method, BASELINE, measure, trials, functions) for trials in HORIZONS}
    return {trials: ratio(logs) for trials, logs in every.items() if logs}


def draw_horizons(ax: Axes, over: Mapping[tuple[str, Measure], Mapping[int, Ratio]]) -> None:
    """Draw ratios over the number of trials, a line each: whole for movement, dashed for regret."""
    lines, last, looks, values = list[Line](), dict[str, Place](), {}, [1.0]
    # A little apart, so that no interval hides another.
    for nudge, ((method, measure), ratios) in zip((1.0, 1.03, 0.97), over.items(), strict=False):
        own = mark(method, 5) | {"lw": 1.3, "ls": "-" if measure == "movement" else (0, (3, 1.5))}
        own |= {} if measure == "movement" else {"marker": "o", "ms": 5, "mfc": "white", "mec": own["color"]}
        at = {trials * nudge: found for trials, found in ratios.items()}
        mine = [((x, ends(found)[0]), (x, ends(found)[1])) for x, found in at.items()]
        for line in mine:
            ax.plot(*zip(*line, strict=True), color=own["color"], lw=0.9, alpha=0.7, zorder=2)
            values += [y for _, y in line]
        means = [found.mean for found in at.values()]
        ax.plot(list(at), means, **(own | {"mew": 0.9}), zorder=3)
        words = f"{method}\n{MEASURES[measure]}"
        last[words], lines = (list(at)[-1], means[-1]), [*lines, *mine]
        looks[words] = {"color": EMPHASIS if method == SUBJECT else LEGIBLE}
    ax.axhline(1, color=GREY, lw=0.6, ls=":", zorder=1)
    scale(ax, "y", values)
    ax.set(xscale="log", xlim=(HORIZONS[0] / 1.25, HORIZONS[-1] * 2.7))
    ax.set(xlabel="number of trials", ylabel=f"relative to {BASELINE} (below is better)")
    ax.xaxis.set_major_locator(FixedLocator(list(HORIZONS)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, at: f"{value:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    entitle(ax, "from few trials to many", "geometric mean over the same functions, 95% intervals")
    tidy(ax)
    place_labels(ax, last, lines, looks, ((1, 0), (1, 1), (1, -1)))

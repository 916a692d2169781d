"""The pictures of the tournament: movement against what is found, of every method and on every problem."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from tournament.labels import Place, Side, place_labels
from tournament.score import Ratio
from tournament.studies import Row
from tournament.tables import BASELINE, CONTROL, MAIN, METHODS, SUBJECT, chosen, over_trials, paired, ratio_of
from wayfare.plot.style import GREY, NORMAL, SERIES, SMALL, colour_of, entitle, tidy

PIXELS = 1600
EMPHASIS = colour_of(SUBJECT)
SHAPES = {
    BASELINE: "o",
    "ucb-1sd": "o",
    "eipu": "v",
    "tucb": "s",
    "tts": "^",
    "thrifty": "D",
    "lookahead": "X",
    CONTROL: "P",
    SUBJECT: "*",
}
"""The mark of each method."""
KINDS = {"box": (SERIES[0], "o"), "landscape": (SERIES[2], "s"), "mixed": (SERIES[3], "^"), "field": (EMPHASIS, "D")}
"""The colour and the mark of each kind of problem."""
SHOWN = (("movement", "-"), ("simple_regret", (0, (3, 1.5))))
"""What is shown over the number of trials, and as which line."""
MOVEMENT = f"movement relative to {BASELINE} (left is better)"
FOUND = f"simple regret relative to {BASELINE} (below is better)"
NAMED = 12
"""So many problems are named, those where most is lost or gained."""
Point = tuple[Ratio, Ratio]
"""Movement and simple regret relative to the baseline."""
Line = tuple[Place, Place]
AS_GOOD: tuple[Line, Line] = (((1e-9, 1.0), (1e9, 1.0)), ((1.0, 1e-9), (1.0, 1e9)))
"""Where a method is as good as the baseline, in regret and in movement."""


def draw_frontier(rows: Sequence[Row]) -> Figure:
    """Return movement against simple regret at ``MAIN`` trials, a mark per method, and the subject over the trials."""
    figure = Figure(figsize=(8.6, 3.7), dpi=PIXELS / 8.6, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    found = points(rows)
    draw_methods(left, found, len({row.problem for row in chosen(rows, SUBJECT, MAIN)}))
    every = over_trials(rows)
    draw_horizons(
        right, {measure: {trials: ratio_of(pairs, measure) for trials, pairs in every.items()} for measure, _ in SHOWN}
    )
    # A label has the colour of its mark, darker, so that it can be read.
    looks: dict[str, dict[str, Any]] = {
        method: {"color": 0.7 * np.array(to_rgb(colour_of(method)))} for method in found
    }
    looks[SUBJECT] = {"color": EMPHASIS, "fontsize": NORMAL + 1.5, "fontweight": "bold"}
    lines = [*AS_GOOD, *(line for point in found.values() for line in cross(point))]
    # The subject is last, and its label the first to have a place.
    at = {method: middle(found[method]) for method in reversed(found)}
    place_labels(left, at, lines, looks, ends={method: tips(point) for method, point in found.items()})
    return figure


def draw_by_problem(rows: Sequence[Row]) -> Figure:
    """Return movement against simple regret of the subject, a mark per problem; those that stand out are named."""
    figure = Figure(figsize=(8.6, 4.6), dpi=PIXELS / 8.6, layout="constrained")
    ax = figure.subplots()
    refer(ax)
    pairs = paired(chosen(rows, SUBJECT, MAIN), chosen(rows, BASELINE, MAIN))
    at: dict[str, Place] = {}
    for kind, (colour, shape) in KINDS.items():
        mine = {
            row.problem: [pair for pair in pairs if pair[0].problem == row.problem]
            for row, _ in pairs
            if row.kind == kind
        }
        places = {
            name: tuple(ratio_of(one, m).mean for m in ("movement", "simple_regret")) for name, one in mine.items()
        }
        at |= places  # type: ignore[arg-type]  # two of them
        if places:
            x, y = zip(*places.values(), strict=True)
            ax.plot(
                x, y, shape, color=colour, ms=6, mec="white", mew=0.5, ls="", label=f"{kind} ({len(places)})", zorder=3
            )
    scale(ax, "x", [1.0, *(x for x, _ in at.values())])
    scale(ax, "y", [1.0, *(y for _, y in at.values())])
    ax.set(xlabel=MOVEMENT, ylabel=FOUND)
    ax.legend(frameon=False, fontsize=SMALL, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    entitle(ax, f"{SUBJECT}, problem by problem", f"{MAIN} trials, geometric mean over the seeds")
    tidy(ax)
    by_regret = sorted(at, key=lambda name: at[name][1])
    named = [*by_regret[-NAMED // 2 :], *by_regret[: NAMED // 2]]
    place_labels(ax, {name: at[name] for name in reversed(named)}, AS_GOOD)
    return figure


def points(rows: Sequence[Row]) -> dict[str, Point]:
    """Return where each method stands that was run, the baseline first."""
    found = {}
    for method in (BASELINE, *METHODS):
        pairs = paired(chosen(rows, method, MAIN), chosen(rows, BASELINE, MAIN))
        if pairs:
            found[method] = ratio_of(pairs, "movement"), ratio_of(pairs, "simple_regret")
    return found


def middle(point: Point) -> Place:
    """Return where the mark of a point is."""
    return point[0].mean, point[1].mean


def cross(point: Point) -> tuple[Line, Line]:
    """Return the two intervals of a point as lines; one that is not known has no length."""
    x, y = middle(point)
    (left, right), (low, high) = (ends(each) for each in point)
    return ((left, y), (right, y)), ((x, low), (x, high))


def tips(point: Point) -> list[tuple[Place, Side]]:
    """Return the ends of the intervals of a point, each with the sides on which its label may be."""
    (left, right), (low, high) = cross(point)
    upright = [(end, (x, y)) for end, out in ((high, 1), (low, -1)) for x, y in ((0, out), (1, out), (-1, out))]
    return [*upright, (right, (1, 0)), (left, (-1, 0))]


def ends(found: Ratio) -> tuple[float, float]:
    """Return the interval, or twice the mean if there is none."""
    return (found.mean, found.mean) if np.isnan(found.interval[0]) else found.interval


def draw_methods(ax: Axes, found: Mapping[str, Point], problems: int) -> None:
    """Draw a mark per method with its intervals."""
    refer(ax)
    for method, point in found.items():
        for line in cross(point):
            ax.plot(*zip(*line, strict=True), color=colour_of(method), lw=0.9, alpha=0.7, zorder=2)
        ax.plot(*middle(point), **mark(method, 7), zorder=4 if method == SUBJECT else 3)
    corners = [end for point in found.values() for line in cross(point) for end in line]
    scale(ax, "x", [1.0, *(x for x, _ in corners)])
    scale(ax, "y", [1.0, *(y for _, y in corners)])
    ax.set(xlabel=MOVEMENT, ylabel=FOUND)
    entitle(ax, f"{MAIN} trials", f"geometric mean over {problems} problems, 95% intervals")
    tidy(ax)


def refer(ax: Axes) -> None:
    """Draw thin lines where a method is as good as the baseline."""
    ax.axhline(1, color=GREY, lw=0.6, ls=":", zorder=1)
    ax.axvline(1, color=GREY, lw=0.6, ls=":", zorder=1)


def mark(method: str, size: float) -> dict[str, Any]:
    """Return how the mark of a method is drawn; the subject's is twice as large as the others."""
    colour, shape = colour_of(method), SHAPES[method]
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


def draw_horizons(ax: Axes, over: Mapping[str, Mapping[int, Ratio]]) -> None:
    """Draw ratios over the number of trials, a line each: whole for movement, dashed for regret."""
    lines, last, values = list[Line](), dict[str, Place](), [1.0]
    # A little apart, so that no interval hides another.
    for nudge, (measure, style) in zip((1.0, 1.03), SHOWN, strict=True):
        at = {trials * nudge: found for trials, found in over[measure].items()}
        mine = [((x, ends(found)[0]), (x, ends(found)[1])) for x, found in at.items()]
        for line in mine:
            ax.plot(*zip(*line, strict=True), color=EMPHASIS, lw=0.9, alpha=0.7, zorder=2)
            values += [y for _, y in line]
        means = [found.mean for found in at.values()]
        own: dict[str, Any] = {
            "marker": "o",
            "ms": 5,
            "color": EMPHASIS,
            "mfc": EMPHASIS if measure == "movement" else "white",
        }
        ax.plot(list(at), means, **own, ls=style, lw=1.3, zorder=3)
        last[measure.replace("_", " ")], lines = (list(at)[-1], means[-1]), [*lines, *mine]
    ax.axhline(1, color=GREY, lw=0.6, ls=":", zorder=1)
    scale(ax, "y", values)
    ran = list(over["movement"])
    ax.set(xscale="log", xlim=(min(ran) / 1.25, max(ran) * 2.7))
    ax.set(xlabel="number of trials", ylabel=f"relative to {BASELINE} (below is better)")
    ax.xaxis.set_major_locator(FixedLocator(ran))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, at: f"{value:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    entitle(ax, f"{SUBJECT}, from few trials to many", "geometric mean over the same problems, 95% intervals")
    tidy(ax)
    place_labels(ax, last, lines, {words: {"color": EMPHASIS} for words in last}, ((1, 0), (1, 1), (1, -1)))

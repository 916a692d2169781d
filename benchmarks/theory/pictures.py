"""The pictures of the theory benchmark: power laws, and how far their exponents are off."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from theory.dimensions import by_set
from theory.part import Row
from theory.paths import NAMED, bound, exponents
from wayfare.bench.figures import set_scale
from wayfare.plot.style import INK, SERIES, SMALL, entitle, tidy

MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
BAND = "#e4e4e4"
COLOURS = (*SERIES, "#888888")
COVERED = ("cube", "square", "Cantor dust, 4096 places", "line", "Cantor set, 4096 places")
"""Sets whose covers are drawn: one of each dimension."""


def look(at: int) -> dict[str, str]:
    """Return the colour and the mark of a set."""
    return {"color": COLOURS[at % len(COLOURS)], "marker": MARKS[at % len(MARKS)]}


def draw_paths(rows: Sequence[Row]) -> Figure:
    """Return path length over the number of points, and the exponents less those of the theorem."""
    figure = Figure(figsize=(8.6, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    fitted = exponents(rows)
    ends = []
    for at, name in enumerate(fitted):
        own = [row for row in rows if row["set"] == name]
        stops = np.array(sorted({row["n"] for row in own}))
        lengths = np.array([np.mean([row["length"] for row in own if row["n"] == n]) for n in stops])
        law = lengths[-1] * (stops / stops[-1]) ** bound(NAMED[name].d)
        left.plot(stops, law, color=look(at)["color"], lw=0.9, ls="--", zorder=1)
        left.plot(stops, lengths, **look(at), ls="none", ms=4.5, clip_on=False, zorder=3)
        ends += [lengths[0], lengths[-1]]
    left.set_xscale("log", base=2)
    left.set_xticks(stops, [str(n) for n in stops])
    left.minorticks_off()
    set_scale(left, "y", np.array(ends))
    left.set_xlabel("points n")
    left.set_ylabel("length of the path [side or radius of the set]")
    seeds = len({row["seed"] for row in rows})
    caption = f"means of {seeds} seeds, marks as on the right; dashed: n^(1 - 1/d)"
    entitle(left, "the shortest path through n random points", caption)
    names = [f"{name}, d = {NAMED[name].d:.3g}" for name in fitted]
    spans = [(one.value - bound(NAMED[name].d), one.low - one.value) for name, one in fitted.items()]
    draw_errors(right, names, [off for off, _ in spans], [(-low, -low) for _, low in spans])
    right.axvspan(-0.03, 0.03, color=BAND, lw=0, zorder=0)
    right.set_xlabel("fitted exponent less 1 - 1/d (0 if d < 1)")
    entitle(right, "off by", "95% intervals over the seeds; grey: within 0.03")
    tidy(left)
    return figure


def draw_dimensions(rows: Sequence[Row]) -> Figure:
    """Return how many balls cover each set, and the estimates less the truth."""
    figure = Figure(figsize=(8.6, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.05))
    sets = by_set(rows)
    looks = {name: look(at) for at, name in enumerate(sets)}
    for name in COVERED:
        own = [row for row in rows if row["set"] == name and row["seed"] == 0]
        radii, balls = (np.array([row[key] for row in own]) for key in ("radius", "balls"))
        label = f"{name.split(',')[0]}: {own[0]['truth']:.3g}"
        left.plot(radii / radii.max(), balls, **looks[name], lw=0.9, ms=4.5, label=label, zorder=2)
    set_scale(left, "x", np.concatenate([line.get_xdata() for line in left.lines]))
    set_scale(left, "y", np.concatenate([line.get_ydata() for line in left.lines]))
    left.invert_xaxis()
    left.set_xlabel("radius of the balls [largest radius used]")
    left.set_ylabel("balls that cover the set")
    left.legend(loc="lower right", frameon=False, fontsize=SMALL, handletextpad=0.4)
    entitle(left, "covers of some sets, and their dimension", "seed 0; the dimension is the slope")
    estimates, margins = [], []
    for own in sets.values():
        middle, low, high = (float(np.mean([row[key] for row in own])) for key in ("estimate", "low", "high"))
        estimates.append(middle - own[0]["truth"])
        margins.append((middle - low, high - middle))
    names = [f"{name}: {own[0]['truth']:.3g}" for name, own in sets.items()]
    draw_errors(right, names, estimates, margins)
    right.axvspan(-0.1, 0.1, color=BAND, lw=0, zorder=0)
    right.set_xlabel("estimate less truth")
    seeds = len({row["seed"] for row in rows})
    entitle(right, "off by", f"means of {seeds} seeds and of their intervals; grey: within 0.1")
    tidy(left)
    return figure


def draw_errors(
    ax: Axes, names: Sequence[str], errors: Sequence[float], margins: Sequence[tuple[float, float]]
) -> None:
    """Draw errors with their margins, a line each, the first at the top."""
    for at, (error, margin) in enumerate(zip(errors, margins, strict=True)):
        spread = np.nan_to_num(np.array(margin)[:, None], posinf=0.0)
        ax.errorbar(error, at, xerr=spread, fmt=look(at)["marker"], color=look(at)["color"], ms=5, lw=1.2, zorder=3)
    ax.axvline(0, color=INK, lw=0.8, zorder=1)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    tidy(ax)

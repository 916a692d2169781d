"""Regret and movement over the number of trials: fitted exponents beside the theory's, and their picture.

All parts that follow methods over T have the same rows: setting, method, trials, seed, regret, movement,
tours and ``bound``, what the theory says the movement cannot exceed (not a number where it gives no
constants). Some have ``rate`` besides: the bound on the regret with all its logarithms, but for a constant. Over a few
powers of ten logarithms count for a good part of an exponent, so the exponents of ``bound`` and ``rate`` themselves
over the same T are shown beside those of the theory.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen

from theory.exponent import Exponent, exponent, slope
from theory.part import Row
from wayfare._core.arrays import Values
from wayfare.bench.report import Sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


DECADES = 2.0
"""Exponents are fitted over so many powers of ten of T, the last ones: a rate is a limit."""


@frozen
class Law:
    """The rates that the theory promises a method in a setting, as powers of T; None if it promises none.

    ``log`` is the power of log T beside that of the regret, which is divided out before fitting.
    """

    regret: float | None
    movement: float | None
    log: float = 0.0


NOTHING = Law(None, None)


Key = tuple[str, str]
"""A setting and a method."""


def row(setting: str, method: str, seed: int, numbers: Mapping[str, float]) -> Row:
    """Return a row of the file."""
    return {"setting": setting, "method": method, "seed": seed, **numbers}


def keys(rows: Sequence[Row]) -> list[Key]:
    """Return which methods were followed in which setting, in the order of the rows."""
    found = dict.fromkeys((one["setting"], one["method"]) for one in rows)
    settings, methods = (list(dict.fromkeys(parts)) for parts in zip(*found, strict=True))
    return [key for key in product(settings, methods) if key in found]


def fitted(rows: Sequence[Row], key: Key, quantity: str, log: float = 0.0) -> Exponent:
    """Return the power of T by which a quantity grew, over the last decades, with its interval over seeds.

    A power of log T beside it is divided out.
    """
    own = [one for one in rows if (one["setting"], one["method"]) == key]
    last = max(one["trials"] for one in own)
    late = [one for one in own if one["trials"] >= last / 10**DECADES * (1 - 1e-9)]
    slopes = []
    for seed in dict.fromkeys(one["seed"] for one in late):
        mine = [one for one in late if one["seed"] == seed]
        reached = [max(one[quantity], 1e-12) / math.log(one["trials"]) ** log for one in mine]
        slopes.append(slope([one["trials"] for one in mine], reached))
    return exponent(slopes)


def grown(rows: Sequence[Row], key: Key, bound: str) -> str:
    """Return the power of T by which a bound itself grew over the last decades; empty if there is none."""
    own = [one for one in rows if (one["setting"], one["method"]) == key]
    if any(math.isnan(one.get(bound, math.nan)) for one in own):
        return ""
    return f"{fitted(rows, key, bound).value:.2f}"


def information(spectrum: Values, trials: float, ridge: float) -> float:
    """Return half the logarithm of the determinant of I + K / ridge for so many results spread evenly over the places.

    ``spectrum`` are the eigenvalues of the covariance of the places, divided by their number. The most that so many
    results can tell, gamma_T, is no less, and grows alike.
    """
    return float(0.5 * np.log1p(trials / ridge * np.maximum(spectrum, 0.0)).sum())


def longest_way(places: float, d: int) -> float:
    """Return the longest way there can be from anywhere through so many places of the unit box; d is 1, 2 or 3."""
    if d == 1:
        return 2.0
    if d == 2:
        return math.sqrt(2 * places) + 1.75 + math.sqrt(2)  # Few 1955
    # Up and down m by m columns, from each to the next, and from its middle to every place and back.
    columns = np.arange(1, 2 + math.ceil(places ** (1 / 3)))
    return float((columns**2 + columns + math.sqrt(2) * places / columns).min()) + math.sqrt(3)


def means(rows: Sequence[Row], key: Key, quantity: str) -> tuple[Values, Values]:
    """Return the numbers of trials, and the mean over the seeds at each."""
    own = [one for one in rows if (one["setting"], one["method"]) == key]
    trials = sorted({one["trials"] for one in own})
    return np.array(trials, dtype=float), np.array(
        [np.mean([one[quantity] for one in own if one["trials"] == n]) for n in trials]
    )


def law_table(rows: Sequence[Row], laws: Mapping[Key, Law]) -> Sheet:
    """Return the exponents of regret and movement beside the theory's, and the means at the end."""
    lines = []
    for key in keys(rows):
        law = laws.get(key, NOTHING)
        trials, regret = means(rows, key, "regret")
        ends = [f"{trials[-1]:g}", f"{regret[-1]:.4g}"]
        ends += [f"{means(rows, key, quantity)[1][-1]:.4g}" for quantity in ("movement", "tours")]
        lines.append(
            (
                *key,
                str(fitted(rows, key, "regret", law.log)),
                said(law.regret),
                grown(rows, key, "rate"),
                str(fitted(rows, key, "movement")),
                said(law.movement),
                grown(rows, key, "bound"),
                *ends,
            )
        )
    head = ("setting", "method", "regret ~ T^", "theory", "its bound", "movement ~ T^", "theory", "its bound")
    return Sheet((*head, "last T", "regret", "movement", "tours"), lines)


def said(power: float | None) -> str:
    """Return an exponent of the theory; 0 stands for logarithms."""
    return "" if power is None else f"{power:.3g}"


def draw_laws(rows: Sequence[Row], laws: Mapping[Key, Law], unit: str) -> "Figure":
    """Return regret and movement over T for every setting, with the theory's powers dashed."""
    from matplotlib.figure import Figure

    from theory.pictures import look
    from wayfare.plot.style import SMALL, colours_of, entitle, tidy

    every = keys(rows)
    settings, methods = (list(dict.fromkeys(parts)) for parts in zip(*every, strict=True))
    figure = Figure(figsize=(8.6, 3.5 * len(settings)), layout="constrained")
    axes = figure.subplots(len(settings), 2, squeeze=False)
    seeds = len({one["seed"] for one in rows})
    for setting, (left, right) in zip(settings, axes, strict=True):
        for at, (method, colour) in enumerate(zip(methods, colours_of(methods), strict=True)):
            if (key := (setting, method)) in every:
                drawn = look(at) | {"color": colour}
                draw_law(left, rows, key, "regret", laws.get(key, NOTHING).regret, drawn)
                draw_law(right, rows, key, "movement", laws.get(key, NOTHING).movement, drawn)
        entitle(left, f"regret, {setting}", f"means of {seeds} seeds; dashed: the theory's power of T")
        bounded = any(not math.isnan(one["bound"]) for one in rows)
        entitle(right, f"movement, {setting}", "dotted: the bound with its constants" if bounded else "")
        left.set_ylabel("cumulative regret")
        right.set_ylabel(f"cumulative movement [{unit}]")
        for ax in (left, right):
            ax.set(xscale="log", yscale="log", xlabel="trials T")
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}")
                axis.set_minor_formatter("")
            tidy(ax)
        left.legend(loc="upper left", frameon=False, fontsize=SMALL)
    return figure


def draw_law(
    ax: "Axes", rows: Sequence[Row], key: Key, quantity: str, power: float | None, drawn: Mapping[str, Any]
) -> None:
    """Draw one method: its means, the theory's power through the last of them, the bound if there is one.

    Args:
        ax: where to draw.
        rows: of all methods.
        key: the setting and the method.
        quantity: what of it.
        power: of the theory, if it has one.
        drawn: the colour and the mark of the method.
    """
    trials, middle = means(rows, key, quantity)
    colour = drawn["color"]
    ax.plot(trials, middle, **drawn, lw=1.2, ms=4, label=key[1], zorder=3)
    if power:
        late = trials >= trials[-1] / 10**DECADES
        ax.plot(trials[late], middle[-1] * (trials[late] / trials[-1]) ** power, color=colour, lw=0.9, ls="--")
    if quantity == "movement":
        bounds = means(rows, key, "bound")[1]
        if not math.isnan(bounds[-1]):
            ax.plot(trials, bounds, color=colour, lw=0.9, ls=":")

"""How the pictures look: colours that survive colour blindness and a grey printer, marks, and small type."""

from collections.abc import Iterable
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.figure import Figure

SMALL, NORMAL = 8.0, 9.0
"""Type sizes in points; nothing is set smaller than ``SMALL``."""
INK = "#1a1a1a"
START, BEST = "#0072b2", "#ffd400"
SERIES = ("#1a1a1a", "#d55e00", "#56b4e9", "#009e73", "#cc79a7", "#e69f00", "#0072b2")
"""Okabe and Ito's colours, told apart under every common colour blindness; the first three also in grey."""
GREY, BROWN = "#767676", "#8c564b"
BLACK, ORANGE, SKY, GREEN, PINK, AMBER, BLUE = SERIES
_WORN = {
    ORANGE: "wayfare",
    BLACK: "ucb gs",
    SKY: "tucb plan-ucb mini",
    GREEN: "ts tts plan-ts tr-ei",
    AMBER: "ei tei eipu bpe random-route",
    BLUE: "bpe-heuristic dist-ucb snake control",
    PINK: "thrifty tts-paper lsr lhs-route",
    BROWN: "lookahead tucb-paper lambo",
    GREY: "random ucb-1sd",
}
METHODS = {method: colour for colour, methods in _WORN.items() for method in methods.split()}
"""The colour of a method in every picture that compares methods; those of one family differ."""
ORDER: Colormap = LinearSegmentedColormap.from_list("visits", ["#ffffff", "#f5a582", "#c0392b", "#3d0a0a"])
"""Visits from the first, white, to the last, nearly black."""
LONGEST_NAME = 40
"""Letters of a study's name that a title has room for."""
MARK: dict[str, Any] = {"linestyle": "none", "clip_on": False}


def _mark(label: str, marker: str, size: float, color: str, edge: str | None = INK) -> dict[str, Any]:
    """Return the look of a mark of a journey; marks are told apart by shape as well as by colour."""
    edged = {} if edge is None else {"markeredgecolor": edge}
    return MARK | {"marker": marker, "markersize": size, "color": color, "label": label} | edged


START_MARK = _mark("start", "s", 8, START, "white")
HOME_MARK = _mark("home", "p", 9, START, "white")
BEST_MARK = _mark("best place", "*", 12, BEST)
OPEN_MARK = _mark("not yet told", "D", 5, "white")
FAILED_MARK = _mark("failed", "X", 7.5, "#d55e00")
SKIPPED_MARK = _mark("skipped", "x", 5, "#555555", None)
RESULT_MARK = _mark("results", "o", 4, INK, "white") | {"markeredgewidth": 0.5}
BROKE_MARK = _mark("broke a limit", "v", 7, "#cc79a7")
PRIOR_MARK = _mark("known before", "^", 6, "#bbbbbb")
PUT_MARK = _mark("moved here by replan", "s", 5, "white", START)
PLACE_MARK = _mark("places", "o", 3, "#b5b5b5", None)
STOP_MARK = _mark("stops ahead", "o", 5, "white")


def colour_of(method: str) -> str:
    """Return the colour of a method of the catalogue; of another, the first of ``SERIES``."""
    return METHODS.get(method, SERIES[0])


def colours_of(names: Iterable[str]) -> list[str]:
    """Return a colour for each name: that of a method, else one that no method among them has, as long as there are."""
    every = list(names)
    used = {METHODS[name] for name in every if name in METHODS}
    # Beside methods, the colours of ours and of the baseline come last.
    order = sorted(SERIES, key=lambda colour: bool(used) and colour in (BLACK, ORANGE))
    free = cycle([colour for colour in order if colour not in used] or SERIES)
    return [METHODS[name] if name in METHODS else next(free) for name in every]


def ground(minimize: bool) -> Colormap:
    """Return the colours of the background: viridis in a light tint, its light end where values are good."""
    colours = colormaps["viridis"](np.linspace(0.12, 1.0, 256))
    colours[:, :3] = 0.55 * colours[:, :3] + 0.45
    return LinearSegmentedColormap.from_list("ground", colours[::-1] if minimize else colours)


def doubt(name: str) -> Colormap:
    """Return a sequential colour map of matplotlib in a light tint, its light end first."""
    return LinearSegmentedColormap.from_list(f"light {name}", colormaps[name](np.linspace(0.0, 0.8, 256)))


def root_of(ax: Axes) -> Figure:
    """Return the figure that the axes are on, also if it is divided."""
    figure = ax.get_figure(root=True)
    assert figure is not None  # axes that were removed cannot be drawn on
    return figure


def tidy(ax: Axes) -> None:
    """Set small type and thin lines."""
    ax.tick_params(labelsize=SMALL, width=0.6, length=3)
    ax.spines[:].set_linewidth(0.6)
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set_fontsize(NORMAL)


def entitle(ax: Axes, title: str, caption: str = "") -> None:
    """Put a title at the upper left, and a caption in small type between it and the picture."""
    lines = caption.count("\n") + 1 if caption else 0
    ax.set_title(title, loc="left", fontsize=NORMAL, pad=6 + 9.8 * lines)
    if caption:
        place: dict[str, Any] = {"xytext": (0, 6), "xycoords": "axes fraction", "textcoords": "offset points"}
        ax.annotate(caption, (0, 1), **place, fontsize=SMALL, color="#555555", linespacing=1.2)


def named(name: str) -> str:
    """Return the name of a study for a title: short, and with its dollar signs, which matplotlib would interpret."""
    shown = "".join(sign if sign.isprintable() else "?" for sign in name)
    return (shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - 1]}…").replace("$", r"\$")


def amount(value: float, unit: str) -> str:
    """Return a number to three or four digits, with its unit."""
    digits = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{digits} {unit}".rstrip()


def with_unit(words: str, unit: str) -> str:
    """Return an axis label with its unit in brackets."""
    return f"{words} [{unit}]" if unit else words

"""How the pictures look: colours that survive colour blindness and a grey printer, and small type."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.transforms import ScaledTranslation

SMALL, NORMAL = 8.0, 9.0
"""Type sizes in points; nothing is set smaller than ``SMALL``."""

INK = "#1a1a1a"
START, BEST = "#0072b2", "#ffd400"
SERIES = ("#1a1a1a", "#d55e00", "#56b4e9", "#009e73", "#cc79a7", "#e69f00", "#0072b2")
"""Okabe and Ito's colours, told apart under every common colour blindness; the first three also in grey."""

ORDER: Colormap = LinearSegmentedColormap.from_list("visits", ["#ffffff", "#f5a582", "#c0392b", "#3d0a0a"])
"""Visits from the first, white, to the last, nearly black."""

LONGEST_NAME = 40
"""Letters of a study's name that a title has room for."""


def ground(minimize: bool) -> Colormap:
    """Return the colours of the background: viridis in a light tint, its light end where values are good."""
    from matplotlib import colormaps

    colours = colormaps["viridis"](np.linspace(0.12, 1.0, 256))
    colours[:, :3] = 0.55 * colours[:, :3] + 0.45
    return LinearSegmentedColormap.from_list("ground", colours[::-1] if minimize else colours)


def tidy(ax: Axes) -> None:
    """Set small type and thin lines."""
    ax.tick_params(labelsize=SMALL, width=0.6, length=3)
    for spine in ax.spines.values():
        spine.set_linewidth(0.6)
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set_fontsize(NORMAL)


def entitle(ax: Axes, title: str, caption: str = "") -> None:
    """Put a title at the upper left, and a caption in small type between it and the picture."""
    lines = caption.count("\n") + 1 if caption else 0
    ax.set_title(title, loc="left", fontsize=NORMAL, pad=6 + 9.8 * lines)
    if caption:
        ax.annotate(
            caption,
            (0, 1),
            xytext=(0, 6),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=SMALL,
            color="#555555",
            linespacing=1.2,
        )


def legend_below(ax: Axes, **options: Any) -> None:
    """Put the legend below the axis label, outside of the data."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    below = ax.transAxes + ScaledTranslation(0, -32 / 72, figure.dpi_scale_trans)
    ax.legend(
        **options,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=below,
        frameon=False,
        fontsize=SMALL,
        handletextpad=0.5,
        columnspacing=1.4,
        borderaxespad=0,
    )


def named(name: str) -> str:
    """Return the name of a study for a title: short, and as it is written, dollar signs too."""
    short = "".join(sign if sign.isprintable() else "?" for sign in name)
    short = short if len(short) <= LONGEST_NAME else f"{short[: LONGEST_NAME - 1]}…"
    return short.replace("$", r"\$")


def amount(value: float, unit: str) -> str:
    """Return a number to three or four digits, with its unit."""
    digits = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{digits} {unit}".rstrip()


def with_unit(words: str, unit: str) -> str:
    """Return an axis label with its unit in brackets."""
    return f"{words} [{unit}]" if unit else words


# The marks of a journey, each with its word in the legend; told apart by shape as well as by colour.


MARK: dict[str, Any] = {"linestyle": "none", "clip_on": False}
START_MARK = MARK | {"marker": "s", "markersize": 8, "color": START, "markeredgecolor": "white", "label": "start"}
HOME_MARK = MARK | {"marker": "p", "markersize": 9, "color": START, "markeredgecolor": "white", "label": "home"}
BEST_MARK = MARK | {"marker": "*", "markersize": 12, "color": BEST, "markeredgecolor": INK, "label": "best place"}
OPEN_MARK = MARK | {"marker": "D", "markersize": 5, "color": "white", "markeredgecolor": INK, "label": "not yet told"}
FAILED_MARK = MARK | {"marker": "X", "markersize": 7.5, "color": "#d55e00", "markeredgecolor": INK, "label": "failed"}
SKIPPED_MARK = MARK | {"marker": "x", "markersize": 5, "color": "#555555", "label": "skipped"}
PRIOR_MARK = MARK | {
    "marker": "^",
    "markersize": 6,
    "color": "#bbbbbb",
    "markeredgecolor": INK,
    "label": "known before",
}
PUT_MARK = MARK | {
    "marker": "s",
    "markersize": 5,
    "color": "white",
    "markeredgecolor": START,
    "label": "moved here by replan",
}
STOP_MARK = MARK | {"marker": "o", "markersize": 5, "color": "white", "markeredgecolor": INK, "label": "stops ahead"}

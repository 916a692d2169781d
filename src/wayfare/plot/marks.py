"""The marks of a journey, each with its word in the legend; told apart by shape as well as by colour."""

from typing import Any

from wayfare.plot.style import BEST, INK, START

MARK: dict[str, Any] = {"linestyle": "none", "clip_on": False}
START_MARK = MARK | {
    "marker": "s",
    "markersize": 8,
    "color": START,
    "markeredgecolor": "white",
    "label": "start",
}
HOME_MARK = MARK | {
    "marker": "p",
    "markersize": 9,
    "color": START,
    "markeredgecolor": "white",
    "label": "home",
}
BEST_MARK = MARK | {
    "marker": "*",
    "markersize": 12,
    "color": BEST,
    "markeredgecolor": INK,
    "label": "best place",
}
OPEN_MARK = MARK | {
    "marker": "D",
    "markersize": 5,
    "color": "white",
    "markeredgecolor": INK,
    "label": "not yet told",
}
FAILED_MARK = MARK | {
    "marker": "X",
    "markersize": 7.5,
    "color": "#d55e00",
    "markeredgecolor": INK,
    "label": "failed",
}
SKIPPED_MARK = MARK | {
    "marker": "x",
    "markersize": 5,
    "color": "#555555",
    "label": "skipped",
}
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
STOP_MARK = MARK | {
    "marker": "o",
    "markersize": 5,
    "color": "white",
    "markeredgecolor": INK,
    "label": "stops ahead",
}

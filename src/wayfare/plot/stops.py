"""``plot_stops``: the route through the trials that are out, numbered, for a run sheet; needs no results.

Each number stands in a badge on its place, so that it can be read on paper; badges that would overlap share one.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, groupby
from typing import Any

import numpy as np
from attrs import frozen
from matplotlib.axes import Axes

from wayfare._core.arrays import Matrix, Points, Values
from wayfare.errors import InvalidInput
from wayfare.plot.path import DASHED, box, drawn_way, frame_path, overlap
from wayfare.plot.style import HOME_MARK, INK, SMALL, START, START_MARK, named, tidy
from wayfare.plot.surface import NO_WAY, draw_ground, draw_regions
from wayfare.plot.view import View, busiest, frame_of, terrain_of
from wayfare.record.state import StudyState
from wayfare.space import Choice, Places, Space

PAST = "#b5b5b5"
COVERED = 15
"""The size in points of a mark that the number of a stop is written on."""
BADGE = {"facecolor": "white", "edgecolor": INK, "linewidth": 0.8}
WORDS = {
    "from": "Square: from where.",
    "from home": "Square: from where, and home.",
    "home": "Pentagon: home.",
    "way home": "Dashed: the way home.",
    "forbidden": "Hatched: forbidden.",
    NO_WAY: "Shaded: impassable.",
    "visited": "Grey: visited before.",
}
"""The explanation of each mark below the picture, by the label it was drawn with."""


def plot_stops(state: StudyState, numbers: Collection[int], axes: tuple[str, str], ax: Axes) -> Axes:
    """Draw the visits so far in grey, and the trials of these numbers as numbered stops joined by their route.

    A leg that goes home first is drawn so, and if the study has a home, a dashed line leads there from the last stop.
    Regions forbidden at all values of the other axes are hatched. On a map, a kilometre is as long up as it is across,
    in the middle of the stops.
    """
    # 1. The places of the route, with home where a leg goes there first, and at its end.
    view = _stop_view(state, axes)
    ahead = [trial for trial in state.trials if trial.number in numbers]
    past = [trial.x for trial in state.trials if trial.is_visit and trial.number not in numbers]
    here, home = state.origin(ahead[0].number), state.spec.limits.home
    places = [] if here is None else [here]
    for trial in ahead:
        places += [home, trial.x] if trial.home_first and home is not None else [trial.x]
    x, last = np.array(places if home is None else [*places, home]), len(places) - 1
    drawn, gone = view.project(x), view.project(np.array(past).reshape(-1, view.frame.d))
    line, back = (drawn_way(view, state.spec.travel, x, drawn, rows) for rows in (range(last + 1), range(last, len(x))))
    stops = view.project(np.array([trial.x for trial in ahead]))
    # 2. Lines and marks.
    draw_ground(ax, view, state.spec.travel)
    draw_regions(ax, view)
    if len(gone):
        ax.plot(*gone.T, linestyle="none", marker="o", markersize=4, color=PAST, zorder=2, label="visited")
    ax.plot(*line.T, color=INK, linewidth=0.9, zorder=3, label="way")
    if home is not None and not np.array_equal(x[last], home):
        # In the colour of home, so that it is seen beside a line that came out the same way.
        ax.plot(*back.T, color=START, linewidth=0.9, linestyle=DASHED, zorder=3, label="way home")
    begins_at_home = here is not None and home is not None and np.array_equal(here, home)
    if here is not None:
        _draw_end(ax, drawn[0], stops, START_MARK | {"label": "from home" if begins_at_home else "from"})
    if home is not None and not begins_at_home:
        _draw_end(ax, drawn[-1], stops, HOME_MARK)
    # 3. Axes, and last the numbers, which need the final limits.
    view.dress(ax)
    ax.set(xlabel=named(view.label(0)), ylabel=named(view.label(1)))
    frame_path(ax, view, np.vstack([drawn, gone, line, back]))
    tidy(ax)
    if (terrain := terrain_of(state, view.frame)) is not None:
        terrain.set_scale(ax, view.columns, stops)
    _write_badges(ax, [trial.number for trial in ahead], stops)
    return ax


def explained(ax: Axes) -> str:
    """Return the explanation of the marks on a picture of stops."""
    _, drawn = ax.get_legend_handles_labels()
    return " ".join(words for mark, words in WORDS.items() if mark in drawn)


def stop_axes(state: StudyState) -> tuple[str, str] | None:
    """Return the two axes to draw: those of a map, else the busiest numbers; None without two."""
    if not isinstance(state.spec.space, Places | Space):
        return None  # a user's own kind of space need not have axes that can be drawn
    frame = frame_of(state.spec.space)
    terrain = terrain_of(state, frame)
    if terrain is None and sum(bool(axis.width) and not isinstance(axis, Choice) for axis in frame.axes) < 2:
        return None
    # A choice is readable in the table; numbers come first, as for a table of places.
    across, up = busiest(state, frame, loose=True) if terrain is None else terrain.columns
    return frame.axes[across].name, frame.axes[up].name


def _stop_view(state: StudyState, axes: tuple[str, str]) -> View:
    """Return the view on two axes of numbers; the others are held at nan, unless they have but one value."""
    frame = frame_of(state.spec.space)
    if len(axes) != 2 or axes[0] == axes[1]:
        raise InvalidInput(f"axes must be two different names, got {axes!r}")
    through = np.where([axis.width > 0 for axis in frame.axes], np.nan, state.trials[0].x)
    view = View(frame, tuple(map(frame.column, axes)), through, isinstance(state.spec.space, Places))
    for axis in view.axes:
        if isinstance(axis, Choice):
            raise InvalidInput(f"axes: {axis.name!r} is a choice; stops are drawn over two axes of numbers")
    return view


def _draw_end(ax: Axes, place: Values, stops: Points, mark: Mapping[str, Any]) -> None:
    """Draw where the route begins, or home; large enough to be seen behind the number of a stop there."""
    covered = (stops == place).all(axis=1).any()
    ax.plot(*place, **dict(mark) | ({"markersize": COVERED} if covered else {}), zorder=4)


@frozen(eq=False)
class Badge:
    """The numbers of the stops at these rows, in the middle of their places on paper."""

    numbers: tuple[int, ...]
    rows: tuple[int, ...]
    middle: Points

    @property
    def text(self) -> str:
        """The numbers, of three and more in a row only the first and the last: ``4, 7–9``."""
        # Within a run, numbers and their ranks grow alike.
        grouped = groupby(enumerate(sorted(self.numbers)), lambda ranked: ranked[1] - ranked[0])
        runs = ([number for _, number in run] for _, run in grouped)
        return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)

    @property
    def box(self) -> Matrix:
        """The corners of the badge, in points."""
        return box(self.middle, 0.58 * SMALL * len(self.text) + 8, SMALL + 7)

    def with_other(self, other: "Badge") -> "Badge":
        """Return one badge for the stops of two."""
        mine, others = len(self.rows), len(other.rows)
        middle = (mine * self.middle + others * other.middle) / (mine + others)
        return Badge(self.numbers + other.numbers, self.rows + other.rows, middle)


def merged(badges: list[Badge]) -> list[Badge]:
    """Return the badges with those that would overlap made one, until all can stand side by side."""
    while pair := next((pair for pair in combinations(badges, 2) if overlap(pair[0].box, pair[1].box)), None):
        badges = [*(badge for badge in badges if badge not in pair), pair[0].with_other(pair[1])]
        badges.sort(key=lambda badge: min(badge.numbers))
    return badges


def _write_badges(ax: Axes, numbers: Sequence[int], drawn: Points) -> None:
    """Write the numbers on their places; if several share a badge, a dot marks each of the places."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    to_points = 72 / figure.dpi
    on_paper = ax.transData.transform(drawn) * to_points
    for badge in merged([Badge((n,), (row,), on_paper[row]) for row, n in enumerate(numbers)]):
        places = drawn[list(badge.rows)]
        if len(np.unique(places, axis=0)) > 1:
            ax.scatter(places[:, 0], places[:, 1], s=14, color=INK, zorder=4)
        across, up = ax.transData.inverted().transform(badge.middle / to_points)
        shape = "circle,pad=0.25" if len(badge.rows) == 1 else "round,pad=0.3,rounding_size=0.8"
        text = ax.text(across, up, badge.text, ha="center", va="center", fontsize=SMALL)
        text.set(zorder=5, gid="trial number", bbox=BADGE | {"boxstyle": shape})

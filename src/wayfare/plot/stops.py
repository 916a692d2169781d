"""``plot_stops``: the way through the trials that are out, numbered, for paper; needs no results."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from attrs import frozen
from matplotlib.axes import Axes

from wayfare._core.arrays import Matrix, Points, Values
from wayfare.errors import InvalidInput
from wayfare.plot.path import box, drawn_way, frame_path, overlap
from wayfare.plot.style import HOME_MARK, INK, SMALL, START, START_MARK, named, tidy
from wayfare.plot.surface import draw_regions
from wayfare.plot.view import View, busiest, frame_of, terrain_of
from wayfare.record.state import StudyState
from wayfare.space import Choice, Places, Space
from wayfare.study.study import Snapshot, Study

# The numbers of stops on paper, each in a badge on its place; those that would overlap share one.


LOOK = {"facecolor": "white", "edgecolor": INK, "linewidth": 0.8}


@frozen(eq=False)
class Badge:
    """The numbers of the stops at these rows, in the middle of their places on paper."""

    numbers: tuple[int, ...]
    rows: tuple[int, ...]
    middle: Points

    @property
    def text(self) -> str:
        """The numbers, of three and more in a row only the first and the last: ``4, 7–9``."""
        runs: list[list[int]] = []
        for number in sorted(self.numbers):
            if runs and number == runs[-1][-1] + 1:
                runs[-1].append(number)
            else:
                runs.append([number])
        return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)

    @property
    def box(self) -> Matrix:
        """What it covers, in points."""
        return box(self.middle, 0.58 * SMALL * len(self.text) + 8, SMALL + 7)

    def with_other(self, other: "Badge") -> "Badge":
        """Return one badge for the stops of two."""
        mine, others = len(self.rows), len(other.rows)
        middle = (mine * self.middle + others * other.middle) / (mine + others)
        return Badge(self.numbers + other.numbers, self.rows + other.rows, middle)


def write_badges(ax: Axes, numbers: Sequence[int], drawn: Points) -> None:
    """Write the numbers on their places; where several share a badge, a dot marks each of the places.

    The limits must be set, for what collides is decided in points on paper.
    """
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
        text.set(zorder=5, gid="trial number", bbox=LOOK | {"boxstyle": shape})


def merged(badges: list[Badge]) -> list[Badge]:
    """Return as many badges as can stand side by side, those that would overlap made one."""
    while True:
        for one, other in combinations(badges, 2):
            if overlap(one.box, other.box):
                break
        else:
            return badges
        badges = [badge for badge in badges if badge is not one and badge is not other]
        badges = [*badges, one.with_other(other)]
        badges.sort(key=lambda badge: min(badge.numbers))


PAST = "#b5b5b5"
COVERED = 15
"""How large a mark is that the number of a stop is written on."""
WORDS = {
    "from": "Square: from where.",
    "from home": "Square: from where, and home.",
    "home": "Pentagon: home.",
    "way home": "Dashed: the way home.",
    "forbidden": "Hatched: forbidden.",
    "visited": "Grey: visited before.",
}
"""What is said of each mark below the picture, by the label it was drawn with."""


def plot_stops(study: Study | Snapshot, numbers: Collection[int], axes: tuple[str, str], ax: Axes) -> Axes:
    """Draw the visits so far in grey, and the trials of these numbers as numbered stops joined by their way.

    A way by home goes there, and where the study has an end, a dashed one leads there from the last stop.
    What is forbidden whatever the other axes are is hatched. On a map, a kilometre is as long up as it is
    across, in the middle of the stops.
    """
    state = study.state
    view = stop_view(state, axes)
    ahead = [trial for trial in state.trials if trial.number in numbers]
    past = [trial.x for trial in state.trials if trial.is_visit and trial.number not in numbers]
    here, end = state.origin(ahead[0].number), state.spec.limits.home
    way = [] if here is None else [here]
    for trial in ahead:
        way += [end, trial.x] if trial.home_first and end is not None else [trial.x]
    x, last = np.array(way if end is None else [*way, end]), len(way) - 1
    drawn, gone = view.project(x), view.project(np.array(past).reshape(-1, view.frame.d))
    line, back = (drawn_way(view, state.spec.travel, x, drawn, rows) for rows in (range(last + 1), range(last, len(x))))
    stops = view.project(np.array([trial.x for trial in ahead]))
    draw_regions(ax, view)
    if len(gone):
        ax.plot(*gone.T, linestyle="none", marker="o", markersize=4, color=PAST, zorder=2, label="visited")
    ax.plot(*line.T, color=INK, linewidth=0.9, zorder=3, label="way")
    if end is not None and not np.array_equal(x[last], end):
        # In the colour of home, so that it is seen where one came out the same way.
        ax.plot(*back.T, color=START, linewidth=0.9, linestyle=(0, (4, 2)), zorder=3, label="way home")
    begins_at_home = here is not None and end is not None and np.array_equal(here, end)
    if here is not None:
        draw_end(ax, drawn[0], stops, START_MARK | {"label": "from home" if begins_at_home else "from"})
    if end is not None and not begins_at_home:
        draw_end(ax, drawn[-1], stops, HOME_MARK)
    view.dress(ax)
    ax.set_xlabel(named(axes[0]))
    ax.set_ylabel(named(axes[1]))
    frame_path(ax, view, np.vstack([drawn, gone, line, back]))
    tidy(ax)
    terrain = terrain_of(state, view.frame)
    aspect = None if terrain is None else terrain.aspect(view.columns, stops)
    if aspect is not None:
        ax.set_aspect(aspect, adjustable="box")
    write_badges(ax, [trial.number for trial in ahead], stops)
    return ax


def draw_end(ax: Axes, place: Values, stops: Points, mark: Mapping[str, Any]) -> None:
    """Draw where the way begins, or home; large enough to be seen behind the number of a stop there."""
    covered = (stops == place).all(axis=1).any()
    ax.plot(*place, **dict(mark) | ({"markersize": COVERED} if covered else {}), zorder=4)


def stop_view(state: StudyState, axes: tuple[str, str]) -> View:
    """Return the view on two axes of numbers; the others are held nowhere, unless they have but one value."""
    frame = frame_of(state.spec.space)
    if len(axes) != 2 or axes[0] == axes[1]:
        raise InvalidInput(f"axes must be two different names, got {axes!r}")
    columns = tuple(frame.column(name) for name in axes)
    through = np.where([axis.width > 0 for axis in frame.axes], np.nan, state.trials[0].x)
    view = View(frame, columns, through, isinstance(state.spec.space, Places))
    for axis in view.axes:
        if isinstance(axis, Choice):
            raise InvalidInput(f"axes: {axis.name!r} is a choice; stops are drawn over two axes of numbers")
    return view


def explained(ax: Axes) -> str:
    """Return what the marks on a picture of stops mean, those that are on it."""
    _, drawn = ax.get_legend_handles_labels()
    return " ".join(words for mark, words in WORDS.items() if mark in drawn)


def stop_axes(state: StudyState) -> tuple[str, str] | None:
    """Return the two axes to draw: those of a map, else the busiest numbers; None without two."""
    if not isinstance(state.spec.space, Places | Space):
        return None  # a user's own kind of space need not have axes that can be drawn
    frame = frame_of(state.spec.space)
    terrain = terrain_of(state, frame)
    if terrain is None:
        numbers = [axis.name for axis in frame.axes if axis.width and not isinstance(axis, Choice)]
        if len(numbers) < 2:
            return None
        # A choice can be told in the table; numbers first, as for a table of places.
        across, up = busiest(state, frame, loose=True)
    else:
        across, up = terrain.columns
    return frame.axes[across].name, frame.axes[up].name

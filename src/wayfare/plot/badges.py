"""The numbers of stops on paper, each in a badge on its place; those that would overlap share one."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from attrs import frozen
from matplotlib.axes import Axes

from wayfare.arrays import Matrix, Points
from wayfare.plot.numbers import box, overlap
from wayfare.plot.style import INK, SMALL

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

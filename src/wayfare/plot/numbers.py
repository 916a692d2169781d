"""Numbers beside the visits: as many as there is room for, none over another or over a visit."""

from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from wayfare.arrays import Matrix, Points, unique_rows
from wayfare.plot.style import INK, SMALL

DIRECTIONS = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
"""Where a number may stand beside its visit, the preferred first."""


FEW = 12
"""How many numbers are written where not every visit gets one."""


def number_visits(ax: Axes, drawn: Points, most: int, marks: Points) -> None:
    """Write the trial numbers beside the visits, all of them if there are ``most`` at most.

    Beyond that only round numbers and the last are written. Visits to the same spot share one text. Other
    ``marks`` are kept free too. The layout must be settled, for what collides is decided in points on paper.
    """
    figure = ax.get_figure(root=True)
    if figure is None or most < 1:
        return
    to_points = 72 / figure.dpi
    points = ax.transData.transform(drawn) * to_points
    taken = [box(point, 5.0, 5.0) for point in points]
    taken += [box(point, 8.0, 8.0) for point in ax.transData.transform(marks) * to_points]
    paper = np.asarray(ax.bbox.get_points()) * to_points
    for text, at in texts(drawn, most):
        width, height = 0.58 * SMALL * len(text) + 1.5, 0.85 * SMALL
        for across, up in DIRECTIONS:
            reach = np.array([across * (4.2 + width / 2), up * (4.2 + height / 2)])
            place = box(points[at] + reach, width, height)
            if within(place, paper) and not any(overlap(place, other) for other in taken):
                taken.append(place)
                ax.annotate(
                    text,
                    drawn[at],
                    xytext=(float(reach[0]), float(reach[1])),
                    textcoords="offset points",
                    ha="center",
                    va="center",
                    fontsize=SMALL,
                    color=INK,
                    path_effects=[withStroke(linewidth=1.6, foreground="white", alpha=0.85)],
                    zorder=8,
                    gid="visit number",
                    annotation_clip=False,
                )
                break


def texts(drawn: Points, most: int) -> Iterator[tuple[str, int]]:
    """Yield what to write and at which row, the most telling first: last, first, then in order."""
    n = len(drawn)
    stride = 1 if n <= most else next(step for step in strides() if n / step <= min(FEW, most))
    shown = sorted({*range(0, n, stride), n - 1}, key=lambda i: (i != n - 1, i))
    _, spots = unique_rows(drawn)
    written: set[int] = set()
    for i in shown:
        if int(spots[i]) in written:
            continue
        written.add(int(spots[i]))
        same = [str(j) for j in sorted(shown) if spots[j] == spots[i]]
        yield ", ".join(same if len(same) <= 3 else [*same[:2], "…", same[-1]]), i


def strides() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50, … without end."""
    decade = 1
    while True:
        yield from (decade, 2 * decade, 5 * decade)
        decade *= 10


def box(centre: Points, width: float, height: float) -> Matrix:
    """Return the lower left and upper right corners."""
    half = np.array([width, height]) / 2
    return np.array([centre - half, centre + half])


def within(one: Matrix, other: Matrix) -> bool:
    """Return whether the first box lies in the second."""
    return bool((one[0] >= other[0]).all() and (one[1] <= other[1]).all())


def overlap(one: Matrix, other: Matrix) -> bool:
    """Return whether two boxes meet."""
    return bool((one[0] < other[1]).all() and (other[0] < one[1]).all())

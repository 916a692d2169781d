"""Labels beside their marks, where they cover neither each other nor anything else."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox, BboxBase

from wayfare.plot.style import INK, SMALL

Place = tuple[float, float]
Side = tuple[int, int]

GAP, CLEAR = 6.0, 5.0
"""Points from the middle of a mark to its label, and to where the label of another may begin."""
SIDES: tuple[Side, ...] = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
"""Where a label may be, as seen from its mark; the first where there is room is taken."""
ALIGN_X = {-1: "right", 0: "center", 1: "left"}
ALIGN_Y = {-1: "top", 0: "center", 1: "bottom"}


def place_labels(
    ax: Axes,
    at: Mapping[str, Place],
    lines: Sequence[tuple[Place, Place]] = (),
    looks: Mapping[str, dict[str, Any]] | None = None,
    sides: Sequence[Side] = SIDES,
) -> None:
    """Put a label beside each mark; those that come first have the better places.

    ``lines`` are upright or level, each from its lower or left end, and are not to be covered either. This
    settles the layout of the figure: call it when all else is drawn.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    to_pixels = ax.transData.transform
    marks = {name: Bbox([to_pixels(place)] * 2).padded(CLEAR * figure.dpi / 72) for name, place in at.items()}
    taken = [Bbox(to_pixels(ends)).padded(1) for ends in lines]
    for name, place in at.items():
        look = {"fontsize": SMALL, "color": INK} | (looks or {}).get(name, {})
        others = [*taken, *(mark for other, mark in marks.items() if other != name)]
        tried: list[tuple[float, int, float, Side, Bbox]] = []
        for far, side in product((1.0, 2.2), sides):
            label = write(ax, name, place, far * GAP, side, look)
            box = label.get_window_extent()
            label.remove()
            tried.append((covered(box, others, ax.bbox), len(tried), far, side, box))
        _, _, far, side, box = min(tried, key=lambda each: each[:2])
        write(ax, name, place, far * GAP, side, look)
        taken.append(box)


def write(ax: Axes, name: str, place: Place, gap: float, side: Side, look: dict[str, Any]) -> Annotation:
    """Write a label on one side of a place."""
    x, y = side
    # Towards a corner the gap counts twice, across and up.
    reach = 0.7 * gap if x and y else gap
    return ax.annotate(
        name, place, xytext=(reach * x, reach * y), textcoords="offset points", ha=ALIGN_X[x], va=ALIGN_Y[y], **look
    )


def covered(box: Bbox, taken: Sequence[Bbox], frame: BboxBase) -> float:
    """Return the area of ``box`` that covers something; what lies outside of the frame counts tenfold."""
    inside = Bbox.intersection(box, frame)
    outside = box.width * box.height - (inside.width * inside.height if inside else 0.0)
    shared = [Bbox.intersection(box, other) for other in taken]
    return float(10 * outside + sum(each.width * each.height for each in shared if each))

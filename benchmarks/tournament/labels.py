"""Labels beside their marks, where they cover neither each other nor anything else."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox, BboxBase

from wayfare.plot.style import INK, SMALL

Place = tuple[float, float]
Side = tuple[int, int]

GAP, FAR = 6.0, (2.2, 4.0)
"""Points from the middle of a mark to its label; how many times that where there is no room so near."""
CLEAR, PAD = 5.0, 2.0
"""Points from the middle of a mark to where the label of another may begin, and those kept free around a label."""
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
    ends: Mapping[str, Sequence[tuple[Place, Side]]] | None = None,
) -> None:
    """Put a label beside each mark; those that come first have the better places.

    This settles the layout of the figure: call it when all else is drawn.

    Args:
        ax: where the marks are.
        at: the marks by the words of their labels.
        lines: upright or level, each from its lower or left end; not to be covered either.
        looks: how a label is written, if not like the others.
        sides: where a label may be, as seen from its mark.
        ends: where else it may be: at the ends of lines that go out from its mark, and on which side of these.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    to_pixels = ax.transData.transform
    marks = {name: Bbox([to_pixels(place)] * 2).padded(CLEAR * figure.dpi / 72) for name, place in at.items()}
    thin = [Bbox(to_pixels(line)).padded(1) for line in lines]
    labels: list[Bbox] = []
    for name, place in at.items():
        look = {"fontsize": SMALL, "color": INK} | (looks or {}).get(name, {})
        others = [*labels, *(mark for other, mark in marks.items() if other != name)]
        places = [(place, side, GAP) for side in sides]
        places += [(end, side, GAP / 2) for end, side in (ends or {}).get(name, ())]
        places += [(place, side, far * GAP) for far in FAR for side in sides]
        tried: list[tuple[float, int, Bbox]] = []
        for number, (spot, side, gap) in enumerate(places):
            label = write(ax, name, spot, gap, side, look)
            box = label.get_window_extent()
            label.remove()
            tried.append((covered(box.padded(PAD * figure.dpi / 72), others, thin, ax.bbox), number, box))
        _, number, box = min(tried, key=lambda each: each[:2])
        spot, side, gap = places[number]
        write(ax, name, spot, gap, side, look)
        labels.append(box)


def write(ax: Axes, name: str, place: Place, gap: float, side: Side, look: dict[str, Any]) -> Annotation:
    """Write a label on one side of a place."""
    x, y = side
    # Towards a corner the gap counts twice, across and up.
    reach = 0.7 * gap if x and y else gap
    return ax.annotate(
        name, place, xytext=(reach * x, reach * y), textcoords="offset points", ha=ALIGN_X[x], va=ALIGN_Y[y], **look
    )


def covered(box: Bbox, others: Sequence[Bbox], thin: Sequence[Bbox], frame: BboxBase) -> float:
    """Return the area of ``box`` that covers something; on other labels, on marks and outside it counts tenfold."""
    inside = Bbox.intersection(box, frame)
    outside = box.width * box.height - (inside.width * inside.height if inside else 0.0)
    solid, lines = (
        sum(each.width * each.height for one in boxes if (each := Bbox.intersection(box, one)))
        for boxes in (others, thin)
    )
    return float(10 * (outside + solid) + lines)

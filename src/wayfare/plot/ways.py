"""The line that a traveller follows, as it is drawn over two axes."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from wayfare.arrays import Points
from wayfare.plot.view import View
from wayfare.space import Choice
from wayfare.travel import TravelCost, way


def drawn_way(view: View, travel: TravelCost, x: Points, drawn: Points, rows: Sequence[int]) -> Points:
    """Return the line through these rows of ``x``, which lie at ``drawn``, with the turns of the way between.

    It breaks off at nan where a row is -1. Over a choice, where visits are spread by their order, and along
    a single axis it is straight.
    """
    straight = np.vstack([drawn, np.full((1, drawn.shape[1]), np.nan)])[list(rows)]
    if len(view.columns) < 2 or any(isinstance(axis, Choice) for axis in view.axes):
        return straight
    pieces = [straight[:1]]
    for at, (here, there) in enumerate(pairwise(rows), 1):
        if here >= 0 and there >= 0:
            pieces.append(view.project(way(travel, x[here], x[there])[1:-1]))
        pieces.append(straight[at : at + 1])
    return np.vstack(pieces)

"""Simpler costs that rank all routes alike: scaled to 1, and freed of climbs."""

import numpy as np

from wayfare._core.arrays import Matrix, Values

ROUNDING = 1e-9
"""With costs of at most 1, a smaller asymmetry is taken for rounding."""

Costs = tuple[Values, Matrix, Values]


def scaled(first: Values, between: Matrix, last: Values | None) -> Costs:
    """Return costs from 0 to 1 that rank all routes alike.

    Every route pays the cheapest first leg and the cheapest last leg, so these are taken off:
    a far start would drown the differences that matter.
    """
    end = np.zeros_like(first) if last is None else last
    first, end = first - first.min(), end - end.min()
    top = max(float(first.max()), float(between.max()), float(end.max()))
    return (first / top, between / top, end / top) if top > 0 else (first, between, end)


def leveled(first: Values, between: Matrix, last: Values) -> Costs | None:
    """Return symmetric costs that rank all routes alike, or None if there are none.

    Often going there and back differs by what each stop's "height" explains: the cost from i to j is
    level(i, j) + height(j) - height(i), as with a hill, a current, or a machine that heats slowly
    and cools fast. Over a route the climbs add up to height(last stop) - height(first stop), so
    they can be charged to the first and last leg, and what is between is symmetric. Symmetric
    costs come back as they are. Takes and returns costs from 0 to about 1.
    """
    height = (between[0] - between[:, 0]) / 2
    climb = height - height[:, None]
    level = between - climb
    if np.abs(level - level.T).max() > ROUNDING:
        return None
    # Neither direction costs less than nothing, so level >= |climb| >= 0 but for rounding.
    return scaled(first - height, np.maximum((level + level.T) / 2, 0.0), last + height)

"""The travel cost as legs turned out: what was told of them fits the stated cost times a scale, plus an offset.

Two numbers are all that a few legs can tell. With them plans and limits follow the costs that are really
paid, while what a study has written down stays by the stated cost.
"""

import math

import numpy as np
from attrs import field, frozen

from wayfare._core.arrays import Matrix, Points, Values
from wayfare._core.format import rough as rounded
from wayfare._core.format import roughly
from wayfare.travel.base import TravelCost, priced
from wayfare.travel.combine import Changed

LEAST_SPREAD = 0.1
"""Legs that differ by less than this share of their mean cannot tell an offset from a scale."""
LEAST_SCALE = 0.01
"""At least this share of the average leg is counted as distance: else no place would be nearer than another."""
ROUNDING_SHARE = 1e-12
"""Offsets and residuals below this share of the dearest leg are rounding."""


@frozen
class LearnedCost(Changed):
    """``scale`` times the stated cost, plus ``offset`` for any move; a metric if the stated cost is.

    Attributes:
        cost: the stated one. A leg that costs nothing by it costs nothing here.
        scale: the factor.
        offset: the amount for any move, in ``unit``.
        legs: from how many legs it was learned.
        sd: how far these legs were off, in ``unit``.
        unit: the unit of the stated cost.
        wary: whether no leg is cheaper than was stated, since it may be booked so.
    """

    cost: TravelCost = field(eq=False, repr=False)
    scale: float
    offset: float
    legs: int
    sd: float
    unit: str
    wary: bool = False

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        costs = priced(self.cost, origins, targets)
        real = np.where(costs > 0, self.scale * costs + self.offset, 0.0)
        return np.maximum(costs, real) if self.wary else real

    def __str__(self) -> str:
        more = f" + {roughly(self.offset, self.unit)}" if self.offset else ""
        factor, off = rounded(self.scale), roughly(self.sd, self.unit)
        return f"legs cost {factor} x what was predicted{more} ({self.legs} legs told, off by {off})"


def fitted_legs(stated: Values, spent: Values) -> tuple[float, float, float]:
    """Return scale, offset and standard deviation: least squares with some scale and no negative offset.

    If the legs are much alike, the scale is what was spent over what was stated, and there is no offset.
    """
    # 1. Divide by the largest, so that no square overflows.
    most, dearest = float(stated.max()), float(spent.max()) or 1.0
    c, s = stated / most, spent / dearest
    # 2. The ratio of the means, or the regression line if the legs differ enough.
    scale, offset, apart = float(s.mean() / c.mean()), 0.0, c - c.mean()
    if c.std() > LEAST_SPREAD * c.mean():
        scale = max(LEAST_SCALE * scale, float((apart * s).sum() / (apart**2).sum()))
        offset = float(s.mean() - scale * c.mean())
        if offset < 0:
            scale, offset = float((c * s).sum() / (c**2).sum()), 0.0
    # 3. The residuals about it, less rounding.
    offset = 0.0 if offset < ROUNDING_SHARE else offset
    left = s - scale * c - offset
    left[np.abs(left) < ROUNDING_SHARE] = 0.0
    sd = math.sqrt(float((left**2).sum()) / (len(c) - 1 - (offset > 0)))
    return scale * (dearest / most), dearest * offset, dearest * sd

"""How far a traveller may still go, so that the way home can always be paid."""

import numpy as np
from attrs import frozen

from wayfare.arrays import Mask, Order, Points, Values
from wayfare.limits import Limits
from wayfare.travel import TravelCost, priced

ROUNDING = 1e-9
"""What a sum of floats may be off by, in proportion to the budget: three legs of 0.1 fit into 0.3."""


@frozen(eq=False)
class Reach:
    """What is left to pay legs, results and the way home with, and where the traveller stands.

    ``left`` is in the unit of the travel cost. Without a ``position`` the first leg is free.
    """

    travel: TravelCost
    position: Values | None
    limits: Limits
    left: float

    @property
    def end(self) -> Values | None:
        """Where home is."""
        return self.limits.end

    @property
    def run_cost(self) -> float:
        """What taking one result costs."""
        return self.limits.run_cost

    def legs(self, x: Points) -> Values:
        """Return what each place costs to get to from here."""
        if self.position is None:
            return np.zeros(len(x))
        return np.asarray(priced(self.travel, self.position[None, :], x)[0])

    def ways_home(self, x: Points) -> Values:
        """Return what the way home costs from each place, not the way there."""
        if self.end is None:
            return np.zeros(len(x))
        return np.asarray(priced(self.travel, x, self.end[None, :])[:, 0])

    def fits(self, x: Points, count: int = 1) -> Mask:
        """Return to which places one may go for ``count`` results and still get home."""
        return np.asarray(self.legs(x) + self.ways_home(x) + count * self.run_cost <= self.left)

    def fit_so_far(self, x: Points, legs: Values, counts: Order) -> int:
        """Return how many stops of a route fit, each with its results and the way home from there."""
        paid = np.cumsum(legs) + self.run_cost * np.cumsum(counts)
        fit = paid + self.ways_home(x) <= self.left
        return len(fit) if fit.all() else int(fit.argmin())

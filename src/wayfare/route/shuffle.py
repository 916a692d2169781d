"""A short route with some of its stops exchanged at random, so that the order says less about the place.

A short route goes from one end of the space to the other, so whatever changes with time (a drift, a sensor
that ages) looks like a difference between places. Chance takes that away, for the price of a longer way.
"""

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Order, Values
from wayfare.route.base import RoutePlanner


def _as_planner(planner: RoutePlanner) -> RoutePlanner:
    checks.part(planner, "planner", "order")
    return planner


def _as_share(share: object) -> float:
    return checks.share(share, "share, of the stops to exchange,")


@frozen
class Shuffled:
    """The order of ``planner``, in which about ``share`` of the stops change places among themselves.

    Each stop is among them with that chance. A share of 1 makes every order equally likely; with 0 it is
    the planner's own and nothing is drawn.
    """

    planner: RoutePlanner = field(converter=_as_planner)
    share: float = field(converter=_as_share)

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return the stops in the planner's order, some of them exchanged."""
        # Drawn after the planner has drawn, so it finds the route that it would find alone.
        return self.exchanged(np.array(self.planner.order(first, between, last, rng), dtype=np.intp), rng)

    def exchanged(self, order: Order, rng: Generator) -> Order:
        """Return an order with some of its stops exchanged."""
        if self.share == 0:
            return order
        exchanged = order.copy()
        chosen = np.flatnonzero(rng.random(len(order)) < self.share)
        exchanged[chosen] = order[rng.permutation(chosen)]
        return exchanged

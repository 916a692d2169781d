"""The route planner protocol, and the cost of an order of stops."""

from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np
from numpy.random import Generator

from wayfare._core.arrays import Matrix, Order, Values
from wayfare.errors import InvalidInput
from wayfare.travel.embedding import Embedding


class RoutePlanner(Protocol):
    """Puts stops in visiting order.

    It sees costs and no places, so it works as well for rooms, roads and reactors. Every stop comes exactly once, and
    the same costs and ``rng`` give the same order. A planner that deliberately leaves part of the order to chance is
    ``Randomised`` as well, so that a study can compare its route with the one it started from.
    """

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return the stops in visiting order.

        Args:
            first: cost of reaching each stop from where the traveller stands; zeros if that is free.
            between: cost from each stop (row) to each other (column); need not be symmetric.
            last: cost from each stop to the fixed end, or None to end anywhere.
            rng: the only source of chance.
        """


class Randomised(RoutePlanner, Protocol):
    """A planner that takes the order of another one and then exchanges some stops at random."""

    @property
    def planner(self) -> RoutePlanner:
        """The planner of the order it starts from."""

    def exchanged(self, order: Order, rng: Generator) -> Order:
        """Return that order with some of its stops exchanged."""


class PointPlanner(RoutePlanner, Protocol):
    """A planner that can do without a table of all costs where they are distances: for thousands of stops."""

    def order_points(self, first: Values, points: Embedding, last: Values | None, rng: Generator) -> Order:
        """Return the stops in visiting order.

        Args:
            first: cost of reaching each stop from where the traveller stands; zeros if that is free.
            points: the stops, as points whose distances are the costs between them.
            last: cost from each stop to the fixed end, or None to end anywhere.
            rng: the only source of chance.
        """


def orders_points(planner: RoutePlanner) -> PointPlanner | None:
    """Return the planner if it needs no table of all costs, else None."""
    return cast(PointPlanner, planner) if hasattr(planner, "order_points") else None


def randomised(planner: RoutePlanner) -> Randomised | None:
    """Return the planner if it leaves part of the order to chance, else None."""
    return cast(Randomised, planner) if hasattr(planner, "exchanged") else None


def path_cost(order: Sequence[int] | Order, first: Values, between: Matrix, last: Values | None = None) -> float:
    """Return the cost of visiting the stops in this order, in the unit of the costs given.

    Args:
        order: the stops, each once.
        first: cost of reaching each stop from the start.
        between: cost from each stop (row) to each other (column).
        last: cost from each stop to the fixed end; None if the route ends at its last stop.
    """
    at = np.asarray(order, dtype=np.intp)
    if at.size == 0:
        return 0.0
    end = 0.0 if last is None else float(last[at[-1]])
    return float(first[at[0]]) + float(between[at[:-1], at[1:]].sum()) + end


def check_costs(first: Values, between: Matrix, last: Values | None) -> int:
    """Return the number of stops, having refused costs that do not fit together."""
    n = len(first)
    if between.shape != (n, n):
        raise InvalidInput(f"costs between {n} stops must have shape ({n}, {n}), got {between.shape}")
    if last is not None and last.shape != (n,):
        raise InvalidInput(f"costs of the last leg must have shape ({n},), got {last.shape}")
    for name, costs in (("first", first), ("between", between), ("last", last)):
        # A nan anywhere makes both extremes nan, so two passes without a mask find every invalid cost.
        if costs is not None and costs.size and not (np.isfinite(costs.max()) and costs.min() >= 0):
            raise InvalidInput(f"travel costs must be finite and >= 0, '{name}' is not")
    return n

"""A first route, for the search to improve."""

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare.arrays import Matrix, Order, Values
from wayfare.route.base import check_costs


@frozen
class NearestNext:
    """Always on to the stop that costs least: quick, and mostly 5 to 35% too long."""

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return the stops as a traveller would take them who never looks ahead."""
        check_costs(first, between, last)
        return nearest_next(first, between)


def nearest_next(first: Values, between: Matrix) -> Order:
    """Return the route that always goes on to the stop that costs least, the earliest if several do."""
    n = len(first)
    order = np.empty(n, dtype=np.intp)
    left = np.ones(n, dtype=bool)
    costs = first
    for k in range(n):
        order[k] = np.where(left, costs, np.inf).argmin()
        left[order[k]] = False
        costs = between[order[k]]
    return order

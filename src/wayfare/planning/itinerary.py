"""A route as it is to be walked: how many results at each stop, and where to go home in between."""

from typing import Self

import numpy as np
from attrs import evolve, field, frozen

from wayfare._core.arrays import Mask, Order, Points, Values, no_points
from wayfare.policy import Runs
from wayfare.route import Route


@frozen(eq=False)
class Way:
    """A route, how many results to take at each stop, and before which stops to go home first.

    The route's ``order`` says when each stop was chosen: stops put in ``between``, where a leg would be too
    long, count as chosen with the one they lead to. Its legs are those really walked, home included.
    """

    route: Route
    counts: Order
    homes: Mask = field()
    between: Mask = field()

    @homes.default
    @between.default
    def _nowhere(self) -> Mask:
        return np.zeros(len(self.route), dtype=np.bool_)

    @classmethod
    def of(cls, route: Route, batch: Runs) -> Self:
        """Return a batch's route, straight from stop to stop."""
        return cls(route, batch.counts[route.order])

    @classmethod
    def nowhere(cls, unit: str, d: int) -> Self:
        """Return a way of no stops."""
        none = np.empty(0, dtype=np.intp)
        return cls(Route(no_points(d), none, np.empty(0), unit=unit), none)

    def __len__(self) -> int:
        """How many stops it has."""
        return len(self.route)

    def first(self, n: int) -> Self:
        """Return its first ``n`` stops."""
        route = self.route
        kept = evolve(route, places=route.places[:n], order=ranks(route.order[:n]), legs=route.legs[:n])
        return type(self)(kept, self.counts[:n], self.homes[:n], self.between[:n])

    def within(self, results: int) -> Self:
        """Return as many of its first stops as that many results are taken at; of the last, maybe fewer."""
        before = np.cumsum(self.counts) - self.counts
        n = int((before < results).sum())
        if n == len(self) and int(self.counts.sum()) <= results:
            return self
        cut = self.first(n)
        return evolve(cut, counts=np.minimum(cut.counts, results - before[:n]))

    def along(self, places: Points, order: Order, legs: Values, counts: Order, homes: Mask | None = None) -> Self:
        """Return the way through other stops, which were chosen in this order."""
        route = Route(places, ranks(order), legs, unit=self.route.unit)
        return type(self)(route, counts) if homes is None else type(self)(route, counts, homes)


def ranks(order: Order) -> Order:
    """Return the numbers 0, 1, ... in the same order; what is equal, in that of its stops."""
    rank = np.empty(len(order), dtype=np.intp)
    rank[np.argsort(order, kind="stable")] = np.arange(len(order))
    return rank

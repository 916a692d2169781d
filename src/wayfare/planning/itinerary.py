"""``Itinerary``: a route as it will be walked, from the planner to the store and to the preview.

A ``Route`` says in which order places are visited. An itinerary adds what the traveller must know at every stop: how
many results to take there, whether to go home first, and whether the stop was chosen or only put in on the way.
"""

from typing import Self

import numpy as np
from attrs import evolve, field, frozen

from wayfare._core.arrays import Mask, Order, Points, Values, no_points
from wayfare.policy import Runs
from wayfare.route import Route


@frozen(eq=False)
class Itinerary:
    """Stops in visiting order.

    Attributes:
        places: (n, d) rows of the space.
        picked: rank of each stop in the order the policy chose them; a stop in ``between`` counts with the one it
            leads to.
        legs: cost of reaching each stop, a visit home on the way included, in ``unit``.
        counts: number of results to take at each stop.
        unit: unit of the travel cost.
        homes: the stops before which the traveller goes home.
        between: the stops put in because a leg would have been longer than ``max_step``.
    """

    places: Points
    picked: Order
    legs: Values
    counts: Order
    unit: str = ""
    homes: Mask = field()
    between: Mask = field()

    @homes.default
    @between.default
    def _nowhere(self) -> Mask:
        return np.zeros(len(self.places), dtype=np.bool_)

    @classmethod
    def of(cls, route: Route, batch: Runs) -> Self:
        """Return a batch in the order of its route, straight from stop to stop."""
        return cls(route.places, route.order, route.legs, batch.counts[route.order], route.unit)

    @classmethod
    def to(cls, place: Values, count: int) -> Self:
        """Return a single stop at ``place`` for ``count`` results."""
        return cls(place[None, :], np.zeros(1, dtype=np.intp), np.zeros(1), np.array([count]))

    @classmethod
    def empty(cls, unit: str, d: int) -> Self:
        """Return an itinerary without stops."""
        none = np.empty(0, dtype=np.intp)
        return cls(no_points(d), none, np.empty(0), none, unit)

    def __len__(self) -> int:
        """Return the number of stops."""
        return len(self.places)

    @property
    def cost(self) -> float:
        """Sum of the legs."""
        return float(self.legs.sum())

    def first(self, n: int) -> Self:
        """Return the first ``n`` stops."""
        columns = {name: getattr(self, name)[:n] for name in ("places", "legs", "counts", "homes", "between")}
        return evolve(self, picked=_ranks(self.picked[:n]), **columns)

    def for_results(self, results: int) -> Self:
        """Return the first stops, as many as ``results`` are taken at; of the last stop perhaps only some."""
        before = np.cumsum(self.counts) - self.counts
        n = int((before < results).sum())
        if n == len(self) and int(self.counts.sum()) <= results:
            return self
        cut = self.first(n)
        return evolve(cut, counts=np.minimum(cut.counts, results - before[:n]))

    def from_home(self, cost: float) -> Self:
        """Return the same with a visit home before the first stop, which costs so much on top of the leg from there."""
        first = np.arange(len(self)) == 0
        return evolve(self, homes=self.homes | first, legs=self.legs + cost * first)

    def through(self, places: Points, picked: Order, legs: Values, counts: Order) -> Self:
        """Return an itinerary through other stops, straight from stop to stop.

        Args:
            places: (n, d) rows of the space.
            picked: when each was chosen; ranked, equal ones in the order of the stops.
            legs: cost of reaching each, in ``unit``.
            counts: number of results to take at each.
        """
        return type(self)(places, _ranks(picked), legs, counts, self.unit)


def _ranks(numbers: Order) -> Order:
    """Return the ranks 0, 1, ... of the numbers; equal ones in the order they come."""
    rank = np.empty(len(numbers), dtype=np.intp)
    rank[np.argsort(numbers, kind="stable")] = np.arange(len(numbers))
    return rank

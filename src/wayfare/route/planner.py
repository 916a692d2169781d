"""The planners: the shortest route that a few milliseconds can find, and the order as it came."""

import numpy as np
from attrs import field, frozen
from attrs.validators import ge
from numpy.random import Generator

from wayfare.arrays import Matrix, Order, Values
from wayfare.route.base import check_costs
from wayfare.route.construct import nearest_next
from wayfare.route.exact import HeldKarp
from wayfare.route.refine import refined


@frozen
class ShortRoute:
    """The best route up to ``exact_to`` stops, and a very good one beyond.

    Beyond, it kicks and improves the route ``kicks`` times per stop. With the default of 2 that is
    within 1% of the best known on average, in about 4 ms for 15 stops, 0.1 s for 100, 1 s for 500
    and 5 s for 2000 (benchmarks/routes.md). Costs that depend on the direction beyond a climb take
    twice as long, for 1 to 2%; if they are random both ways, for some 10%: there raise ``kicks``.
    """

    exact_to: int = field(default=10, validator=ge(1))
    kicks: int = field(default=2, validator=ge(0))

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return the stops in the best order found."""
        n = check_costs(first, between, last)
        if n <= self.exact_to:
            return HeldKarp(limit=n).order(first, between, last, rng)
        return refined(nearest_next(first, between), first, between, last, self.kicks * n, rng)


@frozen
class AsGiven:
    """The order the policy chose the stops in, for methods that do not mind the way."""

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return 0, 1, 2, ..."""
        return np.arange(check_costs(first, between, last))

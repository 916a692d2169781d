"""Covers by balls, taken greedily: how many places it takes until all others lie within a radius."""

from collections.abc import Callable

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core.arrays import Matrix, Order, Points, Values, read_only
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.travel import TravelCost, priced

Row = Callable[[int], Values]
"""What it costs between one place and every place, the dearer of both ways."""

NOTHING = 1e-12
"""Places as near as this share of the largest cost are one place."""
PRICED_ONCE = 2048
"""Up to so many places of a table all costs are kept."""


def farthest_first(row: Row, k: int, first: int) -> tuple[Order, Values]:
    """Return up to ``k`` centres, each the place farthest from those before, and the radius after each.

    Balls of ``radii[i]`` around the first i + 1 centres cover all places, and no two of these centres are
    nearer than that (Gonzalez, 1985). Ends early where nothing is left to cover.
    """
    order, radii = np.empty(k, dtype=np.intp), np.empty(k)
    reach, newest = row(first), first
    for i in range(k):
        order[i] = newest
        newest = int(reach.argmax())
        radii[i] = reach[newest]
        if radii[i] <= NOTHING * radii[0]:
            return order[: i + 1], radii[: i + 1]
        if i + 1 < k:
            reach = np.minimum(reach, row(newest))
    return order, radii


@frozen(eq=False)
class Ground:
    """The places to cover: the rows of ``table``, or without one those of ``space``, drawn anew each time."""

    space: AnySpace
    cost: TravelCost
    table: Points | None = None
    costs: Matrix | None = None

    @classmethod
    def of(cls, space: AnySpace, cost: TravelCost, most: int) -> "Ground":
        """Return the ground of a space under a bound cost, as a table if it has at most ``most`` places.

        Places that are 0 apart both ways are one place, so a table may have fewer rows than the space.
        """
        everything = None if space.size is None else space.everything(most)
        if everything is None:
            return cls(space, cost)
        return cls(space, cost).narrowed(everything)

    def narrowed(self, x: Points) -> "Ground":
        """Return the ground of those places of ``x`` that are not 0 apart."""
        if not len(x):
            raise InvalidInput("there are no places left to cover; use Places with once=False")
        order, _ = farthest_first(self.row_over(x), len(x), 0)
        rows = np.sort(order)
        table = read_only(x[rows])
        return Ground(self.space, self.cost, table, self._priced(table) if len(rows) <= PRICED_ONCE else None)

    def draw(self, n: int, rng: Generator) -> tuple[Points, Row]:
        """Return ``n`` places, or all that there are, and what lies between them."""
        if self.table is None:
            x = self.space.sample(n, rng)
            return x, self.row_over(x)
        n = min(n, len(self.table))
        at = rng.choice(len(self.table), size=n, replace=False)
        x = self.table[at]
        if self.costs is None:
            return x, self.row_over(x)
        return x, self.costs[np.ix_(at, at)].__getitem__

    def row_over(self, x: Points) -> Row:
        """Return what prices one of the places against all of them."""

        def row(i: int) -> Values:
            there: Values = priced(self.cost, x[i : i + 1], x)[0]
            if self.cost.is_metric:
                return there
            return np.asarray(np.maximum(there, priced(self.cost, x, x[i : i + 1])[:, 0]))

        return row

    def _priced(self, x: Points) -> Matrix:
        there = priced(self.cost, x, x)
        return np.maximum(there, there.T)

"""Rough costs: good enough to choose an order by where exact ones take long, and never paid."""

from collections.abc import Callable
from typing import Self

from attrs import evolve, frozen

from wayfare.arrays import Matrix, Points
from wayfare.space.base import AnySpace
from wayfare.travel.base import Cost, TravelCost


def rough(cost: TravelCost, stops: int) -> TravelCost | None:
    """Return a quick stand-in for ``cost`` to order so many stops by; None where the cost itself will do.

    A cost has one if it has a method ``rough(stops)`` that returns it. It must depend on the cost and the
    number of stops alone, so that a plan is the same after a restart.
    """
    stand_in = getattr(cost, "rough", None)
    found: TravelCost | None = None if stand_in is None else stand_in(stops)
    return found


@frozen
class Rough(Cost):
    """``cost`` as ``costs`` guesses it."""

    cost: TravelCost
    costs: Callable[[Points, Points], Matrix]

    @property
    def is_metric(self) -> bool:
        """False: a guess promises nothing."""
        return False

    @property
    def unit(self) -> str:
        """The unit of the cost."""
        return self.cost.unit

    def bind(self, space: AnySpace) -> Self:
        """Return the same: it was made of a cost that is bound."""
        return evolve(self)

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) guesses."""
        return self.costs(origins, targets)

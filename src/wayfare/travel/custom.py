"""``Custom``: the user's own function as a travel cost."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from attrs import evolve, field, frozen

from wayfare._core.arrays import Matrix, Points
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.travel.base import as_unit, checked, named
from wayfare.travel.combine import Cost


@frozen
class Custom(Cost):
    """The cost that ``function(origin, target)`` returns for each pair of places.

    Attributes:
        function: takes two places as 1-D arrays in the user's units, and returns a number.
        vectorized: call it once instead, with (n, d) origins and (m, d) targets; it returns (n, m) costs.
        named: call it with dicts by axis name instead of arrays.
        metric: declare that it is symmetric and that no detour is cheaper; ``check(space)`` helps to find out.
        unit: the unit of the number that it returns.
        space: the space that the names come from, once bound.
    """

    function: Callable[..., Any]
    vectorized: bool = field(default=False, kw_only=True)
    named: bool = field(default=False, kw_only=True)
    metric: bool = field(default=False, kw_only=True)
    unit: str = field(default="", converter=as_unit, kw_only=True)
    space: AnySpace | None = field(default=None, kw_only=True, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidInput(f"function of a Custom cost must be callable, got {self.function!r}")
        if self.vectorized and self.named:
            raise InvalidInput("a Custom cost is vectorized or named, not both; named takes a pair at a time")

    @property
    def is_metric(self) -> bool:
        """Whether the user declared it to be."""
        return self.metric

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost, with the names of ``space``."""
        return evolve(self, space=space)

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs; refuse what is not a number, not finite or negative."""
        return checked(self, self.function if self.vectorized else self._pairs, origins, targets)

    def _pairs(self, origins: Points, targets: Points) -> object:
        starts, ends = self._as_taken(origins), self._as_taken(targets)
        rows = [[self._number(self.function(start, end)) for end in ends] for start in starts]
        return rows or np.empty((0, len(targets)))

    def _as_taken(self, x: Points) -> Any:
        """Return the places as the function takes them: arrays, or dicts."""
        if not self.named:
            return x
        if self.space is None:
            raise InvalidInput("a Custom cost with named=True has no names yet; call cost.bind(space) first")
        return [self.space.params(row) for row in x]

    def _number(self, cost: Any) -> object:
        if np.ndim(cost):
            raise InvalidInput(f"{named(self)} must return one number per pair, got {cost!r}")
        return cost

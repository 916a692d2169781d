"""Travel costs put together: one after another, at the same time, or scaled."""

from functools import reduce
from typing import Self

import numpy as np
from attrs import evolve, field, frozen

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points, Values
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.travel.base import Cost, TravelCost, as_unit, only_way, rough


def serial(*costs: TravelCost) -> TravelCost:
    """Return the sum of the costs: moves made one after another. The same as ``a + b``."""
    return _joined(Serial, costs)


def parallel(*costs: TravelCost) -> TravelCost:
    """Return the largest of the costs: moves made at the same time."""
    return _joined(Parallel, costs)


def _joined(kind: "type[Serial | Parallel]", costs: tuple[TravelCost, ...]) -> TravelCost:
    if not costs:
        raise InvalidInput(f"{kind.__name__.lower()} needs at least one travel cost")
    parts = [part for cost in costs for part in (cost.parts if isinstance(cost, kind) else (cost,))]
    return kind(tuple(parts)) if len(parts) > 1 else as_cost(parts[0])


def as_cost(cost: TravelCost) -> TravelCost:
    """Return ``cost`` if it is one."""
    if not callable(cost) or not hasattr(cost, "bind") or isinstance(cost, type):
        raise InvalidInput(f"travel: {cost!r} is not a travel cost; wrap a function in Custom, an amount in Fee")
    return cost


def _as_parts(costs: tuple[TravelCost, ...]) -> tuple[TravelCost, ...]:
    parts = tuple(as_cost(cost) for cost in costs)
    units = list(dict.fromkeys(cost.unit for cost in parts if cost.unit))
    if len(units) > 1:
        raise InvalidInput(
            f"costs in {units[0]!r} and {units[1]!r} cannot be joined; use Scaled(cost, factor, unit) on one"
        )
    return parts


@frozen
class _Joined(Cost):
    """Parts in one unit."""

    parts: tuple[TravelCost, ...] = field(converter=_as_parts)

    @property
    def unit(self) -> str:
        """The unit of those parts that have one."""
        return next((part.unit for part in self.parts if part.unit), "")

    @property
    def is_metric(self) -> bool:
        """Whether every part is."""
        return all(part.is_metric for part in self.parts)

    def bind(self, space: AnySpace) -> Self:
        """Return the same with every part bound."""
        return evolve(self, parts=tuple(part.bind(space) for part in self.parts))

    def rough(self, stops: int) -> Self | None:
        """Return the same with a stand-in for every part that has one; None if none has."""
        stand_ins = [rough(part, stops) for part in self.parts]
        if all(one is None for one in stand_ins):
            return None
        pairs = zip(self.parts, stand_ins, strict=True)
        return evolve(self, parts=tuple(part if one is None else one for part, one in pairs))

    def way(self, origin: Values, target: Values) -> Points | None:
        """Return the line to follow by the only part that knows one; None where none or several do."""
        return only_way(self.parts, origin, target)


@frozen
class Serial(_Joined):
    """The sum of the parts."""

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        return reduce(np.add, (part(origins, targets) for part in self.parts))


@frozen
class Parallel(_Joined):
    """The largest of the parts."""

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        return reduce(np.maximum, (part(origins, targets) for part in self.parts))


def _as_factor(factor: object) -> float:
    return checks.positive(factor, "the factor of a travel cost")


@frozen
class Scaled(Cost):
    """``cost`` times ``factor``, in its own ``unit``, or in the cost's where none is given."""

    cost: TravelCost = field(converter=as_cost)
    factor: float = field(converter=_as_factor)

    unit: str = field(converter=as_unit)

    @unit.default
    def _unit_of_cost(self) -> str:
        return self.cost.unit

    @property
    def is_metric(self) -> bool:
        """Whether the cost is."""
        return self.cost.is_metric

    def bind(self, space: AnySpace) -> Self:
        """Return the same with the cost bound."""
        return evolve(self, cost=self.cost.bind(space))

    def rough(self, stops: int) -> Self | None:
        """Return the same of the cost's stand-in; None if it has none."""
        stand_in = rough(self.cost, stops)
        return None if stand_in is None else evolve(self, cost=stand_in)

    def way(self, origin: Values, target: Values) -> Points | None:
        """Return the line to follow by the cost; None if it knows none."""
        return only_way((self.cost,), origin, target)

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        return self.cost(origins, targets) * self.factor

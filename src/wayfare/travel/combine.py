"""The arithmetic of travel costs: sums, maxima and multiples of costs are costs, too.

Moves made one after another add up (``Serial``), moves made at the same time take as long as the longest
(``Parallel``), and a factor brings a cost into another unit (``Scaled``).
"""

from collections.abc import Iterator
from functools import reduce
from typing import ClassVar, Self

import numpy as np
from attrs import Factory, evolve, field, frozen

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points, Values
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.travel.base import TravelCost, as_cost, as_unit, obeys_triangle, rough
from wayfare.travel.check import Report, check
from wayfare.travel.embedding import Embedding, embedding
from wayfare.travel.lines import own_way


@frozen
class Cost:
    """The operators of travel costs: ``a + b``, ``2 * a``, ``a / 60`` and ``a.check(space)``.

    Inherit from it to have them; a ``TravelCost`` need not.
    """

    def __add__(self: TravelCost, other: TravelCost) -> TravelCost:
        return serial(self, other)

    def __radd__(self: TravelCost, other: object) -> TravelCost:
        if isinstance(other, int) and other == 0:  # sum() starts from 0
            return self
        raise InvalidInput(f"{other!r} is not a travel cost; use Fee for an amount per move")

    def __mul__(self: TravelCost, factor: float) -> TravelCost:
        return Scaled(self, factor)

    __rmul__ = __mul__

    def __truediv__(self: TravelCost, divisor: float) -> TravelCost:
        return Scaled(self, 1 / checks.positive(divisor, "the divisor of a travel cost"))

    def check(self: TravelCost, space: AnySpace) -> Report:
        """Return the faults of this cost that a sample of the places in ``space`` shows."""
        return check(self, space)


def serial(*costs: TravelCost) -> TravelCost:
    """Return the sum of the costs: moves made one after another. The same as ``a + b``."""
    return _joined(Serial, costs)


def parallel(*costs: TravelCost) -> TravelCost:
    """Return the largest of the costs: moves made at the same time."""
    return _joined(Parallel, costs)


def _joined(kind: "type[Serial | Parallel]", costs: tuple[TravelCost, ...]) -> TravelCost:
    if not costs:
        raise InvalidInput(f"{kind.__name__.lower()} needs at least one travel cost")
    # A sum of sums is one sum: the parts of a like cost are taken over.
    parts = [part for cost in costs for part in (cost.parts if isinstance(cost, kind) else (cost,))]
    return kind(tuple(parts)) if len(parts) > 1 else as_cost(parts[0])


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
    _join: ClassVar[np.ufunc]

    @property
    def unit(self) -> str:
        """The unit of those parts that have one."""
        return next((part.unit for part in self.parts if part.unit), "")

    @property
    def is_metric(self) -> bool:
        """Whether every part is."""
        return all(part.is_metric for part in self.parts)

    @property
    def obeys_triangle(self) -> bool | None:
        """Whether every part does; None if none does not, but some do not say."""
        said = [obeys_triangle(part) for part in self.parts]
        return False if False in said else None if None in said else True

    def bind(self, space: AnySpace) -> Self:
        """Return the same with every part bound."""
        return evolve(self, parts=tuple(part.bind(space) for part in self.parts))

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        return reduce(self._join, (part(origins, targets) for part in self.parts))

    def rough(self, stops: int) -> Self | None:
        """Return the same with an approximation of every part that has one; None if none has."""
        found = [rough(part, stops) for part in self.parts]
        parts = tuple(part if one is None else one for part, one in zip(self.parts, found, strict=True))
        return None if all(one is None for one in found) else evolve(self, parts=parts)

    def way(self, origin: Values, target: Values) -> Points | None:
        """Return the line to follow by the only part that knows one; None if none or several do."""
        lines = [line for part in self.parts if (line := own_way(part, origin, target)) is not None]
        return lines[0] if len(lines) == 1 else None


@frozen
class Serial(_Joined):
    """The sum of the parts."""

    _join = np.add


@frozen
class Parallel(_Joined):
    """The largest of the parts."""

    _join = np.maximum


@frozen
class Changed(Cost):
    """A cost made of another: what that knows of places and lines holds for this, too."""

    cost: TravelCost = field(converter=as_cost)

    @property
    def is_metric(self) -> bool:
        """Whether the other cost is."""
        return self.cost.is_metric

    @property
    def obeys_triangle(self) -> bool | None:
        """Whether the other cost does; None if it does not say."""
        return obeys_triangle(self.cost)

    def bind(self, space: AnySpace) -> Self:
        """Return the same with the other cost bound."""
        return evolve(self, cost=self.cost.bind(space))

    def rough(self, stops: int) -> Self | None:
        """Return the same of the other cost's approximation; None if it has none."""
        found = rough(self.cost, stops)
        return None if found is None else evolve(self, cost=found)

    def way(self, origin: Values, target: Values) -> Points | None:
        """Return the line to follow by the other cost; None if it knows none."""
        return own_way(self.cost, origin, target)


def _as_factor(factor: object) -> float:
    return checks.positive(factor, "the factor of a travel cost")


@frozen
class Scaled(Changed):
    """A cost times a factor.

    Attributes:
        cost: the cost to scale.
        factor: above 0.
        unit: the unit of the product; by default that of ``cost``.
    """

    factor: float = field(converter=_as_factor)
    unit: str = field(default=Factory(lambda scaled: scaled.cost.unit, takes_self=True), converter=as_unit)

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        return self.cost(origins, targets) * self.factor

    def embedding(self, places: Points) -> Embedding | None:
        """Return the other cost's points, further apart; None if it knows none."""
        found = embedding(self.cost, places)
        return None if found is None else found * self.factor


def leaves(travel: TravelCost) -> Iterator[TravelCost]:
    """Yield the elementary costs of a travel cost: of a sum, its parts, and of a multiple, the cost it multiplies."""
    inner = getattr(travel, "parts", getattr(travel, "cost", ()))
    parts = inner if isinstance(inner, tuple) else (inner,)
    yield from (leaf for part in parts for leaf in leaves(part)) if parts else (travel,)

"""What every travel cost promises, and the arithmetic they share."""

from typing import TYPE_CHECKING, Protocol

from attrs import frozen

from wayfare import door
from wayfare.arrays import Matrix, Points
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace

if TYPE_CHECKING:
    from wayfare.travel.check import Report


class TravelCost(Protocol):
    """What it costs to go from one place to another, in the user's units.

    Never negative, zero at home; it need not be symmetric nor obey the triangle inequality.
    """

    @property
    def is_metric(self) -> bool:
        """Whether it is symmetric and no detour is cheaper; different places may be 0 apart."""
        ...

    @property
    def unit(self) -> str:
        """What is paid: "m", "s", "€"; empty where nobody said."""
        ...

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs from each origin to each target."""
        ...

    def bind(self, space: AnySpace) -> "TravelCost":
        """Return the same cost with its axes looked up in ``space``, or refuse them."""
        ...


@frozen
class Cost:
    """The arithmetic of travel costs: ``a + b``, ``2 * a``, ``a / 60`` and ``a.check(space)``.

    Inherit from it to have them; a ``TravelCost`` need not.
    """

    def __add__(self: TravelCost, other: TravelCost) -> TravelCost:
        from wayfare.travel.combine import serial

        return serial(self, other)

    def __radd__(self: TravelCost, other: object) -> TravelCost:
        if isinstance(other, int) and other == 0:  # sum() starts from 0
            return self
        raise InvalidInput(f"{other!r} is not a travel cost; use Fee for an amount per move")

    def __mul__(self: TravelCost, factor: float) -> TravelCost:
        from wayfare.travel.combine import Scaled

        return Scaled(self, factor)

    __rmul__ = __mul__

    def __truediv__(self: TravelCost, divisor: float) -> TravelCost:
        from wayfare.travel.combine import Scaled

        return Scaled(self, 1 / door.positive(divisor, "the divisor of a travel cost"))

    def check(self: TravelCost, space: AnySpace) -> "Report":
        """Return what a sample of the places in ``space`` says about this cost."""
        from wayfare.travel.check import check

        return check(self, space)


def as_unit(unit: object) -> str:
    """Return ``unit`` if it is text; empty means that nobody said."""
    if not isinstance(unit, str):
        raise InvalidInput(f"the unit of a travel cost must be text, got {unit!r}")
    return unit

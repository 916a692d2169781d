"""The protocol of travel costs, and what every cost and every caller of one shares.

A cost may be the user's own code. So plans never call it directly: they call ``priced``, which refuses
whatever cannot be paid before a plan relies on it.
"""

import math
from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points, Values
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace

LARGEST_COST = 1e300
"""Beyond this, the sum of many legs is no float any more."""


class TravelCost(Protocol):
    """The cost of moving from one place to another; places are in the user's units.

    Never negative, and zero from a place to itself. It need not be symmetric, nor obey the triangle
    inequality. A cost may also have a method ``rough(stops)``, a method ``embedding(places)``, a method
    ``way(origin, target)`` and, if it is no metric, an attribute ``obeys_triangle``: see the functions of these names.
    """

    @property
    def is_metric(self) -> bool:
        """Whether it is symmetric and no detour is cheaper; different places may be 0 apart."""

    @property
    def unit(self) -> str:
        """The unit of the costs: "m", "s", "€"; empty if unknown."""

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs from each origin to each target."""

    def bind(self, space: AnySpace) -> "TravelCost":
        """Return the same cost with its axes looked up in ``space``, or refuse them."""


def as_cost(cost: TravelCost) -> TravelCost:
    """Return ``cost`` if it is one."""
    if not callable(cost) or not hasattr(cost, "bind") or isinstance(cost, type):
        raise InvalidInput(f"travel: {cost!r} is not a travel cost; wrap a function in Custom, an amount in Fee")
    return cost


def obeys_triangle(cost: TravelCost) -> bool | None:
    """Return whether no detour is cheaper, by the cost's own account; None if it does not say."""
    if cost.is_metric:
        return True
    found: bool | None = getattr(cost, "obeys_triangle", None)
    return found


def as_unit(unit: object) -> str:
    """Return ``unit`` if it is text; empty means unknown."""
    if not isinstance(unit, str):
        raise InvalidInput(f"the unit of a travel cost must be text, got {unit!r}")
    return unit


class MissingCost(InvalidInput):
    """A cost of which only the name is known."""


class BadCost(InvalidInput):
    """An amount between two places that cannot be paid: negative, infinite or nan."""

    def __init__(self, cost: object, origin: Values, target: Values, amount: float) -> None:
        large = LARGEST_COST < amount < math.inf
        must = "at most 1e300; change its unit" if large else "finite and not negative"
        super().__init__(
            f"{named(cost)} asks {amount:g} from {origin.tolist()} to {target.tolist()}; a cost must be {must}"
        )
        self.origin, self.target, self.amount = origin, target, amount


def priced(cost: TravelCost, origins: Points, targets: Points) -> Matrix:
    """Return the (n, m) costs in the unit of ``cost``, finite and not negative, or raise ``InvalidInput``.

    Args:
        cost: bound to the space of the places.
        origins: (n, d) places, in the user's units.
        targets: (m, d) places, in the user's units.
    """
    return checked(cost, cost, origins, targets)


def checked(
    cost: object, function: Callable[[Points, Points], object], origins: Points, targets: Points, payable: bool = True
) -> Matrix:
    """Return ``function(origins, targets)`` as (n, m) floats, or refuse it in the name of ``cost``.

    If ``payable``, amounts that are negative or not finite are refused, too.
    """
    # Plans call this thousands of times: on the good path it calls nothing but the function and NumPy.
    try:
        found = function(origins, targets)
    except InvalidInput:
        raise
    except Exception as error:  # the user's own code may raise anything
        raise InvalidInput(f"{named(cost)} raised {type(error).__name__}: {error}") from error
    try:
        costs: Matrix = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{named(cost)} returned {found!r}; it must return numbers") from error
    if costs.shape != (shape := (len(origins), len(targets))):
        raise InvalidInput(
            f"{named(cost)} returned shape {costs.shape}, not {shape}: a row per origin, a column per target"
        )
    # nan fails both comparisons, and two passes are cheaper than a mask.
    if payable and costs.size and not (costs.min() >= 0 and costs.max() <= LARGEST_COST):
        row, column = np.argwhere(~((costs >= 0) & (costs <= LARGEST_COST)))[0]
        raise BadCost(cost, origins[row], targets[column], float(costs[row, column]))
    return costs


def named(cost: object) -> str:
    """Return the name of a cost for a message: its class, or the function it wraps."""
    function = getattr(cost, "function", cost)
    return f"the travel cost {getattr(function, '__name__', type(function).__name__)}"


# Axes: named by the user, turned into columns when the cost is bound to a space.


AxisName: TypeAlias = str | int
"""An axis by its name, or by its column."""
_Axis = TypeVar("_Axis", int, AxisName)


def as_axis(axis: object, what: str = "the axis of a travel cost") -> AxisName:
    """Return ``axis`` if it is a name or a column number."""
    if isinstance(axis, str):
        return checks.name(axis, what)
    column = checks.whole(axis, what)
    if column < 0:
        raise InvalidInput(f"{what} must be a name or a column from 0 on, got {axis!r}")
    return column


def as_axes(axes: object) -> tuple[AxisName, ...] | None:
    """Return ``axes`` as a tuple of different axes; None means all of them."""
    if axes is None:
        return None
    what = "axes of a travel cost"
    listed = axes if isinstance(axes, Iterable) and not isinstance(axes, str) else [axes]
    names = tuple(as_axis(axis, what) for axis in listed)
    if not names:
        raise InvalidInput(f"{what} must name at least one, got {axes!r}; leave them out for all")
    return _different(names, what)


def numeric_columns(axes: tuple[AxisName, ...] | None, space: AnySpace, what: str) -> tuple[int, ...]:
    """Return the columns of ``axes``, refusing choices; None takes every axis that holds numbers."""
    if axes is None:
        columns = tuple(column for column, values in enumerate(space.choices) if values is None)
        if not columns:
            raise InvalidInput(f"{what} needs axes of numbers, but {space.names} are all choices; use Switch")
        return columns
    columns = tuple(space.column(axis) for axis in axes)
    for column in columns:
        if space.choices[column] is not None:
            raise InvalidInput(f"{what} cannot measure the choice {space.names[column]!r}; use Switch for it")
    return _different(columns, what)


def _different(axes: tuple[_Axis, ...], what: str) -> tuple[_Axis, ...]:
    if len(set(axes)) < len(axes):
        raise InvalidInput(f"{what} must each be named once, got {axes!r}")
    return axes


def columns_of(axes: tuple[AxisName, ...]) -> list[int]:
    """Return bound axes as columns, refusing those that are still names."""
    for axis in axes:
        if isinstance(axis, str):
            raise InvalidInput(f"the column of axis {axis!r} is not known yet; call cost.bind(space) first")
    return list(axes)  # type: ignore[arg-type]  # no names among them


def place_in_words(place: Values, axes: tuple[AxisName, ...], names: tuple[str, ...]) -> str:
    """Return a place as text for a message: its values on ``axes``; all of its values if ``names`` is empty."""
    if not names:
        return str(place.tolist())
    return f"({', '.join(f'{names[at]}={place[at]:.10g}' for at in columns_of(axes))})"


def rough(cost: TravelCost, stops: int) -> TravelCost | None:
    """Return a quick approximation of ``cost`` to order ``stops`` stops by; None if the cost itself is quick.

    A cost has one if its method ``rough(stops)`` returns it. It is never paid, and must depend on the cost and
    the number of stops alone, so that a plan is the same after a restart.
    """
    method = getattr(cost, "rough", None)
    found: TravelCost | None = None if method is None else method(stops)
    return found

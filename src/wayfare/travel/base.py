"""What every travel cost promises, and the arithmetic they share."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points, Values
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

        return Scaled(self, 1 / checks.positive(divisor, "the divisor of a travel cost"))

    def check(self: TravelCost, space: AnySpace) -> "Report":
        """Return what a sample of the places in ``space`` says about this cost."""
        from wayfare.travel.check import check

        return check(self, space)


def as_unit(unit: object) -> str:
    """Return ``unit`` if it is text; empty means that nobody said."""
    if not isinstance(unit, str):
        raise InvalidInput(f"the unit of a travel cost must be text, got {unit!r}")
    return unit


# The axes a travel cost speaks of: by name until bound to a space, by column from then on.


AxisName: TypeAlias = str | int
"""An axis by its name, or by its column."""


def as_axis(axis: object, what: str = "the axis of a travel cost") -> AxisName:
    """Return ``axis`` if it is a name or a column number."""
    if isinstance(axis, str):
        return checks.name(axis, what)
    column = checks.whole(axis, what)
    if column < 0:
        raise InvalidInput(f"{what} must be a name or a column from 0 on, got {axis!r}")
    return column


def as_axes(axes: object, what: str = "axes of a travel cost") -> tuple[AxisName, ...] | None:
    """Return ``axes`` as a tuple of different axes; None means all of them."""
    if axes is None:
        return None
    listed = list(axes) if isinstance(axes, Iterable) and not isinstance(axes, str) else [axes]
    names = tuple(as_axis(axis, what) for axis in listed)
    if not names:
        raise InvalidInput(f"{what} must name at least one, got {axes!r}; leave them out for all")
    _check_different(names, what)
    return names


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
    _check_different(columns, what)
    return columns


def columns_of(axes: tuple[AxisName, ...]) -> list[int]:
    """Return bound axes as columns, refusing those that are still names."""
    for axis in axes:
        if isinstance(axis, str):
            raise InvalidInput(f"the column of axis {axis!r} is not known yet; call cost.bind(space) first")
    return list(axes)  # type: ignore[arg-type]  # no names among them


def place_in_words(place: Values, axes: tuple[AxisName, ...], names: tuple[str, ...]) -> str:
    """Return what a refusal calls a place: its values on ``axes`` by name, or all where no name is known."""
    if not names:
        return str(place.tolist())
    return f"({', '.join(f'{names[at]}={place[at]:.10g}' for at in columns_of(axes))})"


def _check_different(names: tuple[AxisName, ...], what: str) -> None:
    if len(set(names)) < len(names):
        raise InvalidInput(f"{what} must each be named once, got {names!r}")


# Costs as they are paid: whatever a travel cost returns or raises, checked before it is used.


class MissingCost(InvalidInput):
    """A cost that is known by name only."""


class BadCost(InvalidInput):
    """A cost that cannot be paid, between two places."""

    def __init__(self, cost: object, origin: Values, target: Values, amount: float) -> None:
        super().__init__(
            f"{named(cost)} asks {amount:g} from {origin.tolist()} to {target.tolist()}; "
            "a cost must be finite and not negative"
        )
        self.origin, self.target, self.amount = origin, target, amount


def priced(cost: TravelCost, origins: Points, targets: Points) -> Matrix:
    """Return the (n, m) costs, finite and not negative, or refuse them saying what the cost did."""
    try:
        matrix = cost(origins, targets)
    except InvalidInput:
        raise
    except Exception as error:  # the user's own code may raise anything
        raise raised(cost, error) from error
    return payable(cost, shaped(cost, matrix, origins, targets), origins, targets)


def shaped(cost: object, matrix: object, origins: Points, targets: Points) -> Matrix:
    """Return ``matrix`` as (n, m) floats, or refuse it."""
    shape = len(origins), len(targets)
    try:
        costs: Matrix = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{named(cost)} returned {matrix!r}; it must return numbers") from error
    if costs.shape != shape:
        raise InvalidInput(
            f"{named(cost)} returned shape {costs.shape}, not {shape}: a row per origin, a column per target"
        )
    return costs


def payable(cost: object, costs: Matrix, origins: Points, targets: Points) -> Matrix:
    """Return ``costs`` if they are all finite and not negative."""
    # nan fails both comparisons, and two passes are cheaper than a mask.
    if costs.size and not (costs.min() >= 0 and costs.max() < math.inf):
        row, column = np.argwhere(~((costs >= 0) & (costs < math.inf)))[0]
        raise BadCost(cost, origins[row], targets[column], float(costs[row, column]))
    return costs


def raised(cost: object, error: Exception) -> InvalidInput:
    """Return the refusal of a cost that raised ``error``."""
    return InvalidInput(f"{named(cost)} raised {type(error).__name__}: {error}")


def named(cost: object) -> str:
    """Return what to call a cost in a message: its class, or the function it wraps."""
    function = getattr(cost, "function", cost)
    return f"the travel cost {getattr(function, '__name__', type(function).__name__)}"


# Rough costs: good enough to choose an order by where exact ones take long, and never paid.


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


# The way between two places where it is no straight line: the points at which a traveller turns.


ROUNDING = 1e-9
"""The share of a line in a cell that counts as none: it only touches the corner."""


def way(cost: TravelCost, origin: Values, target: Values) -> Points:
    """Return the (k, d) line to follow from one place to another: both ends, and the turns in between.

    The straight line, unless the cost has a method ``way(origin, target)`` that returns another, or None
    where it knows of none.
    """
    own = own_way(cost, origin, target)
    if own is None:
        return np.stack([origin, target])
    found = np.asarray(own, dtype=np.float64)
    if found.ndim != 2 or len(found) < 2 or found.shape[1] != len(origin) or not np.isfinite(found).all():
        raise InvalidInput(
            f"{named(cost)} returned a way of shape {found.shape}; it must be finite rows of {len(origin)} "
            "numbers, from the origin to the target"
        )
    return found


def own_way(cost: TravelCost, origin: Values, target: Values) -> Points | None:
    """Return the way that a cost itself knows; None if it knows none."""
    know = getattr(cost, "way", None)
    found: Points | None = None if know is None else know(origin, target)
    return found


def only_way(costs: Iterable[TravelCost], origin: Values, target: Values) -> Points | None:
    """Return the way of the only cost that knows one; None where none does, or several do."""
    found = [one for cost in costs if (one := own_way(cost, origin, target)) is not None]
    return found[0] if len(found) == 1 else None


def corners(cells: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return those of the (k, 2) cells of a path where its steps change, and both ends."""
    if len(cells) < 3:
        return cells
    steps = np.diff(cells, axis=0)
    kept = np.ones(len(cells), dtype=np.bool_)
    kept[1:-1] = (steps[1:] != steps[:-1]).any(axis=1)
    return cells[kept]


def between(start: Values, middles: Points, end: Values) -> Points:
    """Return the turns from spot to spot over the middles of cells, all in rows and columns.

    A place need not be the middle of its cell. That of the first or last is left out where the line without
    it passes the same cells: a diagonal from beside the middle could cut the corner of another.
    """
    if len(middles) == 1:
        return middles[:0] if crossed(start, end) == crossed(middles[0], middles[0]) else middles
    first, last = crossed(*middles[:2]), crossed(*middles[-2:])
    if crossed(start, middles[1]) == first:
        middles = middles[1:]
    before = middles[-2] if len(middles) > 1 else start
    return middles[:-1] if crossed(before, end) == last else middles


def passing(
    origin: Values, target: Values, walked: Points, columns: list[int], xy: Points, held: Sequence[int]
) -> Points:
    """Return the rows from origin to target that pass these ``xy``, which are the ``columns`` of them.

    ``walked`` has all of the line, both ends included, as long as it is on the ground: other columns change
    evenly along it, and those that are ``held`` at its end.
    """
    steps = np.hypot(*np.diff(walked, axis=0).T)
    share = np.cumsum(steps)[:-1, None] / (steps.sum() or 1.0)
    rows = origin + share * (target - origin)
    rows[:, columns] = xy
    rows[:, list(held)] = origin[list(held)]
    return np.vstack([origin, rows, target])


def crossed(start: Values, end: Values) -> set[tuple[int, int]]:
    """Return the cells that a straight line passes through, not those that it only touches."""
    cuts = [0.0, 1.0]
    for a, b in zip(start.tolist(), end.tolist(), strict=True):
        low, high = min(a, b), max(a, b)
        edges = np.arange(np.ceil(low - 0.5), np.floor(high - 0.5) + 1) + 0.5
        cuts += [] if a == b else ((edges - a) / (b - a)).tolist()
    pieces = [(one, other) for one, other in pairwise(sorted(cuts)) if other - one > ROUNDING]
    shares = np.array([(one + other) / 2 for one, other in pieces])
    cells = np.rint(start + shares[:, None] * (end - start)).astype(int)
    return {(row, column) for row, column in cells.tolist()}

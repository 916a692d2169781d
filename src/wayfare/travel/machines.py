"""What it costs to change the settings of a machine: ramps, switches and fees per move."""

from functools import cached_property
from typing import Self

import numpy as np
from attrs import cmp_using, evolve, field, frozen

from wayfare import door
from wayfare.arrays import Matrix, Points
from wayfare.errors import InvalidInput
from wayfare.space.axes import Scalar
from wayfare.space.base import AnySpace
from wayfare.travel.axes import AxisName, as_axes, as_axis, columns_of, numeric_columns
from wayfare.travel.axioms import is_metric
from wayfare.travel.base import Cost, as_unit
from wayfare.travel.square import read_square


def _as_up(speed: object) -> float:
    return door.number(speed, "up of a Ramp")


def _as_down(speed: object) -> float:
    return door.number(speed, "down of a Ramp")


@frozen
class Ramp(Cost):
    """The time to bring one axis to its new value, rising at speed ``up`` and falling at ``down``.

    Speeds are in units of the axis per unit of cost: degrees per second gives seconds.
    """

    axis: AxisName = field(converter=as_axis)
    up: float = field(converter=_as_up)
    down: float = field(converter=_as_down)
    unit: str = field(default="", converter=as_unit)

    def __attrs_post_init__(self) -> None:
        for name, speed in (("up", self.up), ("down", self.down)):
            door.positive(speed, f"{name} of a Ramp (axis {self.axis!r}), a speed without direction,")

    @property
    def is_metric(self) -> bool:
        """Whether rising and falling are equally fast."""
        return self.up == self.down

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the column of its axis, which must hold numbers."""
        return evolve(self, axis=numeric_columns((self.axis,), space, "Ramp")[0])

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        (column,) = columns_of((self.axis,))
        fall = np.subtract.outer(origins[:, column], targets[:, column])
        return np.abs(fall) / np.where(fall > 0, self.down, self.up)


def _as_fee(fee: object) -> float | Matrix:
    if isinstance(fee, list | tuple | np.ndarray):
        return read_square(fee, "the matrix of a Switch")
    return door.not_negative(fee, "fee of a Switch")


@frozen
class Switch(Cost):
    """A ``fee`` for any change of one axis, or a matrix of fees from each value of a choice to each.

    The matrix is (k, k) in the order of the choice's values, row = from, column = to, with a zero
    diagonal.
    """

    axis: AxisName = field(converter=as_axis)
    fee: float | Matrix = field(converter=_as_fee, eq=cmp_using(eq=np.array_equal), hash=False)
    unit: str = field(default="", converter=as_unit)

    @cached_property
    def is_metric(self) -> bool:
        """True for one fee; for a matrix, whether it is symmetric and no detour is cheaper."""
        return not isinstance(self.fee, np.ndarray) or is_metric(self.fee)

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the column of its axis; a matrix must fit the choice's values."""
        column = space.column(self.axis)
        if isinstance(self.fee, np.ndarray):
            _check_fits(self.fee, space.names[column], space.choices[column])
        return evolve(self, axis=column)

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        (column,) = columns_of((self.axis,))
        start, end = origins[:, column], targets[:, column]
        if isinstance(self.fee, np.ndarray):
            return self.fee[start.astype(np.intp)[:, None], end.astype(np.intp)]
        return np.where(np.not_equal.outer(start, end), self.fee, 0.0)


def _check_fits(fees: Matrix, name: str, values: tuple[Scalar, ...] | None) -> None:
    if values is None:
        raise InvalidInput(f"the matrix of a Switch needs a choice, but {name!r} holds numbers; use one fee")
    k = len(values)
    if len(fees) != k:
        raise InvalidInput(
            f"the matrix of a Switch on {name!r} must be ({k}, {k}), got {fees.shape}: {values}"
        )


def _as_amount(amount: object) -> float:
    return door.not_negative(amount, "amount of a Fee")


@frozen
class Fee(Cost):
    """A fixed ``amount`` for any move that changes one of ``axes`` (any axis, if None)."""

    amount: float = field(converter=_as_amount)
    axes: tuple[AxisName, ...] | None = field(default=None, converter=as_axes)
    unit: str = field(default="", converter=as_unit)

    @property
    def is_metric(self) -> bool:
        """True: the fee is the same for every move."""
        return True

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the columns of its axes, choices included."""
        return evolve(self, axes=None if self.axes is None else [space.column(axis) for axis in self.axes])

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        columns = range(origins.shape[1]) if self.axes is None else columns_of(self.axes)
        moved = np.zeros((len(origins), len(targets)), dtype=bool)
        for column in columns:
            moved |= np.not_equal.outer(origins[:, column], targets[:, column])
        return np.where(moved, self.amount, 0.0)

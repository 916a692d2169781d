"""Costs of changing the settings of a machine: ramps, settling times, switches and fees per move.

Each looks at one axis, or at some. ``parallel`` and ``serial`` put them together to the cost of a machine.
"""

from functools import cached_property
from typing import Self

import numpy as np
from attrs import cmp_using, evolve, field, frozen

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.travel.base import AxisName, as_axes, as_axis, as_unit, columns_of, numeric_columns
from wayfare.travel.check import has_detour, is_metric
from wayfare.travel.combine import Cost
from wayfare.travel.table import read_square


def _as_up(speed: object) -> float:
    return checks.number(speed, "up of a Ramp")


def _as_down(speed: object) -> float:
    return checks.number(speed, "down of a Ramp")


@frozen
class Ramp(Cost):
    """The time to bring one axis to its new value, which may rise faster than it falls.

    Attributes:
        axis: the axis, of numbers.
        up: the speed of rising, in units of the axis per unit of cost: degrees per second gives seconds.
        down: the speed of falling, likewise above 0.
        unit: the unit of the cost.
    """

    axis: AxisName = field(converter=as_axis)
    up: float = field(converter=_as_up)
    down: float = field(converter=_as_down)
    unit: str = field(default="", converter=as_unit)
    obeys_triangle = True

    def __attrs_post_init__(self) -> None:
        for name, speed in (("up", self.up), ("down", self.down)):
            checks.positive(speed, f"{name} of a Ramp (axis {self.axis!r}), a speed without direction,")

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


def _as_speed(speed: object) -> float:
    return checks.number(speed, "speed of a Settling")


def _as_threshold(change: object) -> float:
    return checks.number(change, "threshold of a Settling")


def _as_per_fold(cost: object) -> float:
    return checks.not_negative(cost, "per_fold of a Settling")


@frozen
class Settling(Cost):
    """The time until a machine is steady after one axis changed by D: linear at first, then logarithmic.

    It is ``min(D, threshold) / speed``, and beyond the threshold ``per_fold * log(D / threshold)`` more, as
    what is left decays. Mostly this is not a metric: if the logarithm begins steeper than the line ends, many
    small moves are cheaper than one large move, and the convergence guarantee does not apply.

    Attributes:
        axis: the axis, of numbers.
        speed: of the linear part, in units of the axis per unit of cost, as for a ``Ramp``.
        threshold: the change up to which it is linear, in units of the axis.
        per_fold: the cost of every factor e beyond the threshold.
        unit: the unit of the cost.
    """

    axis: AxisName = field(converter=as_axis)
    speed: float = field(converter=_as_speed)
    threshold: float = field(converter=_as_threshold)
    per_fold: float = field(converter=_as_per_fold)
    unit: str = field(default="", converter=as_unit)
    obeys_triangle = False
    """Unless it is a metric."""

    def __attrs_post_init__(self) -> None:
        for name, amount in (("speed", self.speed), ("threshold", self.threshold)):
            checks.positive(amount, f"{name} of a Settling (axis {self.axis!r})")

    @property
    def is_metric(self) -> bool:
        """Whether the logarithm begins no steeper than the line, which makes the whole concave."""
        return self.per_fold / self.threshold <= 1 / self.speed

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the column of its axis, which must hold numbers."""
        return evolve(self, axis=numeric_columns((self.axis,), space, "Settling")[0])

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        (column,) = columns_of((self.axis,))
        change = np.abs(np.subtract.outer(origins[:, column], targets[:, column]))
        folds = np.log(np.maximum(change, self.threshold) / self.threshold)
        return np.minimum(change, self.threshold) / self.speed + self.per_fold * folds


def _as_fee(fee: object) -> float | Matrix:
    if isinstance(fee, list | tuple | np.ndarray):
        return read_square(fee, "the matrix of a Switch")
    return checks.not_negative(fee, "fee of a Switch")


@frozen
class Switch(Cost):
    """A fee for any change of one axis.

    Attributes:
        axis: the axis; a matrix of fees needs a choice.
        fee: one fee, or a (k, k) matrix from each value of the choice (row) to each (column), zero on its diagonal.
        unit: the unit of the fee.
    """

    axis: AxisName = field(converter=as_axis)
    fee: float | Matrix = field(converter=_as_fee, eq=cmp_using(eq=np.array_equal), hash=False)
    unit: str = field(default="", converter=as_unit)

    @cached_property
    def is_metric(self) -> bool:
        """True for one fee; for a matrix, whether it is symmetric and no detour is cheaper."""
        return not isinstance(self.fee, np.ndarray) or is_metric(self.fee)

    @cached_property
    def obeys_triangle(self) -> bool:
        """True for one fee; for a matrix, whether no detour is cheaper."""
        return not isinstance(self.fee, np.ndarray) or not has_detour(self.fee)

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the column of its axis; a matrix must fit the choice's values."""
        column = space.column(self.axis)
        if isinstance(self.fee, np.ndarray):
            name, values, shape = space.names[column], space.choices[column], self.fee.shape
            if values is None:
                raise InvalidInput(f"the matrix of a Switch needs a choice, but {name!r} holds numbers; use one fee")
            if (k := len(values)) != len(self.fee):
                raise InvalidInput(f"the matrix of a Switch on {name!r} must be ({k}, {k}), got {shape}: {values}")
        return evolve(self, axis=column)

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        (column,) = columns_of((self.axis,))
        start, end = origins[:, column], targets[:, column]
        if isinstance(self.fee, np.ndarray):
            return self.fee[start.astype(np.intp)[:, None], end.astype(np.intp)]
        return np.where(np.not_equal.outer(start, end), self.fee, 0.0)


def _as_amount(amount: object) -> float:
    return checks.not_negative(amount, "amount of a Fee")


@frozen
class Fee(Cost):
    """A fixed amount for any move.

    Attributes:
        amount: the fee, in ``unit``.
        axes: the axes, one of which must change; None for any axis.
        unit: the unit of the fee.
    """

    amount: float = field(converter=_as_amount)
    axes: tuple[AxisName, ...] | None = field(default=None, converter=as_axes)
    unit: str = field(default="", converter=as_unit)
    is_metric = True

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

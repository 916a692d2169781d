"""What it costs to change the settings of a machine: ramps, switches and fees per move."""

from functools import cached_property
from typing import Self

import numpy as np
from attrs import cmp_using, evolve, field, frozen

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points
from wayfare.errors import InvalidInput
from wayfare.space.axes import Scalar
from wayfare.space.base import AnySpace
from wayfare.travel.base import AxisName, Cost, as_axes, as_axis, as_unit, columns_of, numeric_columns
from wayfare.travel.check import is_metric
from wayfare.travel.table import read_square


def _as_up(speed: object) -> float:
    return checks.number(speed, "up of a Ramp")


def _as_down(speed: object) -> float:
    return checks.number(speed, "down of a Ramp")


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


def _as_fee(fee: object) -> float | Matrix:
    if isinstance(fee, list | tuple | np.ndarray):
        return read_square(fee, "the matrix of a Switch")
    return checks.not_negative(fee, "fee of a Switch")


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
        raise InvalidInput(f"the matrix of a Switch on {name!r} must be ({k}, {k}), got {fees.shape}: {values}")


def _as_amount(amount: object) -> float:
    return checks.not_negative(amount, "amount of a Fee")


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


# ``Settling``: what it costs until a machine is steady again after a setting was changed.


def _as_speed(speed: object) -> float:
    return checks.number(speed, "speed of a Settling")


def _as_threshold(threshold: object) -> float:
    return checks.number(threshold, "threshold of a Settling")


def _as_per_fold(per_fold: object) -> float:
    return checks.not_negative(per_fold, "per_fold of a Settling")


@frozen
class Settling(Cost):
    """Linear in the change D of one axis up to ``threshold``, logarithmic beyond: what is left decays.

    It costs ``min(D, threshold) / speed``, and beyond the threshold ``per_fold * log(D / threshold)`` more:
    ``per_fold`` is paid for every factor e. The speed is in units of the axis per unit of cost, as that of a
    ``Ramp``. Mostly this is not a metric: where the logarithm begins steeper than the line ends, many small
    moves are cheaper than one large move, and the convergence guarantee does not apply.
    """

    axis: AxisName = field(converter=as_axis)
    speed: float = field(converter=_as_speed)
    threshold: float = field(converter=_as_threshold)
    per_fold: float = field(converter=_as_per_fold)
    unit: str = field(default="", converter=as_unit)

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

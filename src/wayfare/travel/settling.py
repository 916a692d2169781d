"""``Settling``: what it costs until a machine is steady again after a setting was changed."""

from typing import Self

import numpy as np
from attrs import evolve, field, frozen

from wayfare import door
from wayfare.arrays import Matrix, Points
from wayfare.space.base import AnySpace
from wayfare.travel.axes import AxisName, as_axis, columns_of, numeric_columns
from wayfare.travel.base import Cost, as_unit


def _as_speed(speed: object) -> float:
    return door.number(speed, "speed of a Settling")


def _as_threshold(threshold: object) -> float:
    return door.number(threshold, "threshold of a Settling")


def _as_per_fold(per_fold: object) -> float:
    return door.not_negative(per_fold, "per_fold of a Settling")


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
            door.positive(amount, f"{name} of a Settling (axis {self.axis!r})")

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

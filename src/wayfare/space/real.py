"""``Real``: a continuous axis."""

import math

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare import door
from wayfare.arrays import Features, Mask, Values
from wayfare.errors import InvalidInput


@frozen(init=False)
class Real:
    """Numbers from ``low`` to ``high``, both allowed.

    With ``log=True`` it is sampled and modelled on the logarithm; places stay in the user's
    units. With ``low == high`` it is fixed: shown to the user, unseen by the surrogate.
    """

    name: str
    low: float
    high: float
    log: bool = False

    def __init__(self, name: str, low: float, high: float, log: bool = False) -> None:
        door.name(name, "an axis name")
        low, high = door.bounds(
            name, door.number(low, f"low of axis {name!r}"), door.number(high, f"high of axis {name!r}")
        )
        if log and low <= 0:
            raise InvalidInput(
                f"low of axis {name!r} must be above 0 with log=True, got {low!r}; raise it or drop log"
            )
        self.__attrs_init__(name, low + 0.0, high + 0.0, bool(log))  # + 0.0 turns -0.0 into 0.0
        if low < high and not 0 < self._span < math.inf:
            raise InvalidInput(
                f"axis {name!r} from {low!r} to {high!r} is too wide or too narrow; change its unit"
            )

    @property
    def size(self) -> int | None:
        """How many values the axis has; None for a continuum."""
        return 1 if self.low == self.high else None

    @property
    def width(self) -> int:
        """How many feature columns the axis takes; a fixed axis takes none."""
        return int(self.low < self.high)

    @property
    def choices(self) -> None:
        """None: it holds numbers."""
        return

    @property
    def _span(self) -> float:
        return math.log(self.high) - math.log(self.low) if self.log else self.high - self.low

    def read(self, value: object) -> float:
        """Return the number the user wrote; it may be out of bounds."""
        return door.number(value, f"axis {self.name!r}")

    def accepts(self, column: Values) -> Mask:
        """Return which finite numbers can stand on this axis, in bounds or not: all."""
        return np.ones(len(column), dtype=bool)

    def value(self, number: float) -> float:
        """Return a number as plain Python."""
        return float(number)

    def contains(self, column: Values) -> Mask:
        """Return which numbers are within the bounds."""
        return (column >= self.low) & (column <= self.high)

    def snap(self, column: Values) -> Values:
        """Return the numbers clipped to the bounds."""
        return np.minimum(np.maximum(column, self.low), self.high)

    def encode(self, column: Values) -> Features:
        """Return the (n, 1) features: 0 at ``low``, 1 at ``high``, beyond them outside."""
        if self.log:
            logs = np.log(np.maximum(column, np.finfo(float).tiny))
            return ((logs - math.log(self.low)) / self._span)[:, None]
        return ((column - self.low) / self._span)[:, None]

    def place(self, unit: Values) -> Values:
        """Return the numbers at these shares of the way from ``low`` to ``high``."""
        if self.log:
            return self.snap(np.exp(math.log(self.low) + unit * self._span))
        return self.snap(self.low + unit * self._span)

    def nudge(self, column: Values, radius: float, rng: Generator) -> Values:
        """Return numbers near these: Gaussian steps of sd ``radius`` times the width, clipped.

        Clipping keeps half of a cloud at a bound on that bound, where optima like to be.
        """
        moved = self.encode(column)[:, 0] + radius * rng.standard_normal(len(column))
        return self.place(np.minimum(np.maximum(moved, 0.0), 1.0))

    def everything(self) -> Values:
        """Return the one number of a fixed axis."""
        return np.array([self.low])

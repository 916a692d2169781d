"""``Integer``: an axis of whole numbers in steps."""

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare import door
from wayfare.arrays import Features, Mask, Values
from wayfare.errors import InvalidInput


@frozen(init=False)
class Integer:
    """Whole numbers ``low``, ``low + step``, … up to ``high``.

    Where ``high`` is off the steps, the last value is the largest below it. A single value is fixed.
    """

    name: str
    low: int
    high: int
    step: int = 1

    def __init__(self, name: str, low: int, high: int, step: int = 1) -> None:
        door.name(name, "an axis name")
        low, high = door.bounds(
            name, door.whole(low, f"low of axis {name!r}"), door.whole(high, f"high of axis {name!r}")
        )
        step = door.whole(step, f"step of axis {name!r}")
        if step <= 0:
            raise InvalidInput(f"step of axis {name!r} must be 1 or more, got {step!r}")
        self.__attrs_init__(name, low, high, step)

    @property
    def size(self) -> int:
        """How many values the axis has."""
        return (self.high - self.low) // self.step + 1

    @property
    def width(self) -> int:
        """How many feature columns the axis takes; a fixed axis takes none."""
        return int(self.size > 1)

    @property
    def choices(self) -> None:
        """None: it holds numbers."""
        return

    def read(self, value: object) -> float:
        """Return the whole number the user wrote; off the steps or out of bounds is allowed."""
        return float(door.whole(value, f"axis {self.name!r}"))

    def accepts(self, column: Values) -> Mask:
        """Return which finite numbers can stand on this axis, in bounds or not: the whole ones."""
        whole: Mask = (column == np.rint(column)) & (np.abs(column) <= door.LARGEST_WHOLE)
        return whole

    def value(self, number: float) -> int:
        """Return a number as plain Python."""
        return round(number)

    def contains(self, column: Values) -> Mask:
        """Return which numbers are on the steps, within the bounds."""
        allowed: Mask = self.snap(column) == column
        return allowed

    def snap(self, column: Values) -> Values:
        """Return the nearest steps within the bounds."""
        return self._at(self._steps(column))

    def encode(self, column: Values) -> Features:
        """Return the (n, 1) features: 0 at the first value, 1 at the last."""
        return ((column - self.low) / (self.step * (self.size - 1)))[:, None]

    def place(self, unit: Values) -> Values:
        """Return the numbers at these shares of the way; every value has an equal share."""
        return self._at(np.floor(unit * self.size))

    def nudge(self, column: Values, radius: float, rng: Generator) -> Values:
        """Return numbers near these, at least one step away."""
        here = self._steps(self.snap(column))
        last = self.size - 1
        jump = np.rint(radius * last * rng.standard_normal(len(column)))
        either = rng.integers(2, size=len(column)) * 2.0 - 1.0
        there = np.clip(here + np.where(jump == 0, either, jump), 0, last)
        # Still here means pushed outwards at a bound: go inwards instead.
        return self._at(np.where(there == here, np.where(here == 0, 1.0, here - 1.0), there))

    def everything(self) -> Values:
        """Return every value, in order."""
        return self._at(np.arange(self.size, dtype=np.float64))

    def _steps(self, column: Values) -> Values:
        return np.rint((column - self.low) / self.step)

    def _at(self, steps: Values) -> Values:
        return self.low + self.step * np.minimum(np.maximum(steps, 0.0), self.size - 1)

"""The kinds of axis: ``Real``, ``Integer`` and ``Choice``.

Each works on a column of floats, one number per place, in the user's units, and has the same parts:
``size`` and ``width`` (values, feature columns), ``read`` and ``value`` (from and to plain Python),
``contains`` and ``snap`` (what is allowed), ``encode`` (to the unit cube), ``place`` and ``nudge``
(places spread out, places nearby).
"""

import math
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Features, Mask, Values
from wayfare.errors import InvalidInput

# ``Real``: a continuous axis.


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
        checks.name(name, "an axis name")
        low, high = checks.bounds(
            name, checks.number(low, f"low of axis {name!r}"), checks.number(high, f"high of axis {name!r}")
        )
        if log and low <= 0:
            raise InvalidInput(f"low of axis {name!r} must be above 0 with log=True, got {low!r}; raise it or drop log")
        self.__attrs_init__(name, low + 0.0, high + 0.0, bool(log))  # + 0.0 turns -0.0 into 0.0
        if low < high and not 0 < self._span < math.inf:
            raise InvalidInput(f"axis {name!r} from {low!r} to {high!r} is too wide or too narrow; change its unit")

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
        return checks.number(value, f"axis {self.name!r}")

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


# ``Integer``: an axis of whole numbers in steps.


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
        checks.name(name, "an axis name")
        low, high = checks.bounds(
            name, checks.whole(low, f"low of axis {name!r}"), checks.whole(high, f"high of axis {name!r}")
        )
        step = checks.whole(step, f"step of axis {name!r}")
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
        return float(checks.whole(value, f"axis {self.name!r}"))

    def accepts(self, column: Values) -> Mask:
        """Return which finite numbers can stand on this axis, in bounds or not: the whole ones."""
        whole: Mask = (column == np.rint(column)) & (np.abs(column) <= checks.LARGEST_WHOLE)
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


# ``Choice``: an axis of values in no order.


Scalar: TypeAlias = str | int | float | bool
"""What a place holds along one axis, as plain Python."""


@frozen(init=False)
class Choice:
    """One of ``values``: text, numbers or booleans, each once. A single value is fixed.

    In a table of floats, a choice's number is the position of its value.
    """

    name: str
    values: tuple[Scalar, ...]
    _positions: dict[Scalar, int] = field(eq=False, repr=False)

    def __init__(self, name: str, values: Iterable[Scalar]) -> None:
        checks.name(name, "an axis name")
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InvalidInput(f"values of axis {name!r} must be a list, got {values!r}")
        plain = tuple(_as_scalar(value, name) for value in values)
        if not plain:
            raise InvalidInput(f"values of axis {name!r} must not be empty, got {values!r}; give at least one")
        positions: dict[Scalar, int] = {}
        for position, value in enumerate(plain):
            if value in positions:
                raise InvalidInput(f"values of axis {name!r} have {value!r} twice; drop one")
            positions[value] = position
        self.__attrs_init__(name, plain, positions)

    @property
    def size(self) -> int:
        """How many values the axis has."""
        return len(self.values)

    @property
    def width(self) -> int:
        """How many feature columns the axis takes: one per value, none for a single value."""
        return self.size if self.size > 1 else 0

    @property
    def choices(self) -> tuple[Scalar, ...]:
        """The values."""
        return self.values

    def read(self, value: Any) -> float:
        """Return the position of the value the user wrote."""
        try:
            position = self._positions[value]
        except (KeyError, TypeError):
            position = -1
        # True equals 1 to Python; to the user they are different answers.
        if position < 0 or isinstance(value, bool | np.bool_) != isinstance(self.values[position], bool):
            hint = checks.nearest(value, self.values, "values")
            raise InvalidInput(f"axis {self.name!r} has no value {value!r}; {hint}")
        return float(position)

    def accepts(self, column: Values) -> Mask:
        """Return which finite numbers can stand on this axis: the positions."""
        return self.contains(column)

    def value(self, number: float) -> Scalar:
        """Return the value at a position."""
        return self.values[round(number)]

    def contains(self, column: Values) -> Mask:
        """Return which numbers are positions."""
        known: Mask = self.snap(column) == column
        return known

    def snap(self, column: Values) -> Values:
        """Return the nearest positions."""
        return np.minimum(np.maximum(np.rint(column), 0.0), self.size - 1)

    def encode(self, column: Values) -> Features:
        """Return one feature per value, such that any two different values are 1 apart."""
        return np.where(column[:, None] == np.arange(self.size), math.sqrt(0.5), 0.0)

    def place(self, unit: Values) -> Values:
        """Return the positions at these shares of the way; every value has an equal share."""
        return self.snap(np.floor(unit * self.size))

    def nudge(self, column: Values, radius: float, rng: Generator) -> Values:
        """Return the positions, about half of them changed to any other: no value is nearer than another."""
        other = (column + rng.integers(1, self.size, size=len(column))) % self.size
        return np.where(rng.random(len(column)) < 0.5, other, column)

    def everything(self) -> Values:
        """Return every position, in order."""
        return np.arange(self.size, dtype=np.float64)


def _as_scalar(value: object, name: str) -> Scalar:
    """Return a value as plain Python, so that it survives JSON."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, str | bool | int) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    raise InvalidInput(f"values of axis {name!r} must be text, finite numbers or booleans, got {value!r}")


Axis: TypeAlias = Real | Integer | Choice

__all__ = ["Axis", "Choice", "Integer", "Real", "Scalar"]

"""The kinds of axis: ``Real`` (continuous), ``Integer`` (whole numbers in steps) and ``Choice`` (values in no order).

Each works on a column of floats, one number per place, in the user's units, so that places are rows of one
array. All have the same parts: ``size`` and ``width`` (values, feature columns), ``choices``, ``read`` and
``value`` (from and to plain Python), ``snap`` (to the nearest number that is allowed), ``encode`` (to the unit
cube), ``place`` and ``nudge`` (numbers spread out, numbers nearby), ``everything``.
"""

import math
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Features, Values
from wayfare.errors import InvalidInput

Scalar: TypeAlias = str | int | float | bool
"""The value of a place along one axis, as plain Python."""
Bound = TypeVar("Bound", int, float)


@frozen(init=False)
class Real:
    """Numbers from ``low`` to ``high``, both allowed. With ``low == high`` the axis is fixed.

    Attributes:
        name: the name of the axis, by which places are read and shown.
        low: the smallest number, in the user's unit.
        high: the largest number.
        log: sample and model the logarithm; places stay in the user's unit.
    """

    name: str
    low: float
    high: float
    log: bool = False
    choices = None

    def __init__(self, name: str, low: float, high: float, log: bool = False) -> None:
        low, high = _read_bounds(name, low, high, checks.number)
        if log and low <= 0:
            raise InvalidInput(f"low of axis {name!r} must be above 0 with log=True, got {low!r}; raise it or drop log")
        self.__attrs_init__(name, low + 0.0, high + 0.0, bool(log))  # + 0.0 turns -0.0 into 0.0
        if low < high and not 0 < self._span < math.inf:
            raise InvalidInput(f"axis {name!r} from {low!r} to {high!r} is too wide or too narrow; change its unit")

    @cached_property
    def size(self) -> int | None:
        """Number of values; None for a continuum."""
        return 1 if self.low == self.high else None

    @cached_property
    def width(self) -> int:
        """Number of feature columns: 1, or 0 if the axis is fixed."""
        return int(self.low < self.high)

    @cached_property
    def _span(self) -> float:
        return math.log(self.high) - math.log(self.low) if self.log else self.high - self.low

    def read(self, value: object) -> float:
        """Return the number the user wrote; it may be out of bounds."""
        return checks.number(value, f"axis {self.name!r}")

    def value(self, number: float) -> float:
        """Return a number as plain Python."""
        return float(number)

    def snap(self, column: Values) -> Values:
        """Return the numbers clipped to the bounds."""
        return np.minimum(np.maximum(column, self.low), self.high)

    def encode(self, column: Values) -> Features:
        """Return the (n, 1) features: 0 at ``low``, 1 at ``high``, beyond them outside."""
        if self.log:
            # A start may be out of bounds, at 0 or below: far outside the cube, but finite.
            logs = np.log(np.maximum(column, np.finfo(float).tiny))
            return ((logs - math.log(self.low)) / self._span)[:, None]
        return ((column - self.low) / self._span)[:, None]

    def place(self, unit: Values) -> Values:
        """Return the numbers at these shares of the width, 0 at ``low`` and 1 at ``high``."""
        if self.log:
            return self.snap(np.exp(math.log(self.low) + unit * self._span))
        return self.snap(self.low + unit * self._span)

    def nudge(self, column: Values, radius: float, rng: Generator) -> Values:
        """Return numbers near these: Gaussian steps of sd ``radius`` times the width, clipped.

        Args:
            column: the numbers to start from.
            radius: how far to go, in the unit cube.
            rng: draws the steps.
        """
        moved = self.encode(column)[:, 0] + radius * rng.standard_normal(len(column))
        # Clipping keeps half of a cloud at a bound on that bound, where optima like to be.
        return self.place(np.minimum(np.maximum(moved, 0.0), 1.0))

    def everything(self) -> Values:
        """Return the one number of a fixed axis."""
        return np.array([self.low])


@frozen(init=False)
class Integer:
    """Whole numbers ``low``, ``low + step``, … up to ``high``. A single value is fixed.

    Attributes:
        name: the name of the axis, by which places are read and shown.
        low: the first value.
        high: the last value, if it is on a step; otherwise the last is the largest step below it.
        step: the distance between two values, 1 or more.
    """

    name: str
    low: int
    high: int
    step: int = 1
    choices = None

    def __init__(self, name: str, low: int, high: int, step: int = 1) -> None:
        low, high = _read_bounds(name, low, high, checks.whole)
        step = checks.whole(step, f"step of axis {name!r}")
        if step <= 0:
            raise InvalidInput(f"step of axis {name!r} must be 1 or more, got {step!r}")
        self.__attrs_init__(name, low, high, step)

    @cached_property
    def size(self) -> int:
        """Number of values."""
        return (self.high - self.low) // self.step + 1

    @cached_property
    def width(self) -> int:
        """Number of feature columns: 1, or 0 if the axis is fixed."""
        return int(self.size > 1)

    def read(self, value: object) -> float:
        """Return the whole number the user wrote; off the steps or out of bounds is allowed."""
        return float(checks.whole(value, f"axis {self.name!r}"))

    def value(self, number: float) -> int:
        """Return a number as plain Python."""
        return round(number)

    def snap(self, column: Values) -> Values:
        """Return the nearest steps within the bounds."""
        return self._at(self._steps(column))

    def encode(self, column: Values) -> Features:
        """Return the (n, 1) features: 0 at the first value, 1 at the last."""
        return ((column - self.low) / (self.step * (self.size - 1)))[:, None]

    def place(self, unit: Values) -> Values:
        """Return the numbers at these shares of the width; every value has an equal share."""
        return self._at(np.floor(unit * self.size))

    def nudge(self, column: Values, radius: float, rng: Generator) -> Values:
        """Return numbers near these, at least one step away.

        Args:
            column: the numbers to start from.
            radius: how far to go, in the unit cube.
            rng: draws the steps.
        """
        here, last = self._steps(self.snap(column)), self.size - 1
        jump = np.rint(radius * last * rng.standard_normal(len(column)))
        either = rng.integers(2, size=len(column)) * 2.0 - 1.0
        there = np.clip(here + np.where(jump == 0, either, jump), 0, last)
        # A number that did not move was pushed outwards at a bound: it goes inwards instead.
        return self._at(np.where(there == here, np.where(here == 0, 1.0, here - 1.0), there))

    def everything(self) -> Values:
        """Return every value, in order."""
        return self._at(np.arange(self.size, dtype=np.float64))

    def _steps(self, column: Values) -> Values:
        return np.rint((column - self.low) / self.step)

    def _at(self, steps: Values) -> Values:
        return self.low + self.step * np.minimum(np.maximum(steps, 0.0), self.size - 1)


@frozen(init=False)
class Choice:
    """One of ``values``: text, numbers or booleans, each once. A single value is fixed.

    In a table of floats, a choice's number is the position of its value.
    """

    name: str
    values: tuple[Scalar, ...]
    choices: tuple[Scalar, ...] = field(eq=False, repr=False)
    """The values; None for the other kinds of axis."""
    _positions: dict[Scalar, int] = field(eq=False, repr=False)

    def __init__(self, name: str, values: Iterable[Scalar]) -> None:
        checks.name(name, "an axis name")
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InvalidInput(f"values of axis {name!r} must be a list, got {values!r}")
        plain = tuple(_as_scalar(value, name) for value in values)
        if not plain:
            raise InvalidInput(f"values of axis {name!r} must not be empty, got {values!r}; give at least one")
        positions = {value: position for position, value in enumerate(plain)}
        if len(positions) < len(plain):
            twice = next(value for position, value in enumerate(plain) if value in plain[:position])
            raise InvalidInput(f"values of axis {name!r} have {twice!r} twice; drop one")
        self.__attrs_init__(name, plain, plain, positions)

    @cached_property
    def size(self) -> int:
        """Number of values."""
        return len(self.values)

    @cached_property
    def width(self) -> int:
        """Number of feature columns: one per value, 0 if the axis is fixed."""
        return self.size if self.size > 1 else 0

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

    def value(self, number: float) -> Scalar:
        """Return the value at a position."""
        return self.values[round(number)]

    def snap(self, column: Values) -> Values:
        """Return the nearest positions."""
        return np.minimum(np.maximum(np.rint(column), 0.0), self.size - 1)

    def encode(self, column: Values) -> Features:
        """Return one feature per value, such that any two different values are 1 apart."""
        # Two values differ in two columns, and 0.5 + 0.5 is 1 squared.
        return np.where(column[:, None] == np.arange(self.size), math.sqrt(0.5), 0.0)

    def place(self, unit: Values) -> Values:
        """Return the positions at these shares of all; every value has an equal share."""
        return self.snap(np.floor(unit * self.size))

    def nudge(self, column: Values, radius: float, rng: Generator) -> Values:
        """Return the positions, about half of them changed to any other: no value is nearer than another.

        Args:
            column: the numbers to start from.
            radius: how far to go, in the unit cube.
            rng: draws the steps.
        """
        other = (column + rng.integers(1, self.size, size=len(column))) % self.size
        return np.where(rng.random(len(column)) < 0.5, other, column)

    def everything(self) -> Values:
        """Return every position, in order."""
        return np.arange(self.size, dtype=np.float64)


Axis: TypeAlias = Real | Integer | Choice


def _read_bounds(name: str, low: Bound, high: Bound, check: Callable[[object, str], Bound]) -> tuple[Bound, Bound]:
    """Return the bounds of an axis, each checked, and its name checked first."""
    checks.name(name, "an axis name")
    low, high = check(low, f"low of axis {name!r}"), check(high, f"high of axis {name!r}")
    if low > high:
        raise InvalidInput(f"axis {name!r} has low {low!r} above high {high!r}; swap them")
    return low, high


def _as_scalar(value: object, name: str) -> Scalar:
    """Return a value as plain Python, so that it survives JSON."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, str | bool | int) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    raise InvalidInput(f"values of axis {name!r} must be text, finite numbers or booleans, got {value!r}")

"""The kinds of axis: ``Real`` (numbers), ``Integer`` (whole numbers in steps) and ``Choice`` (values in no order).

Each works on a column of floats, one number per place, in the user's units, so that places are rows of one
array. All have the same parts: ``size`` and ``width`` (values, feature columns), ``choices``, ``scale`` (how its
values are written), ``grid`` (its values, if they are numbers in steps), ``read`` and ``value`` (from and to plain
Python), ``snap`` (to the nearest number that is allowed), ``encode`` (to the unit cube), ``place`` and ``nudge``
(numbers spread out, numbers nearby), ``everything``.
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
from wayfare._core.format import Scale, decimals_of
from wayfare.errors import InvalidInput

Scalar: TypeAlias = str | int | float | bool
"""The value of a place along one axis, as plain Python."""
Bound = TypeVar("Bound", int, float)

MOST_STEPS = 2**40
"""A real axis of more steps is a continuum for all that an instrument can tell."""
MOST_DIGITS = 12
"""Decimals that ``digits`` may ask for."""


@frozen
class Grid:
    """Numbers in equal steps: ``low``, ``low + step``, … of which there are ``size``.

    With ``log`` they are sampled and encoded by their logarithms; each then has the share of the axis that is nearer
    to it than to its neighbours. Numbers are rounded to ``decimals``, so that a typed 20.3 is the one on the grid.
    """

    low: float
    step: float
    size: int
    log: bool = False
    decimals: int | None = None

    def at(self, steps: Values) -> Values:
        """Return the numbers so many steps above ``low``, within the grid."""
        return self.beyond(np.minimum(np.maximum(steps, 0.0), self.size - 1))

    def beyond(self, steps: Values) -> Values:
        """Return the numbers so many steps above ``low``, also beyond the grid."""
        numbers = self.low + self.step * steps
        return numbers if self.decimals is None else np.round(numbers, self.decimals) + 0.0

    def next_to(self, number: float, way: int) -> float:
        """Return the first number of the grid, or beyond it, from ``number`` on: up if ``way`` is 1, down if -1."""
        steps = math.ceil(way * (number - self.low) / self.step)
        # The division is rounded: one step less may reach the number, too, or one more be needed.
        near = self.beyond(np.array([way * (steps - 1.0), way * steps, way * (steps + 1.0)]))
        return float(near[way * (near - number) >= 0][0])

    def steps(self, column: Values) -> Values:
        """Return how many steps above ``low`` each number is, rounded; it may be beyond the grid."""
        return np.rint((column - self.low) / self.step)

    def snap(self, column: Values) -> Values:
        """Return the nearest numbers of the grid."""
        return self.at(self.steps(column))

    def encode(self, column: Values) -> Features:
        """Return the (n, 1) features: 0 at the first number, 1 at the last."""
        if self.log:
            logs = np.log(np.maximum(column, np.finfo(float).tiny)) - math.log(self.low)
            return np.asarray(logs / math.log(self.last / self.low))[:, None]
        return ((column - self.low) / (self.step * (self.size - 1)))[:, None]

    def place(self, unit: Values) -> Values:
        """Return the numbers at these shares of the axis."""
        if not self.log:
            return self.at(np.floor(unit * self.size))
        low, span = self._log_ends
        return self.snap(np.exp(low + unit * span))

    def shares(self, column: Values) -> tuple[Values, Values]:
        """Return the shares of the axis between which ``place`` gives these numbers."""
        steps = self.steps(column)
        if not self.log:
            return steps / self.size, (steps + 1) / self.size
        low, span = self._log_ends
        half = 0.5 * self.step
        begin, end = ((np.log(np.maximum(column + off, self.low / 2)) - low) / span for off in (-half, half))
        return np.where(steps == 0, 0.0, begin), np.where(steps == self.size - 1, 1.0, end)

    def nudge(self, column: Values, radius: float, rng: Generator) -> Values:
        """Return numbers near these, at least one step away.

        Args:
            column: the numbers to start from.
            radius: how far to go, in the unit cube.
            rng: draws the steps.
        """
        here, last = self.steps(self.snap(column)), self.size - 1
        moves = rng.standard_normal(len(column))
        if self.log:
            unit = np.clip(self.encode(self.at(here))[:, 0] + radius * moves, 0.0, 1.0)
            jump = self.steps(self.low * np.exp(unit * math.log(self.last / self.low))) - here
        else:
            jump = np.rint(radius * last * moves)
        either = rng.integers(2, size=len(column)) * 2.0 - 1.0
        there = np.clip(here + np.where(jump == 0, either, jump), 0, last)
        # A number that did not move was pushed outwards at a bound: it goes inwards instead.
        return self.at(np.where(there == here, np.where(here == 0, 1.0, here - 1.0), there))

    def everything(self) -> Values:
        """Return every number, in order."""
        return self.at(np.arange(self.size, dtype=np.float64))

    @cached_property
    def last(self) -> float:
        """The largest number."""
        return float(self.at(np.array([self.size - 1.0]))[0])

    @cached_property
    def _log_ends(self) -> tuple[float, float]:
        """The logarithm half a step below the first number, and its distance to that half a step above the last."""
        low = math.log(max(self.low - 0.5 * self.step, 0.5 * self.low))
        return low, math.log(self.last + 0.5 * self.step) - low


@frozen(init=False)
class Real:
    """Numbers from ``low`` to ``high``, both allowed. With ``low == high`` the axis is fixed.

    Attributes:
        name: the name of the axis, by which places are read and shown.
        low: the smallest number, in the user's unit.
        high: the largest number; with a step, the last number is the largest step up to it.
        log: sample and model the logarithm; places stay in the user's unit.
        step: the distance between two numbers that can be set; None for a continuum. ``digits=1`` is another way to
            write ``step=0.1``.
        unit: the unit in which numbers are shown.
    """

    name: str
    low: float
    high: float
    log: bool = False
    step: float | None = None
    unit: str = ""
    choices = None

    def __init__(
        self,
        name: str,
        low: float,
        high: float,
        log: bool = False,
        step: float | None = None,
        unit: str = "",
        digits: int | None = None,
    ) -> None:
        low, high = _read_bounds(name, low, high, checks.number)
        if log and low <= 0:
            raise InvalidInput(f"low of axis {name!r} must be above 0 with log=True, got {low!r}; raise it or drop log")
        if digits is not None:
            step = _step_of(name, low, step, digits)
        step = None if step is None else checks.positive(step, f"step of axis {name!r}")
        # + 0.0 turns -0.0 into 0.0
        self.__attrs_init__(name, low + 0.0, high + 0.0, bool(log), step, _read_unit(unit, name))
        if low < high and not 0 < self._span < math.inf:
            raise InvalidInput(f"axis {name!r} from {low!r} to {high!r} is too wide or too narrow; change its unit")
        if step is not None and (high - low) / step > MOST_STEPS:
            raise InvalidInput(f"step of axis {name!r} is {step!r}, far too fine for {low!r} to {high!r}; leave it out")

    @cached_property
    def grid(self) -> Grid | None:
        """The numbers that can be set; None for a continuum."""
        if self.step is None:
            return None
        # A last step that is short by rounding alone is one.
        size = math.floor((self.high - self.low) / self.step * (1 + 1e-12) + 1e-9) + 1
        return Grid(self.low, self.step, size, self.log, max(decimals_of(self.low), decimals_of(self.step)))

    @cached_property
    def scale(self) -> Scale:
        """How a value of the axis is written."""
        return Scale(self.unit, None if self.grid is None else self.grid.decimals)

    @cached_property
    def size(self) -> int | None:
        """Number of values; None for a continuum."""
        if self.grid is not None:
            return self.grid.size
        return 1 if self.low == self.high else None

    @cached_property
    def width(self) -> int:
        """Number of feature columns: 1, or 0 if the axis is fixed."""
        return int(self.size != 1)

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
        """Return the numbers clipped to the bounds; with a step, the nearest steps."""
        if self.grid is not None:
            return self.grid.snap(column)
        return np.minimum(np.maximum(column, self.low), self.high)

    def encode(self, column: Values) -> Features:
        """Return the (n, 1) features: 0 at ``low``, 1 at ``high``, beyond them outside."""
        if self.grid is not None:
            return self.grid.encode(column)
        if self.log:
            # A start may be out of bounds, at 0 or below: far outside the cube, but finite.
            logs = np.log(np.maximum(column, np.finfo(float).tiny))
            return ((logs - math.log(self.low)) / self._span)[:, None]
        return ((column - self.low) / self._span)[:, None]

    def place(self, unit: Values) -> Values:
        """Return the numbers at these shares of the width, 0 at ``low`` and 1 at ``high``."""
        if self.grid is not None:
            return self.grid.place(unit)
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
        if self.grid is not None:
            return self.grid.nudge(column, radius, rng)
        moved = self.encode(column)[:, 0] + radius * rng.standard_normal(len(column))
        # Clipping keeps half of a cloud at a bound on that bound, where optima like to be.
        return self.place(np.minimum(np.maximum(moved, 0.0), 1.0))

    def everything(self) -> Values:
        """Return every number of an axis in steps, or the one of a fixed axis."""
        return np.array([self.low]) if self.grid is None else self.grid.everything()

    def __str__(self) -> str:
        """Return the axis in words: ``temp 20 to 80 °C in steps of 0.5``."""
        return f"{self.name} {_in_words(self)}"


@frozen(init=False)
class Integer:
    """Whole numbers ``low``, ``low + step``, … up to ``high``. A single value is fixed.

    Attributes:
        name: the name of the axis, by which places are read and shown.
        low: the first value.
        high: the last value, if it is on a step; otherwise the last is the largest step below it.
        step: the distance between two values, 1 or more.
        log: sample and model the logarithm.
        unit: the unit in which values are shown.
    """

    name: str
    low: int
    high: int
    step: int = 1
    log: bool = False
    unit: str = ""
    choices = None

    def __init__(self, name: str, low: int, high: int, step: int = 1, log: bool = False, unit: str = "") -> None:
        low, high = _read_bounds(name, low, high, checks.whole)
        step = checks.whole(step, f"step of axis {name!r}")
        if step <= 0:
            raise InvalidInput(f"step of axis {name!r} must be 1 or more, got {step!r}")
        if log and low <= 0:
            raise InvalidInput(
                f"low of axis {name!r} must be 1 or more with log=True, got {low!r}; raise it or drop log"
            )
        self.__attrs_init__(name, low, high, step, bool(log), _read_unit(unit, name))

    @cached_property
    def grid(self) -> Grid:
        """The values as numbers in steps."""
        return Grid(self.low, self.step, self.size, self.log)

    @cached_property
    def scale(self) -> Scale:
        """How a value of the axis is written."""
        return Scale(self.unit)

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
        return self.grid.snap(column)

    def encode(self, column: Values) -> Features:
        """Return the (n, 1) features: 0 at the first value, 1 at the last."""
        return self.grid.encode(column)

    def place(self, unit: Values) -> Values:
        """Return the numbers at these shares of the width; every value has an equal share, with ``log`` of its own."""
        return self.grid.place(unit)

    def nudge(self, column: Values, radius: float, rng: Generator) -> Values:
        """Return numbers near these, at least one step away.

        Args:
            column: the numbers to start from.
            radius: how far to go, in the unit cube.
            rng: draws the steps.
        """
        return self.grid.nudge(column, radius, rng)

    def everything(self) -> Values:
        """Return every value, in order."""
        return self.grid.everything()

    def __str__(self) -> str:
        """Return the axis in words: ``wells 1 to 96``."""
        return f"{self.name} {_in_words(self)}"


@frozen(init=False, repr=False)
class Choice:
    """One of ``values``: text, numbers or booleans, each once. A single value is fixed.

    In a table of floats, a choice's number is the position of its value. ``unit`` is shown behind a value. Values that
    are ``retired`` have results, but no place has them any more.
    """

    name: str
    values: tuple[Scalar, ...]
    unit: str
    retired: tuple[Scalar, ...]
    choices: tuple[Scalar, ...] = field(eq=False, repr=False)
    """The values; None for the other kinds of axis."""
    _positions: dict[Scalar, int] = field(eq=False, repr=False)
    grid = None
    log = False

    def __init__(self, name: str, values: Iterable[Scalar], unit: str = "", retired: Iterable[Scalar] = ()) -> None:
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
        out = () if isinstance(retired, str) else tuple(_as_scalar(value, name) for value in retired)
        if isinstance(retired, str) or not set(out) <= set(plain) or len(set(out)) < len(out):
            raise InvalidInput(f"retired of axis {name!r} must be a list of its values, each once, got {retired!r}")
        if len(out) == len(plain):
            raise InvalidInput(f"axis {name!r} has no value left: all of {list(plain)} are retired; leave one")
        self.__attrs_init__(name, plain, _read_unit(unit, name), out, plain, positions)

    def __repr__(self) -> str:
        retired = f", retired={self.retired!r}" if self.retired else ""
        return f"Choice(name={self.name!r}, values={self.values!r}, unit={self.unit!r}{retired})"

    @property
    def current(self) -> tuple[Scalar, ...]:
        """The values that places may have: all that are not retired."""
        return tuple(value for value in self.values if value not in self.retired)

    @cached_property
    def scale(self) -> Scale:
        """How a value of the axis is written."""
        return Scale(self.unit)

    @cached_property
    def size(self) -> int:
        """Number of values, retired ones included."""
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

    def __str__(self) -> str:
        """Return the axis in words: ``solvent water, ethanol or DMF``."""
        said = f"{self.name} {' or '.join(f'{value}' for value in self.current)} {self.unit}".rstrip()
        return f"{said} (no longer {' or '.join(map(str, self.retired))})" if self.retired else said


Axis: TypeAlias = Real | Integer | Choice


def _read_bounds(name: str, low: Bound, high: Bound, check: Callable[[object, str], Bound]) -> tuple[Bound, Bound]:
    """Return the bounds of an axis, each checked, and its name checked first."""
    checks.name(name, "an axis name")
    low, high = check(low, f"low of axis {name!r}"), check(high, f"high of axis {name!r}")
    if low > high:
        raise InvalidInput(f"axis {name!r} has low {low!r} above high {high!r}; swap them")
    return low, high


def _read_unit(unit: object, name: str) -> str:
    if not isinstance(unit, str):
        raise InvalidInput(f"unit of axis {name!r} must be text such as '°C', got {unit!r}")
    return unit.strip()


def _step_of(name: str, low: float, step: float | None, digits: object) -> float:
    """Return the step of an axis that is set to so many decimals."""
    if step is not None:
        raise InvalidInput(f"axis {name!r} has both step and digits; give one of them")
    decimals = checks.count(digits, f"digits of axis {name!r}", 0)
    if decimals > MOST_DIGITS:
        raise InvalidInput(f"digits of axis {name!r} must be at most {MOST_DIGITS}, got {decimals}; leave it out")
    if decimals_of(low) > decimals:
        raise InvalidInput(f"low of axis {name!r} is {low!r}, which has more than {decimals} digits; round it")
    return float(f"1e-{decimals}")


def _in_words(axis: Real | Integer) -> str:
    """Return the numbers of an axis: ``20 to 80 °C in steps of 0.5``."""
    span = f"{axis.scale.number(axis.low)} to {axis.scale.written(axis.high)}" if axis.low < axis.high else ""
    every = axis.step is not None and (isinstance(axis, Real) or axis.step > 1)
    steps = f" in steps of {axis.step:.12g}" if every else ""
    return f"{span or axis.scale.written(axis.low)}{steps}{', log' if axis.log else ''}"


def _as_scalar(value: object, name: str) -> Scalar:
    """Return a value as plain Python, so that it survives JSON."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, str | bool | int) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    raise InvalidInput(f"values of axis {name!r} must be text, finite numbers or booleans, got {value!r}")

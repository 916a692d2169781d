"""``Choice``: an axis of values in no order."""

import math
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare import door
from wayfare.arrays import Features, Mask, Values
from wayfare.errors import InvalidInput

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
        door.name(name, "an axis name")
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InvalidInput(f"values of axis {name!r} must be a list, got {values!r}")
        plain = tuple(_as_scalar(value, name) for value in values)
        if not plain:
            raise InvalidInput(
                f"values of axis {name!r} must not be empty, got {values!r}; give at least one"
            )
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
            hint = door.nearest(value, self.values, "values")
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

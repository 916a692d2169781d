"""``Measured``: something measured beside the objective, and the limit it must keep."""

import math
from collections.abc import Mapping

from attrs import frozen

from wayfare._core import checks
from wayfare._core.format import in_full
from wayfare.errors import InvalidInput

LARGEST = 1e300
"""The largest limit, as of values."""


@frozen(init=False)
class Measured:
    """A number measured at every visit beside the objective, such as a pressure, and its limit.

    Attributes:
        name: what ``tell(measured={name: ...})`` calls it.
        at_most: the largest number that complies; None for no limit on this side.
        at_least: the smallest one that complies; None for no limit on this side.
        unit: the unit of the number, for messages and tables.
    """

    name: str
    at_most: float | None = None
    at_least: float | None = None
    unit: str = ""

    def __init__(self, name: str, at_most: float | None = None, at_least: float | None = None, unit: str = "") -> None:
        checks.name(name, "Measured: name")
        if name != name.strip():
            raise InvalidInput(f"Measured: name has blanks around it, got {name!r}; leave them out")
        if not isinstance(unit, str):
            raise InvalidInput(f"Measured: unit must be a text such as 'bar', got {unit!r}")
        if at_most is None and at_least is None:
            raise InvalidInput(f"Measured: {name!r} has no limit; give at_most or at_least, or leave it out")
        high, low = (
            None if limit is None else checks.number(limit, f"Measured: {side} of {name!r}") + 0.0  # no -0.0
            for side, limit in (("at_most", at_most), ("at_least", at_least))
        )
        for side, limit in (("at_most", high), ("at_least", low)):
            if limit is not None and abs(limit) > LARGEST:
                raise InvalidInput(f"Measured: {side} of {name!r} is beyond ±1e300, got {limit!r}; rescale the numbers")
        self.__attrs_init__(name, high, low, unit)
        if not self.low < self.high:
            raise InvalidInput(f"Measured: at_least of {name!r} must be below at_most, got {low!r} and {high!r}")

    @property
    def low(self) -> float:
        """The smallest number that complies; minus infinity without a limit on this side."""
        return -math.inf if self.at_least is None else self.at_least

    @property
    def high(self) -> float:
        """The largest number that complies; infinity without a limit on this side."""
        return math.inf if self.at_most is None else self.at_most

    def holds(self, number: float) -> bool:
        """Return whether the number complies."""
        return self.low <= number <= self.high

    def is_broken_by(self, measured: Mapping[str, float]) -> bool:
        """Return whether the numbers of a trial break the limit; what was not measured breaks none."""
        return self.name in measured and not self.holds(measured[self.name])

    @property
    def limit(self) -> str:
        """The limit in words, as in "at most 10 bar"."""
        low = [] if self.at_least is None else [f"at least {in_full(self.at_least, self.unit)}"]
        high = [] if self.at_most is None else [f"at most {in_full(self.at_most, self.unit)}"]
        return " and ".join(low + high)

    def __str__(self) -> str:
        """Say the name and the limit, as in "pressure at most 10 bar"."""
        return f"{self.name} {self.limit}"

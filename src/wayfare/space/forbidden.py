"""Regions that no place may lie in: boxes over some of the axes."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from wayfare import door
from wayfare.arrays import Mask, Points, Values
from wayfare.errors import InvalidInput
from wayfare.space.axes import Axis, Choice, Scalar
from wayfare.space.base import AnySpace


@frozen
class Side:
    """What a region covers along one axis: the numbers from ``low`` to ``high``, both included.

    Of a choice the ``values``, whatever ``low`` and ``high`` are; ``positions`` are theirs.
    """

    axis: str
    column: int
    low: float = -math.inf
    high: float = math.inf
    values: tuple[Scalar, ...] | None = None
    positions: tuple[float, ...] = ()

    def covers(self, column: Values) -> Mask:
        """Return which numbers of the axis are covered."""
        if self.values is not None:
            return np.isin(column, self.positions)
        return (column >= self.low) & (column <= self.high)

    @property
    def stated(self) -> Any:
        """It as a user writes it: ``(100.0, None)``, ``["ether"]``."""
        if self.values is not None:
            return list(self.values)
        return tuple(end if math.isfinite(end) else None for end in (self.low, self.high))

    def __str__(self) -> str:
        """Say it in words: ``temp_C 100 or more``."""
        if self.values is not None:
            return f"{self.axis} {' or '.join(map(str, self.values))}"
        if self.high == math.inf:
            return f"{self.axis} {self.low:.6g} or more"
        if self.low == -math.inf:
            return f"{self.axis} {self.high:.6g} or less"
        return f"{self.axis} {self.low:.6g} to {self.high:.6g}"


@frozen(repr=False)
class Region:
    """The places that lie within all of its ``sides``, edges included."""

    sides: tuple[Side, ...]

    def holds(self, x: Points) -> Mask:
        """Return which rows lie in it."""
        inside = np.ones(len(x), dtype=bool)
        for side in self.sides:
            inside &= side.covers(x[:, side.column])
        return inside

    @property
    def stated(self) -> dict[str, Any]:
        """It as a user writes it: ``{"temp_C": (100.0, None), "solvent": ["ether"]}``."""
        return {side.axis: side.stated for side in self.sides}

    def __repr__(self) -> str:
        return repr(self.stated)

    def __str__(self) -> str:
        """Say it in words: ``temp_C 100 or more with solvent ether``."""
        return " with ".join(map(str, self.sides))


def read_regions(regions: object, axes: Sequence[Axis]) -> tuple[Region, ...]:
    """Return the regions that a user stated as dicts, everything in them checked."""
    if isinstance(regions, str) or not isinstance(regions, Sequence):
        raise InvalidInput(f"forbidden must be a list of regions, each a dict by axis, got {regions!r}")
    return tuple(_read_region(region, axes, f"forbidden[{i}]") for i, region in enumerate(regions))


def are_within(regions: Iterable[Region], x: Points) -> Mask:
    """Return which rows lie in any of the regions."""
    within = np.zeros(len(x), dtype=bool)
    for region in regions:
        within |= region.holds(x)
    return within


def forbidding(space: AnySpace, place: Values) -> Region | None:
    """Return the first forbidden region that a place lies in; None if it lies in none."""
    regions: tuple[Region, ...] = getattr(space, "forbidden", ())
    return next((region for region in regions if region.holds(place[None, :])[0]), None)


def _read_region(region: object, axes: Sequence[Axis], where: str) -> Region:
    if isinstance(region, Region):
        region = region.stated
    if not isinstance(region, Mapping):
        raise InvalidInput(f"{where} must be a dict such as {{'temp_C': (100, None)}}, got {region!r}")
    if not region:
        raise InvalidInput(f"{where} is empty, and would forbid every place; name at least one axis")
    names = [axis.name for axis in axes]
    for name in region:
        if name not in names:
            raise InvalidInput(f"{where} has {name!r}, which is no axis; {door.nearest(name, names)}")
    return Region(
        tuple(
            _read_side(axis, column, region[axis.name], where)
            for column, axis in enumerate(axes)
            if axis.name in region
        )
    )


def _read_side(axis: Axis, column: int, stated: Any, where: str) -> Side:
    if isinstance(axis, Choice):
        listed = list(stated) if isinstance(stated, list | tuple | set | frozenset) else [stated]
        if not listed:
            raise InvalidInput(f"{where}: axis {axis.name!r} has no values; name some, or leave the axis out")
        try:
            positions = tuple(sorted({axis.read(value) for value in listed}))
        except InvalidInput as error:
            raise InvalidInput(f"{where}: {error}") from None
        values = tuple(axis.value(position) for position in positions)
        return Side(axis.name, column, values=values, positions=positions)
    if not isinstance(stated, list | tuple) or len(stated) != 2:
        raise InvalidInput(
            f"{where}: axis {axis.name!r} takes (low, high), None or inf for an open end, got {stated!r}"
        )
    low = _read_end(stated[0], -math.inf, f"{where}: low of axis {axis.name!r}")
    high = _read_end(stated[1], math.inf, f"{where}: high of axis {axis.name!r}")
    if low == -math.inf and high == math.inf:
        raise InvalidInput(f"{where}: axis {axis.name!r} is open at both ends; leave the axis out")
    if low > high:
        raise InvalidInput(f"{where}: axis {axis.name!r} has low {low!r} above high {high!r}; swap them")
    return Side(axis.name, column, low, high)


def _read_end(value: Any, beyond: float, what: str) -> float:
    """Return an end as a number, ``beyond`` all of them where it is open."""
    if value is None or (isinstance(value, float) and value == beyond):
        return beyond
    return door.number(value, what) + 0.0  # + 0.0 turns -0.0 into 0.0

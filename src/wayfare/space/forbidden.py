"""Forbidden regions of a space: boxes over some of its axes, and the allowed pieces that they leave.

The pieces are boxes that do not overlap, so that sampling and snapping are exact however little is left.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core import checks
from wayfare._core.arrays import Mask, Matrix, Points, Values
from wayfare.errors import InvalidInput
from wayfare.space.axes import Axis, Choice, Integer, Real, Scalar
from wayfare.space.base import AnySpace
from wayfare.space.designs import grid, net
from wayfare.space.reading import check_known, read_value


@frozen
class Side:
    """The part of one axis that a region covers: ``low`` to ``high``, both included.

    For a choice it is its ``values``, at these ``positions``, and ``low`` and ``high`` are left open.
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
        """The side as a user writes it: ``(100.0, None)``, ``["ether"]``."""
        if self.values is not None:
            return list(self.values)
        return tuple(end if math.isfinite(end) else None for end in (self.low, self.high))

    def __str__(self) -> str:
        """Return the side in words: ``temp_C 100 or more``."""
        if self.values is not None:
            return f"{self.axis} {' or '.join(map(str, self.values))}"
        if self.high == math.inf:
            return f"{self.axis} {self.low:.6g} or more"
        if self.low == -math.inf:
            return f"{self.axis} {self.high:.6g} or less"
        return f"{self.axis} {self.low:.6g} to {self.high:.6g}"


@frozen(repr=False)
class Region:
    """The places within all of its ``sides``, edges included."""

    sides: tuple[Side, ...]

    def holds(self, x: Points) -> Mask:
        """Return which rows lie in the region."""
        return np.asarray(np.logical_and.reduce([side.covers(x[:, side.column]) for side in self.sides]))

    @property
    def stated(self) -> dict[str, Any]:
        """The region as a user writes it: ``{"temp_C": (100.0, None), "solvent": ["ether"]}``."""
        return {side.axis: side.stated for side in self.sides}

    def __repr__(self) -> str:
        return repr(self.stated)

    def __str__(self) -> str:
        """Return the region in words: ``temp_C 100 or more with solvent ether``."""
        return " with ".join(map(str, self.sides))


def read_regions(regions: object, axes: Sequence[Axis]) -> tuple[Region, ...]:
    """Return the regions that the user stated as dicts, every value checked."""
    if isinstance(regions, str) or not isinstance(regions, Sequence):
        raise InvalidInput(f"forbidden must be a list of regions, each a dict by axis, got {regions!r}")
    if len(regions) > MOST_REGIONS:
        raise InvalidInput(f"forbidden has {len(regions)} regions, {MOST_REGIONS} at most; list the allowed places")
    return tuple(_read_region(region, axes, f"forbidden[{i}]") for i, region in enumerate(regions))


def retired_regions(axes: Sequence[Axis]) -> tuple[Region, ...]:
    """Return a region for each choice with values that are retired."""
    gone = [{axis.name: axis.retired} for axis in axes if isinstance(axis, Choice) and axis.retired]
    return read_regions(gone, axes)


def are_within(regions: Iterable[Region], x: Points) -> Mask:
    """Return which rows lie in any of the regions."""
    return np.asarray(np.logical_or.reduce([np.zeros(len(x), dtype=bool), *(region.holds(x) for region in regions)]))


def forbidding(space: AnySpace, place: Values) -> Region | None:
    """Return the first forbidden region that a place lies in; None if it lies in none."""
    regions: tuple[Region, ...] = getattr(space, "regions", ())
    return next((region for region in regions if region.holds(place[None, :])[0]), None)


def _read_region(region: object, axes: Sequence[Axis], where: str) -> Region:
    if isinstance(region, Region):
        region = region.stated
    if not isinstance(region, Mapping):
        raise InvalidInput(f"{where} must be a dict such as {{'temp_C': (100, None)}}, got {region!r}")
    if not region:
        raise InvalidInput(f"{where} is empty, and would forbid every place; name at least one axis")
    check_known(region, [axis.name for axis in axes], where)
    named = [(axis, column) for column, axis in enumerate(axes) if axis.name in region]
    return Region(tuple(_read_side(axis, column, region[axis.name], where) for axis, column in named))


def _read_side(axis: Axis, column: int, stated: Any, where: str) -> Side:
    if isinstance(axis, Choice):
        listed = list(stated) if isinstance(stated, list | tuple | set | frozenset) else [stated]
        if not listed:
            raise InvalidInput(f"{where}: axis {axis.name!r} has no values; name some, or leave the axis out")
        positions = tuple(sorted({read_value(axis, value, where) for value in listed}))
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
    """Return an end as a number; ``beyond`` if it is open."""
    if value is None or (isinstance(value, float) and value == beyond):
        return beyond
    return checks.number(value, what) + 0.0  # + 0.0 turns -0.0 into 0.0


MARGIN = 1e-5
"""Distance that a real number keeps from an edge, as a share of its axis: so it is off it when shown, too."""
MOST_PIECES = 5000
"""More pieces are refused: every place would be compared with each of them."""
MOST_REGIONS = 5000
MOST_CUTS = 500_000
"""Pieces cut by a region, over all regions; more would take longer than 10 seconds."""
MOST_PAIRS = 1_000_000
"""Places times pieces compared at one time."""

Interval: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[Interval, ...]
"""An interval for each axis, ends included; for a choice, of its positions."""


@frozen(eq=False)
class Pieces:
    """The allowed places as n boxes: ``lows`` and ``highs`` are (n, d), both included."""

    axes: tuple[Axis, ...]
    lows: Points
    highs: Points

    @classmethod
    def left_by(cls, regions: Sequence[Region], axes: tuple[Axis, ...]) -> "Pieces":
        """Return the pieces that the regions leave of the axes; a region that leaves nothing is an error."""
        bounds, cuts = np.array([[_ends(axis) for axis in axes]]), 0
        for i, region in enumerate(regions):
            # Only boxes that the region meets are cut, in their places: the order of the pieces decides what is drawn.
            met = np.flatnonzero(_may_meet(region, bounds))
            if not len(met):
                continue
            parts, before = [], 0
            for at in met.tolist():
                box: Box = tuple((low, high) for low, high in bounds[at].tolist())
                left = np.array(_without(box, region, axes)).reshape(-1, len(axes), 2)
                parts += [bounds[before:at], left]
                before = at + 1
            bounds = np.concatenate([*parts, bounds[before:]])
            if not len(bounds):
                hint = "narrow it, or one before it" if i else "narrow it"
                raise InvalidInput(f"forbidden[{i}] ({region}) leaves no places at all; {hint}")
            cuts += len(met)
            if len(bounds) > MOST_PIECES or cuts > MOST_CUTS:
                raise InvalidInput(
                    f"forbidden: {i + 1} regions cut the space into more than {MOST_PIECES} pieces, or too often; "
                    "state fewer, or list the allowed places, Places(...)"
                )
        return cls(axes, bounds[:, :, 0], bounds[:, :, 1])

    @property
    def size(self) -> int | None:
        """Number of places; None for infinitely many."""
        if any(axis.size is None for axis in self.axes):
            return None
        steps: Matrix = (self.highs - self.lows) / [_step(axis) for axis in self.axes]
        # In Python's integers: the product may be too large for NumPy's.
        return int(sum(math.prod(round(n) + 1 for n in box) for box in steps.tolist()))

    def nearest(self, x: Points, apart: float = 1.0) -> Points:
        """Return for each row the nearest place, in the unit cube where values of a choice are ``apart``.

        A row must be within the axes.
        """
        found = np.empty(x.shape)
        chunk = max(1, MOST_PAIRS // len(self.lows))
        for start in range(0, len(x), chunk):
            rows = x[start : start + chunk]
            piece = self._gaps(rows, apart).argmin(axis=0)
            found[start : start + chunk] = np.clip(rows, self.lows[piece], self.highs[piece])
        return found

    def _gaps(self, x: Points, apart: float) -> Matrix:
        """Return (pieces, rows): the squared distances; values of a choice are ``apart``."""
        gaps = np.zeros((len(self.lows), len(x)))
        for column, axis in enumerate(self.axes):
            if not axis.width:
                continue
            at, low, high = x[:, column], self.lows[:, column, None], self.highs[:, column, None]
            there = np.clip(at, low, high)
            if isinstance(axis, Choice):
                gaps += apart**2 * (there != at)
            else:
                gaps += np.square(axis.encode(there.ravel())[:, 0].reshape(gaps.shape) - axis.encode(at)[:, 0])
        return gaps

    def sample(self, n: int, rng: Generator) -> Points:
        """Return ``n`` places spread evenly over the pieces, each by its share of the space."""
        active = [column for column, axis in enumerate(self.axes) if axis.width]
        unit = net(n, 1 + len(active), rng) if n else np.zeros((0, 1 + len(active)))
        # The first coordinate of the net picks the piece, by its volume; the others the place in it.
        shares = [_shares(self.axes[column], self.lows[:, column], self.highs[:, column]) for column in active]
        weights = math.prod((end - begin for begin, end in shares), start=np.ones(len(self.lows)))
        ranks = np.cumsum(weights if weights.any() else np.ones(len(weights)))
        piece = np.minimum(np.searchsorted(ranks, unit[:, 0] * ranks[-1], side="right"), len(ranks) - 1)
        x: Points = self.lows[piece]
        for column, (begin, end), where in zip(active, shares, unit.T[1:], strict=True):
            numbers = self.axes[column].place(begin[piece] + where * (end - begin)[piece])
            # A share may be rounded out of its piece.
            x[:, column] = np.clip(numbers, self.lows[piece, column], self.highs[piece, column])
        return x

    def everything(self) -> Points:
        """Return all places of a finite space, in the order of their values."""
        every = [axis.everything() for axis in self.axes]
        grids = [
            grid([numbers[(numbers >= a) & (numbers <= b)] for numbers, a, b in zip(every, low, high, strict=True)])
            for low, high in zip(self.lows, self.highs, strict=True)
        ]
        return np.unique(np.vstack(grids), axis=0)


def _ends(axis: Axis) -> Interval:
    low, high = axis.snap(np.array([-math.inf, math.inf])).tolist()
    return low, high


def _step(axis: Axis) -> float:
    return 1 if axis.grid is None else axis.grid.step


def _shares(axis: Axis, lows: Values, highs: Values) -> tuple[Values, Values]:
    """Return the shares of an axis between which ``axis.place`` gives these numbers."""
    if axis.grid is not None:
        return axis.grid.shares(lows)[0], axis.grid.shares(highs)[1]
    if isinstance(axis, Choice):
        return lows / axis.size, (highs + 1) / axis.size
    return axis.encode(lows)[:, 0], axis.encode(highs)[:, 0]


def _may_meet(region: Region, bounds: NDArray[np.float64]) -> Mask:
    """Return which boxes, (n, d, 2), a region may cover a part of; all others it misses along some axis."""
    met = np.ones(len(bounds), dtype=bool)
    for side in region.sides:
        low, high = bounds[:, side.column].T
        if side.values is None:
            met &= np.maximum(low, side.low) <= np.minimum(high, side.high)
        else:
            met &= np.searchsorted(side.positions, low) < np.searchsorted(side.positions, high, side="right")
    return met


def _without(box: Box, region: Region, axes: Sequence[Axis]) -> list[Box]:
    """Return the parts of a box that a region leaves, side by side."""
    # A region that misses the box along one axis leaves it whole.
    if not all(_cut(axes[side.column], side, *box[side.column])[0] for side in region.sides):
        return [box]
    left: list[Box] = []
    covered = [box]
    for side in region.sides:
        still: list[Box] = []
        for one in covered:
            inside, outside = _cut(axes[side.column], side, *one[side.column])
            for parts, ends in ((still, inside), (left, outside)):
                parts.extend((*one[: side.column], end, *one[side.column + 1 :]) for end in ends)
        covered = still
    return left


def _cut(axis: Axis, side: Side, low: float, high: float) -> tuple[list[Interval], list[Interval]]:
    """Return the parts of an interval that a side covers, and those that it does not."""
    if isinstance(axis, Choice):
        return _runs(side, low, high)
    first, last = max(low, side.low), min(high, side.high)
    if axis.grid is not None:
        first, last = axis.grid.next_to(first, 1), axis.grid.next_to(last, -1)
    if first > last:
        return [], [(low, high)]
    # A part narrower than the margin keeps its far end, so that every allowed place is near to a piece.
    below = [(low, max(low, _beside(axis, first, -1)))] if low < first else []
    above = [(min(high, _beside(axis, last, 1)), high)] if last < high else []
    return [(first, last)], below + above


def _beside(axis: Real | Integer, edge: float, way: int) -> float:
    """Return the number next to an edge: below it with ``way`` -1, above it with 1."""
    if axis.grid is not None:
        return float(axis.grid.beyond(axis.grid.steps(np.array([edge])) + way)[0])
    margin = way * MARGIN
    off = edge * (axis.high / axis.low) ** margin if axis.log else edge + margin * (axis.high - axis.low)
    # On a narrow axis far from 0 the margin may be rounded to nothing.
    return off if (off - edge) * way > 0 else math.nextafter(edge, way * math.inf)


def _runs(side: Side, low: float, high: float) -> tuple[list[Interval], list[Interval]]:
    positions = np.arange(low, high + 1)
    covered = side.covers(positions)
    runs = np.split(positions, np.flatnonzero(np.diff(covered)) + 1)
    first = 0 if covered[0] else 1  # covered and free runs take turns
    inside, outside = ([(float(run[0]), float(run[-1])) for run in runs[at::2]] for at in (first, 1 - first))
    return inside, outside

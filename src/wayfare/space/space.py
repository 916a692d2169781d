"""``Space``: named axes, all combinations allowed but for those that are forbidden or break a constraint."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core import checks
from wayfare._core.arrays import Features, Mask, Matrix, Points, Values, read_only, whole
from wayfare._core.format import Params, Scale
from wayfare.errors import InvalidInput
from wayfare.space.axes import Axis, Choice, Integer, Real, Scalar
from wayfare.space.constraints import Constraint, Function, read_constraints
from wayfare.space.designs import deal, grid, latin_through, nearest_rows, net, numbers_of
from wayfare.space.feasible import Feasible
from wayfare.space.forbidden import Pieces, Region, are_within, read_regions, retired_regions
from wayfare.space.reading import read_points

MOST_AXES = 64
FARTHEST = 1e100
"""Widths of an axis beyond which no place may be; there, the square of a distance is no float any more."""
DEALS = 16
"""How often a survey deals out the values of choices, to find some that are allowed together."""
LOOKED = 256
"""Number of allowed places among which it looks for values where it finds none."""


@frozen(init=False, repr=False)
class Space:
    """The places that ``axes`` span, 64 axes at most, but for those in a ``forbidden`` region.

    Axes of zero width are fixed: they are part of every place, and the surrogate does not see them.

    A region is a dict: for an axis of numbers ``(low, high)``, None for an open end; for a choice a list of
    values, or one. A place is forbidden if it is within all that the dict names, edges included:
    ``{"temp_C": (100, None), "solvent": ["ether"]}``. Only places are forbidden: a leg may lead through a
    region, unless the travel cost goes around it (``Raster``).

    ``constraints`` are rules between axes that every place keeps: ``Linear``, ``Product``, ``Only``, or a function that
    takes columns by axis and returns which places are allowed.
    """

    axes: tuple[Axis, ...]
    forbidden: tuple[Region, ...]
    constraints: tuple[Constraint, ...]
    d: int = field(eq=False)
    """Number of axes, fixed ones included."""
    names: tuple[str, ...] = field(eq=False)
    choices: tuple[tuple[Scalar, ...] | None, ...] = field(eq=False)
    groups: NDArray[np.intp] = field(eq=False)
    _active: tuple[tuple[int, Axis, slice], ...] = field(eq=False)
    """Column, axis and feature columns of all that are not fixed."""
    regions: tuple[Region, ...] = field(eq=False)
    """The forbidden regions, and those that the retired values of choices leave out."""
    _pieces: Pieces | None = field(eq=False)
    _feasible: Feasible | None = field(eq=False)
    once = False

    def __init__(
        self,
        *axes: Axis,
        forbidden: Sequence[Mapping[str, Any] | Region] = (),
        constraints: Sequence[Constraint | Function] = (),
    ) -> None:
        _check_axes(axes)
        rules = read_constraints(constraints, axes)
        stated = read_regions(forbidden, axes)
        regions = (*stated, *retired_regions(axes))
        names, choices = tuple(axis.name for axis in axes), tuple(axis.choices for axis in axes)
        ends = np.cumsum([axis.width for axis in axes]).tolist()
        active = tuple((i, axis, slice(ends[i] - axis.width, ends[i])) for i, axis in enumerate(axes) if axis.width)
        groups = whole(np.repeat(np.arange(len(active)), [axis.width for _, axis, _ in active]))
        pieces = Pieces.left_by(regions, axes) if regions else None
        feasible = Feasible.of(Space(*axes, forbidden=stated), axes, rules) if rules else None
        self.__attrs_init__(axes, stated, rules, len(axes), names, choices, groups, active, regions, pieces, feasible)

    def __repr__(self) -> str:
        forbidden = [f"forbidden={list(self.forbidden)!r}"] if self.forbidden else []
        constraints = [f"constraints={list(self.constraints)!r}"] if self.constraints else []
        return f"Space({', '.join([*map(repr, self.axes), *forbidden, *constraints])})"

    @property
    def whole(self) -> "Space":
        """The space with nothing forbidden or retired, and without constraints."""
        axes = [Choice(axis.name, axis.values, axis.unit) if isinstance(axis, Choice) else axis for axis in self.axes]
        return Space(*axes) if self.regions or self.constraints else self

    @cached_property
    def size(self) -> int | None:
        """Number of places; None for infinitely many, and with constraints for too many to list."""
        if self._feasible is not None:
            return len(self._feasible.pool) if self._feasible.is_whole else None
        if self._pieces is not None:
            return self._pieces.size
        sizes = [axis.size for axis in self.axes]
        return None if None in sizes else math.prod(size for size in sizes if size is not None)

    @cached_property
    def _choices(self) -> list[tuple[int, int]]:
        """Column and number of values of every choice that is not fixed."""
        return [(column, axis.width) for column, axis, _ in self._active if axis.choices is not None]

    def column(self, axis: str | int) -> int:
        """Return the column of an axis, given its name or already its number."""
        if isinstance(axis, str):
            if axis in self.names:
                return self.names.index(axis)
            raise InvalidInput(f"there is no axis {axis!r}; {checks.nearest(axis, self.names)}")
        column = checks.whole(axis, "an axis number")
        if not 0 <= column < self.d:
            raise InvalidInput(f"there is no axis number {axis}; they are 0 to {self.d - 1}")
        return column

    def points(self, places: object) -> Points:
        """Return the (n, d) rows of the places that the user wrote; they may be out of bounds.

        Takes a dict, a list of dicts, a DataFrame, an array or a list of rows.
        """
        x = read_points(places, self.axes)
        self._check_near(x)
        return x

    def _check_near(self, x: Points) -> None:
        """Refuse places so far out that a distance to them is no float any more; those within the axes are not."""
        outside = self._bounded(x) != x
        if not outside.any():
            return
        for column, axis in enumerate(self.axes):
            numbers = x[:, column]
            far = np.abs(numbers) > checks.LARGEST_PLACE
            if axis.width:
                with np.errstate(over="ignore"):
                    far |= ~(np.abs(axis.encode(numbers)) < FARTHEST).all(axis=1)
            if (wrong := far & outside[:, column]).any():
                number = float(numbers[int(wrong.argmax())])
                raise InvalidInput(f"axis {axis.name!r}: {number!r} is too far beyond its bounds; look at its unit")

    @cached_property
    def scales(self) -> dict[str, Scale]:
        """How the values of each axis are written."""
        return {axis.name: axis.scale for axis in self.axes}

    def params(self, x: Points) -> dict[str, Scalar]:
        """Return one row as plain Python values by name; printed by wayfare, each in the unit of its axis."""
        params = Params([(axis.name, axis.value(number)) for axis, number in zip(self.axes, x, strict=True)])
        params.scales = self.scales
        return params

    def contains(self, x: Points) -> Mask:
        """Return which rows are allowed places."""
        if self._feasible is not None:
            return self._feasible.keeps(x)
        inside: Mask = (self._bounded(x) == x).all(axis=1)
        return inside & ~are_within(self.regions, x) if self.regions else inside

    def snap(self, x: Points) -> Points:
        """Return the nearest allowed places: within the axes, and from there out of forbidden regions.

        Out of a region it is the nearest place in the unit cube, where two values of a choice are 1 apart. A
        real number keeps 1e-5 of its axis from the edge, so that it is off it when shown in six digits, too. With
        constraints it is a near place, not always the nearest.
        """
        if self._feasible is not None:
            return self._feasible.snap(x)
        return self._allowed(self._bounded(x)) if self.regions else self._bounded(x)

    def _bounded(self, x: Points) -> Points:
        snapped = np.empty(x.shape)
        for column, axis in enumerate(self.axes):
            snapped[:, column] = axis.snap(x[:, column])
        return snapped

    def _allowed(self, x: Points) -> Points:
        """Return places within the axes, those in a forbidden region moved out of it."""
        if self._pieces is not None and (moved := are_within(self.regions, x)).any():
            x[moved] = self._pieces.nearest(x[moved])
        return x

    def encode(self, x: Points) -> Features:
        """Return the rows in the unit cube; a choice takes one column per value, a fixed axis none."""
        features = np.empty((len(x), len(self.groups)))
        for column, axis, span in self._active:
            features[:, span] = axis.encode(x[:, column])
        # A place may be stored that is too far out to be told how far.
        return np.clip(features, -FARTHEST, FARTHEST, out=features)

    def sample(self, n: int, rng: Generator) -> Points:
        """Return ``n`` places spread evenly by a randomly shifted Sobol net; with constraints, by a random walk."""
        if self._feasible is not None:
            return self._feasible.sample(n, rng)
        if self._pieces is not None:
            return self._pieces.sample(n, rng)
        unit = np.zeros((n, self.d))
        if n and self._active:
            unit[:, [column for column, *_ in self._active]] = net(n, len(self._active), rng)
        x = self._placed(unit)
        # A net favours the ends of a list where there are few points: which values these are is drawn.
        for column, size in self._choices:
            x[:, column] = rng.permutation(size)[x[:, column].astype(np.intp)]
        return x

    def survey(self, start: Values, n: int, rng: Generator) -> Points:
        """Return ``n`` places that share the space evenly with ``start``, drawn together about its middle.

        With the start they are a Latin hypercube, and along each of the d axes that hold numbers their
        distances from the middle are divided by sqrt(d), so that a leg is about as long in many dimensions as
        in one. Choices have no middle: with the start, every value is shown as often as any other or once more, and
        which places show it is drawn. On axes of few values places may coincide, also with the start. A forbidden
        place moves to the nearest allowed one, if it can be with the same values of choices.

        Args:
            start: the place where the study begins, in the user's units.
            n: the number of places; there may be fewer where values of choices are forbidden.
            rng: draws which slices of the axes and which values come together.
        """
        if self._feasible is not None:
            return self._feasible.survey(start, n, rng)
        unit = np.zeros((n, self.d))
        numeric = [(column, axis) for column, axis, _ in self._active if axis.choices is None]
        here = np.array([axis.encode(start[[column]])[0, 0] for column, axis in numeric])
        drawn = max(1, len(numeric)) ** -0.5
        unit[:, [column for column, _ in numeric]] = 0.5 + drawn * (latin_through(here, n, rng) - 0.5)
        x = self._placed(unit)
        if not self._choices:
            return self._allowed(x)
        start = self._bounded(start[None, :])
        for _ in range(DEALS):
            for column, size in self._choices:
                x[:, column] = deal(size, n, rng, shown=int(start[0, column]))
            if self._pieces is None:
                return x
            near = np.where(self.contains(x)[:, None], x, self._pieces.nearest(x, apart=self.d + 1.0))
            kept = (near == x)[:, [column for column, _ in self._choices]].all(axis=1)
            if kept.all():
                break
        # The values of the rest are never allowed together.
        seen = np.vstack([start, near[kept]])
        rest = nearest_rows(self, self.sample(LOOKED, rng), seen, numbers_of(self, x[~kept]), rng)
        return np.vstack([near[kept], rest])

    def at(self, unit: Matrix) -> Points:
        """Return the places at these (n, d) shares of each axis, or the nearest allowed to them."""
        placed = self._placed(unit)
        return self._allowed(placed) if self._feasible is None else self._feasible.snap(placed)

    def _placed(self, unit: Matrix) -> Points:
        x = np.empty(unit.shape)
        for column, axis in enumerate(self.axes):
            x[:, column] = axis.place(unit[:, column])
        return x

    def around(self, x: Points, radius: float, n: int, rng: Generator) -> Points:
        """Return ``n`` places near each row, centre by centre.

        Each differs from its centre along a few axes, three to four on average however many
        there are: in many dimensions, moving along all of them at once leaves what was good.

        Args:
            x: (m, d) centres; they may be out of bounds.
            radius: standard deviation of the moves, in the unit cube.
            n: the number of places for each centre.
            rng: draws the axes and the moves.
        """
        if self._feasible is not None:
            return self._feasible.around(x, radius, n, rng)
        cloud = np.repeat(self.snap(x), n, axis=0)
        axes = len(self._active)
        if not axes or not len(cloud):
            return cloud
        # One axis always, and of the others 2.5 on average, but no more than 0.7 of them.
        moved = rng.random((len(cloud), axes)) < min(0.7, 2.5 / max(1, axes - 1))
        moved[np.arange(len(cloud)), rng.integers(axes, size=len(cloud))] = True
        for (column, axis, _), rows in zip(self._active, moved.T, strict=True):
            cloud[rows, column] = axis.nudge(cloud[rows, column], radius, rng)
        return self._allowed(cloud) if self.regions else cloud

    def everything(self, limit: int) -> Points | None:
        """Return all places if there are at most ``limit``, else None."""
        if self.size is None or self.size > limit:
            return None
        if self._feasible is not None:
            return self._feasible.pool
        if self._pieces is not None:
            return read_only(self._pieces.everything())
        return read_only(grid([axis.everything() for axis in self.axes]))

    def without(self, x: Points) -> "Space":
        """Return the space itself: any place may be visited again."""
        return self


def _check_axes(axes: tuple[Any, ...]) -> None:
    if not axes:
        raise InvalidInput("a space needs at least one axis; give it a Real, an Integer or a Choice")
    if len(axes) > MOST_AXES:
        raise InvalidInput(f"a space has {MOST_AXES} axes at most, got {len(axes)}; leave some out")
    for at, axis in enumerate(axes):
        if not isinstance(axis, Real | Integer | Choice):
            raise InvalidInput(f"an axis must be a Real, an Integer or a Choice, got {axis!r}; write Space(*axes)")
        if axis.name in [other.name for other in axes[:at]]:
            raise InvalidInput(f"two axes are named {axis.name!r}; rename one")

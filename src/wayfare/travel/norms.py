"""Travel costs that are norms of the displacement."""

from collections.abc import Mapping
from typing import Literal, Self

import numpy as np
from attrs import evolve, field, frozen

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points, Values
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.travel.base import AxisName, Cost, as_axes, as_axis, as_unit, columns_of, numeric_columns


def _as_scale(scale: object) -> float | dict[AxisName, float]:
    if not isinstance(scale, Mapping):
        return checks.positive(scale, "scale")
    return {
        as_axis(axis, "an axis of scale"): checks.positive(value, f"scale of axis {axis!r}")
        for axis, value in scale.items()
    }


NormName = Literal["euclidean", "cityblock", "chebyshev"]
FEW = 64
"""Up to so many pairs NumPy is as fast as SciPy: who prices a leg or two need not wait for the import."""


def _norm_of_few(starts: Points, ends: Points, name: NormName, weights: Values | None) -> Matrix:
    total = np.zeros((len(starts), len(ends)))
    for column in range(starts.shape[1]):
        move = np.subtract.outer(starts[:, column], ends[:, column])
        size = np.square(move) if name == "euclidean" else np.abs(move)
        if name == "chebyshev":
            np.maximum(total, size, out=total)
        else:
            total += size if weights is None else weights[column] * size
    return np.sqrt(total) if name == "euclidean" else total


@frozen
class Norm(Cost):
    """What the three norms share: which axes count, and what a unit of each costs.

    ``axes`` are names or columns. None means all; once bound to a space, all that hold numbers.
    ``scale`` is what a unit costs: one number, or a dict by axis where those left out cost 1.
    """

    axes: tuple[AxisName, ...] | None = field(default=None, converter=as_axes)
    scale: float | dict[AxisName, float] = field(default=1.0, converter=_as_scale, hash=False)
    unit: str = field(default="", converter=as_unit)

    def __attrs_post_init__(self) -> None:
        if isinstance(self.scale, dict) and self.axes is not None:
            for axis in self.scale:
                if axis not in self.axes:
                    hint = checks.nearest(axis, map(str, self.axes))
                    raise InvalidInput(f"scale has {axis!r}, which is not among the axes; {hint}")

    @property
    def is_metric(self) -> bool:
        """True, as for every norm."""
        return True

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the columns of ``space``; without ``axes``, on all that hold numbers."""
        what = type(self).__name__
        columns = numeric_columns(self.axes, space, what)
        # None is the fast way to say all, in order.
        axes = None if columns == tuple(range(space.d)) else columns
        if not isinstance(self.scale, dict):
            return evolve(self, axes=axes)
        scaled = numeric_columns(tuple(self.scale), space, f"scale of {what}")
        return evolve(self, axes=axes, scale=dict(zip(scaled, self.scale.values(), strict=True)))

    def _pick(self, x: Points) -> Points:
        return x if self.axes is None else x[:, columns_of(self.axes)]

    def _weights(self, d: int) -> Values | None:
        """What a unit of each axis that counts costs, out of ``d`` columns; None if all cost the same."""
        if not isinstance(self.scale, dict):
            return None
        columns_of(tuple(self.scale))
        return np.array([self.scale.get(axis, 1.0) for axis in self.axes or range(d)])

    def _norm(self, origins: Points, targets: Points, name: NormName, weights: Values | None) -> Matrix:
        # By differences, so near places keep all their digits; the Gram trick would lose them.
        starts, ends = self._pick(origins), self._pick(targets)
        if len(starts) * len(ends) <= FEW:
            matrix = _norm_of_few(starts, ends, name, weights)
        else:
            from scipy.spatial.distance import cdist  # 2 to 5 times as fast as NumPy, but slow to import

            matrix = cdist(starts, ends, name, w=weights)
        return matrix if isinstance(self.scale, dict) or self.scale == 1.0 else matrix * self.scale


@frozen
class Euclidean(Norm):
    """The straight line."""

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        weights = self._weights(origins.shape[1])
        return self._norm(origins, targets, "euclidean", None if weights is None else weights**2)


@frozen
class Manhattan(Norm):
    """The sum of the moves along each axis: one after another."""

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        return self._norm(origins, targets, "cityblock", self._weights(origins.shape[1]))


@frozen
class Chebyshev(Norm):
    """The longest of the moves along each axis: all at the same time."""

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        weights = self._weights(origins.shape[1])
        if weights is None:
            return self._norm(origins, targets, "chebyshev", None)
        # To SciPy, weights of this norm only say which axes count.
        longest = np.zeros((len(origins), len(targets)))
        for start, end, weight in zip(self._pick(origins).T, self._pick(targets).T, weights, strict=True):
            np.maximum(longest, weight * np.abs(np.subtract.outer(start, end)), out=longest)
        return longest

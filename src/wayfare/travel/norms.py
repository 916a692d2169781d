"""Norms of the displacement: straight lines, moves axis by axis, and moves along all axes at once."""

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
from attrs import evolve, field, frozen

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points, Values
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.travel.base import AxisName, as_axes, as_axis, as_unit, columns_of, numeric_columns
from wayfare.travel.combine import Cost
from wayfare.travel.embedding import Embedding, NormName

FEW_PAIRS = 64
"""Up to so many pairs NumPy is as fast as SciPy, and pricing a leg or two need not wait for SciPy's import."""


def _as_scale(scale: object) -> float | dict[AxisName, float]:
    if not isinstance(scale, Mapping):
        return checks.positive(scale, "scale")
    return {
        as_axis(axis, "an axis of scale"): checks.positive(value, f"scale of axis {axis!r}")
        for axis, value in scale.items()
    }


@frozen
class Norm(Cost):
    """A norm of the displacement along some axes, each scaled by the cost of one unit of it."""

    axes: tuple[AxisName, ...] | None = field(default=None, converter=as_axes)
    scale: float | dict[AxisName, float] = field(default=1.0, converter=_as_scale, hash=False)
    unit: str = field(default="", converter=as_unit)
    is_metric = True
    _norm: ClassVar[NormName]

    def __attrs_post_init__(self) -> None:
        if isinstance(self.scale, dict) and self.axes is not None:
            for axis in self.scale:
                if axis not in self.axes:
                    hint = checks.nearest(axis, map(str, self.axes))
                    raise InvalidInput(f"scale has {axis!r}, which is not among the axes; {hint}")

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the columns of ``space``; without ``axes``, on all that hold numbers."""
        what = type(self).__name__
        columns = numeric_columns(self.axes, space, what)
        # None, for all columns in order, spares a copy of the places at every call.
        axes = None if columns == tuple(range(space.d)) else columns
        if not isinstance(self.scale, dict):
            return evolve(self, axes=axes)
        scaled = numeric_columns(tuple(self.scale), space, f"scale of {what}")
        return evolve(self, axes=axes, scale=dict(zip(scaled, self.scale.values(), strict=True)))

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        if self.axes is not None:
            columns = columns_of(self.axes)
            origins, targets = origins[:, columns], targets[:, columns]
        if not isinstance(self.scale, dict):
            costs = self._distances(origins, targets, None)
            return costs if self.scale == 1.0 else costs * self.scale
        return self._distances(origins, targets, self._weights(origins.shape[1]))

    def embedding(self, places: Points) -> Embedding:
        """Return the places with each axis times its scale."""
        x = places if self.axes is None else places[:, columns_of(self.axes)]
        return Embedding(x * (self._weights(x.shape[1]) if isinstance(self.scale, dict) else self.scale), self._norm)

    def _weights(self, d: int) -> Values:
        """Return the scale of each of the ``d`` axes that count."""
        assert isinstance(self.scale, dict)
        columns_of(tuple(self.scale))
        return np.array([self.scale.get(axis, 1.0) for axis in self.axes or range(d)])

    def _distances(self, starts: Points, ends: Points, weights: Values | None) -> Matrix:
        """Return the (n, m) norms of the displacements, each axis times its weight."""
        # By differences, so near places keep all their digits; the Gram trick would lose them.
        squared = self._norm == "euclidean"
        weights = weights**2 if squared and weights is not None else weights
        # To SciPy, weights of the Chebyshev norm only say which axes count.
        if len(starts) * len(ends) > FEW_PAIRS and (self._norm != "chebyshev" or weights is None):
            from scipy.spatial.distance import cdist  # 2 to 5 times as fast as NumPy, but slow to import

            return cdist(starts, ends, self._norm, w=weights)
        total = np.zeros((len(starts), len(ends)))
        join = np.maximum if self._norm == "chebyshev" else np.add
        for column in range(starts.shape[1]):
            move = np.subtract.outer(starts[:, column], ends[:, column])
            size = np.square(move) if squared else np.abs(move)
            join(total, size if weights is None else weights[column] * size, out=total)
        return np.sqrt(total) if squared else total


@frozen
class Euclidean(Norm):
    """The length of the straight line.

    Attributes:
        axes: names or columns of the axes that count; None for all that hold numbers.
        scale: the cost of one unit of an axis: one number, or a dict by axis with 1 for those left out.
        unit: the unit of the cost.
    """

    _norm = "euclidean"


@frozen
class Manhattan(Norm):
    """The sum of the moves along each axis, made one after another.

    Attributes:
        axes: names or columns of the axes that count; None for all that hold numbers.
        scale: the cost of one unit of an axis: one number, or a dict by axis with 1 for those left out.
        unit: the unit of the cost.
    """

    _norm = "cityblock"


@frozen
class Chebyshev(Norm):
    """The longest of the moves along each axis, all made at the same time.

    Attributes:
        axes: names or columns of the axes that count; None for all that hold numbers.
        scale: the cost of one unit of an axis: one number, or a dict by axis with 1 for those left out.
        unit: the unit of the cost.
    """

    _norm = "chebyshev"

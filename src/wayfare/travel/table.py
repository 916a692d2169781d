"""``Table``: a matrix of costs over a finite table of places."""

from contextlib import suppress
from functools import cached_property
from typing import Any, Self

import numpy as np
from attrs import cmp_using, evolve, field, frozen

from wayfare._core.arrays import Matrix, Order, Points, read_only
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.space.places import Places
from wayfare.travel.base import TravelCost, as_unit, priced
from wayfare.travel.check import has_detour, is_metric
from wayfare.travel.combine import Cost

MOST_DETOURS = 500
"""Of more places, so many are tried as detours."""


def read_square(values: Any, what: str) -> Matrix:
    """Return an (n, n) read-only matrix of costs: finite, not negative, zero on the diagonal."""
    try:
        matrix = read_only(values)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{what} must hold numbers in rows of one length: {error}") from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise InvalidInput(f"{what} must be square, got shape {matrix.shape}")
    wrong = ~np.isfinite(matrix) | (matrix < 0)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InvalidInput(f"{what} must be finite and not negative, got {matrix[row, column]} from {row} to {column}")
    if matrix.diagonal().any():
        at = int(np.flatnonzero(matrix.diagonal())[0])
        raise InvalidInput(f"{what} must be 0 on the diagonal, got {matrix[at, at]} at {at}")
    return matrix


def _as_matrix(matrix: object) -> Matrix:
    return read_square(matrix, "the matrix of a Table")


@frozen
class Table(Cost):
    """Costs that are known for every pair of places; they may differ by direction.

    Attributes:
        places: the table of places.
        matrix: (n, n), from the place of each row to the place of each column; zero on its diagonal.
        unit: the unit of the matrix.
    """

    places: Places
    matrix: Matrix = field(converter=_as_matrix, eq=cmp_using(eq=np.array_equal), hash=False, repr=False)
    unit: str = field(default="", converter=as_unit)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.places, Places):
            raise InvalidInput(f"places of a Table must be Places, got {self.places!r}; use Places(table)")
        if len(self.matrix) != self.places.size:
            raise InvalidInput(
                f"the matrix of a Table has shape {self.matrix.shape} for {self.places.size} places; "
                "give a row and a column for each place"
            )

    @classmethod
    def of(cls, cost: TravelCost, places: Places) -> Self:
        """Return the table of what ``cost`` asks between all ``places``.

        Worth it if the cost is slow, as on a large map: a study keeps the table, and never asks again.
        """
        bound = cost.bind(places)
        return cls(places, priced(bound, places.table, places.table), bound.unit)

    @cached_property
    def is_metric(self) -> bool:
        """Whether it is symmetric and no detour is cheaper, trying 500 detours at most."""
        return is_metric(self.matrix, self._detours)

    @cached_property
    def obeys_triangle(self) -> bool:
        """Whether no detour is cheaper, trying 500 detours at most."""
        return not has_detour(self.matrix, self._detours)

    @property
    def _detours(self) -> Order:
        n = len(self.matrix)
        return np.linspace(0, n - 1, min(n, MOST_DETOURS)).astype(np.intp)

    def bind(self, space: AnySpace) -> Self:
        """Return itself if it prices every place of ``space``, which may have more values of choices than its table."""
        if space.names != self.places.names or space.choices != self.places.choices:
            return self._among(space).bind(space)
        everything = None if space.size is None else space.everything(space.size)
        if everything is None:
            raise InvalidInput("a Table cannot price infinitely many places; use its Places as the space")
        self._look_up(everything)
        return self

    def _among(self, space: AnySpace) -> Self:
        """Return the same costs for the places as rows of ``space``, where a value may have another position."""
        own = self.places
        if isinstance(space, Places) and space.names == own.names and space.choices != own.choices:
            with suppress(InvalidInput):
                rows = space.points([own.params(row) for row in own.table])
                return evolve(self, places=Places.framed(rows, space.frame, own.once, own._whole))
        raise InvalidInput(f"a Table over {own.names} cannot price {space.names}; use the same Places for both")

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs; refuse a place that is not in the table."""
        return self.matrix[self._look_up(origins)[:, None], self._look_up(targets)]

    def _look_up(self, x: Points) -> Order:
        at = self.places.index(x)
        if len(at) and at.min() < 0:
            place = self.places.params(x[int(np.argmin(at))])
            raise InvalidInput(f"the Table has no cost for the place {place}; add it to its places and its matrix")
        return at

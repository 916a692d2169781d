"""A box of real axes as the unit cube, cut into equal cells."""

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from wayfare.arrays import Matrix, Order, Points
from wayfare.errors import InvalidInput
from wayfare.space import AnySpace, Real, Space

Cells = NDArray[np.intp]
"""(n, d): for each cell its number along each axis that varies, from 0."""


@frozen(eq=False)
class Box:
    """The unit cube of the axes that vary. A cell is half-open, but the last one has its upper side too."""

    space: Space
    columns: Order

    @classmethod
    def of(cls, space: AnySpace, who: str) -> "Box":
        """Return the box, or say which axis stands in the way."""
        if not isinstance(space, Space):
            raise InvalidInput(f"{who} needs a box of Real axes, got a table of places; use BaSE for a table")
        if space.forbidden:
            raise InvalidInput(
                f"{who} needs a whole box, and {space.forbidden[0]} is forbidden; narrow the axes, list the "
                "allowed places, Places(...), and use BaSE, or take the default method"
            )
        for axis in space.axes:
            if axis.width and not isinstance(axis, Real):
                raise InvalidInput(
                    f"{who} needs a box of Real axes, and axis {axis.name!r} is {type(axis).__name__}; "
                    "make it Real, or list the places, Places(...), and use BaSE"
                )
        columns = np.flatnonzero([axis.width for axis in space.axes])
        if not len(columns):
            raise InvalidInput(f"{who} needs an axis that varies; all axes of this space are fixed")
        return cls(space, columns)

    @property
    def d(self) -> int:
        """How many axes vary."""
        return len(self.columns)

    def centres(self, cells: Cells, parts: int) -> Points:
        """Return the places in the middle of cells of edge 1 / ``parts``."""
        unit = np.zeros((len(cells), self.space.d))
        unit[:, self.columns] = (cells + 0.5) / parts
        return self.space.at(unit)

    def cells(self, x: Points, parts: int) -> Cells:
        """Return the cell of edge 1 / ``parts`` that each place is in; -1 along all axes if it is in none."""
        unit = self.space.encode(x)
        cells = np.minimum(np.floor(unit * parts), parts - 1).astype(np.intp)
        cells[~self.space.contains(x)] = -1
        return cells

    def index(self, cells: Cells, x: Points, parts: int) -> Order:
        """Return which of ``cells`` each place is in, -1 for none of them."""
        known = {cell.tobytes(): i for i, cell in enumerate(np.ascontiguousarray(cells))}
        return np.array([known.get(cell.tobytes(), -1) for cell in self.cells(x, parts)], dtype=np.intp)


def every_cell(parts: int, d: int) -> Cells:
    """Return all cells of a cube cut into ``parts`` along each axis, the last axis running fastest."""
    return split(np.zeros((1, d), dtype=np.intp), parts)


def split(cells: Cells, parts: int) -> Cells:
    """Return the cells that come of cutting each into ``parts`` along each axis."""
    d = cells.shape[1]
    powers = parts ** np.arange(d - 1, -1, -1)
    inner: Cells = np.arange(parts**d)[:, None] // powers % parts
    return np.reshape(cells[:, None, :] * parts + inner[None], (-1, d))


def sup_distances(a: Matrix, b: Matrix) -> Matrix:
    """Return (n, m): the largest difference along any axis."""
    distances = np.zeros((len(a), len(b)))
    for column in range(a.shape[1]):
        np.maximum(distances, np.abs(a[:, column, None] - b[None, :, column]), out=distances)
    return distances

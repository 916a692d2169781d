"""The graph of steps from cell to cell of a map: which cells each step passes, and what it costs.

A step pays for its length in each cell that it passes through, so its cost is that of a straight line.
"""

import math
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise
from typing import Literal, TypeAlias, cast

import numpy as np
from attrs import frozen

from wayfare._core.arrays import Order, Values
from wayfare.errors import InvalidInput
from wayfare.travel.raster.grid import Cells
from wayfare.travel.raster.search import Searches

Moves: TypeAlias = Literal["eight", "any"]
Offset: TypeAlias = tuple[int, int]
"""Rows down and columns to the right."""

EIGHT: tuple[Offset, ...] = ((0, 1), (1, 0), (1, 1), (1, -1))
FURTHER = tuple(step for a, b in ((1, 2), (1, 3), (2, 3)) for step in ((a, b), (b, a), (a, -b), (b, -a)))
STEPS: dict[str, tuple[Offset, ...]] = {"eight": EIGHT, "any": EIGHT + FURTHER}
"""Half of the steps of each kind of moves; the others are the same steps taken back."""


def as_moves(moves: object) -> Moves:
    """Return the name of the moves."""
    if moves not in STEPS:
        raise InvalidInput(f"moves of a Raster must be 'eight' or 'any', got {moves!r}")
    return cast(Moves, moves)


@frozen(eq=False)
class CellGraph:
    """Steps between the middles of open cells, and the shortest paths that they make.

    All cells that a step passes through must be open; if it passes between four cells, also one of the two
    that it only touches. Nodes are the numbers of open cells.
    """

    cells: Cells
    moves: Moves = "eight"

    @cached_property
    def searches(self) -> Searches:
        """The shortest paths between numbered cells."""
        from scipy.sparse import coo_array

        steps = [self._steps(step) for step in STEPS[self.moves]]
        start, end, cost = (np.concatenate(parts) for parts in zip(*steps, strict=True))
        # Half of the width of NumPy's own positions: a large map has millions of steps.
        start, end = start.astype(np.int32), end.astype(np.int32)
        there, n = (np.concatenate([start, end]), np.concatenate([end, start])), len(self.cells)
        return Searches(coo_array((np.concatenate([cost, cost]), there), shape=(n, n)).tocsr())

    def _steps(self, step: Offset) -> tuple[Order, Order, Values]:
        """Return where all steps in one direction start and end, and the cost of each."""
        (down, right), (width, height) = step, self.cells.size
        rates, number = self.cells.rates, self.cells.number
        high, wide = max(0, rates.shape[0] - down), max(0, rates.shape[1] - abs(right))

        def seen(offset: Offset) -> tuple[slice, slice]:
            """Return the cells so far from those where the steps start."""
            left = max(0, -right) + offset[1]
            return slice(offset[0], offset[0] + high), slice(left, left + wide)

        cells, corners = crossing(step)
        is_open = np.ones((high, wide), dtype=bool)
        for cell, _ in cells:
            is_open &= rates[seen(cell)] > 0
        for one, other in corners:
            is_open &= (rates[seen(one)] > 0) | (rates[seen(other)] > 0)
        rate = sum(share * rates[seen(cell)][is_open] for cell, share in cells)
        cost: Values = np.hypot(down * height, right * width) * rate
        return number[seen((0, 0))][is_open], number[seen(step)][is_open], cost


@cache
def crossing(step: Offset) -> tuple[tuple[tuple[Offset, float], ...], tuple[tuple[Offset, Offset], ...]]:
    """Return the cells that a step passes through with the share of its length in each, and the corners.

    A corner is where it passes exactly between four cells: the two of them that it only touches.
    """

    def cell_at(share: Fraction) -> Offset:
        return math.floor(step[0] * share + Fraction(1, 2)), math.floor(step[1] * share + Fraction(1, 2))

    # The shares of its length at which a step leaves a row or a column for the next: exact, to find corners.
    borders = {Fraction(2 * k + 1, 2 * abs(n)) for n in step for k in range(abs(n))}
    pieces = list(pairwise(sorted({Fraction(0), Fraction(1)} | borders)))
    cells = [(cell_at((start + end) / 2), float(end - start)) for start, end in pieces]
    corners = [
        ((below, left), (above, right))
        for ((above, left), _), ((below, right), _) in pairwise(cells)
        if above != below and left != right
    ]
    return tuple(cells), tuple(corners)

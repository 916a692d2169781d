"""The steps from cell to cell of a grid: which cells each passes through, and for how much of its length."""

from fractions import Fraction
from functools import cache
from typing import Literal, TypeAlias

from attrs import frozen

Moves: TypeAlias = Literal["eight", "any"]
Offset: TypeAlias = tuple[int, int]
"""Rows down and columns to the right."""

EIGHT: tuple[Offset, ...] = ((0, 1), (1, 0), (1, 1), (1, -1))
FURTHER: tuple[Offset, ...] = (
    *((1, 2), (2, 1), (1, -2), (2, -1)),
    *((1, 3), (3, 1), (1, -3), (3, -1)),
    *((2, 3), (3, 2), (2, -3), (3, -2)),
)
STEPS: dict[str, tuple[Offset, ...]] = {"eight": EIGHT, "any": EIGHT + FURTHER}
"""Half of the steps of each kind of moves; the others are the same steps taken back."""


@frozen
class Crossing:
    """The ``cells`` that a step passes through, from its start on, and the share of its length in each.

    Where it passes exactly between four cells, ``corners`` has the two that it only touches.
    """

    cells: tuple[tuple[Offset, float], ...]
    corners: tuple[tuple[Offset, Offset], ...]


@cache
def crossing(step: Offset) -> Crossing:
    """Return what the straight line from the middle of a cell to the middle of another passes through."""
    down, right = step
    rows, columns = _borders(down), _borders(right)
    at, since = (0, 0), Fraction(0)
    cells: list[tuple[Offset, float]] = []
    corners = []
    for border in sorted(rows | columns):
        cells.append((at, float(border - since)))
        below = (at[0] + _sign(down), at[1])
        beside = (at[0], at[1] + _sign(right))
        if border in rows and border in columns:
            corners.append((below, beside))
            at = (below[0], beside[1])
        else:
            at = below if border in rows else beside
        since = border
    cells.append((at, float(1 - since)))
    return Crossing(tuple(cells), tuple(corners))


def _borders(cells: int) -> set[Fraction]:
    """Return at which shares of its way a step over so many cells leaves one for the next."""
    n = abs(cells)
    return {Fraction(2 * k + 1, 2 * n) for k in range(n)}


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)

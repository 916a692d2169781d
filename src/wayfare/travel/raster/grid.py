"""What a ``Raster`` is made of, checked at the door."""

from fractions import Fraction
from functools import cache
from typing import Literal, TypeAlias, cast

import numpy as np
from attrs import frozen

from wayfare._core import checks
from wayfare._core.arrays import Matrix, read_only
from wayfare.errors import InvalidInput

# The steps from cell to cell of a grid: which cells each passes through, and for how much of its length.


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


Snap: TypeAlias = float | Literal["nearest"]
"""How far a place may lie from the open cell that it counts in."""


def as_grid(grid: object) -> Matrix:
    """Return the rates of the cells, 0 where nobody can pass."""
    try:
        rates = np.array(grid, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"the grid of a Raster must hold numbers in rows of one length: {error}") from error
    if rates.ndim != 2 or min(rates.shape) < 2:
        raise InvalidInput(f"the grid of a Raster must have 2 rows and 2 columns, got shape {rates.shape}")
    rates[np.isnan(rates) | np.isposinf(rates)] = 0.0
    if rates.min() < 0:
        row, column = np.argwhere(rates < 0)[0]
        raise InvalidInput(
            f"the grid of a Raster must not be negative, got {rates[row, column]} in row {row}, "
            f"column {column}; block a cell with 0"
        )
    if not rates.any():
        raise InvalidInput("the grid of a Raster has no open cell; open one with 1, or with its cost")
    return read_only(rates)


def as_columns(ends: object) -> tuple[float, float]:
    """Return where the first and the last column lie."""
    return _as_ends(ends, "columns")


def as_rows(ends: object) -> tuple[float, float]:
    """Return where the first and the last row lie."""
    return _as_ends(ends, "rows")


def _as_ends(ends: object, what: str) -> tuple[float, float]:
    first, last = _as_pair(ends, what)
    if first == last:
        raise InvalidInput(f"{what} of a Raster must begin and end at different numbers, got {ends!r}")
    return first, last


def as_cell(size: object) -> tuple[float, float]:
    """Return the width and the height of a cell."""
    width, height = _as_pair(size, "cell")
    checks.positive(width, "the width of a Raster's cell")
    checks.positive(height, "the height of a Raster's cell")
    return width, height


def _as_pair(pair: object, what: str) -> tuple[float, float]:
    if not isinstance(pair, list | tuple | np.ndarray) or len(pair) != 2:
        raise InvalidInput(f"{what} of a Raster must be two numbers, got {pair!r}")
    return checks.number(pair[0], f"{what} of a Raster"), checks.number(pair[1], f"{what} of a Raster")


def as_moves(moves: object) -> Moves:
    """Return the name of the moves."""
    if moves not in STEPS:
        raise InvalidInput(f"moves of a Raster must be 'eight' or 'any', got {moves!r}")
    return cast(Moves, moves)


def as_snap(snap: object) -> Snap:
    """Return how far places are moved to an open cell."""
    if isinstance(snap, str):
        if snap != "nearest":
            raise InvalidInput(f"snap of a Raster must be a distance or 'nearest', got {snap!r}")
        return "nearest"
    return checks.not_negative(snap, "snap of a Raster")

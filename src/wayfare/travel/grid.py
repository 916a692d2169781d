"""What a ``Raster`` is made of, checked at the door."""

from typing import Literal, TypeAlias, cast

import numpy as np

from wayfare import door
from wayfare.arrays import Matrix, read_only
from wayfare.errors import InvalidInput
from wayfare.travel.steps import STEPS, Moves

Snap: TypeAlias = float | Literal["nearest"]
"""How far a place may lie from the open cell that it counts in."""


def as_grid(grid: object) -> Matrix:
    """Return the rates of the cells, 0 where nobody can pass."""
    try:
        rates = np.array(grid, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"the grid of a Raster must hold numbers in rows of one length: {error}"
        ) from error
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
    door.positive(width, "the width of a Raster's cell")
    door.positive(height, "the height of a Raster's cell")
    return width, height


def _as_pair(pair: object, what: str) -> tuple[float, float]:
    if not isinstance(pair, list | tuple | np.ndarray) or len(pair) != 2:
        raise InvalidInput(f"{what} of a Raster must be two numbers, got {pair!r}")
    return door.number(pair[0], f"{what} of a Raster"), door.number(pair[1], f"{what} of a Raster")


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
    return door.not_negative(snap, "snap of a Raster")

"""Polygons drawn into the cells of a map, so that no path over it leaves the allowed ones or crosses obstacles."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfare._core import checks
from wayfare._core.arrays import Values
from wayfare._core.format import counted
from wayfare.errors import InvalidInput
from wayfare.space.geographic import RADIUS, import_shapely, read_polygons

MOST_CELLS = 4_000_000
MOST_STRETCH = 0.05
"""How much a degree of longitude may differ in length, from the middle of the map to its edge."""
SLIVER = 1e-9
"""The share of a cell that rounding may make of nothing."""


def rasterise(
    allowed: Any, obstacles: Any, cell: float, geographic: bool, bounds: Sequence[float] | None
) -> dict[str, Any]:
    """Return the arguments of the ``Raster`` of these polygons."""
    # 1. Read the polygons and the bounds.
    side = checks.positive(cell, "cell")
    inside = None if allowed is None else read_polygons(allowed, geographic, "allowed")
    blocked = None if obstacles is None else read_polygons(obstacles, geographic, "obstacles")
    if inside is None and (blocked is None or bounds is None):
        raise InvalidInput("a map needs polygons: give allowed, or obstacles and the bounds around them")
    west, south, east, north = _as_bounds(inside.bounds if bounds is None and inside is not None else bounds)
    if blocked is not None:
        _check_on_map(blocked, (west, south, east, north), geographic)
    # 2. Lay out the cells.
    width, height = _degrees(side, south, north) if geographic else (side, side)
    rows, columns = _middles(south, north, height), _middles(west, east, width)
    if min(len(rows), len(columns)) < 2 or len(rows) * len(columns) > MOST_CELLS:
        raise InvalidInput(
            f"cells of {side:g} make a map of {counted(len(rows), 'row')} and "
            f"{counted(len(columns), 'column')}; choose cell so that there are at least 2 of both, "
            f"and at most {MOST_CELLS} cells"
        )
    # 3. Open those that lie wholly inside.
    grid = _drawn(inside, blocked, rows, columns, height, width)
    if not grid.any():
        raise InvalidInput(
            f"no cell of {side:g} lies wholly in allowed and off the obstacles; choose a smaller cell, or "
            "see whether the obstacles cover all that is allowed within the bounds"
        )
    ends = {"columns": (float(columns[0]), float(columns[-1])), "rows": (float(rows[0]), float(rows[-1]))}
    axes = {"x": "lon", "y": "lat", "unit": "m"} if geographic else {"x": "x", "y": "y"}
    return {"grid": grid, "cell": (side, side)} | ends | axes


def _check_on_map(obstacles: Any, bounds: tuple[float, float, float, float], geographic: bool) -> None:
    """Refuse obstacles none of which is on the map: they would be left out in silence."""
    if import_shapely().box(*bounds).intersects(obstacles):
        return
    order = "; GeoJSON has longitude first, are they swapped?" if geographic else ""
    lies, spans = (f"{a:g} to {c:g} by {b:g} to {d:g}" for a, b, c, d in (obstacles.bounds, bounds))
    raise InvalidInput(
        f"obstacles: they lie at {lies}, wholly off the map, which spans {spans}{order}; or leave them out"
    )


def _as_bounds(bounds: Sequence[float] | None) -> tuple[float, float, float, float]:
    if not isinstance(bounds, Sequence | np.ndarray) or isinstance(bounds, str) or len(bounds) != 4:
        raise InvalidInput(f"bounds must be four numbers, west, south, east and north, got {bounds!r}")
    west, south, east, north = (checks.number(bound, "bounds") for bound in bounds)
    if west >= east or south >= north:
        raise InvalidInput(f"bounds must be west, south, east and north in this order, got {tuple(bounds)}")
    return west, south, east, north


def _degrees(side: float, south: float, north: float) -> tuple[float, float]:
    """Return how many degrees of longitude and of latitude the side of a cell spans."""
    if max(abs(south), abs(north)) > 90:
        raise InvalidInput(f"bounds: the latitudes {south:g} to {north:g} go beyond 90 degrees; swapped?")
    middle, *edges = (math.cos(math.radians(lat)) for lat in ((south + north) / 2, south, north))
    if max(abs(edge / middle - 1) for edge in edges) > MOST_STRETCH:
        raise InvalidInput(
            f"from latitude {south:g} to {north:g} a degree of longitude is not of one length, by more than "
            f"{MOST_STRETCH:.0%}; bring the polygons into a map projection, and say geographic=False"
        )
    degree = math.radians(RADIUS)
    return side / (degree * middle), side / degree


def _middles(low: float, high: float, step: float) -> Values:
    """Return the middles of the cells from ``low`` on that reach ``high``."""
    fits = high - low < MOST_CELLS * step  # of a step too small, the quotient is no number
    n = math.ceil((high - low) / step - SLIVER) if fits else MOST_CELLS + 1
    return np.asarray(low + step * (np.arange(n, dtype=np.float64) + 0.5))


def _drawn(inside: Any, blocked: Any, rows: Values, columns: Values, height: float, width: float) -> NDArray[np.bool_]:
    shapely = import_shapely()
    # So little less than a cell that one which ends where a polygon does is not lost to rounding.
    high, wide = height * (0.5 - SLIVER), width * (0.5 - SLIVER)
    x, y = np.meshgrid(columns, rows)
    cells = shapely.box(x - wide, y - high, x + wide, y + high)
    is_open = np.ones(x.shape, dtype=bool)
    if inside is not None:
        shapely.prepare(inside)
        is_open &= shapely.covers(inside, cells)
    if blocked is not None:
        shapely.prepare(blocked)
        is_open &= ~shapely.intersects(blocked, cells)
    return is_open

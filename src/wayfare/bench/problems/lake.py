"""The lake Ypacaraí: a boat that stays on water looks for the worst of the algae.

The map is a mask of 71 rows of 51 cells, and the three fields to search are synthetic. Places are the 1607
cells of water, x1 east and x2 north, both from 0 to 1 across the map. The boat pays kilometres. The map has
no scale: cells of 193 m give the lake the 60 km² that it has. Noise and start are ours: 0.01, a hundredth of
what the fields span, and the western shore.
"""

from functools import cache, partial
from importlib.resources import files

import numpy as np

from wayfare._core.arrays import Matrix, Points, Values, read_only
from wayfare.bench.problems.problem import Problem
from wayfare.errors import InvalidInput
from wayfare.space import Places
from wayfare.travel import Raster

CELL = 0.193
"""The side of a cell in km."""
PEAKS = {
    1: [(2.0, 6.7, 9.0), (9.0, 2.0, 9.0)],
    2: [(7.0, 6.0, 10.0), (3.8, 9.9, 8.0), (9.0, 0.1, 8.0)],
    3: [(4.0, 3.0, 7.0), (8.5, 4.0, 9.0)],
}
"""Of each field its peaks: where, in tenths of the map, and how blunt. They may lie on land."""


@cache
def water() -> Matrix:
    """Return the (71, 51) mask, north at the top: 1 is water."""
    with files("wayfare.bench").joinpath("data", "ypacarai_lake.pbm").open() as lines:
        return read_only(np.genfromtxt(lines, delimiter=1, skip_header=2))


def algae(x: Points, peaks: list[tuple[float, float, float]]) -> Values:
    """Return the sum of the peaks, each ``10 / (square distance + bluntness)``."""
    total = np.zeros(len(x))
    for east, north, blunt in peaks:
        total += 10 / (np.square(10 * x - [east, north]).sum(axis=1) + blunt)
    return total


def lake(which: int) -> Problem:
    """Return the search for the maximum of the first, second or third field."""
    if which not in PEAKS:
        raise InvalidInput(f"which lake must be 1, 2 or 3, got {which!r}")
    boat = Raster(water(), "x1", "x2", columns=(0, 1), rows=(1, 0), cell=(CELL, CELL), unit="km")
    space = Places(boat.centres(boat.open_cells()), names=["x1", "x2"])
    function = partial(algae, peaks=PEAKS[which])
    values = function(space.table)
    west = space.table[np.argmin(space.table[:, 0])]
    best = space.table[np.argmax(values)]
    return Problem(f"lake{which}", function, space, boat, 0.01, west, float(values.max()), "km", best)

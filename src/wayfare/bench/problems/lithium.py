"""Lithium: a drill rig looks for the richest of 10,000 sites.

The map of grades is synthetic, 100 rows of 100 cells, with mean 1000 and standard deviation 300. It has no
scale: we take cells of 10 m, a map of one square kilometre, north at the top. The rig crawls at 1 km/h and
takes half an hour to set up at every new site, so the cost is in minutes. Noise and start are ours: 30, a
tenth of the map's spread, and the south-western corner.
"""

from functools import cache
from importlib.resources import as_file, files

import numpy as np

from wayfare._core.arrays import Matrix, Points, Values, read_only
from wayfare.bench.problems.problem import Problem
from wayfare.errors import InvalidInput
from wayfare.space import Places
from wayfare.travel import Euclidean, Fee

CELL = 10.0
"""The side of a cell in metres."""
SPEED = 1000 / 60
"""Metres per minute."""
SET_UP = 30.0
"""Minutes per move."""


@cache
def grades() -> Matrix:
    """Return the (100, 100) map of grades, north at the top."""
    with as_file(files("wayfare.bench").joinpath("data", "lithium_map.csv.gz")) as path:
        return read_only(np.loadtxt(path, delimiter=","))


def grade(x: Points) -> Values:
    """Return the grade in the cell of each place, x east and y north in metres."""
    side = len(grades())
    cells = np.floor(x / CELL)
    beyond = ((cells < 0) | (cells >= side)).any(axis=1)
    if beyond.any():
        raise InvalidInput(f"the place {x[beyond][0].tolist()} is off the lithium map, 0 to {side * CELL:g} m")
    east, north = cells.astype(np.intp).T
    found: Values = grades()[side - 1 - north, east]
    return found


def lithium() -> Problem:
    """Return the search for the richest site, a place being the middle of its cell."""
    middles = CELL * (np.arange(len(grades())) + 0.5)
    east, north = (axis.ravel() for axis in np.meshgrid(middles, middles))
    space = Places(np.column_stack([east, north]), names=["east_m", "north_m"])
    rig = Euclidean(scale=1 / SPEED, unit="min") + Fee(SET_UP, unit="min")
    best = space.table[np.argmax(grade(space.table))]
    return Problem("lithium", grade, space, rig, 30.0, middles[[0, 0]], float(grades().max()), "min", best)

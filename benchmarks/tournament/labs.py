"""Four more machines with choices, to report on; nothing was chosen by them.

They are made of the parts of ``belief.problems`` and work as the mixed problems there: 60 trials, times in minutes.
"""

import numpy as np

from belief.problems import LOAD, TEMP, TIME, Positions, Problem, bump, letters, mixed, spaced
from wayfare._core.arrays import Matrix, Values
from wayfare._core.rng import stream
from wayfare.space import Choice, Integer, Real


def inks() -> Problem:
    """Four pigments and three binders that interact; a viscosity, a number of passes and a drying temperature."""
    rng = stream(21, "inks")
    pigment, binder, pair = rng.uniform(0, 0.3, 4), rng.uniform(0, 0.2, 3), rng.uniform(0, 0.3, (4, 3))
    axes = (
        Choice("pigment", letters(4, "pigment")),
        Choice("binder", letters(3, "binder")),
        Real("viscosity_mPas", 2, 200, log=True),
        Integer("passes", 1, 10),
        TEMP,
    )

    def density(u: Matrix, c: Positions) -> Values:
        pairs = pigment[c[:, 0]] + binder[c[:, 1]] + pair[c[:, 0], c[:, 1]]
        return np.asarray(pairs + 0.5 * bump(u, (0.32, 0.65, 0.4), (0.3, 0.4, 0.4)))

    return mixed("inks", axes, density, 0.008)


def enzymes() -> Problem:
    """Six enzymes, each with a pH and a temperature of its own, and a common best load."""
    rng = stream(22, "enzymes")
    own = np.column_stack([rng.uniform(0.15, 0.85, 6), rng.uniform(0.3, 0.9, 6)])
    height = rng.permutation(spaced(0.5, 1.0, 6))
    axes = (Choice("enzyme", letters(6, "enzyme")), Real("pH", 3, 10), Real("temp_C", 15, 75), LOAD)

    def rate(u: Matrix, c: Positions) -> Values:
        centre = np.column_stack([own[c[:, 0]], np.full(len(u), 0.7)])
        return np.asarray(height[c[:, 0]] * bump(u, centre, (0.2, 0.25, 0.45)))

    return mixed("enzymes", axes, rate, 0.01)


def furnaces() -> Problem:
    """Three furnaces with the same ridge of temperature against time at another level; how often it is repeated."""
    level, slope = np.array([0.75, 1.0, 0.9]), np.array([0.45, 0.7, 0.55])
    axes = (Choice("furnace", ["belt", "muffle", "vacuum"]), TEMP, TIME, Integer("repeats", 1, 6))

    def hardness(u: Matrix, c: Positions) -> Values:
        off = u[:, 0] + 0.6 * u[:, 1] - slope[c[:, 0]] - 0.25
        along = 0.3 * np.square(u[:, 1] - 0.7) + 0.15 * np.abs(u[:, 2] - 0.4)
        return np.asarray(level[c[:, 0]] * np.exp(-0.5 * np.square(off / 0.22)) - along)

    return mixed("furnaces", axes, hardness, 0.008)


def columns() -> Problem:
    """Five columns by four eluents: two good pairs far apart in gradient and flow, the others poor."""
    rng = stream(24, "columns")
    height = rng.uniform(0.2, 0.55, (5, 4))
    height[1, 3], height[4, 0] = 1.0, 0.85
    centre = rng.uniform(0.15, 0.85, (5, 4, 2))
    axes = (
        Choice("column", letters(5, "column")),
        Choice("eluent", letters(4, "eluent")),
        Real("gradient_pct", 5, 95),
        Real("flow_mL_min", 0.1, 3, log=True),
    )

    def resolution(u: Matrix, c: Positions) -> Values:
        row, column = c.T
        return np.asarray(height[row, column] * (0.35 + 0.65 * bump(u, centre[row, column], 0.28)))

    return mixed("columns", axes, resolution, 0.008)


LABS: dict[str, Problem] = {lab.name: lab for lab in (inks(), enzymes(), furnaces(), columns())}

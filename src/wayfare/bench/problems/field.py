"""Problems from the field: a flow reactor (SnAr), a boat on a lake, and a drill rig that looks for lithium.

Each has the travel cost of its machine, in minutes or kilometres. The maps lie in ``bench/data`` with their licences.
"""

from collections.abc import Callable
from functools import cache, partial
from importlib.resources import as_file, files

import numpy as np
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points, Values, read_only
from wayfare.bench.problems.problem import Problem
from wayfare.errors import InvalidInput
from wayfare.space import Places, Real, Space
from wayfare.travel import Euclidean, Fee, Raster, Settling, parallel

LAKE_CELL = 0.193  # side of a cell in km; the map has no scale, and this gives the lake its real 60 km²
ALGAE_PEAKS = {
    1: [(2.0, 6.7, 9.0), (9.0, 2.0, 9.0)],
    2: [(7.0, 6.0, 10.0), (3.8, 9.9, 8.0), (9.0, 0.1, 8.0)],
    3: [(4.0, 3.0, 7.0), (8.5, 4.0, 9.0)],
}
"""The peaks of each field: east and north in tenths of the map, and bluntness. They may lie on land."""


def lake(which: int) -> Problem:
    """Return the search for the worst of the algae on the lake Ypacaraí, in field 1, 2 or 3.

    Places are the 1607 cells of water of a map of 71 by 51, x1 east and x2 north, both from 0 to 1 across the map. The
    boat stays on water and pays kilometres. The fields are synthetic; noise and start are ours: 0.01, a hundredth of
    the range of the fields, and the western shore.
    """
    if which not in ALGAE_PEAKS:
        raise InvalidInput(f"which lake must be 1, 2 or 3, got {which!r}")
    boat = Raster(water(), "x1", "x2", columns=(0, 1), rows=(1, 0), cell=(LAKE_CELL, LAKE_CELL), unit="km")
    space = Places(boat.centres(boat.open_cells()), names=["x1", "x2"])
    function = partial(algae, peaks=ALGAE_PEAKS[which])
    values = function(space.table)
    west, best = space.table[np.argmin(space.table[:, 0])], space.table[np.argmax(values)]
    return Problem(f"lake{which}", function, space, boat, 0.01, west, float(values.max()), "km", best)


@cache
def water() -> Matrix:
    """Return the (71, 51) mask of the lake, north at the top: 1 is water."""
    with files("wayfare.bench").joinpath("data", "ypacarai_lake.pbm").open() as lines:
        return read_only(np.genfromtxt(lines, delimiter=1, skip_header=2))


def algae(x: Points, peaks: list[tuple[float, float, float]]) -> Values:
    """Return the sum of the peaks, each ``10 / (square distance + bluntness)``."""
    values = (10 / (np.square(10 * x - [east, north]).sum(axis=1) + blunt) for east, north, blunt in peaks)
    return sum(values, np.zeros(len(x)))


LITHIUM_CELL = 10.0  # side of a cell in metres; the map has no scale, and this makes it one square kilometre
RIG_SPEED = 1000 / 60  # metres per minute
RIG_SET_UP = 30.0  # minutes per move


def lithium() -> Problem:
    """Return the search for the richest of 10,000 sites by a drill rig, with travel cost in minutes.

    The map of grades is synthetic, with mean 1000 and standard deviation 300; a place is the middle of its cell. The
    rig crawls at 1 km/h and takes half an hour to set up at every new site. Noise and start are ours: 30, a tenth of
    the map's spread, and the south-western corner.
    """
    middles = LITHIUM_CELL * (np.arange(len(grades())) + 0.5)
    east, north = (axis.ravel() for axis in np.meshgrid(middles, middles))
    space = Places(np.column_stack([east, north]), names=["east_m", "north_m"])
    rig = Euclidean(scale=1 / RIG_SPEED, unit="min") + Fee(RIG_SET_UP, unit="min")
    best = space.table[np.argmax(grade(space.table))]
    return Problem("lithium", grade, space, rig, 30.0, middles[[0, 0]], float(grades().max()), "min", best)


@cache
def grades() -> Matrix:
    """Return the (100, 100) map of grades, north at the top."""
    with as_file(files("wayfare.bench").joinpath("data", "lithium_map.csv.gz")) as path:
        return read_only(np.loadtxt(path, delimiter=","))


def grade(x: Points) -> Values:
    """Return the grade in the cell of each place, x east and y north in metres."""
    side = len(grades())
    cells = np.floor(x / LITHIUM_CELL)
    beyond = ((cells < 0) | (cells >= side)).any(axis=1)
    if beyond.any():
        raise InvalidInput(f"the place {x[beyond][0].tolist()} is off the lithium map, 0 to {side * LITHIUM_CELL:g} m")
    east, north = cells.astype(np.intp).T
    return np.asarray(grades()[side - 1 - north, east])


ZERO_CELSIUS = 273.71  # the benchmark's 0 degrees Celsius in kelvin; physically it is 273.15
GAS_CONSTANT = 8.314e-3  # kJ/mol/K
RATES = 0.6 * np.array([57.9, 2.70, 0.865, 1.63])
"""At 90 degrees, in L/mol/min: to the product, to the by-product, and from each to the bis-product."""
ENERGIES = np.array([33.3, 35.3, 38.9, 44.8])  # of activation, in kJ/mol
MASSES = np.array([159.09, 71.12, 210.21, 210.21, 261.33])
"""Of the two reagents, the product, the by-product and the bis-product, in g/mol."""
SOLVENT = 0.789  # grams per mL
STEPS = 100  # of the integration


def snar() -> Problem:
    """Return the tuning of a flow reactor for yield and against waste, with travel cost in minutes.

    2,4-difluoronitrobenzene and pyrrolidine make a product, a by-product and, from both, a bis-product; kinetics of
    Hone et al. 2017 (DOI 10.1039/C6RE00109B). The objective weighs space-time yield against the E-factor, the waste per
    product, without noise; ``measured_value`` has noise. The start is the idle state: slow, dilute and cold. After a
    change, temperature, concentration and flow settle at the same time; the equivalents change for free. This is no
    metric: small changes in a row are cheaper than a large one, so the convergence guarantee does not apply.
    """
    space = Space(Real("tau_min", 0.5, 2.0), Real("eq", 1.0, 5.0), Real("c0_M", 0.1, 0.5), Real("temp_C", 40.0, 120.0))
    # The benchmark scales each axis to the unit interval and moves there at speed 1.
    travel = parallel(
        Settling("temp_C", speed=80, threshold=2.5, per_fold=5, unit="min"),
        Settling("c0_M", speed=0.4, threshold=0.01, per_fold=2, unit="min"),
        Settling("tau_min", speed=1.5, threshold=0.05, per_fold=3, unit="min"),
    )
    idle, best = [2.0, 1.0, 0.1, 40.0], [0.5, 1.45748349, 0.5, 81.12241901]
    return Problem("snar", reactor_value, space, travel, 0.0, idle, 0.27473006380, "min", best)


def outlet(x: Points) -> Matrix:
    """Return the (5, n) concentrations that leave the reactor, in mol/L.

    With the dose ds = C2 dt in place of time, all but the pyrrolidine (2) react at first order and have a closed form.
    The amount of pyrrolidine follows from the others by mass balance, which leaves one equation, dose' = C2.
    """
    tau, eq, c0, temp = x.T
    per_kelvin = 1 / (temp + ZERO_CELSIUS) - 1 / (90 + ZERO_CELSIUS)
    ka, kb, kc, kd = RATES[:, None] * np.exp(-ENERGIES[:, None] / GAS_CONSTANT * per_kelvin)

    def at(dose: Values) -> Matrix:
        left, product, by_product = np.exp(-np.array([ka + kb, kc, kd]) * dose)
        c3 = ka * (product - left) / (ka + kb - kc)
        c4 = kb * (by_product - left) / (ka + kb - kd)
        c5 = 1 - left - c3 - c4
        return np.asarray(c0 * np.array([left, eq - c3 - c4 - 2 * c5, c3, c4, c5]))

    # Runge-Kutta of order 4, with short steps at first, when the reaction is fast.
    dose = np.zeros(len(x))
    for step in np.diff(np.linspace(0, 1, STEPS + 1) ** 2):
        h = step * tau
        k1 = at(dose)[1]
        k2 = at(dose + h / 2 * k1)[1]
        k3 = at(dose + h / 2 * k2)[1]
        k4 = at(dose + h * k3)[1]
        dose = dose + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return at(dose)


def space_time_yield(x: Points, concentrations: Matrix) -> Values:
    """Return the product per volume of the reactor and time, in g/L/h: 1e-6 at least."""
    return np.asarray(np.maximum(60 * MASSES[2] * concentrations[2] / x[:, 0], 1e-6))


def e_factor(concentrations: Matrix) -> Values:
    """Return the grams of waste, solvent included, per gram of product: 1000 at most."""
    grams = 1e-3 * MASSES[:, None] * concentrations
    waste = SOLVENT + grams.sum(axis=0) - grams[2]
    return np.asarray(np.minimum(waste / np.maximum(grams[2], 1e-12), 1000.0))


def reactor_value(x: Points) -> Values:
    """Return the objective of each place without noise."""
    return _objective(x, outlet(x))


def measured_value(x: Points, percent: float, rng: Generator) -> Values:
    """Return the objective from concentrations that are each measured with ``percent`` of relative noise."""
    concentrations = outlet(x)
    noise = checks.not_negative(percent, "percent of noise") / 100 * rng.standard_normal(concentrations.shape)
    return _objective(x, concentrations * (1 + noise))


def _objective(x: Points, concentrations: Matrix) -> Values:
    return space_time_yield(x, concentrations) / 1e4 - e_factor(concentrations) / 10


_LAKES: dict[str, Callable[[], Problem]] = {f"lake{which}": partial(lake, which) for which in ALGAE_PEAKS}
FIELD: dict[str, Callable[[], Problem]] = {"snar": snar, **_LAKES, "lithium": lithium}
"""The problems from the field by name."""

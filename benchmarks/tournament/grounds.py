"""The problems that a default is searched on, and those that it is reported on.

To *search*: boxes and random landscapes (the development functions of the tournament), machines with choices (the
mixed problems of ``belief.problems`` that no one holds out), and two tables and a map made here. To *report*: the
reporting functions, the mixed problems that were held out and those of ``labs``, and the field problems of the package
from several starts. No problem is in both.
"""

from collections.abc import Callable
from functools import cache
from typing import Literal

import numpy as np
from attrs import evolve, frozen
from scipy.ndimage import label

from belief.problems import PROBLEMS
from belief.problems import Problem as Lab
from tournament.functions import LANDSCAPES, VIEWS, Function, development, reporting
from tournament.labs import LABS
from tournament.problems import problem, variant_of
from tournament.shapes import draw
from wayfare._core.arrays import Matrix, Points, Values
from wayfare._core.rng import stream
from wayfare.bench.problems import FIELD, Problem
from wayfare.space import Places
from wayfare.travel import Euclidean, Fee, Raster, TravelCost

Part = Literal["search", "report"]
STARTS = 5
"""From so many places the field problems are searched, one after the other as the seeds go up."""


@frozen(eq=False)
class Ground:
    """A problem under every seed.

    Attributes:
        name: its name.
        kind: box, landscape, mixed, map, or field.
        d: the number of its axes.
        under: returns the problem as the studies of a seed meet it: noise, start and cost, and the order of values.
        gain: the best value less the mean, what there is to gain over a place at random.
    """

    name: str
    kind: str
    d: int
    under: Callable[[int], Problem]
    gain: float


@cache
def grounds(part: Part) -> dict[str, Ground]:
    """Return every problem of a part by name."""
    functions = development() if part == "search" else reporting()
    found = [_of_function(index, function) for index, function in enumerate(functions.values())]
    mixed = [lab for lab in PROBLEMS.values() if lab.part == "mixed" and lab.held_out == (part == "report")]
    if part == "search":
        found += [*map(_of_lab, mixed), orchard(), wells(), shoal()]
    else:
        found += [*map(_of_lab, [*mixed, *LABS.values()]), *(_of_field(make()) for make in FIELD.values())]
    return {ground.name: ground for ground in found}


def _of_function(index: int, function: Function) -> Ground:
    name = function.name
    kind = "landscape" if name in LANDSCAPES | VIEWS else "box"
    return Ground(name, kind, function.d, lambda seed: problem(name, *variant_of(index, seed), seed), function.gain)


def _of_lab(one: Lab) -> Ground:
    """Return a mixed problem; under even seeds its noise is three times what it was made with."""

    def under(seed: int) -> Problem:
        lab, noise = one.under(seed), one.noise * (1 if seed % 2 else 3)
        return Problem(one.name, lab.value, lab.space, one.travel, noise, lab.start, one.best, one.unit, lab.start)

    return Ground(one.name, "mixed", len(one.axes), under, one.spread)


def _of_field(one: Problem) -> Ground:
    """Return a field problem: from its own start and from others, drawn once and for all."""
    drawn = one.space.sample(STARTS - 1, stream(7, "starts", one.name))
    starts = [one.start, *drawn]
    mean = float(one.function(one.space.sample(2**13, stream(7, "mean", one.name))).mean())
    return Ground(
        one.name, "field", one.space.d, lambda seed: evolve(one, start=starts[seed % STARTS]), one.optimum - mean
    )


def _of_table(name: str, space: Places, travel: TravelCost, function: Callable[[Points], Values]) -> Ground:
    """Return a table of places; the start is drawn, and the noise is 1% or 10% of the spread of the values."""
    values = function(space.table)
    best = float(values.max())

    def under(seed: int) -> Problem:
        start = space.sample(1, stream(seed, "start", name))[0]
        noise = (0.01 if seed % 2 else 0.1) * float(values.std())
        return Problem(name, function, space, travel, noise, start, best, travel.unit, space.table[values.argmax()])

    return Ground(name, "map", space.d, under, best - float(values.mean()))


def orchard() -> Ground:
    """Return 1,600 trees in rows: a walk of up to 36 minutes, and 12 minutes at every tree."""
    landscape = draw(2, 0.22, stream(7, "orchard"), matern=False)
    rows, trees = np.meshgrid((np.arange(40) + 0.5) * 15, (np.arange(40) + 0.5) * 10)
    space = Places(np.column_stack([rows.ravel(), trees.ravel()]), names=["east_m", "north_m"])
    travel = Euclidean(scale=1 / 20, unit="min") + Fee(12.0, unit="min")
    return _of_table("orchard", space, travel, lambda x: landscape(x / [600, 400]))


def wells() -> Ground:
    """Return 300 wells here and there: a drive of up to 40 minutes, and 20 minutes to set up at each."""
    landscape, unit = draw(2, 0.35, stream(7, "wells"), matern=True), stream(7, "places").random((300, 2))
    space = Places(30 * unit, names=["east_km", "north_km"])
    travel = Euclidean(unit="min") + Fee(20.0, unit="min")
    return _of_table("wells", space, travel, lambda x: landscape(x / 30))


def shoal() -> Ground:
    """Return the water of a map with islands, by boat, in kilometres."""
    landscape = draw(2, 0.25, stream(7, "shoal"), matern=True)
    boat = Raster(_water(), "x1", "x2", columns=(0, 1), rows=(1, 0), cell=(0.2, 0.2), unit="km")
    space = Places(boat.centres(boat.open_cells()), names=["x1", "x2"])
    return _of_table("shoal", space, boat, landscape)


def _water() -> Matrix:
    """Return the largest water of a drawn map of 45 by 45 cells: 1 is water."""
    depth, cells = draw(2, 0.2, stream(7, "shore"), matern=True), np.indices((45, 45)).reshape(2, -1).T
    waters, _ = label((depth(cells / 44) > -0.5).reshape(45, 45))
    return np.asarray(waters == np.bincount(waters.ravel())[1:].argmax() + 1, dtype=np.float64)

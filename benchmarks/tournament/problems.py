"""The problems of the tournament: a function, and how noisy, from where and at what cost it is searched.

Noise is 1% of the function's spread (low) or 10% (high). The start is near a corner, in the middle, or drawn
by the seed. Moving costs the Euclidean distance in the user's units, so that a wide axis is a long way; or
the time that a machine takes whose axes move at once and rise three times as fast as they fall.
"""

from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from tournament.functions import Function, function_named
from wayfare._core.arrays import Values
from wayfare._core.rng import stream
from wayfare.bench.problems import Problem
from wayfare.errors import InvalidInput
from wayfare.travel import Euclidean, Ramp, TravelCost, parallel

Noise = Literal["low", "high"]
Start = Literal["corner", "middle", "drawn"]
Travel = Literal["euclidean", "ramps"]

NOISE: dict[Noise, float] = {"low": 0.01, "high": 0.1}
"""The standard deviation of one result, as a part of the function's spread."""
TOO_GOOD = 0.25
"""A middle whose regret is less than this part of the spread is no place to start from."""


class Variant(NamedTuple):
    """How a function is searched."""

    noise: Noise
    start: Start
    travel: Travel


ROTATION = (
    Variant("low", "corner", "euclidean"),
    Variant("high", "middle", "ramps"),
    Variant("high", "corner", "euclidean"),
    Variant("low", "middle", "ramps"),
    Variant("low", "middle", "euclidean"),
    Variant("high", "corner", "ramps"),
    Variant("low", "corner", "ramps"),
    Variant("high", "middle", "euclidean"),
)
"""The eight variants of the design, in an order in which the two of each pair differ in everything."""


def variant_of(index: int, seed: int) -> Variant:
    """Return the variant that the function with that index in its set has under that seed.

    A fraction of the full design, to save eight times the work: every function goes through all eight in
    eight seeds, and under every seed the functions share the eight evenly. It does not depend on the method,
    so what is paired by function and seed has the same noise, start and cost.
    """
    return ROTATION[(index + seed) % len(ROTATION)]


def problem(
    name: str, noise: Noise = "low", start: Start = "corner", travel: Travel = "euclidean", seed: int | None = None
) -> Problem:
    """Return the problem; only a drawn start needs the seed."""
    function = function_named(name)
    unit = "u" if travel == "euclidean" else "crossings"
    return Problem(
        name,
        function,
        function.space,
        travel_of(function, travel),
        NOISE[noise] * function.spread,
        start_of(function, start, seed),
        function.optimum,
        unit,
        function.best,
    )


def start_of(function: Function, start: Start, seed: int | None = None) -> Values:
    """Return where the traveller stands at first.

    A corner is 5% into the box from its low end on all axes, or from the high end if the best place is nearer
    to the low one. The middle is the centre; where that is nearly as good as the best place, as with those of
    the paper's functions that have their best place there, it is a quarter into the box instead.
    """
    if start == "drawn":
        if seed is None:
            raise InvalidInput("a drawn start needs a seed; give problem(..., seed=...)")
        place: Values = function.space.sample(1, stream(seed, "start", function.name))[0]
        return place
    if start == "corner":
        best = function.unit(function.best[None, :])[0]
        near_low = np.linalg.norm(best) < np.linalg.norm(1 - best) - 1e-9
        return at(function, 0.95 if near_low else 0.05)
    centre = at(function, 0.5)
    is_too_good = function.optimum - function(centre[None, :])[0] < TOO_GOOD * function.spread
    return at(function, 0.25) if is_too_good else centre


def at(function: Function, part: float) -> Values:
    """Return the place that far into the box on every axis."""
    place: Values = function.place(np.full((1, function.d), part))[0]
    return place


def travel_of(function: Function, travel: Travel) -> TravelCost:
    """Return the cost of moving; ramps cross an axis upwards in 1 and downwards in 3."""
    if travel == "euclidean":
        return Euclidean()
    widths = function.high - function.low
    return parallel(*(Ramp(f"x{i + 1}", up=float(width), down=float(width / 3)) for i, width in enumerate(widths)))


@cache
def crossing(function: Function, travel: Travel) -> float:
    """Return what it costs to cross the whole box, from its low end to its high end."""
    cost = travel_of(function, travel).bind(function.space)
    return float(cost(function.low[None, :], function.high[None, :])[0, 0])

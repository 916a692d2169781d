"""What legs really cost, by those whose cost was told: the travel cost times a scale, plus an offset."""

import math
from typing import Self
from weakref import WeakKeyDictionary

import numpy as np
from attrs import evolve, field, frozen

from wayfare.arrays import Matrix, Points, Values
from wayfare.space import AnySpace
from wayfare.state import StudyState
from wayfare.travel import TravelCost, priced
from wayfare.travel import rough as rough_cost
from wayfare.travel.base import Cost
from wayfare.travel.turns import only_way
from wayfare.words import rough, roughly

FEWEST = 5
"""From how many legs something is learned."""
SPREAD = 0.1
"""Legs that differ by less than this share of their mean cannot tell an offset from a scale."""

LEAST = 0.01
"""Of what legs cost on average, at least this share is counted as distance: else no place would be nearer."""
ROUNDING = 1e-12
"""What is less than this share of the dearest leg is nothing."""
LARGEST = 1e100
"""A scale beyond this, or below its inverse, is no cost to compute with."""


@frozen
class LearnedCost(Cost):
    """A travel cost as legs turned out: ``scale`` times what ``travel`` says, plus ``offset`` for any move.

    ``legs`` is from how many it was learned, ``sd`` how far they were off, both costs in ``unit``. Where
    ``travel`` says that nothing moves, nothing is paid. It is a metric if ``travel`` is.
    """

    travel: TravelCost = field(eq=False, repr=False)
    scale: float
    offset: float
    legs: int
    sd: float
    unit: str
    wary: bool = False
    """Whether a leg counts as no cheaper than was stated: it may be booked so."""

    @property
    def is_metric(self) -> bool:
        """Whether the travel cost is."""
        return self.travel.is_metric

    def bind(self, space: AnySpace) -> Self:
        """Return the same with the travel cost bound."""
        return evolve(self, travel=self.travel.bind(space))

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        return self.expected(priced(self.travel, origins, targets))

    def expected(self, costs: Matrix) -> Matrix:
        """Return what legs will really cost for which the travel cost says ``costs``."""
        real = np.where(costs > 0, self.scale * costs + self.offset, 0.0)
        return np.maximum(costs, real) if self.wary else real

    def rough(self, stops: int) -> "TravelCost | None":
        """Return the same of what stands in for the travel cost on a large map."""
        stand_in = rough_cost(self.travel, stops)
        return None if stand_in is None else evolve(self, travel=stand_in)

    def way(self, origin: Values, target: Values) -> Points | None:
        """Return the line to follow by the travel cost; None if it knows none."""
        return only_way((self.travel,), origin, target)

    def __str__(self) -> str:
        """Say it in a line."""
        more = f" + {roughly(self.offset, self.unit)}" if self.offset else ""
        factor, off = rough(self.scale), roughly(self.sd, self.unit)
        return f"legs cost {factor} x what was predicted{more} ({self.legs} legs told, off by {off})"


def travel_of(state: StudyState) -> TravelCost:
    """Return the travel cost to plan with: as learned, or as stated while nothing is."""
    return learned_cost(state) or state.spec.travel


def wary_travel_of(state: StudyState) -> TravelCost:
    """Return the cost to keep limits by: as learned or as stated, whichever is more."""
    learned = learned_cost(state)
    return state.spec.travel if learned is None else evolve(learned, wary=True)


_KNOWN: "WeakKeyDictionary[StudyState, LearnedCost | None]" = WeakKeyDictionary()


def learned_cost(state: StudyState) -> LearnedCost | None:
    """Return what the legs told so far say; None if they are too few, or cost nothing at all.

    The same state gives the same answer, so a plan made with it can be made again.
    """
    if state not in _KNOWN:
        spec, (stated, spent) = state.spec, told_legs(state)
        learned = None
        if len(spent) >= FEWEST:
            scale, offset, sd = fitted_legs(stated, spent)
            if 1 / LARGEST < scale < LARGEST:
                learned = LearnedCost(spec.travel, scale, offset, len(spent), sd, spec.unit)
        _KNOWN[state] = learned
    return _KNOWN[state]


def told_legs(state: StudyState) -> tuple[Values, Values]:
    """Return what the travel cost says of the legs whose cost was told, and what was told.

    From where the traveller really was to where it really went. Legs that cost nothing by the travel cost
    say nothing: whether anything moved is not known. Nor do legs by way of home, which are several moves.
    """
    here, puts = state.spec.start, dict(state.moved)
    legs = []
    for trial in state.trials:
        here = puts.get(trial.number, here)
        if not trial.is_visit:
            continue
        if trial.spent is not None and here is not None and not trial.home_first:
            stated = float(priced(state.spec.travel, here[None, :], trial.x[None, :])[0, 0])
            legs.append((stated, trial.spent))
        here = trial.x
    costs = np.array(legs).reshape(-1, 2)
    costs = costs[costs[:, 0] > 0]
    return costs[:, 0], costs[:, 1]


def fitted_legs(stated: Values, spent: Values) -> tuple[float, float, float]:
    """Return scale, offset and the spread about them: least squares with no negative offset, and some scale.

    Where the legs are much alike, the scale is what was spent over what was stated, and there is no offset.
    """
    most, dearest = float(stated.max()), float(spent.max()) or 1.0
    c, s = stated / most, spent / dearest  # so that no square overflows
    scale, offset, apart = float(s.mean() / c.mean()), 0.0, c - c.mean()
    if c.std() > SPREAD * c.mean():
        scale = max(LEAST * scale, float((apart * s).sum() / (apart**2).sum()))
        offset = float(s.mean() - scale * c.mean())
        if offset < 0:
            scale, offset = float((c * s).sum() / (c**2).sum()), 0.0
    offset = 0.0 if offset < ROUNDING else offset
    left = s - scale * c - offset
    left[np.abs(left) < ROUNDING] = 0.0
    sd = math.sqrt(float((left**2).sum()) / (len(c) - 1 - (offset > 0)))
    return scale * (dearest / most), dearest * offset, dearest * sd

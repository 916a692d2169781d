"""Legs of limited length: stops in between, where a place is too far for one."""

import math

import numpy as np
from attrs import field, frozen

from wayfare._core.arrays import Mask, Matrix, Points, Values, no_points, same_rows, unique_rows
from wayfare._core.tolerance import COST_RTOL
from wayfare.space import AnySpace
from wayfare.travel import TravelCost, priced

WHOLE = 100_000
"""A finite space of at most this many places is looked at whole: any may be a stop in between."""
FINER = 4
"""Otherwise, places on the straight way to where one wants to go: so many to a step, if steps were equal."""
MOST = 10_000
"""But no more than this."""


@frozen(eq=False)
class Steps:
    """How to go from place to place of a ``space`` when no leg may cost more than ``longest``."""

    space: AnySpace
    travel: TravelCost
    longest: float
    avoided: Points = field(factory=lambda: np.empty((0, 0)))
    """Where not to stop in between if that can be helped."""

    def allow(self, origin: Values | None, x: Points) -> Mask:
        """Return which places are one step away; from nowhere, all are."""
        if origin is None:
            return np.ones(len(x), dtype=np.bool_)
        return np.asarray(priced(self.travel, origin[None, :], x)[0] <= self.longest * (1 + COST_RTOL))

    def least(self, origins: Points, targets: Points) -> Matrix:
        """Return how many stops there are in between at least, if no detour is cheaper."""
        steps = priced(self.travel, origins, targets) / (self.longest * (1 + COST_RTOL))
        return np.asarray(np.maximum(np.ceil(steps) - 1, 0.0))

    def between(self, origin: Values | None, target: Values) -> Points | None:
        """Return the stops that lead to ``target``, itself the last of them; None if none are found.

        Each step goes as near to the target as a step can, so what is left shrinks with each. No step is
        taken back: stops that lead there by way of a place further off are not found.
        """
        goal = target[None, :]
        stops: list[Values] = []
        here, known = origin, None
        while not self.allow(here, goal)[0]:
            assert here is not None  # from nowhere, every place is one step away
            if known is None:
                known = self.on_the_way(here, target)
                left = priced(self.travel, known, goal)[:, 0] if len(known) else np.empty(0)
                shunned = same_rows(known, self.avoided)
            now = float(priced(self.travel, here[None, :], goal)[0, 0])
            # By more than rounding: the way from here and the way to the goal may differ in their last digit.
            open_ = self.allow(here, known) & (left < (1 - COST_RTOL) * now)
            if not open_.any():
                return None
            # Around what failed or was skipped, if there is a way around.
            better = open_ & ~shunned
            at = int(np.where(better if better.any() else open_, left, np.inf).argmin())
            here = known[at]
            stops.append(here)
        return np.vstack([*stops, target])

    def on_the_way(self, here: Values, target: Values) -> Points:
        """Return where one may stop in between."""
        table = self.space.everything(WHOLE)
        if table is not None:
            return table
        way = float(priced(self.travel, here[None, :], target[None, :])[0, 0])
        n = math.ceil(min(MOST, FINER * way / self.longest))
        line = here + np.linspace(0, 1, n + 1)[:, None] * (target - here)
        found = [line]
        choices = [column for column, values in enumerate(self.space.choices) if values is not None]
        if choices:  # a value of a choice has nothing in between: it is the old one, or the new one
            found = []
            for place in (here, target):
                kept = line.copy()
                kept[:, choices] = place[choices]
                found.append(kept)
        x = self.space.snap(np.vstack(found))
        x = x[self.space.contains(x)]
        return x[unique_rows(x)[0]] if len(x) else no_points(self.space.d)

"""SnAKe: a path through draws of the optimum, replanned at every result (Folch et al. 2022)."""

import math
from typing import Literal

import numpy as np
from attrs import evolve, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Features, Mask, Points, no_points
from wayfare.errors import InvalidInput
from wayfare.policy.base import Situation
from wayfare.policy.thompson import Thompson

RULES = ("nearest", "eps", "length", "none")


@frozen
class Snake:
    """As many draws of the optimum as there are trials, less one for every trial made.

    Sits on the ``Rolling`` schedule, which plans all that is left anew at every result. ``deletion`` says
    which draw is deleted for each place visited or still out: ``"nearest"`` the nearest (Point Deletion),
    ``"eps"`` the nearest if it is within ``eps`` of the unit cube, else one at random, ``"length"`` the same
    within the shortest length-scale; with ``"none"`` exactly what is left is drawn (Resampling).

    The authors train their model on extra points outside the budget and refit it every 25 results; here it is
    fitted like everyone's. They assign draws to a grid of 125 points to keep their route small and order it
    by simulated annealing; our routes are short enough with the draws as they are.
    """

    deletion: Literal["nearest", "eps", "length", "none"] = "eps"
    eps: float = 0.1

    def __attrs_post_init__(self) -> None:
        if self.deletion not in RULES:
            raise InvalidInput(f"deletion: no rule {self.deletion!r}; {checks.nearest(self.deletion, RULES)}")
        checks.not_negative(self.eps, "eps")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the draws that are left."""
        draw_rng, delete_rng = rng.spawn(2)
        history, space = situation.history, situation.space
        made = history.visited
        # The draws are of the belief itself: what is out counts by its deletion, not by hallucination.
        believed = evolve(situation, history=evolve(history, pending=no_points(space.d)))
        if self.deletion == "none" or space.once:
            return Thompson().propose(believed, size, draw_rng)
        draws = Thompson().propose(believed, size + len(made), draw_rng)
        kept = undeleted(space.encode(draws), space.encode(made), self._reach(situation), delete_rng)
        return draws[kept][:size]

    def _reach(self, situation: Situation) -> float:
        if self.deletion == "length":
            return float(min(situation.posterior.notes.get("lengths") or [math.inf]))
        return self.eps if self.deletion == "eps" else math.inf


def undeleted(draws: Features, made: Features, eps: float, rng: Generator) -> Mask:
    """Return which draws are left when one is deleted for every place made, in their order."""
    kept = np.ones(len(draws), dtype=np.bool_)
    for place in made:
        far = np.sqrt(np.square(draws - place).sum(axis=1))
        nearest = int(np.where(kept, far, np.inf).argmin())
        if far[nearest] > eps:
            nearest = int(rng.choice(np.flatnonzero(kept)))
        kept[nearest] = False
    return kept

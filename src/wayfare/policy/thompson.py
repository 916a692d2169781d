"""Policies that draw: the optimum from the belief (Thompson sampling, SnAKe's path), or places from the space alone.

The latter, whatever was learned, are the floor under every comparison.
"""

import math
from typing import Literal

import numpy as np
from attrs import evolve, field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Features, Mask, Matrix, Points, no_points
from wayfare.errors import InvalidInput
from wayfare.policy.acquisition import RADII, away, first_look, is_small
from wayfare.policy.base import Admits, Situation, admit_all, after_seeing, valid
from wayfare.space import Space
from wayfare.space.designs import deal

CLOUDS = 128
"""Places looked at around the tops of the draws, in each round of refining; at least eight for each."""
DELETIONS = ("nearest", "eps", "length", "none")


@frozen
class Thompson:
    """Batched Thompson sampling (Kandasamy et al. 2018): one drawn function per place, each maximised.

    The draws are whole functions (pathwise), so each can be followed to its top between the candidates; drawing
    jointly on a fixed set would leave a floor under regret and movement.
    """

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the best places of ``size`` functions drawn from the belief."""
        space = situation.space
        # 1. The best candidate of each draw.
        draws = situation.expected.paths(size, rng)
        x, admits = _admitted(situation, situation.admits, first_look(situation, rng))
        values = draws(x)
        if space.once:
            return np.asarray(x[_distinct_tops(values)])
        every = np.arange(size)
        best = values.argmax(axis=0)
        tops: Points = x[best]
        heights = values[best, every]
        # 2. Climb from there. All clouds are shared: a place near one draw's top may be the top of another.
        for radius in () if is_small(space) else RADII:
            around = away(situation, space.around(tops, radius, max(8, CLOUDS // size), rng))
            nearby, admits = _admitted(situation, admits, around)
            if len(nearby) == 0:
                continue
            values = draws(nearby)
            best = values.argmax(axis=0)
            higher = values[best, every] > heights
            tops[higher], heights[higher] = nearby[best[higher]], values[best, every][higher]
        return tops


def _admitted(situation: Situation, admits: Admits, x: Points) -> tuple[Points, Admits]:
    """Return the places that may be chosen, and the rule to judge further places by."""
    if admits is admit_all:
        return x, admits
    marginals = situation.posterior.marginals(x)
    return x[admits(x, marginals)], after_seeing(admits, x, marginals)


def _distinct_tops(values: Matrix) -> list[int]:
    """Return for each draw its best place not yet taken by a draw before it, while there are any."""
    values = values.copy()
    picks = []
    for draw in range(min(values.shape)):
        picks.append(int(values[:, draw].argmax()))
        values[picks[-1]] = -np.inf
    return picks


@frozen
class Snake:
    """SnAKe (Folch et al. 2022): as many draws of the optimum as there are trials, less one for every trial made.

    Put it on the ``Rolling`` schedule, which replans all that is left at every result. ``deletion`` says which draw is
    deleted for each visited or pending place: ``"nearest"`` the nearest (Point Deletion), ``"eps"`` the nearest if it
    is within ``eps`` of the unit cube, else one at random, ``"length"`` the same within the shortest length-scale; with
    ``"none"`` exactly as many as there are trials left are drawn (Resampling).

    The authors train their model on extra points outside the budget and refit it every 25 results; here it is fitted as
    for every other policy. They assign draws to a grid of 125 points to keep their route small and order it by
    simulated annealing; our routes are short enough with the draws as they are.
    """

    deletion: Literal["nearest", "eps", "length", "none"] = "eps"
    eps: float = field(default=0.1, validator=valid(checks.not_negative))

    def __attrs_post_init__(self) -> None:
        if self.deletion not in DELETIONS:
            raise InvalidInput(f"deletion: no rule {self.deletion!r}; {checks.nearest(self.deletion, DELETIONS)}")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the draws that are left."""
        draw_rng, delete_rng = rng.spawn(2)
        history, space = situation.history, situation.space
        made = history.visited
        # The draws are of the belief itself: pending places count by their deletion, not by hallucination.
        believed = evolve(situation, history=evolve(history, pending=no_points(space.d)))
        if self.deletion == "none" or space.once:
            return Thompson().propose(believed, size, draw_rng)
        draws = Thompson().propose(believed, size + len(made), draw_rng)
        lengths = situation.posterior.notes.get("lengths") or [math.inf]
        reach = {"eps": self.eps, "length": float(min(lengths))}.get(self.deletion, math.inf)
        return draws[undeleted(space.encode(draws), space.encode(made), reach, delete_rng)][:size]


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


@frozen
class Uniform:
    """Places spread evenly at random."""

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return ``size`` scrambled Sobol places (a single one is uniform)."""
        return situation.space.sample(size, rng)


@frozen
class LatinHypercube:
    """Places of which no two share a slice of any axis (McKay et al. 1979), the values of a choice as often each.

    Places in a forbidden region are replaced as ``Uniform`` draws them.
    """

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return ``size`` places; in a table of places, as ``Uniform`` does."""
        space = situation.space
        if not isinstance(space, Space):
            return space.sample(size, rng)
        slices = rng.permuted(np.tile(np.arange(size), (space.d, 1)), axis=1).T
        x = space.whole.at((slices + rng.random((size, space.d))) / size)
        for column, values in enumerate(space.choices):
            if values is not None:  # slices would leave out the values within a list more often than those at its ends
                x[:, column] = deal(len(values), size, rng)
        bad = ~space.contains(x)
        if bad.any():
            x[bad] = space.sample(int(bad.sum()), rng)
        return x

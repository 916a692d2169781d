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
from wayfare.policy.acquisition import RADII, away, best_known, first_look, is_small
from wayfare.policy.base import Admits, Situation, admit_all, after_seeing, valid
from wayfare.policy.penalised import distances, towards
from wayfare.route import ShortRoute, plan_route
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
        x, admits = admitted(situation, situation.admits, first_look(situation, rng))
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
            nearby, admits = admitted(situation, admits, around)
            if len(nearby) == 0:
                continue
            values = draws(nearby)
            best = values.argmax(axis=0)
            higher = values[best, every] > heights
            tops[higher], heights[higher] = nearby[best[higher]], values[best, every][higher]
        return tops


def admitted(situation: Situation, admits: Admits, x: Points) -> tuple[Points, Admits]:
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

    Two later variants (Folch et al. 2023, arXiv 2312.00622), read in the abstract and in summaries, so uncertain.
    With ``step`` no step is longer than that in the unit cube: the first stop of the route, or as far towards it as a
    step goes, and then another plan (truncated SnAKe). Choices change at once. With ``stop`` the method stops by itself
    once that share of the draws is within ``eps`` of the best place known (self-stopping SnAKe). Theirs then ends the
    experiment; ours spends the trials that are left at that place, and goes on should the results there disappoint.
    The share and the distance are our choice: they also look at the spread of the belief.
    """

    deletion: Literal["nearest", "eps", "length", "none"] = "eps"
    eps: float = field(default=0.1, validator=valid(checks.not_negative))
    step: float | None = field(default=None, validator=valid(checks.positive))
    stop: float | None = field(default=None, validator=valid(checks.number))

    def __attrs_post_init__(self) -> None:
        if self.deletion not in DELETIONS:
            raise InvalidInput(f"deletion: no rule {self.deletion!r}; {checks.nearest(self.deletion, DELETIONS)}")
        if self.stop is not None and not 0 < self.stop <= 1:
            raise InvalidInput(f"stop must be a share above 0 and at most 1, got {self.stop}")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the draws that are left; with a step, one place; once stopped, the best place known."""
        draw_rng, delete_rng, route_rng = rng.spawn(3)
        draws, left = self._draws(situation, size, draw_rng, delete_rng)
        history, space = situation.history, situation.space
        if self.stop is not None and history.told and not space.once:
            best = space.snap(best_known(situation))
            if (distances(space, draws, best[0]) <= self.eps).mean() >= self.stop:
                left = np.repeat(best, size, axis=0)
        if self.step is None or history.position is None:
            return left
        route = plan_route(situation.travel, history.position, left, None, ShortRoute(), route_rng)
        return towards(space, history.position, route.places[:1], self.step)

    def _draws(
        self, situation: Situation, size: int, draw_rng: Generator, delete_rng: Generator
    ) -> tuple[Points, Points]:
        """Return the draws of the optimum, and those that are left."""
        history, space = situation.history, situation.space
        made = history.visited
        # The draws are of the belief itself: pending places count by their deletion, not by hallucination.
        believed = evolve(situation, history=evolve(history, pending=no_points(space.d)))
        if self.deletion == "none" or space.once:
            draws = Thompson().propose(believed, size, draw_rng)
            return draws, draws
        draws = Thompson().propose(believed, size + len(made), draw_rng)
        lengths = situation.posterior.notes.get("lengths") or [math.inf]
        reach = {"eps": self.eps, "length": float(min(lengths))}.get(self.deletion, math.inf)
        return draws, draws[undeleted(space.encode(draws), space.encode(made), reach, delete_rng)][:size]


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

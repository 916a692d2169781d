"""Thompson sampling: every place of the batch is the best place of its own draw."""

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core.arrays import Matrix, Points
from wayfare.policy.acquisition import RADII, away, first_look, is_small
from wayfare.policy.base import Situation, admit_all

CLOUDS = 128
"""Places looked at around the tops of the draws, in each round of refining; at least eight for each."""


@frozen
class Thompson:
    """Batched Thompson sampling (Kandasamy et al. 2018): one drawn function per place, each maximised.

    The draws are whole functions (pathwise), so each can be followed to its top between the candidates;
    drawing jointly on a fixed set would leave a floor under regret and movement.
    """

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the best places of ``size`` functions drawn from the belief."""
        space = situation.space
        draws = situation.expected.paths(size, rng)
        x = admitted(situation, first_look(situation, rng))
        values = draws(x)
        if space.once:
            picks: Points = x[distinct_tops(values)]
            return picks
        every = np.arange(size)
        best = values.argmax(axis=0)
        tops: Points = x[best]
        heights = values[best, every]
        if is_small(space):
            return tops
        for radius in RADII:
            around = away(situation, space.around(tops, radius, max(8, CLOUDS // size), rng))
            nearby = admitted(situation, around)
            if len(nearby) == 0:
                continue
            values = draws(nearby)
            best = values.argmax(axis=0)
            higher = values[best, every] > heights
            tops[higher], heights[higher] = nearby[best[higher]], values[best, every][higher]
        return tops


def admitted(situation: Situation, x: Points) -> Points:
    """Return the places that may be chosen."""
    if situation.admits is admit_all:
        return x
    return x[situation.admits(x, situation.posterior.marginals(x))]


def distinct_tops(values: Matrix) -> list[int]:
    """Return for each draw its best place not yet taken by a draw before it, while there are any."""
    values = values.copy()
    picks = []
    for draw in range(min(values.shape)):
        picks.append(int(values[:, draw].argmax()))
        values[picks[-1]] = -np.inf
    return picks

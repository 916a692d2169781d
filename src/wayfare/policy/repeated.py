"""MINI: one place at a time, visited again and again before the next."""

import math

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare import door
from wayfare.arrays import Points
from wayfare.errors import InvalidInput
from wayfare.policy.base import Policy, Runs
from wayfare.situation import Situation


@frozen
class Repeated:
    """The first place of ``policy``, as often as its spread shrinks by no more than ``shrink`` (MINI).

    Calandriello et al. 2022: n results at x with noise variance lam leave the variance s^2 / (1 + n s^2 /
    lam), so ``max(1, floor((C^2 - 1) lam / s^2))`` visits shrink no standard deviation by more than C. The
    traveller moves once for all of them. Put it on the ``Horizon`` schedule: it decides how many there are.
    """

    policy: Policy
    shrink: float = 1.1

    def __attrs_post_init__(self) -> None:
        door.part(self.policy, "policy", "propose")
        if door.number(self.shrink, "shrink") <= 1:
            raise InvalidInput(f"shrink must be above 1, got {self.shrink}")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place, up to ``size`` times."""
        place = Runs.of(self.policy.propose(situation, 1, rng)).places[:1]
        if situation.space.once:
            return place
        times = repeats(situation, place, self.shrink)
        return np.repeat(place, min(times, size), axis=0)


def repeats(situation: Situation, place: Points, shrink: float) -> int:
    """Return how often a place may be visited before its spread has shrunk by the factor."""
    before = float(situation.expected.marginals(place).sd[0]) ** 2
    after = float(situation.expected.condition(place).marginals(place).sd[0]) ** 2
    if before <= 0 or after <= 0:
        return 1
    # One result leaves s^2 lam / (s^2 + lam): hence lam / s^2, whatever the surrogate calls its noise.
    noise = after / (before - after) if before > after else math.inf
    return max(1, math.floor(min((shrink**2 - 1) * noise, 1e9) + 1e-9))

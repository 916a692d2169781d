"""Choices that may go only a short step from where the traveller stands."""

import math

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare import door
from wayfare.acquisition import away, ucb
from wayfare.arrays import Points, Values
from wayfare.policy.base import Policy, Runs
from wayfare.policy.greedy import UCB, LogEI
from wayfare.situation import Situation
from wayfare.space import AnySpace, Real, Space

NEARBY = 512
"""Places looked at within reach."""


@frozen
class Truncated:
    """The ``policy``'s first place, or as far towards it as a step allows (Samaniego et al. 2021).

    A step is the shortest length-scale times sqrt(d), in the unit cube, as in the SnAKe paper's comparison;
    Samaniego's own constant differs, so it can be multiplied by ``factor``. Choices change at once.
    """

    policy: Policy = field(factory=LogEI)
    factor: float = 1.0

    def __attrs_post_init__(self) -> None:
        door.part(self.policy, "policy", "propose")
        door.positive(self.factor, "factor")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""
        goal = Runs.of(self.policy.propose(situation, 1, rng)).places[:1]
        lengths = situation.posterior.notes.get("lengths")
        if situation.history.position is None or not lengths:
            return goal
        step = self.factor * min(lengths) * math.sqrt(len(lengths))
        return towards(situation, goal, step)


@frozen
class LimitedStep:
    """Never more than ``radius`` of the unit cube in one step, planned towards the best place (LSR-BO).

    Paulson et al. 2023 limit the step and look ahead, because the best place within reach alone stalls. Our
    reading, which may differ from theirs: of the places within reach that come closer to the place of highest
    upper confidence bound by half a step at least, the one of highest bound; else straight towards it.
    On the straight way choices change at once, whatever the radius, for no value lies between two.
    """

    radius: float = 0.1
    beta: float = 4.0

    def __attrs_post_init__(self) -> None:
        door.positive(self.radius, "radius")
        door.not_negative(self.beta, "beta")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""
        here, space = situation.history.position, situation.space
        goal = UCB(self.beta).propose(situation, 1, rng)
        if here is None:
            return goal
        far = distances(situation, goal, here)[0]
        if far <= self.radius:
            return goal
        near = away(situation, space.around(here[None, :], self.radius / 2, NEARBY, rng))
        left = np.sqrt(np.square(space.encode(near) - space.encode(goal)).sum(axis=1))
        within = (distances(situation, near, here) <= self.radius) & (left <= far - self.radius / 2)
        if not within.any():
            return towards(situation, goal, self.radius)
        near = near[within]
        at = situation.expected.marginals(near)
        pick: Points = near[[int(ucb(at.mean, at.sd, self.beta).argmax())]]
        return pick


def distances(situation: Situation, x: Points, here: Values) -> Values:
    """Return how far places are from ``here`` in the unit cube."""
    space = situation.space
    return np.asarray(np.sqrt(np.square(space.encode(x) - space.encode(here[None, :])).sum(axis=1)))


def towards(situation: Situation, goal: Points, step: float) -> Points:
    """Return the goal, or the allowed place nearest to one step towards it, straight in the unit cube."""
    here, space = situation.history.position, situation.space
    if here is None:
        return goal
    far = distances(situation, goal, here)[0]
    if far <= step:
        return goal
    share = step / far
    on_the_way = here + share * (goal - here)
    for column, axis in logarithmic(space):
        # Out of bounds a traveller may stand at 0 or below, where only the axis knows what to make of it.
        start, end = axis.encode(here[[column]])[:, 0], axis.encode(goal[:, column])[:, 0]
        on_the_way[:, column] = axis.place(np.clip(start + share * (end - start), 0.0, 1.0))
    for column, values in enumerate(space.choices):
        if values is not None:
            on_the_way[:, column] = goal[:, column]
    return space.snap(on_the_way)


def logarithmic(space: AnySpace) -> list[tuple[int, Real]]:
    """Return the columns where equal steps of the unit cube are equal ratios, and their axes; no fixed ones.

    Along all other numbers the unit cube is the user's units, scaled. A table of places has only those.
    """
    axes = space.axes if isinstance(space, Space) else ()
    return [
        (column, axis)
        for column, axis in enumerate(axes)
        if isinstance(axis, Real) and axis.log and axis.width
    ]

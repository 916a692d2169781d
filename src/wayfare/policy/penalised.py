"""Choices that weigh what a place promises against the way there, one place at a time."""

import math

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Points, Values
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.policy.acquisition import away, candidates_near, log_ei, ucb
from wayfare.policy.base import Policy, Runs, Situation
from wayfare.policy.greedy import UCB, LogEI, best_so_far
from wayfare.space import AnySpace, Real, Space
from wayfare.surrogate import Marginals
from wayfare.travel import priced

CENTRES = 6
ROLLED, SEEN = 16, 128
"""How many first steps a look-ahead follows, and how many places it can see from each."""


@frozen
class DistanceUCB:
    """The upper confidence bound less ``weight`` times the cost of the way there.

    With one step this is the rule of GS (Shi et al. 2023) as the paper ran it: beta 4, weight 1, the distance
    in the user's units and the results as they are. The weight is in units of the result per unit of cost,
    so whoever changes either unit changes the method; where a step costs more than the function can give, it
    never moves.

    With more steps each place is also worth what the best way on from it promises, found greedily with the
    places before hallucinated. That is our reading of the distance-adjusted look-ahead of Liu, Wang and Wei
    (IJCAI 2023), of which only the abstract was at hand: their rule and constants may differ.
    """

    beta: float = 4.0
    weight: float = 1.0
    steps: int = 1

    def __attrs_post_init__(self) -> None:
        checks.not_negative(self.beta, "beta")
        checks.not_negative(self.weight, "weight")
        checks.count(self.steps, "steps", 1)

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""

        def score(x: Points, at: Marginals) -> Values:
            return ucb(at.mean, at.sd, self.beta) - self.weight * way_to(situation, x)

        x, values = candidates_near(situation, score, CENTRES, rng)
        if self.steps > 1:
            x = x[np.argsort(-values, kind="stable")]
            values = np.sort(values)[::-1][:ROLLED]
            seen = x[:SEEN]
            values = values + [self._ahead(situation, seen, first) for first in range(len(values))]
        return x[[int(values.argmax())]]

    def _ahead(self, situation: Situation, x: Points, here: int) -> float:
        """Return what the best of the next steps promise, once the traveller is at ``x[here]``."""
        tracker, total = situation.expected.track(x), 0.0
        between = priced(situation.travel, x, x)
        for _ in range(self.steps - 1):
            tracker.add(here)
            mean, sd = tracker.marginals
            values = ucb(mean, sd, self.beta) - self.weight * between[here]
            here = int(values.argmax())
            total += float(values[here])
        return total


@frozen
class EIPerCost:
    """Expected improvement per unit of cost, EI / (cost + gap) (Lee et al. 2020, as in the SnAKe paper).

    ``gap`` keeps staying put from being infinitely good; it sets the whole trade-off and is in units of cost.
    SnAKe's authors take 1 with distances in the unit cube; None is the same in any unit: what crossing the
    unit cube's side costs, judged by a sample of places.
    """

    gap: float | None = None

    def __attrs_post_init__(self) -> None:
        if self.gap is not None:
            checks.positive(self.gap, "gap")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""
        best = best_so_far(situation)
        gap = side_cost(situation) if self.gap is None else self.gap

        def score(x: Points, at: Marginals) -> Values:
            return log_ei(at.mean, at.sd, best) - np.log(way_to(situation, x) + gap)

        x, values = candidates_near(situation, score, CENTRES, rng)
        return x[[int(values.argmax())]]


def way_to(situation: Situation, x: Points) -> Values:
    """Return what it costs to get to each place; nothing where nobody said where the traveller stands."""
    position = situation.history.position
    if position is None:
        return np.zeros(len(x))
    costs: Values = priced(situation.travel, position[None, :], x)[0]
    return costs


def side_cost(situation: Situation) -> float:
    """Return what a move of length 1 in the unit cube costs, the middle of many; the same for every plan."""
    space = situation.space
    x = space.sample(64, stream(0, "side cost"))
    features = space.encode(x)
    moves = np.sqrt(np.square(features[:, None, :] - features[None, :, :]).sum(axis=2))
    apart = moves > 0
    costs = priced(situation.travel, x, x)[apart] / moves[apart]
    return float(np.median(costs[costs > 0])) if (costs > 0).any() else 1.0


# Choices that may go only a short step from where the traveller stands.


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
        checks.part(self.policy, "policy", "propose")
        checks.positive(self.factor, "factor")

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
        checks.positive(self.radius, "radius")
        checks.not_negative(self.beta, "beta")

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
    return [(column, axis) for column, axis in enumerate(axes) if isinstance(axis, Real) and axis.log and axis.width]


# MINI: one place at a time, visited again and again before the next.


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
        checks.part(self.policy, "policy", "propose")
        if checks.number(self.shrink, "shrink") <= 1:
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

"""Choices that weigh what a place promises against the way there, one place at a time."""

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare import door
from wayfare.acquisition import candidates_near, log_ei, ucb
from wayfare.arrays import Points, Values
from wayfare.policy.greedy import best_so_far
from wayfare.rng import stream
from wayfare.situation import Situation
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
        door.not_negative(self.beta, "beta")
        door.not_negative(self.weight, "weight")
        door.count(self.steps, "steps", 1)

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
            door.positive(self.gap, "gap")

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

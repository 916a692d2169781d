"""Policies from the literature that choose one place at a time, by its promise and the cost of getting there.

They penalise travel (``DistanceUCB``, ``EIPerCost``), bound the step (``Truncated``, ``LimitedStep``, ``LazyUCB``), or
stay for several results (``Repeated``). Their papers differ in detail; each docstring says how far ours follows.
"""

import math

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Mask, Points, Values, same_rows
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.policy.acquisition import CENTRES, away, candidates_near, log_ei, ucb, ucb_score
from wayfare.policy.base import Policy, Runs, Situation, as_its_policy, valid
from wayfare.policy.greedy import UCB, LogEI, best_so_far
from wayfare.space import AnySpace
from wayfare.surrogate import Marginals
from wayfare.travel import priced

MAX_FIRST_STEPS, MAX_NEXT_STEPS = 16, 128
"""How many first steps a look-ahead follows, and how many places it can go to from each."""
NEARBY = 512
"""How many places within one step ``LimitedStep`` looks at."""


@frozen
class DistanceUCB:
    """The upper confidence bound less ``weight`` times the travel cost.

    With one step this is the rule of GS (Shi et al. 2023) as the paper ran it: beta 4, weight 1, the distance in the
    user's units and the results as they are. With more steps each place is also worth what the best steps from there
    promise, found greedily with the places before hallucinated. That is our reading of the distance-adjusted look-ahead
    of Liu, Wang and Wei (IJCAI 2023), of which only the abstract was at hand: their rule and constants may differ.

    Attributes:
        beta: the weight of exploration.
        weight: in units of the result per unit of cost, so that changing either unit changes the method; if every step
            costs more than the function can give, the traveller never moves.
        steps: how many steps to look ahead.
    """

    beta: float = field(default=4.0, validator=valid(checks.not_negative))
    weight: float = field(default=1.0, validator=valid(checks.not_negative))
    steps: int = field(default=1, validator=valid(checks.count, 1))

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""

        def score(x: Points, at: Marginals) -> Values:
            return ucb(at.mean, at.sd, self.beta) - self.weight * way_to(situation, x)

        x, values = candidates_near(situation, score, CENTRES, rng)
        if self.steps > 1:
            x = x[np.argsort(-values, kind="stable")]
            values = np.sort(values)[::-1][:MAX_FIRST_STEPS]
            seen = x[:MAX_NEXT_STEPS]
            values = values + [self._ahead(situation, seen, first) for first in range(len(values))]
        return x[[int(values.argmax())]]

    def _ahead(self, situation: Situation, x: Points, here: int) -> float:
        """Return the scores of the best next steps, added up, once the traveller is at ``x[here]``."""
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

    ``gap``, in units of cost, keeps staying put from being infinitely good; it sets the whole trade-off. SnAKe's
    authors take 1 with distances in the unit cube; None is the same in any unit: the cost of crossing the unit cube's
    side, estimated from a sample of places.
    """

    gap: float | None = field(default=None, validator=valid(checks.positive))

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""
        best = best_so_far(situation)
        gap = side_cost(situation) if self.gap is None else self.gap

        def score(x: Points, at: Marginals) -> Values:
            return log_ei(at.mean, at.sd, best) - np.log(way_to(situation, x) + gap)

        x, values = candidates_near(situation, score, CENTRES, rng)
        return x[[int(values.argmax())]]


def way_to(situation: Situation, x: Points) -> Values:
    """Return the travel cost to each place; zeros if the traveller's position is unknown."""
    position = situation.history.position
    return np.zeros(len(x)) if position is None else np.asarray(priced(situation.travel, position[None, :], x)[0])


def side_cost(situation: Situation) -> float:
    """Return the median cost of a move of length 1 in the unit cube; the same for every plan."""
    x = situation.space.sample(64, stream(0, "side cost"))
    features = situation.space.encode(x)
    moves = np.sqrt(np.square(features[:, None, :] - features[None, :, :]).sum(axis=2))
    apart = moves > 0
    costs = priced(situation.travel, x, x)[apart] / moves[apart]
    return float(np.median(costs[costs > 0])) if (costs > 0).any() else 1.0


@frozen
class Truncated:
    """The ``policy``'s first place, or as far towards it as a step allows (Samaniego et al. 2021).

    A step is the shortest length-scale times sqrt(d), in the unit cube, as in the SnAKe paper's comparison;
    Samaniego's own constant differs, so it can be multiplied by ``factor``. Choices change at once.
    """

    policy: Policy = field(factory=LogEI, validator=valid(checks.part, "propose"))
    factor: float = field(default=1.0, validator=valid(checks.positive))
    needs_whole_space = as_its_policy

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""
        goal = Runs.of(self.policy.propose(situation, 1, rng)).places[:1]
        lengths = situation.posterior.notes.get("lengths")
        if situation.history.position is None or not lengths:
            return goal
        step = self.factor * min(lengths) * math.sqrt(len(lengths))
        return towards(situation.space, situation.history.position, goal, step)


@frozen
class LimitedStep:
    """Never more than ``radius`` of the unit cube in one step, planned towards the best place (LSR-BO).

    Paulson et al. 2023 limit the step and look ahead, because the best place within reach alone stalls. Our reading,
    which may differ from theirs: of the places within reach that come closer to the place of highest upper confidence
    bound by half a step at least, the one of highest bound; else straight towards it. On the straight line choices
    change at once, whatever the radius, for no value lies between two.
    """

    radius: float = field(default=0.1, validator=valid(checks.positive))
    beta: float = field(default=4.0, validator=valid(checks.not_negative))

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""
        here, space = situation.history.position, situation.space
        goal = UCB(self.beta).propose(situation, 1, rng)
        if here is None:
            return goal
        far = distances(space, goal, here)[0]
        if far <= self.radius:
            return goal
        # Half the radius as standard deviation puts most of the cloud within one step.
        near = away(situation, space.around(here[None, :], self.radius / 2, NEARBY, rng))
        closer = distances(space, near, goal[0]) <= far - self.radius / 2
        near = near[closer & (distances(space, near, here) <= self.radius)]
        if not len(near):
            return towards(space, here, goal, self.radius)
        mean, sd = situation.expected.marginals(near)
        return np.asarray(near[[int(ucb(mean, sd, self.beta).argmax())]])


@frozen
class LazyUCB:
    """The highest upper confidence bound within a reach that is drawn again at every step: seldom far (after LaMBO).

    LaMBO (Lin, Miano and Dyer, UAI 2021) is for costs of switching: settings of early modules are the dear ones. It has
    a tree of regions, with the dear settings at its top, and takes the laziness of the slowly moving bandit of Koren,
    Livni and Mansour (2017): by tosses of a coin a step leaves a small region half of the time, a larger one a quarter
    of the time, and so on. Here regions are all that is within a cost of travel from here, half as much for every
    level, so that any cost will do: where only switching costs, all but a few steps leave the switch as it is.

    Read in the abstract and in descriptions by others, so much is uncertain. Theirs is a fixed tree, of which a leaf is
    drawn by weights that add up what was lost in it at all earlier steps; here the best bound of the current belief
    decides, and their proof does not apply.

    Attributes:
        levels: how often the longest way from here is halved; one step in 2^levels may go anywhere. 0 is UCB.
        beta: the weight of exploration.
    """

    levels: int = field(default=4, validator=valid(checks.count, 0))
    beta: float = field(default=4.0, validator=valid(checks.not_negative))

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place."""
        look_rng, level_rng = rng.spawn(2)
        x, values = candidates_near(situation, ucb_score(self.beta), CENTRES, look_rng)
        halvings = self.levels - min(self.levels, int(level_rng.geometric(0.5)) - 1)
        values = np.where(self.is_within(situation, x, halvings), values, -np.inf)
        return x[[int(values.argmax())]]

    def is_within(self, situation: Situation, x: Points, halvings: int) -> Mask:
        """Return which places are within reach after so many halvings; the nearest other place always is.

        A fee for every move is no reason to stay, for no step is without it: what is halved comes on top of it.

        Args:
            situation: where the traveller stands, and what travel costs.
            x: the places.
            halvings: how often the longest way from here is halved.
        """
        position, way = situation.history.position, way_to(situation, x)
        if position is None:
            return np.ones(len(x), dtype=np.bool_)
        nearest = float(way[~same_rows(x, position[None, :])].min(initial=float(way.max())))
        return way <= nearest + (float(way.max()) - nearest) * 0.5**halvings


def distances(space: AnySpace, x: Points, place: Values) -> Values:
    """Return how far places are from ``place`` in the unit cube."""
    return np.asarray(np.sqrt(np.square(space.encode(x) - space.encode(place[None, :])).sum(axis=1)))


def towards(space: AnySpace, here: Values, goal: Points, step: float) -> Points:
    """Return the goal, or the allowed place nearest to one step towards it, straight in the unit cube."""
    far = distances(space, goal, here)[0]
    if far <= step:
        return goal
    share = step / far
    # Equal steps of the unit cube are equal steps in the user's units, except on logarithmic axes.
    target = here + share * (goal - here)
    for column, axis in enumerate(getattr(space, "axes", ())):  # a table of places has none
        if getattr(axis, "log", False) and axis.width:
            # Out of bounds a traveller may stand at 0 or below, which only the axis can encode.
            start, end = axis.encode(here[[column]])[:, 0], axis.encode(goal[:, column])[:, 0]
            target[:, column] = axis.place(np.clip(start + share * (end - start), 0.0, 1.0))
    for column, values in enumerate(space.choices):
        if values is not None:
            target[:, column] = goal[:, column]
    return space.snap(target)


@frozen
class Repeated:
    """The first place of ``policy``, as often as its standard deviation shrinks by no more than ``shrink`` (MINI).

    Calandriello et al. 2022: n results at x with noise variance lam leave the variance s^2 / (1 + n s^2 / lam), so
    ``max(1, floor((C^2 - 1) lam / s^2))`` visits shrink no standard deviation by more than C. The traveller moves once
    for all of them. Put it on the ``Horizon`` schedule: it decides how many there are.
    """

    policy: Policy = field(validator=valid(checks.part, "propose"))
    shrink: float = field(default=1.1, validator=valid(checks.number))
    needs_whole_space = as_its_policy

    def __attrs_post_init__(self) -> None:
        if self.shrink <= 1:
            raise InvalidInput(f"shrink must be above 1, got {self.shrink}")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place, up to ``size`` times."""
        place = Runs.of(self.policy.propose(situation, 1, rng)).places[:1]
        if situation.space.once:
            return place
        return np.repeat(place, min(repeats(situation, place, self.shrink), size), axis=0)


def repeats(situation: Situation, place: Points, shrink: float) -> int:
    """Return how often a place may be visited before its standard deviation has shrunk by the factor."""
    before = float(situation.expected.marginals(place).sd[0])
    after = float(situation.expected.condition(place).marginals(place).sd[0])
    if before <= 0 or after <= 0:
        return 1
    # One result leaves s^2 lam / (s^2 + lam): hence lam / s^2, whatever the surrogate calls its noise.
    share = (after / before) ** 2
    noise = share / (1.0 - share) if share < 1.0 else math.inf
    return max(1, math.floor(min((shrink**2 - 1) * noise, 1e9) + 1e-9))

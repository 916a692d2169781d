"""Policies that fill a batch greedily: each place is hallucinated before the next one is chosen.

``OnTheWay`` and ``EIOnTheWay`` put a price on travel: the upper confidence bound of a place, or its expected
improvement, less what the detour costs. ``ExploreFirst`` goes from one policy to another; the default is made of all
three.
"""

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from attrs import Factory, evolve, field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Mask, Order, Points, Values, unique_rows
from wayfare.errors import InvalidInput
from wayfare.policy.acquisition import MAX_WHOLE, best_visited, log_ei, pick_greedily, shortlist, ucb_score
from wayfare.policy.base import Batch, Policy, Situation, needs_whole_space, valid
from wayfare.space import AnySpace
from wayfare.surrogate.history import History
from wayfare.travel import TravelCost, priced, rough

ENOUGH = 0.9
"""The part of a budget, or of what an even pace would have spent of it, that counts as all: the rest may be too little
for any way."""


@frozen
class UCB:
    """Batched UCB: the mean frozen at the batch's start, the standard deviation shrinking as places are chosen.

    GP-BUCB (Desautels, Krause and Burdick 2014) without the inflation of ``beta`` that its proof asks for, as in the
    paper's experiments; ``beta = 4`` is two standard deviations.

    In a space with choices every combination of their values may have a best place of its own, and the best of these m
    is what counts. The best of m alike is expected to be some standard deviations above them on average, 1.0 for four
    and 2.0 for thirty, so two are timid where m is large. With ``per_combination`` that many are added.

    Attributes:
        beta: the square of the number of standard deviations.
        per_combination: add the standard deviations by which the best of all combinations of choices is expected to
            stand out. Without choices it changes nothing.
    """

    beta: float = field(default=4.0, validator=valid(checks.not_negative))
    per_combination: bool = False

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the ``size`` places of highest upper confidence bound."""
        return pick_greedily(situation, ucb_score(_beta_in(situation.space, self)), size, rng)


def _beta_in(space: AnySpace, policy: "UCB | OnTheWay") -> float:
    """Return the ``beta`` of a policy in a space."""
    m = combinations(space) if policy.per_combination else 1
    return policy.beta if m == 1 else (math.sqrt(policy.beta) + best_of(m)) ** 2


def best_of(m: int) -> float:
    """Return about what the largest of ``m`` standard normal numbers is expected to be (Blom 1958)."""
    return NormalDist().inv_cdf((m - 0.375) / (m + 0.25))


def combinations(space: AnySpace) -> int:
    """Return how many combinations of values of choices there are; 1 in a table where they only name the places.

    They do if there are fewer than two places to each of them on average.
    """
    sizes = [len(values) for values in space.choices if values is not None]
    if not sizes:
        return 1
    if space.size is None:
        return math.prod(sizes)
    table = space.everything(MAX_WHOLE)
    if table is None:
        return min(math.prod(sizes), max(1, space.size // 2))
    found = len(unique_rows(table[:, [column for column, values in enumerate(space.choices) if values is not None]])[0])
    return found if 2 * found <= space.size else 1


@frozen
class LogEI:
    """Batched expected improvement over the best posterior mean at a visited place.

    Chosen and pending places are taken to come out at their mean, and the next ones must improve upon that too (the
    Kriging believer of Ginsbourger, Le Riche and Carraro 2010).
    """

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the ``size`` places of highest expected improvement."""
        best = best_so_far(situation)

        def raise_best(mean: float) -> None:
            nonlocal best
            best = max(best, mean)

        return pick_greedily(situation, lambda x, at: log_ei(at.mean, at.sd, best), size, rng, raise_best)


def best_so_far(situation: Situation) -> float:
    """Return the value to improve upon: the best posterior mean at a visited or pending place."""
    pending = situation.history.pending
    # Before any result there is nothing to improve upon, and EI ranks by standard deviation: any constant serves.
    best = float(best_visited(situation)[1].max()) if situation.history.told else 0.0
    return max(best, float(situation.posterior.marginals(pending).mean.max())) if len(pending) else best


@frozen
class PureExploration:
    """Batched pure exploration: always the place of largest standard deviation (Li and Scarlett 2022).

    With ``fresh`` it is conditioned on this batch's own places only, as their proof requires; without it, on all
    results, which wastes none of them: a heuristic, and the better one in practice.
    """

    fresh: bool = False

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the ``size`` places of largest standard deviation."""
        return pick_greedily(_forgetful(situation) if self.fresh else situation, lambda x, at: at.sd, size, rng)


def _forgetful(situation: Situation) -> Situation:
    """Return the situation with the belief's hyperparameters but none of its results or pending places."""
    known, judge, admits = situation.history, situation.posterior, situation.admits
    nothing = History.empty(situation.space, known.position, known.noise)
    nothing = evolve(nothing, failed=known.failed, skipped=known.skipped)
    blank = situation.surrogate.recall(nothing, judge.notes)
    # Places are still ruled out by the results.
    return evolve(situation, history=nothing, posterior=blank, admits=lambda x, _: admits(x, judge.marginals(x)))


def _below_one(price: object, what: str) -> float:
    """Check that a price is a share that leaves something."""
    number = checks.not_negative(price, what)
    if number >= 1:
        raise InvalidInput(f"{what} must be below 1, the whole of what a place promises, got {price!r}")
    return number


@frozen
class OnTheWay:
    """The places of a batch one after the other, each by its upper confidence bound less its detour.

    The detour of a place is the cost it adds to the route through those chosen before, at the cheapest gap. It is paid
    for in *hope*: how far the best upper bound, mean + sqrt(beta) sd, is above the best mean. So short steps, as the
    last ones to a peak or into a corner, are UCB's own, far places compete by what they promise, and without hope
    travel is free. With a price of 0, or an unknown position, this is batched UCB.

    The upper bound at the chosen place is below the best one by at most price / (1 - price) sqrt(beta) standard
    deviations at the chosen place. UCB's bound on the regret of one choice, 2 sqrt(beta) sd, grows by that: three
    times as much with a price of 0.8. A price of 1 or more would have no such bound, and could keep a traveller at the
    best place known for ever; it is refused.

    Attributes:
        beta: the weight of exploration.
        price: the share of the hope that a long detour costs, from 0 to below 1; a shorter one costs proportionally
            less.
        reach: from which share of the longest leg from here a detour counts as long.
        per_combination: look farther the more combinations of choices there are, as ``UCB`` does.
    """

    beta: float = field(default=1.0, validator=valid(checks.not_negative))
    price: float = field(default=0.8, validator=valid(_below_one))
    reach: float = field(default=0.5, validator=valid(checks.positive))
    per_combination: bool = False

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return ``size`` places, each chosen once those before it are hallucinated."""
        beta = _beta_in(situation.space, self)
        x, _ = shortlist(situation, ucb_score(beta), size, rng)

        def worth(mean: Values, sd: Values, taken: Mask, share: Values, picks: list[int]) -> Values:
            upper = np.where(taken, -np.inf, mean + math.sqrt(beta) * sd)
            # Places already taken offer no hope; the best mean counts wherever it is.
            hope = max(0.0, float(upper.max() - mean.max()))
            return upper - self.price * hope * share

        return _fill_on_the_way(situation, x, size, self.reach, worth)


@frozen
class EIOnTheWay:
    """The places of a batch one after the other, each by its expected improvement less its detour.

    As ``OnTheWay``, but a place is worth its expected improvement, and a detour costs a share of that. So the
    expected improvement at the chosen place is at least 1 - price of the best one.

    Attributes:
        price: the share of the expected improvement that a long detour costs, from 0 to below 1; a shorter one costs
            proportionally less.
        reach: from which share of the longest leg from here a detour counts as long.
    """

    price: float = field(default=0.8, validator=valid(_below_one))
    reach: float = field(default=0.5, validator=valid(checks.positive))

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return ``size`` places, each chosen once those before it are taken to come out at their mean."""
        best = best_so_far(situation)
        x, _ = shortlist(situation, lambda x, at: log_ei(at.mean, at.sd, best), size, rng)

        def worth(mean: Values, sd: Values, taken: Mask, share: Values, picks: list[int]) -> Values:
            improvement = log_ei(mean, sd, max(best, *mean[picks]) if picks else best)
            return np.where(taken, -np.inf, improvement + np.log1p(-self.price * share))

        return _fill_on_the_way(situation, x, size, self.reach, worth)


Worth: TypeAlias = Callable[[Values, Values, Mask, Values, list[int]], Values]
"""From the mean and sd of the places, whether they are taken, what their detours cost as a share of a long one, and the
places chosen before, to what each is worth."""


def _fill_on_the_way(situation: Situation, x: Points, size: int, reach: float, worth: Worth) -> Points:
    """Return ``size`` of the places, each the one worth most once those before it are hallucinated.

    The detour of a place is what it adds to the route through those before it; it is long from ``reach`` of the longest
    leg from here on.
    """
    once = situation.space.once
    tracker = situation.expected.track(x)
    taken = np.zeros(len(x), dtype=np.bool_)
    # On a large map rough costs choose about as well, and many times sooner.
    travel = rough(situation.travel, size) or situation.travel
    detours = Detours(travel, situation.history.position, x)
    far = reach * float(detours.added()[0].max())
    picks: list[int] = []
    for _ in range(min(size, len(x)) if once else size):
        added, gap = detours.added()
        share = np.clip(added / far, 0.0, 1.0) if far > 0 else np.zeros(len(x))
        mean, sd = tracker.marginals
        pick = int(worth(mean, sd, taken, share, picks).argmax())
        taken[pick] = once
        picks.append(pick)
        tracker.add(pick)
        detours.add(pick, int(gap[pick]))
    return x[picks]


@frozen
class ExploreFirst:
    """The first trials by a policy that explores, all later ones by a policy that exploits what was found.

    Exploring lasts for ``span`` sqrt(T) of T trials, so its share falls as studies grow: 22 of 30 trials, 31 of 60, 40
    of 100 and 70 of 300. A method that goes on exploring crosses the space again and again for ever smaller hopes; one
    that never does keeps the first good place. With a budget it also explores while that is spent more slowly than at
    an even pace until half of the trials: a budget is there to be used.

    While results are out, expected improvement takes them to come out at their mean, and looks elsewhere for less than
    they may bring. So the default explores by an upper confidence bound then.

    Attributes:
        explore: chooses while the study explores.
        exploit: chooses then.
        span: how many times sqrt(T) trials the study explores.
        waiting: chooses in place of ``explore`` while results are out; default: ``explore`` itself.
    """

    explore: Policy = field(factory=EIOnTheWay, validator=valid(checks.part, "propose"))
    exploit: Policy = field(factory=OnTheWay, validator=valid(checks.part, "propose"))
    span: float = field(default=4.0, validator=valid(checks.not_negative))
    waiting: Policy = field(
        default=Factory(lambda self: self.explore, takes_self=True), validator=valid(checks.part, "propose")
    )

    @property
    def needs_whole_space(self) -> bool:
        """Whether one of its policies does."""
        return any(map(needs_whole_space, (self.explore, self.exploit, self.waiting)))

    def propose(self, situation: Situation, size: int, rng: Generator) -> Batch:
        """Return the batch of the policy whose turn it is."""
        done, spent = situation.history.handed_out, situation.spent
        trials = done + situation.left
        explores = done < self.span * math.sqrt(trials)
        if spent is not None:
            explores |= spent < ENOUGH * min(1.0, 2 * done / trials)
        explore = self.waiting if len(situation.history.pending) else self.explore
        return (explore if explores else self.exploit).propose(situation, size, rng)


class Detours:
    """A route from ``position`` through some of the places ``x``, and the cost that each place would add to it.

    Right for asymmetric costs too. Without a position all travel is free. ``stops`` has the numbers of its places.
    """

    def __init__(self, travel: TravelCost, position: Values | None, x: Points) -> None:
        self._travel, self._x = travel, x
        self._known: dict[int, tuple[Values, Values]] = {}
        self.stops: list[int] = []
        self._back: list[Values] = []  # from all places to each stop, in the order of the route
        self._out: list[Values] = []  # from the position, and then from each stop, to all places
        # What each place adds in each gap, the least of these, and the first gap where it is.
        self._gaps: list[Values] = []
        self._least, self._first = np.zeros(len(x)), np.zeros(len(x), dtype=np.intp)
        if position is not None:
            self._out.append(priced(travel, position[None, :], x)[0])
            self._gaps.append(self._out[0])
            self._least = self._out[0].copy()

    @property
    def cost(self) -> float:
        """The cost of the route."""
        return float(sum(out[stop] for out, stop in zip(self._out, self.stops, strict=False)))

    def added(self) -> tuple[Values, Order]:
        """Return the least that each place adds to the route, and how many stops come before it then."""
        return self._least.copy(), self._first.copy()

    def add(self, place: int, gap: int) -> None:
        """Put the place of that number behind the first ``gap`` stops."""
        again = place in self.stops[max(0, gap - 1) : gap + 1]
        self.stops.insert(gap, place)
        if not self._out:
            return
        if place not in self._known:  # the best place is often chosen several times
            stop = self._x[[place]]
            self._known[place] = priced(self._travel, self._x, stop)[:, 0], priced(self._travel, stop, self._x)[0]
        back, out = self._known[place]
        self._back.insert(gap, back)
        self._out.insert(gap + 1, out)
        self._gaps[gap : gap + 1] = [self._in_gap(gap), self._in_gap(gap + 1)]
        self._update(gap, again)

    def _in_gap(self, gap: int) -> Values:
        """Return what each place adds behind the first ``gap`` stops."""
        if gap == len(self.stops):
            return self._out[gap]  # at the end of an open path a single leg is added
        out = self._out[gap]
        return np.asarray(out + self._back[gap] - out[self.stops[gap]])  # inside, two legs replace one

    def _update(self, gap: int, again: bool) -> None:
        """Update the least additions after one gap became two.

        Only places that fitted best into that gap have to be compared with all gaps; and not even these if the stop is
        where one beside it is, ``again``: then one of the two gaps is as the old one was.
        """
        cut = self._first == gap
        self._first[self._first > gap] += 1
        if again:
            same = gap if gap < len(self.stops) - 1 and self.stops[gap + 1] == self.stops[gap] else gap + 1
            self._first[cut] = same
        else:
            self._least[cut] = np.inf
        for at in (gap, gap + 1):
            better = (self._gaps[at] < self._least) | ((self._gaps[at] == self._least) & (at < self._first))
            self._least[better], self._first[better] = self._gaps[at][better], at
        if not again and cut.any():
            columns = np.flatnonzero(cut)
            every = np.array([row[columns] for row in self._gaps])
            self._first[columns] = every.argmin(axis=0)
            self._least[columns] = every.min(axis=0)

    def remove(self, place: int) -> None:
        """Take the place of that number out, where it comes first."""
        at = self.stops.index(place)
        del self.stops[at]
        if self._out:
            del self._back[at], self._out[at + 1]
            self._gaps = [self._in_gap(gap) for gap in range(len(self._out))]
            every = np.array(self._gaps)
            self._least, self._first = every.min(axis=0), every.argmin(axis=0)

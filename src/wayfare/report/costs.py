"""What a study has paid, what is left of its limits, and what the ways ahead of it cost."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Self
from weakref import WeakKeyDictionary

import numpy as np
from attrs import evolve, field, frozen

from wayfare._core.arrays import Mask, Matrix, Order, Points, Values
from wayfare._core.format import rough, roughly
from wayfare.planning.reach import ROUNDING, Reach
from wayfare.planning.steps import Steps
from wayfare.planning.trips import cheapest_homes
from wayfare.record.events import Trial, TrialState
from wayfare.record.state import StudyState
from wayfare.space import AnySpace
from wayfare.travel import TravelCost, priced
from wayfare.travel import rough as rough_cost
from wayfare.travel.base import Cost, only_way

# What legs really cost, by those whose cost was told: the travel cost times a scale, plus an offset.


FEWEST = 5
"""From how many legs something is learned."""
SPREAD = 0.1
"""Legs that differ by less than this share of their mean cannot tell an offset from a scale."""

LEAST = 0.01
"""Of what legs cost on average, at least this share is counted as distance: else no place would be nearer."""
LEG_ROUNDING = 1e-12
"""What is less than this share of the dearest leg is nothing."""
LARGEST = 1e100
"""A scale beyond this, or below its inverse, is no cost to compute with."""


@frozen
class LearnedCost(Cost):
    """A travel cost as legs turned out: ``scale`` times what ``travel`` says, plus ``offset`` for any move.

    ``legs`` is from how many it was learned, ``sd`` how far they were off, both costs in ``unit``. Where
    ``travel`` says that nothing moves, nothing is paid. It is a metric if ``travel`` is.
    """

    travel: TravelCost = field(eq=False, repr=False)
    scale: float
    offset: float
    legs: int
    sd: float
    unit: str
    wary: bool = False
    """Whether a leg counts as no cheaper than was stated: it may be booked so."""

    @property
    def is_metric(self) -> bool:
        """Whether the travel cost is."""
        return self.travel.is_metric

    def bind(self, space: AnySpace) -> Self:
        """Return the same with the travel cost bound."""
        return evolve(self, travel=self.travel.bind(space))

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs."""
        return self.expected(priced(self.travel, origins, targets))

    def expected(self, costs: Matrix) -> Matrix:
        """Return what legs will really cost for which the travel cost says ``costs``."""
        real = np.where(costs > 0, self.scale * costs + self.offset, 0.0)
        return np.maximum(costs, real) if self.wary else real

    def rough(self, stops: int) -> "TravelCost | None":
        """Return the same of what stands in for the travel cost on a large map."""
        stand_in = rough_cost(self.travel, stops)
        return None if stand_in is None else evolve(self, travel=stand_in)

    def way(self, origin: Values, target: Values) -> Points | None:
        """Return the line to follow by the travel cost; None if it knows none."""
        return only_way((self.travel,), origin, target)

    def __str__(self) -> str:
        """Say it in a line."""
        more = f" + {roughly(self.offset, self.unit)}" if self.offset else ""
        factor, off = rough(self.scale), roughly(self.sd, self.unit)
        return f"legs cost {factor} x what was predicted{more} ({self.legs} legs told, off by {off})"


def travel_of(state: StudyState) -> TravelCost:
    """Return the travel cost to plan with: as learned, or as stated while nothing is."""
    return learned_cost(state) or state.spec.travel


def wary_travel_of(state: StudyState) -> TravelCost:
    """Return the cost to keep limits by: as learned or as stated, whichever is more."""
    learned = learned_cost(state)
    return state.spec.travel if learned is None else evolve(learned, wary=True)


_KNOWN: "WeakKeyDictionary[StudyState, LearnedCost | None]" = WeakKeyDictionary()


def learned_cost(state: StudyState) -> LearnedCost | None:
    """Return what the legs told so far say; None if they are too few, or cost nothing at all.

    The same state gives the same answer, so a plan made with it can be made again.
    """
    if state not in _KNOWN:
        spec, (stated, spent) = state.spec, told_legs(state)
        learned = None
        if len(spent) >= FEWEST:
            scale, offset, sd = fitted_legs(stated, spent)
            if 1 / LARGEST < scale < LARGEST:
                learned = LearnedCost(spec.travel, scale, offset, len(spent), sd, spec.unit)
        _KNOWN[state] = learned
    return _KNOWN[state]


def told_legs(state: StudyState) -> tuple[Values, Values]:
    """Return what the travel cost says of the legs whose cost was told, and what was told.

    From where the traveller really was to where it really went. Legs that cost nothing by the travel cost
    say nothing: whether anything moved is not known. Nor do legs by way of home, which are several moves.
    """
    here, puts = state.spec.start, dict(state.moved)
    legs = []
    for trial in state.trials:
        here = puts.get(trial.number, here)
        if not trial.is_visit:
            continue
        if trial.spent is not None and here is not None and not trial.home_first:
            stated = float(priced(state.spec.travel, here[None, :], trial.x[None, :])[0, 0])
            legs.append((stated, trial.spent))
        here = trial.x
    costs = np.array(legs).reshape(-1, 2)
    costs = costs[costs[:, 0] > 0]
    return costs[:, 0], costs[:, 1]


def fitted_legs(stated: Values, spent: Values) -> tuple[float, float, float]:
    """Return scale, offset and the spread about them: least squares with no negative offset, and some scale.

    Where the legs are much alike, the scale is what was spent over what was stated, and there is no offset.
    """
    most, dearest = float(stated.max()), float(spent.max()) or 1.0
    c, s = stated / most, spent / dearest  # so that no square overflows
    scale, offset, apart = float(s.mean() / c.mean()), 0.0, c - c.mean()
    if c.std() > SPREAD * c.mean():
        scale = max(LEAST * scale, float((apart * s).sum() / (apart**2).sum()))
        offset = float(s.mean() - scale * c.mean())
        if offset < 0:
            scale, offset = float((c * s).sum() / (c**2).sum()), 0.0
    offset = 0.0 if offset < LEG_ROUNDING else offset
    left = s - scale * c - offset
    left[np.abs(left) < LEG_ROUNDING] = 0.0
    sd = math.sqrt(float((left**2).sum()) / (len(c) - 1 - (offset > 0)))
    return scale * (dearest / most), dearest * offset, dearest * sd


def dwell_paid(state: StudyState) -> float:
    """Return what taking the results cost, those that are out included; a failed visit is paid as one."""
    return state.spec.limits.dwell * state.used


def legs_paid(state: StudyState) -> float:
    """Return what the movement cost: of every visit what was told, else the travel cost."""
    return float(sum(trial.leg for trial in state.trials if trial.is_visit))


def budget_left(state: StudyState) -> float | None:
    """Return what is left once all that was handed out is paid, negative if overdrawn; None without one.

    Legs still out are counted as they will really be, by what was learned.
    """
    budget = state.spec.limits.budget
    return None if budget is None else budget - legs_paid(state) - owed(state, state.out) - dwell_paid(state)


def owed(state: StudyState, numbers: Iterable[int]) -> float:
    """Return how much more these legs, which are out, will really cost than they are booked at."""
    travel, limits = wary_travel_of(state), state.spec.limits
    if travel is state.spec.travel:
        return 0.0
    more = 0.0
    for number in numbers:
        trial = state.trials[number]
        real = price(state, state.origin(number), trial.x, trial.home_first, travel)
        more += real + limits.trip_cost * trial.home_first - trial.leg
    return more


def way_home(state: StudyState, place: Values | None) -> float | None:
    """Return what the way home costs from ``place``; None where it need not end anywhere."""
    end = state.spec.limits.home
    if end is None or place is None:
        return None
    return float(priced(state.spec.travel, place[None, :], end[None, :])[0, 0])


def price(
    state: StudyState, origin: Values | None, target: Values, home_first: bool = False, travel: TravelCost | None = None
) -> float:
    """Return what a leg costs, by way of home if so; nothing where nobody said where it begins.

    By the study's own ``travel`` cost, or by another, in which beginning a new trip costs nothing on top.
    """
    if origin is None:
        return 0.0
    cost, end = travel or state.spec.travel, state.spec.limits.home
    if not home_first or end is None:
        return float(priced(cost, origin[None, :], target[None, :])[0, 0])
    back = float(priced(cost, origin[None, :], end[None, :])[0, 0])
    out = float(priced(cost, end[None, :], target[None, :])[0, 0])
    return back + out + (state.spec.limits.trip_cost if travel is None else 0.0)


def trip_left(state: StudyState) -> float | None:
    """Return what is left of the trip under way, negative if it took too long; None without trips.

    A trip begins at the start, whenever the traveller goes home, and where put there by hand.
    """
    limits = state.spec.limits
    if limits.trip is None or limits.home is None:
        return None
    begun = max((after for after, x in state.moved if np.array_equal(x, limits.home)), default=0)
    out, used = set(state.out), 0.0
    for trial in reversed(state.trials[begun:]):
        if not trial.is_visit:
            continue
        leg = trial.leg + (owed(state, [trial.number]) if trial.number in out else 0.0)
        used += leg + limits.dwell * trial.count
        if trial.home_first:
            used -= leg * before_home(state, trial)
            break
    return limits.trip - used


def trips_left(state: StudyState, x: Points, legs: Values, counts: Order, homes: Mask) -> list[float | None]:
    """Return what is left of the trip after each stop of a route, by the stated cost; None without trips."""
    left, limits = trip_left(state), state.spec.limits
    if left is None or limits.trip is None:
        return [None] * len(x)
    after: list[float | None] = []
    for place, leg, count, home in zip(x, legs, counts, homes, strict=True):
        left = limits.trip - price(state, limits.home, place) if home else left - float(leg)
        left -= limits.dwell * int(count)
        after.append(left)
    return after


def before_home(state: StudyState, trial: Trial) -> float:
    """Return the share of a leg by way of home that was made before the new trip began.

    By the cost that the leg is counted at: what was told of it is one number for all of it, and is divided as
    legs have been learned to be.
    """
    origin, limits, cost = state.origin(trial.number), state.spec.limits, state.spec.travel
    if trial.state is TrialState.ASKED:
        cost = wary_travel_of(state)
    elif trial.spent is not None:
        cost = travel_of(state)
    whole = price(state, origin, trial.x, True, cost) + limits.trip_cost
    after = price(state, limits.home, trial.x, travel=cost)
    return 1 - min(1.0, after / whole) if whole > 0 else 0.0


def reach_of(state: StudyState) -> Reach | None:
    """Return how far the traveller may still go; None without limits."""
    spec, limits = state.spec, state.spec.limits
    if not limits.are_set:
        return None
    # A step is what was stated; the rest must be paid as it really turns out.
    left, trip = budget_left(state), trip_left(state)
    return Reach(
        wary_travel_of(state),
        state.position,
        limits,
        math.inf if left is None else left + ROUNDING * (limits.budget or 0.0),
        math.inf if trip is None else trip + ROUNDING * (limits.trip or 0.0),
        None
        if limits.max_step is None
        else Steps(state.unvisited, spec.travel, limits.max_step, state.history.avoided),
    )


def goes_home_first(state: StudyState, place: Values, count: int, planned: bool = False) -> bool | None:
    """Return whether the way to ``place`` for ``count`` results goes home first; None if it fits neither way.

    It does where that was ``planned``, and where the trip under way would not last for going straight.
    """
    reach = reach_of(state)
    return False if reach is None else reach.goes_home_first(place, count, planned)


# What it costs to walk the places of a study, in the order they were visited or in another.


def as_chosen(state: StudyState, visits: Sequence[Trial]) -> list[Trial]:
    """Return the visits unordered: each plan's stops as they were picked, extra places where they are."""
    order = list(visits)
    for slots in stops_by_plan(visits):
        chosen = sorted(slots, key=lambda at: state.plans[visits[at].plan].picked[visits[at].stop or 0])
        for slot, at in zip(slots, chosen, strict=True):
            order[slot] = visits[at]
    return order


def stops_by_plan(visits: Sequence[Trial]) -> list[list[int]]:
    """Return for each plan which of the visits were its stops."""
    slots: dict[int, list[int]] = {}
    for at, trial in enumerate(visits):
        if trial.stop is not None:
            slots.setdefault(trial.plan, []).append(at)
    return list(slots.values())


def as_walked(state: StudyState, visits: Sequence[Trial], travel: TravelCost | None = None) -> float:
    """Return what the visits cost in the order they were made, by the travel cost or another."""
    return sum(price(state, state.origin(trial.number), trial.x, trial.home_first, travel) for trial in visits)


def journey(
    state: StudyState, visits: Sequence[Trial], order: Sequence[Trial], travel: TravelCost | None = None
) -> float:
    """Return what the visits cost in another order, the traveller put by hand when that happened.

    Where there are trips, one goes home where that is cheapest. By the study's own ``travel`` cost, unless
    another is given.
    """
    spec = state.spec
    puts = [(0, spec.start), *state.moved, (len(state.trials), None)]
    numbers = [trial.number for trial in visits]
    reach, total = Reach(spec.travel, spec.start, spec.limits), 0.0
    reach = evolve(reach, trip_left=reach.trip)
    for (begun, here), (end, _) in pairwise(puts):
        if here is not None and reach.home is not None and np.array_equal(here, reach.home):
            reach = evolve(reach, trip_left=reach.trip)  # whoever is put at home begins a new trip
        reach = evolve(reach, position=here)
        some = order[bisect_left(numbers, begun) : bisect_left(numbers, end)]
        x = np.array([trial.x for trial in some]).reshape(-1, spec.space.d)
        homes = cheapest_homes(reach, x, np.array([trial.count for trial in some]))
        total += float(sum(legs_of(state, here, x, homes, travel)))
        if spec.limits.trip is not None:
            for trial, home in zip(some, homes, strict=True):
                reach = reach.after(trial.x, trial.count, bool(home))
    return total


def detour(state: StudyState, place: Values, count: int, travel: TravelCost | None = None) -> float:
    """Return what going by ``place`` for ``count`` results costs on top of the leg to the next stop.

    By the travel cost or another. Each leg goes by way of home where it would when it is its turn.
    """
    here, ahead, reach = state.position, state.stops_ahead, reach_of(state)
    by_home = reach is not None and bool(reach.goes_home_first(place, count))
    there = price(state, here, place, by_home, travel)
    if not len(ahead):
        return there
    straight, then, planned = False, False, bool(state.homes_ahead[0])
    if reach is not None:
        straight = bool(reach.goes_home_first(ahead[0], 1, planned))
        then = bool(reach.after(place, count, by_home).goes_home_first(ahead[0], 1, planned))
    return there + price(state, place, ahead[0], then, travel) - price(state, here, ahead[0], straight, travel)


def saving(unordered: float, ordered: float) -> float:
    """Return what an order saves; 0 where the two differ by rounding alone."""
    saved = unordered - ordered
    return 0.0 if abs(saved) <= ROUNDING * max(unordered, ordered) else saved


def legs_of(
    state: StudyState, position: Values | None, x: Points, homes: Mask, travel: TravelCost | None = None
) -> list[float]:
    """Return the legs of a way from ``position``, by the study's own ``travel`` cost unless given another."""
    before = [position, *x[:-1]]
    return [
        price(state, here, there, bool(home), travel) for here, there, home in zip(before, x, homes, strict=len(x) > 0)
    ]

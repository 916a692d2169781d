"""What it costs to walk the places of a study, in the order they were visited or in another."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from attrs import evolve

from wayfare.arrays import Mask, Points, Values
from wayfare.reach import ROUNDING, Reach
from wayfare.records import Trial
from wayfare.spending import price, reach_of
from wayfare.state import StudyState
from wayfare.travel import TravelCost
from wayfare.trips import cheapest_homes


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
    return sum(
        price(state, state.origin(trial.number), trial.x, trial.home_first, travel) for trial in visits
    )


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
        if here is not None and reach.end is not None and np.array_equal(here, reach.end):
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
    return (
        there + price(state, place, ahead[0], then, travel) - price(state, here, ahead[0], straight, travel)
    )


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
        price(state, here, there, bool(home), travel)
        for here, there, home in zip(before, x, homes, strict=len(x) > 0)
    ]

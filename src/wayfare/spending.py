"""What a study has paid, what is left of its limits, and what the ways ahead of it cost."""

import math
from collections.abc import Iterable

import numpy as np

from wayfare.arrays import Mask, Order, Points, Values
from wayfare.learned import travel_of, wary_travel_of
from wayfare.reach import ROUNDING, Reach
from wayfare.records import Trial, TrialState
from wayfare.state import StudyState
from wayfare.stepping import Steps
from wayfare.travel import TravelCost, priced


def dwell_paid(state: StudyState) -> float:
    """Return what taking the results cost, those that are out included; a failed visit is paid as one."""
    return state.spec.limits.run_cost * state.used


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
    end = state.spec.limits.end
    if end is None or place is None:
        return None
    return float(priced(state.spec.travel, place[None, :], end[None, :])[0, 0])


def price(
    state: StudyState,
    origin: Values | None,
    target: Values,
    home_first: bool = False,
    travel: TravelCost | None = None,
) -> float:
    """Return what a leg costs, by way of home if so; nothing where nobody said where it begins.

    By the study's own ``travel`` cost, or by another, in which beginning a new trip costs nothing on top.
    """
    if origin is None:
        return 0.0
    cost, end = travel or state.spec.travel, state.spec.limits.end
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
    if limits.trip is None or limits.end is None:
        return None
    begun = max((after for after, x in state.moved if np.array_equal(x, limits.end)), default=0)
    out, used = set(state.out), 0.0
    for trial in reversed(state.trials[begun:]):
        if not trial.is_visit:
            continue
        leg = trial.leg + (owed(state, [trial.number]) if trial.number in out else 0.0)
        used += leg + limits.run_cost * trial.count
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
        left = limits.trip - price(state, limits.end, place) if home else left - float(leg)
        left -= limits.run_cost * int(count)
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
    after = price(state, limits.end, trial.x, travel=cost)
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

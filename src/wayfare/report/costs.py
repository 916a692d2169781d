"""The costs of a study: what was paid, what is left, what a leg costs, and what another order would have cost."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import pairwise
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from attrs import evolve

from wayfare._core.arrays import Mask, Points, Values
from wayfare._core.tolerance import COST_RTOL
from wayfare.planning.itinerary import Itinerary
from wayfare.planning.reach import Reach
from wayfare.planning.steps import Steps
from wayfare.planning.trips import cheapest_homes
from wayfare.record.events import StudySpec, Trial, TrialState
from wayfare.record.state import StudyState, WayHome
from wayfare.travel import TravelCost, priced
from wayfare.travel.learned import LearnedCost, fitted_legs

# What legs really cost, by those whose cost was told: the travel cost times a scale, plus an offset.


T = TypeVar("T")

FEWEST = 5
"""From how many legs something is learned."""
LARGEST = 1e100
"""A scale beyond this, or below its inverse, is no cost to compute with."""


def travel_of(state: StudyState) -> TravelCost:
    """Return the travel cost to plan with: as learned, or as stated while nothing is."""
    return learned_cost(state) or state.spec.travel


def wary_travel_of(state: StudyState) -> TravelCost:
    """Return the cost to keep limits by: as learned or as stated, whichever is more."""
    learned = learned_cost(state)
    return state.spec.travel if learned is None else evolve(learned, wary=True)


def once_per_state(function: Callable[[StudyState], T]) -> Callable[[StudyState], T]:
    """Return the function with its answer kept as long as the state is: a state never changes."""
    known: WeakKeyDictionary[StudyState, T] = WeakKeyDictionary()

    @wraps(function)
    def answer(state: StudyState) -> T:
        if state not in known:
            known[state] = function(state)
        return known[state]

    return answer


@once_per_state
def learned_cost(state: StudyState) -> LearnedCost | None:
    """Return the travel cost as learned from the legs told; None if they are too few, or cost nothing at all."""
    if state.spent_told < FEWEST:
        return None
    spec, (stated, spent) = state.spec, _told_legs(state)
    if len(spent) < FEWEST:
        return None
    scale, offset, sd = fitted_legs(stated, spent)
    usable = 1 / LARGEST < scale < LARGEST
    return LearnedCost(spec.travel, scale, offset, len(spent), sd, spec.unit) if usable else None


def _told_legs(state: StudyState) -> tuple[Values, Values]:
    """Return the stated costs of the legs whose cost was told, and what was told, from real place to real place.

    Only legs since the travel cost was last changed: those before say nothing of it. Legs of stated cost 0 are left
    out, because it is not known whether anything moved, and so are legs by way of home, which are several moves.
    """
    legs = []
    if all(trial.spent is None for trial in state.trials):  # so of most studies, at every move
        return np.empty(0), np.empty(0)
    here, puts, begun = state.spec.start, dict(state.moved), state.since("travel")
    for trial in state.trials:
        here = puts.get(trial.number, here)
        if not trial.is_visit:
            continue
        told = trial.spent is not None and trial.number >= begun
        if told and trial.spent is not None and here is not None and not trial.home_first:
            stated = float(priced(state.spec.travel, here[None, :], trial.x[None, :])[0, 0])
            legs.append((stated, trial.spent))
        here = trial.x
    costs = np.array(legs).reshape(-1, 2)
    costs = costs[costs[:, 0] > 0]
    return costs[:, 0], costs[:, 1]


def dwell_paid(state: StudyState) -> float:
    """Return the cost of taking the results, those still out included; a failed visit counts as one result."""
    return _taken(state, lambda spec: spec.limits.dwell)


def _taken(state: StudyState, dwell: Callable[[StudySpec], float]) -> float:
    """Return what all results cost to take, each by the specification in force when its trial was handed out."""
    if not state.earlier:
        return dwell(state.spec) * state.used
    return float(sum(dwell(state.spec_of(trial.number)) * trial.count for trial in state.trials if trial.is_visit))


def dwell_besides(state: StudyState, unit: str) -> float:
    """Return the cost of taking the results in a further currency."""
    return _taken(state, lambda spec: next((one.dwell for one in spec.also if one.unit == unit), 0.0))


def legs_paid(state: StudyState) -> float:
    """Return the cost of all visits and ways home: as told, else by the travel cost."""
    visits = [trial.leg for trial in state.trials if trial.is_visit]
    return float(sum([*visits, *(way.leg for way in state.returns)]))


def budget_left(state: StudyState) -> float | None:
    """Return the budget less everything handed out, negative if overdrawn; None without a budget.

    Legs still out count as they will really cost, as far as that was learned.
    """
    budget = state.spec.limits.budget
    return None if budget is None else budget - legs_paid(state) - owed(state, state.out) - dwell_paid(state)


def owed(state: StudyState, numbers: Iterable[int]) -> float:
    """Return how much more the legs of these open trials will really cost than they are booked at."""
    travel, limits, begun = wary_travel_of(state), state.spec.limits, state.since("travel")
    if travel is state.spec.travel:
        return 0.0
    more = 0.0
    for number in numbers:
        trial = state.trials[number]
        if number < begun:  # handed out before the travel cost was changed, of which nothing is learned
            continue
        real = leg_cost(state, state.origin(number), trial.x, via_home=trial.home_first, travel=travel)
        more += real + limits.trip_cost * trial.home_first - trial.leg
    return more


def return_cost(state: StudyState, place: Values | None, travel: TravelCost | None = None) -> float | None:
    """Return the cost of going home from ``place``, by the travel cost or another; None without a home."""
    home = state.spec.limits.home
    return None if home is None or place is None else leg_cost(state, place, home, travel=travel)


def leg_cost(
    state: StudyState,
    origin: Values | None,
    target: Values,
    *,
    via_home: bool = False,
    travel: TravelCost | None = None,
    spec: StudySpec | None = None,
) -> float:
    """Return the cost of one leg, in the unit of ``travel``.

    Args:
        state: the study.
        origin: where the leg starts; None if unknown, then the leg is free.
        target: where it ends.
        via_home: go through ``limits.home`` and pay ``trip_cost`` there.
        travel: another cost to price with, without ``trip_cost``; default: the study's own.
        spec: the specification that was in force then; default: the one in force now.
    """
    if origin is None:
        return 0.0
    spec = spec or state.spec
    cost, limits = travel or spec.travel, spec.limits
    if not via_home or limits.home is None:
        return float(priced(cost, origin[None, :], target[None, :])[0, 0])
    back = float(priced(cost, origin[None, :], limits.home[None, :])[0, 0])
    out = float(priced(cost, limits.home[None, :], target[None, :])[0, 0])
    return back + out + (limits.trip_cost if travel is None else 0.0)


def leg_costs(
    state: StudyState,
    origin: Values | None,
    x: Points,
    homes: Mask,
    travel: TravelCost | None = None,
    spec: StudySpec | None = None,
) -> list[float]:
    """Return the cost of each leg of a route.

    Args:
        state: the study.
        origin: where the route starts; None if unknown, then its first leg is free.
        x: the stops.
        homes: the stops before which the traveller goes home.
        travel: another cost to price with, without ``trip_cost``; default: the study's own.
        spec: the specification that was in force then; default: the one in force now.
    """
    return [
        leg_cost(state, here, there, via_home=bool(home), travel=travel, spec=spec)
        for here, there, home in zip([origin, *x[:-1]], x, homes, strict=len(x) > 0)
    ]


def trip_left(state: StudyState) -> float | None:
    """Return how much of the trip under way is left, negative if it was overdrawn; None without trips.

    A trip begins at the start, with every visit home, and with ``replan(position=home)``. A way home after which no new
    trip could be paid is part of the old one.
    """
    limits = state.spec.limits
    if limits.trip is None or limits.home is None:
        return None
    begun = max((state.moved[move][0] for move in begun_at_home(state)), default=0)
    # The first trip of a study that was changed to have trips begins with the change.
    begun = max([begun, *(one.trials for one in state.earlier if one.spec.limits.trip is None)])
    out, used = set(state.out), 0.0
    for trial in reversed(state.trials[begun:]):
        if not trial.is_visit:
            continue
        leg = trial.leg + (owed(state, [trial.number]) if trial.number in out else 0.0)
        used += leg + state.spec_of(trial.number).limits.dwell * trial.count
        if trial.home_first:
            used -= leg * share_before_home(state, trial)
            begun = trial.number
            break
    return limits.trip - used - sum(way.leg for way in state.returns if way.after > begun and not way.new_trip)


def begun_at_home(state: StudyState) -> list[int]:
    """Return the numbers of those ``moved`` with which a new trip began: at home, and not as the end of one."""
    home, ended = state.spec.limits.home, {way.move for way in state.returns if not way.new_trip}
    if home is None:
        return []
    return [at for at, (_, x) in enumerate(state.moved) if at not in ended and np.array_equal(x, home)]


def trips_left(state: StudyState, stops: Itinerary) -> list[float | None]:
    """Return how much of the trip is left after each stop, by the stated cost; None without trips."""
    left, limits = trip_left(state), state.spec.limits
    if left is None or limits.trip is None:
        return [None] * len(stops)
    after: list[float | None] = []
    for place, leg, count, home in zip(stops.places, stops.legs, stops.counts, stops.homes, strict=True):
        left = limits.trip - leg_cost(state, limits.home, place) if home else left - float(leg)
        left -= limits.dwell * int(count)
        after.append(left)
    return after


def share_before_home(state: StudyState, trial: Trial) -> float:
    """Return the share of a leg by way of home that was made before the new trip began.

    A cost that was told is one number for the whole leg; it is divided as legs were learned to cost.
    """
    spec, origin = state.spec_of(trial.number), state.origin(trial.number)
    limits, cost = spec.limits, spec.travel
    if trial.number < state.since("travel"):
        pass  # as it was stated then
    elif trial.state is TrialState.ASKED:
        cost = wary_travel_of(state)
    elif trial.spent is not None:
        cost = travel_of(state)
    whole = leg_cost(state, origin, trial.x, via_home=True, travel=cost, spec=spec) + limits.trip_cost
    after = leg_cost(state, limits.home, trial.x, travel=cost)
    return 1 - min(1.0, after / whole) if whole > 0 else 0.0


@once_per_state
def reach_of(state: StudyState) -> Reach:
    """Return the reach of the traveller: position, and what the limits still allow."""
    spec, limits = state.spec, state.spec.limits
    if not limits.are_set:
        return Reach(travel_of(state), state.position, limits)
    left, trip, steps = budget_left(state), trip_left(state), None
    if limits.max_step is not None:  # a step is as stated; all else must be paid as it really turns out
        steps = Steps(state.unvisited, spec.travel, limits.max_step, state.history.avoided)
    return Reach(
        wary_travel_of(state),
        state.position,
        limits,
        math.inf if left is None else left + COST_RTOL * (limits.budget or 0.0),
        math.inf if trip is None else trip + COST_RTOL * (limits.trip or 0.0),
        steps,
    )


def detour_cost(state: StudyState, place: Values, count: int, travel: TravelCost | None = None) -> float:
    """Return the cost of visiting ``place`` for ``count`` results before the next stop, beyond the leg to that stop.

    ``travel`` is another cost to price with; the visits home are those of the study in any case.
    """
    here, ahead, reach = state.position, state.itinerary.first(1), reach_of(state)
    ahead = evolve(ahead, counts=np.ones_like(ahead.counts))
    longer = ahead.through(
        np.vstack([place, ahead.places]),
        np.arange(1 + len(ahead)),
        np.zeros(1 + len(ahead)),
        np.append(count, ahead.counts),
    )
    longer = evolve(longer, homes=np.append(False, ahead.homes))
    with_it, without = (
        sum(leg_costs(state, here, stops.places, reach.walk(stops).homes, travel)) for stops in (longer, ahead)
    )
    return with_it - without


# What the same visits would have cost in another order.


def as_chosen(state: StudyState, visits: Sequence[Trial]) -> list[Trial]:
    """Return the visits unordered: the stops of each plan as they were picked, inserted places where they are."""
    slots: dict[int, list[int]] = {}
    for at, trial in enumerate(visits):
        if trial.stop is not None:
            slots.setdefault(trial.plan, []).append(at)
    order = list(visits)
    for at_stops in slots.values():
        chosen = sorted(at_stops, key=lambda at: state.plans[visits[at].plan].picked[visits[at].stop or 0])
        for slot, at in zip(at_stops, chosen, strict=True):
            order[slot] = visits[at]
    return order


OtherCost = Callable[[StudySpec], TravelCost]
"""Another cost to price visits with, by the specification that was in force."""


def as_walked(state: StudyState, visits: Sequence[Trial], other: OtherCost | None = None) -> float:
    """Return the cost of the visits and ways home as they were made, by the travel cost stated then or another."""
    legs = []
    for trial in visits:
        spec, origin = state.spec_of(trial.number), state.origin(trial.number)
        travel = None if other is None else other(spec)
        legs.append(leg_cost(state, origin, trial.x, via_home=trial.home_first, travel=travel, spec=spec))
    return sum([*legs, *(way_home_cost(state, way, state.leaving(way.move), other) for way in state.returns)])


def way_home_cost(state: StudyState, way: WayHome, origin: Values | None, other: OtherCost | None = None) -> float:
    """Return the cost of a way home from ``origin``, by the travel cost stated then or another; with a new trip's."""
    limits, travel = way.spec.limits, None if other is None else other(way.spec)
    if limits.home is None or origin is None:
        return 0.0
    home = leg_cost(state, origin, limits.home, travel=travel, spec=way.spec)
    return home + (limits.trip_cost if way.new_trip and travel is None else 0.0)


def journey(
    state: StudyState, visits: Sequence[Trial], order: Sequence[Trial], other: OtherCost | None = None
) -> float:
    """Return the cost of the visits in another order, with the visits home where they would have been cheapest.

    Args:
        state: the study.
        visits: the visits in the order they were made.
        order: the same in another order; a ``replan(position=...)``, a way home and a change of the study happen after
            as many visits as they did.
        other: another cost to price with; default: the study's own.
    """
    spec = state.created
    numbers = [trial.number for trial in visits]
    reach, total = Reach(spec.travel, spec.start, spec.limits), 0.0
    reach = evolve(reach, trip_left=reach.trip)
    for begun, until, put, spec, came, goes in _stretches(state):
        here = reach.position if put is CONTINUED else put
        if spec.limits is not reach.limits or spec.travel is not reach.travel:
            used = 0.0 if reach.limits.trip is None else reach.trip - reach.trip_left
            reach = evolve(reach, travel=spec.travel, limits=spec.limits)
            reach = evolve(reach, trip_left=reach.trip - used)
        ended = came is not None and not came.new_trip
        if here is not None and reach.home is not None and np.array_equal(here, reach.home) and not ended:
            reach = evolve(reach, trip_left=reach.trip)
        reach = evolve(reach, position=here)
        some = order[bisect_left(numbers, begun) : bisect_left(numbers, until)]
        x = np.array([trial.x for trial in some]).reshape(-1, spec.space.d)
        homes, travel = np.zeros(len(x), dtype=np.bool_), None if other is None else other(spec)
        if spec.limits.trip is not None:
            counts = np.array([trial.count for trial in some], dtype=np.intp)
            walk = reach.walk(cheapest_homes(reach, Itinerary(x, np.arange(len(x)), np.zeros(len(x)), counts)))
            homes, reach = walk.homes, walk.after
        elif len(x):
            reach = evolve(reach, position=x[-1])
        total += float(sum(leg_costs(state, here, x, homes, travel, spec)))
        if goes is not None:
            total += way_home_cost(state, goes, x[-1] if len(x) else here, other)
    return total


CONTINUED: Values = np.empty(0)
"""Stands for the place where the stretch before ended."""


def _stretches(
    state: StudyState,
) -> Iterator[tuple[int, int, Values | None, StudySpec, WayHome | None, WayHome | None]]:
    """Yield the stretches between moves by hand, ways home and changes.

    Each as the trials from which to which, from where, by which terms, and the ways home before and after it.
    """
    ways = {way.move: way for way in state.returns}
    ends: list[tuple[int, Values | None, WayHome | None]] = [(0, state.created.start, None)]
    ends += [(after, x, ways.get(at)) for at, (after, x) in enumerate(state.moved)]
    ends += [(one.trials, CONTINUED, None) for one in state.earlier]
    ends = [*sorted(ends, key=lambda end: end[0]), (len(state.trials), None, None)]
    for (begun, here, came), (until, _, goes) in pairwise(ends):
        yield begun, until, here, state.spec_of(begun), came, goes


def saving(unordered: float, ordered: float) -> float:
    """Return the saving of an order; 0 if the two costs differ by rounding alone."""
    saved = unordered - ordered
    return 0.0 if abs(saved) <= COST_RTOL * max(unordered, ordered) else saved

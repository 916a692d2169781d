"""``Allowance``: what is left of the limits, in words; and why a place is beyond them."""

import math

from attrs import evolve, frozen

from wayfare._core.arrays import Values
from wayfare._core.format import in_full, roughly, with_unit
from wayfare._core.rng import stream
from wayfare._core.tolerance import COST_RTOL
from wayfare.planning.reachable import Within
from wayfare.record.state import StudyState
from wayfare.report.costs import budget_left, leg_cost, owed, reach_of, return_cost, trip_left, wary_travel_of
from wayfare.travel import MissingCost


@frozen
class Allowance:
    """The rest of the limits, in ``unit``; None for limits that the study does not have.

    Attributes:
        unit: unit of the travel cost.
        budget: the budget.
        left: what is left of it, negative if overdrawn.
        trip: the most that a trip may cost.
        trip_left: what is left of the trip under way.
        home: cost of returning home from here.
        home_expected: the same as learned, if that is more; limits are kept by it.
        owed: what pending legs are expected to cost beyond their price; it is taken from ``left``.
        called: what a trip is called, a trip or a day.
    """

    unit: str
    budget: float | None = None
    left: float | None = None
    trip: float | None = None
    trip_left: float | None = None
    home: float | None = None
    home_expected: float | None = None
    owed: float = 0.0
    called: str = "trip"

    def __str__(self) -> str:
        """Say it in a line, or nothing."""
        said = []
        if self.budget is not None and self.left is not None:
            whole = in_full(self.budget, self.unit)
            said.append(
                f"overdrawn by {with_unit(-self.left, self.unit)} of {whole}"
                if is_overdrawn(self.left, self.budget)
                else f"{with_unit(max(0.0, self.left), self.unit)} of {whole} left"
            )
            if is_overdrawn(-self.owed, self.budget):
                owed = with_unit(self.owed, self.unit)
                said[-1] += f" (counting {owed} that legs still out are expected to cost more)"
        if self.trip is not None and self.trip_left is not None:
            said.append(
                f"this {self.called} overdrawn by {with_unit(-self.trip_left, self.unit)}"
                if is_overdrawn(self.trip_left, self.trip)
                else f"{with_unit(max(0.0, self.trip_left), self.unit)} of this {self.called} left"
            )
        if self.home is not None:
            said.append(f"home is {with_unit(self.home, self.unit)} away{self._really(self.home)}")
        return ", ".join(said)

    def _really(self, home: float) -> str:
        """Return the expected cost of the return, if it is more than rounding shows."""
        stated, really = (roughly(cost, self.unit) for cost in (home, self.home_expected or home))
        return "" if really == stated else f", expected {really}"


def is_overdrawn(left: float, whole: float) -> bool:
    """Return whether more was spent than there was; what rounding took from the last leg is no debt."""
    return left < -COST_RTOL * whole


def allowance_of(state: StudyState) -> Allowance:
    """Return the allowance from where the traveller stands."""
    spec, here = state.spec, state.position
    return Allowance(
        spec.unit,
        spec.limits.budget,
        budget_left(state),
        spec.limits.trip,
        trip_left(state),
        return_cost(state, here),
        home_expected(state, here),
        owed(state, state.out),
        spec.limits.called,
    )


def home_expected(state: StudyState, place: Values | None) -> float | None:
    """Return the cost of returning home from ``place`` as learned, if that is more than stated; else None."""
    home, end = return_cost(state, place), state.spec.limits.home
    if home is None or end is None:
        return None
    really = leg_cost(state, place, end, travel=wary_travel_of(state))
    return really if really > home else None


def budget_in_words(state: StudyState) -> str:
    """Return the allowance in words: ``3 m of 100 m left, home is 2.5 m away``."""
    return str(allowance_of(state))


def home_too_far(state: StudyState) -> str:
    """Return why home cannot be reached any more within the limits; empty where it can, or need not be."""
    try:
        now = allowance_of(state)
    except MissingCost:  # a result can be told without a travel cost
        return ""
    home = now.home if now.home_expected is None else now.home_expected
    for limit, left, whole in (("budget", now.left, now.budget), (now.called, now.trip_left, now.trip)):
        if home is not None and left is not None and left + COST_RTOL * (whole or 0.0) < home:
            return f"home cannot be reached any more within the {limit}: {now}"
    return ""


def spent_in_words(state: StudyState) -> str:
    """Return why there is no stop though trials are left: for want of budget, or because of another limit."""
    limits = state.spec.limits
    said, spent = budget_in_words(state), ""
    if is_spent(state):
        spent = "the budget is spent, for "
    elif limits.max_step is not None:
        step = f"no leg may cost more than {in_full(limits.max_step, state.spec.unit)}"
        said = f"{said}, {step}" if said else step
    return f"{spent}no place is within reach ({said})"


def why_over(state: StudyState) -> str:
    """Return why no ask gives a stop any more; empty where one does.

    No route is planned for that: places within the limits are looked for, as where planning found none.
    """
    spec = state.spec
    if not state.trials_left:
        if state.used < spec.trials:
            return "every place has been visited, and may be only once"
        return f"all {spec.trials} trials have been handed out"
    try:
        reach = reach_of(state)
        if not state.spec.limits.are_set or len(Within.of(state.unvisited, reach, stream(0, "range")).known):
            return ""
        return spent_in_words(state)
    except MissingCost:  # without a travel cost, visits can still be written
        return ""


def is_spent(state: StudyState) -> bool:
    """Return whether the budget pays no visit any more, whatever trips and steps allow."""
    reach = reach_of(state)
    if state.spec.limits.budget is None:
        return False
    free = evolve(reach, trip_left=math.inf, steps=None)
    return not len(Within.of(state.unvisited, free, stream(0, "range")).known)


def why_not(state: StudyState, place: Values, count: int) -> str:
    """Return which limit keeps the traveller from going to ``place`` for ``count`` results and then home."""
    limits, unit, reach, x = state.spec.limits, state.spec.unit, reach_of(state), place[None, :]
    if reach.steps is not None and limits.max_step is not None:
        leg = leg_cost(state, state.position, place)
        if not reach.steps.allow(state.position, x)[0]:
            most = in_full(limits.max_step, unit)
            return f"takes a leg of {in_full(leg, unit)}, and none may cost more than {most}"
    if limits.trip is not None and not reach.from_home().fits(x, count)[0]:
        return f"does not fit a {limits.called} of {in_full(limits.trip, unit)}"
    limit = limits.called if limits.budget is None else "budget"
    return f"does not fit the {limit}: {budget_in_words(state)}"

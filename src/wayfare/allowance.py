"""What is left of a study's limits, and why a place is beyond them, in words."""

from wayfare.arrays import Values
from wayfare.reach import ROUNDING
from wayfare.spending import budget_left, price, reach_of, trip_left, way_home
from wayfare.state import StudyState
from wayfare.words import with_unit


def allowance(
    budget: float | None, left: float | None, home: float | None, unit: str, trip: float | None = None
) -> str:
    """Return what is left of a budget and of a ``trip``, and how far home is."""
    said = []
    if budget is not None and left is not None:
        whole = with_unit(budget, unit)
        # What rounding took from the last leg is no debt.
        over = left < -ROUNDING * budget
        said.append(
            f"overdrawn by {with_unit(-left, unit)} of {whole}"
            if over
            else f"{with_unit(max(0.0, left), unit)} of {whole} left"
        )
    if trip is not None:
        late = trip < -ROUNDING * (home or 0.0)
        said.append(
            f"this trip overdrawn by {with_unit(-trip, unit)}"
            if late
            else f"{with_unit(max(0.0, trip), unit)} of this trip left"
        )
    if home is not None:
        said.append(f"home is {with_unit(home, unit)} away")
    return ", ".join(said)


def budget_in_words(state: StudyState) -> str:
    """Return what is left of a study's limits, and how far home is from where the traveller stands."""
    spec, home = state.spec, way_home(state, state.position)
    return allowance(spec.limits.budget, budget_left(state), home, spec.unit, trip_left(state))


def home_too_far(state: StudyState) -> str:
    """Return why home cannot be reached any more within the limits; empty where it can, or need not be."""
    limits, home = state.spec.limits, way_home(state, state.position)
    lefts = ("budget", budget_left(state), limits.budget), ("trip", trip_left(state), limits.trip)
    for limit, left, whole in lefts:
        if home is not None and left is not None and left + ROUNDING * (whole or 0.0) < home:
            return f"home cannot be reached any more within the {limit}: {budget_in_words(state)}"
    return ""


def spent_in_words(state: StudyState) -> str:
    """Return why there is no stop though trials are left."""
    limits, unit = state.spec.limits, state.spec.unit
    said = budget_in_words(state)
    if limits.max_step is not None:
        step = f"no leg may cost more than {with_unit(limits.max_step, unit)}"
        said = f"{said}, {step}" if said else step
    spent = "" if limits.budget is None else "the budget is spent, for "
    return f"{spent}no place is within reach ({said})"


def why_not(state: StudyState, place: Values, count: int) -> str:
    """Return which limit keeps the traveller from going to ``place`` for ``count`` results and then home."""
    limits, unit, reach, x = state.spec.limits, state.spec.unit, reach_of(state), place[None, :]
    if limits.max_step is not None and reach is not None and reach.steps is not None:
        leg = price(state, state.position, place)
        if not reach.steps.allow(state.position, x)[0]:
            most = with_unit(limits.max_step, unit)
            return f"takes a leg of {with_unit(leg, unit)}, and none may cost more than {most}"
    if limits.trip is not None and reach is not None and not reach.from_home().fits(x, count)[0]:
        return f"does not fit a trip of {with_unit(limits.trip, unit)}"
    limit = "trip" if limits.budget is None else "budget"
    return f"does not fit the {limit}: {budget_in_words(state)}"

"""What a study has paid, what is left of its budget, and what the way home costs."""

from wayfare.arrays import Values
from wayfare.reach import ROUNDING, Reach
from wayfare.state import StudyState
from wayfare.travel import priced


def dwell_paid(state: StudyState) -> float:
    """Return what taking the results cost, those that are out included; a failed visit is paid as one."""
    return state.spec.limits.run_cost * state.used


def budget_left(state: StudyState) -> float | None:
    """Return what is left once all that was handed out is paid, negative if overdrawn; None without one."""
    budget = state.spec.limits.budget
    return None if budget is None else budget - legs_paid(state) - dwell_paid(state)


def legs_paid(state: StudyState) -> float:
    """Return what the movement cost: of every visit what was told, else the travel cost."""
    return float(sum(trial.leg for trial in state.trials if trial.is_visit))


def way_home(state: StudyState, place: Values | None) -> float | None:
    """Return what the way home costs from ``place``; None where it need not end anywhere."""
    end = state.spec.limits.end
    if end is None or place is None:
        return None
    return float(priced(state.spec.travel, place[None, :], end[None, :])[0, 0])


def reach_of(state: StudyState) -> Reach | None:
    """Return how far the traveller may still go; None without a budget."""
    limits, left = state.spec.limits, budget_left(state)
    if limits.budget is None or left is None:
        return None
    return Reach(state.spec.travel, state.position, limits, left + ROUNDING * limits.budget)


def is_affordable(state: StudyState, place: Values, count: int) -> bool:
    """Return whether going to ``place`` now for ``count`` results, and then home, can be paid."""
    reach = reach_of(state)
    return reach is None or bool(reach.fits(place[None, :], count)[0])

"""What leaving some of the order to chance costs: the price of a plan with ``shuffle``, as it was planned."""

from collections.abc import Mapping

from attrs import evolve

from wayfare.fitting import Layout
from wayfare.plan import Method
from wayfare.records import Planned, StudySpec
from wayfare.route import Shuffled
from wayfare.state import StudyState
from wayfare.walk import legs_of


def shuffled_method(spec: StudySpec) -> Method:
    """Return the method of a study, its order left to chance as far as the study says."""
    if spec.shuffle == 0:
        return spec.method
    return evolve(spec.method, planner=Shuffled(spec.method.planner, spec.shuffle))


def price_of_shuffling(state: StudyState, layout: Layout) -> float:
    """Return what a way costs beyond the one that the planner would have chosen, by the stated travel cost.

    Both lead through the whole of the batch, for the same places; it is the share for the stops to be walked.
    Never below 0, though chance may find a way that a search of many stops has missed.
    """
    if layout.own is None or not len(layout.whole):
        return 0.0
    here, share = state.position, len(layout.way) / len(layout.whole)
    ways = layout.whole, layout.own
    costs = [sum(legs_of(state, here, way.route.places, way.homes)) for way in ways]
    return share * max(0.0, costs[0] - costs[1])


def walked_share(state: StudyState, plan: int) -> float:
    """Return the share of a plan's stops that were visited."""
    visited = {trial.stop for trial in state.trials if trial.plan == plan and trial.is_visit}
    return len(visited - {None}) / len(state.plans[plan].stops)


def price_in(plan: Planned) -> float | None:
    """Return what shuffling added to a plan, in the unit of the study; None where nothing was shuffled."""
    noted = plan.notes.get("shuffle")
    cost = noted.get("cost") if isinstance(noted, Mapping) else None
    # An archive made elsewhere may have noted anything.
    return float(cost) if isinstance(cost, float | int) else None

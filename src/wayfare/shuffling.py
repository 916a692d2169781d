"""What leaving some of the order to chance costs: the price of a plan with ``shuffle``, as it was planned."""

from collections.abc import Mapping

from attrs import evolve

from wayfare.arrays import Points, unique_rows
from wayfare.learned import stated_legs, travel_of
from wayfare.plan import Method
from wayfare.records import Planned, StudySpec
from wayfare.rng import stream
from wayfare.route import Route, Shuffled, plan_route
from wayfare.state import StudyState
from wayfare.threads import one_thread


def shuffled_method(spec: StudySpec) -> Method:
    """Return the method of a study, its order left to chance as far as the study says."""
    if spec.shuffle == 0:
        return spec.method
    return evolve(spec.method, planner=Shuffled(spec.method.planner, spec.shuffle))


def price_of_shuffling(state: StudyState, route: Route) -> float:
    """Return what the route costs beyond the planner's own order of its places, by the stated travel cost.

    A place that the route comes back to later counts once. Never below 0, though chance may find a way that
    a search of many stops has missed.
    """
    spec, here = state.spec, state.position
    # The stream that ordered the route, from its beginning: the planner draws as it did then.
    *_, route_rng = stream(spec.seed, len(state.plans)).spawn(3)
    with one_thread():
        batch = route.places[route.order.argsort()]
        own = plan_route(travel_of(state), here, batch, None, spec.method.planner, route_rng)
        return max(0.0, once_each(state, route.places) - once_each(state, own.places))


def once_each(state: StudyState, x: Points) -> float:
    """Return what walking to each place costs, those visited before left out."""
    return float(stated_legs(state, x[unique_rows(x)[0]]).sum())


def price_in(plan: Planned) -> float | None:
    """Return what shuffling added to a plan, in the unit of the study; None where nothing was shuffled."""
    noted = plan.notes.get("shuffle")
    cost = noted.get("cost") if isinstance(noted, Mapping) else None
    # An archive made elsewhere may have noted anything.
    return float(cost) if isinstance(cost, float | int) else None

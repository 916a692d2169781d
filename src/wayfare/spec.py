"""The door of a study: what a user states, checked and made into a specification."""

import sys
import warnings

import numpy as np

from wayfare import door
from wayfare.arrays import Values, read_only
from wayfare.errors import GuaranteeWarning, InvalidInput
from wayfare.methods import method_named
from wayfare.plan import Method
from wayfare.reach import ROUNDING
from wayfare.records import Direction, StudySpec
from wayfare.space import AnySpace
from wayfare.travel import Scaled, TravelCost, as_cost, check, priced


def make_spec(
    space: AnySpace,
    direction: Direction,
    travel: TravelCost,
    trials: int,
    start: object | None,
    method: str | Method,
    seed: int,
    unit: str,
    noise: float | None,
    name: str,
    budget: float | None = None,
    end: object | None = None,
    run_cost: float = 0.0,
    check_cost: bool = True,
) -> StudySpec:
    """Return the specification, everything in it checked; warn if the cost is not a metric.

    A policy that does not suit every study has a method ``suits``, and is asked. ``check_cost=False`` is for
    a specification read back: all that was checked when it was made.
    """
    if direction not in ("maximize", "minimize"):
        raise InvalidInput(f"direction must be 'maximize' or 'minimize', got {direction!r}")
    door.name(name, "name")
    if not isinstance(unit, str):
        raise InvalidInput(f"unit must be a text such as 'm' or 'min', got {unit!r}")
    trials, seed = door.count(trials, "trials", 1), door.count(seed, "seed", 0)
    if trials > 2**53:
        raise InvalidInput(f"trials is {trials}, more than can be counted exactly; plan at most {2**53}")
    if noise is not None:
        noise = door.positive(noise, "noise, the standard deviation of one result,")
    if isinstance(space, type) or not hasattr(space, "encode"):
        raise InvalidInput(f"space must be a Space or Places, got {space!r}")
    if space.size == 0:
        raise InvalidInput("space: no places at all")
    if space.once and space.size is not None and trials > space.size:
        raise InvalidInput(
            f"trials is {trials}, but there are {space.size} places and each may be visited once; "
            f"plan at most {space.size} trials, or allow returns: once=False (in a study file, once = false)"
        )
    bound = as_cost(travel).bind(space)
    if unit and bound.unit and unit != bound.unit:
        raise InvalidInput(
            f"unit is {unit!r}, but the travel cost is in {bound.unit!r}; leave one of them out"
        )
    if check_cost:
        check_travel(bound if bound.unit else Scaled(bound, 1.0, unit), space)
    made = make_method(method)
    if check_cost and (suits := getattr(made.policy, "suits", None)) is not None:
        suits(space, direction, noise)
    here = None if start is None else start_place(space, bound, start, check_cost)
    goal = None if end is None else end_place(space, bound, end, here, check_cost)
    if budget is not None:
        budget = door.positive(budget, "budget, in the unit of the travel cost,")
        if check_cost:
            check_budget(bound, budget, here, goal, unit or bound.unit)
    return StudySpec(
        name=name,
        space=space,
        travel=bound,
        direction=direction,
        trials=trials,
        start=here,
        method=made,
        seed=seed,
        unit=unit or bound.unit,
        noise=noise,
        budget=budget,
        end=goal,
        run_cost=door.not_negative(run_cost, "run_cost, what taking one result costs,"),
    )


def check_travel(travel: TravelCost, space: AnySpace) -> None:
    """Refuse a cost that cannot be used; warn about one that is not a metric."""
    report = check(travel, space)
    if not report.is_usable:
        raise InvalidInput(f"travel: this cost cannot be used. {report}")
    if not (travel.is_metric and report.is_metric):
        reason = "it does not claim to be one; if it is, say so with Custom(..., metric=True)"
        if report.asymmetric is not None:
            reason = f"the way back costs something else: {report.asymmetric}"
        elif report.triangle is not None:
            reason = f"a detour is cheaper: {report.triangle}"
        warnings.warn(
            "the travel cost is not a metric, so the guarantee that average movement goes to zero does not "
            f"apply; routes are planned with the true costs all the same ({reason})",
            GuaranteeWarning,
            stacklevel=frames_inside() + 1,
        )


def frames_inside() -> int:
    """Return how many frames up the first one outside wayfare is: whoever made the call."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("wayfare."):
        frame, depth = frame.f_back, depth + 1
    return depth - 1


def start_place(space: AnySpace, travel: TravelCost, start: object, check_cost: bool) -> Values:
    """Return the start as a row; it may lie outside the space, but moving away from it must have a cost."""
    row = one_place(space, start, "start")
    if check_cost:
        try:
            priced(travel, row[None, :], space.snap(row[None, :]))
        except InvalidInput as error:
            raise InvalidInput(f"start: {error}") from error
    return row


def end_place(
    space: AnySpace, travel: TravelCost, end: object, start: Values | None, check_cost: bool
) -> Values:
    """Return the end as a row; it may lie outside the space, but the way there must have a cost."""
    if isinstance(end, str):
        if end != "start":
            raise InvalidInput(f"end must be a place or the word 'start', got {end!r}")
        if start is None:
            raise InvalidInput("end is 'start', but the study has no start; give one, or a place to end at")
        row = start
    else:
        row = one_place(space, end, "end")
    if check_cost:
        origins = [space.snap(row[None, :]), *([] if start is None else [start[None, :]])]
        try:
            priced(travel, np.vstack(origins), row[None, :])
        except InvalidInput as error:
            raise InvalidInput(f"end: {error}") from error
    return row


def check_budget(
    travel: TravelCost, budget: float, start: Values | None, end: Values | None, unit: str
) -> None:
    """Refuse a budget that does not even pay the way from the start to the end."""
    if start is None or end is None:
        return
    home = float(priced(travel, start[None, :], end[None, :])[0, 0])
    if home > budget * (1 + ROUNDING):
        raise InvalidInput(
            f"budget is {budget:.6g} {unit}".rstrip()
            + f", but the way from start to end alone costs {home:.6g} {unit}".rstrip()
            + "; raise the budget, or end elsewhere"
        )


def one_place(space: AnySpace, place: object, field: str) -> Values:
    """Return the row of the one place a user wrote."""
    try:
        rows = space.points(place)
    except InvalidInput as error:
        raise InvalidInput(f"{field}: {error}") from error
    if len(rows) != 1:
        raise InvalidInput(f"{field} must be one place, got {len(rows)}")
    return read_only(rows[0])


def make_method(method: str | Method) -> Method:
    """Return the method, looked up if it is given by name."""
    if isinstance(method, str):
        return method_named(method)
    if not isinstance(method, Method):
        raise InvalidInput(f"method must be a name from the catalogue or a Method, got {method!r}")
    return method

"""The door of a study: what a user states, checked and made into a specification."""

from typing import Unpack

from wayfare import door
from wayfare.arrays import Values
from wayfare.currencies import make_currencies
from wayfare.errors import GuaranteeWarning, InvalidInput, warn
from wayfare.methods import method_named
from wayfare.options import Options, check_degrees, check_joined, make_anchor, make_limits, one_place
from wayfare.plan import Method
from wayfare.records import Direction, StudySpec
from wayfare.space import AnySpace
from wayfare.travel import Scaled, TravelCost, as_cost, check


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
    *,
    check_cost: bool = True,
    **options: Unpack[Options],
) -> StudySpec:
    """Return the specification, everything in it checked; warn if the cost is not a metric.

    A policy that does not suit every study has a method ``suits``, and is asked. ``check_cost=False`` is for
    a specification read back: all that was checked when it was made.
    """
    for option in options:
        if option not in Options.__annotations__:
            hint = door.nearest(option, Options.__annotations__, "options")
            raise InvalidInput(f"there is no option {option!r}; {hint}")
    if not isinstance(direction, str) or direction not in ("maximize", "minimize"):
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
    own = unit or bound.unit
    also = options.get("also", ()), options.get("run_cost", 0.0)
    limits = make_limits(options, space, bound, here, own, check_cost)
    return StudySpec(
        name=name,
        space=space,
        travel=bound,
        direction=direction,
        trials=trials,
        start=here,
        method=made,
        seed=seed,
        unit=own,
        noise=noise,
        limits=limits,
        anchor=make_anchor(options, space, bound, here, limits, own, check_cost),
        shuffle=door.share(options.get("shuffle", 0.0), "shuffle, the share of stops in random order,"),
        also=make_currencies(*also, space, here, own, check_cost),
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
        warn(
            "the travel cost is not a metric, so the guarantee that average movement goes to zero does not "
            f"apply; routes are planned with the true costs all the same ({reason})",
            GuaranteeWarning,
        )


def start_place(space: AnySpace, travel: TravelCost, start: object, check_cost: bool) -> Values:
    """Return the start as a row; it may lie outside the space, but moving away from it must have a cost."""
    row = one_place(space, start, "start")
    if check_cost:
        check_degrees(space, row, "start")
        check_joined(space, travel, row, "start")
    return row


def make_method(method: str | Method) -> Method:
    """Return the method, looked up if it is given by name."""
    if isinstance(method, str):
        return method_named(method)
    if not isinstance(method, Method):
        raise InvalidInput(f"method must be a name from the catalogue or a Method, got {method!r}")
    return method

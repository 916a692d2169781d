"""``Method``: how to plan, as a composition of parts; and how much of it can be planned at all."""

from typing import Any

import attrs
from attrs import field, frozen

from wayfare._core import checks
from wayfare.errors import InvalidInput
from wayfare.planning.opening import Opening, ShowValues
from wayfare.policy import Policy, needs_whole_space
from wayfare.policy.schedule import Schedule
from wayfare.route import RoutePlanner, ShortRoute
from wayfare.surrogate import GP, Surrogate

MOST_TRIALS = 1_000_000
MOST_STOPS = 2_000
"""Places of one batch; ordering them takes 5 seconds."""
MOST = {
    "BPE.places": 20_000,
    "DistanceUCB.steps": 100,
    "FastTsp.kicks": 100,
    "FastTsp.seconds": 600,
    "HeldKarp.limit": 18,
    "LazyUCB.levels": 30,
    "LookAhead.draws": 10_000,
    "LookAhead.stops": 200,
    "ShortRoute.exact_to": 18,
    "ShortRoute.kicks": 100,
    "Survey.designs": 100,
    "Survey.least": 1_000,
    "Zooming.mesh": 100_000,
}
"""The greatest numbers of parts with which a plan takes minutes at most."""


@frozen
class Method:
    """How to plan: what to believe, where to look first, where to go, how far ahead, and in which order.

    Attributes:
        policy: chooses a batch of places.
        schedule: says how many, and when to plan again.
        surrogate: turns results into a belief about the whole space; default ``GP()``.
        planner: puts a batch into visiting order; default ``ShortRoute()``.
        opening: chooses the places of the first route; default ``ShowValues()``, the start alone,
            but in a space with choices a survey of their values.
    """

    policy: Policy
    schedule: Schedule
    surrogate: Surrogate = field(factory=GP)
    planner: RoutePlanner = field(factory=ShortRoute)
    opening: Opening = field(factory=ShowValues)

    def __attrs_post_init__(self) -> None:
        checks.part(self.policy, "policy", "propose")
        checks.part(self.schedule, "schedule", "batch_size")
        checks.part(self.surrogate, "surrogate", "fit")
        checks.part(self.planner, "planner", "order")
        checks.part(self.opening, "opening", "places")


def check_size(method: Method, trials: int) -> None:
    """Refuse a study that cannot be planned: of too many trials, of routes too long, or of parts that never end."""
    if trials > MOST_TRIALS:
        raise InvalidInput(f"trials is {trials}, more than can be planned; {MOST_TRIALS} at most")
    check_parts(method)
    batch = 0 if needs_whole_space(method.policy) else method.schedule.batch_size(0, trials)
    if batch > MOST_STOPS:
        raise InvalidInput(
            f"the first batch has {batch} places, and a route of {MOST_STOPS} can be planned at most; choose fewer "
            "trials, or a schedule with smaller batches"
        )


def check_parts(part: Any) -> None:
    """Refuse a number of a part, or of a part within it, that asks for more work than a plan should take."""
    for one in attrs.fields(type(part)):
        value, name = getattr(part, one.name), f"{type(part).__name__}.{one.name}"
        if name in MOST and value is not None and value > MOST[name]:
            raise InvalidInput(f"method: {name.replace('.', ': ')} must be at most {MOST[name]}, got {value}")
        if attrs.has(type(value)):
            check_parts(value)

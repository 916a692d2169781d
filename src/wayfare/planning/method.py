"""``Method``: how to plan, as a composition of parts."""

from attrs import field, frozen

from wayfare._core import checks
from wayfare.planning.opening import Opening, ShowValues
from wayfare.policy import Policy
from wayfare.policy.schedule import Schedule
from wayfare.route import RoutePlanner, ShortRoute
from wayfare.surrogate import GP, Surrogate


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

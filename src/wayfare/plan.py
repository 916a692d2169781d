"""The method on one page: believe, choose a batch, order it into a route (Algorithm 1 of the paper)."""

from attrs import field, frozen
from numpy.random import Generator

from wayfare import door
from wayfare.arrays import Points
from wayfare.errors import InvalidInput
from wayfare.history import History, Notes
from wayfare.policy import Policy
from wayfare.route import Route, RoutePlanner, ShortRoute, plan_route
from wayfare.schedule import Schedule
from wayfare.situation import Situation
from wayfare.space import AnySpace
from wayfare.surrogate import GP, Surrogate
from wayfare.threads import one_thread
from wayfare.travel import TravelCost, priced


@frozen
class Method:
    """How to plan, as a composition: what to believe, where to go, how far ahead, in which order."""

    policy: Policy
    schedule: Schedule
    surrogate: Surrogate = field(factory=GP)
    planner: RoutePlanner = field(factory=ShortRoute)

    def __attrs_post_init__(self) -> None:
        door.part(self.policy, "policy", "propose")
        door.part(self.schedule, "schedule", "batch_size")
        door.part(self.surrogate, "surrogate", "fit")
        door.part(self.planner, "planner", "order")


@frozen(eq=False)
class Plan:
    """A route to walk, and the notes on what decided it."""

    route: Route
    notes: Notes


def plan_batch(
    method: Method, space: AnySpace, travel: TravelCost, history: History, left: int, rng: Generator
) -> Plan:
    """Return the next route, from where the traveller stands, of at most ``left`` stops."""
    fit_rng, pick_rng, route_rng = rng.spawn(3)
    with one_thread():
        if history.handed_out == 0 and not len(history.skipped):
            batch = first_place(space, travel, history, pick_rng)
            notes: Notes = {"step": "start"}
        else:
            size = min(method.schedule.batch_size(history.handed_out, left), left)
            open_space = unvisited(space, history, size)
            posterior = method.surrogate.fit(history, fit_rng)
            situation = Situation(open_space, travel, history, method.surrogate, posterior)
            batch, notes = method.policy.propose(situation, size, pick_rng), posterior.notes
        route = plan_route(travel, history.position, batch, None, method.planner, route_rng)
    return Plan(route, notes)


def unvisited(space: AnySpace, history: History, size: int) -> AnySpace:
    """Return where a batch of ``size`` may go; places skipped only where nothing else is left."""
    never = space.without(history.x).without(history.failed).without(history.pending)
    fresh = never.without(history.skipped)
    kept = never if fresh.size is not None and fresh.size < size else fresh
    if kept.once and kept.size is not None and kept.size < size:
        raise InvalidInput(f"a batch of {size} does not fit in the {kept.size} places left")
    return kept


def first_place(space: AnySpace, travel: TravelCost, history: History, rng: Generator) -> Points:
    """Return where a study begins: at its start if that is in the space, else the place nearest to it.

    So no method moves before it has learned something, and all of them share the first result. Without a
    start it is a draw, and free to reach. In a finite space the nearest place is the cheapest to reach.
    """
    if history.position is None:
        return space.sample(1, rng)
    start = history.position[None, :]
    table = space.everything(10_000)
    if space.contains(start).all() or table is None:
        return space.snap(start)
    if len(table) == 0:
        raise InvalidInput("no places at all: the space is empty")
    return table[[int(priced(travel, start, table)[0].argmin())]]

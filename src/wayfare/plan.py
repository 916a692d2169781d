"""The method on one page: believe, choose a batch, order it into a route (Algorithm 1 of the paper)."""

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare import door
from wayfare.arrays import Order, Points
from wayfare.errors import InvalidInput
from wayfare.fitting import fitted
from wayfare.history import History, Notes
from wayfare.opening import JustStart, NoOpening, Opening
from wayfare.policy import UCB, Batch, Policy, Runs
from wayfare.reach import Reach
from wayfare.route import Route, RoutePlanner, ShortRoute, plan_route
from wayfare.schedule import Schedule
from wayfare.situation import Situation
from wayfare.space import AnySpace
from wayfare.surrogate import GP, Surrogate, Tally
from wayfare.threads import one_thread
from wayfare.travel import TravelCost, priced
from wayfare.within import Within


@frozen
class Method:
    """How to plan, as a composition: what to believe, where to go, how far ahead, in which order.

    And where to look first, on the route that begins the study; ``JustStart`` is nowhere but at its start.
    With ``NoOpening`` the policy chooses the first route as well.
    """

    policy: Policy
    schedule: Schedule
    surrogate: Surrogate = field(factory=GP)
    planner: RoutePlanner = field(factory=ShortRoute)
    opening: Opening = field(factory=JustStart)

    def __attrs_post_init__(self) -> None:
        door.part(self.policy, "policy", "propose")
        door.part(self.schedule, "schedule", "batch_size")
        door.part(self.surrogate, "surrogate", "fit")
        door.part(self.planner, "planner", "order")
        door.part(self.opening, "opening", "places")


@frozen(eq=False)
class Plan:
    """A route to walk, how many results to take at each stop, and the notes on what decided it."""

    route: Route
    counts: Order
    notes: Notes


def plan_batch(
    method: Method,
    space: AnySpace,
    travel: TravelCost,
    history: History,
    left: int,
    rng: Generator,
    reach: Reach | None = None,
) -> Plan:
    """Return the next route, from where the traveller stands, for at most ``left`` results.

    With a ``reach`` it can be paid, the way home included, at every stop; it has no stops if none can be.
    """
    fit_rng, pick_rng, route_rng = rng.spawn(3)
    with one_thread():
        if history.is_blank and not isinstance(method.opening, NoOpening):
            batch = Runs.of(first_route(method.opening, space, travel, history, left, pick_rng))
            notes: Notes = {"step": "start"}
        else:
            open_space, size = unvisited(space, history, size_of(method, history, left))
            posterior = method.surrogate.fit(history, fit_rng)
            situation = Situation(open_space, travel, history, method.surrogate, posterior)
            batch = checked(method.policy, method.policy.propose(situation, size, pick_rng), open_space, size)
            notes = posterior.notes
        if reach is not None:
            return plan_within(method, space, batch, notes, history, left, reach, route_rng)
        route = plan_route(travel, history.position, batch.places, None, method.planner, route_rng)
    return Plan(route, batch.counts[route.order], notes)


def plan_within(
    method: Method,
    space: AnySpace,
    batch: Runs,
    notes: Notes,
    history: History,
    left: int,
    reach: Reach,
    rng: Generator,
) -> Plan:
    """Return a route through what fits of the batch; if nothing does, through a batch from within reach."""
    route, counts = fitted(reach, batch, method.planner, rng)
    if len(route):
        return Plan(route, counts, notes)
    fit_rng, pick_rng, near_rng = rng.spawn(3)
    near = Within.of(unvisited(space, history, left)[0], reach, near_rng)
    if not len(near.known):
        near = Within.of(never_visited(space, history), reach, near_rng)
    if not len(near.known):
        return Plan(route, counts, notes)
    # Bandits think in arms or cubes of a whole space; what is left of it is chosen from as UCB would.
    policy = UCB() if isinstance(method.surrogate, Tally) else method.policy
    size = size_of(method, history, left)
    size = min(size, near.size) if near.once and near.size is not None else size
    posterior = method.surrogate.fit(history, fit_rng)
    situation = Situation(near, reach.travel, history, method.surrogate, posterior)
    batch = checked(policy, policy.propose(situation, size, pick_rng), near, size)
    route, counts = fitted(reach, batch, method.planner, rng)
    return Plan(route, counts, posterior.notes)


def size_of(method: Method, history: History, left: int) -> int:
    """Return how many results the next batch is for."""
    return min(method.schedule.batch_size(history.handed_out, left), left)


def unvisited(space: AnySpace, history: History, size: int) -> tuple[AnySpace, int]:
    """Return where a batch may go, and its size; skipped places only where nothing else is left."""
    never = never_visited(space, history)
    fresh = never.without(history.skipped)
    kept = fresh if fresh.size != 0 else never
    return kept, size if kept.size is None or not kept.once else min(size, kept.size)


def never_visited(space: AnySpace, history: History) -> AnySpace:
    """Return the places one may still go to, skipped ones included."""
    return space.without(history.x).without(history.failed).without(history.pending)


def checked(policy: Policy, batch: Batch, space: AnySpace, size: int) -> Runs:
    """Return the batch unless it breaks the promise of ``Policy``, whoever wrote the policy."""
    who = f"policy {type(policy).__name__}"
    if not isinstance(batch, Runs):
        in_space(who, batch, space)
    runs = Runs.of(batch)
    in_space(who, runs.places, space)
    if runs.counts.shape != (len(runs.places),) or (runs.counts < 1).any():
        raise InvalidInput(f"{who} must return a count of at least 1 for each place, got {runs.counts}")
    if not 1 <= (results := int(runs.counts.sum())) <= size:
        raise InvalidInput(f"{who} was asked for 1 to {size} places and returned {results}")
    return runs


def in_space(who: str, batch: Points, space: AnySpace) -> Points:
    """Return the batch unless it is no table of places of the space."""
    if not isinstance(batch, np.ndarray) or batch.ndim != 2 or batch.shape[1] != space.d:
        raise InvalidInput(f"{who} must return an array of shape (n, {space.d}), got {batch!r}")
    allowed = space.contains(batch)
    if not allowed.all():
        outside = batch[int(np.argmin(allowed))].tolist()
        raise InvalidInput(f"{who} returned {outside}, which is not in the space")
    return batch


def first_route(
    opening: Opening, space: AnySpace, travel: TravelCost, history: History, left: int, rng: Generator
) -> Points:
    """Return the places a study begins with: the first one, and what the opening adds to it.

    That is a third of the trials that are left at most: what is looked at must be learned from.
    """
    first = first_place(space, travel, history, rng)
    more = opening.places(space, first[0], travel, rng)
    more = in_space(f"opening {type(opening).__name__}", more, space.without(first))
    return np.vstack([first, more[: left // 3]])


def first_place(space: AnySpace, travel: TravelCost, history: History, rng: Generator) -> Points:
    """Return where a study begins: at its start if that is in the space, else the place nearest to it.

    So all methods look there on their first route, and those without an opening do not move before they have
    its result; with one, the start may be passed later on that route where that is no longer.
    Without a start it is a draw, and free to reach. In a finite space the nearest place is the cheapest one.
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

"""The method on one page: believe, choose a batch, order it into a route (Algorithm 1 of the paper)."""

from functools import partial
from typing import Self

from attrs import evolve, field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Order
from wayfare._core.threads import one_thread
from wayfare.planning.anchor import Anchor, anchored
from wayfare.planning.itinerary import Way
from wayfare.planning.layout import Layout, fitted
from wayfare.planning.opening import JustStart, NoOpening, Opening, first_route
from wayfare.planning.reach import Limits, Reach
from wayfare.planning.reachable import Within, in_range, never_visited, unvisited
from wayfare.policy import UCB, Policy, Runs, checked
from wayfare.policy.base import Situation
from wayfare.policy.schedule import Schedule
from wayfare.route import Route, RoutePlanner, ShortRoute
from wayfare.space import AnySpace
from wayfare.surrogate import GP, Posterior, Surrogate, Tally
from wayfare.surrogate.history import History, Notes
from wayfare.travel import TravelCost


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
        checks.part(self.policy, "policy", "propose")
        checks.part(self.schedule, "schedule", "batch_size")
        checks.part(self.surrogate, "surrogate", "fit")
        checks.part(self.planner, "planner", "order")
        checks.part(self.opening, "opening", "places")


@frozen(eq=False)
class Plan:
    """A batch laid out as a way to go, and the notes on what decided it."""

    layout: Layout
    notes: Notes

    @classmethod
    def nowhere(cls, unit: str, d: int) -> Self:
        """Return a plan without a stop."""
        return cls(Layout(Way.nowhere(unit, d), 0), {})

    @property
    def way(self) -> Way:
        """The way to go."""
        return self.layout.way

    @property
    def route(self) -> Route:
        """Its stops in visiting order."""
        return self.way.route

    @property
    def counts(self) -> Order:
        """How many results to take at each stop."""
        return self.way.counts


def plan_batch(
    method: Method,
    space: AnySpace,
    travel: TravelCost,
    history: History,
    left: int,
    rng: Generator,
    reach: Reach | None = None,
    anchor: Anchor | None = None,
) -> Plan:
    """Return the next route, from where the traveller stands, for at most ``left`` results.

    It keeps within ``reach``, the way home included, at every stop; it has no stops if none does. Wherever
    that is due it goes by the ``anchor``.
    """
    reach = Reach(travel, history.position, Limits()) if reach is None else reach
    fit_rng, pick_rng, route_rng = rng.spawn(3)
    with one_thread():
        posterior: Posterior | None = None
        notes: Notes = {"step": "start"}
        ground = space if isinstance(method.surrogate, Tally) else in_range(space, reach, rng)
        if history.is_blank and not isinstance(method.opening, NoOpening):
            batch = Runs.of(first_route(method.opening, ground, travel, history, left, pick_rng))
        else:
            ground = unvisited(ground, history)
            if ground.size == 0:
                return Plan.nowhere(travel.unit, space.d)
            posterior = method.surrogate.fit(history, fit_rng)
            notes = posterior.notes
            batch = choose(method, ground, travel, history, posterior, left, pick_rng)

        by_anchor = None if anchor is None else partial(anchored, reach, anchor, history, posterior)
        layout = fitted(reach, batch, method.planner, route_rng, left, by_anchor)
        if not len(layout.way):
            return plan_near(method, space, travel, history, left, route_rng, reach, anchor)
    return Plan(layout, notes)


def choose(
    method: Method,
    space: AnySpace,
    travel: TravelCost,
    history: History,
    posterior: Posterior,
    left: int,
    rng: Generator,
) -> Runs:
    """Return the batch of the policy, as large as the schedule says and the space allows."""
    size = min(method.schedule.batch_size(history.handed_out, left), left)
    if space.once and space.size is not None:
        size = min(size, space.size)
    situation = Situation(space, travel, history, method.surrogate, posterior)
    return checked(method.policy, method.policy.propose(situation, size, rng), space, size)


def plan_near(
    method: Method,
    space: AnySpace,
    travel: TravelCost,
    history: History,
    left: int,
    rng: Generator,
    reach: Reach,
    anchor: Anchor | None,
) -> Plan:
    """Return a route through a batch chosen from what is within reach alone; no stops if nothing is."""
    fit_rng, pick_rng, near_rng = rng.spawn(3)
    ground = in_range(space, reach, near_rng)
    near = Within.of(unvisited(ground, history), reach, near_rng)
    if not len(near.known):
        near = Within.of(never_visited(ground, history), reach, near_rng)
    if not len(near.known):
        return Plan.nowhere(travel.unit, space.d)
    if isinstance(method.surrogate, Tally):
        # Bandits think in arms or cubes of a whole space; what is left of it is chosen from as UCB would.
        method = evolve(method, policy=UCB())
    posterior = method.surrogate.fit(history, fit_rng)
    batch = choose(method, near, travel, history, posterior, left, pick_rng)
    by_anchor = None if anchor is None else partial(anchored, reach, anchor, history, posterior)
    return Plan(fitted(reach, batch, method.planner, rng, left, by_anchor), posterior.notes)

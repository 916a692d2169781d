"""Algorithm 1 of the paper on one page: believe, choose a batch, order it into a route."""

import math
from collections.abc import Mapping
from copy import deepcopy
from functools import partial

from attrs import Factory, evolve, field, frozen
from numpy.random import Generator

from wayfare._core.arrays import Order
from wayfare._core.rng import one_thread
from wayfare.planning.anchor import Anchor, anchored
from wayfare.planning.itinerary import Itinerary
from wayfare.planning.layout import Plan, lay_out
from wayfare.planning.method import MOST_STOPS, Method
from wayfare.planning.opening import added_places, first_places
from wayfare.planning.reach import Reach
from wayfare.planning.reachable import Within, in_range, never_visited, unvisited
from wayfare.policy import UCB, Runs, Situation, needs_whole_space
from wayfare.policy.base import checked
from wayfare.space import AnySpace
from wayfare.surrogate import Posterior, Surrogate
from wayfare.surrogate.history import ADDED, OPENING, History
from wayfare.surrogate.visit import Visits
from wayfare.travel import TravelCost


@frozen(eq=False)
class Task:
    """All that a plan depends on, besides chance.

    Attributes:
        method: the parts that plan.
        space: where the traveller may go.
        travel: the cost of moving.
        history: results so far, places still pending, and where the traveller stands.
        left: how many results may still be taken.
        reach: what is left of the limits; default: there are none.
        anchor: a place to return to now and then; None for none.
        added: by column of a choice, the positions of the values that a change brought in and no trial has had yet.
    """

    method: Method
    space: AnySpace
    travel: TravelCost
    history: History
    left: int
    reach: Reach = field(default=Factory(lambda task: Reach(task.travel, task.history.position), takes_self=True))
    anchor: Anchor | None = None
    added: Mapping[int, Order] = field(factory=dict[int, Order])


def plan_batch(task: Task, rng: Generator) -> Plan:
    """Return the next route from where the traveller stands; without stops if the limits allow none."""
    method, history = task.method, task.history
    fit_rng, pick_rng, route_rng = rng.spawn(3)
    with one_thread():
        # 1. Where to choose from. A bandit thinks in the arms or cubes of the whole space.
        ground = task.space if needs_whole_space(method.policy) else in_range(task.space, task.reach, rng)
        ground = unvisited(ground, history)
        if ground.size == 0:
            return Plan(Itinerary.empty(task.travel.unit, task.space.d), 0)
        # 2. Values that a change brought in are looked at first, on a route of their own. A bandit does so by itself.
        if task.added and not needs_whole_space(method.policy):
            new = added_places(ground, task.travel, history, task.added, task.left, deepcopy(pick_rng))
            if new is not None and len((plan := _route(task, Runs.of(new), None, route_rng)).itinerary):
                return evolve(plan, notes=ADDED)
        # 3. The first route is the opening's, unless it leaves that to the policy.
        if not history.has_begun:
            first = first_places(method.opening, ground, task.travel, history, task.left, deepcopy(pick_rng))
            if first is not None:
                plan = _route(task, Runs.of(first), None, route_rng)
                return plan if len(plan.itinerary) else _plan_nearby(task, route_rng)
        # 4. Believe, choose a batch, order it.
        posterior = _model(method).fit(history, fit_rng)
        plan = _route(task, _choose(task, ground, posterior, pick_rng), posterior, route_rng)
        return plan if len(plan.itinerary) else _plan_nearby(task, route_rng)


def _model(method: Method) -> Surrogate:
    """Return the model of what a visit is worth; a bandit, which closes the arms that fail, has only its own."""
    return method.surrogate if needs_whole_space(method.policy) else Visits(method.surrogate)


def _choose(task: Task, ground: AnySpace, posterior: Posterior, rng: Generator) -> Runs:
    """Return the batch of the policy, as large as the schedule says and the space allows."""
    method, history = task.method, task.history
    size = min(method.schedule.batch_size(history.handed_out, task.left), task.left)
    if not needs_whole_space(method.policy):
        size = min(size, MOST_STOPS)
    if ground.once and ground.size is not None:
        size = min(size, ground.size)
    spent = task.reach.spent
    situation = Situation(ground, task.travel, history, _model(method), posterior, left=task.left, spent=spent)
    return checked(method.policy, method.policy.propose(situation, size, rng), ground, size)


def _route(task: Task, batch: Runs, posterior: Posterior | None, rng: Generator) -> Plan:
    """Return the batch as a route within reach, by the anchor wherever that is due.

    Where a trip is a day, a route ends where the day does, so that the next is planned with all results of the day; but
    for the opening's, whose places depend on no result.
    """
    if posterior is None or not task.reach.limits.is_day:
        plan = _laid_out(task, task.reach, batch, posterior, rng)
    else:
        plan = _laid_out(task, task.reach.until_evening(), batch, posterior, rng)
        if not len(plan.itinerary) and (restart := task.reach.restart) < math.inf:
            plan = _laid_out(task, task.reach.next_morning().until_evening(), batch, posterior, rng)
            alone = None if plan.unshuffled is None else plan.unshuffled.from_home(restart)
            plan = evolve(plan, whole=plan.whole.from_home(restart), unshuffled=alone)
    return evolve(plan, notes=OPENING if posterior is None else posterior.notes)


def _laid_out(task: Task, reach: Reach, batch: Runs, posterior: Posterior | None, rng: Generator) -> Plan:
    """Return the batch as a route within this reach."""
    anchor = task.anchor
    by_anchor = None if anchor is None else partial(anchored, reach, anchor, task.history, posterior)
    return lay_out(reach, batch, task.method.planner, rng, task.left, by_anchor)


def _plan_nearby(task: Task, rng: Generator) -> Plan:
    """Return a route through places within reach alone; the batch chosen from the whole space had none."""
    history, reach = task.history, task.reach
    fit_rng, pick_rng, near_rng = rng.spawn(3)
    ground = in_range(task.space, reach, near_rng)
    near = Within.of(unvisited(ground, history), reach, near_rng)
    if not len(near.known):
        near = Within.of(never_visited(ground, history), reach, near_rng)
    if not len(near.known):
        return Plan(Itinerary.empty(task.travel.unit, task.space.d), 0)
    if needs_whole_space(task.method.policy):
        task = evolve(task, method=evolve(task.method, policy=UCB()))
    posterior = _model(task.method).fit(history, fit_rng)
    return _route(task, _choose(task, near, posterior, pick_rng), posterior, rng)

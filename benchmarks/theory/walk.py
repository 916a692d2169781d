"""A method walked through very many trials, without a store and without keeping one record per trial."""

from collections.abc import Callable

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core.arrays import Points, Values, no_points, unique_rows
from wayfare.planning.method import Method
from wayfare.planning.plan import Task, plan_batch
from wayfare.space import AnySpace
from wayfare.surrogate.history import History, Past
from wayfare.travel import TravelCost


@frozen(eq=False)
class Goal:
    """What is looked for: a function, its highest value, and the standard deviation of a result."""

    function: Callable[[Points], Values]
    best: float
    noise: float


@frozen(eq=False)
class Walk:
    """Where a walk stood at the end of each batch: trials, regret and movement so far."""

    trials: Values
    regret: Values
    movement: Values

    @property
    def sizes(self) -> Values:
        """The number of trials of each batch."""
        return np.diff(self.trials, prepend=0.0)

    def after(self, trials: float, values: Values) -> float:
        """Return what a quantity, given at the ends of the batches, was then; within a batch all grows evenly."""
        return float(np.interp(trials, np.append(0.0, self.trials), np.append(0.0, values)))


def walk(method: Method, space: AnySpace, goal: Goal, travel: TravelCost, trials: int, rng: Generator) -> Walk:
    """Walk until ``trials`` results are in.

    The plans are those of a study that states its noise. The results that a place gives in one batch are kept as their
    number and their mean, as a study keeps those that are told together.
    """
    history = History.empty(space, noise=goal.noise)
    ends = [(0.0, 0.0, 0.0)]
    while history.handed_out < trials:
        plan = plan_batch(Task(method, space, travel, history, trials - history.handed_out), rng)
        route = plan.itinerary
        first, which = unique_rows(route.places)
        places, taken = route.places[first], np.bincount(which, weights=route.counts)
        values = goal.function(places)
        results = values + goal.noise / np.sqrt(taken) * rng.standard_normal(len(places))
        done = history.handed_out + int(taken.sum())
        _, regret, movement = ends[-1]
        ends.append((float(done), regret + float(taken @ (goal.best - values)), movement + route.cost))
        history = History(
            space,
            np.vstack([history.x, places]),
            np.append(history.y, results),
            no_points(space.d),
            route.places[-1],
            goal.noise,
            (*history.past, Past(history.told, plan.notes)),
            counts=np.append(history.counts, taken),
            handed_out=done,
        )
    return Walk(*np.array(ends[1:]).T)

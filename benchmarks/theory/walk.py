"""A method walked through very many trials on a table of places, without keeping one record per trial."""

import numpy as np
from attrs import frozen
from numpy.random import Generator

from theory.table import rows_of
from wayfare._core.arrays import Points, Values, no_points, unique_rows
from wayfare.planning.method import Method
from wayfare.planning.plan import Task, plan_batch
from wayfare.space import Places
from wayfare.surrogate.history import History
from wayfare.travel import TravelCost


@frozen(eq=False)
class Walk:
    """Where a walk stood at the end of each batch: trials, regret and movement so far."""

    trials: Values
    regret: Values
    movement: Values


def walk(
    method: Method, space: Places, values: Values, noise: float, travel: TravelCost, trials: int, rng: Generator
) -> Walk:
    """Walk until ``trials`` results are in.

    ``values`` are the places' true ones, ``noise`` the standard deviation of a result. The plans are those of
    a study. What a place gave so far is kept as its number of results and their mean, which is all that a
    belief with a known noise asks for.
    """
    table = space.table
    counts, means = np.zeros(len(table)), np.zeros(len(table))
    gaps = values.max() - values
    position, done = None, 0
    ends: list[tuple[float, float, float]] = [(0.0, 0.0, 0.0)]
    while done < trials:
        history = history_of(space, counts, means, position, done, noise)
        route = plan_batch(Task(method, space, travel, history, trials - done), rng).itinerary
        distinct, which = unique_rows(route.places)
        at = rows_of(route.places[distinct], table)[which]
        taken = np.bincount(at, minlength=len(table))
        some = taken > 0
        drawn = values[some] + noise / np.sqrt(taken[some]) * rng.standard_normal(int(some.sum()))
        means[some] += (drawn - means[some]) * taken[some] / (counts[some] + taken[some])
        counts += taken
        position, done = table[at[-1]], done + len(route)
        _, regret, movement = ends[-1]
        ends.append((float(done), regret + float(taken @ gaps), movement + route.cost))
    return Walk(*np.array(ends[1:]).T)


def history_of(
    space: Places, counts: Values, means: Values, position: Values | None, done: int, noise: float
) -> History:
    """Return the history that a planner sees."""
    seen = counts > 0
    x: Points = space.table[seen]
    return History(space, x, means[seen], no_points(space.d), position, noise, counts=counts[seen], handed_out=done)

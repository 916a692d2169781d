"""Looking many steps ahead: a whole route chosen at once, of which only the first stop is visited before the next plan.

A rule that scores one place at a time does not see that a far place is worth the way if two others are near it. The
functions drawn from the belief stand for what a route may find, so that a route of any length is judged by a table of
their values, and no tree of imagined results has to be grown.
"""

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points, Values
from wayfare.policy.acquisition import RADII, away, best_known, first_look, is_small
from wayfare.policy.base import Situation, valid
from wayfare.policy.greedy import Detours
from wayfare.policy.thompson import admitted
from wayfare.surrogate import Paths
from wayfare.travel import rough

CLOUDS = 128
"""Places looked at around the stops of a route, in each round of refining; at least four for each."""
MAX_STOPS_FROM = 512
"""At most this many places are made a route of, besides the top of each draw."""
SWEEPS = 3
"""How often every stop of a route is taken out and put in again, at most."""


@frozen
class LookAhead:
    """The route of most worth, after LookaHES (Truong et al. 2026, arXiv 2601.06505) and without its neural network.

    Functions are drawn from the belief. On each, a route ends with the best value among its stops and the best place
    known before; a route is worth the mean of these, less its cost. Its stops, which all draws share, are chosen
    together: each is taken out and put back where it pays most, until nothing gets better, and then refined by
    smaller and smaller clouds. Put it on the ``Rolling`` schedule: the route planner orders the batch, its first stop
    is visited, and then another route is planned.

    LookaHES maximises the expected value of a last action less the cost of the way, over up to twenty steps, by a
    network that chooses each step from the results before it. This follows its abstract, and a look at its authors'
    public repository for what is in the objective; how it weighs cost against value is uncertain. Ours differs in three
    things: the steps do not depend on what the steps before find, because a new plan is made after each of them; the
    last action is the best place of the route or the best one known, not any place of the space; and going back there
    is not charged.

    Attributes:
        stops: the most stops of a route; fewer are planned where more do not pay, or few trials are left.
        draws: how many functions are drawn.
        price: what a way as long as the longest leg from here costs, as a share of the hope: what would be gained,
            on average over the draws, if each told its best place. It has no unit.
        weight: the same in units of the result per unit of cost, in place of the price; None to go by the price.
    """

    stops: int = field(default=12, validator=valid(checks.count, 1))
    draws: int = field(default=64, validator=valid(checks.count, 1))
    price: float = field(default=0.1, validator=valid(checks.not_negative))
    weight: float | None = field(default=None, validator=valid(checks.not_negative))

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the stops of the best route found, up to ``size``."""
        draw_rng, look_rng = rng.spawn(2)
        paths = situation.expected.paths(self.draws, draw_rng)
        travel = rough(situation.travel, self.stops) or situation.travel
        here, most = situation.history.position, min(self.stops, size)
        # 1. The best route through the places that some draw thinks well of.
        x, admits = admitted(situation, situation.admits, first_look(situation, look_rng))
        values = paths(x)
        known = _known(situation, paths, values)
        x, values = _promising(x, values, known)
        route = Detours(travel, here, x)
        weight = self.weight if self.weight is not None else self._weight(values, known, route)
        stops = best_route(values, known, route, weight, most)
        # 2. The same among places closer and closer to its stops.
        for radius in () if is_small(situation.space) else RADII:
            cloud = situation.space.around(x[stops], radius, max(4, CLOUDS // len(stops)), look_rng)
            near, admits = admitted(situation, admits, away(situation, cloud))
            x = np.vstack([x[stops], near])
            route = Detours(travel, here, x)
            for stop in range(len(stops)):
                route.add(stop, stop)
            stops = improved_route(paths(x), known, route, weight, most)
        return x[stops]

    def _weight(self, values: Matrix, known: Values, route: Detours) -> float:
        """Return the price in units of the result per unit of cost."""
        hope = float((np.maximum(values.max(axis=0), known) - known).mean())
        far = float(route.added()[0].max())
        return self.price * hope / far if far > 0 else 0.0


def best_route(values: Matrix, known: Values, route: Detours, weight: float, most: int) -> list[int]:
    """Return the stops of the best route found; it has one at least.

    It is the better of two, each improved: one of places that pay by themselves, put in one after the other, and the
    one that would be best if travel were free, in which far places may share their way.

    Args:
        values: of every place (row) on every draw.
        known: the value on every draw of what is known without the route.
        route: a route to the same places; its stops do not matter.
        weight: in units of the values per unit of cost.
        most: how many stops it may have.
    """
    found = []
    for rate in (weight, 0.0):
        for stop in list(route.stops):
            route.remove(stop)
        while len(route.stops) < most and _put_in(values, known, route, rate):
            pass
        stops = improved_route(values, known, route, weight, most)
        found.append((float(np.maximum(known, values[stops].max(axis=0)).mean()) - weight * route.cost, stops))
    return max(found, key=lambda each: each[0])[1]


def improved_route(values: Matrix, known: Values, route: Detours, weight: float, most: int) -> list[int]:
    """Return the stops of ``route``, changed until no other stop in place of one, one more or one less pays."""
    for _ in range(SWEEPS):
        before = list(route.stops)
        for stop in before:
            route.remove(stop)
            _put_in(values, known, route, weight)
        while len(route.stops) < most and _put_in(values, known, route, weight):
            pass
        if route.stops == before:
            break
    return list(route.stops)


def _put_in(values: Matrix, known: Values, route: Detours, weight: float) -> bool:
    """Put the best place into the route, where it costs least; return False if that does not pay.

    A route without stops gets one in any case.
    """
    found = np.maximum(known, values[route.stops].max(axis=0)) if route.stops else known
    cost, gap = route.added()
    gain = np.maximum(values, found).mean(axis=1) - found.mean() - weight * cost
    place = int(gain.argmax())
    if route.stops and gain[place] <= 1e-12 * abs(found.mean()):
        return False
    route.add(place, int(gap[place]))
    return True


def _known(situation: Situation, paths: Paths, values: Matrix) -> Values:
    """Return the value on every draw of the best place known, or pending; before any, the mean over all places."""
    places = np.vstack([situation.history.pending, best_known(situation)])
    return np.asarray(paths(places).max(axis=0) if len(places) else values.mean(axis=0))


def _promising(x: Points, values: Matrix, known: Values) -> tuple[Points, Matrix]:
    """Return the top of each draw, and of the others those that improve most on what is known."""
    if len(x) <= MAX_STOPS_FROM:
        return x, values
    ranked = np.argsort(-np.maximum(values - known, 0.0).mean(axis=1), kind="stable")
    kept = np.union1d(values.argmax(axis=0), ranked[:MAX_STOPS_FROM])
    return x[kept], values[kept]

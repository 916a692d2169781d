"""A batch as a route: ``plan_route`` prices the places, and a planner puts them in visiting order.

The planners are here too: the default, the optimum for few stops, the plain baselines, the one that leaves part of the
order to chance, and the one that calls an external solver.
"""

from functools import lru_cache
from itertools import pairwise
from types import ModuleType

import numpy as np
from attrs import field, frozen
from attrs.validators import ge, gt
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core import checks, html
from wayfare._core.arrays import Matrix, Order, Points, Values, read_only, unique_rows, whole
from wayfare._core.extras import install
from wayfare._core.format import amount, counted, with_unit
from wayfare.errors import InvalidInput
from wayfare.route.base import RoutePlanner, check_costs, orders_points, path_cost
from wayfare.route.points import order_cost, refined_among, short_order
from wayfare.route.search import depot_costs, leveled, refined, scaled, spanning_tree, tied_costs, tree_walk
from wayfare.travel import TravelCost, priced, rough
from wayfare.travel.embedding import Embedding, embedding


@frozen(eq=False)
class Route:
    """Places in visiting order.

    Attributes:
        places: the stops, in the user's units.
        order: the row of the batch that each stop was.
        legs: the cost of reaching each stop; the first is from where the traveller stood.
        last_leg: the cost of going on to the fixed end; 0 if there is none.
        unit: the unit of the costs.
    """

    places: Points = field(converter=read_only)
    order: Order = field(converter=whole)
    legs: Values = field(converter=read_only)
    last_leg: float = 0.0
    unit: str = ""

    def __len__(self) -> int:
        return len(self.order)

    @property
    def cost(self) -> float:
        """The cost of the whole route."""
        return float(self.legs.sum()) + self.last_leg

    def __str__(self) -> str:
        return f"{len(self)} stops, {with_unit(self.cost, self.unit)}: {self.order.tolist()}"

    def _repr_html_(self) -> str:
        """Return it for a notebook: a row per stop, with its row in the batch, its place and its leg."""
        unit = f" [{self.unit}]" if self.unit else ""
        rows = [
            [at, row, *(f"{number:.6g}" for number in place), amount(leg)]
            for at, (row, place, leg) in enumerate(zip(self.order.tolist(), self.places, self.legs, strict=True), 1)
        ]
        heads = ["stop", "row", *(f"x{axis}" for axis in range(self.places.shape[1])), f"leg{unit}"]
        title = f"{counted(len(self), 'stop')}, {with_unit(self.cost, self.unit)}"
        last = [f"and {with_unit(self.last_leg, self.unit)} to the end"] if self.last_leg else []
        return html.table(title, heads, rows, last)


def plan_route(
    cost: TravelCost, position: Values | None, batch: Points, end: Values | None, planner: RoutePlanner, rng: Generator
) -> Route:
    """Return the batch as a route.

    Equal places are one stop to the planner and visited in a row. Where all costs between the stops would take long to
    compute, rough ones decide the order; legs are always exact. More than ``MOST_TABLED`` stops whose costs are known
    as distances are ordered without a table of them, if the planner can (``PointPlanner``).

    Args:
        cost: the travel cost; refused if it raises, or returns the wrong shape, negative or infinite costs.
        position: where the route starts; None to start anywhere, with a free first leg.
        batch: the (n, d) places, in the user's units.
        end: where the route must end; None to end anywhere.
        planner: decides the order.
        rng: the planner's source of chance.
    """
    if batch.ndim != 2:
        raise InvalidInput(f"a batch must have shape (n, d), got {batch.shape}")
    if len(batch) == 0:
        return Route(batch, np.empty(0, dtype=np.intp), np.empty(0), unit=cost.unit)

    # 1. Price the distinct places.
    distinct, which = unique_rows(batch)
    stops = batch[distinct]
    stand_in = rough(cost, len(stops))
    guide = cost if stand_in is None else stand_in
    by_points = orders_points(planner) if len(stops) > MOST_TABLED else None
    points = None if by_points is None else embedding(guide, stops)
    most = MOST_STOPS if points is None else MOST_POINTS
    if len(stops) > most:
        raise InvalidInput(f"{len(stops)} places are more than can be put in order; {most} at most")
    here = None if position is None else _one_place(position, batch, "position")
    first = np.zeros(len(stops)) if here is None else priced(guide, here, stops)[0]
    last = None if end is None else priced(guide, stops, _one_place(end, batch, "end"))[:, 0]

    # 2. Order them.
    between: Matrix | None = None
    if by_points is not None and points is not None:
        found = by_points.order_points(first, points, last, rng)
    else:
        between = priced(guide, stops, stops)
        found = planner.order(first, between, last, rng)
    visits = np.asarray(found, dtype=np.intp)
    if not np.array_equal(np.sort(visits), np.arange(len(stops))):
        raise InvalidInput(
            f"{type(planner).__name__} must return each of {len(stops)} stops once, got {visits.tolist()}"
        )

    # 3. Put every row of the batch at its stop. The sort is stable, so equal places stay in the order of the batch.
    order = np.argsort(np.argsort(visits)[which], kind="stable")
    at = which[order]
    if stand_in is not None or between is None:
        return _exact(cost, position, batch[order], end, order)
    legs = np.concatenate([first[at[:1]], between[at[:-1], at[1:]]])
    last_leg = 0.0 if last is None else float(last[at[-1]])
    return Route(batch[order], order, legs, last_leg, cost.unit)


def _exact(cost: TravelCost, position: Values | None, places: Points, end: Values | None, order: Order) -> Route:
    """Return the route through these places, each leg priced by itself."""
    along = [*([] if position is None else [position]), *places, *([] if end is None else [end])]
    legs = [priced(cost, here[None], there[None])[0, 0] for here, there in pairwise(along)]
    legs = legs if position is not None else [0.0, *legs]
    return Route(places, order, legs[: len(places)], float(sum(legs[len(places) :])), cost.unit)


def _one_place(place: Values, batch: Points, name: str) -> Points:
    """Return the place as a table of one row, if it has as many axes as the batch."""
    if place.shape != batch.shape[1:]:
        raise InvalidInput(f"{name} must have {batch.shape[1]} axes like the batch, got shape {place.shape}")
    return place[None]


MOST_TABLED = 3000
"""Up to so many stops routes come from a table of all costs, and are those of earlier versions."""
MOST_STOPS = 10_000
"""Different places that can be put in order by a table: that of their costs takes 0.8 GB."""
MOST_POINTS = 20_000
"""Different places that can be put in order as points."""


@frozen
class ShortRoute:
    """The best route up to ``exact_to`` stops, and a very good one beyond.

    Beyond, it kicks and improves the route ``kicks`` times per stop. With the default of 2 that is within 1% of the
    best known on average, in about 4 ms for 15 stops, 0.1 s for 100, 1 s for 500 and 5 s for 2000
    (benchmarks/routes.md). Costs that depend on the direction beyond a climb take twice as long, for 1 to 2%; if they
    are random both ways, for some 10%: there raise ``kicks``. More than ``MOST_TABLED`` stops whose costs are distances
    get half as many kicks: 5,000 take about 5 s, for 1%.

    The search alone promises nothing, so the walk around the cheapest spanning tree is kept where it is shorter. If no
    detour is cheaper, and no leg costs more than ``a`` times its way back, no route costs more than ``1 + a`` times the
    shortest: twice for a metric.
    """

    exact_to: int = field(default=10, validator=ge(1))
    kicks: int = field(default=2, validator=ge(0))

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return the stops in the best order found."""
        n = check_costs(first, between, last)
        if n <= self.exact_to:
            return shortest_order(first, between, last)
        found = refined(NearestNext().order(first, between, last, rng), first, between, last, self.kicks * n, rng)
        return min(found, tree_walk(first, between, last), key=lambda at: path_cost(at, first, between, last))

    def order_points(self, first: Values, points: Embedding, last: Values | None, rng: Generator) -> Order:
        """Return the stops in the best order found, without a table of their costs and with half the kicks.

        The other half would make routes of thousands of stops some 0.2% shorter.
        """
        n = len(points)
        if n <= self.exact_to:
            return self.order(first, np.array([points[stop] for stop in range(n)]).reshape(n, n), last, rng)
        return short_order(first, points, last, self.kicks / 2, rng)


@frozen
class HeldKarp:
    """The shortest route there is, for at most ``limit`` stops, by dynamic programming (Held and Karp, 1962).

    Time and memory grow as ``2**n * n``: about 1 ms for 10 stops and 4 for 12.
    """

    limit: int = field(default=10, validator=ge(0))

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return the stops in the order that costs least."""
        n = check_costs(first, between, last)
        if n > self.limit:
            raise InvalidInput(f"HeldKarp handles {self.limit} stops at most, got {n}; use ShortRoute")
        return shortest_order(first, between, last)


def shortest_order(first: Values, between: Matrix, last: Values | None) -> Order:
    """Return the stops in the order that costs least; the costs must have been checked."""
    n = len(first)
    # best[i, s]: the least cost of visiting the subset s (as bits) and ending at stop i.
    best = np.full((n, 1 << n), np.inf)
    best[np.arange(n), 1 << np.arange(n)] = first
    for subsets, ends, without_end in _layers(n):
        # All subsets of one size at once: each extends a subset that is smaller by its end.
        before = best[:, without_end]
        before += between[:, ends]
        best[ends, subsets] = before.min(axis=0)

    # Walk back from the cheapest end of the whole set.
    order = np.empty(n, dtype=np.intp)
    subset = (1 << n) - 1
    onward = np.zeros(n) if last is None else last
    for k in range(n - 1, -1, -1):
        order[k] = np.argmin(best[:, subset] + onward)
        subset ^= 1 << int(order[k])
        onward = between[:, order[k]]
    return order


@lru_cache(maxsize=16)
def _layers(n: int) -> tuple[tuple[Order, Order, Order], ...]:
    """Return, for each size from 2 to n: every subset paired with each member, and the subset without that member."""
    subsets = np.arange(1 << n)
    member = (subsets[:, None] >> np.arange(n)) & 1
    size = member.sum(axis=1)
    layers = []
    for k in range(2, n + 1):
        of_size = subsets[size == k]
        which, ends = np.nonzero(member[of_size])
        layers.append((of_size[which], ends, of_size[which] ^ (1 << ends)))
    return tuple(layers)


@frozen
class NearestNext:
    """Always on to the stop that costs least: quick, and mostly 5 to 35% too long."""

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return the stops in the order of a traveller that never looks ahead; the first of equals first."""
        n = check_costs(first, between, last)
        order = np.empty(n, dtype=np.intp)
        left = np.ones(n, dtype=bool)
        costs = first
        for k in range(n):
            order[k] = np.where(left, costs, np.inf).argmin()
            left[order[k]] = False
            costs = between[order[k]]
        return order


@frozen
class AsGiven:
    """The order in which the policy chose the stops, for methods that ignore travel costs."""

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return 0, 1, 2, ..."""
        return np.arange(check_costs(first, between, last))


def _as_share(share: object) -> float:
    return checks.share(share, "share, of the stops to exchange,")


@frozen
class Shuffled:
    """The order of ``planner``, in which about ``share`` of the stops change places among themselves.

    A short route leads from one end of the space to the other, so that anything that changes with time (a drift, a
    sensor that ages) looks like a difference between places. Chance removes that, at the price of a longer route. Each
    stop is exchanged with probability ``share``. With 1 every order is equally likely; with 0 the order is the
    planner's own and nothing is drawn.
    """

    planner: RoutePlanner = field(validator=lambda part, _, planner: checks.part(planner, "planner", "order"))
    share: float = field(converter=_as_share)

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return the stops in the planner's order, some of them exchanged."""
        # Drawn after the planner has drawn, so it finds the route that it would find alone.
        return self.exchanged(np.array(self.planner.order(first, between, last, rng), dtype=np.intp), rng)

    def exchanged(self, order: Order, rng: Generator) -> Order:
        """Return an order with some of its stops exchanged."""
        if self.share == 0:
            return order
        exchanged = order.copy()
        chosen = np.flatnonzero(rng.random(len(order)) < self.share)
        exchanged[chosen] = order[rng.permutation(chosen)]
        return exchanged


LARGEST_UINT16 = 65_535
"""fast-tsp computes with 16-bit integers."""


@frozen
class FastTsp:
    """The better of ``ShortRoute`` with ``kicks`` and ``seconds`` of fast-tsp, for large tables.

    fast-tsp rounds costs to 16-bit integers, so its route is improved further at exact costs. It is bounded by time and
    draws its own random numbers: **the same input may give another route**. Needs the package ``fast-tsp``.
    """

    seconds: float = field(default=10.0, validator=gt(0))
    kicks: int = field(default=2, validator=ge(0))

    def order(self, first: Values, between: Matrix, last: Values | None, rng: Generator) -> Order:
        """Return the stops in the better of both orders."""
        n = check_costs(first, between, last)
        _solver()  # refused before ours takes its time
        ours_rng, finish_rng = rng.spawn(2)
        ours = ShortRoute(kicks=self.kicks).order(first, between, last, ours_rng)
        if n <= ShortRoute().exact_to:
            return ours
        candidates, theirs = [ours], fast_tsp_order(*scaled(first, between, last), self.seconds)
        if _is_route(theirs, n):
            candidates.append(refined(theirs, first, between, last, 0, finish_rng))
        return min(candidates, key=lambda at: path_cost(at, first, between, last))

    def order_points(self, first: Values, points: Embedding, last: Values | None, rng: Generator) -> Order:
        """Return the stops in the better of both orders; fast-tsp needs a table of all costs, ours does not."""
        n = len(points)
        if n > MOST_STOPS:
            raise InvalidInput(f"fast-tsp takes {MOST_STOPS} places at most, got {n}; leave effort='high' out")
        _solver()
        ours_rng, finish_rng = rng.spawn(2)
        ours = ShortRoute(kicks=self.kicks).order_points(first, points, last, ours_rng)
        if n <= ShortRoute().exact_to:
            return ours
        between = np.array([points[stop] for stop in range(n)])
        candidates, theirs = [ours], fast_tsp_order(*scaled(first, between, last), self.seconds)
        if _is_route(theirs, n):
            tree = spanning_tree(points)
            candidates.append(refined_among(theirs, tree, first, points, last, 0, finish_rng))
        return min(candidates, key=lambda order: order_cost(order, first, points, last))


def _is_route(order: Order, n: int) -> bool:
    """Return whether each stop comes once: fast-tsp may return any ring, and some separate the end from the start."""
    return np.array_equal(np.sort(order), np.arange(n))


def fast_tsp_order(first: Values, between: Matrix, last: Values, seconds: float) -> Order:
    """Return what fast-tsp finds for scaled costs: the stops in an order, or something else if it finds none."""
    find_tour = _solver().find_tour
    n, level = len(first), leveled(first, between, last)
    if level is not None:
        return _between(find_tour(_tied(*level), seconds), n, n + 1)
    return _between(find_tour(_doubled(first, between, last), seconds), n, 2 * n + 1)[1::2]


def _solver() -> ModuleType:
    try:
        import fast_tsp
    except ImportError as error:
        raise InvalidInput(f"effort='high' needs the fast-tsp solver: {install('fast-tsp', 'route')}") from error
    return fast_tsp


def _tied(first: Values, between: Matrix, last: Values) -> NDArray[np.uint16]:
    """Return symmetric costs of the stops, the start ``n`` and the end ``n + 1``, tied by a free leg."""
    # A ring that separates start from end has four first and last legs and not two: 2 more in all.
    return _as_uint16(tied_costs(first + 1, between, last + 1, 0.0))


def _doubled(first: Values, between: Matrix, last: Values) -> NDArray[np.uint16]:
    """Return symmetric costs of two copies of each stop and of the depot ``n``.

    A traveller leaves from the first copy and arrives at the second, ``n + 1`` further, and goes from one to the other
    for free. Legs between two first copies, or two second ones, cost too much to be taken.
    """
    one_way = depot_costs(first + 1, between + 1, last + 1, 0.0)
    apart = np.full_like(one_way, 3.0)
    return _as_uint16(np.block([[apart, one_way], [one_way.T, apart]]))


def _as_uint16(costs: Matrix) -> NDArray[np.uint16]:
    np.fill_diagonal(costs, 0.0)
    rounded: NDArray[np.uint16] = np.rint(costs * (LARGEST_UINT16 / costs.max())).astype(np.uint16)
    return rounded


def _between(tour: list[int], start: int, end: int) -> Order:
    """Return the ring read from ``start`` on, in the direction that comes to ``end`` last."""
    at = tour.index(start)
    stops = tour[at + 1 :] + tour[:at]
    if stops[0] == end:
        stops.reverse()
    return np.array(stops[:-1], dtype=np.intp)

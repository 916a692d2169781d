"""The Minkowski dimension of a space under its travel cost, and with it how fast movement can fall.

The paper's theorem: if about r^-D balls of radius r cover a space, there is a path through any n of its places no
longer than about n^(1 - 1/D); docs/theory.md has the exact statement. So T trials in few batches move at most about
T^(1 - 1/D) in all, T^(-1/D) per trial. D is the slope of log N(r) over log(1/r), where N(r) balls of radius r cover
the space.

N(r) is counted on greedy farthest-first covers of a sample. Three things would bias the slope:

- A finite sample misses the last holes, more so the finer the cover. So every scale draws its own sample, with
  as many places for each ball at all scales, and the bias is a factor that the slope does not see.
- Edges need balls, too, and add a share of about r to N(r). So a term c r with c >= 0 is fitted beside the slope.
- Greedy covers go by steps (on a line, by powers of 2). So log r and log N are averaged over every octave of N,
  and over eight covers whose octaves begin an eighth of an octave apart.
"""

from collections.abc import Callable

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Order, Points, Values, read_only
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.travel import TravelCost, as_cost, priced
from wayfare.travel.check import JUMP, shortest_move

COVERS = 8
"""Covers that the estimate is the mean of."""
MOST_OCTAVES, LEAST_OCTAVES = 6, 3
"""Octaves of balls looked at: the finest that the sample can show, as the dimension is a limit."""
EDGE_OCTAVES = 5
"""Octaves from which on the edges are fitted, too: fewer cannot tell them from the slope."""
DENSE, SPARSE = 8, 4
"""Places drawn for each ball; ``SPARSE`` if a table has fewer than ``LARGE_TABLE``."""
LARGE_TABLE = 2048
"""Places of a table; up to so many all costs between them are kept, too."""
LEAST_PLACES = 64
"""Places of a table: 4 for each of 16 balls, whose three octaves are the fewest."""
BIAS = 0.02
"""Share of the estimate that may still be bias, as measured on sets of known dimension."""
GAP = 10.0
"""Radii that fall by such a factor from one ball to the next fall from between pieces to within them."""
FLAT = 0.5
"""Places of a table none of which is nearer to the others than this share of the largest cost pay a fee."""
SAME = 1e-12
"""Places as near as this share of the largest cost are one place."""

Row = Callable[[int], Values]
"""The costs between one place and every place, the dearer of both directions."""


@frozen(eq=False)
class Dimension:
    """A dimension with its 95% interval, and the covers that it was read from, finest first."""

    estimate: float
    low: float
    high: float
    radii: Values = field(converter=read_only)
    """The radius of the balls, in the unit of the travel cost."""
    balls: Values = field(converter=read_only)
    """The number of balls that covered the sample; means over an octave, so not whole."""
    unit: str = ""
    size: int | None = None
    """The number of places; None for infinitely many."""
    is_metric: bool = True

    @property
    def growth(self) -> float:
        """The power of T by which total movement grows at most: 1 - 1/D, or 0 up to D = 1."""
        return max(0.0, 1.0 - 1.0 / self.estimate) if self.estimate > 0 else 0.0

    def __str__(self) -> str:
        """Return the dimension, and its meaning for movement, in words."""
        fine, coarse = (f"{radius:.3g}" for radius in (self.radii[0], self.radii[-1]))
        unit = f" {self.unit}" if self.unit else ""
        each = self.growth - 1
        words = [
            f"dimension {self.estimate:.2f} (95% interval {self.low:.2f} to {self.high:.2f}), "
            f"at costs from {fine} to {coarse}{unit}",
            f"in few batches, T trials move at most about T^{self.growth:.2f} in all, so T^{each:.2f} per trial: "
            f"10 times the trials, {10**each:.2g} times the movement of each",
        ]
        if self.size is not None:
            words.append(
                f"the {self.size} places are finite: the dimension is that between neighbours and all of "
                "them; visited often enough, their number bounds the movement of each batch"
            )
        if not self.is_metric:
            words += ["the cost is not a metric: the dearer of both ways was taken; travel.check(space) says more"]
        return "\n".join(words)


def dimension(space: AnySpace, travel: TravelCost, *, seed: int = 0, centres: int = 2048) -> Dimension:
    """Return the dimension of ``space`` under ``travel``: how fast movement can fall as trials are planned.

    A finite table has dimension 0 in the limit; the estimate is for costs from those between its nearest
    neighbours to those between its ends. Costs that differ by direction count as the dearer of both. Pieces, as
    a ``Switch`` makes them, do not add to it. Accurate within 0.1 on lines, squares, cubes and the Cantor set;
    beyond three dimensions, and for tables of a few hundred places, look at the interval.

    Args:
        space: where the traveller may go; of ``Places`` there must be at least 64.
        travel: the travel cost, with no fee for the shortest moves.
        seed: the same seed gives the same estimate.
        centres: balls of the finest cover. It takes some ``50 centres**2`` costs, 2 to 5 s with a norm; ask
            for fewer if a cost is slow. With less than 512 the estimate is low for squares and cubes.
    """
    checks.count(seed, "seed", 0)
    if isinstance(space, type) or not hasattr(space, "encode"):
        raise InvalidInput(f"space must be a Space or Places, got {space!r}")
    cost = as_cost(travel).bind(space)
    finest = checks.count(centres, "centres", 32)
    rng = stream(seed, "dimension")
    # 1. The places to cover, and the scales to cover them at.
    ground, radii = _survey(Ground.of(space, cost, 2 * DENSE * finest), finest, rng)
    size = None if ground.table is None else len(ground.table)
    each = DENSE if size is None or size >= LARGE_TABLE else SPARSE
    scales = _scales(finest if size is None else min(finest, size // each), radii)
    # 2. The covers, their octaves shifted against each other, each with a stream of its own.
    shifts = 0.5 ** (np.arange(COVERS) / COVERS)
    draws = zip(np.multiply.outer(shifts, scales).round().astype(int).tolist(), rng.spawn(COVERS), strict=True)
    covers = np.array([_covers(ground, balls, each, own) for balls, own in draws])
    # 3. The slope of their mean, and its interval.
    log_radii, log_balls = covers.mean(axis=0)
    estimate = _slope(log_radii, log_balls)
    margin = _margin(covers, estimate)
    low, high = max(0.0, estimate - margin), estimate + margin
    return Dimension(estimate, low, high, np.exp(log_radii), np.exp(log_balls), cost.unit, size, cost.is_metric)


def _survey(ground: "Ground", finest: int, rng: Generator) -> "tuple[Ground, Values]":
    """Return the ground and the radii of a first cover; a space without a dimension is an error."""
    x, row = ground.draw(DENSE * finest, rng)
    centres, radii = farthest_first(row, min(len(x), finest), 0)
    if radii[0] <= 0:
        raise InvalidInput("all travel costs are zero; count an axis on which the places differ")
    if ground.table is None and len(centres) < min(len(x), finest):
        ground = ground.narrowed(x[centres])  # infinitely many places, but few that the cost can tell apart
    if ground.table is not None and len(ground.table) < LEAST_PLACES:
        raise InvalidInput(
            f"a dimension needs at least {LEAST_PLACES} places that are not 0 apart, got {len(ground.table)}; "
            "of so few the route through all says more: wf.order(places, travel)"
        )
    if ground.table is None and ground.space.size is None:
        fee, most = shortest_move(ground.cost, ground.space, x[centres[:COVERS]], rng), JUMP
    else:
        fee, most = float(radii[-1]), FLAT
    if fee > most * radii[0]:  # below a fee no ball covers more than its own centre
        amount = f"{fee:.3g} {ground.cost.unit}".rstrip()
        raise InvalidInput(
            f"every move costs at least {amount}, however short: movement per trial cannot fall "
            "below that, and there is no dimension; leave the fee out to learn how fast the rest can fall"
        )
    return ground, radii


def _scales(most: int, radii: Values) -> list[int]:
    """Return the balls at the end of each octave, finest first, all of them within the pieces."""
    # After the last fall of the radii every piece has a centre.
    falls = np.flatnonzero(radii[: most - 1] >= GAP * radii[1:most])
    pieces = int(falls[-1]) + 2 if len(falls) else 1
    finest = 1 << (most.bit_length() - 1)
    scales = [finest >> octave for octave in range(MOST_OCTAVES) if finest >> octave >= 4 * pieces]
    if len(scales) < LEAST_OCTAVES:
        raise InvalidInput(
            f"the places lie in some {pieces} pieces, too far apart to see within them with {finest} balls; "
            "ask for more centres, give more places, or take one piece alone"
        )
    return scales


def _covers(ground: "Ground", scales: list[int], each: int, rng: Generator) -> Matrix:
    """Return the mean log radius and the mean log number of balls over each octave, each with its sample."""
    logs = []
    for balls in scales:
        x, row = ground.draw(each * balls, rng)
        _, radii = farthest_first(row, balls, int(rng.integers(len(x))))
        octave = slice(balls // 2, balls)
        logs.append((np.log(radii[octave]).mean(), np.log(np.arange(1, balls + 1)[octave]).mean()))
    return np.array(logs).T


def _slope(log_radii: Values, log_balls: Values) -> float:
    """Return D of log N = a - D log r + c r, with c >= 0, and c = 0 if there are few scales."""
    line = np.stack([np.ones(len(log_radii)), -log_radii], axis=1)
    if len(log_radii) >= EDGE_OCTAVES:
        edge = np.exp(log_radii - log_radii.max())
        fit = np.linalg.lstsq(np.column_stack([line, edge]), log_balls, rcond=None)[0]
        if fit[2] > 0:
            return float(fit[1])
    return float(np.linalg.lstsq(line, log_balls, rcond=None)[0][1])


def _margin(covers: Matrix, estimate: float) -> float:
    """Return half the width of the interval: chance between covers, influence of each scale (jackknife), and bias."""
    from scipy.special import stdtrit

    mean = covers.mean(axis=0)
    n = mean.shape[1]
    chance = np.var([_slope(*own) for own in covers], ddof=1) / len(covers)
    without = [_slope(*np.delete(mean, scale, axis=1)) for scale in range(n)]
    spread = (n - 1) * np.var(without)
    return float(stdtrit(n - 2, 0.975) * np.sqrt(chance + spread) + BIAS * estimate)


def farthest_first(row: Row, k: int, first: int) -> tuple[Order, Values]:
    """Return up to ``k`` centres, each the place farthest from those before, and the radius after each.

    Balls of ``radii[i]`` around the first i + 1 centres cover all places, and no two of these centres are
    nearer than that (Gonzalez, 1985). Ends early if nothing is left to cover.
    """
    order, radii = np.empty(k, dtype=np.intp), np.empty(k)
    reach, newest = row(first), first
    for i in range(k):
        order[i] = newest
        newest = int(reach.argmax())
        radii[i] = reach[newest]
        if radii[i] <= SAME * radii[0]:
            return order[: i + 1], radii[: i + 1]
        if i + 1 < k:
            reach = np.minimum(reach, row(newest))
    return order, radii


@frozen(eq=False)
class Ground:
    """The places to cover: the rows of ``table``, or without one those of ``space``, drawn again each time."""

    space: AnySpace
    cost: TravelCost
    table: Points | None = None
    costs: Matrix | None = None

    @classmethod
    def of(cls, space: AnySpace, cost: TravelCost, most: int) -> "Ground":
        """Return the ground of a space under a bound cost, as a table if it has at most ``most`` places.

        Places that are 0 apart both ways are one place, so a table may have fewer rows than the space.
        """
        everything = None if space.size is None else space.everything(most)
        return cls(space, cost) if everything is None else cls(space, cost).narrowed(everything)

    def narrowed(self, x: Points) -> "Ground":
        """Return the ground of those places of ``x`` that are not 0 apart."""
        if not len(x):
            raise InvalidInput("there are no places left to cover; use Places with once=False")
        order, _ = farthest_first(self.row_over(x), len(x), 0)
        table = read_only(x[np.sort(order)])
        if len(table) > LARGE_TABLE:
            return Ground(self.space, self.cost, table)
        there = priced(self.cost, table, table)
        return Ground(self.space, self.cost, table, np.maximum(there, there.T))

    def draw(self, n: int, rng: Generator) -> tuple[Points, Row]:
        """Return ``n`` places, or all if there are fewer, and the costs between them."""
        if self.table is None:
            x = self.space.sample(n, rng)
            return x, self.row_over(x)
        at = rng.choice(len(self.table), size=min(n, len(self.table)), replace=False)
        x = self.table[at]
        return x, self.row_over(x) if self.costs is None else self.costs[np.ix_(at, at)].__getitem__

    def row_over(self, x: Points) -> Row:
        """Return the function that prices one of the places against all of them."""

        def row(i: int) -> Values:
            there: Values = priced(self.cost, x[i : i + 1], x)[0]
            if self.cost.is_metric:
                return there
            return np.asarray(np.maximum(there, priced(self.cost, x, x[i : i + 1])[:, 0]))

        return row

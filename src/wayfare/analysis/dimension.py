"""The dimension of a space under its travel cost, and with it how fast movement can fall.

The paper's theorem: through any n places of a space of Minkowski dimension D there is a path no longer
than about n^(1 - 1/D). So T trials in few batches move at most about T^(1 - 1/D) in all, T^(-1/D) per
trial. D is the slope of log N(r) over log(1/r), where N(r) balls of radius r cover the space.

N(r) is that of greedy farthest-first covers of a sample. Three things would bias the slope. A finite
sample misses the last holes, more so the finer the cover: so every scale draws its own sample, with as
many places for each ball at all scales, and the bias is a factor that the slope does not see. Edges need
balls, too, and add a share of about r to N(r): so a term c r with c >= 0 is fitted beside the slope. And
greedy covers go by steps (on a line, by powers of 2): so log r and log N are averaged over every octave
of N, and over eight covers whose octaves begin an eighth of an octave apart.
"""

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points, Values, read_only
from wayfare._core.rng import stream
from wayfare.analysis.covering import Ground, farthest_first
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.travel import TravelCost, as_cost, priced

COVERS = 8
OCTAVES = 6
"""The finest that the sample can show, as the dimension is a limit."""
FEWEST = 3
EDGED = 5
"""From so many octaves on the edges are fitted, too: fewer cannot tell them from the slope."""
DENSE, SPARSE = 8, 4
"""Places drawn for each ball; fewer where a table has less than ``LARGE``."""
LARGE = 2048
LEAST = 64
"""Places of a table: 4 for each of 16 balls, whose three octaves are the fewest."""
BIAS = 0.02
"""Share of the estimate that may still be bias, as measured on sets of known dimension."""
GAP = 10.0
"""Radii that fall by such a factor from one ball to the next fall from between pieces to within them."""
FLAT = 0.5
"""Places of a table none of which is nearer to the others than this share of the largest cost pay a fee."""
NEAR, JUMP = 1e-6, 1e-3
"""Moves by this share of an axis are short; where they cost this share of the largest cost, it is a fee."""


@frozen(eq=False)
class Dimension:
    """A dimension with its 95% interval, and the covers that it was read from, finest first."""

    estimate: float
    low: float
    high: float
    radii: Values = field(converter=read_only)
    """The radius of the balls, in the unit of the cost."""
    balls: Values = field(converter=read_only)
    """How many of them covered the sample; means over an octave, so not whole."""
    unit: str = ""
    size: int | None = None
    """How many places there are; None for infinitely many."""
    is_metric: bool = True

    @property
    def growth(self) -> float:
        """The power of T by which all movement grows at most: 1 - 1/D, or 0 up to D = 1."""
        return max(0.0, 1.0 - 1.0 / self.estimate) if self.estimate > 0 else 0.0

    def __str__(self) -> str:
        """Say what it is, and what it means for movement."""
        fine, coarse = (f"{radius:.3g}" for radius in (self.radii[0], self.radii[-1]))
        unit = f" {self.unit}" if self.unit else ""
        words = [
            f"dimension {self.estimate:.2f} (95% interval {self.low:.2f} to {self.high:.2f}), "
            f"at costs from {fine} to {coarse}{unit}",
            f"in few batches, T trials move at most about T^{self.growth:.2f} in all, "
            f"so T^{self.growth - 1:.2f} per trial: "
            f"10 times the trials, {10 ** (self.growth - 1):.2g} times the movement of each",
        ]
        if self.size is not None:
            words.append(
                f"the {self.size} places are finite: the dimension is that between neighbours and all of "
                "them; visited often enough, their number bounds the movement of each batch"
            )
        if not self.is_metric:
            words.append(
                "the cost is not a metric: the dearer of both ways was taken, and the guarantee does not apply"
            )
        return "\n".join(words)


def dimension(space: AnySpace, travel: TravelCost, *, seed: int = 0, centres: int = 2048) -> Dimension:
    """Return the dimension of ``space`` under ``travel``: how fast movement can fall as trials are planned.

    A finite table has dimension 0 in the limit; meant is that over the costs between its nearest neighbours
    and its ends. Costs that differ by direction are taken as the dearer of both ways. Pieces, as a ``Switch``
    makes them, do not add to it. Within 0.1 on lines, squares, cubes and the Cantor set; beyond three
    dimensions, and for tables of a few hundred places, look at the interval.

    Args:
        space: where the traveller may go; of ``Places`` there must be at least 64.
        travel: what moving costs, with no fee for the shortest moves.
        seed: the same seed gives the same estimate.
        centres: balls of the finest cover. It takes some ``50 centres**2`` costs, 2 to 5 s with a norm; ask
            for fewer where a cost is slow. With less than 512 the estimate is low for squares and cubes.
    """
    checks.count(seed, "seed", 0)
    if isinstance(space, type) or not hasattr(space, "encode"):
        raise InvalidInput(f"space must be a Space or Places, got {space!r}")
    cost = as_cost(travel).bind(space)
    finest = checks.count(centres, "centres", 32)
    rng = stream(seed, "dimension")
    ground, radii = _survey(Ground.of(space, cost, 2 * DENSE * finest), finest, rng)
    size = None if ground.table is None else len(ground.table)
    each = DENSE if size is None or size >= LARGE else SPARSE
    scales = _scales(finest if size is None else min(finest, size // each), radii)
    shifts = 0.5 ** (np.arange(COVERS) / COVERS)
    draws = zip(np.multiply.outer(shifts, scales).round().astype(int).tolist(), rng.spawn(COVERS), strict=True)
    covers = np.array([_covers(ground, balls, each, own) for balls, own in draws])
    log_radii, log_balls = covers.mean(axis=0)
    estimate = _slope(log_radii, log_balls)
    margin = _margin(covers, estimate)
    return Dimension(
        estimate,
        max(0.0, estimate - margin),
        estimate + margin,
        np.exp(log_radii),
        np.exp(log_balls),
        cost.unit,
        size,
        cost.is_metric,
    )


def _survey(ground: Ground, finest: int, rng: Generator) -> tuple[Ground, Values]:
    """Return the ground and the radii of a first cover, having refused what has no dimension."""
    x, row = ground.draw(DENSE * finest, rng)
    centres, radii = farthest_first(row, min(len(x), finest), 0)
    if radii[0] <= 0:
        raise InvalidInput("all travel costs are zero; count an axis on which the places differ")
    if ground.table is None and len(centres) < min(len(x), finest):
        ground = ground.narrowed(x[centres])  # infinitely many places, but few that the cost can tell apart
    if ground.table is not None and len(ground.table) < LEAST:
        raise InvalidInput(
            f"a dimension needs at least {LEAST} places that are not 0 apart, got {len(ground.table)}; "
            "of so few the route through all says more: wf.order(places, travel)"
        )
    if ground.table is None and ground.space.size is None:
        _check_short_moves(ground, x[centres[:COVERS]], float(radii[0]), rng)
    elif radii[-1] > FLAT * radii[0]:
        raise _fee(float(radii[-1]), ground)
    return ground, radii


def _check_short_moves(ground: Ground, x: Points, largest: float, rng: Generator) -> None:
    """Refuse a fee: below it no ball covers more than its own centre."""
    near = ground.space.around(x, NEAR, COVERS, rng).reshape(len(x), COVERS, -1)
    shortest = [priced(ground.cost, here[None], there)[0] for here, there in zip(x, near, strict=True)]
    paid = np.concatenate(shortest)
    paid = paid[paid > 0]
    if len(paid) and (fee := float(paid.min())) > JUMP * largest:
        raise _fee(fee, ground)


def _fee(fee: float, ground: Ground) -> InvalidInput:
    amount = f"{fee:.3g} {ground.cost.unit}".rstrip()
    return InvalidInput(
        f"every move costs at least {amount}, however short: movement per trial cannot fall below that, "
        "and there is no dimension; leave the fee out to learn how fast the rest can fall"
    )


def _scales(most: int, radii: Values) -> list[int]:
    """Return the balls at the end of each octave, finest first, all of them within the pieces."""
    falls = np.flatnonzero(radii[: most - 1] >= GAP * radii[1:most])
    pieces = int(falls[-1]) + 2 if len(falls) else 1
    finest = 1 << (most.bit_length() - 1)
    scales = [finest >> octave for octave in range(OCTAVES) if finest >> octave >= 4 * pieces]
    if len(scales) < FEWEST:
        raise InvalidInput(
            f"the places lie in some {pieces} pieces, too far apart to see within them with {finest} balls; "
            "ask for more centres, give more places, or take one piece alone"
        )
    return scales


def _covers(ground: Ground, scales: list[int], each: int, rng: Generator) -> Matrix:
    """Return the mean log radius and the mean log number of balls over each octave, each with its sample."""
    logs = []
    for balls in scales:
        x, row = ground.draw(each * balls, rng)
        _, radii = farthest_first(row, balls, int(rng.integers(len(x))))
        octave = slice(balls // 2, balls)
        logs.append((np.log(radii[octave]).mean(), np.log(np.arange(1, balls + 1)[octave]).mean()))
    return np.array(logs).T


def _slope(log_radii: Values, log_balls: Values) -> float:
    """Return D of log N = a - D log r + c r, with c >= 0, and 0 where the scales are few."""
    line = np.stack([np.ones(len(log_radii)), -log_radii], axis=1)
    if len(log_radii) >= EDGED:
        edge = np.exp(log_radii - log_radii.max())
        fit = np.linalg.lstsq(np.column_stack([line, edge]), log_balls, rcond=None)[0]
        if fit[2] > 0:
            return float(fit[1])
    return float(np.linalg.lstsq(line, log_balls, rcond=None)[0][1])


def _margin(covers: Matrix, estimate: float) -> float:
    """Return half of the interval: chance between covers, what each scale decides (jackknife), and bias."""
    from scipy.special import stdtrit

    mean = covers.mean(axis=0)
    n = mean.shape[1]
    chance = np.var([_slope(*own) for own in covers], ddof=1) / len(covers)
    without = [_slope(*np.delete(mean, scale, axis=1)) for scale in range(n)]
    spread = (n - 1) * np.var(without)
    return float(stdtrit(n - 2, 0.975) * np.sqrt(chance + spread) + BIAS * estimate)

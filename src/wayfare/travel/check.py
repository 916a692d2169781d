"""Checks of a travel cost on a sample of places: can routes be planned with it, and does movement fall under it?

The convergence guarantee needs that no detour is cheaper, that short moves cost little, and that no leg costs too many
times its way back. Users rarely know whether their cost is such. So a sample is priced, and the worst example of every
fault is shown in the user's words.
"""

import math

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core.arrays import Mask, Matrix, Order, Points, Values
from wayfare._core.format import in_full, shown
from wayfare._core.rng import stream
from wayfare._core.tolerance import COST_RTOL
from wayfare.space.base import AnySpace
from wayfare.travel.base import BadCost, TravelCost, checked, priced

SHORT, JUMP = 1e-6, 1e-3
"""Moves by this share of an axis are short; if they cost this share of the largest cost, it is a fee."""
SHORT_MOVES = 8
"""Short moves tried from each place."""


@frozen
class Report:
    """The faults found: each is None, or its worst example in words.

    A sample can show a fault, never that there is none.

    Attributes:
        n: how many places were sampled.
        nan: a leg whose cost is not finite.
        negative: a leg whose cost is negative.
        home: a place that it costs something to stay at.
        asymmetric: a leg that costs something else on the way back.
        triangle: a leg that is cheaper by a detour.
        fee: what every move costs at least, however short; only in spaces of infinitely many places.
        asymmetry: how many times its way back a leg costs, at most: 1 if symmetric, infinite if a way back is free. The
            bound on movement is weaker by this factor.
    """

    n: int
    nan: str | None = None
    negative: str | None = None
    home: str | None = None
    asymmetric: str | None = None
    triangle: str | None = None
    fee: str | None = None
    asymmetry: float = 1.0

    @property
    def is_usable(self) -> bool:
        """Whether routes can be planned with it: finite, not negative, zero from a place to itself."""
        return self.nan is None and self.negative is None and self.home is None

    @property
    def is_metric(self) -> bool:
        """Whether it may be a metric: usable, symmetric, no detour cheaper."""
        return self.is_usable and self.asymmetric is None and self.triangle is None

    @property
    def keeps_guarantee(self) -> bool:
        """Whether average movement may go to zero: usable, no detour cheaper, no fee, no way back free."""
        return self.is_usable and self.triangle is None and self.fee is None and self.asymmetry < math.inf

    def __str__(self) -> str:
        verdict = "not usable"
        if self.is_usable:
            verdict = "a metric" if self.is_metric else "usable, but not a metric"
            if self.is_metric and self.fee is None:
                return f"{verdict}, as far as {self.n} places show"
            if not self.keeps_guarantee:
                verdict += ", and average movement need not go to zero"
            elif self.asymmetry > 1:
                verdict += f"; the bound on movement is weaker by a factor of {self.asymmetry:.3g}"
        lines = [f"  {fault}: {example}" for name, fault in FAULTS.items() if (example := getattr(self, name))]
        return "\n".join([f"{verdict} ({self.n} places sampled)", *lines])


FAULTS = {
    "nan": "not finite",
    "negative": "negative",
    "home": "not zero at home",
    "asymmetric": "asymmetric",
    "triangle": "a detour is cheaper",
    "fee": "a fee for every move",
}


def check(cost: TravelCost, space: AnySpace, n: int = 24, seed: int = 0) -> Report:
    """Return the faults of ``cost`` that a sample of places shows.

    Args:
        cost: the cost to check, bound or not.
        space: where the places are sampled.
        n: how many places; all of them if there are fewer.
        seed: the same seed samples the same places.
    """
    bound, rng = cost.bind(space), stream(seed, "travel check")
    x = space.sample(n, rng)
    n = len(x)
    x = np.concatenate([x, x[:2]])  # going to a place's twin must cost nothing, too

    def place(at: Values) -> str:
        return f"({', '.join(f'{name}={shown(value)}' for name, value in space.params(at).items())})"

    def leg(origin: Values, target: Values, amount: float) -> str:
        return f"{place(origin)} to {place(target)} costs {in_full(amount, bound.unit)}"

    def worst(wrong: Mask) -> str | None:
        """Return the wrong leg of largest cost, in words."""
        if not wrong.any():
            return None
        i, j = np.unravel_index(np.argmax(np.where(wrong, size, -np.inf)), wrong.shape)
        return leg(x[i], x[j], costs[i, j])

    # 1. Every leg by itself.
    try:
        costs = checked(bound, bound, x, x, payable=False)
    except BadCost as bad:  # by a cost that checks itself
        example = leg(bad.origin, bad.target, bad.amount)
        return Report(n, negative=example) if bad.amount < 0 else Report(n, nan=example)
    finite = np.isfinite(costs)
    size = np.abs(np.where(finite, costs, 0.0))
    stays = (x[:, None, :] == x[None, :, :]).all(axis=2)
    nan, negative = worst(~finite), worst(finite & (costs < 0))
    home = worst(stays & (size > COST_RTOL * size.max(initial=0.0)))
    if nan is not None:  # nothing can be said of pairs and detours
        return Report(n, nan, negative, home)
    # 2. Legs against their way back, and against detours.
    asymmetric = triangle = None
    if (pair := _worst_asymmetry(costs)) is not None:
        i, j = pair
        asymmetric = f"{leg(x[i], x[j], costs[i, j])}, but {in_full(costs[j, i], bound.unit)} back"
    if (detour := _worst_detour(costs)) is not None:
        i, via, j = detour
        around = in_full(costs[i, via] + costs[via, j], bound.unit)
        triangle = f"{leg(x[i], x[j], costs[i, j])}, but {around} via {place(x[via])}"
    if negative is not None or home is not None or n == 0:
        return Report(n, nan, negative, home, asymmetric, triangle)
    # 3. What remains of a leg that becomes ever shorter.
    fee = None
    if space.size is None and (least := shortest_move(bound, space, x[-2:], rng)) > JUMP * size.max():
        fee = f"{in_full(least, bound.unit)}, however short"
    return Report(n, nan, negative, home, asymmetric, triangle, fee, _asymmetry(costs))


def shortest_move(cost: TravelCost, space: AnySpace, x: Points, rng: Generator) -> float:
    """Return the least cost above 0 of short moves from these places, in the dearer direction; 0 if there is none.

    Only axes without steps are moved along.

    Args:
        cost: bound to the space.
        space: of infinitely many places.
        x: (n, d) places to move from.
        rng: draws the short moves.
    """
    near = np.array(space.around(x, SHORT, SHORT_MOVES, rng)).reshape(len(x), SHORT_MOVES, -1)
    # Along an axis in steps no move is short, nor is a change of a choice.
    held = [at for at, axis in enumerate(getattr(space, "axes", ())) if axis.size is not None]
    near[:, :, held] = x[:, None, held]
    costs = [priced(cost, here[None], there)[0] for here, there in zip(x, near, strict=True)]
    if not cost.is_metric:
        back = [priced(cost, there, here[None])[:, 0] for here, there in zip(x, near, strict=True)]
        costs = [np.maximum(*both) for both in zip(costs, back, strict=True)]
    moves = np.concatenate(costs)
    return float(min(moves[moves > 0], default=0.0))


def is_metric(costs: Matrix, via: Order | None = None) -> bool:
    """Return whether the (n, n) costs are symmetric and no detour, over all stops or ``via``, is cheaper."""
    return _worst_asymmetry(costs) is None and not has_detour(costs, via)


def has_detour(costs: Matrix, via: Order | None = None) -> bool:
    """Return whether a detour, over any stop or one of ``via``, is cheaper than its leg; ``costs`` is (n, n)."""
    return _worst_detour(costs, via) is not None


def _worst_asymmetry(costs: Matrix) -> tuple[int, int] | None:
    """Return the pair whose two directions differ most, the dearer first; None if symmetric."""
    if not costs.size:
        return None
    excess = _less_rounding(costs) - costs.T
    origin, target = np.unravel_index(np.argmax(excess), excess.shape)
    return (int(origin), int(target)) if excess[origin, target] > 0 else None


def _asymmetry(costs: Matrix) -> float:
    """Return how many times its way back a leg costs, at most; rounding apart."""
    paid = costs > 0
    forth, back = costs[paid], costs.T[paid]
    if (back <= COST_RTOL * forth).any():
        return math.inf
    ratio = float((forth / back).max(initial=1.0))
    return ratio if ratio > 1 + COST_RTOL else 1.0


def _worst_detour(costs: Matrix, via: Order | None = None) -> tuple[int, int, int] | None:
    """Return origin, stop and target of the detour that saves most, over all stops or ``via``; None if none saves."""
    direct, worst, most = _less_rounding(costs), None, 0.0
    for stop in range(len(costs)) if via is None else via:
        saved = direct - costs[:, stop, None]
        saved -= costs[stop]
        origin, target = np.unravel_index(np.argmax(saved), saved.shape)
        if saved[origin, target] > most:
            worst, most = (int(origin), int(stop), int(target)), float(saved[origin, target])
    return worst


def _less_rounding(costs: Matrix) -> Matrix:
    """Return the costs less what rounding may have added: a difference within it is no fault."""
    return costs - COST_RTOL * np.abs(costs)

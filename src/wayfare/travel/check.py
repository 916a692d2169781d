"""Checks of a travel cost on a sample of places: can routes be planned with it, and is it a metric?

The convergence guarantee holds for metrics alone, and users rarely know whether theirs is one. So a sample
is priced, and the worst example of every fault is shown in the user's words.
"""

import numpy as np
from attrs import frozen

from wayfare._core.arrays import Mask, Matrix, Order, Values
from wayfare._core.format import shown, with_unit
from wayfare._core.rng import stream
from wayfare._core.tolerance import COST_RTOL
from wayfare.space.base import AnySpace
from wayfare.travel.base import BadCost, TravelCost, checked


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
    """

    n: int
    nan: str | None = None
    negative: str | None = None
    home: str | None = None
    asymmetric: str | None = None
    triangle: str | None = None

    @property
    def is_usable(self) -> bool:
        """Whether routes can be planned with it: finite, not negative, zero from a place to itself."""
        return self.nan is None and self.negative is None and self.home is None

    @property
    def is_metric(self) -> bool:
        """Whether the convergence guarantee may apply: usable, symmetric, no detour cheaper."""
        return self.is_usable and self.asymmetric is None and self.triangle is None

    def __str__(self) -> str:
        if self.is_metric:
            return f"a metric, as far as {self.n} places show"
        verdict = "usable, but not a metric" if self.is_usable else "not usable"
        lines = [f"  {fault}: {example}" for name, fault in FAULTS.items() if (example := getattr(self, name))]
        return "\n".join([f"{verdict} ({self.n} places sampled)", *lines])


FAULTS = {
    "nan": "not finite",
    "negative": "negative",
    "home": "not zero at home",
    "asymmetric": "asymmetric",
    "triangle": "a detour is cheaper",
}


def check(cost: TravelCost, space: AnySpace, n: int = 24, seed: int = 0) -> Report:
    """Return the faults of ``cost`` that a sample of places shows.

    Args:
        cost: the cost to check, bound or not.
        space: where the places are sampled.
        n: how many places; all of them if there are fewer.
        seed: the same seed samples the same places.
    """
    bound = cost.bind(space)
    x = space.sample(n, stream(seed, "travel check"))
    n = len(x)
    x = np.concatenate([x, x[:2]])  # going to a place's twin must cost nothing, too

    def place(at: Values) -> str:
        return f"({', '.join(f'{name}={shown(value)}' for name, value in space.params(at).items())})"

    def leg(origin: Values, target: Values, amount: float) -> str:
        return f"{place(origin)} to {place(target)} costs {with_unit(amount, bound.unit)}"

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
        asymmetric = f"{leg(x[i], x[j], costs[i, j])}, but {with_unit(costs[j, i], bound.unit)} back"
    if (detour := _worst_detour(costs)) is not None:
        i, via, j = detour
        around = with_unit(costs[i, via] + costs[via, j], bound.unit)
        triangle = f"{leg(x[i], x[j], costs[i, j])}, but {around} via {place(x[via])}"
    return Report(n, nan, negative, home, asymmetric, triangle)


def is_metric(costs: Matrix, via: Order | None = None) -> bool:
    """Return whether the (n, n) costs are symmetric and no detour, over all stops or ``via``, is cheaper."""
    return _worst_asymmetry(costs) is None and _worst_detour(costs, via) is None


def _worst_asymmetry(costs: Matrix) -> tuple[int, int] | None:
    """Return the pair whose two directions differ most, the dearer first; None if symmetric."""
    if not costs.size:
        return None
    excess = _less_rounding(costs) - costs.T
    origin, target = np.unravel_index(np.argmax(excess), excess.shape)
    return (int(origin), int(target)) if excess[origin, target] > 0 else None


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

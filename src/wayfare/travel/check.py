"""``check``: what a sample of places says about a travel cost."""

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from wayfare._core.arrays import Matrix, Order, Points, Values
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.travel.base import BadCost, TravelCost, raised, shaped

# What makes a matrix of costs a metric, and where it fails to be one.


TOLERANCE = 1e-9
"""Relative: rounding in a sum of legs is no violation."""


@frozen
class Detour:
    """The stop ``via`` that makes the way from ``origin`` to ``target`` cheaper by ``saved``."""

    origin: int
    via: int
    target: int
    saved: float


def worst_asymmetry(costs: Matrix) -> tuple[int, int] | None:
    """Return the pair whose two ways differ most, the dearer way first; None if symmetric."""
    if not costs.size:
        return None
    excess = _less_rounding(costs) - costs.T
    origin, target = np.unravel_index(np.argmax(excess), excess.shape)
    return (int(origin), int(target)) if excess[origin, target] > 0 else None


def worst_detour(costs: Matrix, via: Order | None = None) -> Detour | None:
    """Return the detour that saves most, over all stops or those in ``via``; None if none saves.

    Takes n passes over the n x n matrix.
    """
    direct = _less_rounding(costs)
    worst: Detour | None = None
    for stop in range(len(costs)) if via is None else via:
        saved = direct - costs[:, stop, None]
        saved -= costs[stop]
        origin, target = np.unravel_index(np.argmax(saved), saved.shape)
        most = float(saved[origin, target])
        if most > (0 if worst is None else worst.saved):
            worst = Detour(int(origin), int(stop), int(target), most)
    return worst


def _less_rounding(costs: Matrix) -> Matrix:
    """The costs less what rounding may have added."""
    return costs - TOLERANCE * np.abs(costs)


def is_metric(costs: Matrix, via: Order | None = None) -> bool:
    """Return whether the costs are symmetric and no detour is cheaper."""
    return worst_asymmetry(costs) is None and worst_detour(costs, via) is None


@frozen
class Report:
    """The faults found: each is None, or its worst example in words.

    A sample can show a fault, never that there is none.
    """

    n: int
    nan: str | None = None
    negative: str | None = None
    home: str | None = None
    asymmetric: str | None = None
    triangle: str | None = None

    @property
    def is_usable(self) -> bool:
        """Whether routes can be planned with it: finite, not negative, zero at home."""
        return self.nan is None and self.negative is None and self.home is None

    @property
    def is_metric(self) -> bool:
        """Whether the convergence guarantee may apply: usable, symmetric, no detour cheaper."""
        return self.is_usable and self.asymmetric is None and self.triangle is None

    def __str__(self) -> str:
        faults = {
            "not finite": self.nan,
            "negative": self.negative,
            "not zero at home": self.home,
            "asymmetric": self.asymmetric,
            "a detour is cheaper": self.triangle,
        }
        if self.is_metric:
            return f"a metric, as far as {self.n} places show"
        verdict = "usable, but not a metric" if self.is_usable else "not usable"
        lines = [f"  {fault}: {example}" for fault, example in faults.items() if example is not None]
        return "\n".join([f"{verdict} ({self.n} places sampled)", *lines])


def check(cost: TravelCost, space: AnySpace, n: int = 24, seed: int = 0) -> Report:
    """Return what ``n`` places of ``space`` say about ``cost``; the same seed asks about the same places."""
    bound = cost.bind(space)
    sampled = space.sample(n, stream(seed, "travel check"))
    n = len(sampled)
    x = np.concatenate([sampled, sampled[:2]])  # a place must be at home with its twin too
    words = _Words(space, bound.unit)
    try:
        costs = shaped(bound, bound(x, x), x, x)
    except BadCost as bad:
        example = words.leg(bad.origin, bad.target, bad.amount)
        return Report(n, negative=example) if bad.amount < 0 else Report(n, nan=example)
    except InvalidInput:
        raise
    except Exception as error:  # the user's own code may raise anything
        raise raised(bound, error) from error
    return _examine(costs, x, n, words)


@frozen
class _Words:
    """Examples in the user's words."""

    space: AnySpace
    unit: str

    def place(self, x: Values) -> str:
        params = self.space.params(x).items()
        shown = (f"{name}={v:.6g}" if isinstance(v, float) else f"{name}={v}" for name, v in params)
        return f"({', '.join(shown)})"

    def amount(self, cost: float) -> str:
        return f"{cost:.6g} {self.unit}".rstrip()

    def leg(self, origin: Values, target: Values, cost: float) -> str:
        return f"{self.place(origin)} to {self.place(target)} costs {self.amount(cost)}"


def _examine(costs: Matrix, x: Points, n: int, words: _Words) -> Report:
    def leg(i: int, j: int) -> str:
        return words.leg(x[i], x[j], float(costs[i, j]))

    def worst(wrong: NDArray[np.bool_]) -> str | None:
        """Return the wrong leg of largest cost, in words."""
        if not wrong.any():
            return None
        i, j = np.unravel_index(np.argmax(np.where(wrong, size, -np.inf)), wrong.shape)
        return leg(int(i), int(j))

    finite = np.isfinite(costs)
    size = np.abs(np.where(finite, costs, 0.0))
    at_home = (x[:, None, :] == x[None, :, :]).all(axis=2)
    nan = worst(~finite)
    negative = worst(finite & (costs < 0))
    home = worst(at_home & (size > TOLERANCE * size.max(initial=0.0)))
    if nan is not None:  # nothing can be said of pairs and detours
        return Report(n, nan, negative, home)
    asymmetric = triangle = None
    if (pair := worst_asymmetry(costs)) is not None:
        i, j = pair
        asymmetric = f"{leg(i, j)}, but {words.amount(float(costs[j, i]))} back"
    if (detour := worst_detour(costs)) is not None:
        around = float(costs[detour.origin, detour.via] + costs[detour.via, detour.target])
        via = words.place(x[detour.via])
        triangle = f"{leg(detour.origin, detour.target)}, but {words.amount(around)} via {via}"
    return Report(n, nan, negative, home, asymmetric, triangle)

"""What makes a matrix of costs a metric, and where it fails to be one."""

import numpy as np
from attrs import frozen

from wayfare.arrays import Matrix, Order

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

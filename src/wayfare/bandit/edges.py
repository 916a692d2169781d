"""How the edges of cubes shrink from stage to stage, as levels: at level k a cube has edge 2^-k."""

import math
from itertools import accumulate, takewhile

FINEST = 30
"""No finer than a billionth of an axis."""


def dyadic_levels(ratio: float) -> list[int]:
    """Return 1, 2, 3, …: edges halved at every stage, O(log T) of them.

    The undivided cube would come first; it has nothing to be compared with. ``ratio`` is T / log T for
    noise and Lipschitz constant 1, or as much more as a result tells more. An edge below 1 / sqrt(ratio) is
    of no use: a single cube of it would take all results.
    """
    return list(range(1, min(FINEST, max(1, math.ceil(math.log2(max(2.0, ratio)) / 2))) + 1))


def ace_levels(ratio: float, d: int, zooming: float) -> list[int]:
    """Return the levels of the ACE sequence of Feng et al. 2022: O(log log T) stages.

    Sums S of c, eta c, eta^2 c, … with c = (z + 1) / ((d + 2) (z + 2)) log2(ratio) and eta = (d + 1 - z) /
    (d + 2), for d axes and the zooming dimension z. Each S gives two levels, rounded down and up; equal
    ones and the undivided cube are left out. The limit is log2(ratio) / (z + 2): the scale at which a
    cube's width and what noise is left after T results weigh the same.
    """
    first = (zooming + 1) / ((d + 2) * (zooming + 2)) * math.log2(max(2.0, ratio))
    eta = (d + 1 - zooming) / (d + 2)
    steps = takewhile(lambda c: c > 1e-9, (first * eta**i for i in range(100_000)))
    # The sum never quite reaches its limit: what is a hair off a whole number is that number.
    sums = list(accumulate(steps))
    levels = {*(math.floor(one + 1e-6) for one in sums), *(math.ceil(one - 1e-6) for one in sums)}
    return sorted({min(FINEST, max(1, level)) for level in levels})


def pulls(level: int, need: float) -> int:
    """Return how many results a cube of that level needs, if one of edge 1 needs ``need``."""
    return max(1, math.ceil(need * 4.0**level - 1e-9))

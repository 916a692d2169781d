"""The shortest route of few stops, by dynamic programming over subsets (Held and Karp, 1962)."""

from functools import lru_cache

import numpy as np
from attrs import field, frozen
from attrs.validators import ge
from numpy.random import Generator

from wayfare._core.arrays import Matrix, Order, Values
from wayfare.errors import InvalidInput
from wayfare.route.base import check_costs


@frozen
class HeldKarp:
    """The shortest route there is, for at most ``limit`` stops; ``rng`` is not used.

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

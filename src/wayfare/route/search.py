"""Iterated local search: shake a small part of the route, improve around it, keep what is no worse."""

from collections.abc import Callable, Sequence

from numpy.random import Generator

from wayfare.route.improve import TINY, Row
from wayfare.route.ring import Ring

Descent = Callable[[Ring, list[int]], float]
"""Improves a ring around the given stops and returns the gain."""

LONGEST = 30
"""Stops in each stretch that a kick moves: kicks are local, so mending them is quick."""
FOUR_LEGS = 4.0
"""A kick that costs more, with costs of at most 1, cut the bond of start and end: not worth mending."""


def search(ring: Ring, costs: Sequence[Row], descend: Descent, kicks: int, rng: Generator) -> None:
    """Improve the ring, then ``kicks`` times kick it and improve it where it was kicked.

    Bounded by kicks and never by time, so the same ``rng`` gives the same ring.
    """
    n = len(ring)
    descend(ring, rng.permutation(n).tolist())
    ring.keep()
    longest = min(LONGEST, (n - 1) // 3)
    if longest < 1:
        return
    lengths = rng.integers(1, longest + 1, size=(kicks, 3))
    starts = (rng.random(kicks) * (n - lengths.sum(axis=1))).astype(int)
    for start, (one, two, three) in zip(starts.tolist(), lengths.tolist(), strict=True):
        extra, ends = _kick(ring, costs, start, one, two, three)
        if extra > FOUR_LEGS or descend(ring, ends) < extra - TINY:
            ring.undo()
        else:
            ring.keep()


def _kick(
    ring: Ring, costs: Sequence[Row], start: int, one: int, two: int, three: int
) -> tuple[float, list[int]]:
    """Turn ``a [b..c] [d..e] [f..g] h`` into ``a [f..g] [d..e] [b..c] h``; return the extra cost.

    This double bridge (Martin, Otto and Felten, 1991) changes four legs without turning anything
    around. One 3-opt move cannot take it back, so the search does not just return.
    """
    begin_two = start + 1 + one
    begin_three = begin_two + two
    after = begin_three + three
    stops, n = ring.stops, len(ring)
    a, b, c, d = stops[start], stops[start + 1], stops[begin_two - 1], stops[begin_two]
    e, f, g, h = stops[begin_three - 1], stops[begin_three], stops[after - 1], stops[after % n]
    new = costs[a][f] + costs[g][d] + costs[e][b] + costs[c][h]
    old = costs[a][b] + costs[c][d] + costs[e][f] + costs[g][h]
    ring.write(
        start + 1, stops[begin_three:after] + stops[begin_two:begin_three] + stops[start + 1 : begin_two]
    )
    return new - old, [a, b, c, d, e, f, g, h]

"""Local search for symmetric costs: 2-opt and Or-opt in one, that is sequential 3-opt."""

from collections.abc import Sequence

from wayfare.route.reconnect import Join, Move, reconnect
from wayfare.route.ring import Ring

Row = Sequence[float]
Found = tuple[float, Move, tuple[int, ...]]
"""A gain, the move that brings it, and the stops whose legs it changes."""

TINY = 1e-12
"""A gain below this is rounding, with costs scaled to at most 1."""


class ThreeOpt:
    """Replaces two or three legs at a time for as long as that makes the ring cheaper.

    New legs are looked for among the ``near`` stops of each stop, nearest first, and a chain of
    exchanges is followed only while it gains (Lin and Kernighan, 1973), which leaves some tens of
    moves per stop to price. Costs must be symmetric.
    """

    def __init__(self, costs: Sequence[Row], near: Sequence[Sequence[int]]) -> None:
        """Take the cost of every pair, and the stops to try beside each stop."""
        self.costs = costs
        self.near = near

    def __call__(self, ring: Ring, queue: list[int]) -> float:
        """Improve around the stops of ``queue`` until none of them can gain; return the gain."""
        total = 0.0
        queued = set(queue)
        while queue:
            stop = queue.pop()
            queued.discard(stop)
            while found := self._best(ring, stop, 1) or self._best(ring, stop, -1):
                gain, move, touched = found
                reconnect(ring, move)
                total += gain
                fresh = [v for v in touched if v not in queued]
                queued.update(fresh)
                queue += fresh
        return total

    def _best(self, ring: Ring, a: int, step: int) -> Found | None:
        """Return the best move that drops the leg from ``a`` to its neighbour on side ``step``.

        Without that leg the ring is a path p[0] = b, ..., p[n-1] = a. Adding the leg (a, c) with
        c = p[i] and dropping one of c's gives a path again (d after c) or a path and a ring
        (d before c), which a third exchange (d, e) for (e, f) may mend. The last leg is (f, b).
        """
        stops, where, n = ring.stops, ring.where, len(ring.stops)
        costs, near = self.costs, self.near
        base = (where[a] + step) % n
        b = stops[base]
        from_a, from_b = costs[a], costs[b]
        dropped = from_a[b]
        best = TINY
        found: tuple[int, int, Join, tuple[int, ...]] | None = None
        for c in near[a]:
            gain_c = dropped - from_a[c]
            if gain_c <= TINY:
                break
            at_c = where[c]
            i = step * (at_c - base) % n

            d = stops[(at_c + step) % n]
            if d != a:
                from_d = costs[d]
                gain_d = gain_c + from_d[c]
                gain = gain_d - from_d[b]
                if gain > best:
                    best, found = gain, (i, i, Join.TURN, (b, c, d))
                for e in near[d]:
                    gain_e = gain_d - from_d[e]
                    if gain_e <= best:
                        break
                    at_e = where[e]
                    j = step * (at_e - base) % n
                    if j < i:
                        f = stops[(at_e + step) % n]
                        gain = gain_e + costs[e][f] - from_b[f]
                        if gain > best:
                            best, found = gain, (j, i, Join.SWAP_TURN_B, (b, c, d, e, f))
                    elif j > i:
                        f = stops[(at_e - step) % n]
                        gain = gain_e + costs[e][f] - from_b[f]
                        if gain > best:
                            best, found = gain, (i, j - 1, Join.SWAP_TURN_C, (b, c, d, e, f))

            d = stops[(at_c - step) % n]
            from_d = costs[d]
            gain_d = gain_c + from_d[c]
            for e in near[d]:
                gain_e = gain_d - from_d[e]
                if gain_e <= best:
                    break
                at_e = where[e]
                j = step * (at_e - base) % n
                if j <= i:
                    continue
                if j < n - 1:
                    f = stops[(at_e + step) % n]
                    gain = gain_e + costs[e][f] - from_b[f]
                    if gain > best:
                        best, found = gain, (i - 1, j, Join.TURN_BOTH, (b, c, d, e, f))
                f = stops[(at_e - step) % n]
                gain = gain_e + costs[e][f] - from_b[f]
                if gain > best:
                    best, found = gain, (i - 1, j - 1, Join.SWAP, (b, c, d, e, f))
        if found is None:
            return None
        x, y, join, touched = found
        return best, Move(base, step, x, y, join), touched

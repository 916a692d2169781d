"""Local search for costs that depend on the direction of travel."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

from wayfare.route.improve import TINY, Row
from wayfare.route.ring import Ring

Found = tuple[float, int, list[int], tuple[int, ...]]
"""A gain, where to write, what to write, and the stops whose legs change."""


class Directed:
    """Swaps neighbouring stretches, and turns stretches around at their full price.

    Swapping (Or-opt with stretches of any length) keeps every stretch in its direction and so
    changes three legs only. Turning a stretch around changes all legs in it: ``_turning`` holds
    running sums of what each leg costs more backwards, so that any stretch is priced at once.
    The depot, which stands for start and end, stays at position 0.
    """

    def __init__(self, costs: Sequence[Row], near: Sequence[Sequence[int]]) -> None:
        """Take the cost from each stop (row) to each other, and the stops to try after each stop."""
        self.costs = costs
        self.near = near
        self._turning: list[float] = []

    def __call__(self, ring: Ring, queue: list[int]) -> float:
        """Improve around the stops of ``queue`` until none of them can gain; return the gain."""
        total = 0.0
        queued = set(queue)
        self._sum_turning(ring)
        while queue:
            stop = queue.pop()
            queued.discard(stop)
            while found := self._best_swap(ring, stop) or self._best_turn(ring, stop):
                gain, start, stretch, touched = found
                ring.write(start, stretch)
                self._sum_turning(ring)
                total += gain
                fresh = [v for v in touched if v not in queued]
                queued.update(fresh)
                queue += fresh
        return total

    def _sum_turning(self, ring: Ring) -> None:
        costs = self.costs
        extra = [costs[b][a] - costs[a][b] for a, b in pairwise(ring.stops)]
        self._turning = list(accumulate(extra, initial=0.0))

    def _best_swap(self, ring: Ring, a: int) -> Found | None:
        """Return the best way to make ``a [b..e] [c..f] g`` into ``a [c..f] [b..e] g``."""
        stops, where, n = ring.stops, ring.where, len(ring.stops)
        costs, near = self.costs, self.near
        at_a = where[a]
        b = stops[(at_a + 1) % n]
        dropped = costs[a][b]
        best, found = TINY, None
        for c in near[a]:
            gain_c = dropped - costs[a][c]
            if gain_c <= TINY:
                break
            at_c = where[c]
            e = stops[at_c - 1]
            gain_e = gain_c + costs[e][c]
            for g in near[e]:
                gain_g = gain_e - costs[e][g]
                if gain_g <= TINY:
                    break
                at_g = where[g]
                # Going round from a, g must come after c; it may be a itself.
                if (at_g - at_a - 1) % n <= (at_c - at_a - 1) % n:
                    continue
                f = stops[at_g - 1]
                gain = gain_g + costs[f][g] - costs[f][b]
                if gain > best:
                    best, found = gain, (at_c, at_g, (b, c, e, f, g))
        if found is None:
            return None
        at_c, at_g, touched = found
        # Read from the depot, the same three cuts swap the two stretches that lie between them.
        one, two, three = sorted(((at_a + 1) % n or n, at_c or n, at_g or n))
        return best, one, stops[two:three] + stops[one:two], touched

    def _best_turn(self, ring: Ring, a: int) -> Found | None:
        """Return the best stretch to turn around so that some near stop ``c`` comes right after ``a``."""
        stops, where, n = ring.stops, ring.where, len(ring.stops)
        costs, turning = self.costs, self._turning
        from_a = costs[a]
        at_a = where[a]
        b, before = stops[(at_a + 1) % n], stops[at_a - 1]
        best, found = TINY, None
        for c in self.near[a]:
            at_c = where[c] or n
            if at_c <= at_a + 1:
                continue
            if at_c < n:  # a [b..c] d
                d = stops[(at_c + 1) % n]
                gain = from_a[b] + costs[c][d] - from_a[c] - costs[b][d]
                gain -= turning[at_c] - turning[at_a + 1]
                if gain > best:
                    best, found = gain, (at_a + 1, at_c + 1, (b, c, d))
            if at_a > 0:  # before [a..e] c
                e = stops[at_c - 1]
                gain = costs[before][a] + costs[e][c] - costs[before][e] - from_a[c]
                gain -= turning[at_c - 1] - turning[at_a]
                if gain > best:
                    best, found = gain, (at_a, at_c, (before, c, e))
        if found is None:
            return None
        start, end, touched = found
        return best, start, stops[start:end][::-1], touched

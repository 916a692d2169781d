"""Moves of the local search: sequential 3-opt for symmetric costs, swaps and turns for costs that are not.

Both work on a ``Ring`` of stops, in plain Python: a move prices some tens of legs, too few for arrays to pay.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from itertools import accumulate, pairwise
from typing import NamedTuple

from attrs import frozen

Row = Sequence[float] | Mapping[int, float]
"""The costs from one stop to the others."""
Touched = tuple[int, ...]
"""The stops whose legs a move changes."""

MIN_GAIN = 1e-12
"""A smaller gain is rounding, with costs scaled to at most 1."""


class Ring:
    """Stops 0..n-1 in a circle: ``stops[position]`` and ``where[stop]``, with every change until ``keep`` or ``undo``.

    A route is a ring with one or two extra stops for its start and end, so that an open route has no special first or
    last leg. Positions count from 0 and wrap around.
    """

    __slots__ = ("_changes", "stops", "where")

    def __init__(self, stops: Sequence[int]) -> None:
        self.stops = list(stops)
        self.where = [0] * len(self.stops)
        for position, stop in enumerate(self.stops):
            self.where[stop] = position
        self._changes: list[tuple[int, list[int]]] = []

    def __len__(self) -> int:
        return len(self.stops)

    def read(self, start: int, length: int) -> list[int]:
        """Return a copy of the stretch of ``length`` stops from position ``start`` on."""
        start %= len(self.stops)
        stretch = self.stops[start : start + length]
        return stretch + self.stops[: length - len(stretch)]

    def write(self, start: int, stretch: list[int]) -> None:
        """Overwrite from position ``start`` on; ``stretch`` holds the stops that stand there, reordered."""
        n = len(self.stops)
        start %= n
        room = n - start
        if len(stretch) <= room:
            self._changes.append((start, self.stops[start : start + len(stretch)]))
            self._put(start, stretch)
        else:
            self.write(start, stretch[:room])
            self.write(0, stretch[room:])

    def keep(self) -> None:
        """Forget how the ring was before."""
        self._changes.clear()

    def undo(self) -> None:
        """Take back every change since the last ``keep``."""
        while self._changes:
            self._put(*self._changes.pop())

    def _put(self, start: int, stretch: list[int]) -> None:
        self.stops[start : start + len(stretch)] = stretch
        where = self.where
        for position, stop in enumerate(stretch, start):
            where[stop] = position


A, B, C = 0, 1, 2
Part = tuple[int, bool]
"""One of the stretches A, B, C; True if it is turned around."""


class Join(Enum):
    """How the ring reads after stretch A; a prime marks a stretch that is turned around.

    Three stretches can be written back in three ways that give the same circle (as it may be read from anywhere and,
    where costs are symmetric, from either side): any one of them stays in place and the other two follow it. The
    values say what follows A, B and C if they stay.
    """

    TURN = (((C, True),), (), ((A, True),))
    """A C': 2-opt; B is empty."""
    SWAP = (((C, False), (B, False)), ((A, False), (C, False)), ((B, False), (A, False)))
    """A C B: Or-opt of a stretch of any length, nothing turned around."""
    SWAP_TURN_B = (((C, False), (B, True)), ((C, True), (A, True)), ((B, True), (A, False)))
    """A C B': Or-opt, turned around."""
    SWAP_TURN_C = (((C, True), (B, False)), ((A, False), (C, True)), ((A, True), (B, True)))
    """A C' B: Or-opt, turned around."""
    TURN_BOTH = (((B, True), (C, True)), ((A, True), (C, False)), ((B, False), (A, True)))
    """A B' C': two neighbouring stretches turned around."""


class Move(NamedTuple):
    """A reconnection of the path that starts at position ``base`` and runs in direction ``step``.

    Along that path A is the stops 0..x, B is x+1..y and C all the rest.
    """

    base: int
    step: int
    x: int
    y: int
    join: Join


def reconnect(ring: Ring, move: Move) -> None:
    """Cut and join the ring, leaving its longest stretch where it is."""
    n = len(ring)
    base, step, x, y, join = move
    begin = (0, x + 1, y + 1)
    length = (x + 1, y - x, n - 1 - y)
    # Only the two shorter stretches are rewritten, at most two thirds of the ring.
    stays = length.index(max(length))
    new: list[int] = []
    for part, turned in join.value[stays]:
        stretch = ring.read(_leftmost(base, step, begin[part], length[part]), length[part])
        if turned != (step < 0):
            stretch.reverse()
        new += stretch
    if step < 0:
        new.reverse()
    follows = begin[stays] + length[stays]
    ring.write(_leftmost(base, step, follows, len(new)), new)


def _leftmost(base: int, step: int, begin: int, length: int) -> int:
    """Return the lowest ring position of a stretch given along the path."""
    return base + begin if step > 0 else base - (begin + length - 1)


@frozen(eq=False)
class ThreeOpt:
    """Replaces two or three legs at a time for as long as that makes the ring cheaper.

    New legs are looked for among the ``near`` stops of each stop, nearest first, and a chain of exchanges is followed
    only while it gains (Lin and Kernighan, 1973), which leaves some tens of moves per stop to price. Costs must be
    symmetric.
    """

    costs: Sequence[Row]
    near: Sequence[Sequence[int]]

    def __call__(self, ring: Ring, queue: list[int]) -> float:
        """Improve around the stops of ``queue`` until none of them can gain; return the gain."""

        def improve(stop: int) -> tuple[float, Touched] | None:
            found = self._best(ring, stop, 1) or self._best(ring, stop, -1)
            if found is None:
                return None
            gain, move, touched = found
            reconnect(ring, move)
            return gain, touched

        return _exhaust(queue, improve)

    def _best(self, ring: Ring, a: int, step: int) -> tuple[float, Move, Touched] | None:
        """Return the best move that drops the leg from ``a`` to its neighbour on side ``step``.

        Without that leg the ring is a path p[0] = b, ..., p[n-1] = a. Adding the leg (a, c) with c = p[i] and dropping
        one of c's gives a path again (d after c) or a path and a ring (d before c), which a third exchange (d, e) for
        (e, f) may mend. The last leg is (f, b).
        """
        stops, where, n = ring.stops, ring.where, len(ring.stops)
        costs, near = self.costs, self.near
        base = (where[a] + step) % n
        b = stops[base]
        from_a, from_b = costs[a], costs[b]
        dropped = from_a[b]
        best = MIN_GAIN
        found: tuple[int, int, Join, Touched] | None = None
        for c in near[a]:
            gain_c = dropped - from_a[c]
            if gain_c <= MIN_GAIN:
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
                    if j == i:
                        continue
                    f = stops[(at_e + step if j < i else at_e - step) % n]
                    gain = gain_e + costs[e][f] - from_b[f]
                    if gain > best:
                        x, y, join = (j, i, Join.SWAP_TURN_B) if j < i else (i, j - 1, Join.SWAP_TURN_C)
                        best, found = gain, (x, y, join, (b, c, d, e, f))

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


def _exhaust(queue: list[int], improve: Callable[[int], tuple[float, Touched] | None]) -> float:
    """Improve around the stops of ``queue``, and those touched by it, until none can gain; return the gain."""
    total = 0.0
    queued = set(queue)
    while queue:
        stop = queue.pop()
        queued.discard(stop)
        while found := improve(stop):
            gain, touched = found
            total += gain
            fresh = [v for v in touched if v not in queued]
            queued.update(fresh)
            queue += fresh
    return total


Rewrite = tuple[float, int, list[int], Touched]
"""A gain, the position and the stretch to write there, and the stops whose legs change."""


@frozen(eq=False)
class Directed:
    """Swaps neighbouring stretches, and turns stretches around at their full price.

    Swapping (Or-opt with stretches of any length) keeps every stretch in its direction and so changes three legs only.
    Turning a stretch around changes all legs in it: running sums of how much more each leg costs backwards price any
    stretch at once. The depot, which stands for start and end, stays at position 0.
    """

    costs: Sequence[Row]
    near: Sequence[Sequence[int]]

    def __call__(self, ring: Ring, queue: list[int]) -> float:
        """Improve around the stops of ``queue`` until none of them can gain; return the gain."""
        turning = self._turning(ring)

        def improve(stop: int) -> tuple[float, Touched] | None:
            nonlocal turning
            found = self._best_swap(ring, stop) or self._best_turn(ring, stop, turning)
            if found is None:
                return None
            gain, start, stretch, touched = found
            ring.write(start, stretch)
            turning = self._turning(ring)
            return gain, touched

        return _exhaust(queue, improve)

    def _turning(self, ring: Ring) -> list[float]:
        """Return running sums of how much more each leg costs backwards."""
        costs = self.costs
        return list(accumulate([costs[b][a] - costs[a][b] for a, b in pairwise(ring.stops)], initial=0.0))

    def _best_swap(self, ring: Ring, a: int) -> Rewrite | None:
        """Return the best way to make ``a [b..e] [c..f] g`` into ``a [c..f] [b..e] g``."""
        stops, where, n = ring.stops, ring.where, len(ring.stops)
        costs, near = self.costs, self.near
        at_a = where[a]
        b = stops[(at_a + 1) % n]
        dropped = costs[a][b]
        best, found = MIN_GAIN, None
        for c in near[a]:
            gain_c = dropped - costs[a][c]
            if gain_c <= MIN_GAIN:
                break
            at_c = where[c]
            e = stops[at_c - 1]
            gain_e = gain_c + costs[e][c]
            for g in near[e]:
                gain_g = gain_e - costs[e][g]
                if gain_g <= MIN_GAIN:
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

    def _best_turn(self, ring: Ring, a: int, turning: list[float]) -> Rewrite | None:
        """Return the best stretch to turn around so that some near stop ``c`` comes right after ``a``."""
        stops, where, n = ring.stops, ring.where, len(ring.stops)
        costs = self.costs
        from_a = costs[a]
        at_a = where[a]
        b, before = stops[(at_a + 1) % n], stops[at_a - 1]
        best, found = MIN_GAIN, None
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

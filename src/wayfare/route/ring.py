"""Stops in a circle, with a memory of every change until it is kept or undone."""

from collections.abc import Sequence


class Ring:
    """Stops 0..n-1 in a circle: who is where, and where is who.

    A route is a ring with one or two extra stops for its start and end, so that an open
    route has no special first or last leg. Positions count from 0 and wrap around.
    """

    __slots__ = ("_changes", "stops", "where")

    def __init__(self, stops: Sequence[int]) -> None:
        """Take the stops in their first order."""
        self.stops = list(stops)
        self.where = [0] * len(self.stops)
        for position, stop in enumerate(self.stops):
            self.where[stop] = position
        self._changes: list[tuple[int, list[int]]] = []

    def __len__(self) -> int:
        return len(self.stops)

    def read(self, start: int, length: int) -> list[int]:
        """Return a copy of the stretch of ``length`` stops from position ``start`` on."""
        n = len(self.stops)
        start %= n
        end = start + length
        if end <= n:
            return self.stops[start:end]
        return self.stops[start:] + self.stops[: end - n]

    def write(self, start: int, stretch: list[int]) -> None:
        """Overwrite from position ``start`` on; ``stretch`` holds the very stops that stand there."""
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

"""The way of the traveller as a chain, so that dropping one of many visits costs the same as dropping one."""

from __future__ import annotations

from wayfare.arrays import Values
from wayfare.state import StudyState


class _Link:
    """A place where a leg may begin: a visit, or where the traveller was put (no number)."""

    __slots__ = ("after", "before", "number", "x")

    def __init__(self, number: int | None, x: Values | None, before: _Link | None) -> None:
        self.number, self.x, self.before = number, x, before
        self.after: _Link | None = None
        if before is not None:
            before.after = self


class Track:
    """Where every leg of a study begins, while visits are added and dropped."""

    def __init__(self, state: StudyState) -> None:
        self._last = _Link(None, state.spec.start, None)
        self._links: dict[int, _Link] = {}
        moved = list(reversed(state.moved))
        for trial in state.trials:
            while moved and moved[-1][0] <= trial.number:
                self._last = _Link(None, moved.pop()[1], self._last)
            if trial.is_visit:
                self.add(trial.number, trial.x)
        while moved:
            self._last = _Link(None, moved.pop()[1], self._last)

    @property
    def here(self) -> Values | None:
        """Where the traveller stands; None where nobody said."""
        return self._last.x

    def place(self, number: int) -> Values:
        """Return where a visit is."""
        x = self._links[number].x
        assert x is not None  # a visit is somewhere
        return x

    def add(self, number: int, x: Values) -> None:
        """Go on to ``x``."""
        self._links[number] = self._last = _Link(number, x, self._last)

    def drop(self, number: int) -> tuple[Values | None, int | None]:
        """Take a visit out; return where the one after it begins from now on, and its number if any."""
        link = self._links.pop(number)
        before, after = link.before, link.after
        assert before is not None  # the first link is no visit
        before.after = after
        if after is None:
            self._last = before
            return before.x, None
        after.before = before
        return before.x, after.number

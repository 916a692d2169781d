"""``Journey``: where everything of a study is drawn over one or two axes, and the line it followed."""

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from wayfare.ahead import route_ahead_of
from wayfare.arrays import Mask, Points
from wayfare.plot.view import View
from wayfare.plot.ways import drawn_way
from wayfare.records import Trial, TrialState
from wayfare.state import StudyState


@frozen(eq=False)
class Journey:
    """Where everything is drawn, one row each: all trials by number, and where the traveller was put by hand.

    ``way`` numbers the rows of ``all`` in the order they were passed, -1 where the line breaks off.
    ``behind`` is the line that was followed, and ``beyond`` the one ahead, with their turns.
    """

    start: Points
    visits: Points
    put: Points
    ahead: Points
    home: Points
    trials: tuple[Trial, ...]
    way: tuple[int, ...]
    behind: Points
    beyond: Points

    @property
    def all(self) -> Points:
        """Every row: the start, the trials, the places of ``put``, the stops ahead, home."""
        return np.vstack([self.start, self.visits, self.put, self.ahead, self.home])

    @property
    def is_elsewhere(self) -> bool:
        """Whether there is a home that is not where it started."""
        return len(self.home) > 0 and not np.array_equal(self.home, self.start)

    @property
    def reached(self) -> Points:
        """All that must be in the picture: every row, and the turns between."""
        lines = np.vstack([self.behind, self.beyond])
        return np.vstack([self.all, lines[np.isfinite(lines).all(axis=1)]])

    @property
    def told(self) -> Mask:
        """Which trials have a value."""
        return np.array([trial.state is TrialState.TOLD for trial in self.trials])

    def along(self, rows: Points) -> Points:
        """Return ``rows``, one for each of ``all``, in the order they were passed; nan where it breaks."""
        return np.vstack([rows, np.full((1, rows.shape[1]), np.nan)])[list(self.way)]


def make_journey(view: View, state: StudyState) -> Journey:
    """Return the journey of a study, projected on the axes of the view."""
    d = state.spec.space.d
    start = np.empty((0, d)) if state.spec.start is None else state.spec.start[None, :]
    put = np.array([x for _, x in state.moved]).reshape(-1, d)
    x = np.array([trial.x for trial in state.trials]).reshape(-1, d)
    end = state.spec.limits.end
    home = np.empty((0, d)) if end is None else end[None, :]
    places = np.vstack([start, x, put, state.stops_ahead, home])
    drawn = view.project(places)
    begun, here = len(start), len(start) + len(x)
    there, last = here + len(put), len(drawn) - len(home)
    way = [*range(begun)]
    moves = [after for after, _ in state.moved]
    for number, trial in enumerate(state.trials):
        way += _put_before(moves, number, here)
        if trial.is_visit:
            way += [last, begun + number] if trial.home_first else [begun + number]
    way += _put_before(moves, len(x), here)
    route = way[-1:]
    for stop, ahead in enumerate(route_ahead_of(state).stops):
        route += [last, there + stop] if ahead.home_first else [there + stop]
    lines = [drawn_way(view, state.spec.travel, places, drawn, rows) for rows in (way, route)]
    start, visits, put, stops, home = np.split(drawn, [begun, here, there, last])
    return Journey(start, visits, put, stops, home, state.trials, tuple(way), *lines)


def _put_before(moves: Sequence[int], number: int, first: int) -> list[int]:
    """Return the rows where the traveller was put just before a trial, the line breaking off before each."""
    rows = [first + at for at, after in enumerate(moves) if after == number]
    return [row for at in rows for row in (-1, at)]

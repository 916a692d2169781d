"""``Anchor``: a place to return to now and then, so that a drift of the results shows."""

import numpy as np
from attrs import frozen

from wayfare._core.arrays import Mask, Points, Values
from wayfare.planning.itinerary import Itinerary
from wayfare.planning.reach import Reach
from wayfare.surrogate import Posterior
from wayfare.surrogate.history import History
from wayfare.travel import priced


@frozen(eq=False)
class Anchor:
    """Return to ``place`` after ``every`` other visits at most; to the best place so far if it is None."""

    every: int
    place: Values | None = None

    def where(self, history: History, posterior: Posterior | None) -> Values | None:
        """Return the place to return to; None while there is no best place yet."""
        if self.place is not None or posterior is None:
            return self.place
        x = history.x[history.space.contains(history.x)]  # a setting that was missed is no place to go to
        return np.asarray(x[int(posterior.marginals(x)[0].argmax())]) if len(x) else None

    def since(self, visited: Points, between: Mask) -> int:
        """Return the number of visits since the last one to the anchor; without a fixed place, to any place again.

        Stops put in ``between`` were not chosen and do not count.
        """
        if self.place is not None:
            back = _is_at(self.place, visited)
        else:
            seen: set[bytes] = set()
            back = np.zeros(len(visited), dtype=np.bool_)
            for number, place in enumerate(visited + 0.0):
                stayed = number > 0 and np.array_equal(place, visited[number - 1])
                back[number] = place.tobytes() in seen and not stayed
                seen.add(place.tobytes())
        after = int(np.flatnonzero(back)[-1]) + 1 if back.any() else 0
        return int((~between[after:]).sum())


def anchored(
    reach: Reach, anchor: Anchor, history: History, posterior: Posterior | None, stops: Itinerary
) -> Itinerary:
    """Return the itinerary with visits to the anchor put in where they are due, where the detour is cheapest."""
    place = anchor.where(history, posterior)
    if place is None or not len(stops):
        return stops
    if reach.limits.trip is not None and not reach.from_home().fits(place[None, :])[0]:
        return stops  # legs cost more than was stated, and no trip gets there any more
    gaps = _gaps(
        _detours(reach, stops.places, place),
        _is_at(place, stops.places),
        anchor.every,
        anchor.since(history.visited, history.between),
    )
    if not gaps:
        return stops
    x = np.insert(stops.places, gaps, place, axis=0)
    put_in = np.zeros(len(x), dtype=np.bool_)
    put_in[np.array(gaps) + np.arange(len(gaps))] = True
    # Unordered, the others would come as they were picked, and the visits here at the same turns.
    picked = np.arange(len(x))
    picked[~put_in] = picked[~put_in][stops.picked]
    return stops.through(x, picked, reach.legs_through(x), np.insert(stops.counts, gaps, 1))


def _detours(reach: Reach, x: Points, place: Values) -> Values:
    """Return the extra cost of visiting ``place`` before each stop of a route."""
    here = place[None, :]
    onto = np.concatenate([reach.legs_to(here), priced(reach.travel, x[:-1], here)[:, 0]])
    return np.asarray(onto + priced(reach.travel, here, x)[0] - reach.legs_through(x))


def _gaps(extra: Values, there: Mask, every: int, since: int) -> list[int]:
    """Return the stops before which to visit the anchor.

    A visit is due once ``every`` others were made since the last, and may come up to half as many earlier if that is
    cheaper. A stop at the anchor is a visit to it. A visit due after the last stop is left to the next route, which
    knows more.

    Args:
        extra: cost of the detour before each stop.
        there: the stops that are at the anchor anyway.
        every: the most other visits between two to the anchor.
        since: other visits since the last one to the anchor.
    """
    n, begun, gaps = len(there), 0, []
    while (due := begun + max(0, every - since)) < n:
        passed = np.flatnonzero(there[begun : due + 1])
        if len(passed):
            begun, since = begun + int(passed[-1]) + 1, 0
            continue
        early = max(begun, due - every // 2)
        begun, since = due - int(extra[early : due + 1][::-1].argmin()), 0  # the latest of the cheapest
        gaps.append(begun)
    return gaps


def _is_at(place: Values, x: Points) -> Mask:
    """Return which rows are the place."""
    return np.asarray((x == place).all(axis=1))

"""A place to return to now and then, so that a drift of the results shows."""

import numpy as np
from attrs import frozen

from wayfare._core.arrays import Mask, Points, Values
from wayfare.planning.itinerary import Way
from wayfare.planning.reach import Reach
from wayfare.planning.trips import straight_legs
from wayfare.surrogate import Posterior
from wayfare.surrogate.history import History
from wayfare.travel import priced


@frozen(eq=False)
class Anchor:
    """Go back to ``place`` after ``every`` other visits at most; None: to the best place so far."""

    every: int
    place: Values | None = None

    def where(self, history: History, posterior: Posterior | None) -> Values | None:
        """Return where to go back to; None while nothing is known of a best place."""
        if self.place is not None or posterior is None:
            return self.place
        x = history.x[history.space.contains(history.x)]  # a setting that was missed is no place to go to
        return np.asarray(x[int(posterior.marginals(x)[0].argmax())]) if len(x) else None

    def since(self, visited: Points, between: Mask) -> int:
        """Return how many visits were made since the last one to it, or to any place a second time.

        Those in ``between``, which nobody chose, do not count as others.
        """
        if self.place is not None:
            back = at(self.place, visited)
        else:
            seen: set[bytes] = set()
            back = np.zeros(len(visited), dtype=np.bool_)
            for number, place in enumerate(visited + 0.0):
                stayed = number > 0 and np.array_equal(place, visited[number - 1])
                back[number] = place.tobytes() in seen and not stayed
                seen.add(place.tobytes())
        after = int(np.flatnonzero(back)[-1]) + 1 if back.any() else 0
        return int((~between[after:]).sum())


def anchored(reach: Reach, anchor: Anchor, history: History, posterior: Posterior | None, way: Way) -> Way:
    """Return the way by the anchor wherever that is due, where the detour is least."""
    place = anchor.where(history, posterior)
    if place is None or not len(way):
        return way
    if reach.limits.trip is not None and not reach.from_home().fits(place[None, :])[0]:
        return way  # since legs cost more than was stated, no trip gets there
    extra, there = detours(reach, way.route.places, place), at(place, way.route.places)
    gaps = gaps_for(extra, there, anchor.every, anchor.since(history.visited, history.between))
    if not gaps:
        return way
    x = np.insert(way.route.places, gaps, place, axis=0)
    put_in = np.zeros(len(x), dtype=np.bool_)
    put_in[np.array(gaps) + np.arange(len(gaps))] = True
    # Unordered, the others would come as they were chosen, and the visits here at the same turns.
    order = np.arange(len(x))
    order[~put_in] = order[~put_in][way.route.order]
    counts = np.insert(way.counts, gaps, 1)
    return way.along(x, order, straight_legs(reach, x), counts)


def detours(reach: Reach, x: Points, place: Values) -> Values:
    """Return what it costs on top to go by ``place`` before each stop of a route."""
    here = place[None, :]
    onto = np.concatenate([reach.legs(here), priced(reach.travel, x[:-1], here)[:, 0]])
    return np.asarray(onto + priced(reach.travel, here, x)[0] - straight_legs(reach, x))


def gaps_for(extra: Values, there: Mask, every: int, since: int) -> list[int]:
    """Return before which stops to go by the anchor; ``extra`` is the detour at each gap.

    It is due once ``every`` others were visited since, and may come up to half as many earlier where that
    is cheaper. A stop that is ``there`` anyway is a visit to it. What is due after the last stop is left to
    the next route, which knows more.
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


def at(place: Values, x: Points) -> Mask:
    """Return which rows are the place."""
    return np.asarray((x == place).all(axis=1))

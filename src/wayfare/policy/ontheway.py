"""UCB with a price on the way: what a place promises, less the way to it."""

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Order, Points, Values
from wayfare.errors import InvalidInput
from wayfare.policy.acquisition import shortlist, ucb
from wayfare.policy.base import Situation
from wayfare.travel import TravelCost, priced, rough


@frozen
class OnTheWay:
    """The places of a batch one after the other, each by its upper confidence bound less the way to it.

    The way to a place is what it adds to the route through those chosen before, at the cheapest gap. It is
    paid for in *hope*: how far the best upper bound, mean + sqrt(beta) sd, is above the best mean. A way of
    ``reach`` of the longest one there is from here, or more, costs ``price`` of the hope, a shorter one as
    much less as it is shorter. So short steps, as the last ones to a peak or into a corner, are UCB's own,
    far places compete by what they promise, and where there is nothing to hope for, nothing is paid. With no
    price, or if nobody said where the traveller stands, this is batched UCB.

    What it costs: the upper bound at the chosen place is below the best one by at most price / (1 - price)
    sqrt(beta) standard deviations at the chosen place. UCB's bound on the regret of one choice, 2 sqrt(beta)
    sd, grows by that: three times as much with a price of 0.8. A price of 1 or more would have no such bound,
    and could keep a traveller at the best place known for ever; it is refused.
    """

    beta: float = 0.5
    price: float = 0.8
    reach: float = 0.2

    def __attrs_post_init__(self) -> None:
        checks.not_negative(self.beta, "beta")
        checks.not_negative(self.price, "price")
        if self.price >= 1:
            raise InvalidInput(f"price must be below 1, the whole of the hope, got {self.price!r}")
        checks.positive(self.reach, "reach")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return ``size`` places, each chosen once those before it are hallucinated."""
        x, _ = shortlist(situation, lambda x, at: ucb(at.mean, at.sd, self.beta), size, rng)
        once = situation.space.once
        tracker = situation.expected.track(x)
        taken = np.zeros(len(x), dtype=np.bool_)
        # On a large map rough costs choose about as well, and many times sooner.
        travel = rough(situation.travel, size) or situation.travel
        way = Detours(travel, situation.history.position, x)
        far = self.reach * float(way.added()[0].max())
        picks: list[int] = []
        for _ in range(min(size, len(x)) if once else size):
            mean, sd = tracker.marginals
            upper = np.where(taken, -np.inf, ucb(mean, sd, self.beta))
            hope = max(0.0, float(upper.max() - mean.max()))
            added, gap = way.added()
            share = np.clip(added / far, 0.0, 1.0) if far > 0 else np.zeros(len(x))
            pick = int((upper - self.price * hope * share).argmax())
            taken[pick] = once
            picks.append(pick)
            tracker.add(pick)
            way.add(pick, int(gap[pick]))
        return x[picks]


class Detours:
    """A route from ``position`` through some of the places ``x``, and what each more would add to it.

    Right for asymmetric costs too. Without a position every way is free.
    """

    def __init__(self, travel: TravelCost, position: Values | None, x: Points) -> None:
        self._travel, self._x = travel, x
        self._known: dict[int, tuple[Values, Values]] = {}
        self._stops: list[int] = []
        self._back: list[Values] = []  # from all places to each stop, in the order of the route
        self._out: list[Values] = []  # from the position, and then from each stop, to all places
        if position is not None:
            self._out.append(priced(travel, position[None, :], x)[0])

    def added(self) -> tuple[Values, Order]:
        """Return the least that each place adds to the route, and how many stops come before it then."""
        n = len(self._x)
        if not self._out:
            return np.zeros(n), np.zeros(n, dtype=np.intp)
        # Inside, two legs replace one; at the end of an open path a single leg is added.
        inside = [
            out + back - out[stop] for out, back, stop in zip(self._out[:-1], self._back, self._stops, strict=True)
        ]
        gaps = np.vstack([*inside, self._out[-1]])
        gap = gaps.argmin(axis=0)
        return gaps[gap, np.arange(n)], gap

    def add(self, place: int, gap: int) -> None:
        """Put the place of that number behind the first ``gap`` stops."""
        if not self._out:
            return
        if place not in self._known:  # the best place is chosen many times over
            stop = self._x[[place]]
            back, out = priced(self._travel, self._x, stop)[:, 0], priced(self._travel, stop, self._x)[0]
            self._known[place] = back, out
        back, out = self._known[place]
        self._stops.insert(gap, place)
        self._back.insert(gap, back)
        self._out.insert(gap + 1, out)

"""``Limits`` (as stated) and ``Reach`` (what is left of them now): which stops the traveller may still visit.

For a planned route, ``Reach.walk`` alone decides whether the traveller goes home before a stop, and whether a stop
is affordable. ``ask``, ``insert``, the preview, waypoint files and the ledger all fold over it, so they cannot
disagree.
"""

import math
from itertools import pairwise

import numpy as np
from attrs import evolve, field, frozen

from wayfare._core.arrays import Mask, Points, Values
from wayfare._core.tolerance import COST_RTOL
from wayfare.planning.itinerary import Itinerary
from wayfare.planning.steps import Steps
from wayfare.travel import TravelCost, priced


@frozen(eq=False)
class Limits:
    """The limits of a study, all in the unit of its travel cost; None means no limit.

    Attributes:
        budget: what legs, results and the return home may cost together.
        home: the place to return to; without one, nothing is kept for a return.
        dwell: the cost of taking one result.
        trip: what legs, results and the return home may cost between two visits home.
        trip_cost: the cost of every such visit, on top.
        max_step: the most that one leg may cost.
        is_day: whether a trip is a day of work: a planned route ends where the day does.
    """

    budget: float | None = None
    home: Values | None = None
    dwell: float = 0.0
    trip: float | None = None
    trip_cost: float = 0.0
    max_step: float | None = None
    is_day: bool = False

    @property
    def called(self) -> str:
        """The word for a trip: trip or day."""
        return "day" if self.is_day else "trip"

    @property
    def are_set(self) -> bool:
        """Whether there is a limit that a route must be made to fit."""
        return self.budget is not None or self.trip is not None or self.max_step is not None


@frozen(eq=False)
class Walk:
    """An itinerary walked stop by stop within the limits.

    Attributes:
        legs: cost of reaching each stop, by way of home where ``homes`` says so; as planned without limits.
        homes: the stops before which the traveller goes home.
        within: how many of the first stops can be visited for one result at least, with the return home.
        whole: how many of the first stops can be visited for all their results.
        after: the reach after the last stop.
    """

    legs: Values
    homes: Mask
    within: int
    whole: int
    after: "Reach"


@frozen(eq=False)
class Reach:
    """Where the traveller stands, and what is left to pay for legs, results and the return home.

    Attributes:
        travel: the cost of moving, in whose unit all costs are.
        position: where the traveller stands; None if that is anywhere, then the first leg is free.
        limits: the limits as stated.
        left: what is left of the budget; infinite without one.
        trip_left: what is left of the trip under way; infinite without trips.
        steps: how far one leg may go; None for any distance.
    """

    travel: TravelCost
    position: Values | None
    limits: Limits = field(factory=Limits)
    left: float = math.inf
    trip_left: float = math.inf
    steps: Steps | None = None

    @property
    def home(self) -> Values | None:
        """The place to return to."""
        return self.limits.home

    @property
    def dwell(self) -> float:
        """The cost of taking one result."""
        return self.limits.dwell

    @property
    def trip(self) -> float:
        """The most that a whole trip may cost, with room for rounding."""
        return math.inf if self.limits.trip is None else self.limits.trip * (1 + COST_RTOL)

    @property
    def restart(self) -> float:
        """The cost of going home from here to begin a new trip; infinite without trips."""
        if self.limits.trip is None or self.position is None:
            return math.inf
        return float(self.legs_home(self.position[None, :])[0]) + self.limits.trip_cost

    @property
    def spent(self) -> float | None:
        """The part of the budget that is spent, from 0 to 1; None if there is no budget."""
        if self.limits.budget is None:
            return None
        return min(1.0, max(0.0, 1.0 - self.left / self.limits.budget)) if self.limits.budget else 1.0

    def from_home(self) -> "Reach":
        """Return the reach of a new trip from home, whatever is left of the budget."""
        return evolve(self, position=self.home, left=self.trip, trip_left=self.trip, steps=None)

    def until_evening(self) -> "Reach":
        """Return the reach without trips, in which what is left of the trip under way is all there is."""
        one_trip = evolve(self.limits, trip=None, trip_cost=0.0, is_day=False)
        return evolve(self, limits=one_trip, left=min(self.left, self.trip_left), trip_left=math.inf)

    def next_morning(self) -> "Reach":
        """Return the reach at home, from where a new trip begins once the way there is paid."""
        return evolve(self, position=self.home, left=self.left - self.restart, trip_left=self.trip)

    def legs_to(self, x: Points) -> Values:
        """Return the cost of going straight from here to each place."""
        return np.zeros(len(x)) if self.position is None else priced(self.travel, self.position[None, :], x)[0]

    def legs_home(self, x: Points) -> Values:
        """Return the cost of going home from each place; zeros without a home."""
        return np.zeros(len(x)) if self.home is None else priced(self.travel, x, self.home[None, :])[:, 0]

    def legs_from_home(self, x: Points) -> Values:
        """Return the cost of going from home to each place; zeros without a home."""
        return np.zeros(len(x)) if self.home is None else priced(self.travel, self.home[None, :], x)[0]

    def legs_through(self, x: Points) -> Values:
        """Return the cost of reaching each place from the one before, the first from here."""
        # One by one, because a cost may be slow to work out between all pairs of places of a large map.
        between = [float(priced(self.travel, a[None, :], b[None, :])[0, 0]) for a, b in pairwise(x)]
        return np.concatenate([self.legs_to(x[:1]), between])

    def fits(self, x: Points, count: int = 1) -> Mask:
        """Return which places can be visited for ``count`` results, straight or by way of home, return included."""
        back, dwell = self.legs_home(x), count * self.dwell
        cost = self.legs_to(x) + back + dwell
        straight = (cost <= self.trip_left) & (cost <= self.left)
        if self.steps is not None:
            straight &= self.steps.allow(self.position, x)
        if (restart := self.restart) == math.inf:
            return np.asarray(straight)
        cost = self.legs_from_home(x) + back + dwell
        return np.asarray(straight | ((cost <= self.trip) & (restart + cost <= self.left)))

    def walk(self, stops: Itinerary) -> Walk:
        """Return how the stops are visited one after the other, as far as the limits allow.

        Before a stop the traveller goes home if that was planned and can be paid, or if the trip under way is too short
        to go straight. From the first stop that cannot be paid on, the budget no longer counts: such stops are shown,
        but not handed out.
        """
        x, trips = stops.places, self.limits.trip is not None
        if self.left == math.inf and not trips and self.steps is None:  # no limit to keep to
            return Walk(stops.legs, np.zeros(len(x), dtype=np.bool_), len(x), len(x), self)
        straight, back, out = self.legs_through(x), self.legs_home(x), self.legs_from_home(x)
        legs, homes = straight.copy(), np.zeros(len(x), dtype=np.bool_)
        reach, restart, within, whole = self, self.restart, len(x), len(x)
        for stop, (count, planned) in enumerate(zip(stops.counts.tolist(), stops.homes.tolist(), strict=True)):
            # 1. The cost of the leg, the results and the return: straight, and on a new trip from home.
            near = self.steps is None or self.steps.allow(x[stop - 1] if stop else self.position, x[[stop]])[0]
            all_results, one_result = (
                (straight[stop] + back[stop] + dwell if near else math.inf, out[stop] + back[stop] + dwell)
                for dwell in (count * self.dwell, self.dwell)
            )
            # 2. Which of the two? If neither pays for all results, then for one; if not even that, by the trip alone.
            home = reach._goes_home_first(*all_results, restart, planned)
            if home is None:
                home = reach._goes_home_first(*one_result, restart, planned)
                within, whole = min(within, stop + (home is not None)), min(whole, stop)
                reach = evolve(reach, left=math.inf)
            if home is None:
                home = reach._goes_home_first(*all_results, restart, planned)
            homes[stop] = restart < math.inf if home is None else home
            # 3. What is left after it.
            gone, leg, trip_left = (
                (restart, out[stop], self.trip) if homes[stop] else (0.0, legs[stop], reach.trip_left)
            )
            legs[stop] = gone + leg
            left = reach.left - gone - leg - count * self.dwell
            reach = evolve(reach, position=x[stop], left=left, trip_left=trip_left - leg - count * self.dwell)
            restart = back[stop] + self.limits.trip_cost if trips else math.inf
        return Walk(legs, homes, within, whole, reach)

    def _goes_home_first(self, straight: float, out: float, restart: float, planned: bool) -> bool | None:
        """Return whether to go home before a stop; None if it can be reached neither way.

        Args:
            straight: cost of going straight, taking the results and returning home; infinite if the step is too long.
            out: the same on a new trip from home.
            restart: cost of going home first; infinite without trips.
            planned: whether a visit home was planned.
        """
        direct = straight < math.inf and straight <= self.trip_left and straight <= self.left
        by_home = restart < math.inf and out <= self.trip and restart + out <= self.left
        if not direct and not by_home:
            return None
        return bool(by_home and (planned or not direct))

    def stops_paid(self, stops: Itinerary) -> int:
        """Return how many of the first stops the budget pays as they are, with their results and the return home."""
        if self.left == math.inf:
            return len(stops)
        paid = np.cumsum(stops.legs) + self.dwell * np.cumsum(stops.counts)
        fit = paid + self.legs_home(stops.places) <= self.left
        return len(fit) if fit.all() else int(fit.argmin())

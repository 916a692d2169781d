"""How far a traveller may still go, so that the way home can always be paid."""

import math

import numpy as np
from attrs import evolve, frozen

from wayfare._core.arrays import Mask, Order, Points, Values
from wayfare.planning.steps import Steps
from wayfare.travel import TravelCost, priced

# What a traveller must keep to.


@frozen(eq=False)
class Limits:
    """What a study may cost, all in the unit of its travel cost.

    ``budget`` is what legs, results (``dwell`` each) and the way home, to ``home``, may cost together.
    Without an ``home`` there is no way home. A ``trip`` is what they may cost between two visits to the
    ``home``, each of which costs ``trip_cost`` on top. No leg costs more than ``max_step``. None: no limit.
    """

    budget: float | None = None
    home: Values | None = None
    dwell: float = 0.0
    trip: float | None = None
    trip_cost: float = 0.0
    max_step: float | None = None

    @property
    def are_set(self) -> bool:
        """Whether there is anything that a route must be made to fit."""
        return self.budget is not None or self.trip is not None or self.max_step is not None


ROUNDING = 1e-9
"""What a sum of floats may be off by, in proportion to the budget: three legs of 0.1 fit into 0.3."""


@frozen(eq=False)
class Reach:
    """What is left to pay legs, results and the way home with, and where the traveller stands.

    ``left`` is in the unit of the travel cost, and so is ``trip_left``, of which the trip under way must be
    paid; both are infinite where there is no limit. Without a ``position`` the first leg is free. ``steps``
    says how long a leg may be.
    """

    travel: TravelCost
    position: Values | None
    limits: Limits
    left: float = math.inf
    trip_left: float = math.inf
    steps: Steps | None = None

    @property
    def home(self) -> Values | None:
        """Where home is."""
        return self.limits.home

    @property
    def dwell(self) -> float:
        """What taking one result costs."""
        return self.limits.dwell

    @property
    def trip(self) -> float:
        """What a whole trip may cost, with room for rounding."""
        return math.inf if self.limits.trip is None else self.limits.trip * (1 + ROUNDING)

    def from_home(self) -> "Reach":
        """Return how far a trip can go that begins at home, whatever is left."""
        return evolve(self, position=self.home, left=self.trip, trip_left=self.trip, steps=None)

    def legs(self, x: Points) -> Values:
        """Return what each place costs to get to from here, straight."""
        if self.position is None:
            return np.zeros(len(x))
        return np.asarray(priced(self.travel, self.position[None, :], x)[0])

    def ways_home(self, x: Points) -> Values:
        """Return what the way home costs from each place, not the way there."""
        if self.home is None:
            return np.zeros(len(x))
        return np.asarray(priced(self.travel, x, self.home[None, :])[:, 0])

    def ways_out(self, x: Points) -> Values:
        """Return what each place costs to get to on a trip that begins at home."""
        if self.home is None:
            return np.zeros(len(x))
        return np.asarray(priced(self.travel, self.home[None, :], x)[0])

    @property
    def restart(self) -> float:
        """What it costs to go home from here and start a trip anew; infinite where there are none."""
        if self.limits.trip is None or self.position is None:
            return math.inf
        return float(self.ways_home(self.position[None, :])[0]) + self.limits.trip_cost

    def fits(self, x: Points, count: int = 1) -> Mask:
        """Return to which places one may go for ``count`` results and still get home."""
        return np.asarray(self.fits_straight(x, count) | self.fits_by_home(x, count))

    def fits_straight(self, x: Points, count: int = 1) -> Mask:
        """Return to which places one may go straight, on the trip under way."""
        cost = self.legs(x) + self.ways_home(x) + count * self.dwell
        fit = (cost <= self.trip_left) & (cost <= self.left)
        if self.steps is not None:
            fit &= self.steps.allow(self.position, x)
        return np.asarray(fit)

    def fits_by_home(self, x: Points, count: int = 1) -> Mask:
        """Return to which places one may go by way of home, on a new trip; none where there are no trips."""
        if self.restart == math.inf:
            return np.zeros(len(x), dtype=np.bool_)
        cost = self.ways_out(x) + self.ways_home(x) + count * self.dwell
        return np.asarray((cost <= self.trip) & (self.restart + cost <= self.left))

    def goes_home_first(self, place: Values, count: int, planned: bool = False) -> bool | None:
        """Return whether the way to ``place`` for ``count`` results goes home first; None if neither fits.

        It does where that was ``planned``, and where the trip under way would not last for going straight.
        """
        x = place[None, :]
        straight, by_home = bool(self.fits_straight(x, count)[0]), bool(self.fits_by_home(x, count)[0])
        if not straight and not by_home:
            return None
        return by_home if planned or not straight else False

    def after(self, place: Values, count: int, home_first: bool) -> "Reach":
        """Return how far one may go once ``count`` results were taken at ``place``."""
        x, dwell = place[None, :], count * self.dwell
        back, out = (self.restart, self.ways_out(x)) if home_first else (0.0, self.legs(x))
        trip = (self.trip if home_first else self.trip_left) - float(out[0]) - dwell
        return evolve(self, position=place, left=self.left - back - float(out[0]) - dwell, trip_left=trip)

    def stops_within(self, x: Points, counts: Order, planned: Mask) -> int:
        """Return how many stops of a route one gets to and then home, as each is decided when it is its turn.

        At the last of them perhaps not all results can be paid, but one can.
        """
        reach = self
        for at, (place, count, home) in enumerate(zip(x, counts, planned, strict=True)):
            home_first = reach.goes_home_first(place, 1, bool(home))
            if home_first is None:
                return at
            if reach.goes_home_first(place, int(count), bool(home)) is None:
                return at + 1
            reach = reach.after(place, int(count), home_first)
        return len(x)

    def fit_so_far(self, x: Points, legs: Values, counts: Order) -> int:
        """Return how many stops of a route fit, each with its results and the way home from there."""
        if self.left == math.inf:
            return len(x)
        paid = np.cumsum(legs) + self.dwell * np.cumsum(counts)
        fit = paid + self.ways_home(x) <= self.left
        return len(fit) if fit.all() else int(fit.argmin())

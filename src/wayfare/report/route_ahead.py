"""The route ahead of a study: its stops, what they cost from here, and how far the limits allow it."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import evolve, frozen

from wayfare._core.format import changes, counted, in_words, results, roughly, side_by_side, with_unit
from wayfare.planning.reach import Reach
from wayfare.planning.trips import ridden
from wayfare.record.events import Trial
from wayfare.record.state import StudyState
from wayfare.report.costs import budget_left, learned_cost, legs_of, reach_of, travel_of, trips_left, way_home
from wayfare.report.ledger import legs_besides, price_in


@frozen
class Stop:
    """A stop ahead: where, what reaching it costs from the stop before, and in total from here.

    ``before`` is the place before it, None where nobody said; ``count``, how many results to take there.
    ``left`` is what is left of the budget after it, ``trip_left`` of the trip, ``home`` the way home from
    there; None without. With ``home_first`` the leg goes home and begins a new trip.
    ``expected`` is what the leg will really cost by what was learned from earlier ones, None if nothing was.
    ``also`` has the leg in each further currency, as (unit, leg).
    """

    params: Mapping[str, Any]
    leg: float
    total: float
    unit: str
    before: Mapping[str, Any] | None
    count: int = 1
    left: float | None = None
    home: float | None = None
    home_first: bool = False
    expected: float | None = None
    also: tuple[tuple[str, float], ...] = ()
    trip_left: float | None = None

    @property
    def changes(self) -> str:
        """What changes from the place before: ``temp_C 60 → 72, catalyst same``."""
        return changes(self.before, self.params)


@frozen
class RouteAhead:
    """The stops planned ahead, in visiting order.

    ``within_reach`` counts the first of them that can still be paid, the way home included: where legs took
    longer than planned, the limits may not allow them all; ``overspent``, it is the budget that does not.
    ``shuffled`` is what leaving the order to chance added to the route as it was planned, the stops that are
    behind included; None where it was not.
    """

    stops: tuple[Stop, ...]
    unit: str
    within_reach: int
    shuffled: float | None = None
    overspent: bool = False

    @property
    def cost(self) -> float:
        """What walking all of it costs."""
        return self.stops[-1].total if self.stops else 0.0

    @property
    def expected(self) -> float | None:
        """What it will really cost by what was learned from earlier legs, None if nothing was."""
        legs = [stop.expected for stop in self.stops if stop.expected is not None]
        return sum(legs) if legs else None

    @property
    def results(self) -> int:
        """How many results are to be taken on it."""
        return sum(stop.count for stop in self.stops)

    def __len__(self) -> int:
        """How many stops are ahead."""
        return len(self.stops)

    def __str__(self) -> str:
        """Say it stop by stop."""
        lines = [
            f"{at}. {'home first, then ' if stop.home_first else ''}{stop.changes}: "
            f"leg {side_by_side(stop.leg, self.unit, stop.also)}"
            + ("" if stop.expected is None else f", expected {roughly(stop.expected, self.unit)}")
            + f", total {with_unit(stop.total, self.unit)}"
            + (f", take {results(stop.count)}" if stop.count > 1 else "")
            for at, stop in enumerate(self.stops, 1)
        ]
        return "\n".join([*lines, *self.remarks]) if lines else "no stops ahead: the next ask plans anew"

    @property
    def shortfall(self) -> str:
        """How many stops can be paid, where not all can, and what becomes of the others; empty if all can."""
        fit = self.within_reach
        if fit == len(self):
            return ""
        some = {0: "none", 1: "the first"}.get(fit, f"the first {fit}")
        allow = "budget pays" if self.overspent else "limits allow"
        then = {0: " looks for others", 1: " after it plans anew"}.get(fit, " after them plans anew")
        return f"the {allow} {some} of {counted(len(self), 'stop')}; the next ask{then}"

    @property
    def remarks(self) -> list[str]:
        """What it is expected to cost, what of it is for shuffling, and how far it can be paid, if known."""
        said = []
        if self.expected is not None:
            said.append(f"expected {roughly(self.expected, self.unit)} in all, by what legs have really cost")
        if self.shuffled is not None and self.stops:
            price = roughly(self.shuffled, self.unit)
            said.append(f"of the route as planned, {price} is the price of shuffling")
        if self.shortfall:
            said.append(self.shortfall)
        return said


@frozen
class Detour:
    """An extra place handed out as ``trial``, and what going there costs on top of the route.

    ``also`` has that in each further currency, as (unit, cost).
    """

    trial: Trial
    cost: float
    unit: str
    also: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        """Say it in a line."""
        return (
            f"trial {self.trial.number}: {in_words(self.trial.params)}: "
            f"leg {with_unit(self.trial.leg, self.unit)}, "
            f"detour {side_by_side(self.cost, self.unit, self.also)}"
        )


@frozen
class NewRoute:
    """A route planned on request, beside the rest of the one it replaces, both from where one stands."""

    route: RouteAhead
    dropped: RouteAhead

    def __str__(self) -> str:
        """Say it in a line."""
        before, after, unit = self.dropped, self.route, self.route.unit
        return (
            f"dropped {len(before)} stops worth {with_unit(before.cost, unit)}, "
            f"planned {len(after)} stops for {with_unit(after.cost, unit)}"
        )


def route_ahead_of(state: StudyState) -> RouteAhead:
    """Return the stops planned ahead, priced from where the traveller stands."""
    return priced_route(state, state)


def new_route_of(before: StudyState, after: StudyState) -> NewRoute:
    """Return the route ahead beside the one dropped for it, both priced from where the traveller stands."""
    return NewRoute(route_ahead_of(after), priced_route(before, after))


def priced_route(planned: StudyState, state: StudyState) -> RouteAhead:
    """Return the stops ahead as they were ``planned``, priced as things stand from where one is now."""
    spec, x, counts, position = state.spec, planned.stops_ahead, planned.counts_ahead, state.position
    # Whether a trip lasts is decided as when a stop is handed out: by what legs will really cost.
    learned = learned_cost(state) if len(x) else None
    reach = reach_of(state) or Reach(travel_of(state), position, spec.limits)
    expected, homes = ridden(reach, x, counts, planned.homes_ahead)
    legs = np.array(legs_of(state, position, x, homes))
    if learned is not None:
        anew = spec.limits.trip_cost * homes
        expected = np.array(legs_of(state, position, x, homes, learned)) + anew
    places = [spec.space.params(place) for place in x]
    here = None if position is None else spec.space.params(position)
    totals, left = np.cumsum(legs), budget_left(state)
    costs = totals + spec.limits.dwell * np.cumsum(counts)
    ahead = x, counts, planned.homes_ahead
    fit = reach.stops_within(*ahead) if spec.limits.are_set else len(x)
    besides, trips = legs_besides(state, position, x, homes), trips_left(state, x, legs, counts, homes)
    return RouteAhead(
        tuple(
            Stop(
                params=places[at],
                leg=float(legs[at]),
                total=float(totals[at]),
                unit=spec.unit,
                before=here if at == 0 else places[at - 1],
                count=int(counts[at]),
                left=None if left is None else left - float(costs[at]),
                home=way_home(state, x[at]),
                home_first=bool(homes[at]),
                expected=None if learned is None else float(expected[at]),
                also=besides[at],
                trip_left=trips[at],
            )
            for at in range(len(x))
        ),
        spec.unit,
        fit,
        price_in(planned.plans[-1]) if planned.plans else None,
        fit < len(x) and evolve(reach, left=math.inf).stops_within(*ahead) > fit,
    )

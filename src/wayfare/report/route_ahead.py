"""``RouteAhead``: the stops planned ahead, what they cost from here, and how many of them the limits allow."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import evolve, frozen

from wayfare._core import html
from wayfare._core.format import amount, changes, counted, in_words, results, rough, roughly, side_by_side, with_unit
from wayfare.record.events import Returned, Trial
from wayfare.record.state import StudyState
from wayfare.report.allowance import budget_in_words
from wayfare.report.costs import budget_left, learned_cost, leg_costs, reach_of, return_cost, trips_left
from wayfare.report.ledger import legs_besides, price_in, trips_begun


@frozen
class Stop:
    """A stop ahead; costs are in ``unit``.

    Attributes:
        params: where it is, by axis name.
        leg: cost of reaching it from the stop before.
        total: cost of reaching it from here.
        unit: unit of the travel cost.
        before: the place before it; None if unknown.
        count: number of results to take there.
        left: what is left of the budget after it; None without one.
        home: cost of returning home from there; None without a home.
        home_first: whether the leg goes home and begins a new trip.
        expected: the leg as learned from earlier ones; None if nothing was learned.
        also: the leg in each further currency, as (unit, leg).
        trip_left: what is left of the trip after it; None without trips.
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
    """The stops ahead, in visiting order, as ``ask`` will hand them out.

    Attributes:
        stops: the stops.
        unit: unit of the travel cost.
        planned: how many stops were planned; those that the limits no longer allow are not among ``stops``.
        shuffled: what leaving the order to chance added to the whole route as planned; None if it was not.
        overspent: whether it is the budget that does not allow all of them.
    """

    stops: tuple[Stop, ...]
    unit: str
    planned: int
    shuffled: float | None = None
    overspent: bool = False

    @property
    def cost(self) -> float:
        """Cost of the whole route."""
        return self.stops[-1].total if self.stops else 0.0

    @property
    def expected(self) -> float | None:
        """Cost of the whole route as learned from earlier legs; None if nothing was learned."""
        legs = [stop.expected for stop in self.stops if stop.expected is not None]
        return sum(legs) if legs else None

    @property
    def results(self) -> int:
        """Number of results to be taken."""
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
        return "\n".join([*lines, *self.remarks]) or "no stops ahead: the next ask plans a route"

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        learned, runs = self.expected is not None, self.results > len(self)
        unit = f" [{self.unit}]" if self.unit else ""
        heads = ["stop", "changes", *["results"] * runs, f"leg{unit}", *[f"expected{unit}"] * learned, f"total{unit}"]
        rows = [
            [
                at,
                f"{'home first, ' if stop.home_first else ''}{stop.changes}",
                *[stop.count] * runs,
                amount(stop.leg),
                *([] if stop.expected is None else [rough(stop.expected)]),
                amount(stop.total),
            ]
            for at, stop in enumerate(self.stops, 1)
        ]
        remarks = self.remarks if self.stops or self.remarks else [str(self)]
        return html.table(f"{counted(len(self), 'stop')} ahead", heads, rows, remarks)

    @property
    def in_short(self) -> str:
        """How long it is and what it costs."""
        take = f" for {results(self.results)}" if self.results > len(self) else ""
        really = "" if self.expected is None else f", expected {roughly(self.expected, self.unit)}"
        return f"{counted(len(self), 'stop')}{take}, {with_unit(self.cost, self.unit)}{really}"

    @property
    def within_reach(self) -> int:
        """How many of the planned stops the limits still allow, return home included: all of ``stops``."""
        return len(self.stops)

    @property
    def shortfall(self) -> str:
        """A sentence on how many of the planned stops can be paid; empty if all can."""
        fit = len(self)
        if fit == self.planned:
            return ""
        some = {0: "none", 1: "the first"}.get(fit, f"the first {fit}")
        allow = "budget pays" if self.overspent else "limits allow"
        then = {0: " looks for others", 1: " after it plans again"}.get(fit, " after them plans again")
        return f"the {allow} {some} of {counted(self.planned, 'stop')}; the next ask{then}"

    @property
    def remarks(self) -> list[str]:
        """Sentences on the expected cost, the price of shuffling, and how many stops can be paid, if known."""
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
    """An extra place handed out as ``trial``, and the extra ``cost`` of going there; ``also`` in further currencies."""

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
    """A route planned on request, and the rest of the one it replaces, both from where the traveller stands."""

    route: RouteAhead
    dropped: RouteAhead

    def __str__(self) -> str:
        """Say it in a line."""
        before, after, unit = self.dropped, self.route, self.route.unit
        return (
            f"dropped {len(before)} stops worth {with_unit(before.cost, unit)}, "
            f"planned {len(after)} stops for {with_unit(after.cost, unit)}"
        )


@frozen
class AtHome:
    """The way home that was made on its own, by ``go_home``, and what begins there.

    Attributes:
        leg: what the way home cost, with that of a new trip if one begins.
        unit: of the travel cost.
        trips: trips begun so far, that one included; None if none begins.
        allowance: what is left of the limits, in words.
        route: the stops ahead, which stay.
        called: what a trip is called, a trip or a day.
    """

    leg: float
    unit: str
    trips: int | None
    allowance: str
    route: RouteAhead
    called: str = "trip"

    def __str__(self) -> str:
        """Say it in a line."""
        begins = "" if self.trips is None else f"; {self.called} {self.trips} begins"
        allowance = f": {self.allowance}" if self.allowance else ""
        return f"at home, leg {with_unit(self.leg, self.unit)}{begins}{allowance}"


def at_home_of(state: StudyState, request: str) -> AtHome:
    """Return what this request to go home has led to."""
    done = [event.request for event in state.requests.values() if isinstance(event, Returned)]
    way = state.returns[done.index(request)]
    trips, called = trips_begun(state) if way.new_trip else None, state.spec.limits.called
    return AtHome(way.leg, state.spec.unit, trips, budget_in_words(state), route_ahead_of(state), called)


def route_ahead_of(state: StudyState) -> RouteAhead:
    """Return the stops planned ahead, priced from where the traveller stands."""
    return _priced_route(state, state)


def new_route_of(before: StudyState, after: StudyState) -> NewRoute:
    """Return the route ahead beside the one dropped for it, both priced from where the traveller stands."""
    return NewRoute(route_ahead_of(after), _priced_route(before, after))


def _priced_route(planned: StudyState, state: StudyState) -> RouteAhead:
    """Return the stops ahead as they were ``planned``, priced from where the traveller stands in ``state``."""
    spec, position, left = state.spec, state.position, budget_left(state)
    # 1. Walk the stops as they will be handed out, and keep those that will be.
    reach, n = reach_of(state), len(planned.itinerary)
    walk = reach.walk(planned.itinerary)
    stops = evolve(planned.itinerary.first(walk.within), homes=walk.homes[: walk.within])
    # 2. Price the legs as stated, and as learned if enough was told.
    stops = evolve(stops, legs=np.array(leg_costs(state, position, stops.places, stops.homes)))
    learned, expected = learned_cost(state) if len(stops) else None, stops.legs
    if learned is not None:
        expected = np.array(leg_costs(state, position, stops.places, stops.homes, learned))
        expected = expected + spec.limits.trip_cost * stops.homes
    # 3. Put each stop into words and numbers.
    places = [spec.space.params(place) for place in stops.places]
    here = None if position is None else spec.space.params(position)
    totals = np.cumsum(stops.legs)
    costs = totals + spec.limits.dwell * np.cumsum(stops.counts)
    besides, trips = legs_besides(state, position, stops.places, stops.homes), trips_left(state, stops)
    without_budget = evolve(reach, left=math.inf)
    return RouteAhead(
        tuple(
            Stop(
                params=places[at],
                leg=float(stops.legs[at]),
                total=float(totals[at]),
                unit=spec.unit,
                before=here if at == 0 else places[at - 1],
                count=int(stops.counts[at]),
                left=None if left is None else left - float(costs[at]),
                home=return_cost(state, stops.places[at]),
                home_first=bool(stops.homes[at]),
                expected=None if learned is None else float(expected[at]),
                also=besides[at],
                trip_left=trips[at],
            )
            for at in range(len(stops))
        ),
        spec.unit,
        n,
        price_in(planned.plans[-1]) if planned.plans else None,
        walk.within < n and without_budget.walk(planned.itinerary).within > walk.within,
    )

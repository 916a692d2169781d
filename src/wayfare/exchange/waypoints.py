"""``waypoints_of``: the route ahead as waypoints, which every format for the field is written from."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from attrs import frozen

from wayfare.ahead import RouteAhead, route_ahead_of
from wayfare.allowance import why_over
from wayfare.arrays import Values
from wayfare.errors import BudgetSpent, TooEarly
from wayfare.exchange.chart import Chart
from wayfare.exchange.degrees import degrees_of
from wayfare.exchange.waypoint import Waypoint, Waypoints
from wayfare.records import Trial, TrialState
from wayfare.spending import before_home, price
from wayfare.state import StudyState
from wayfare.study import Study


@frozen(eq=False)
class Visit:
    """A place with its leg, before it is a waypoint; ``back`` is the part of the leg that goes home first.

    None: it goes straight there.
    """

    name: str
    x: Values
    params: Mapping[str, Any]
    leg: float
    back: float | None
    trial: Trial | None
    count: int

    @property
    def is_ahead(self) -> bool:
        """Whether it has no outcome yet."""
        return self.trial is None or self.trial.state is TrialState.ASKED


def waypoints_of(
    study: Study,
    *,
    lat: str | None = None,
    lon: str | None = None,
    alt: str | float | None = None,
    visited: bool = False,
) -> Waypoints:
    """Return the trials that are out and the stops ahead of them that can be paid, in visiting order.

    Where the travel cost knows the way from place to place, as a ``Raster`` does, with the turns on it. Where
    the study has an end, the way home comes last; if nothing is ahead, only when no ask gives a stop any
    more, and without ``visited`` it is all there is.

    Args:
        study: whose.
        lat: the axis of the latitudes in degrees; None: the one called lat or latitude.
        lon: the axis of the longitudes; None: the one called lon, lng, long or longitude.
        alt: the axis of the altitudes in metres, or one altitude for all; None: none.
        visited: put the visits before them that have their outcome.
    """
    state = study.state
    chart = Chart(state, degrees_of(state.spec.space, lat, lon, alt))
    route = route_ahead_of(state)
    visits = list(visits_of(state, route, visited))
    under_way = any(visit.is_ahead for visit in visits)
    over = "" if under_way else why_over(state)
    trials = [visit.trial.number for visit in visits if visit.trial is not None]
    first = trials[0] if trials else len(state.trials)
    here = state.origin(first)
    stops: list[Waypoint] = []
    for visit in visits:
        add_visit(stops, visit, chart, here)
    last = way_home(stops, chart) if under_way or over else None
    if not stops and last is None:
        raise BudgetSpent(route.shortfall) if route.stops and not over else nothing_ahead(state, over)
    return Waypoints(
        state.spec.name,
        tuple(stops),
        last,
        state.spec.unit,
        None if here is None else chart.position(here, "the position"),
        chart.launch(first, bool(stops) and stops[0].is_home),
        chart,
        over if route.shortfall and over else route.shortfall,
    )


def visits_of(state: StudyState, route: RouteAhead, visited: bool) -> Iterator[Visit]:
    """Yield the trials that are out, or ``visited``, too, and the stops of the route that can be paid."""
    for trial in state.trials:
        if trial.is_visit and (visited or trial.state is TrialState.ASKED):
            name, leg = f"trial {trial.number}", trial.leg
            back = way_back(state, trial) if trial.home_first else None
            yield Visit(name, trial.x, trial.params, leg, back, trial, trial.count)
    ahead = list(zip(state.stops_ahead, route.stops, strict=True))
    for at, (x, stop) in enumerate(ahead[: route.within_reach], 1):
        back = stop.leg - price(state, state.spec.limits.end, x) if stop.home_first else None
        yield Visit(f"stop {at}", x, stop.params, stop.leg, back, None, stop.count)


def way_back(state: StudyState, trial: Trial) -> float:
    """Return what of a leg by way of home leads there: as it is priced, or of what was told its share."""
    if trial.spent is None:
        return trial.leg - price(state, state.spec.limits.end, trial.x)
    return trial.leg * before_home(state, trial)


def add_visit(stops: list[Waypoint], visit: Visit, chart: Chart, here: Values | None) -> None:
    """Add a place to the waypoints, and home before it where its leg goes there first.

    Turns are those from the waypoint before: where only what is out is written, another visit may have
    been in between. The first comes from ``here``.
    """
    state, leg = chart.state, visit.leg
    before, total = (stops[-1].x, stops[-1].total) if stops else (here, 0.0)
    if visit.back is not None:
        leg, total = leg - visit.back, total + visit.back
        stops.append(home(chart, before, visit.back, total, trial=visit.trial))
        before = stops[-1].x
    stops.append(
        Waypoint(
            visit.name,
            visit.x,
            chart.position(visit.x, visit.name),
            visit.params,
            leg,
            total + leg,
            state.spec.unit,
            visit.trial,
            chart.turns(before, visit.x, visit.name),
            visit.count,
        )
    )


def home(
    chart: Chart,
    before: Values | None,
    leg: float,
    total: float,
    trial: Trial | None = None,
    is_last: bool = False,
) -> Waypoint:
    """Return the end of a study as a waypoint."""
    spec = chart.state.spec
    end = spec.limits.end
    assert end is not None
    at, via = chart.position(end, "home"), chart.turns(before, end, "home")
    params = spec.space.params(end)
    return Waypoint("home", end, at, params, leg, total, spec.unit, trial, via, 0, True, is_last)


def way_home(stops: list[Waypoint], chart: Chart) -> Waypoint | None:
    """Return the end of a study as its last waypoint; None where it need not be gone to, or one is there."""
    state = chart.state
    end, under_way = state.spec.limits.end, any(stop.is_ahead for stop in stops)
    before = stops[-1].x if under_way else state.position
    if end is None or before is None or np.array_equal(before, end):
        return None
    leg, so_far = price(state, before, end), stops[-1].total if stops else 0.0
    return home(chart, before, leg, so_far + leg, is_last=True)


def nothing_ahead(state: StudyState, over: str) -> TooEarly | BudgetSpent:
    """Return the refusal where there is nowhere to go; ``over`` says why no ask gives a stop any more."""
    past = (
        "the visits made are written on request (--visited, in Python visited=True)"
        if state.used
        else "there are no visits either"
    )
    if over:
        return BudgetSpent(f"no stops are ahead: {over}; {past}")
    return TooEarly(f"no stops are ahead: the next ask plans a route; {past}")

"""The route ahead as waypoints in degrees, the source of every format for the field (GPX, GeoJSON, QGroundControl).

Each waypoint has the position, leg and total of a trial that is out or of a stop ahead, and the turns before it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen

from wayfare._core import checks
from wayfare._core.arrays import Values
from wayfare._core.format import LATITUDE, LONGITUDE, in_words, with_unit
from wayfare.errors import BudgetSpent, InvalidInput, TooEarly
from wayfare.record.events import Trial, TrialState
from wayfare.record.state import StudyState
from wayfare.report.allowance import why_over
from wayfare.report.costs import leg_cost, share_before_home
from wayfare.report.route_ahead import RouteAhead, Stop, route_ahead_of
from wayfare.space import AnySpace
from wayfare.study.study import Snapshot, Study
from wayfare.travel import way

AxisName: TypeAlias = str | None
Altitude: TypeAlias = str | float | None


@frozen
class Position:
    """Degrees north and east, and metres up or None; east is from -180 to below 180."""

    lat: float
    lon: float
    alt: float | None


@frozen(eq=False)
class Waypoint:
    """A place to go to, or a visit already made; costs are in ``unit``.

    ``leg`` is the cost from the waypoint before, ``total`` that from where the first leg begins, and ``via`` are the
    turns on the way. ``count`` results are taken here. ``trial`` is None if the stop was not handed out yet. A
    waypoint that ``is_home`` begins a new trip, whose cost is part of its leg, or ``is_last``; between trips, its
    trial is the one that the leg leads to.
    """

    name: str
    x: Values
    position: Position
    params: Mapping[str, Any]
    leg: float
    total: float
    unit: str
    trial: Trial | None = None
    via: tuple[Position, ...] = ()
    count: int = 1
    is_home: bool = False
    is_last: bool = False

    @property
    def state(self) -> str:
        """The state of its trial, ``ahead``, or ``home``."""
        if self.is_home:
            return "home"
        return "ahead" if self.trial is None else str(self.trial.state)

    @property
    def is_ahead(self) -> bool:
        """Whether it has no outcome yet."""
        return self.trial is None or self.trial.state is TrialState.ASKED

    @property
    def description(self) -> str:
        """A line for the person who gets there."""
        here = self.state
        if self.is_home:
            here = "the end" if self.is_last else "a new trip begins"
        elif self.trial is not None and self.trial.value is not None:
            here += f" {self.trial.value!r}"
        costs = f"leg {with_unit(self.leg, self.unit)}, total {with_unit(self.total, self.unit)}"
        return f"{self.name}, {here}: {costs}; {in_words(self.params)}"


@frozen(eq=False)
class Waypoints:
    """The waypoints of a study in visiting order, and ``last`` home, if the route must end there.

    The first leg begins at ``start`` and the current trip began at ``launch``; None if unknown. ``remark`` says how
    many of the stops ahead are affordable, if not all are; the others are left out.
    """

    study: str
    stops: tuple[Waypoint, ...]
    last: Waypoint | None
    unit: str
    start: Position | None
    launch: Values | None
    chart: "Chart"
    remark: str = ""

    @property
    def all(self) -> tuple[Waypoint, ...]:
        """The stops, and home."""
        return self.stops if self.last is None else (*self.stops, self.last)


def waypoints_of(
    study: Study | Snapshot, *, lat: AxisName = None, lon: AxisName = None, alt: Altitude = None, visited: bool = False
) -> Waypoints:
    """Return the trials that are out and the affordable stops ahead of them, in visiting order.

    If the travel cost knows the line between two places, as a ``Raster`` does, its turns are included. If the study
    has a home, the return home comes last; with nothing ahead it is included only once no ask gives a stop any more.

    Args:
        study: the study to export.
        lat: the axis of the latitudes in degrees; None: the one called lat or latitude.
        lon: the axis of the longitudes; None: the one called lon, lng, long or longitude.
        alt: the axis of the altitudes in metres, or one altitude for all; None: none.
        visited: put the visits that have their outcome before them.
    """
    state = study.snapshot().state
    chart = chart_of(state, lat, lon, alt)
    route = route_ahead_of(state)
    trials = [trial for trial in state.trials if trial.is_visit and (visited or trial.state is TrialState.ASKED)]
    first = trials[0].number if trials else len(state.trials)
    here = state.origin(first)
    under_way = bool(route.stops) or any(trial.state is TrialState.ASKED for trial in trials)
    over = "" if under_way else why_over(state)
    stops = tuple(_stops(chart, trials, route, here))
    last, home, before = None, state.spec.limits.home, stops[-1].x if under_way else state.position
    if (under_way or over) and home is not None and before is not None and not np.array_equal(before, home):
        leg = leg_cost(state, before, home)
        last = _home(chart, before, leg=leg, total=(stops[-1].total if stops else 0.0) + leg, is_last=True)
    if not stops and last is None:
        raise BudgetSpent(route.shortfall) if route.shortfall and not over else nothing_ahead(state, over)
    start = None if here is None else chart.position(here, "the position")
    launch = chart.launch(first, bool(stops) and stops[0].is_home)
    remark = over if route.shortfall and over else route.shortfall
    return Waypoints(state.spec.name, stops, last, state.spec.unit, start, launch, chart, remark)


def nothing_ahead(state: StudyState, over: str) -> TooEarly | BudgetSpent:
    """Return the refusal if there is nowhere to go; ``over`` says why no ask gives a stop any more."""
    made = "the visits made are written on request (--visited, in Python visited=True)"
    past = made if state.used else "there are no visits either"
    if over:
        return BudgetSpent(f"no stops are ahead: {over}; {past}")
    return TooEarly(f"no stops are ahead: the next ask plans a route; {past}")


def _stops(chart: "Chart", trials: Sequence[Trial], route: RouteAhead, here: Values | None) -> Iterator[Waypoint]:
    """Yield the trials and the stops of the route within reach, and home before those whose leg goes there first.

    Turns are those from the waypoint before, ``here`` for the first: without the visits made, a visit is left out
    between two open trials.
    """
    state, before, total = chart.state, here, 0.0
    ahead = zip(state.stops_ahead, route.stops, strict=False)  # the route leaves out stops that the limits forbid
    visits: list[tuple[str, Values, Trial | Stop, Trial | None]] = [
        *((f"trial {trial.number}", trial.x, trial, trial) for trial in trials),
        *((f"stop {number}", x, stop, None) for number, (x, stop) in enumerate(ahead, 1)),
    ]
    for name, x, visit, trial in visits:
        leg = visit.leg
        if visit.home_first:
            if trial is None or trial.spent is None:
                back = leg - leg_cost(state, state.spec.limits.home, x)
            else:  # of the real cost, the same share as of the price
                back = leg * share_before_home(state, trial)
            leg, total = leg - back, total + back
            yield (home := _home(chart, before, leg=back, total=total, trial=trial))
            before = home.x
        total += leg
        yield chart.waypoint(name, x, before, leg=leg, total=total, trial=trial, count=visit.count)
        before = x


def _home(chart: "Chart", before: Values | None, **known: Any) -> Waypoint:
    home = chart.state.spec.limits.home
    assert home is not None  # a leg goes home only in a study that has one
    return chart.waypoint("home", home, before, count=0, is_home=True, **known)


@frozen(eq=False)
class Chart:
    """A study with its axes of latitude and longitude in degrees, and an axis or metres for the altitude."""

    state: StudyState
    lat: str
    lon: str
    alt: Altitude

    def position(self, x: Values, what: str) -> Position:
        """Return the position of a place; ``what`` names it in the refusal of one that is not on the earth."""
        # These are axes of numbers, which a row holds in their own units.
        params = dict(zip(self.state.spec.space.names, x.tolist(), strict=True))
        lat, lon = params[self.lat], params[self.lon]
        if not -90 <= lat <= 90:
            raise InvalidInput(
                f"{what}: {self.lat}={lat:g} is no latitude, which goes from -90 to 90 degrees; if lat and "
                "lon are swapped, say which is which (--lat, --lon)"
            )
        if not -180 <= lon <= 360:
            raise InvalidInput(
                f"{what}: {self.lon}={lon:g} is no longitude, which goes from -180 to 180 degrees, or to 360"
            )
        alt = params[self.alt] if isinstance(self.alt, str) else self.alt
        return Position(lat, lon if lon < 180 else lon - 360, alt)

    def waypoint(self, name: str, x: Values, before: Values | None, **known: Any) -> Waypoint:
        """Return a place as a waypoint that is reached from ``before``."""
        spec, position, via = self.state.spec, self.position(x, name), self.turns(before, x, name)
        return Waypoint(name, x, position, spec.space.params(x), unit=spec.unit, via=via, **known)

    def turns(self, origin: Values | None, target: Values, what: str) -> tuple[Position, ...]:
        """Return the turns between two places by the travel cost; none if the origin is unknown."""
        if origin is None:
            return ()
        line = way(self.state.spec.travel, origin, target)
        return tuple(self.position(x, f"a turn on the way to {what}") for x in line[1:-1])

    def launch(self, number: int, begins_at_home: bool) -> Values | None:
        """Return where the trip of trial ``number`` began, as far as it is known.

        At home, if it begins there or the traveller was there since the start. In a study without a home it begins
        where the traveller stood before the trial.
        """
        state, home = self.state, self.state.spec.limits.home
        if home is None:
            return state.origin(number)
        went = any(trial.is_visit and trial.home_first for trial in state.trials[:number])
        was_put = any(after <= number and np.array_equal(x, home) for after, x in state.moved)
        return home if begins_at_home or went or was_put or state.spec.start is None else state.spec.start


def chart_of(state: StudyState, lat: AxisName = None, lon: AxisName = None, alt: Altitude = None) -> Chart:
    """Return the chart of a study; axes that are not given are found by their names, in any case.

    An altitude is never guessed: an axis called elevation may mean the ground.
    """
    space = state.spec.space
    north = _found(space, LATITUDE, "lat") if lat is None else number_axis(space, lat, "lat")
    east = _found(space, LONGITUDE, "lon") if lon is None else number_axis(space, lon, "lon")
    if north == east:
        raise InvalidInput(f"lat and lon are both the axis {north!r}; they must be two axes")
    if alt is not None:
        alt = number_axis(space, alt, "alt") if isinstance(alt, str) else checks.number(alt, "alt")
    return Chart(state, north, east, alt)


def _found(space: AnySpace, names: Sequence[str], what: str) -> str:
    found = [axis for axis in space.names if axis.lower() in names]
    if len(found) == 1:
        return number_axis(space, found[0], what)
    said = f"the axes {' and '.join(map(repr, found))} are" if found else "no axis is"
    raise InvalidInput(
        f"{what}: {said} called {' or '.join(names)}; name the one meant with {what} (--{what}); "
        f"{checks.nearest('', space.names, 'axes')}"
    )


def number_axis(space: AnySpace, axis: str, what: str) -> str:
    """Return ``axis`` if it is one of the space and holds numbers; ``what`` names it in the refusal."""
    if axis not in space.names:
        raise InvalidInput(f"{what}: there is no axis {axis!r}; {checks.nearest(axis, space.names, 'axes')}")
    if space.choices[space.column(axis)] is not None:
        raise InvalidInput(f"{what}: the axis {axis!r} is a choice; it must hold numbers")
    return axis

"""``waypoints_of``: the route ahead as waypoints, which every format for the field is written from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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
from wayfare.report.route_ahead import RouteAhead, route_ahead_of
from wayfare.space import AnySpace
from wayfare.study.study import Snapshot, Study
from wayfare.travel import way

# Where a place is on the earth: which axes are latitude and longitude, and how high it lies.


@frozen
class Position:
    """Degrees north and east, and metres up where someone said; east goes from -180 to below 180."""

    lat: float
    lon: float
    alt: float | None


@frozen
class Degrees:
    """How a place becomes a position: by the axes ``lat`` and ``lon``, and an axis or metres for ``alt``."""

    lat: str
    lon: str
    alt: str | float | None

    def position(self, params: Mapping[str, Any], what: str) -> Position:
        """Return where a place is; ``what`` names it in the refusal of one that is nowhere on the earth."""
        lat, lon = float(params[self.lat]), float(params[self.lon])
        if not -90 <= lat <= 90:
            raise InvalidInput(
                f"{what}: {self.lat}={lat:g} is no latitude, which goes from -90 to 90 degrees; if lat and "
                "lon are swapped, say which is which (--lat, --lon)"
            )
        if not -180 <= lon <= 360:
            raise InvalidInput(
                f"{what}: {self.lon}={lon:g} is no longitude, which goes from -180 to 180 degrees, or to 360"
            )
        alt = float(params[self.alt]) if isinstance(self.alt, str) else self.alt
        return Position(lat, lon if lon < 180 else lon - 360, alt)


def degrees_of(
    space: AnySpace, lat: str | None = None, lon: str | None = None, alt: str | float | None = None
) -> Degrees:
    """Return which axes say where a place is; those left out are found by their names, whatever their case.

    An altitude is never guessed: an axis called elevation may mean the ground.
    """
    north, east = (
        _found(space, names, what) if said is None else number_axis(space, said, what)
        for said, names, what in ((lat, LATITUDE, "lat"), (lon, LONGITUDE, "lon"))
    )
    if north == east:
        raise InvalidInput(f"lat and lon are both the axis {north!r}; they must be two axes")
    if isinstance(alt, str):
        return Degrees(north, east, number_axis(space, alt, "alt"))
    return Degrees(north, east, None if alt is None else checks.number(alt, "alt"))


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


# ``Chart``: where the places of a study are on the earth, and where one turns on the way between two.


@frozen(eq=False)
class Chart:
    """A study with the axes that say where its places are."""

    state: StudyState
    degrees: Degrees

    def position(self, x: Values, what: str) -> Position:
        """Return where a place is; ``what`` names it in the refusal of one that is nowhere on the earth."""
        # Latitude, longitude and altitude are axes of numbers, which a row has as they are.
        return self.degrees.position(dict(zip(self.state.spec.space.names, x.tolist(), strict=True)), what)

    def turns(self, origin: Values | None, target: Values, what: str) -> tuple[Position, ...]:
        """Return where one turns between two places by the travel cost; none where nobody said from where."""
        if origin is None:
            return ()
        line = way(self.state.spec.travel, origin, target)
        return tuple(self.position(x, f"a turn on the way to {what}") for x in line[1:-1])

    def launch(self, number: int, begins_at_home: bool) -> Values | None:
        """Return where the trip of trial ``number`` began, as far as it is known.

        At home, if it begins there or the traveller was there since the start. Without an end there is no
        home, and it begins where the traveller stood before.
        """
        state, end = self.state, self.state.spec.limits.home
        if end is None:
            return state.origin(number)
        went = any(trial.is_visit and trial.home_first for trial in state.trials[:number])
        was_put = any(after <= number and np.array_equal(x, end) for after, x in state.moved)
        return end if begins_at_home or went or was_put or state.spec.start is None else state.spec.start


# ``Waypoint``: a place to go to as every format for the field needs it, and all of them in their order.


@frozen(eq=False)
class Waypoint:
    """A place to go to, or gone to; ``trial`` is None where it was not handed out yet.

    ``total`` is what it costs to come here from where the first waypoint is reached, ``via`` where one turns
    on the way from the waypoint before, and ``count`` how many results are taken here. A waypoint that
    ``is_home`` lies on the way to its trial, where a new trip is begun; its leg has what that costs. One that
    ``is_last`` is home, too, and nothing comes after it.
    """

    name: str
    x: Values
    position: Position
    params: Mapping[str, Any]
    leg: float
    total: float
    unit: str
    trial: Trial | None
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
        """What a person wants to know there, in a line."""
        way = f"leg {with_unit(self.leg, self.unit)}, total {with_unit(self.total, self.unit)}"
        if self.is_home:
            here = "the end" if self.is_last else "a new trip begins"
            return f"{self.name}, {here}: {way}; {in_words(self.params)}"
        value = "" if self.trial is None or self.trial.value is None else f" {self.trial.value!r}"
        return f"{self.name}, {self.state}{value}: {way}; {in_words(self.params)}"


@frozen(eq=False)
class Waypoints:
    """The waypoints of a study in visiting order, and the way home after them, where it must end there.

    Without stops it is the way home alone. The first leg begins at ``start``, if that is known. ``launch`` is
    where the trip under way began. ``remark`` says how many of the stops ahead can still be paid, where not
    all can: the others are left out.
    """

    study: str
    stops: tuple[Waypoint, ...]
    last: Waypoint | None
    unit: str
    start: Position | None
    launch: Values | None
    chart: Chart
    remark: str = ""

    @property
    def all(self) -> tuple[Waypoint, ...]:
        """The stops, and home."""
        return self.stops if self.last is None else (*self.stops, self.last)


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
    study: Study | Snapshot,
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
        raise BudgetSpent(route.shortfall) if route.shortfall and not over else nothing_ahead(state, over)
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
    for at, (x, stop) in enumerate(zip(state.stops_ahead, route.stops, strict=False), 1):
        back = stop.leg - leg_cost(state, state.spec.limits.home, x) if stop.home_first else None
        yield Visit(f"stop {at}", x, stop.params, stop.leg, back, None, stop.count)


def way_back(state: StudyState, trial: Trial) -> float:
    """Return what of a leg by way of home leads there: as it is priced, or of what was told its share."""
    if trial.spent is None:
        return trial.leg - leg_cost(state, state.spec.limits.home, trial.x)
    return trial.leg * share_before_home(state, trial)


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
    chart: Chart, before: Values | None, leg: float, total: float, trial: Trial | None = None, is_last: bool = False
) -> Waypoint:
    """Return the end of a study as a waypoint."""
    spec = chart.state.spec
    end = spec.limits.home
    assert end is not None
    at, via = chart.position(end, "home"), chart.turns(before, end, "home")
    params = spec.space.params(end)
    return Waypoint("home", end, at, params, leg, total, spec.unit, trial, via, 0, True, is_last)


def way_home(stops: list[Waypoint], chart: Chart) -> Waypoint | None:
    """Return the end of a study as its last waypoint; None where it need not be gone to, or one is there."""
    state = chart.state
    end, under_way = state.spec.limits.home, any(stop.is_ahead for stop in stops)
    before = stops[-1].x if under_way else state.position
    if end is None or before is None or np.array_equal(before, end):
        return None
    leg, so_far = leg_cost(state, before, end), stops[-1].total if stops else 0.0
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

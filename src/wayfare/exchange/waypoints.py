"""The route ahead as waypoints: what every format for the field is written from."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from attrs import frozen

from wayfare.errors import BudgetSpent, TooEarly
from wayfare.exchange.degrees import Degrees, Position, degrees_of
from wayfare.records import Trial, TrialState
from wayfare.report import route_ahead_of
from wayfare.spending import price
from wayfare.state import StudyState
from wayfare.study import Study
from wayfare.words import in_words, with_unit

Place: TypeAlias = tuple[str, Mapping[str, Any], float, bool, Trial | None]
"""Its name, where it is, its leg, whether that goes home first, and its trial."""


@frozen(eq=False)
class Waypoint:
    """A place to go to, or gone to; ``trial`` is None where it was not handed out yet.

    ``total`` is what it costs to come here from where the first waypoint is reached. A waypoint that
    ``is_home`` lies on the way to its trial, where a new trip is begun; its leg has what that costs.
    """

    name: str
    position: Position
    params: Mapping[str, Any]
    leg: float
    total: float
    unit: str
    trial: Trial | None
    is_home: bool = False

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
            return f"{self.name}, a new trip begins: {way}; {in_words(self.params)}"
        value = "" if self.trial is None or self.trial.value is None else f" {self.trial.value!r}"
        return f"{self.name}, {self.state}{value}: {way}; {in_words(self.params)}"


@frozen(eq=False)
class Waypoints:
    """The waypoints of a study in visiting order, and where home is, as far as it is known.

    ``remark`` says how many of the stops ahead can still be paid, where not all can: the others are left out.
    """

    study: str
    stops: tuple[Waypoint, ...]
    unit: str
    home: Position | None
    remark: str = ""


def waypoints_of(
    study: Study,
    *,
    lat: str | None = None,
    lon: str | None = None,
    alt: str | float | None = None,
    visited: bool = False,
) -> Waypoints:
    """Return the trials that are out and the stops ahead of them that can be paid, in visiting order.

    Args:
        study: whose.
        lat: the axis of the latitudes in degrees; None: the one called lat or latitude.
        lon: the axis of the longitudes; None: the one called lon, lng, long or longitude.
        alt: the axis of the altitudes in metres, or one altitude for all; None: none.
        visited: put the visits before them that have their outcome.
    """
    state = study.state
    degrees = degrees_of(state.spec.space, lat, lon, alt)
    trials = [trial for trial in state.trials if trial.is_visit and (visited or is_out(trial))]
    route = route_ahead_of(state)
    ahead = route.stops[: route.within_reach]
    if not trials and not ahead:
        raise BudgetSpent(route.shortfall) if route.stops else nothing_ahead(state)
    places: list[Place] = [
        (f"trial {trial.number}", trial.params, trial.leg, trial.home_first, trial) for trial in trials
    ]
    places += [
        (f"stop {at}", stop.params, stop.leg, stop.home_first, None) for at, stop in enumerate(ahead, 1)
    ]
    stops: list[Waypoint] = []
    total = 0.0
    for name, params, leg, home_first, trial in places:
        if home_first and (end := state.spec.limits.end) is not None:
            home, here = state.spec.space.params(end), state.spec.space.points(params)[0]
            out = min(leg, price(state, end, here))
            total, leg = total + leg - out, out
            at = degrees.position(home, "home")
            back = stops_leg(total, stops)
            stops.append(Waypoint("home", at, home, back, total, state.spec.unit, trial, True))
        total += leg
        position = degrees.position(params, name)
        stops.append(Waypoint(name, position, params, leg, total, state.spec.unit, trial))
    first = trials[0].number if trials else len(state.trials)
    base = home_of(state, degrees, first)
    return Waypoints(state.spec.name, tuple(stops), state.spec.unit, base, route.shortfall)


def stops_leg(total: float, stops: Sequence[Waypoint]) -> float:
    """Return what a waypoint costs from the one before, being so far from the first."""
    return total - (stops[-1].total if stops else 0.0)


def is_out(trial: Trial) -> bool:
    """Return whether a trial has no outcome yet."""
    return trial.state is TrialState.ASKED


def home_of(state: StudyState, degrees: Degrees, number: int) -> Position | None:
    """Return where home is: the end, else where the traveller stood before trial ``number``, if known."""
    end = state.spec.limits.end
    here = state.origin(number) if end is None else end
    return None if here is None else degrees.position(state.spec.space.params(here), "the position")


def nothing_ahead(state: StudyState) -> TooEarly | BudgetSpent:
    """Return the refusal where there is nowhere to go."""
    past = (
        "the visits made are written on request (--visited, in Python visited=True)"
        if state.used
        else "there are no visits either"
    )
    if state.left:
        return TooEarly(f"no stops are ahead: the next ask plans a route; {past}")
    return BudgetSpent(f"no stops are ahead: all {state.spec.trials} trials have been handed out; {past}")

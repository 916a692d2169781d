"""``Waypoint``: a place to go to as every format for the field needs it, and all of them in their order."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from wayfare.arrays import Values
from wayfare.exchange.chart import Chart
from wayfare.exchange.degrees import Position
from wayfare.records import Trial, TrialState
from wayfare.words import in_words, with_unit


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

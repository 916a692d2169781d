"""What is kept of a study: its specification, its trials, and the events that made them.

Every event a person or program causes carries a ``request``, an id made by whoever asked for it: the same
request sent twice happens once. A price is written down when it is paid: ``legs`` of an event are the
``(number, leg)`` pairs it changes, so that reading a study back needs no travel cost.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import field, frozen

from wayfare._core.arrays import Order, Points, Values, read_only
from wayfare.planning.anchor import Anchor
from wayfare.planning.plan import Method
from wayfare.planning.reach import Limits
from wayfare.record.currencies import Currency
from wayfare.space import AnySpace
from wayfare.surrogate.history import Notes
from wayfare.travel import TravelCost

Direction = Literal["maximize", "minimize"]


@frozen(eq=False)
class StudySpec:
    """What a study was created with; it never changes.

    ``travel`` is bound to the space; ``shuffle`` is the share of stops whose order is left to chance, and
    ``also`` are costs in further currencies, which are only reported.
    """

    name: str
    space: AnySpace
    travel: TravelCost
    direction: Direction
    trials: int
    start: Values | None
    method: Method
    seed: int
    unit: str
    noise: float | None
    limits: Limits = field(factory=Limits)
    anchor: Anchor | None = None
    shuffle: float = 0.0
    also: tuple[Currency, ...] = ()

    @property
    def sign(self) -> float:
        """Plus one to maximise, minus one to minimise."""
        return 1.0 if self.direction == "maximize" else -1.0


class TrialState(StrEnum):
    """Where a trial stands."""

    ASKED = "asked"
    TOLD = "told"
    FAILED = "failed"
    SKIPPED = "skipped"


def _frozen_mapping(params: Mapping[str, Any]) -> Mapping[str, Any]:
    return params if isinstance(params, MappingProxyType) else MappingProxyType(dict(params))


@frozen(eq=False)
class Trial:
    """One visit: handed out, then told, failed or skipped.

    ``params`` and ``x`` are where it really was; ``asked`` is where it should have been, if the setting was
    missed. ``leg`` is what it cost to get there, in ``unit``: ``spent``, where someone said what it really
    cost, else by the travel cost; ``predicted`` is what the travel cost said when the trial was handed out.
    ``value`` is as the user told it, whatever the direction, and ``earlier`` are the values it had before it
    was amended. A trial may be a run: ``count`` results to be taken here in a row, and once they are told, as
    many as there were; ``value`` is then their mean and ``variance`` how they varied among each other, where
    someone said. A run that failed counts as one trial, one whose value was withdrawn as what it was.
    ``stop`` counts the stops of its ``plan``; None for a place inserted by hand. A ``prior`` result was known
    before the study: nobody moved for it. ``home_first`` says that the leg went home and began a new trip.
    """

    number: int
    params: Mapping[str, Any] = field(converter=_frozen_mapping)
    x: Values = field(repr=False)
    leg: float
    unit: str
    worker: str
    plan: int
    stop: int | None
    predicted: float
    state: TrialState = TrialState.ASKED
    value: float | None = None
    asked: Mapping[str, Any] | None = None
    spent: float | None = None
    why: str = ""
    earlier: tuple[float | None, ...] = ()
    prior: bool = False
    count: int = 1
    variance: float | None = None
    home_first: bool = False

    @property
    def is_visit(self) -> bool:
        """Whether the traveller went there, or is on the way."""
        return self.state is not TrialState.SKIPPED and not self.prior


Row: TypeAlias = tuple[float, ...]
"""A place as plain numbers: a row of the space."""
Legs: TypeAlias = tuple[tuple[int, float], ...]
"""Trial numbers and what their legs cost from now on."""


@frozen(eq=False)
class Planned:
    """A route was planned: its stops in visiting order and the legs predicted.

    ``picked`` gives for each stop its place in the order the policy chose them: the same places unordered.
    ``counts`` says how many results to take at each stop; if it is empty, one. ``homes`` are the stops before
    which the traveller goes home to begin a new trip, and those in ``between`` were put in because a leg
    would have been too long.
    What decided it stands with it: ``seed`` (the plan's stream is keyed by its own number), the results it
    could see, the surrogate's notes (hyperparameters, the step down that was reached), wayfare's version.
    """

    stops: Points = field(converter=read_only)
    legs: Values = field(converter=read_only)
    picked: Order
    told: int
    notes: Notes
    seed: int
    version: str
    counts: tuple[int, ...] = ()
    homes: tuple[int, ...] = ()
    between: tuple[int, ...] = ()

    @property
    def each(self) -> Order:
        """How many results to take at each stop."""
        return np.array(self.counts or (1,) * len(self.stops), dtype=np.intp)


@frozen
class Asked:
    """A stop of the current route was handed out to a worker, for ``count`` of the results to take there.

    ``home_first``: the leg goes home and begins a new trip.
    """

    number: int
    stop: int
    leg: float
    worker: str
    request: str
    count: int = 1
    home_first: bool = False


@frozen
class Told:
    """A trial came back with a value; ``actual`` is where it really was, if the setting was missed.

    Of a run, the value is the mean of ``count`` results, and ``variance`` how they varied among each other.
    """

    number: int
    value: float
    request: str
    actual: Row | None = None
    spent: float | None = None
    legs: Legs = ()
    why: str = ""
    count: int = 1
    variance: float | None = None


@frozen
class Failed:
    """The move was made, but there is no value."""

    number: int
    why: str
    request: str
    actual: Row | None = None
    spent: float | None = None
    legs: Legs = ()


@frozen
class Skipped:
    """The place was not visited."""

    number: int
    why: str
    request: str
    legs: Legs = ()


@frozen
class Inserted:
    """A place that was not planned was handed out, or, if ``prior``, its result was known before."""

    number: int
    place: Row
    leg: float
    worker: str
    request: str
    prior: bool = False
    count: int = 1
    home_first: bool = False


@frozen
class Amended:
    """A trial was corrected; without a value it counts as failed from now on."""

    number: int
    value: float | None
    why: str
    request: str
    actual: Row | None = None
    spent: float | None = None
    legs: Legs = ()
    count: int = 1
    variance: float | None = None


@frozen
class Replanned:
    """The rest of the route was dropped; the traveller stands at ``position``, if that is given."""

    position: Row | None
    why: str
    request: str


Event: TypeAlias = Planned | Asked | Told | Failed | Skipped | Inserted | Amended | Replanned

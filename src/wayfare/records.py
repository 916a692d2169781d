"""What is kept of a study: its specification, the events since, and the state they add up to."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import reduce
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from attrs import evolve, field, frozen

from wayfare.arrays import Order, Points, Values, read_only
from wayfare.errors import AlreadyTold, UnknownTrial
from wayfare.history import History, Notes, Past
from wayfare.plan import Method
from wayfare.space import AnySpace
from wayfare.travel import TravelCost

Direction = Literal["maximize", "minimize"]


@frozen(eq=False)
class StudySpec:
    """What a study was created with; it never changes. ``travel`` is bound to the space."""

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

    @property
    def sign(self) -> float:
        """Plus one to maximise, minus one to minimise."""
        return 1.0 if self.direction == "maximize" else -1.0


class TrialState(StrEnum):
    """Where a trial stands."""

    ASKED = "asked"
    TOLD = "told"


def _frozen_mapping(params: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(params))


@frozen(eq=False)
class Trial:
    """One visit: handed out, then told.

    ``leg`` is what it cost to get there from where the traveller stood, in ``unit``. ``value`` is as the
    user told it, whatever the direction.
    """

    number: int
    params: Mapping[str, Any] = field(converter=_frozen_mapping)
    x: Values = field(converter=read_only, repr=False)
    leg: float
    unit: str
    worker: str
    plan: int
    state: TrialState = TrialState.ASKED
    value: float | None = None


@frozen(eq=False)
class Planned:
    """A route was planned: its stops in visiting order and the legs predicted.

    ``picked`` gives for each stop its place in the order the policy chose them: the same places unordered.
    """

    stops: Points = field(converter=read_only)
    legs: Values = field(converter=read_only)
    picked: Order
    told: int
    notes: Notes


@frozen
class Asked:
    """The next stop of the route was handed out to a worker."""

    number: int
    leg: float
    worker: str


@frozen
class Told:
    """A trial came back with a value."""

    number: int
    value: float


Event = Planned | Asked | Told


@frozen(eq=False)
class StudyState:
    """The state of a study after its first ``version`` events.

    ``ahead`` are the stops of the current plan not yet handed out. ``results`` lists the numbers of told
    trials in the order their values arrived.
    """

    spec: StudySpec
    version: int = 0
    trials: tuple[Trial, ...] = ()
    results: tuple[int, ...] = ()
    plans: tuple[Planned, ...] = ()
    ahead: int = 0

    @property
    def position(self) -> Values | None:
        """Where the traveller stands: at the last place handed out, or still at the start."""
        return self.trials[-1].x if self.trials else self.spec.start

    @property
    def left(self) -> int:
        """How many trials may still be handed out."""
        return self.spec.trials - len(self.trials)

    @property
    def stops_ahead(self) -> Points:
        """The stops of the current plan not yet handed out, in visiting order."""
        stops = self.plans[-1].stops if self.plans else read_only(np.empty((0, self.spec.space.d)))
        return stops[len(stops) - self.ahead :]

    @property
    def news(self) -> int:
        """How many results have come since the current plan was made."""
        return len(self.results) - (self.plans[-1].told if self.plans else 0)

    @property
    def open_trials(self) -> tuple[Trial, ...]:
        """The trials handed out and not yet told."""
        return tuple(trial for trial in self.trials if trial.state is TrialState.ASKED)

    @property
    def history(self) -> History:
        """What a planner may know, larger being better."""
        d = self.spec.space.d
        told = [self.trials[number] for number in self.results]
        return History(
            space=self.spec.space,
            x=np.array([trial.x for trial in told]).reshape(-1, d),
            y=np.array([self.spec.sign * (trial.value or 0.0) for trial in told]),
            pending=np.array([trial.x for trial in self.open_trials]).reshape(-1, d),
            position=self.position,
            noise=self.spec.noise,
            past=tuple(Past(plan.told, plan.notes) for plan in self.plans),
        )

    def trial(self, number: int) -> Trial:
        """Return the trial of that number."""
        if not 0 <= number < len(self.trials):
            asked = f"0 to {len(self.trials) - 1} have been" if self.trials else "none has been"
            raise UnknownTrial(f"trial {number} was never handed out ({asked}); ask() first")
        return self.trials[number]

    def apply(self, event: Event) -> "StudyState":
        """Return the state after ``event``."""
        after = evolve(self, version=self.version + 1)
        match event:
            case Planned():
                return evolve(after, plans=(*self.plans, event), ahead=len(event.stops))
            case Asked(number, leg, worker):
                x = self.stops_ahead[0]
                spec = self.spec
                trial = Trial(number, spec.space.params(x), x, leg, spec.unit, worker, len(self.plans) - 1)
                return evolve(after, trials=(*self.trials, trial), ahead=self.ahead - 1)
            case Told(number, value):
                trial = self.trial(number)
                if trial.state is TrialState.TOLD:
                    raise AlreadyTold(f"trial {number} already has the value {trial.value}")
                told = evolve(trial, state=TrialState.TOLD, value=value)
                trials = (*self.trials[:number], told, *self.trials[number + 1 :])
                return evolve(after, trials=trials, results=(*self.results, number))


def replay(spec: StudySpec, events: Iterable[Event]) -> StudyState:
    """Return the state that the events add up to."""
    return reduce(StudyState.apply, events, StudyState(spec))

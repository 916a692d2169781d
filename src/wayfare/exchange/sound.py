"""Whether events from elsewhere can be the story of a study: numbers in order, places that can be."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from wayfare import door
from wayfare.errors import InvalidInput
from wayfare.outcome import reason, spent_cost, told_result, worker_name
from wayfare.records import (
    Amended,
    Asked,
    Event,
    Failed,
    Inserted,
    Planned,
    Replanned,
    Row,
    Skipped,
    StudySpec,
    Told,
    TrialState,
)


def check_events(spec: StudySpec, events: Iterable[Event]) -> None:
    """Refuse events that could not have happened in this order."""
    story = _Story(spec)
    for at, event in enumerate(events):
        try:
            story.add(event)
        except InvalidInput as error:
            raise InvalidInput(f"events[{at}]: {error}") from error


class _Story:
    """How far the events have come: the state of each trial, the stops ahead, the results, the requests."""

    def __init__(self, spec: StudySpec) -> None:
        self.spec = spec
        self.trials: list[TrialState] = []
        self.requests: set[str] = set()
        self.counts: Sequence[int] = ()
        self.ahead = self.taken = self.told = 0
        self.parts: set[int] = set()  # the trials that have parts of the stop that is not wholly handed out

    def add(self, event: Event) -> None:
        match event:
            case Planned():
                self.plan(event)
                return
            case Asked():
                self.take(event)
                self.hand_out(event)
            case Inserted():
                self.place(event.place, "place")
                self.hand_out(event)
            case Told() | Failed() | Skipped():
                self.close(event)
            case Amended():
                self.amend(event)
            case Replanned():
                self.place(event.position, "position")
                reason(event.why)
                self.ahead, self.taken, self.parts = 0, 0, set()
        if event.request in self.requests:
            raise InvalidInput(f"request {event.request[:80]!r} is there twice")
        self.requests.add(door.name(event.request, "request"))

    def plan(self, plan: Planned) -> None:
        n = len(plan.stops)
        if n == 0:
            raise InvalidInput("stops must not be empty")
        self.points(plan.stops, "stops")
        if plan.legs.shape != (n,) or sorted(plan.picked.tolist()) != list(range(n)):
            raise InvalidInput(f"a plan of {n} stops needs {n} legs, and picked must number them")
        if plan.told > self.told:
            raise InvalidInput(f"told is {plan.told}, more than there were results")
        for leg in plan.legs.tolist():
            door.not_negative(leg, "a leg")
        if plan.counts and len(plan.counts) != n:
            raise InvalidInput(f"a plan of {n} stops needs {n} counts, or none")
        if plan.homes and (self.spec.limits.trip is None or max(plan.homes) >= n):
            raise InvalidInput(f"homes are {list(plan.homes)}, but only stops of trips are reached from home")
        if plan.between and (self.spec.limits.max_step is None or max(plan.between) >= n):
            raise InvalidInput(f"between is {list(plan.between)}, but only long steps have stops there")
        self.counts, self.ahead, self.taken, self.parts = plan.each.tolist(), n, 0, set()

    def take(self, event: Asked) -> None:
        stops = len(self.counts)
        if not stops - self.ahead <= event.stop < stops:
            raise InvalidInput("a stop was handed out that was not ahead")
        taken = event.count + (self.taken if event.stop == stops - self.ahead else 0)
        planned = self.counts[event.stop]
        if taken > planned:
            raise InvalidInput(f"{taken} results of a stop were handed out, {planned} planned")
        whole = taken == planned
        self.parts = set() if whole else {event.number, *(self.parts if taken > event.count else ())}
        self.ahead, self.taken = stops - event.stop - whole, 0 if whole else taken

    def hand_out(self, event: Asked | Inserted) -> None:
        if event.number != len(self.trials):
            raise InvalidInput(f"number is {event.number}, the next trial is {len(self.trials)}")
        door.not_negative(event.leg, "leg")
        if event.home_first and self.spec.limits.trip is None:
            raise InvalidInput("home_first: the study has no trips")
        worker_name(event.worker)
        self.trials.append(TrialState.ASKED)

    def close(self, event: Told | Failed | Skipped) -> None:
        if self.known(event.number) is not TrialState.ASKED:
            raise InvalidInput(f"trial {event.number} was {self.trials[event.number]} before")
        self.legs(event.legs)
        match event:
            case Told():
                told_result(event.value, event.count, event.variance, event.number)
                state = TrialState.TOLD
            case Failed():
                state = TrialState.FAILED
            case Skipped():
                state = TrialState.SKIPPED
                if event.number in self.parts:  # and with it the rest of its stop
                    self.ahead, self.taken, self.parts = self.ahead - 1, 0, set()
        reason(event.why)
        if not isinstance(event, Skipped):
            spent_cost(event.spent)
            self.place(event.actual, "actual")
        self.told += state is TrialState.TOLD
        self.trials[event.number] = state

    def amend(self, event: Amended) -> None:
        if self.known(event.number) not in (TrialState.TOLD, TrialState.FAILED):
            raise InvalidInput(f"trial {event.number} is {self.trials[event.number]}: nothing to amend")
        reason(event.why)
        spent_cost(event.spent)
        self.place(event.actual, "actual")
        self.legs(event.legs)
        if event.value is not None:
            told_result(event.value, event.count, event.variance, event.number)
        elif event.variance is not None:
            raise InvalidInput(f"trial {event.number}: a value that was taken back has no variance")
        state = TrialState.FAILED if event.value is None else TrialState.TOLD
        self.told += (state is TrialState.TOLD) - (self.trials[event.number] is TrialState.TOLD)
        self.trials[event.number] = state

    def known(self, number: int) -> TrialState:
        if number >= len(self.trials):
            raise InvalidInput(f"trial {number} was never handed out")
        return self.trials[number]

    def legs(self, legs: Sequence[tuple[int, float]]) -> None:
        for number, leg in legs:
            self.known(number)
            door.not_negative(leg, "a leg")

    def place(self, row: Row | None, what: str) -> None:
        if row is not None:
            self.points([row], what)

    def points(self, rows: ArrayLike, what: str) -> None:
        try:
            self.spec.space.points(np.array(rows, dtype=np.float64))
        except InvalidInput as error:
            raise InvalidInput(f"{what}: {error}") from error

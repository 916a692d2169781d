"""From events to state: what each of them changes."""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from attrs import evolve

from wayfare.arrays import Values, read_only
from wayfare.errors import AlreadyTold
from wayfare.records import (
    Amended,
    Asked,
    Event,
    Failed,
    Inserted,
    Legs,
    Planned,
    Replanned,
    Row,
    Skipped,
    StudySpec,
    Told,
    Trial,
    TrialState,
)
from wayfare.state import StudyState


def replay(spec: StudySpec, events: Iterable[Event]) -> StudyState:
    """Return the state that the events add up to."""
    return apply(StudyState(spec), events)


def apply(state: StudyState, events: Iterable[Event]) -> StudyState:
    """Return the state after these events as well; many at once cost little more than one."""
    draft = None
    for event in events:
        draft = draft or _Draft(state)  # thawed only if there is something to add
        draft.add(event)
    return state if draft is None else draft.done()


class _Draft:
    """A state thawed: lists that grow, so that a long history is read in linear time."""

    def __init__(self, state: StudyState) -> None:
        self.spec, self.version, self.begun = state.spec, state.version, len(state.trials)
        self.used, self.ahead, self.taken, self.news = state.used, state.ahead, state.taken, state.news
        self.trials, self.results, self.plans = list(state.trials), list(state.results), list(state.plans)
        self.moved, self.requests = list(state.moved), dict(state.requests)
        self.last: Event | None = state.last
        self.out = dict.fromkeys(state.out)  # in the order they were handed out

    def done(self) -> StudyState:
        return StudyState(
            self.spec,
            self.version,
            tuple(self.trials),
            tuple(self.results),
            tuple(self.out),
            self.used,
            tuple(self.plans),
            self.ahead,
            self.taken,
            self.news,
            tuple(self.moved),
            self.last,
            self.requests,
        )

    def add(self, event: Event) -> None:
        self.version, self.last = self.version + 1, event
        match event:
            case Planned():
                self.plans.append(event)
                self.ahead, self.taken, self.news = len(event.stops), 0, 0
                return
            case Asked(number, stop, leg, worker, _, count, home):
                self.hand_out(number, self.plans[-1].stops[stop], leg, worker, stop, False, count, home)
                self.take(stop, count)
            case Inserted(number, place, leg, worker, _, prior, count, home):
                self.hand_out(number, read_only(place), leg, worker, None, prior, count, home)
            case Told(number, value, _, actual, spent, legs, why, count, variance):
                result = {"value": value, "count": count, "variance": variance}
                self.close(number, TrialState.TOLD, result, why, actual, spent, legs)
                self.results.append(number)
                self.news += 1
            case Failed(number, why, _, actual, spent, legs):
                self.close(number, TrialState.FAILED, {"count": 1}, why, actual, spent, legs)
            case Skipped(number, why, _, legs):
                self.use(number, 0)
                self.leave(self.trials[number])
                self.hand_on(self.trials[number])
                self.close(number, TrialState.SKIPPED, {}, why, None, None, legs)
            case Amended():
                self.amend(event)
            case Replanned(position, _, _):
                self.ahead = self.taken = 0
                if position is not None:
                    self.moved.append((len(self.trials), read_only(position)))
        self.requests[event.request] = event

    def take(self, stop: int, count: int) -> None:
        """Count results as handed out at a stop, which stays ahead until all of them are."""
        plan = self.plans[-1]
        stops = len(plan.stops)
        taken = count + (self.taken if stop == stops - self.ahead else 0)
        if plan.counts and taken < plan.counts[stop]:
            self.ahead, self.taken = stops - stop, taken
        else:
            self.ahead, self.taken = stops - stop - 1, 0

    def leave(self, trial: Trial) -> None:
        """Drop what is left of a stop that was handed out in part and then skipped."""
        current = trial.plan == len(self.plans) - 1
        if self.taken and current and trial.stop == len(self.plans[-1].stops) - self.ahead:
            self.ahead, self.taken = self.ahead - 1, 0

    def hand_on(self, trial: Trial) -> None:
        """Let the next visit go home first if one that was skipped was to."""
        until = next((after for after, _ in self.moved if after > trial.number), len(self.trials))
        later = next((one for one in self.trials[trial.number + 1 : until] if one.is_visit), None)
        if trial.home_first and later is not None:
            self.put(later.number, {"home_first": True})

    def use(self, number: int, count: int) -> None:
        """Count the trials that a visit uses up, instead of what it used so far."""
        trial = self.trials[number]
        self.used += (count - trial.count) * trial.is_visit

    def hand_out(
        self,
        number: int,
        x: Values,
        leg: float,
        worker: str,
        stop: int | None,
        prior: bool,
        count: int,
        home: bool,
    ) -> None:
        spec = self.spec
        self.trials.append(
            Trial(
                number,
                spec.space.params(x),
                x,
                leg,
                spec.unit,
                worker,
                len(self.plans) - 1,
                stop,
                leg,
                prior=prior,
                count=count,
                home_first=home,
            )
        )
        self.out[number] = None
        self.used += count * (not prior)

    def close(
        self,
        number: int,
        state: TrialState,
        result: dict[str, Any],
        why: str,
        actual: Row | None,
        spent: float | None,
        legs: Legs,
    ) -> None:
        trial = self.trials[number]
        check_open(trial)
        del self.out[number]
        self.use(number, result.get("count", trial.count))
        self.change(trial, result | {"state": state, "why": why}, actual, spent, legs)

    def amend(self, event: Amended) -> None:
        number, value = event.number, event.value
        trial = self.trials[number]
        state = TrialState.FAILED if value is None else TrialState.TOLD
        if state is TrialState.TOLD and trial.state is TrialState.FAILED:
            self.results.append(number)
        elif state is TrialState.FAILED and trial.state is TrialState.TOLD:
            self.results.remove(number)
        earlier = trial.earlier if value == trial.value else (*trial.earlier, trial.value)
        result = {"value": value, "count": event.count, "variance": event.variance}
        same = (value, event.count, event.variance) == (trial.value, trial.count, trial.variance)
        self.news += not same or (event.actual is not None and value is not None)
        self.use(number, event.count)
        changes = result | {"state": state, "earlier": earlier, "why": event.why or trial.why}
        self.change(trial, changes, event.actual, event.spent, event.legs)

    def change(
        self, trial: Trial, changes: dict[str, Any], actual: Row | None, spent: float | None, legs: Legs
    ) -> None:
        if spent is not None:
            changes["spent"] = spent
        if actual is not None:
            params = MappingProxyType(self.spec.space.params(read_only(actual)))
            asked = trial.params if trial.asked is None else trial.asked
            changes |= {"x": read_only(actual), "params": params, "asked": asked}
        self.put(trial.number, changes)
        for number, leg in legs:
            self.put(number, {"leg": leg})

    def put(self, number: int, changes: dict[str, Any]) -> None:
        trial = self.trials[number]
        if number < self.begun:
            self.trials[number] = evolve(trial, **changes)
            return
        # Made in this draft, so nobody has seen it yet: changing it in place makes opening a third faster.
        for name, value in changes.items():
            object.__setattr__(trial, name, value)


def check_open(trial: Trial) -> None:
    """Refuse an outcome for a trial that has one."""
    if trial.state is TrialState.TOLD:
        raise AlreadyTold(f"trial {trial.number} already has the value {trial.value!r}; amend corrects it")
    if trial.state is not TrialState.ASKED:
        because = f" ({trial.why})" if trial.why else ""
        failed = trial.state is TrialState.FAILED
        word = "failed" if failed else "was skipped"
        way = "amend gives it a value" if failed else "insert goes there after all"
        raise AlreadyTold(f"trial {trial.number} {word}{because}; {way}")

"""The state of a study: what its events add up to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np
from attrs import define, evolve, field, frozen

from wayfare._core.arrays import Order, Points, Values, no_points, read_only, same_rows
from wayfare._core.layers import Layers
from wayfare._core.tolerance import COST_RTOL
from wayfare.errors import AlreadyTold, InvalidInput, StoreError, UnknownTrial
from wayfare.planning.itinerary import Itinerary
from wayfare.record.columns import Columns
from wayfare.record.events import (
    Amended,
    Asked,
    Changed,
    Event,
    Failed,
    Inserted,
    Planned,
    Reassigned,
    Replanned,
    Returned,
    Skipped,
    StudySpec,
    Told,
    Trial,
    TrialState,
)
from wayfare.space import AnySpace
from wayfare.surrogate.history import OPENING, History, Past, is_blind


class Earlier(NamedTuple):
    """A specification that was changed: how many trials and plans there were by then, and the keys that changed."""

    spec: StudySpec
    trials: int
    plans: int
    keys: Set[str]


ASIDE = {
    *("trials", "budget", "dwell", "trip", "day", "trip_cost", "home", "max_step", "start", "also", "travel", "unit"),
    *("anchor", "anchor_every", "shuffle", "stop"),
}
"""Keys of a specification that say nothing of what is believed; a fit after a change of any other starts afresh."""


@frozen(eq=False)
class WayHome:
    """A way home on its own, made by ``go_home``.

    Attributes:
        move: its place among the ``moved`` of the study.
        after: how many trials there were.
        spec: the specification that was in force.
        leg: its cost: ``spent`` if that was told, else by the travel cost.
        predicted: the same by the travel cost, when it was made.
        spent: what it really cost, if that was told.
        new_trip: whether a new trip began there.
    """

    move: int
    after: int
    spec: StudySpec
    leg: float
    predicted: float
    spent: float | None = None
    new_trip: bool = False


@define(eq=False, on_setattr=None)
class StudyState:
    """The state of a study after its first ``version`` events.

    Attributes:
        spec: the specification in force.
        version: number of events applied.
        trials: all trials, by number.
        results: numbers of the told trials, in the order their values arrived.
        out: numbers of the trials handed out and still without an outcome.
        used: trials used up; a run counts as many as it has results.
        plans: all routes planned.
        ahead: number of stops of the current route that are not wholly handed out.
        taken: results handed out at the first of them.
        news: results and corrections that the route was planned without.
        failures: numbers of the trials that failed since then.
        moved: every ``replan(position=...)`` and way home: the number of trials there were then, and the position.
        returns: the ways home that were made on their own, by ``go_home``.
        last: the last event.
        requests: the event that each request caused.
        earlier: the specifications before that in force, oldest first.
        spent_told: the number of trials whose leg has a cost that was told.
        before: the columns of an earlier state, to go on from; None for none.
        past: the first plans as a planner sees them.
        changed: the numbers of the trials that changed since ``before``.
    """

    spec: StudySpec
    version: int = 0
    trials: tuple[Trial, ...] = ()
    results: tuple[int, ...] = ()
    out: tuple[int, ...] = ()
    used: int = 0
    plans: tuple[Planned, ...] = ()
    ahead: int = 0
    taken: int = 0
    news: int = 0
    failures: tuple[int, ...] = ()
    moved: tuple[tuple[int, Values], ...] = ()
    returns: tuple["WayHome", ...] = ()
    last: Event | None = None
    requests: Layers[str, Event] = field(factory=Layers[str, Event])
    earlier: tuple[Earlier, ...] = ()
    spent_told: int = 0
    before: Columns | None = field(default=None, repr=False)
    past: tuple[Past, ...] = field(default=(), repr=False)
    changed: frozenset[int] = field(default=frozenset(), repr=False)
    _columns: Columns | None = field(init=False, default=None, repr=False)

    @property
    def created(self) -> StudySpec:
        """The specification that the study was created with."""
        return self.earlier[0].spec if self.earlier else self.spec

    def spec_of(self, number: int) -> StudySpec:
        """Return the specification that was in force when trial ``number`` was handed out: its leg is priced by it."""
        return next((one.spec for one in self.earlier if number < one.trials), self.spec)

    def since(self, *keys: str) -> int:
        """Return how many trials there were when one of these keys was last changed; 0 if none ever was."""
        return max((one.trials for one in self.earlier if not one.keys.isdisjoint(keys)), default=0)

    @property
    def position(self) -> Values | None:
        """Current position: the last visit, or the last ``replan(position=...)`` after it, or the start."""
        return self.origin(len(self.trials))

    @cached_property
    def trials_left(self) -> int:
        """How many trials may still be handed out; a place that was skipped does not count.

        No more than there are places left, where each may be visited only once.
        """
        left, size = max(0, self.spec.trials - self.used), self.spec.space.size
        if not self.spec.space.once or size is None or left <= size - len(self.trials):
            return left
        return min(left, self.unvisited.size or 0)

    @cached_property
    def unvisited(self) -> AnySpace:
        """The space without what was visited, where each place may be only once; skipped places stay."""
        space = self.spec.space
        if not space.once:
            return space
        return space.without(self._visited)

    @property
    def _visited(self) -> Points:
        return self._places([trial for trial in self.trials if trial.state is not TrialState.SKIPPED])

    @cached_property
    def to_come(self) -> Order:
        """The numbers of the current plan's stops that are ahead, in visiting order.

        Left out are places that failed since the route was planned and never gave a result, places that a change no
        longer allows and, where a place may be visited only once, those visited off the plan meanwhile.
        """
        if not self.plans:
            return np.empty(0, dtype=np.intp)
        stops = self.plans[-1].stops
        numbers = np.arange(len(stops) - self.ahead, len(stops))
        if self.earlier:
            numbers = numbers[self.spec.space.contains(stops[numbers])]
        if self.spec.space.once:
            there = self.spec.space.contains(stops[numbers])
            numbers = numbers[there & ~same_rows(stops[numbers], self._visited)]
        if self.failures and len(numbers):
            told = self._places([self.trials[number] for number in self.results])
            failed = self._places([self.trials[number] for number in self.failures])
            numbers = numbers[~same_rows(stops[numbers], failed) | same_rows(stops[numbers], told)]
        counts = self._to_take(numbers)
        return numbers[np.cumsum(counts) - counts < self.trials_left]

    @cached_property
    def itinerary(self) -> Itinerary:
        """The stops ahead, with the results still to be taken at each and the visits home as planned.

        Where some of the results at the first stop were handed out, the traveller is there, and does not go home for
        it.
        """
        if not self.plans:
            return Itinerary.empty(self.spec.unit, self.spec.space.d)
        numbers, whole = self.to_come, self.plans[-1].itinerary
        counts = self._to_take(numbers)
        before = np.cumsum(counts) - counts
        # A visit home planned before a stop that was stepped over is made before the next one.
        first = len(whole) - self.ahead + (self.taken > 0)
        starts = [first, *(numbers[:-1] + 1)]
        homes = [False] * len(numbers)
        if whole.homes.any():
            homes = [bool(whole.homes[start : stop + 1].any()) for start, stop in zip(starts, numbers, strict=False)]
        if homes and self.has_just_returned:
            homes = [False, *homes[1:]]
        return Itinerary(
            whole.places[numbers],
            whole.picked[numbers],
            whole.legs[numbers],
            np.minimum(counts, self.trials_left - before),
            self.spec.unit,
            np.array(homes, dtype=np.bool_),
            whole.between[numbers],
        )

    @property
    def stops_ahead(self) -> Points:
        """The places of the stops ahead, in visiting order."""
        return self.itinerary.places

    def _to_take(self, numbers: Order) -> Order:
        """Return how many results are still to be taken at these stops of the current plan."""
        plan = self.plans[-1]
        counts = plan.each[numbers]
        counts[numbers == len(plan.stops) - self.ahead] -= self.taken
        return counts

    @property
    def open_trials(self) -> tuple[Trial, ...]:
        """The trials handed out and still without an outcome."""
        return tuple(self.trials[number] for number in self.out)

    @cached_property
    def history(self) -> History:
        """The results and places a planner may know; larger values are better."""
        columns = self.columns
        told, skipped = columns.results, columns.of(TrialState.SKIPPED)
        return History(
            space=self.spec.space,
            x=columns.x[told],
            y=self.spec.sign * columns.values[told],
            pending=self._places(self.open_trials),
            failed=columns.x[columns.of(TrialState.FAILED)],
            skipped=columns.x[skipped],
            position=self.position,
            noise=self.spec.noise,
            past=self.seen_plans,
            visited=columns.x[columns.visits],
            between=columns.between,
            counts=columns.counts[told],
            variances=columns.variances[told],
            pending_counts=[trial.count for trial in self.open_trials],
            handed_out=self.used,
            just_skipped=columns.x[skipped & (columns.stops[:, 0] == len(self.plans) - 1)],
            limits=self.spec.measured,
            measured=columns.measured[told],
            allowed=[self.allows(self.trials[number]) for number in self.results]
            if self.earlier
            else np.ones(len(told), dtype=np.bool_),
            places=columns.places[told],
        )

    @property
    def columns(self) -> Columns:
        """The trials as arrays."""
        if self._columns is None:
            before = Columns.empty(self.spec) if self.before is None else self.before
            self._columns = before.after(self.spec, self.trials, self.plans, self.results, self.changed)
        return self._columns

    @property
    def newest_columns(self) -> tuple[Columns | None, set[int]]:
        """The newest columns that were worked out, none if none were, and the trials that changed since."""
        return (self.before, set(self.changed)) if self._columns is None else (self._columns, set())

    def allows(self, trial: Trial) -> bool:
        """Return whether the place of a trial may still be visited.

        A setting that was missed, or an old result out of bounds, counts as the allowed place that was nearest to it;
        and where an axis has steps now, one between two of them as the nearer.
        """
        if not self.earlier:
            return True
        space, place = self.spec.space, self.spec_of(trial.number).space.snap(trial.x[None, :])
        grids = [axis.grid for axis in getattr(space, "axes", ())]
        half = [0.0 if grid is None else 0.5 * grid.step * (1 + COST_RTOL) for grid in grids] or [0.0] * space.d
        return bool((np.abs(space.snap(place) - place)[0] <= half).all())

    @property
    def seen_plans(self) -> tuple[Past, ...]:
        """The earlier plans; of those before what is believed in was changed, only how much they saw."""
        if len(self.past) < len(self.plans):
            fresh, known = max((one.plans for one in self.earlier if not one.keys <= ASIDE), default=0), len(self.past)
            self.past += tuple(
                Past(plan.told, plan.notes if at >= fresh or is_blind(plan.notes) else OPENING)
                for at, plan in enumerate(self.plans[known:], known)
            )
        return self.past

    @cached_property
    def added(self) -> Mapping[int, Order]:
        """By column of a choice: the positions of the values that a change brought in, and no trial has had yet."""
        found: dict[int, Order] = {}
        for column, values in enumerate(self.spec.space.choices if self.earlier else ()):
            if values is None:
                continue
            seen = {trial.x[column] for trial in self.trials}
            before = len(self.created.space.choices[column] or ())
            new = [at for at in range(before, len(values)) if at not in seen]
            if new:
                found[column] = np.array(new, dtype=np.intp)
        return found

    def _places(self, trials: Sequence[Trial]) -> Points:
        return np.array([trial.x for trial in trials]) if trials else no_points(self.spec.space.d)

    def origin(self, number: int) -> Values | None:
        """Return where the traveller stood before trial ``number``; None if that is unknown."""
        moves = [(after, x) for after, x in self.moved if after <= number]
        after, put = moves[-1] if moves else (0, self.spec.start)
        return self._last_place(after, number, put)

    def _last_place(self, first: int, end: int, put: Values | None) -> Values | None:
        """Return the place of the last visit of the trials from ``first`` to ``end``; else where it was put before."""
        # From the end, where it almost always is: this is asked of every trial of a long study.
        return next((self.trials[at].x for at in range(end - 1, first - 1, -1) if self.trials[at].is_visit), put)

    @property
    def has_just_returned(self) -> bool:
        """Whether the traveller is at home to begin a new trip."""
        last = self.returns[-1] if self.returns else None
        if last is None or not last.new_trip or last.move < len(self.moved) - 1:
            return False
        return not any(trial.is_visit for trial in self.trials[last.after :])

    def next_return(self, number: int) -> int | None:
        """Return the number of the way home that began at trial ``number``; None if there is none."""
        if self.next_visit(number) is not None:
            return None
        move = next((at for at, (after, _) in enumerate(self.moved) if after > number), None)
        return next((at for at, one in enumerate(self.returns) if one.move == move), None)

    def leaving(self, move: int) -> Values | None:
        """Return where the traveller stood before this one of ``moved``; None if that is unknown."""
        after, (begun, put) = self.moved[move][0], self.moved[move - 1] if move else (0, self.spec.start)
        return self._last_place(begun, after, put)

    def next_visit(self, number: int) -> Trial | None:
        """Return the visit after trial ``number`` whose leg began there; None if there is none."""
        until = next((after for after, _ in self.moved if after > number), len(self.trials))
        return next((trial for trial in self.trials[number + 1 : until] if trial.is_visit), None)

    def trial(self, number: int) -> Trial:
        """Return the trial of that number."""
        if not 0 <= number < len(self.trials):
            asked = f"0 to {len(self.trials) - 1} have been" if self.trials else "none has been"
            raise UnknownTrial(f"trial {number} was never handed out ({asked}); ask first")
        return self.trials[number]


# From events to state: what each of them changes.


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


class Noted(NamedTuple):
    """A change by an event: an attribute of a trial, None before it was handed out; or the traveller's position."""

    trial: int | None
    name: str
    before: Any
    after: Any


def noting(spec: StudySpec, events: Iterable[Event]) -> Iterator[tuple[Event, Sequence[Noted]]]:
    """Yield each event with what it changed, in linear time."""
    draft = _Draft(StudyState(spec))
    for event in events:
        draft.noted = noted = []
        if isinstance(event, Returned):
            noted += [_put(draft, draft.spec.limits.home)]
            noted += [Noted(None, "way_home", None, event.leg if event.spent is None else event.spent)]
        if isinstance(event, Replanned) and event.position is not None:
            noted += [_put(draft, read_only(event.position))]
        draft.add(event)
        yield event, noted


def _put(draft: "_Draft", after: Values | None) -> Noted:
    """Return how a position changes."""
    before, params = draft.done().position, draft.spec.space.params
    return Noted(None, "position", *(None if x is None else params(x) for x in (before, after)))


class _Draft:
    """A state thawed: lists that grow, so that a long history is read in linear time."""

    def __init__(self, state: StudyState) -> None:
        self.spec, self.version, self.begun = state.spec, state.version, len(state.trials)
        self.used, self.ahead, self.taken, self.news = state.used, state.ahead, state.taken, state.news
        # Long ones become lists only where something is added (``thawed``).
        self.trials: Sequence[Trial] = state.trials
        self.results: Sequence[int] = state.results
        self.plans: Sequence[Planned] = state.plans
        self.failures, self.moved = list(state.failures), list(state.moved)
        self.requests, self.granted = state.requests, dict[str, Event]()
        self.earlier = list(state.earlier)
        self.returns = list(state.returns)
        self.spent_told = state.spent_told
        self.before, self.changed = state.newest_columns
        self.past = state.past
        self.last: Event | None = state.last
        self.out = dict.fromkeys(state.out)  # in the order they were handed out
        self.known_plan = self.plans[-1] if self.plans else None
        self.noted: list[Noted] | None = None  # if it is a list, every change of a trial is added to it
        self.known: int | None = None  # how many results were known before, counted when the first is added

    def thawed(self, name: str) -> list[Any]:
        """Return trials, results or plans as a list that may be changed."""
        found = getattr(self, name)
        if isinstance(found, tuple):
            found = list(found)
            setattr(self, name, found)
        return cast(list[Any], found)

    def done(self) -> StudyState:
        if self.plans and self.plans[-1] is not self.known_plan:
            self.spec.space.points(self.plans[-1].stops)  # the others are walked already, each place read on the way
        numbers = tuple(self.trials), tuple(self.results), tuple(self.out), self.used
        route = tuple(self.plans), self.ahead, self.taken, self.news
        places = tuple(self.failures), tuple(self.moved), tuple(self.returns)
        rest = self.last, self.requests.plus(dict(self.granted)), tuple(self.earlier)
        kept = self.before, self.past, frozenset(self.changed)
        return StudyState(self.spec, self.version, *numbers, *route, *places, *rest, self.spent_told, *kept)

    def add(self, event: Event) -> None:
        self.version, self.last = self.version + 1, event
        match event:
            case Planned():
                check_plan(event, self.spec.space.d)
                self.thawed("plans").append(event)
                self.ahead, self.taken, self.failures = len(event.stops), 0, []
                self.news = max(0, len(self.results) - event.told)  # results that came in while it was planned
                return
            case Asked():
                self.hand_out(event, self.plans[-1].stops[event.stop], event.stop, prior=False)
                self.take(event.stop, event.count)
            case Inserted():
                self.hand_out(event, read_only(event.place), None, prior=event.prior)
            case Told():
                found = {"value": event.value, "count": event.count, "variance": event.variance}
                self.close(event, TrialState.TOLD, **found, measured=event.measured)
                self.thawed("results").append(event.number)
                self.news += 1
            case Failed():
                self.close(event, TrialState.FAILED, count=1)
                self.failures.append(event.number)
            case Skipped():
                self.use(event.number, 0)
                self.leave(self.trials[event.number])
                self.hand_on(self.trials[event.number])
                self.close(event, TrialState.SKIPPED)
            case Amended():
                self.amend(event)
            case Reassigned():
                trial = self.trials[event.number]
                check_open(trial)
                former = (*trial.former, trial.worker)
                self.put(event.number, {"worker": event.worker, "former": former, "issued": event.stamp})
            case Replanned():
                self.ahead = self.taken = 0
                if event.position is not None:
                    position = read_only(event.position)
                    self.spec.space.params(position)  # which refuses one of other axes
                    self.moved.append((len(self.trials), position))
            case Changed():
                if event.spec is None:
                    raise StoreError("a change was replayed without its specification; read_events works it out")
                self.earlier.append(Earlier(self.spec, len(self.trials), len(self.plans), event.form.keys()))
                self.spec, self.before, self.past = event.spec, None, ()
                if event.drops:
                    self.ahead = self.taken = 0
            case Returned():
                self.go_home(event)
        self.granted[event.request] = event

    def go_home(self, event: Returned) -> None:
        """Put the traveller at home, at the cost of the way there."""
        if self.spec.limits.home is None:
            raise StoreError("the traveller went home, and the study has none")
        leg = event.leg if event.spent is None else event.spent
        at = len(self.moved), len(self.trials)
        way = WayHome(*at, self.spec, leg, event.leg, event.spent, event.new_trip)
        self.moved.append((len(self.trials), self.spec.limits.home))
        self.returns.append(way)

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

    def hand_out(self, event: Asked | Inserted, x: Values, stop: int | None, prior: bool) -> None:
        if event.number != len(self.trials):
            raise StoreError(f"a trial has number {event.number}, the next one is {len(self.trials)}")
        where = event.number, self.spec.space.params(x), x, event.leg, self.spec.unit, event.worker
        more: dict[str, Any] = {"prior": prior, "count": event.count, "home_first": event.home_first}
        more["issued"] = event.stamp
        if prior:
            self.known = sum(trial.prior for trial in self.trials) if self.known is None else self.known
            more["rank"] = self.known
            self.known += 1
        self.thawed("trials").append(Trial(*where, len(self.plans) - 1, stop, predicted=event.leg, **more))
        if self.noted is not None:
            trial = self.trials[-1]
            names = ("params", "leg", "worker", "count", "home_first", "prior")
            self.noted += [Noted(trial.number, name, None, getattr(trial, name)) for name in names]
        self.out[event.number] = None
        self.used += event.count * (not prior)

    def close(self, event: Told | Failed | Skipped, state: TrialState, **result: Any) -> None:
        trial = self.trials[event.number]
        check_open(trial)
        del self.out[event.number]
        self.use(event.number, result.get("count", trial.count))
        self.change(event, result | {"state": state, "why": event.why})

    def amend(self, event: Amended) -> None:
        number, value = event.number, event.value
        trial = self.trials[number]
        state = TrialState.FAILED if value is None else TrialState.TOLD
        if state is TrialState.TOLD and trial.state is TrialState.FAILED:
            self.thawed("results").append(number)
        elif state is TrialState.FAILED and trial.state is TrialState.TOLD:
            self.thawed("results").remove(number)
            self.before = None
        earlier = trial.earlier if value == trial.value else (*trial.earlier, trial.value)
        result = {key: getattr(event, key) for key in ("value", "count", "variance", "measured")}
        same = all(getattr(trial, key) == found for key, found in result.items())
        self.news += not same or (event.actual is not None and value is not None)
        self.use(number, event.count)
        changes = result | {"state": state, "earlier": earlier, "why": event.why or trial.why}
        self.change(event, changes)

    def change(self, event: Told | Failed | Skipped | Amended, changes: dict[str, Any]) -> None:
        changes["closed"] = event.stamp
        if not isinstance(event, Skipped):  # there was no visit, so there is no cost and no place
            trial = self.trials[event.number]
            if event.spent is not None:
                changes["spent"] = event.spent
                self.spent_told += trial.spent is None
            if event.actual is not None:
                x = read_only(event.actual)
                asked = trial.params if trial.asked is None else trial.asked
                changes |= {"x": x, "params": MappingProxyType(self.spec.space.params(x)), "asked": asked}
        self.put(event.number, changes)
        for number, leg in event.legs:
            self.put(number, {"leg": leg})
        for number, leg in event.ways_home:
            if self.noted is not None:
                self.noted.append(Noted(None, "way_home", self.returns[number].leg, leg))
            self.returns[number] = evolve(self.returns[number], leg=leg)

    def put(self, number: int, changes: dict[str, Any]) -> None:
        trial = self.trials[number]
        if self.before is not None and number < len(self.before.x):
            self.changed.add(number)
        if self.noted is not None:
            self.noted += [Noted(number, name, getattr(trial, name), value) for name, value in changes.items()]
        if number < self.begun:
            self.thawed("trials")[number] = evolve(trial, **changes)
            return
        # Made in this draft and not seen outside yet: changing it in place makes opening a third faster.
        for name, value in changes.items():
            object.__setattr__(trial, name, value)


def check_plan(plan: Planned, d: int) -> None:
    """Refuse a plan whose parts do not fit together, as a file may have it."""
    n = len(plan.stops)
    if n == 0 or plan.stops.shape[1] != d:
        raise InvalidInput(f"stops must be places of {d} axes, one or more, got shape {plan.stops.shape}")
    if plan.legs.shape != (n,) or sorted(plan.picked.tolist()) != list(range(n)):
        raise InvalidInput(f"a plan of {n} stops needs {n} legs, and picked must number them")
    if plan.counts and len(plan.counts) != n:
        raise InvalidInput(f"a plan of {n} stops needs {n} counts, or none")
    if max(plan.homes, default=0) >= n or max(plan.between, default=0) >= n:
        raise InvalidInput(f"homes and between must be numbers of the {n} stops")


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

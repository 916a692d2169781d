"""The moves of a study: which events each of them writes, decided from the state alone.

Every move checks first and returns events last, so what is refused leaves no mark; no events mean that the
request was granted before. A move that needs a new route returns that instead, because planning may take long and the
journal has to see to it that of many workers only one does it.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TypeAlias, TypeVar

import numpy as np
from attrs import evolve, frozen

from wayfare._core.arrays import Values
from wayfare._core.format import in_words, results
from wayfare._core.rng import stream
from wayfare._version import __version__
from wayfare.errors import BudgetSpent, Conflict, InvalidInput, TooEarly
from wayfare.planning.itinerary import Itinerary
from wayfare.planning.method import check_parts
from wayfare.planning.plan import Task, plan_batch
from wayfare.planning.reach import Walk
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
    Row,
    Skipped,
    StudySpec,
    Told,
    Trial,
    TrialState,
)
from wayfare.record.state import StudyState, apply, check_open
from wayfare.report.allowance import spent_in_words, why_not
from wayfare.report.costs import (
    budget_left,
    learned_cost,
    leg_cost,
    leg_costs,
    reach_of,
    return_cost,
    travel_of,
    way_home_cost,
)
from wayfare.report.ledger import price_of_shuffling
from wayfare.report.progress import ended
from wayfare.route import Shuffled
from wayfare.space.constraints import broken_by
from wayfare.space.forbidden import forbidding
from wayfare.travel import MissingCost, priced


@frozen(eq=False)
class NeedsRoute:
    """A move that cannot be decided without a new route.

    Attributes:
        state: what to plan from.
        then: returns the events of the move with that route, or with None if the limits allow no stop; or the need of
            a further route.
    """

    state: StudyState
    then: "Callable[[Planned | None], Decided]"


Decided: TypeAlias = list[Event] | NeedsRoute
"""The events of a move, none if its request was granted before; or the need of a route."""


def ask(
    state: StudyState, worker: str, wait: bool, whole: bool, request: str, overdue: datetime | None = None
) -> Decided:
    """Hand out the next stop, planning first if the route is at its end.

    Args:
        state: the study.
        worker: who asks.
        wait: whether a trial that the worker has out comes first.
        whole: hand out all results of the stop at once.
        request: the id of the move.
        overdue: take over a trial that another worker has had out since then or longer, if there is one. This is the
            one decision that a clock has a part in; what it led to is an event like any other.
    """
    before = state.requests.get(request)
    if before is not None and not (isinstance(before, Asked | Reassigned) and before.worker == worker):
        raise in_use(before)
    if before is not None or (wait and open_trial(state, worker) is not None):
        return []
    if overdue is not None and (trial := _longest_out(state, worker, overdue)) is not None:
        return [Reassigned(trial.number, worker, request)]
    if state.trials_left == 0:
        return []
    if not state.spec.method.schedule.is_due(state.news) and (walk := _next_stop(state, whole)):
        return [_hand_out(state, walk, worker, whole, request)]
    if ended(state):
        return []

    def then(made: Planned | None) -> list[Event]:
        if made is None:
            return []
        planned = apply(state, [made])
        walk = _next_stop(planned, whole)
        return [made, _hand_out(planned, walk, worker, whole, request)] if walk else []

    return NeedsRoute(state, then)


def _hand_out(state: StudyState, walk: Walk, worker: str, whole: bool, request: str) -> Asked:
    """Return the next stop as handed out, ``walk`` being the way there."""
    place, home = state.itinerary.places[0], bool(walk.homes[0])
    return Asked(
        number=len(state.trials),
        stop=int(state.to_come[0]),
        leg=leg_cost(state, state.position, place, via_home=home),
        worker=worker,
        request=request,
        count=int(state.itinerary.counts[0]) if whole else 1,
        home_first=home,
    )


def ask_several(state: StudyState, n: int | None, worker: str, wait: bool, whole: bool, request: str) -> Decided:
    """Hand out stops one after the other; if ``wait``, until the worker has ``n`` out, else ``n`` more.

    Without ``n``, these are the stops up to the next return home; the first may go home before, if no trial is out.

    Each is decided as if the traveller were asked for alone, after those before it: what they cost counts, and the
    model takes them as pending. The first has the id ``request``, then come ``request/1``, ``request/2``, ...
    """
    if request in state.requests:
        return ask(state, worker, wait, whole, request)
    many = None if n is None else n - wait * sum(trial.worker == worker for trial in state.open_trials)

    def go_on(done: list[Event], now: StudyState, more: Decided) -> Decided:
        """Return all events, ``done`` being those before ``now`` and ``more`` those of the next stop."""
        while not isinstance(more, NeedsRoute):
            if n is None and now.out and any(isinstance(event, Asked) and event.home_first for event in more):
                return done  # what was planned for it is not kept: tomorrow more is known
            done, now = [*done, *more], apply(now, more)
            at = sum(isinstance(event, Asked) for event in done)
            if not more or at == many:
                return done
            more = ask(now, worker, False, whole, f"{request}/{at}")
        need = more
        return NeedsRoute(need.state, lambda made: go_on(done, now, need.then(made)))

    return go_on([], state, ask(state, worker, False, whole, request)) if many is None or many > 0 else []


def handed_out(state: StudyState, worker: str, wait: bool, request: str) -> list[Trial]:
    """Return the trials that a request for several stands for; if ``wait``, with those that were out before."""
    own = {request} | {name for name in state.requests if name.startswith(f"{request}/")}
    made = [state.trials[event.number] for name in own if isinstance(event := state.requests.get(name), Asked)]
    until = min((trial.number for trial in made), default=len(state.trials))
    waiting = [trial for trial in state.open_trials if wait and trial.worker == worker and trial.number < until]
    return sorted([*waiting, *made], key=lambda trial: trial.number)


def _next_stop(state: StudyState, whole: bool) -> Walk | None:
    """Return the walk to the next stop; None if there is none, or it and the return home are not affordable.

    If ``whole``, all results of the stop must be; else one is enough.
    """
    walk = reach_of(state).walk(state.itinerary.first(1))
    return walk if (walk.whole if whole else walk.within) else None


def open_trial(state: StudyState, worker: str) -> Trial | None:
    """Return the trial that the worker has out, the first of several."""
    return next((trial for trial in state.open_trials if trial.worker == worker), None)


def _longest_out(state: StudyState, worker: str, since: datetime) -> Trial | None:
    """Return the trial that another worker has had out longest; None if none since that time.

    When a trial was handed out is unknown only of those of wayfare 0.2 and before: long ago.
    """
    others = [(trial.issued.at or _LONG_AGO, trial.number) for trial in state.open_trials if trial.worker != worker]
    at, number = min(others, default=(since, None))
    return None if number is None or at > since else state.trials[number]


_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def plan(state: StudyState) -> Planned | None:
    """Return the next route, and what decided it; None if the limits allow no stop."""
    spec, learned = state.spec, learned_cost(state)
    method = spec.method
    check_parts(method)  # a study from a file may have any
    if spec.shuffle > 0:
        method = evolve(method, planner=Shuffled(method.planner, spec.shuffle))
    task = Task(
        method=method,
        space=spec.space,
        travel=travel_of(state),
        history=state.history,
        reach=reach_of(state),
        left=state.trials_left,
        anchor=spec.anchor,
        added=state.added,
    )
    made = plan_batch(task, stream(spec.seed, len(state.plans)))
    stops, notes = made.itinerary, dict(made.notes)
    if not len(stops):
        return None
    legs = stops.legs
    if learned is not None:
        # The record holds the stated costs, so that predictions stay what they were.
        legs = np.array(leg_costs(state, state.position, stops.places, stops.homes))
        notes["travel"] = {"scale": learned.scale, "offset": learned.offset, "legs": learned.legs}
    if spec.shuffle > 0:
        notes["shuffle"] = {"cost": price_of_shuffling(state, made)}
    return Planned(
        stops=stops.places,
        legs=legs,
        picked=stops.picked,
        told=len(state.results),
        notes=notes,
        seed=spec.seed,
        version=__version__,
        counts=tuple(stops.counts.tolist()) if (stops.counts > 1).any() else (),
        homes=tuple(np.flatnonzero(stops.homes).tolist()),
        between=tuple(np.flatnonzero(stops.between).tolist()),
    )


def close(state: StudyState, wanted: Told | Failed | Skipped) -> list[Event]:
    """Give an open trial its outcome."""
    if granted(state, wanted):
        return []
    trial = state.trial(wanted.number)
    check_open(trial)
    return [repriced(state, trial, wanted)]


def amend(state: StudyState, wanted: Amended, keep: bool, measured: Mapping[str, float | None]) -> list[Event]:
    """Correct a trial that has its outcome; ``keep`` leaves the value as it is.

    Of what was measured, ``measured`` has the numbers that change, None for one that is taken back. A value that is
    withdrawn takes all of them with it.
    """
    before = state.requests.get(wanted.request)
    known = before if isinstance(before, Amended) else state.trial(wanted.number)
    if keep:
        wanted = evolve(wanted, value=known.value, count=known.count, variance=known.variance)
    elif wanted.value is None:
        wanted = evolve(wanted, count=known.count)
    if wanted.value is not None:
        wanted = evolve(wanted, measured=_corrected(state.spec, known.measured, measured))
    if granted(state, wanted):
        return []
    trial = state.trial(wanted.number)
    if trial.state is TrialState.ASKED:
        raise TooEarly(f"trial {trial.number} is still out, there is nothing to amend; tell it first")
    if trial.state is TrialState.SKIPPED:
        check_open(trial)
    if trial.prior and wanted.spent is not None:
        raise InvalidInput(f"spent: trial {trial.number} was known before the study, nothing moved for it")
    if measured and wanted.value is None:
        raise InvalidInput(f"trial {trial.number} failed: a number is measured with a value; give the value, too")
    return [repriced(state, trial, wanted)]


def _corrected(spec: StudySpec, known: Mapping[str, float], changes: Mapping[str, float | None]) -> dict[str, float]:
    """Return the numbers measured at a trial after a correction, in the order of the limits."""
    numbers = {**known, **changes}
    found = ((limit.name, numbers.get(limit.name)) for limit in spec.measured)
    return {name: number for name, number in found if number is not None}


def insert(state: StudyState, place: Values, count: int, worker: str, request: str) -> list[Event]:
    """Hand out a place that was not planned, for ``count`` results."""
    wanted = Inserted(len(state.trials), as_row(place), 0.0, worker, request, count=count)
    if isinstance(before := state.requests.get(request), Inserted):
        wanted = evolve(wanted, number=before.number, leg=before.leg, home_first=before.home_first)
    if granted(state, wanted):
        return []
    check_inside(state, place, "insert")
    walk = reach_of(state).walk(Itinerary.to(place, count))
    if not walk.whole:
        many = f" for {results(count)}" if count > 1 else ""
        raise BudgetSpent(
            f"insert: going to {in_words(state.spec.space.params(place))}{many} and home "
            f"{why_not(state, place, count)}; "
            "a visit that was made anyway can be imported"
        )
    home = bool(walk.homes[0])
    return [evolve(wanted, leg=leg_cost(state, state.position, place, via_home=home), home_first=home)]


def replan(state: StudyState, position: Values | None, why: str, request: str) -> Decided:
    """Drop the rest of the route and plan again, from ``position`` if it is given."""
    wanted = Replanned(None if position is None else as_row(position), why, request)
    if granted(state, wanted):
        return []
    if position is not None:
        check_priced(state, position, "position")
    if state.trials_left == 0 and position is None:
        raise BudgetSpent(f"all {state.spec.trials} trials have been handed out: there is nothing to plan")
    if not state.trials_left:
        return [wanted]  # the position still matters: a trial that is out may be skipped

    def then(made: Planned | None) -> list[Event]:
        if made is None and position is None:
            raise BudgetSpent(f"{spent_in_words(state)}: there is nothing to plan")
        return [wanted] if made is None else [wanted, made]

    return NeedsRoute(apply(state, [wanted]), then)


def go_home(state: StudyState, spent: float | None, why: str, request: str) -> list[Event]:
    """Let the traveller go home, and begin a new trip if there are trips and it can be paid."""
    wanted, limits = Returned(0.0, why, request, spent), state.spec.limits
    if granted(state, wanted):
        return []
    if limits.home is None:
        raise InvalidInput(
            "go home: the study has no home; replan --from (in Python replan(position=...)) says where you stand"
        )
    begun, put = state.moved[-1] if state.moved else (0, state.spec.start)
    if not any(trial.is_visit for trial in state.trials[begun:]) and (put is None or np.array_equal(put, limits.home)):
        raise InvalidInput("go home: the traveller is at home, and nothing was visited since")
    home, left = return_cost(state, state.position) or 0.0, budget_left(state)
    # At the end of the last trip none begins.
    new_trip = limits.trip is not None and state.trials_left > 0 and (left is None or home + limits.trip_cost <= left)
    return [evolve(wanted, leg=home + limits.trip_cost * new_trip, new_trip=new_trip)]


def granted(
    state: StudyState, wanted: Told | Failed | Skipped | Amended | Inserted | Replanned | Changed | Returned
) -> bool:
    """Return whether this very request was granted before; a ``Conflict`` if its id stands for another."""
    if wanted.request not in state.requests:
        return False
    before = state.requests[wanted.request]
    if bare(before) != bare(wanted):
        raise in_use(before)
    return True


def granted_under(state: StudyState, base: str, own: str, others: str) -> bool:
    """Return whether a request of several events was granted before; a ``Conflict`` if its id stands for another.

    Args:
        state: the study.
        base: the id as the caller gave it.
        own: the id of its first event, which tells what it was for.
        others: what else the id may stand for, for the refusal.
    """
    if own in state.requests:
        return True
    if base in state.requests or any(request.startswith(f"{base}/") for request in state.requests):
        raise Conflict(f"request {base!r} was already used, for {others}; it cannot change")
    return False


def in_use(before: Event) -> Conflict:
    """Return the refusal of a request whose id stands for something else."""
    request = "" if isinstance(before, Planned) else before.request
    return Conflict(f"request {request!r} was already used, for {in_short(before)}; give this one a new id")


def bare(event: Event) -> Event:
    """Return the event without the prices worked out for it."""
    if isinstance(event, Returned):
        return evolve(event, leg=0.0, new_trip=False)
    return evolve(event, legs=(), ways_home=()) if isinstance(event, Told | Failed | Skipped | Amended) else event


def in_short(event: Event) -> str:
    """Return an event as a person would say it."""
    match event:
        case Told(number, value):
            return f"telling trial {number} the value {value!r}"
        case Amended(number, value):
            return f"amending trial {number} to {value!r}"
        case Failed(number) | Skipped(number) | Inserted(number) | Asked(number) | Reassigned(number):
            return f"trial {number} {type(event).__name__.lower()}"
        case Changed():
            return "changing the study"
    return "going home" if isinstance(event, Returned) else "replanning"


Outcome = TypeVar("Outcome", bound=Told | Failed | Skipped | Amended)


def repriced(state: StudyState, trial: Trial, wanted: Outcome) -> Outcome:
    """Return the outcome with the legs that change: the trial's own, and that of the visit or way home from there."""
    if trial.prior:
        return wanted
    skipped = isinstance(wanted, Skipped)
    actual = None if isinstance(wanted, Skipped) or wanted.actual is None else np.array(wanted.actual)
    spent = None if isinstance(wanted, Skipped) else wanted.spent
    before = state.origin(trial.number)
    if actual is not None:
        check_priced(state, actual, "actual")
    legs = []
    if skipped:
        legs.append((trial.number, 0.0))
    elif spent is not None:
        legs.append((trial.number, spent))
    elif actual is not None and trial.spent is None:
        spec = state.spec_of(trial.number)
        legs.append((trial.number, leg_cost(state, before, actual, via_home=trial.home_first, spec=spec)))
    later = state.next_visit(trial.number)
    if later is not None and later.spent is None and (skipped or actual is not None):
        home, spec = later.home_first or (skipped and trial.home_first), state.spec_of(later.number)
        legs.append((later.number, leg_cost(state, before if skipped else actual, later.x, via_home=home, spec=spec)))
    ways, back = list[tuple[int, float]](), state.next_return(trial.number)
    if back is not None and state.returns[back].spent is None and (skipped or actual is not None):
        ways.append((back, way_home_cost(state, state.returns[back], before if skipped else actual)))
    return evolve(wanted, legs=tuple(legs), ways_home=tuple(ways))


def check_priced(state: StudyState, place: Values, what: str) -> None:
    """Refuse a place that no leg can begin at: the study could not go on from there."""
    space = state.spec.space
    there = np.vstack([space.snap(place[None, :]), space.sample(1, stream(0, "from there"))])
    try:
        priced(state.spec.travel, place[None, :], there)
    except MissingCost:
        return  # a study can be told without it
    except InvalidInput as error:
        raise InvalidInput(f"{what}: {error}") from error


def check_inside(state: StudyState, place: Values, what: str) -> None:
    """Refuse a place that is not in the space, or that may be visited only once and was."""
    space, params = state.spec.space, state.spec.space.params(place)
    if not space.contains(place[None, :])[0]:
        nearest = space.params(space.snap(place[None, :])[0])
        if (region := forbidding(space, place)) is not None:
            raise InvalidInput(
                f"{what}: {in_words(params)} is forbidden ({region}); the nearest allowed place has {in_words(nearest)}"
            )
        if (broken := broken_by(space, place)) is not None:
            raise InvalidInput(
                f"{what}: {in_words(params)} breaks a constraint ({broken}); an allowed place near it has "
                f"{in_words(nearest)}"
            )
        off = {name: value for name, value in params.items() if value != nearest[name]}
        off = off if space.size is None else params  # of a table, a place is missing as a whole
        raise InvalidInput(f"{what}: {in_words(off)} is not in the space; the nearest place has {in_words(nearest)}")
    if space.once:
        seen = [trial.x for trial in state.trials if trial.state is not TrialState.SKIPPED]
        if any(np.array_equal(x, place) for x in seen):
            raise InvalidInput(f"{what}: {in_words(params)} was visited, and may be only once")


def as_row(place: Values) -> Row:
    """Return a place as plain numbers."""
    return tuple(float(number) for number in place)

"""One study's page in a store: read up to date, and written without losing or doubling anything."""

import uuid
from collections.abc import Callable, Sequence

import numpy as np

from wayfare._core import checks
from wayfare.errors import Conflict, StoreError, WayfareError
from wayfare.record.events import Event, Planned, Replanned, StudySpec, Trial
from wayfare.record.state import StudyState, apply
from wayfare.store import Store
from wayfare.study.inputs import short


class Journal:
    """The events of one study, and the state they add up to."""

    def __init__(self, store: Store, spec: StudySpec) -> None:
        self._store, self._state = store, StudyState(spec)

    @property
    def spec(self) -> StudySpec:
        """What the study was created with."""
        return self._state.spec

    @property
    def state(self) -> StudyState:
        """The state now, all events applied."""
        before = self._state
        since = max(before.version - 1, 0)
        events = self._store.events(before.spec.name, since)
        if before.version:
            self._check_same(before, events[:1])
        try:
            return self._keep(apply(before, events[before.version - since :]))
        except (WayfareError, LookupError, TypeError, ValueError, ArithmeticError) as error:
            # A history that does not add up, which checksums cannot find.
            said = f"the events of study {before.spec.name!r} cannot be replayed; restore a backup"
            raise StoreError(said) from error

    @property
    def last(self) -> StudyState:
        """The newest state that was read or written here; the store is not read for it."""
        return self._state

    def _check_same(self, before: StudyState, events: Sequence[Event]) -> None:
        """Refuse to go on in another story: the file may have been replaced by a backup, or made anew."""
        if not events or not same(before.last, events[0]):
            name = before.spec.name
            raise StoreError(f"study {name!r} is not the one that was opened: it was replaced; open it anew")

    def _keep(self, state: StudyState) -> StudyState:
        # Folded aside and put in place at once: threads that share a study may both be reading.
        if state.version > self._state.version:
            self._state = state
        return state

    @property
    def events(self) -> Sequence[Event]:
        """All events, oldest first."""
        return self._store.events(self.spec.name)

    def commit_around(self, request: str, decide: Callable[[StudyState], list[Event]]) -> tuple[StudyState, StudyState]:
        """Commit; return the states before and after, of a request granted earlier as they were then."""
        before: StudyState | None = None

        def note(state: StudyState) -> list[Event]:
            nonlocal before
            events = decide(state)
            before = state if events else None
            return events

        after = self.commit(request, note)
        return self._around(request) if before is None else (before, after)

    def preview(self, request: str, decide: Callable[[StudyState], list[Event]]) -> tuple[StudyState, StudyState]:
        """Return the states before and after what ``decide`` says, nothing written."""
        state = self.state
        events = decide(state)
        return (state, apply(state, events)) if events else self._around(request)

    def _around(self, request: str) -> tuple[StudyState, StudyState]:
        """Return the states before and after what a granted request did."""
        events = self.events
        at = next(i for i, event in enumerate(events) if getattr(event, "request", None) == request)
        after = events[at + 1 : at + 2]
        # A new route comes with the request for it, if trials were left.
        planned = isinstance(events[at], Replanned) and isinstance(next(iter(after), None), Planned)
        before = apply(StudyState(self.spec), events[:at])
        return before, apply(before, events[at : at + 1 + planned])

    def commit(self, request: str, decide: Callable[[StudyState], list[Event]]) -> StudyState:
        """Append what ``decide`` says of a state that nobody changed meanwhile; return the state after.

        Deciding may take long, for it may plan, and happens outside any transaction.
        """
        while True:
            state = self.state
            events = decide(state)
            if not events:
                return state
            try:
                self._store.append(self.spec.name, state.version, events)
            except Conflict:
                continue  # another process was faster: look again at what it left
            except StoreError as error:
                # Written or not? The store alone knows.
                return self._after(error, request)
            # Not by reading it back: the read could fail, and what is stored must be reported as stored.
            return self._keep(apply(state, events))

    def _after(self, error: StoreError, request: str) -> StudyState:
        try:
            state = self.state
        except WayfareError:
            raise StoreError(
                f"{error}. Whether it was written cannot be read now; send it again as request {request!r}"
            ) from error
        if request not in state.requests:
            raise error
        return state


def as_request(request: str | None) -> str:
    """Return the caller's id, or a new one."""
    return uuid.uuid4().hex if request is None else short(checks.name(request, "request"), "request")


def same(one: Event | None, other: Event) -> bool:
    """Return whether two events are the same, told apart by their numbers."""
    if isinstance(one, Planned) and isinstance(other, Planned):
        ways = ((one.stops, other.stops), (one.legs, other.legs), (one.each, other.each))
        return all(np.array_equal(mine, theirs) for mine, theirs in ways)
    return one == other


def caused(state: StudyState, request: str) -> Trial:
    """Return the trial that a request handed out or changed, as it is now."""
    event = state.requests[request]
    assert not isinstance(event, Planned | Replanned)  # a move refuses an id that stands for another
    return state.trials[event.number]

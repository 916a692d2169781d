"""One study in a store: its text read into a state, and its moves written without losing or doubling anything.

A store keeps plain text. Here a form becomes a specification and a line an event, and back; and here every event gets
its stamp: when it was stored, by whom and by which way.
"""

import gc
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import SystemRandom
from typing import Any, Self

from attrs import evolve

from wayfare._core import checks
from wayfare.errors import Conflict, StoreError, WayfareError
from wayfare.form import read_events, read_form, read_spec, write_form
from wayfare.planning.method import Method
from wayfare.record.events import (
    Asked,
    Changed,
    Event,
    Planned,
    Reassigned,
    Replanned,
    Returned,
    StudySpec,
    Told,
    Trial,
    read_event,
    write_event,
)
from wayfare.record.stamp import Author, Stamp, author, stamped
from wayfare.record.state import StudyState, apply
from wayfare.space import AnySpace
from wayfare.store import Store, as_store
from wayfare.study import moves
from wayfare.study.inputs import short
from wayfare.travel import TravelCost

Decide = Callable[[StudyState], moves.Decided]
"""Returns the events that a move causes in a state, or the need of a route; none if its request was granted before."""

ATTEMPTS = 1000
"""How often a move is decided in a row because others changed the study meanwhile."""
_SHORTEST, _LONGEST = 0.001, 0.05
"""Seconds to wait at most after the first such conflict, and after many."""
_chance = SystemRandom()  # not the streams of a study, nor the user's; and a fork does not repeat it


class Journal:
    """The events of one study, and the state they add up to."""

    def __init__(
        self,
        store: Store,
        spec: StudySpec,
        events: Sequence[str] = (),
        *,
        who: Author = (None, "python"),
        created: Sequence[Stamp] = (),
    ) -> None:
        """Go on after ``events``, which must be all that the store has.

        Args:
            store: where the study is.
            spec: the specification that it was created with.
            events: its events, as text.
            who: makes the moves of this journal.
            created: when the study was created, by whom and by which way; then the same of each import of it.
        """
        self._store, self._who, self.created = store, who, tuple(created)
        # The state and the text of its last event, replaced together: threads that share a study may both be reading.
        self._known = _replayed(StudyState(spec), events), events[-1] if events else ""
        self._just_opened = True

    @classmethod
    def create(
        cls,
        store: Store | str | Path | None,
        spec: StudySpec,
        *,
        by: str | None = None,
        via: str = "python",
        before: Sequence[Stamp] = (),
        events: Sequence[Event] = (),
    ) -> Self:
        """Begin a study in a store, in the file of that path, or in memory.

        Args:
            store: where it is kept.
            spec: the specification.
            by: who makes the moves; None: the user of this process.
            via: by which way.
            before: of a study that is imported: when it was created and imported before.
            events: of a study that is imported: all of them, stored with it or not at all.
        """
        kept, who = as_store(store), author(by, via)
        created = (*before, stamped(who))
        # Only this object can ever read a study without a store, and it needs no form: a large map would take
        # seconds to write, and a space of the user's own cannot be written.
        texts = [write_event(event) for event in events]
        kept.create(spec.name, "" if store is None else write_form(spec, created), texts)
        return cls(kept, spec, texts, who=who, created=created)

    @classmethod
    def open(
        cls,
        store: Store | str | Path,
        name: str,
        *,
        travel: TravelCost | None = None,
        method: Method | None = None,
        also: Sequence[TravelCost] | None = None,
        space: AnySpace | None = None,
        by: str | None = None,
        via: str = "python",
    ) -> Self:
        """Return the journal of a study, with one read of the store.

        Args:
            store: a store, or the path of its file.
            name: of the study.
            travel: the travel cost, if it is a Python function, which no store keeps.
            method: the method, if it has parts of the user's own.
            also: all further travel costs, if one of them is a Python function.
            space: the space, if one of its constraints is a Python function.
            by: who makes the moves; None: the user of this process.
            via: by which way.
        """
        kept, who = as_store(store), author(by, via)
        form, events = kept.read(name)
        try:
            plain, created = read_form(form)
            plain["name"] = name  # it may have been renamed since
            spec = read_spec(plain, new=False)
        except (ValueError, RecursionError) as error:
            raise StoreError(f"study {name!r} cannot be read by this version: {error}") from error
        if any(given is not None for given in (travel, method, also, space)):
            spec = read_spec(plain, travel=travel, method=method, also=also, space=space, new=False)
        return cls(kept, spec, events, who=who, created=created)

    def acting(self, by: str, via: str) -> Self:
        """Return the same journal for the moves of another user; it goes on from what was read here just now."""
        other = object.__new__(type(self))
        other._store, other._who, other.created = self._store, author(by, via), self.created
        other._known, other._just_opened = self._known, True
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy. Its events come from its store, which is copied, too, if it is in memory."""
        return {"store": self._store, "spec": self._known[0].created, "who": self._who, "created": self.created}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Go on with what ``__getstate__`` returned."""
        events = kept["store"].read(kept["spec"].name).events
        Journal.__init__(self, kept["store"], kept["spec"], events, who=kept["who"], created=kept["created"])

    @property
    def store(self) -> Store:
        """Where the study is kept."""
        return self._store

    def wait(self, seconds: float) -> None:
        """Return once the store has more events than were read here, or after that many seconds.

        Args:
            seconds: to wait at most; a store made elsewhere may have no way to wait but this time.
        """
        watch = getattr(self._store, "watch", None)
        if watch is None:
            time.sleep(seconds)
        else:
            watch(self.spec.name, self.last.version, seconds)

    @property
    def spec(self) -> StudySpec:
        """The specification in force when the study was last read."""
        return self._known[0].spec

    @property
    def state(self) -> StudyState:
        """The state now, all events of the store applied."""
        before, last = self._known
        since = max(before.version - 1, 0)
        events = self._store.read(self.spec.name, since)[1]
        self._just_opened = False
        if before.version:
            # The last event known is read again: the file may have been replaced by a backup or by a new study.
            if not events or events[0] != last:
                name = self.spec.name
                raise StoreError(f"study {name!r} is not the one that was opened: it was replaced; open it again")
            events = events[1:]
        return self._keep(_replayed(before, events), events)

    @property
    def last(self) -> StudyState:
        """The newest state that was read or written here; the store is not read for it."""
        return self._known[0]

    def _keep(self, state: StudyState, added: Sequence[str]) -> StudyState:
        if state.version > self._known[0].version:
            self._known = state, added[-1]
        return state

    @property
    def events(self) -> list[Event]:
        """All events, oldest first."""
        return read_events(self._known[0].created, self._store.read(self.spec.name)[1])

    @property
    def history(self) -> Sequence[str]:
        """The store's entries about the study as a whole, as lines of JSON; empty if it keeps none."""
        history = getattr(self._store, "history", None)
        return () if history is None else history(self.spec.name)

    def head(self, events: int) -> str:
        """Return the head of the chain of the study after so many events; empty if its store keeps none."""
        head = getattr(self._store, "head", None)
        return "" if head is None else str(head(self.spec.name, events))

    def commit_around(self, request: str, decide: Decide) -> tuple[StudyState, StudyState]:
        """Commit; return the states before and after, or those of then if the request was granted earlier."""
        before: StudyState | None = None

        def note(state: StudyState) -> moves.Decided:
            nonlocal before
            decided = decide(state)
            before = state if decided else None
            return decided

        after = self.commit(request, note)
        return self._around(request) if before is None else (before, after)

    def preview(self, request: str, decide: Callable[[StudyState], list[Event]]) -> tuple[StudyState, StudyState]:
        """Return the states before and after the events that ``decide`` returns; nothing is written."""
        state = self.state
        events = decide(state)
        return (state, apply(state, events)) if events else self._around(request)

    def _around(self, request: str) -> tuple[StudyState, StudyState]:
        """Return the states before and after the events of a granted request."""
        events = self.events
        at = next(i for i, event in enumerate(events) if getattr(event, "request", None) == request)
        after = events[at + 1 : at + 2]
        # A new route comes with the request for it, if trials were left.
        planned = isinstance(events[at], Replanned) and isinstance(next(iter(after), None), Planned)
        before = apply(StudyState(self._known[0].created), events[:at])
        return before, apply(before, events[at : at + 1 + planned])

    def commit(self, request: str, decide: Decide, *, via: str | None = None) -> StudyState:
        """Append the events that ``decide`` returns, stamped; return the state after them.

        Deciding may take long, because a route may be needed, and happens outside any transaction. If another writer
        was faster, the store refuses the events, and they are decided again. Of many workers one plans at a time, and
        the others wait for its route. A route under way is kept if nothing but results came in meanwhile.

        Args:
            request: the id of the move.
            decide: returns its events.
            via: by which way they came, if not by that of this journal.
        """
        by, usual = self._who
        name, refused = self.spec.name, -1
        with _Turn(self._store, name) as turn:
            for conflicts in range(ATTEMPTS):
                state, events = self._decided(decide, turn)
                if not events:
                    return state
                if state.version == refused:  # then deciding again would go on for ever
                    raise StoreError(f"study {name!r} cannot be written: its store says it changed, but it did not")
                stamp = stamped((by, via or usual))
                events = [evolve(event, stamp=stamp) for event in events]
                texts = [write_event(event) for event in events]
                try:
                    self._store.append(name, state.version, texts)
                except Conflict:
                    refused = state.version
                    if isinstance(events[-1], Asked):
                        turn.wait()  # many ask when a route is new: in line, they no longer get in each other's way
                    time.sleep(_chance.uniform(0, min(_SHORTEST * 2.0 ** min(conflicts, 10), _LONGEST)))
                    continue
                except StoreError as error:
                    return self._after(error, request)
                # Not by reading it back: the read could fail, and what is stored must be reported as stored.
                return self._keep(apply(state, events), texts)
        raise Conflict(
            f"study {name!r} was changed by others {ATTEMPTS} times in a row while this move was made, and it was not "
            "written. Send it again, and let fewer workers write at once"
        )

    def _decided(self, decide: Decide, turn: "_Turn") -> tuple[StudyState, list[Event]]:
        """Return the newest state and the events of a move in it."""
        if self._just_opened:
            # A move right after opening needs no second read: if the state is old by now, the store refuses the
            # events. A refusal or a request granted before leaves nothing to append, so these are decided again.
            self._just_opened = False
            state = self._known[0]
            with suppress(WayfareError):
                events = decide(state)
                if isinstance(events, moves.NeedsRoute):
                    turn.wait()
                elif events:
                    return state, events
        events = decide(state := self.state)
        if isinstance(events, moves.NeedsRoute) and not turn.is_ours:
            turn.wait()
            events = decide(state := self.state)  # the worker before may have stored a route
        if isinstance(events, moves.NeedsRoute):
            return state, turn.events(events, state)
        return state, events

    def _after(self, error: StoreError, request: str) -> StudyState:
        """Return the state after a write that failed, if its events were written; else raise the error."""
        try:
            state = self.state
        except WayfareError:
            raise StoreError(
                f"{error}. Whether it was written cannot be read now; send it again as request {request!r}"
            ) from error
        if request not in state.requests:
            raise error
        return state


class _Turn:
    """The turn to plan: one worker of a study has it at a time, and keeps its routes while others only tell results."""

    def __init__(self, store: Store, name: str) -> None:
        self._store, self._name = store, name
        self._held = ExitStack()
        self._from: StudyState | None = None
        self._made: list[Planned | None] = []
        self.is_ours = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._held.close()

    def wait(self) -> None:
        """Wait until no other worker plans; a store made elsewhere may have no such lock."""
        planning = getattr(self._store, "planning", None)
        if planning is not None and not self.is_ours:
            self._held.enter_context(planning(self._name))
        self.is_ours = True

    def events(self, decided: moves.Decided, state: StudyState) -> list[Event]:
        """Return the events of a move with the routes that it needs: those made before, if only results came in since.

        Several stops at once may need several routes, each planned as if the stops before it were handed out.
        """
        if self._from is None or not self._only_told(self._from, state):
            self._from, self._made = state, []
        used = 0
        while isinstance(decided, moves.NeedsRoute):
            if used == len(self._made):
                self._made.append(moves.plan(decided.state))
            decided, used = decided.then(self._made[used]), used + 1
        return decided

    def _only_told(self, before: StudyState, after: StudyState) -> bool:
        texts = self._store.read(self._name, before.version)[1][: after.version - before.version]
        return all(_is_foreseen(read_event(text), before) for text in texts)


def _is_foreseen(event: Event, before: StudyState) -> bool:
    """Return whether a plan takes an event for granted: a result where and as many as asked for, or another worker."""
    return isinstance(event, Reassigned) or (
        isinstance(event, Told)
        and (event.actual, event.spent, event.legs) == (None, None, ())
        and event.count == before.trials[event.number].count
    )


def _replayed(state: StudyState, texts: Sequence[str]) -> StudyState:
    """Return the state after further events."""
    with _uncollected():
        events = read_events(state.spec, texts)
        try:
            return apply(state, events)
        except (WayfareError, LookupError, TypeError, ValueError, ArithmeticError) as error:
            # A history that does not add up, which checksums cannot find.
            raise StoreError(f"the events of study {state.spec.name!r} cannot be replayed; restore a backup") from error


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep Python from looking for garbage among a long history that grows: a fifth of the time of reading it."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def as_request(request: str | None) -> str:
    """Return the caller's id, or a new one."""
    return uuid.uuid4().hex if request is None else short(checks.name(request, "request"), "request")


def caused(state: StudyState, request: str) -> Trial:
    """Return the trial that a request handed out or changed, as it is now."""
    event = state.requests[request]
    # A move refuses an id that stands for another.
    assert not isinstance(event, Planned | Replanned | Changed | Returned)
    return state.trials[event.number]

"""The studies that a server has open: each is read once, and kept up to date by its new events alone."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import ref

from wayfare.errors import StoreError, UnknownStudy, WayfareError
from wayfare.record.state import StudyState
from wayfare.store import MemoryStore, SqliteStore, Store, archived, as_store
from wayfare.store.address import kept_store
from wayfare.study.study import Study

MOST_OPEN = 100
"""Studies held in memory; of more, the ones not used for longest are closed."""
MOST_ANSWERS = 100
"""Answers held in memory, of all studies together."""


class Desk:
    """A store, and its studies as they are open here. Threads may share it."""

    def __init__(self, store: Store | str | Path) -> None:
        """Name the store; nothing is read yet."""
        self.store = as_store(store)
        self._open: OrderedDict[str, Study] = OrderedDict()
        self._answers: OrderedDict[Hashable, tuple[ref[StudyState], Any]] = OrderedDict()
        self._lock, self._opening = Lock(), [Lock() for _ in range(64)]

    @property
    def path(self) -> Path | None:
        """The file of the store; None if it has none."""
        return self.store.path if isinstance(self.store, SqliteStore) else None

    @property
    def title(self) -> str:
        """The store's name for its users, without the folder it is in."""
        if self.path is not None:
            return self.path.name
        return "memory" if isinstance(self.store, MemoryStore) else "database"

    def names(self) -> Sequence[str]:
        """Return the names of the studies, oldest first; none if the file is not there yet."""
        return [] if self.path is not None and not self.path.exists() else self.store.names()

    def archived(self) -> Sequence[str]:
        """Return the names of the studies that are archived."""
        has_register = hasattr(self.store, "entries") and (self.path is None or self.path.exists())
        return archived(kept_store(self.store)) if has_register else []

    def study(self, name: str, by: str = "") -> Study:
        """Return a study as it stands now, for reports and, with ``by``, for the moves of that user.

        Its ``last`` is the snapshot to report on; a move goes on from it without reading the store again.
        """
        with self._opening[hash(name) % len(self._opening)]:  # of many who come at once, one opens it
            study = self._open.get(name)
            if study is not None:
                try:
                    study.snapshot()
                except (StoreError, UnknownStudy):  # another study of that name now, or none: opening it says so
                    study = None
                    with self._lock:
                        self._open.pop(name, None)
            if study is None:
                study = Study.open(self.store, name, via="web")
        with self._lock:
            self._open[name] = study
            self._open.move_to_end(name)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return study.acting(by, "web") if by else study

    def answer(self, state: StudyState, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return an answer that follows from a state and ``key`` alone: of many pages that look, one has it made."""
        with self._lock:
            seen, made = self._answers.get(key, (None, None))
        if seen is None or seen() is not state:
            made = make()
        with self._lock:
            self._answers[key] = ref(state), made
            self._answers.move_to_end(key)
            while len(self._answers) > MOST_ANSWERS:
                self._answers.popitem(last=False)
        return made

    def warm(self) -> None:
        """Open the studies, so that the first look at one is as fast as the next; one that cannot be read waits."""
        with suppress(WayfareError):
            for name in self.names()[-MOST_OPEN:]:
                with suppress(WayfareError):
                    self.study(name)

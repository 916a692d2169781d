"""A store that lives as long as the program."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock

from wayfare.errors import Conflict, UnknownStudy
from wayfare.store.base import Stored

_LOOK = 0.01
"""Seconds between two looks while waiting for events."""


class MemoryStore:
    """Studies in memory; threads may share it.

    It can be copied and pickled, with all of its studies; the copy is a store of its own.
    """

    def __init__(self) -> None:
        self._studies: dict[str, tuple[str, list[str]]] = {}
        self._lock = Lock()
        self._planning: dict[tuple[int, str], Lock] = {}

    def __getstate__(self) -> tuple[dict[str, tuple[str, list[str]]]]:
        """Return the studies as of one moment; a lock cannot be copied."""
        with self._lock:
            # In a tuple: an empty dict would not be given to __setstate__.
            return ({name: (form, list(events)) for name, (form, events) in self._studies.items()},)

    def __setstate__(self, state: tuple[dict[str, tuple[str, list[str]]]]) -> None:
        """Hold these studies, with locks of its own."""
        self.__init__()  # type: ignore[misc]  # all but the studies is as in a new one
        self._studies = state[0]

    def names(self) -> list[str]:
        """Return the names of the studies, oldest first."""
        return list(self._studies)

    def create(self, name: str, form: str, events: Sequence[str] = ()) -> None:
        """Begin a study; raise ``Conflict`` if the name is taken.

        Args:
            name: of the study.
            form: what it is.
            events: its first events.
        """
        with self._lock:
            if name in self._studies:
                raise Conflict(f"a study named {name!r} exists already; choose another name")
            self._studies[name] = (form, list(events))

    def read(self, name: str, since: int = 0) -> Stored:
        """Return the form and all events but the first ``since``."""
        form, events = self._study(name)
        return Stored(form, events[since:])

    def append(self, name: str, after: int, events: Sequence[str]) -> None:
        """Add events if there are exactly ``after`` so far; else raise ``Conflict``.

        Args:
            name: of the study.
            after: number of events that the study must have so far.
            events: to be added, in this order.
        """
        with self._lock:
            kept = self._study(name)[1]
            if len(kept) != after:
                raise Conflict(f"study {name!r} has {len(kept)} events, not {after}: it changed in between")
            kept.extend(events)

    @contextmanager
    def planning(self, name: str) -> Iterator[None]:
        """Give a context in which no other thread plans a route of this study."""
        # By process: in a forked child, the thread that held a lock does not exist.
        with self._planning.setdefault((os.getpid(), name), Lock()):
            yield

    def watch(self, name: str, since: int, seconds: float) -> int:
        """Return how many events the study has once these are more than ``since``, or after that many seconds.

        Args:
            name: of the study.
            since: number of events that are known.
            seconds: to wait at most.
        """
        until = time.monotonic() + seconds
        while len(self._study(name)[1]) <= since and time.monotonic() < until:
            time.sleep(_LOOK)
        return len(self._study(name)[1])

    def _study(self, name: str) -> tuple[str, list[str]]:
        if name not in self._studies:
            raise UnknownStudy(f"no study named {name!r}")
        return self._studies[name]

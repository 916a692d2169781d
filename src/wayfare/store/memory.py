"""A store that lives as long as the program."""

from collections.abc import Sequence
from threading import Lock

from wayfare.errors import Conflict, UnknownStudy
from wayfare.store.base import Stored


class MemoryStore:
    """Studies in memory; threads may share it.

    It can be copied and pickled, with all of its studies; the copy is a store of its own.
    """

    def __init__(self) -> None:
        self._studies: dict[str, tuple[str, list[str]]] = {}
        self._lock = Lock()

    def __getstate__(self) -> dict[str, tuple[str, list[str]]]:
        """Return the studies as of one moment; a lock cannot be copied."""
        with self._lock:
            return {name: (form, list(events)) for name, (form, events) in self._studies.items()}

    def __setstate__(self, studies: dict[str, tuple[str, list[str]]]) -> None:
        """Hold these studies, with a lock of its own."""
        self._studies, self._lock = studies, Lock()

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

    def _study(self, name: str) -> tuple[str, list[str]]:
        if name not in self._studies:
            raise UnknownStudy(f"no study named {name!r}")
        return self._studies[name]

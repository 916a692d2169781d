"""A store that lives as long as the program."""

from collections.abc import Sequence
from threading import Lock

from wayfare.errors import Conflict, UnknownStudy
from wayfare.record.events import Event, StudySpec


class MemoryStore:
    """Studies in memory; safe to share between threads."""

    def __init__(self) -> None:
        self._studies: dict[str, tuple[StudySpec, list[Event]]] = {}
        self._lock = Lock()

    def names(self) -> Sequence[str]:
        """Return the names of the studies kept here, oldest first."""
        return list(self._studies)

    def create(self, spec: StudySpec) -> None:
        """Begin a study."""
        with self._lock:
            if spec.name in self._studies:
                raise Conflict(f"a study named {spec.name!r} exists already; choose another name")
            self._studies[spec.name] = (spec, [])

    def spec(self, name: str) -> StudySpec:
        """Return what the study was created with."""
        return self._study(name)[0]

    def events(self, name: str, since: int = 0) -> Sequence[Event]:
        """Return the events from number ``since`` on."""
        return self._study(name)[1][since:]

    def append(self, name: str, after: int, events: Sequence[Event]) -> None:
        """Add events if there are exactly ``after`` so far."""
        with self._lock:
            kept = self._study(name)[1]
            if len(kept) != after:
                raise Conflict(f"study {name!r} has {len(kept)} events, not {after}: it changed in between")
            kept.extend(events)

    def _study(self, name: str) -> tuple[StudySpec, list[Event]]:
        if name not in self._studies:
            raise UnknownStudy(f"no study named {name!r}")
        return self._studies[name]

"""The promise a store makes: an append-only list of events for every study."""

from collections.abc import Sequence
from typing import Protocol

from wayfare.record.events import Event, StudySpec


class Store(Protocol):
    """Keeps studies. Nothing is ever changed or taken away."""

    def names(self) -> Sequence[str]:
        """Return the names of the studies kept here, oldest first."""
        ...

    def create(self, spec: StudySpec) -> None:
        """Begin a study; a ``Conflict`` if the name is taken."""
        ...

    def spec(self, name: str) -> StudySpec:
        """Return what the study was created with; ``UnknownStudy`` if there is none."""
        ...

    def events(self, name: str, since: int = 0) -> Sequence[Event]:
        """Return the events from number ``since`` on."""
        ...

    def append(self, name: str, after: int, events: Sequence[Event]) -> None:
        """Add events, all or none, if there are exactly ``after`` so far; else a ``Conflict``."""
        ...

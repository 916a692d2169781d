"""The promise of a store: for every study a name, a form and a growing list of events, all plain text.

A store knows nothing of what the text says, so a table with two text columns is enough for one.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol


class Stored(NamedTuple):
    """A study as its store holds it: the form it was created with, and its events, oldest first."""

    form: str
    events: Sequence[str]


class Store(Protocol):
    """Keeps studies; nothing in it is ever changed or removed.

    A name is any text. Forms and events are single lines of ASCII (wayfare writes JSON) and come back letter for
    letter. Threads may share a store. If a method fails in any other way than stated, it raises ``StoreError``, and the
    caller reads again to find out whether the text was written.
    """

    def names(self) -> Sequence[str]:
        """Return the names of the studies, oldest first."""
        ...

    def create(self, name: str, form: str, events: Sequence[str] = ()) -> None:
        """Begin a study with these events, all or nothing; raise ``Conflict`` if the name is taken.

        Args:
            name: of the study.
            form: what it is.
            events: its first events; an imported study has some.
        """
        ...

    def read(self, name: str, since: int = 0) -> Stored:
        """Return the form and all events but the first ``since``, both as of one moment.

        Raise ``UnknownStudy`` if there is no such study.
        """
        ...

    def append(self, name: str, after: int, events: Sequence[str]) -> None:
        """Add events, all or none; when it returns, they are stored.

        Raise ``UnknownStudy`` if there is no such study and ``Conflict`` if it has not exactly ``after`` events.

        Args:
            name: of the study.
            after: number of events that the study must have so far.
            events: to be added, in this order.
        """
        ...

    def planning(self, name: str) -> AbstractContextManager[object]:
        """Return a context that is held while a route is planned; it keeps others from planning the same one.

        At most one holder at a time for each study, as far as the store can; nothing depends on it but time. It ends
        with its holder, even one that is killed, and keeps nobody from reading or appending. A store may do without
        this method: then several workers may plan at once, and the first route that is stored counts.
        """
        ...

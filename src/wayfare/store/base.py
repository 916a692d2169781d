"""The promise of a store: for every study a name, a form and a growing list of events, all plain text.

A store knows nothing of what the text says, so a table with two text columns is enough for one.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeAlias

from wayfare.record.stamp import Author
from wayfare.store.register import Entry


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
        with its holder, even one that is killed, and blocks neither reading nor appending. A store may do without
        this method: then several workers may plan at once, and the first route that is stored counts.
        """
        ...

    def watch(self, name: str, since: int, seconds: float) -> int:
        """Return how many events the study has, as soon as these are more than ``since``, or after ``seconds``.

        A store may do without this method: then who waits reads again and again.

        Args:
            name: of the study.
            since: number of events that are known.
            seconds: to wait at most.
        """
        ...


class NewEntry(NamedTuple):
    """The next entry of the register of a store: the name of a study from now on, None for no more, and why."""

    study: int
    name: str | None
    body: str


class Rows(NamedTuple):
    """The rows of a store as it holds them, read without any check: number, study, name, text and digest, as bytes."""

    register: list[tuple[Any, ...]]
    studies: list[tuple[Any, ...]]
    events: list[tuple[Any, ...]]


Ends: TypeAlias = Callable[[int], tuple[int, bytes]]
"""Returns how many events the study of a number has, and the head of its chain."""
Decision: TypeAlias = Callable[[Sequence[Entry], Ends], NewEntry]
"""Returns what is to be entered, given all entries; raises an error if that cannot be."""


class KeptStore(Store, Protocol):
    """A store that lasts, with a register of its studies and a chain of digests over what it holds."""

    def head(self, name: str, events: int) -> str:
        """Return the head of the chain of a study after so many events."""
        ...

    def history(self, name: str) -> list[str]:
        """Return the register's entries about a study since it was created, and about the store, as lines of JSON."""
        ...

    def entries(self) -> list[Entry]:
        """Return the register, oldest entry first; raise ``StoreError`` where its chain is broken."""
        ...

    def enter(self, decide: Decision, who: Author) -> None:
        """Add to the register what is decided, in one transaction; if a study has no name any more, its rows go."""
        ...

    def forms(self) -> Mapping[int, bytes]:
        """Return the forms of the studies by their numbers."""
        ...

    def rows(self, findings: list[str]) -> Rows:
        """Return as many rows as can be read; what stops the reading is added to the findings."""
        ...

    def fill(self, rows: Rows) -> None:
        """Take over all rows of another store, in one transaction; raise ``Conflict`` if this one has studies."""
        ...

    def upgrade(self, who: Author) -> int:
        """Bring the store to today's format; return the format that it had, 0 if it was none yet."""
        ...

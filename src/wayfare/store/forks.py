"""No fork in the middle of a transaction: in the child, SQLite would take the parent's locks for its own."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, get_ident


class Gate:
    """Lets any number of operations in, and a fork only between them."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._inside: list[int] = []
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.shut, after_in_parent=self.open, after_in_child=self._renew)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Hold forks off while an operation is under way."""
        thread = get_ident()
        with self._changed:
            self._inside.append(thread)
        try:
            yield
        finally:
            with self._changed:
                self._inside.remove(thread)
                self._changed.notify_all()

    def shut(self) -> None:
        """Wait until all other threads are out, and keep them out."""
        self._changed.acquire()
        me = get_ident()
        self._changed.wait_for(lambda: all(thread == me for thread in self._inside))

    def open(self) -> None:
        """Let operations in again."""
        self._changed.release()

    def _renew(self) -> None:
        # The threads that waited for the old condition do not exist in the child.
        self._changed = Condition()


GATE = Gate()

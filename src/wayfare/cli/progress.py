"""A sign of life on a terminal while a route is planned; nothing in a pipe."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

PATIENCE = 0.5
"""Seconds before anything is shown: a stop that was planned before comes at once."""


@contextmanager
def planning() -> Iterator[None]:
    """Show that planning goes on, if it takes long and someone is looking."""
    if not sys.stderr.isatty():
        yield
        return
    shown: list[Any] = []

    def show() -> None:
        from rich.console import Console

        status = Console(stderr=True).status("planning ...")
        shown.append(status)
        status.start()

    timer = Timer(PATIENCE, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for status in shown:
            status.stop()

"""Who did something, when, and by which way: the stamp on every event.

Nothing is ever decided by a stamp: neither a state, nor an order, nor a plan, because clocks jump and a name is what
the user says it is. The order of events is that in which they were stored.
"""

import getpass
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from wayfare._core import checks
from wayfare._core.format import unsafe_in
from wayfare._core.settings import USER, setting
from wayfare._version import __version__
from wayfare.errors import InvalidInput

VIAS = ("cli", "web", "python", "import", "plug")
"""The ways in: the command line, the page, a program, a file, another optimizer's interface."""
LONGEST_NAME = 200
_TIME = "2026-11-18T20:00:00.000000Z"  # in UTC, to the microsecond


class Stamp(NamedTuple):
    """Who did something, when, and by which way.

    Attributes:
        at: when it was stored, in UTC; None if that is unknown, as in stores of wayfare 0.2 and before.
        by: who did it; empty if unknown.
        via: "cli", "web", "python", "import" or "plug"; empty if unknown.
        app: the version of wayfare.
    """

    at: datetime | None = None
    by: str = ""
    via: str = ""
    app: str = ""

    @property
    def time(self) -> str:
        """When, as ISO 8601 with microseconds, such as 2026-11-18T20:00:00.000000Z; empty if unknown."""
        return "" if self.at is None else self.at.isoformat(timespec="microseconds").replace("+00:00", "Z")


NO_STAMP = Stamp()
Author: TypeAlias = tuple[str | None, str]
"""Who acts, None for the user of this process, and by which way."""


def stamped(author: Author) -> Stamp:
    """Return the stamp of something that happens now."""
    by, via = author
    return Stamp(now(), user() if by is None else by, via, __version__)


def now() -> datetime:
    """Return the time by the clock of this computer, in UTC."""
    return datetime.now(UTC)


def user() -> str:
    """Return who uses this process: ``WAYFARE_USER``, else the login name; empty if there is none."""
    given = setting(USER)
    return person(given, USER) if given else _login()


@cache  # looking it up takes a tenth of the time of a move
def _login() -> str:
    try:
        return person(getpass.getuser(), "the login name")
    except (OSError, KeyError, ImportError):  # which of them depends on the system
        return ""


def author(by: str | None, via: str) -> Author:
    """Return who acts and how, validated; ``by`` may be None for the user of this process."""
    if via not in VIAS:
        raise InvalidInput(f"via must be one of {', '.join(VIAS)}, got {via!r}")
    return None if by is None else person(by, "by"), via


def person(name: object, what: str) -> str:
    """Return the name of a person: one line, of at most 200 characters, that no terminal takes for a command."""
    text = checks.name(name, what)
    if len(text) > LONGEST_NAME:
        raise InvalidInput(f"{what} has {len(text)} characters; {LONGEST_NAME} at most")
    if unsafe_in(text):
        raise InvalidInput(f"{what} holds a control character ({text!r}); write it without")
    return text.strip()


def check_stamp(stamp: Stamp) -> None:
    """Refuse a stamp from a file that no study can have."""
    for text, what in ((stamp.by, "by"), (stamp.app, "app")):
        if text:
            person(text, what)
    if stamp.via not in ("", *VIAS):
        raise InvalidInput(f"via must be one of {', '.join(VIAS)}, got {stamp.via[:80]!r}")


def stamp_form(stamp: Stamp) -> dict[str, Any]:
    """Return a stamp as plain data; that of an unknown one is empty."""
    return {} if stamp.at is None else {"at": stamp.time, "by": stamp.by, "via": stamp.via, "app": stamp.app}


def take_stamp(form: dict[str, Any]) -> Stamp:
    """Take the stamp out of plain data; raise an error of ``read_event`` unless ``stamp_form`` can have made it."""
    at = form.pop("at", None)
    if at is None:
        return NO_STAMP
    by, via, app = form.pop("by"), form.pop("via"), form.pop("app")
    if len(at) != len(_TIME) or at[-1] != "Z" or not type(by) is type(via) is type(app) is str:
        raise ValueError("not a stamp")
    return Stamp(datetime.fromisoformat(at), by, via, app)

"""The routes of the API: a table of functions, each with its method, path, role and types.

A route is a plain function that runs in a worker thread. Its parameters say what it takes: those named in the path, a
``body``, and keywords for the query; its return type says what it answers. Checks and the description come from these.
"""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, get_args, get_type_hints
from urllib.parse import unquote_to_bytes

from attrs import field, frozen

from wayfare._core.parse import WHOLE
from wayfare.errors import InvalidInput
from wayfare.record.state import StudyState
from wayfare.study.study import Snapshot, Study
from wayfare.web.desk import Desk
from wayfare.web.guard import Problem
from wayfare.web.shapes import NotJson, parse, read
from wayfare.web.users import Person, Role, Users

API = "/api/v1"
Work = Literal["quick", "look", "plan"]
"""The work of a route: a moment, a fit for a report, or a plan; of the latter two few run at once."""
SMALL, LARGE = 1_000_000, 12_000_000
"""Bytes that the body of a request may have: of most, and of an import."""
_SCALARS: Mapping[str, bool] = {"true": True, "false": False}


@frozen
class Setting:
    """The server's settings that the routes use, besides the desk and the users."""

    link: Callable[[str], str]
    """Returns the address of the page with a token in it."""
    app: str = ""
    demo: bool = False
    tls: bool = False
    port: int = 8421
    """Of the server, which is part of the name of its cookie: browsers give the cookies of a host to all its ports."""

    @property
    def cookie(self) -> str:
        """The name of the cookie that has the session."""
        return f"{'__Host-' if self.tls else ''}wayfare-{self.port}"


@frozen(eq=False)
class Call:
    """A request on its way through a route: who asks, of which study."""

    desk: Desk
    users: Users
    person: Person
    setting: Setting
    name: str | None = None

    @cached_property
    def study(self) -> Study:
        """The study named in the path, for the moves of the user."""
        assert self.name is not None
        return self.desk.study(self.name, self.person.name)

    @property
    def now(self) -> Snapshot:
        """The study as it stood when the request came."""
        return self.study.last

    @property
    def state(self) -> StudyState:
        """Its state."""
        return self.now.state


@frozen
class Bytes:
    """An answer that is no JSON.

    Attributes:
        content: the bytes.
        media: their type.
        file: the name under which a browser keeps it; None to show it.
        policy: a content security policy of its own.
    """

    content: bytes
    media: str = "application/octet-stream"
    file: str | None = None
    policy: str | None = None


@frozen(eq=False)
class Route:
    """One row of the table.

    Attributes:
        method: GET, POST or DELETE.
        path: below the API, with ``{name}`` for what varies.
        role: which the user must have, for the study of the path or for the store; None for anyone.
        work: what it takes.
        status: of a good answer.
        most: bytes of the body.
        function: does it.
        is_kept: its answer follows from the state of the study and the query alone, and is kept for the next who asks.
    """

    method: str
    path: str
    role: Role | None
    work: Work
    status: int
    most: int
    function: Callable[..., Any]
    is_kept: bool = False
    parts: tuple[str, ...] = field(init=False)

    @parts.default
    def _split(self) -> tuple[str, ...]:
        return tuple(self.path.strip("/").split("/"))

    @cached_property
    def hints(self) -> dict[str, Any]:
        """The types of its parameters, and of what it returns."""
        return get_type_hints(self.function)

    @property
    def body(self) -> Any:
        """The type of its body; None without one."""
        return self.hints.get("body")

    @property
    def answer(self) -> Any:
        """The type of its answer."""
        return self.hints["return"]

    @property
    def is_of_study(self) -> bool:
        """Whether it is about one study."""
        return "{name}" in self.parts

    @cached_property
    def query(self) -> Mapping[str, inspect.Parameter]:
        """What its query may hold, by name."""
        found = inspect.signature(self.function).parameters.values()
        return {one.name.rstrip("_"): one for one in found if one.kind is inspect.Parameter.KEYWORD_ONLY}

    def matches(self, parts: Sequence[str]) -> bool:
        """Return whether a path is one of this route."""
        return len(parts) == len(self.parts) and all(
            own.startswith("{") or own == part for own, part in zip(self.parts, parts, strict=True)
        )

    def named(self, parts: Sequence[str]) -> dict[str, str]:
        """Return what varies in a path."""
        pairs = zip(self.parts, parts, strict=True)
        return {own[1:-1]: part for own, part in pairs if own.startswith("{")}

    def run(self, call: Call, named: Mapping[str, str], query: Sequence[tuple[str, str]], body: bytes | None) -> Any:
        """Check what came, and do it.

        Args:
            call: who asks, of which study.
            named: what varies in the path.
            query: its pairs.
            body: as it came; None without one.
        """
        given: dict[str, Any] = {
            key: _read_text(self.hints[key], text, key) for key, text in named.items() if key != "name"
        }
        seen = set()
        for key, text in query:
            if key not in self.query or key in seen:
                raise Problem(400, "bad-request", f"the query has {key[:80]!r}, which is unknown or given twice")
            seen.add(key)
            parameter = self.query[key]
            given[parameter.name] = _read_text(self.hints[parameter.name], text, key)
        if self.body is not None:
            try:
                value = parse(body or b"")
            except NotJson as error:
                raise Problem(400, "bad-request", f"the body is not JSON: {error}") from error
            given["body"] = read(self.body, value)
        return self.function(call, **given)


ROUTES: list[Route] = []
"""All routes, in the order of the description."""


def route(
    method: str,
    path: str,
    role: Role | None = "read",
    *,
    work: Work = "quick",
    status: int = 200,
    most: int = SMALL,
    is_kept: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that enters a function into the table.

    Args:
        method: of HTTP.
        path: below the API.
        role: which the user must have; None for anyone.
        work: what it takes.
        status: of a good answer.
        most: bytes of the body.
        is_kept: its answer follows from the state of the study and the query alone.
    """

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        ROUTES.append(Route(method, path, role, work, status, most, function, is_kept))
        return function

    return enter


def find(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """Return the route of a path as it came, still encoded, and what varies in it."""
    try:
        parts = [unquote_to_bytes(part).decode() for part in path.strip("/").split("/")]
    except UnicodeDecodeError as error:
        raise Problem(400, "bad-request", "the path is not UTF-8") from error
    fitting = [one for one in ROUTES if one.matches(parts)]
    wanted = "GET" if method == "HEAD" else method
    if not fitting:
        raise Problem(404, "not-found", "there is nothing at this path; GET /api/v1/openapi.json lists the paths")
    # A path that is written out comes before one with a name in its place.
    found = next((one for one in sorted(fitting, key=_variables) if one.method == wanted), None)
    if found is None:
        allowed = ", ".join(sorted({one.method for one in fitting}))
        raise Problem(405, "method-not-allowed", f"this path takes {allowed}", headers={"allow": allowed})
    return found, found.named(parts)


def _variables(one: Route) -> int:
    return sum(part.startswith("{") for part in one.parts)


def _read_text(kind: Any, text: str, name: str) -> Any:
    """Return the value of a text of a path or a query, by its type."""
    kinds = get_args(kind) or (kind,)
    if int in kinds and WHOLE.fullmatch(text) and len(text) < 16:
        return int(text)
    if bool in kinds and text in _SCALARS:
        return _SCALARS[text]
    if dict in [getattr(one, "__origin__", one) for one in (kind, *kinds)]:
        try:
            return read(dict[str, Any], parse(text), name)
        except NotJson as error:
            raise InvalidInput(f"{name} is not JSON: {error}") from error
    if str in kinds:
        return text
    what = "true or false" if bool in kinds else "a whole number"
    raise Problem(400, "bad-request", f"{name} must be {what}, got {text[:80]!r}")


def to_json(value: Any) -> bytes:
    """Return an answer as JSON, with nothing in it that is not finite."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode(errors="replace")

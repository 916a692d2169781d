"""``make_app``: the page and its API as one ASGI application.

A request passes the guard, then its route's checks (session, role, size), and then runs in a worker thread: the event
loop itself never plans, fits, reads a store or waits for one.
"""

import asyncio
import gzip
import logging
import mimetypes
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote, urlsplit

import anyio.to_thread
from anyio import CapacityLimiter
from attrs import define, field
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as Path_

from wayfare._version import __version__
from wayfare.errors import (
    AlreadyTold,
    BudgetSpent,
    Conflict,
    InvalidInput,
    StoreError,
    TooEarly,
    UnknownStudy,
    UnknownTrial,
    WayfareError,
)
from wayfare.exchange.records import trial_record
from wayfare.record.stamp import user
from wayfare.store import Store
from wayfare.web import files, ground, moves, reads  # noqa: F401  # they enter their routes
from wayfare.web.desk import Desk
from wayfare.web.guard import Guard, Origins, Problem, Rates, bearer, listed, retry_after
from wayfare.web.live import Live
from wayfare.web.openapi import description
from wayfare.web.records import TokenBody
from wayfare.web.routes import API, Bytes, Call, Route, Setting, find, to_json
from wayfare.web.users import Person, Users, users_beside

STATIC = Path(__file__).parent / "static"
THREADS = {"quick": 16, "look": 2, "plan": 2}
"""Worker threads for what is quick, for reports that fit the model, and for plans: a look keeps no plan waiting."""
WAITING = 40
"""Reports, and plans, that may wait for a thread."""
SLOWEST = 20.0
"""Seconds in which the body of a request must have come."""
LISTENERS, LISTENERS_EACH = 300, 60
"""Live streams at once: in all, and of one user."""
SIGN_INS = 10
"""Tries to sign in, a minute and client."""
GZIP_FROM = 1000
NOBODY = Person("")
_log = logging.getLogger(__name__)
T = TypeVar("T")

PROBLEMS: dict[type[WayfareError], tuple[int, str]] = {
    AlreadyTold: (409, "already-told"),
    BudgetSpent: (409, "budget-spent"),
    Conflict: (409, "conflict"),
    InvalidInput: (422, "invalid"),
    StoreError: (503, "store"),
    TooEarly: (409, "too-early"),
    UnknownStudy: (404, "unknown-study"),
    UnknownTrial: (404, "unknown-trial"),
}
"""What each error is answered with."""


def make_app(
    store: Store | str | Path,
    *,
    users: Users | None = None,
    urls: tuple[str, ...] = (),
    tls: bool = False,
    demo: bool = False,
    owner: str = "",
    base: str = "http://127.0.0.1:8421",
) -> Starlette:
    """Return the application that serves the page of a store; ``app.state.token`` signs its owner in, once.

    Args:
        store: a store, or the path of its file.
        users: who may use it, besides the owner; None: as kept beside the store.
        urls: further addresses under which it is reached, such as https://lab.example.
        tls: whether it speaks https itself.
        demo: whether it shows a study that plays by itself.
        owner: who runs the server, who signs in with the first link; empty: the user of this process.
        base: its address, for links to sign in with.
    """
    desk = Desk(store)
    if users is None:
        users = Users(None if desk.path is None else users_beside(desk.path))
    origins = Origins(listed(urls), tls)
    address = origins.urls[0] if origins.urls else base
    port = urlsplit(base).port or (443 if tls else 80)
    setting = Setting(lambda token: f"{address}/#token={token}", __version__, demo, tls, port)
    server = _Server(desk, users, setting)
    rates = Rates(per_second=100, burst=500)
    routes = [
        Path_(f"{API}/{{rest:path}}", server.api, methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
        Path_("/{rest:path}", server.page, methods=["GET", "HEAD"]),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, origins=origins, api=f"{API}/", rates=rates)],
        lifespan=server.lifespan,
        exception_handlers={404: _plain_problem, 405: _plain_problem},
    )
    users.serve_at(address)
    app.state.token = users.link(owner or user() or "owner", owner=True)
    app.state.link, app.state.server = setting.link, server
    return app


async def _plain_problem(request: Request, error: Any) -> Response:
    status = error.status_code
    kind = "not-found" if status == 404 else "method-not-allowed"
    return Problem(status, kind, "there is nothing here").response


@define(eq=False)
class _Server:
    """The application's own part: it answers what has passed the guard."""

    desk: Desk
    users: Users
    setting: Setting
    live: Live = field(init=False)
    sign_ins: Rates = field(factory=lambda: Rates(SIGN_INS / 60, SIGN_INS))
    files: "dict[str, _File]" = field(factory=lambda: read_files(STATIC))
    listeners: dict[str, int] = field(factory=dict)
    waiting: Counter[str] = field(factory=Counter)
    described: bytes = b""
    _limits: dict[str, CapacityLimiter] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.live = Live(self.desk, partial(self.run, "quick"))

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Open the studies in the background, and end the streams when the server stops."""
        warming = asyncio.get_running_loop().create_task(self.run("plan", self.desk.warm))
        yield
        self.live.stop()
        warming.cancel()

    async def run(self, work: str, function: Callable[[], T]) -> T:
        """Run a function in a worker thread and return its result; plans have only a few threads."""
        if work not in self._limits:  # a limiter belongs to the event loop that it is made in
            self._limits[work] = CapacityLimiter(THREADS[work])
        return await anyio.to_thread.run_sync(function, limiter=self._limits[work])

    # The API.

    async def api(self, request: Request) -> Response:
        """Answer a request to the API."""
        try:
            return await self._answer(request)
        except Problem as problem:
            return problem.response
        except WayfareError as error:
            return _problem(error).response
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception:  # a fault of ours: the client gets no traceback, and the server goes on
            _log.exception("%s %s failed", request.method, request.url.path)
            return Problem(500, "failed", "the server failed at this; its log says more").response

    async def _answer(self, request: Request) -> Response:
        path = request.scope["raw_path"].partition(b"?")[0].decode("latin-1").removeprefix(API)
        if path == "/openapi.json":
            self.described = self.described or to_json(description())
            return _packed(request, self.described, "application/json")
        if path == "/session" and request.method in ("POST", "DELETE"):
            return await self._session(request)
        if path == "/live" or (path.startswith("/studies/") and path.endswith("/live") and path.count("/") == 3):
            return await self._stream(request, path)
        # 1. Which route, who asks, may they. 2. The body, of a bounded size in a bounded time. 3. The work.
        route, named = find(request.method, path)
        person = await self._person(request, route)
        name = named.get("name")
        if route.role is not None:
            check_role(person, route.role, name)
        body = await self._body(request, route)
        query = parse_qsl(request.url.query, keep_blank_values=True, max_num_fields=50, errors="strict")
        call = Call(self.desk, self.users, person, self.setting, name)
        done = await self._worked(route, partial(self._done, route, call, named, query, body))
        if isinstance(done, Bytes):
            return _file_response(request, done)
        return _packed(request, done, "application/json", route.status)

    def _done(self, route: Route, call: Call, *given: Any) -> Bytes | bytes:
        """Return the answer of a route, ready to be sent; in a worker thread."""
        try:
            if route.is_kept:
                named, query, _ = given
                key = (call.name, route.path, *named.items(), *query)
                made: Bytes | bytes = self.desk.answer(call.state, key, lambda: _sent(route.run(call, *given)))
                return made
            return _sent(route.run(call, *given))
        except AlreadyTold as error:
            problem = _problem(error)
            if (number := given[0].get("number")) is not None:
                problem.more["trial"] = trial_record(call.state.trial(reads.number_of(call.state, number)))
            raise problem from error

    async def _worked(self, route: Route, work: Callable[[], T]) -> T:
        if route.work == "quick":
            return await self.run("quick", work)
        if self.waiting[route.work] >= THREADS[route.work] + WAITING:
            raise Problem(503, "busy", "too many plans are under way; try again soon", headers=retry_after(2))
        self.waiting[route.work] += 1
        try:
            return await self.run(route.work, work)
        finally:
            self.waiting[route.work] -= 1

    async def _body(self, request: Request, route: Route) -> bytes | None:
        """Return the body; None where the route takes none."""
        if route.body is None:
            return None
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Problem(415, "not-json", "the body must be JSON: Content-Type: application/json")
        return await read_body(request, route.most)

    # Sessions.

    async def _person(self, request: Request, route: Route | None) -> Person:
        """Return the user; NOBODY without a session, if the route needs none."""
        token = bearer(request.headers) or request.cookies.get(self.setting.cookie)
        found = None if not token else await self.run("quick", partial(self.users.who, token))
        if found is None and (route is None or route.role is not None):
            raise Problem(401, "sign-in", "sign in with a link: `wayfare serve` prints one, and an owner can make one")
        return found or NOBODY

    async def _session(self, request: Request) -> Response:
        """Trade the token of a link for a session, or end the session."""
        is_secure = request.scope["wayfare.origin"].startswith("https")
        look: dict[str, Any] = {"path": "/", "httponly": True, "samesite": "strict", "secure": is_secure}
        if request.method == "DELETE":
            if token := bearer(request.headers) or request.cookies.get(self.setting.cookie):
                await self.run("quick", partial(self.users.sign_out, token))
            response = Response(status_code=204, headers={"clear-site-data": '"cache"'})
            response.delete_cookie(self.setting.cookie, **look)
            return response
        client = request.client.host if request.client else ""
        if seconds := self.sign_ins.wait(client):
            raise Problem(429, "too-many", "too many tries to sign in; wait a little", headers=retry_after(seconds))
        session_route, _ = find("GET", "/session")
        body = await self._body(request, _SIGN_IN)
        token = _SIGN_IN.run(Call(self.desk, self.users, NOBODY, self.setting), {}, (), body)
        traded = await self.run("quick", partial(self.users.trade, token))
        if traded is None:
            raise Problem(401, "sign-in", "this link is used up or too old; ask for a new one")
        person = await self.run("quick", partial(self.users.who, traded)) or NOBODY
        record = session_route.run(Call(self.desk, self.users, person, self.setting), {}, (), None)
        response = _packed(request, to_json(record), "application/json")
        response.set_cookie(self.setting.cookie, traded, max_age=30 * 86_400, **look)
        return response

    # Live streams.

    async def _stream(self, request: Request, path: str) -> Response:
        if request.method != "GET":
            raise Problem(405, "method-not-allowed", "this path takes GET", headers={"allow": "GET"})
        person = await self._person(request, None)
        token = bearer(request.headers) or request.cookies[self.setting.cookie]
        if path == "/live":
            messages = self.live.follow_list(partial(self._readable, token))
        else:
            name = find("GET", path.removesuffix("/live"))[1]["name"]
            check_role(person, "read", name)
            since = _since(request)
            await self.run("quick", partial(self.desk.study, name))  # refused if it is not there
            messages = self.live.follow(name, since, partial(self._may_read, token, name))
        if sum(self.listeners.values()) >= LISTENERS or self.listeners.get(person.name, 0) >= LISTENERS_EACH:
            raise Problem(503, "busy", "too many pages are listening; close some", headers=retry_after(30))
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(self._counted(person.name, messages), 200, headers, "text/event-stream")

    async def _counted(self, name: str, messages: AsyncIterator[str]) -> AsyncIterator[str]:
        self.listeners[name] = self.listeners.get(name, 0) + 1
        try:
            async for message in messages:
                yield message
        finally:
            self.listeners[name] -= 1
            await messages.aclose()  # type: ignore[attr-defined]  # they are generators

    def _readable(self, token: str) -> Callable[[str], bool] | None:
        person = self.users.who(token)
        return None if person is None else partial(person.may, "read")

    def _may_read(self, token: str, name: str) -> bool:
        person = self.users.who(token)
        return person is not None and person.may("read", name)

    # The page.

    async def page(self, request: Request) -> Response:
        """Answer with a file of the page."""
        name = request.path_params["rest"] or "index.html"
        found = self.files.get(name)
        if found is None:
            return Problem(404, "not-found", "there is no such page").response
        headers = {"etag": found.tag, "cache-control": "no-cache"}
        if found.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return _packed(request, found.content, found.media, headers=headers, packed=found.packed)


def _sent(made: Any) -> Bytes | bytes:
    return made if isinstance(made, Bytes) else to_json(made)


def check_role(person: Person, role: Any, name: str | None) -> None:
    """Refuse what the role of a user does not allow; a study that they may not read is not there for them."""
    if name is None:
        # Lists are for everyone who may read anything: each shows what its reader may see.
        allowed = bool(person.grants) if role == "read" else person.may(role)
    else:
        if not person.may("read", name):
            raise Problem(404, "unknown-study", f"no study named {name!r}")
        allowed = person.may(role, name)
    if not allowed:
        needed = {"read": "read", "operate": "make moves in", "own": "own"}[role]
        what = "studies here" if name is None else "this study"
        raise Problem(403, "forbidden", f"{person.name} may not {needed} {what}; `wayfare users add` gives the role")


def _problem(error: WayfareError) -> Problem:
    kinds = (PROBLEMS[kind] for kind in type(error).__mro__ if kind in PROBLEMS)
    status, kind = next(kinds, (500, "failed"))
    return Problem(status, kind, " ".join(str(error).split())[:2000])


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request, of at most so many bytes, within ``SLOWEST`` seconds."""
    stated = request.headers.get("content-length", "")
    if stated.isdigit() and int(stated[:20]) > most:
        raise Problem(413, "too-large", f"the body may have {most:,} bytes at most", headers={"connection": "close"})
    body = bytearray()
    try:
        async with asyncio.timeout(SLOWEST):
            async for piece in request.stream():
                body += piece
                if len(body) > most:
                    raise Problem(
                        413, "too-large", f"the body may have {most:,} bytes at most", headers={"connection": "close"}
                    )
    except TimeoutError as error:
        raise Problem(408, "too-slow", "the body took too long", headers={"connection": "close"}) from error
    return bytes(body)


def _since(request: Request) -> int | None:
    text = request.headers.get("last-event-id") or request.query_params.get("since")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise Problem(400, "bad-request", f"since must be a number of events, got {text[:80]!r}")
    return int(text)


def _sign_in(call: Call, body: TokenBody) -> str:
    """Return the token of a link."""
    return body["token"][:200]


_SIGN_IN = Route("POST", "/session", None, "quick", 200, 10_000, _sign_in)


# Answers.


def _packed(
    request: Request,
    content: bytes,
    media: str,
    status: int = 200,
    headers: dict[str, str] | None = None,
    packed: bytes | None = None,
) -> Response:
    """Return an answer, compressed if the client takes that and it is worth it."""
    more = {"cache-control": "no-store", "vary": "accept-encoding"} | (headers or {})
    if len(content) >= GZIP_FROM and "gzip" in request.headers.get("accept-encoding", ""):
        content = gzip.compress(content, 5, mtime=0) if packed is None else packed
        more["content-encoding"] = "gzip"
    return Response(content, status, more, media)


def _file_response(request: Request, made: Bytes) -> Response:
    headers = {}
    if made.file is not None:
        headers["content-disposition"] = f"attachment; filename*=UTF-8''{quote(made.file)}"
    if made.policy is not None:
        headers["content-security-policy"] = made.policy
    return _packed(request, made.content, made.media, headers=headers)


@define
class _File:
    """A file of the page, read once."""

    content: bytes
    media: str
    packed: bytes
    tag: str


MEDIA = {".js": "text/javascript", ".webmanifest": "application/manifest+json", ".ico": "image/x-icon"}


def read_files(folder: Path) -> dict[str, _File]:
    """Return the files of the page by their paths; what a request names is only ever looked up here."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            content = path.read_bytes()
            media = MEDIA.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            if media.startswith("text/") or media in ("application/json", "image/svg+xml"):
                media += "; charset=utf-8"
            tag = f'"{sha256(content).hexdigest()[:24]}"'
            found[path.relative_to(folder).as_posix()] = _File(content, media, gzip.compress(content, 9, mtime=0), tag)
    return found

"""The door of the server: what is refused before any of the program's own code sees a request.

Host first of all, so that a page elsewhere cannot reach the server under a name of its own (DNS rebinding); then the
origin of a write, sizes and rates. Every answer gets the headers that keep a browser from running what is not ours.
"""

import ipaddress
import json
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from attrs import define, field, frozen
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wayfare.errors import InvalidInput

SAFE = ("GET", "HEAD")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), payment=(), usb=()",
}
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
MOST_KNOWN = 10_000
"""Clients whose rate is remembered."""


class Problem(Exception):
    """An answer that is an error, as RFC 9457 says it.

    Attributes:
        status: of the answer.
        kind: the end of its type, such as ``already-told``.
        detail: one line for the user.
        more: further members.
        headers: further headers.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        more: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail
        self.more, self.headers = dict(more or {}), dict(headers or {})

    @property
    def response(self) -> Response:
        """The answer."""
        title = self.kind.replace("-", " ").capitalize()
        record = {"type": f"urn:wayfare:{self.kind}", "title": title, "status": self.status, "detail": self.detail}
        text = json.dumps(record | self.more, allow_nan=False)
        return Response(text, self.status, {"cache-control": "no-store"} | self.headers, "application/problem+json")


@frozen
class Origins:
    """Under which names the server is reached.

    A literal address is allowed if the connection was made to it: no name can stand behind it. A name is allowed if it
    was stated.

    Attributes:
        urls: as stated with ``--url``, each with scheme and host.
        tls: whether the server itself speaks https.
    """

    urls: tuple[str, ...] = ()
    tls: bool = False

    def of(self, host: str, server: str | None) -> str | None:
        """Return the origin of a page that this host serves; None if the host is not ours.

        Args:
            host: the header, a name or an address, perhaps with a port.
            server: the address that the connection was made to.
        """
        named = host.lower()
        for url in self.urls:
            if urlsplit(url).netloc.lower() == named:
                return url.lower()
        name = _without_port(named)
        if name is None:
            return None
        is_ours = name in LOOPBACK if server is None or is_loopback(server) else _address(name) == _address(server)
        return f"{'https' if self.tls else 'http'}://{named}" if is_ours else None


def read_url(text: str) -> str:
    """Return an origin as stated by a user: scheme and host, with a port if it is not the usual one."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise InvalidInput(f"url must be like https://lab.example, with no path, got {text!r}")
    return f"{parts.scheme}://{parts.netloc}".lower()


def _without_port(host: str) -> str | None:
    """Return a host without its port; None if it is not written as one."""
    name, colon, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    if not colon:
        return host
    return name if port.isascii() and port.isdigit() and len(port) <= 5 else None


def _address(text: str) -> Any:
    try:
        return ipaddress.ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None


def is_loopback(address: str) -> bool:
    """Return whether an address is this machine's own; what is no address is a socket of its own."""
    found = _address(address)
    return found is None or bool(found.is_loopback)


@define
class Rates:
    """How often each client may come: ``burst`` at once, and ``per_second`` after that."""

    per_second: float
    burst: float
    _known: OrderedDict[str, tuple[float, float]] = field(factory=OrderedDict)

    def wait(self, client: str) -> float:
        """Count a request; return 0, or in how many seconds it may come again."""
        now = time.monotonic()
        left, then = self._known.pop(client, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.per_second)
        good = left >= 1
        self._known[client] = (left - good, now)
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return 0.0 if good else (1 - left) / self.per_second


class Guard:
    """The outermost part of the application: it answers what is refused, and adds the headers to every answer."""

    def __init__(self, app: ASGIApp, origins: Origins, api: str, rates: Rates) -> None:
        """Guard an application whose API begins with the path ``api``."""
        self.app, self.origins, self.api, self.rates = app, origins, api, rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            scope["wayfare.origin"] = self._checked(scope)
        except Problem as problem:
            await problem.response(scope, receive, dressed)
            return
        await self.app(scope, receive, dressed)

    def _checked(self, scope: Scope) -> str:
        """Return the origin of our pages as this client sees it; a request that must not go on is a ``Problem``."""
        headers = Headers(scope=scope)
        # 1. The host: exactly one, and ours.
        hosts, server = headers.getlist("host"), scope.get("server")
        own = self.origins.of(hosts[0], server[0] if server else None) if len(hosts) == 1 else None
        if own is None:
            raise Problem(421, "misdirected", "this server does not answer to that host; --url states its names")
        client = (scope.get("client") or ("",))[0]
        if seconds := self.rates.wait(client):
            raise Problem(429, "too-many", "too many requests; wait a little", headers=retry_after(seconds))
        # 2. A browser says where a request comes from. A page elsewhere may link here, but must not use the API.
        is_api = scope["path"].startswith(self.api)
        site, origins = headers.get("sec-fetch-site"), headers.getlist("origin")
        if (is_api or scope["method"] not in SAFE) and site not in (None, "same-origin", "none"):
            raise Problem(403, "forbidden", "requests of pages elsewhere are refused")
        if any(origin.lower() != own for origin in origins):
            raise Problem(403, "forbidden", "requests of pages elsewhere are refused")
        # 3. A write with a cookie must say its origin; a program has a token of its own, which no page can add.
        if scope["method"] not in SAFE and not origins and bearer(headers) is None:
            raise Problem(403, "forbidden", "a write needs an Origin header, or a token in Authorization")
        return own


def bearer(headers: Headers) -> str | None:
    """Return the token that a program sends in the header ``Authorization``; None without one."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" and token.strip() else None


def retry_after(seconds: float) -> dict[str, str]:
    """Return the header that says in how many seconds to come again."""
    return {"retry-after": str(max(1, round(seconds + 0.5)))}


def listed(urls: Iterable[str]) -> tuple[str, ...]:
    """Return the origins that a user stated, checked."""
    return tuple(read_url(url) for url in urls)

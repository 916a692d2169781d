"""``serve``: the application behind uvicorn, with bounds on what a slow or greedy client can hold.

A head that does not come within seconds, a connection that idles, a body that trickles: each is closed. Plans run with
one thread of BLAS, so that they are the same as anywhere else.
"""

import asyncio
import socket
import ssl
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from wayfare.errors import DriftWarning, GuaranteeWarning, InvalidInput
from wayfare.web.guard import is_loopback

HEAD = 10.0
"""Seconds in which the head of a request must have come."""
IDLE = 30
"""Seconds that a connection may wait for its next request."""
LONGEST_HEAD = 16_384
"""Bytes of a head."""
CONNECTIONS = 600
"""At once; beyond them the answer is 503."""
CONNECTIONS_EACH = 100
"""Of one address that is not this machine's."""
FAREWELL = 2
"""Seconds that requests under way get when the server stops."""


class Patient(H11Protocol):
    """A connection that waits for the head of a request, but not for ever."""

    held: ClassVar[Counter[str]] = Counter()
    """How many connections each address holds."""
    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait for a head; an address that holds too many connections gets no further one."""
        super().connection_made(transport)
        self._limit = self.loop.call_later(HEAD, self._too_slow)
        address = self.client[0] if self.client else ""
        self.held[address] += 1
        if self.held[address] > CONNECTIONS_EACH and not is_loopback(address):
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Go on reading; a head that has begun is waited for, one that is whole is not."""
        super().data_received(data)
        waits = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        if not waits and self._limit is not None:
            self._limit.cancel()
            self._limit = None
        elif waits and self._limit is None:
            self._limit = self.loop.call_later(HEAD, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the clock."""
        if self._limit is not None:
            self._limit.cancel()
        address = self.client[0] if self.client else ""
        self.held[address] -= 1
        if not self.held[address]:
            del self.held[address]
        super().connection_lost(exc)

    def _too_slow(self) -> None:
        self._limit = None
        if not self.transport.is_closing():
            self.transport.close()


class _Server(uvicorn.Server):
    """A server that ends its live streams when it is told to stop, instead of waiting for them."""

    app: Starlette

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop."""
        self.app.state.server.live.stop()
        super().handle_exit(sig, frame)


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address, refused if that is not this machine's or is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=256)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInput(f"cannot listen at {host} port {port}: {reason}; choose another --port or --host") from error


def check_certificate(cert: Path, key: Path | None) -> None:
    """Refuse a certificate that https cannot be served with."""
    try:
        # A key behind a password would have the server wait for a person: an empty one is tried instead.
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key, password="")
    except (OSError, ssl.SSLError) as error:
        reason = getattr(error, "strerror", None) or error
        what = f"--tls-cert {cert}" + (f" with --tls-key {key}" if key else "")
        raise InvalidInput(f"{what} cannot be used: {reason}; it must be PEM, the key without a password") from error


def make_server(app: Starlette, cert: Path | None = None, key: Path | None = None) -> uvicorn.Server:
    """Return a server of the application, which ``run(sockets=[...])`` starts.

    Args:
        app: from ``make_app``.
        cert: the certificate, for https.
        key: its key; None if it is in the same file.
    """
    more: dict[str, Any] = {} if cert is None else {"ssl_certfile": cert, "ssl_keyfile": key}
    config = uvicorn.Config(
        app,
        http=Patient,
        ws="none",
        lifespan="on",
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=FAREWELL,
        limit_concurrency=CONNECTIONS,
        h11_max_incomplete_event_size=LONGEST_HEAD,
        **more,
    )
    server = _Server(config)
    server.app = app
    return server


def serve(app: Starlette, listener: socket.socket, cert: Path | None = None, key: Path | None = None) -> None:
    """Run the application until the process is told to stop.

    Args:
        app: from ``make_app``.
        listener: a socket that listens.
        cert: the certificate, for https.
        key: its key; None if it is in the same file.
    """
    for kind in (DriftWarning, GuaranteeWarning):  # a page is told of them in its answers
        warnings.simplefilter("ignore", kind)
    with suppress(KeyboardInterrupt):
        make_server(app, cert, key).run(sockets=[listener])

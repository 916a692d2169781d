"""Live events: what happens to a study, sent to every page that looks at it, in order and without gaps.

One poller looks at the store for all listeners, so that a move of another process shows as well. A listener knows how
many events it has sent; what is missing is read again from the store, however long it was away.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any, TypedDict

from attrs import define, field

from wayfare.errors import StoreError, UnknownStudy, WayfareError
from wayfare.record.events import read_event
from wayfare.record.stamp import stamp_form
from wayfare.web.desk import Desk

PAUSE = 0.25
"""Seconds between two looks at the store."""
BEAT = 15.0
"""Seconds after which a beat is sent although nothing happened, so that both ends notice a connection that is gone."""
FRESH = 2_000_000_000
"""Nanoseconds since a file was changed in which its time may not yet tell of a further change."""
KEPT = 1000
"""Events of a study held for its listeners; older ones are read from the store."""
HELLO = "retry: 1000\n: hello\n\n"
BEAT_MESSAGE = "event: beat\ndata: {}\n\n"
SIGN_OUT = "event: signout\ndata: {}\n\n"
Runs = Callable[[Callable[[], Any]], Any]
"""Runs a function in a worker thread; awaited, it gives what that returns."""


class LiveRecord(TypedDict):
    """An event as listeners are told of it; ``version`` counts the events up to this one."""

    version: int
    event: int
    what: str
    trial: int | None
    at: str | None
    by: str | None
    via: str | None
    request: str


def live_record(number: int, text: str) -> LiveRecord:
    """Return an event of a store as listeners are told of it; ``number`` counts from 0."""
    event = read_event(text)
    stamp = stamp_form(event.stamp)
    return {
        "version": number + 1,
        "event": number,
        "what": type(event).__name__.lower(),
        "trial": getattr(event, "number", None),
        "at": stamp.get("at"),
        "by": stamp.get("by"),
        "via": stamp.get("via"),
        "request": getattr(event, "request", ""),
    }


@define
class _Feed:
    """The newest events of one study: its first ``start`` are not held here."""

    start: int
    texts: list[str] = field(factory=list)
    listeners: int = 0
    gone: str = ""
    """Why the study cannot be followed any more."""

    @property
    def version(self) -> int:
        return self.start + len(self.texts)


class Live:
    """The feeds of the studies that are listened to, and the poller behind them."""

    def __init__(self, desk: Desk, run: Runs) -> None:
        """Begin without listeners; ``run`` takes a function to a worker thread."""
        self._desk, self._run = desk, run
        self._feeds: dict[str, _Feed] = {}
        self._versions: dict[str, int] | None = None
        """Of the studies of the store; None while there is no list to tell of them."""
        self._lists = 0
        self._changed: asyncio.Event | None = None
        self._poller: asyncio.Task[None] | None = None
        self._seen: object = None
        self._known: set[str] = set()
        self.is_over = False

    async def follow(self, name: str, since: int | None, allowed: Callable[[], bool]) -> AsyncIterator[str]:
        """Yield the messages of a study as long as the listener may read it.

        Args:
            name: of the study.
            since: how many of its events the listener has; None, all that there are now.
            allowed: whether the listener may read it still, looked at now and then.
        """
        feed = await self._listen(name)
        try:
            at = feed.version if since is None else min(since, feed.version)
            yield HELLO
            spoken = asked = time.monotonic()
            while not self.is_over:
                wait = self._next()
                if time.monotonic() - asked > BEAT:
                    asked = time.monotonic()
                    if not await self._run(allowed):
                        yield SIGN_OUT
                        return
                if feed.gone:
                    yield _message("gone", {"detail": feed.gone})
                    return
                if at < feed.version:
                    first, texts = await self._texts(name, feed, at)
                    # Many at once are one piece: a page that was away long is not told of each in a packet of its own.
                    yield "".join(_told(number, text) for number, text in enumerate(texts, first))
                    at, spoken = first + len(texts), time.monotonic()
                    continue
                if time.monotonic() - spoken > BEAT:
                    yield BEAT_MESSAGE
                    spoken = time.monotonic()
                await _within(wait, BEAT)
        finally:
            feed.listeners -= 1
            if not feed.listeners and self._feeds.get(name) is feed:
                del self._feeds[name]

    async def follow_list(self, allowed: Callable[[], Callable[[str], bool] | None]) -> AsyncIterator[str]:
        """Yield the versions of the studies of the store that may be read: now, and at every change.

        Args:
            allowed: returns which studies may be read, by name; None once the session has ended.
        """
        self._lists += 1
        self._start()
        try:
            yield HELLO
            before: dict[str, int] | None = None
            spoken = time.monotonic()
            while not self.is_over:
                wait = self._next()
                may_read = await self._run(allowed)
                if may_read is None:
                    yield SIGN_OUT
                    return
                now = {name: version for name, version in (self._versions or {}).items() if may_read(name)}
                if now != before and self._versions is not None:
                    yield _message("studies", {"versions": now})
                    before, spoken = now, time.monotonic()
                if time.monotonic() - spoken > BEAT:
                    yield BEAT_MESSAGE
                    spoken = time.monotonic()
                await _within(wait, BEAT)
        finally:
            self._lists -= 1
            self._versions = self._versions if self._lists else None

    def stop(self) -> None:
        """End all streams: the server stops."""
        self.is_over = True
        self._wake()
        if self._poller is not None:
            self._poller.cancel()

    # The poller.

    async def _listen(self, name: str) -> _Feed:
        feed = self._feeds.get(name)
        if feed is None:
            begun = await self._run(partial(self._begun, name))
            feed = self._feeds.setdefault(name, begun)
        feed.listeners += 1
        self._start()
        return feed

    def _begun(self, name: str) -> _Feed:
        """Return a feed that begins with the last event there is."""
        start = max(0, self._desk.study(name).last.state.version - 1)
        return _Feed(start, list(self._desk.store.read(name, start).events))

    def _start(self) -> None:
        if self._poller is None or self._poller.done():
            self._poller = asyncio.get_running_loop().create_task(self._poll())

    async def _poll(self) -> None:
        while (self._feeds or self._lists) and not self.is_over:
            wanted = {name: (feed.version, feed.texts[-1:]) for name, feed in self._feeds.items()}
            try:
                found = await self._run(partial(self._look, wanted, bool(self._lists)))
            except (WayfareError, OSError):  # the store cannot be read now; it is looked at again
                found = None
            if found is not None:
                news, self._versions = found
                for name, (feed, texts) in ((name, (self._feeds.get(name), news[name])) for name in news):
                    if feed is None or feed.version != wanted[name][0]:
                        continue
                    if isinstance(texts, str):
                        feed.gone = texts
                        self._feeds.pop(name)
                    else:
                        feed.texts.extend(texts)
                        surplus = max(0, len(feed.texts) - KEPT)
                        feed.start, feed.texts = feed.start + surplus, feed.texts[surplus:]
                self._wake()
            await asyncio.sleep(PAUSE)
        self._seen = None

    def _look(
        self, wanted: dict[str, tuple[int, list[str]]], with_list: bool
    ) -> tuple[dict[str, list[str] | str], dict[str, int] | None] | None:
        """Return the new events of the studies, or why one cannot be followed; None if the file did not change."""
        mark, is_fresh = self._mark()
        is_known = wanted.keys() <= self._known and (self._versions is not None or not with_list)
        if mark is not None and mark == self._seen and not is_fresh and is_known:
            return None
        news: dict[str, list[str] | str] = {}
        for name, (version, last) in wanted.items():
            try:
                texts = self._read(name, max(0, version - 1))
            except UnknownStudy as error:
                news[name] = str(error)
                continue
            if version and texts[:1] != last:  # a backup was restored, or it is another study of that name
                news[name] = f"study {name!r} was replaced; open it again"
            elif len(texts) > bool(version):
                news[name] = texts[bool(version) :]
        versions = self._versions
        if with_list:
            known = {name: (versions or {}).get(name, 0) for name in self._desk.names()}
            versions = {name: self._version(name, before) for name, before in known.items()}
        self._seen, self._known = mark, set(wanted)
        return (news, versions) if news or versions != self._versions else None

    def _read(self, name: str, since: int) -> list[str]:
        """Return the events from ``since`` on; none if there are less, which some stores take for damage."""
        try:
            return list(self._desk.store.read(name, since).events)
        except StoreError:
            return list(self._desk.store.read(name).events[since:])

    def _version(self, name: str, before: int) -> int:
        """Return how many events a study has, ``before`` being how many it had; 0 if it cannot be read."""
        for since in {before: None, 0: None}:
            try:
                return since + len(self._desk.store.read(name, since).events)
            except StoreError:  # damaged, or less than before
                continue
        return 0

    def _mark(self) -> tuple[object, bool]:
        """Return what tells one state of the file from the next, and whether it may change without telling."""
        path = self._desk.path
        if path is None:
            return None, True
        try:
            found = path.stat()
        except OSError:
            return (), False
        mark = (found.st_ino, found.st_size, found.st_mtime_ns)
        return mark, abs(time.time_ns() - found.st_mtime_ns) < FRESH

    async def _texts(self, name: str, feed: _Feed, at: int) -> tuple[int, Sequence[str]]:
        """Return the events from number ``at`` on, and that number."""
        if at >= feed.start:
            return at, feed.texts[at - feed.start :]
        until = feed.start
        texts = (await self._run(partial(self._desk.store.read, name, at))).events
        return at, texts[: max(0, until - at)] or texts

    # Waking the listeners.

    def _next(self) -> asyncio.Event:
        """Return what will be set at the next change."""
        if self._changed is None:
            self._changed = asyncio.Event()
        return self._changed

    def _wake(self) -> None:
        changed, self._changed = self._changed, None
        if changed is not None:
            changed.set()


async def _within(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return


def _told(number: int, text: str) -> str:
    record = live_record(number, text)
    return f"id: {record['version']}\ndata: {json.dumps(record, allow_nan=False)}\n\n"


def _message(kind: str, record: object) -> str:
    return f"event: {kind}\ndata: {json.dumps(record, allow_nan=False)}\n\n"

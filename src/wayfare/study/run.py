"""Measure the stops of a study as they are handed out, several at a time: ``Study.run`` and ``wayfare worker``.

Every worker has a seat: a name that no other process of this user and machine works under while it lives. A worker that
was killed and is started again gets the same seat, and goes on with the trial that it had out.
"""

import contextlib
import logging
import os
import pickle
import socket
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import timedelta
from functools import partial
from hashlib import sha256
from multiprocessing import parent_process
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from attrs import define, frozen

from wayfare._core import checks
from wayfare._core.format import counted
from wayfare._core.settings import STATE, setting
from wayfare.errors import AlreadyTold, Conflict, InvalidInput, StoreError
from wayfare.record.events import Trial
from wayfare.record.stamp import now, user
from wayfare.store.database import NoStore
from wayfare.store.lock import give_back, take
from wayfare.study.inputs import overdue_since, worker_name
from wayfare.study.journal import as_request

if TYPE_CHECKING:
    from wayfare.study.study import Study

Found: TypeAlias = float | tuple[float, Mapping[str, float | None]]
"""The return of a function: its value, or its value and what was measured with it, by name."""
Moved = TypeVar("Moved")

PATIENCE = 600.0
"""Seconds for which a move is sent again while the store cannot be reached."""
_LONGEST_PAUSE = 30.0
_LONGEST_WHY = 500
_LOOK_AGAIN = 60.0
"""Seconds after which a worker with nothing to do looks again at the latest, if it could take trials over."""

_log = logging.getLogger(__name__)


# Seats.


@frozen
class Seat:
    """A worker's name, and what keeps it: a locked file, and its handle.

    A program that inherits the handle keeps the name taken. There is no lock where no other process can be.
    """

    name: str
    lock: Path | None = None
    handle: int | None = None

    def give_back(self) -> None:
        """Let another process have the name."""
        if self.lock is not None and self.handle is not None:
            give_back(self.lock, self.handle)


@contextlib.contextmanager
def seated(study: "Study", many: int, worker: str = "") -> Iterator[list[Seat]]:
    """Take seats at a study, and give them back at the end.

    Args:
        study: the study.
        many: how many seats.
        worker: the worker's name; of several, they are numbered behind it. Empty: numbered behind user and machine,
            from 1 on, those that are taken left out.
    """
    given = worker_name(worker)
    # With four digits of the network's address: machines of one image have one host name, and would share their trials.
    base = given or f"{user() or 'worker'}@{socket.gethostname()}-{uuid.getnode() % 0x10000:04x}"
    number = 0
    seats: list[Seat] = []
    try:
        while len(seats) < many:
            number += 1
            name = given if given and many == 1 else f"{base} {number}"
            if (seat := _seat(study, name)) is not None:
                seats.append(seat)
            elif given:
                raise Conflict(
                    f"a worker {name!r} is at study {study.spec.name!r} already, or what it started still runs; give "
                    "this one another name"
                )
        yield seats
    finally:
        for seat in seats:
            seat.give_back()


def _seat(study: "Study", name: str) -> Seat | None:
    """Return the seat of that name; None if another process has it."""
    if (path := _lock_of(study, name)) is None:
        return Seat(name)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = take(path)
    except OSError as error:
        raise StoreError(
            f"{path.parent} cannot be used, which keeps two workers from one name: {error.strerror}; let "
            f"{STATE} name a folder that can"
        ) from error
    return None if handle is None else Seat(name, path, handle)


def _lock_of(study: "Study", name: str) -> Path | None:
    """Return the file that is locked by a worker of that name; None if no other process can be at the study."""
    store = study.journal.store
    where = getattr(store, "path", None) or getattr(store, "address", None)
    if where is None:
        return None
    folder = setting(STATE) or Path.home() / ".local" / "state"
    at = Path(where).resolve() if isinstance(where, Path) else where
    key = "\0".join((str(at), study.spec.name, name)).encode(errors="surrogatepass")
    return Path(folder, "wayfare", f"{sha256(key).hexdigest()[:24]}.worker")


# The loop.

Start: TypeAlias = Callable[[Seat, Trial], "Future[Sequence[Found]]"]
"""Starts what finds the results of a trial: as many as its ``count``."""


@define
class Loop:
    """Asks for stops, has each measured, and tells what was found, until the study has no more.

    Attributes:
        study: the study.
        start: starts the measuring of a trial.
        lease: how long other workers' trials may be out before they are taken over; None: for ever.
        failures: how many trials may fail in a row; then no more are asked for, and the last error is raised.
        told: called with every trial that has its outcome.
        said: called with what a user should know.
    """

    study: "Study"
    start: Start
    lease: timedelta | None
    failures: int
    told: Callable[[Trial], object] = lambda trial: None
    said: Callable[[str], object] = _log.warning
    _in_a_row: int = 0
    _error: Exception | None = None

    def run(self, seats: Sequence[Seat]) -> None:
        """Measure until there is nothing left to do.

        Args:
            seats: as many stops are out at a time.
        """
        ended: SimpleQueue[tuple[Seat, Trial, Future[Sequence[Found]]]] = SimpleQueue()
        out = {trial.worker for trial in self.study.journal.state.open_trials}
        idle, busy = sorted(seats, key=lambda seat: seat.name in out), 0
        while True:
            while idle and self._error is None and (trial := self._asked(idle[-1])) is not None:
                seat = idle.pop()
                future = self.start(seat, trial)
                future.add_done_callback(partial(_put, ended, seat, trial))
                busy += 1
            if busy:
                seat, trial, future = ended.get()
                self._close(trial, future)
                idle.append(seat)
                busy -= 1
            elif self._error is not None:
                raise self._error
            elif not self._waited():
                return

    def _asked(self, seat: Seat) -> Trial | None:
        ask = partial(self.study.ask, seat.name, count=True, take_over=self.lease)
        trial = self._insisted(lambda request: ask(request=request))
        if trial is not None and trial.former:
            self.said(f"{trial.title} was taken over from {trial.former[-1] or 'the worker without a name'}")
        return trial

    def _close(self, trial: Trial, future: "Future[Sequence[Found]]") -> None:
        """Tell what was found, or that it failed."""
        number, study = trial.number, self.study
        try:
            try:
                values, measured = told_of(future.result())
                one = values[0] if trial.count == 1 else values
                told = self._insisted(lambda request: study.tell(number, one, measured=measured, request=request))
                self._in_a_row = 0
            except (StoreError, Conflict, AlreadyTold):
                raise
            except Exception as error:  # the user's code may raise anything, or return what is no result
                why = _why(error)
                told = self._insisted(lambda request: study.fail(number, why, request=request))
                self._in_a_row += 1
                if self._in_a_row >= self.failures:
                    error.add_note(f"{counted(self._in_a_row, 'failed trial')} in a row, {trial.title} last")
                    self._error = error
        except AlreadyTold:
            self.said(f"{trial.title} has its outcome from another worker already; what was found here is not kept")
            return
        self.told(told)

    def _insisted(self, move: Callable[[str], Moved]) -> Moved:
        """Make a move, under one request again and again while the store cannot be reached."""
        request, until, pause = as_request(None), time.monotonic() + PATIENCE, 0.1
        while True:
            try:
                return move(request)
            except (StoreError, Conflict) as error:
                if isinstance(error, NoStore) or time.monotonic() > until:
                    raise
                self.said(f"{error}; trying again")
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _waited(self) -> bool:
        """Wait until a trial of another worker may be taken over, or anything changes; False if none is out."""
        state = self.study.journal.last
        if self.lease is None or not state.open_trials:
            return False
        left = [self.lease.total_seconds()]
        left += [
            (trial.issued.at - now() + self.lease).total_seconds() for trial in state.open_trials if trial.issued.at
        ]
        self.study.journal.wait(min(max(min(left), 0.0) + 0.01, _LOOK_AGAIN))
        return True


def _put(ended: Any, seat: Seat, trial: Trial, future: "Future[Sequence[Found]]") -> None:
    ended.put((seat, trial, future))


def _why(error: Exception) -> str:
    """Return an error as the reason of a failed trial."""
    if isinstance(error, BrokenProcessPool):
        return "its process ended: killed, or out of memory"
    said = " ".join((str(error) or type(error).__name__)[: 2 * _LONGEST_WHY].split())
    return said.encode(errors="replace").decode()[:_LONGEST_WHY]


def told_of(found: Sequence[Found]) -> tuple[list[float], dict[str, float | None]]:
    """Return the values of some results, and the means of what was measured with them.

    Args:
        found: what a function returned, called once for each.
    """
    parted = [_parted(one) for one in found]
    measured = [numbers for _, numbers in parted]
    means: dict[str, float | None] = {}
    for name in dict.fromkeys(name for one in measured for name in one):
        known = [number for one in measured if (number := one.get(name)) is not None]
        # A single number as it is: if it is none, the refusal shows what the function returned.
        means[name] = None if not known else known[0] if len(known) == 1 else sum(known) / len(known)
    return [value for value, _ in parted], means


def _parted(found: Found) -> tuple[float, Mapping[str, float | None]]:
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], Mapping):
        return found
    return found, {}


# Where a function is called.


def run(
    study: "Study",
    function: Callable[..., Found],
    workers: int,
    worker: str,
    executor: Executor | None,
    lease: timedelta | None,
    failures: int,
) -> None:
    """Measure the stops of a study by a function; ``Study.run`` has the arguments."""
    if not callable(function):
        raise InvalidInput(f"function must be callable as function(**params), got {function!r}")
    checks.count(workers, "workers", 1)
    checks.count(failures, "failures", 1)
    overdue_since(lease)  # refuses what is none
    if executor is None and workers > 1:
        _check_sent(function)
    with contextlib.ExitStack() as stack:
        seats = stack.enter_context(seated(study, workers, worker))
        places: list[Any] = [executor] * workers
        if executor is None:
            places = [stack.enter_context(_Process() if workers > 1 else _Here()) for _ in seats]
        of = dict(zip((seat.name for seat in seats), places, strict=True))

        def start(seat: Seat, trial: Trial) -> "Future[Sequence[Found]]":
            future: Future[Sequence[Found]] = of[seat.name].submit(_call, function, dict(trial.params), trial.count)
            return future

        Loop(study, start, lease, failures).run(seats)


def _call(function: Callable[..., Found], params: dict[str, Any], count: int) -> list[Found]:
    return [function(**params) for _ in range(count)]


def _check_sent(function: Callable[..., Found]) -> None:
    try:
        pickle.dumps(function)
    except Exception as error:  # which, depends on what the function holds
        raise InvalidInput(
            f"function cannot be sent to another process ({_why(error)}); define it at the top of a module, or "
            "give an executor that can send it"
        ) from error


class _Here(Executor):
    """Calls at once, in this process."""

    def submit(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> "Future[Any]":
        """Call the function at once, and return a future of its result or exception."""
        done: Future[Any] = Future()
        try:
            done.set_result(function(*given, **named))
        except Exception as error:
            done.set_exception(error)
        return done


class _Process(Executor):
    """Calls in one process, which is replaced if it ends; it ends with the one that made it."""

    def __init__(self) -> None:
        self._pool = self._made()

    def _made(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, initializer=_end_with_parent)

    def submit(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> "Future[Any]":
        """Return the future result of the function."""
        try:
            return self._pool.submit(function, *given, **named)
        except BrokenProcessPool:
            self._pool = self._made()
            return self._pool.submit(function, *given, **named)

    def __exit__(self, *error: object) -> None:
        """End the process, whatever it does if this is because of an error: its trial stays open."""
        if error[0] is not None:
            for process in list((self._pool._processes or {}).values()):
                process.kill()
        self._pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()

"""``wayfare worker``: have a program measure the stops of a study, until there are no more."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from threading import TIMEOUT_MAX
from typing import IO, Any

import click

from wayfare.cli.input import Length, json_option, with_study
from wayfare.cli.output import note, plain, print_json
from wayfare.cli.studies import open_study
from wayfare.errors import InvalidInput
from wayfare.exchange.records import trial_record
from wayfare.record.events import Trial
from wayfare.report.progress import nothing_left
from wayfare.study.run import Found, Loop, Seat, seated

_GRACE = 5.0
"""Seconds that a command has to end by itself."""


@click.command()
@with_study
@click.option("--run", "command", metavar="COMMAND", help="The program that measures, with its arguments.")
@click.option("--call", "function", metavar="MODULE:FUNCTION", help="The function that measures, instead.")
@click.option("--worker", default="", metavar="NAME", help="Who measures.  [default: user, machine and a number]")
@click.option(
    "--lease",
    type=Length(),
    metavar="TIME",
    help="How long a trial may take, such as 2h: then COMMAND is stopped, and others' trials are taken over.",
)
@click.option(
    "--failures",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    metavar="N",
    help="Stop after so many failed trials in a row.",
)
@json_option
def worker(
    name: str,
    store: Path | str,
    command: str | None,
    function: str | None,
    worker: str,
    lease: timedelta | None,
    failures: int,
    as_json: bool,
) -> None:
    """Measure the stops of the study NAME by a program, until none is left.

    COMMAND gets the trial on its standard input, as `wayfare ask --json` prints it. The last line that it prints is
    the result: a number, or JSON such as {"value": 0.5, "measured": {"purity": 0.97}}. If it ends with an exit code
    other than 0, the trial failed, and the last line of its standard error is the reason.

    Several workers share a study, on one machine or many. One that was killed goes on with its trial when it is
    started again; with --lease, others take it over.
    """
    if (command is None) == (function is None):
        raise click.UsageError("say what measures: --run COMMAND, or --call MODULE:FUNCTION")
    arguments = _split(command) if command is not None else []
    call = None if function is None else _function(function)
    study = open_study(store, name)

    def start(seat: Seat, trial: Trial) -> "Future[Sequence[Found]]":
        done: Future[Sequence[Found]] = Future()
        try:
            measure = partial(call, **trial.params) if call else partial(_run, arguments, trial, seat.handle, lease)
            done.set_result([measure() for _ in range(trial.count)])
        except _NoProgram:
            raise
        except _Failed as error:
            done.set_exception(error)
        except Exception as error:  # the user's code may raise anything
            done.set_exception(_Failed(f"{type(error).__name__}: {error}"))
        return done

    def told(trial: Trial) -> None:
        if as_json:
            print_json(trial_record(trial))
        else:
            said = trial.why if trial.value is None else f"{trial.value:g}"
            click.echo(f"trial {trial.number} {trial.state}: {plain(said)}")

    loop = Loop(study, start, lease, failures, told, note)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C: the trial stays open
    try:
        with seated(study, 1, worker) as seats:
            note(f"worker {seats[0].name}")
            loop.run(seats)
    except _Failed as error:
        raise click.ClickException("; ".join((str(error), *error.__notes__))) from error
    finally:
        signal.signal(signal.SIGTERM, before)
    note(nothing_left(study.last.state))


class _Failed(Exception):
    """A command did not measure; the message is the reason."""


class _NoProgram(click.ClickException):
    """There is no such program: no trial can be blamed for that."""


def _split(command: str) -> list[str]:
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise InvalidInput(f"--run: {error}") from error
    if not arguments:
        raise InvalidInput("--run: the command is empty")
    return arguments


def _function(name: str) -> Callable[..., Found]:
    from wayfare.bench.named import named_object

    if (here := os.getcwd()) not in sys.path[:1]:
        sys.path.insert(0, here)
    where = f"--call: {name!r}"
    found: Callable[..., Found] = named_object(name, where, "lab:measure")
    if not callable(found):
        raise InvalidInput(f"{where} is no function")
    return found


def _run(arguments: Sequence[str], trial: Trial, handle: int | None, lease: timedelta | None) -> Found:
    """Run a command and return its result; the worker's name stays taken as long as it runs.

    Args:
        arguments: of the command, its own name first; no shell reads them.
        trial: what to measure.
        handle: of the lock on the name.
        lease: how long the command may take.
    """
    posix: dict[str, Any] = {}
    if os.name == "posix":  # a group of its own, so that it is ended with all that it started
        posix = {"start_new_session": True, "pass_fds": () if handle is None else (handle,)}
    seconds = None if lease is None else min(lease.total_seconds(), TIMEOUT_MAX)
    with ExitStack() as stack:
        # Files, not pipes: what a command leaves running would keep a pipe open, and nothing is too long for a file.
        given, out, said = (stack.enter_context(TemporaryFile()) for _ in range(3))
        given.write(json.dumps(trial_record(trial)).encode() + b"\n")
        given.seek(0)
        try:
            running = subprocess.Popen(arguments, stdin=given, stdout=out, stderr=said, **posix)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise _NoProgram(f"--run: {arguments[0]!r} cannot be run: {why}") from error
        try:
            running.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise _Failed(f"the command took longer than {lease}, and was stopped") from error
        finally:
            _end(running)
        if running.returncode:
            signalled = running.returncode < 0
            how = f"killed by signal {-running.returncode}" if signalled else f"exit code {running.returncode}"
            raise _Failed(_last_line(said) or how)
        return _read(_last_line(out))


def _end(running: "subprocess.Popen[bytes]") -> None:
    """End a command that still runs, and what it started."""
    if running.poll() is not None:
        return

    def stop(how: signal.Signals) -> None:
        if os.name == "posix":
            os.killpg(running.pid, how)
        else:
            running.terminate()

    stop(signal.SIGTERM)
    try:
        running.wait(_GRACE)
    except subprocess.TimeoutExpired:
        stop(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        running.wait()


def _last_line(file: IO[bytes]) -> str:
    """Return the last line of a file that has anything on it, looked for in its last 64 kB."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - 65_536))
    lines = file.read().decode(errors="replace").splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _read(text: str) -> Found:
    """Return the result that a command printed."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        try:
            found = float(text)  # inf and nan, which the study refuses with its own words
        except ValueError:
            found = None
    if isinstance(found, dict) and "value" in found and not found.keys() - {"value", "measured"}:
        measured = found.get("measured") or {}
        if isinstance(measured, dict):
            return found["value"], measured
    elif isinstance(found, int | float) and not isinstance(found, bool):
        return found
    said = text if len(text) <= 80 else f"{text[:80]}…"
    raise _Failed(
        f"the last line printed must be a number, or JSON with value and measured, got {said!r}"
        if text
        else "nothing was printed; the last line must be the result"
    )

"""A move made by a child process, with strace looking on or interfering."""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from attrs import frozen

from wayfare.errors import StoreError

ACKNOWLEDGED, REFUSED, UNSURE, KILLED = "acknowledged", "refused", "unsure", "killed"
NO_MEMORY = "out of memory"
_SET_PTRACER, _ANYONE = 0x59616D61, -1
_CALL = re.compile(r"^(\w+)\(")


def run(work: Callable[[], object], *flags: str, files: tuple[Path, ...] = ()) -> "Ending":
    """Run ``work`` in a child, traced with these flags of strace if any; return how it ended.

    Only system calls that touch ``files`` are seen, counted and interfered with.
    """
    go, going = os.pipe()
    out, into = os.pipe()
    if (child := os.fork()) == 0:
        _be_the_child(work, go, going, into)
    os.close(go)
    os.close(into)
    handle, name = tempfile.mkstemp(prefix="calls")
    os.close(handle)
    log = Path(name)
    try:
        tracer = _attach(child, log, flags, files) if flags else None
        os.write(going, b"go")
        os.close(going)
        with os.fdopen(out) as pipe:
            said = pipe.read()
        status = os.waitpid(child, 0)[1]
        if tracer is not None:
            tracer.communicate(timeout=60)
        lines = log.read_text().splitlines()
    finally:
        log.unlink()
    if not said:
        assert os.WIFSIGNALED(status), f"the child ended in silence: {status}"
        assert os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGALRM), status
        return Ending(KILLED, "", lines)
    how, _, why = said.partition("\n")
    return Ending(how, why, lines)


@frozen
class Ending:
    """How a child ended, what it said, and the system calls that were seen."""

    how: str
    why: str
    lines: list[str]

    @property
    def calls(self) -> list[str]:
        """The names of the system calls, in order."""
        return [found[1] for line in self.lines if (found := _CALL.match(line))]


def _be_the_child(work: Callable[[], object], go: int, going: int, into: int) -> None:
    os.close(going)
    if sys.platform == "linux":
        # Where only ancestors may trace, strace, a sibling, needs leave.
        ctypes.CDLL(None).prctl(_SET_PTRACER, ctypes.c_ulong(_ANYONE), 0, 0, 0)
    os.read(go, 2)
    try:
        work()
        said = ACKNOWLEDGED
    except StoreError as error:
        said = f"{UNSURE if 'send it again' in str(error) else REFUSED}\n{error}"
    except MemoryError:
        said = NO_MEMORY
    except BaseException as error:  # anything else must reach the parent, too
        said = f"{type(error).__name__}\n{error}"
    os.write(into, said.encode())
    os._exit(0)


def _attach(child: int, log: Path, flags: tuple[str, ...], files: tuple[Path, ...]) -> subprocess.Popen[str]:
    only = [part for file in files for part in ("-P", str(file))]
    command = ["strace", "-o", str(log), *flags, *only, "-p", str(child)]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert tracer.stderr is not None
    for line in tracer.stderr:
        if "attached" in line and "Requested" not in line:
            return tracer
    raise OSError(f"strace could not attach: {' '.join(command)}")


@contextmanager
def memory_folder() -> Iterator[Path]:
    """Give a folder in memory if the machine has one: faster, and no disk is worn."""
    fast = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=fast if os.access(fast, os.W_OK) else None) as folder:
        yield Path(folder).resolve()


@cache
def strace_works() -> bool:
    """Return whether system calls can be traced on this machine."""
    if shutil.which("strace") is None:
        return False
    try:
        return "getppid" in run(os.getppid, "-e", "trace=getppid").calls
    except (OSError, AssertionError, subprocess.SubprocessError):
        return False


def files_of(path: Path) -> tuple[Path, ...]:
    """Return what a store's system calls touch: the file, its journals, its folder."""
    return path, *(path.with_name(path.name + end) for end in ("-journal", "-wal", "-shm")), path.parent

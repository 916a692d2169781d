"""Kill a process at every system call of a move, or fail the call, and see what is left."""

import random
import resource
import shutil
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import wayfare as wf
from crashes.child import ACKNOWLEDGED, KILLED, NO_MEMORY, REFUSED, UNSURE, Ending, files_of, run
from crashes.script import NAME, SCRIPT, Broken, Undisturbed, create, move, play

CREATE = -1
"""The step before the first move: the study and its file are made."""
BROKEN = "BROKEN"
WRITES = ("pwrite64", "write", "fsync", "fdatasync", "ftruncate", "fallocate", "unlink", "openat")
Progress = Callable[[str], None]


class Stage:
    """A folder with a study just before a step, copied afresh for every disturbance."""

    def __init__(self, folder: Path, step: int, undisturbed: Undisturbed) -> None:
        self.step, self.undisturbed = step, undisturbed
        self._prepared, self._work = folder.resolve() / "prepared", folder.resolve() / "work"
        self._prepared.mkdir(parents=True)
        if step != CREATE:
            play(create(self._prepared / "lab.db"), 0, step)

    @property
    def path(self) -> Path:
        """The store that is disturbed."""
        return self._work / "lab.db"

    def set(self) -> None:
        """Put everything as it was before the step."""
        shutil.rmtree(self._work, ignore_errors=True)
        shutil.copytree(self._prepared, self._work)

    def work(self) -> None:
        """Make the move, as a program does that has just been started."""
        if self.step == CREATE:
            create(self.path)
        else:
            move(wf.Study.open(self.path, NAME), self.step)

    def calls(self) -> Iterator[tuple[str, int]]:
        """Yield every system call that the step makes on its files: its name, and the how many-th of them."""
        self.set()
        ending = run(self.work, "-e", "trace=all", files=files_of(self.path))
        if ending.how != ACKNOWLEDGED:
            raise Broken(f"undisturbed, and yet {ending.how}: {ending.why}")
        seen: Counter[str] = Counter()
        for call in ending.calls:
            seen[call] += 1
            yield call, seen[call]

    def disturbed(
        self, *flags: str, before: Callable[[], object] | None = None, what: str = "", progress: Progress = print
    ) -> str:
        """Make the move under strace with these flags, or after ``before`` has set a limit; return how it ended.

        What is left is checked; a broken promise is an ending, too.
        """
        self.set()

        def work() -> None:
            if before is not None:
                before()
            self.work()

        try:
            return self.judge(run(work, *flags, files=files_of(self.path)))
        except Broken as broken:
            progress(f"BROKEN in step {self.step} by {' '.join(flags) or what}: {broken}")
            return BROKEN

    def judge(self, ending: Ending) -> str:
        """Check what a disturbance left; return how the move ended and whether it is stored."""
        if ending.how not in (ACKNOWLEDGED, REFUSED, UNSURE, KILLED, NO_MEMORY):
            raise Broken(f"an error that should not leave the library: {ending.how}: {ending.why}")
        if self.step == CREATE:
            made = self._made()
            if ending.how == ACKNOWLEDGED and not made:
                raise Broken("the new study was acknowledged, and is not there")
            if ending.how == REFUSED and made:
                raise Broken(f"the new study was refused, and is there: {ending.why}")
            self.undisturbed.check(self.path, 0, 0)
            return f"{ending.how}, {'stored' if made else 'not stored'}"
        held = self.undisturbed.check(self.path, self.step + (ending.how == ACKNOWLEDGED), self.step + 1)
        if ending.how == REFUSED and held > self.step:
            raise Broken(f"refused, and yet stored: {ending.why}")
        return f"{ending.how}, {'stored' if held > self.step else 'not stored'}"

    def _made(self) -> bool:
        try:
            create(self.path)
        except wf.Conflict:
            return True
        return False


def kill_at_every_call(stage: Stage, every: int = 1, progress: Progress = print) -> Counter[str]:
    """Kill the step before each of its system calls, or before every so many-th; count how it ended."""
    tally: Counter[str] = Counter()
    calls = list(stage.calls())[::every]
    for done, (call, nth) in enumerate(calls):
        flags = ("-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={nth}")
        tally[stage.disturbed(*flags, progress=progress)] += 1
        if done % 50 == 49:
            progress(f"step {stage.step}: killed at {done + 1} of {len(calls)} system calls")
    return tally


def kill_at_random(stage: Stage, times: int, rng: random.Random, progress: Progress = print) -> Counter[str]:
    """Kill the step at random moments; count how it ended."""
    tally: Counter[str] = Counter()
    stage.set()
    begun = time.perf_counter()
    run(stage.work)
    lasts = time.perf_counter() - begun
    for done in range(times):
        stage.set()
        tally[stage.judge(_killed_after(stage.work, rng.uniform(0, 1.1 * lasts)))] += 1
        if done % 50 == 49:
            progress(f"step {stage.step}: killed at {done + 1} of {times} random moments")
    return tally


def _killed_after(work: Callable[[], object], seconds: float) -> Ending:
    def kill_soon() -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        # The default action of the alarm ends the process at once, as SIGKILL does: no handler of ours runs.
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
        work()
        signal.setitimer(signal.ITIMER_REAL, 0)

    return run(kill_soon)


def fail_every_call(
    stage: Stage, errors: tuple[str, ...], kinds: tuple[str, ...] | None, progress: Progress = print
) -> Counter[str]:
    """Let each system call fail, alone or with all that follow; count how the step ended."""
    tally: Counter[str] = Counter()
    calls = [call for call in stage.calls() if kinds is None or call[0] in kinds]
    for done, (call, nth) in enumerate(calls):
        for error in errors:
            for when in (f"{nth}", f"{nth}+"):
                flags = ("-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={when}")
                tally[stage.disturbed(*flags, progress=progress)] += 1
        if done % 10 == 9:
            progress(f"step {stage.step}: {' and '.join(errors)} at {done + 1} of {len(calls)} system calls")
    return tally


def limit_every_size(stage: Stage, by: int) -> Counter[str]:
    """Let files grow no further than each of many sizes; count how the step ended."""
    tally: Counter[str] = Counter()
    stage.set()
    largest = stage.path.stat().st_size if stage.path.exists() else 0
    for limit in range(0, largest + 40_000, by):
        tally[stage.disturbed(before=partial(limit_files, limit), what=f"files of {limit} bytes")] += 1
    return tally


def starve_of_memory(
    stage: Stage, of_sqlite: int = 4_000, of_all: int = 1 << 18, progress: Progress = print
) -> Counter[str]:
    """Give the step too little memory, in steps up to enough, first SQLite alone and then the whole process.

    A process that cannot go on for want of memory may end in any way; what it was to store is there or is not.

    Args:
        stage: the step.
        of_sqlite: bytes by which SQLite's memory grows from one time to the next.
        of_all: the same of the whole process.
        progress: is told about broken promises.
    """
    tally: Counter[str] = Counter()
    for limit, by, most in ((limit_sqlite, of_sqlite, 100), (limit_memory, of_all, 60)):
        enough = 0
        for times in range(1, most):
            said = stage.disturbed(
                before=partial(limit, times * by), what=f"{limit.__name__} {times * by}", progress=progress
            )
            tally[said] += 1
            enough = enough + 1 if said == "acknowledged, stored" else 0
            if enough == 4:
                break
    return tally


def limit_sqlite(size: int) -> None:
    """Let SQLite have no more than so many bytes of memory in this process."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"PRAGMA hard_heap_limit = {size}")


def limit_memory(size: int) -> None:
    """Let this process have so many more bytes of memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + size
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def limit_files(size: int) -> None:
    """Make every write beyond ``size`` bytes fail in this process."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def steps_of(kind: str) -> list[int]:
    """Return where in the script a kind of move is made."""
    return [step for step, (move, _) in enumerate(SCRIPT) if move == kind]

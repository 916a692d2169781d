"""Disturb the store in every way we can, and count what it loses: `python benchmarks/faults.py`.

Kills and failing disks at every system call, simulated power cuts, no memory, flipped bits, malformed databases, crowds
of processes. Writes ``faults.md`` and ``faults.csv`` beside itself and ends with 1 if anything was lost. Needs strace
for the whole of it; without, or with ``--without-strace``, it says what it did instead.
"""

import argparse
import csv
import functools
import platform
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from attrs import asdict, fields, frozen
from rich.table import Table

from crashes.bits import flip_every_byte
from crashes.child import memory_folder, strace_works
from crashes.crowd import crowd
from crashes.kills import (
    BROKEN,
    CREATE,
    WRITES,
    Stage,
    fail_every_call,
    kill_at_every_call,
    kill_at_random,
    limit_every_size,
    starve_of_memory,
)
from crashes.malformed import spoil_in_every_way
from crashes.power import Cuts, cut_everywhere
from crashes.script import SCRIPT, Broken, Undisturbed
from crashes.writes import RECORDED, Setting, load, record, save
from tables import as_markdown

HERE = Path(__file__).parent
STEPS = {"create": CREATE, "ask": 10, "tell": 11, "plan": 12, "fail": 5, "insert": 6, "skip": 9, "replan": 14}
FAILING = ("tell", "create", "ask", "plan", "insert", "replan")
WEAKER = [
    Setting("DELETE", "FULL"),
    Setting("DELETE", "NORMAL"),
    Setting("DELETE", "OFF"),
    Setting("WAL", "FULL"),
    Setting("WAL", "NORMAL"),
]


@frozen
class Row:
    """One line of the result."""

    part: str
    what: str
    disturbances: int
    lost: int
    remarks: str
    promised: bool = True
    """Whether nothing may be lost here; the weaker settings are there to be caught."""


Job = Callable[[], Row]


def kills(name: str, traced: bool) -> Row:
    """Kill one kind of move."""
    with memory_folder() as folder:
        stage = Stage(folder, STEPS[name], Undisturbed())
        if traced:
            ends = kill_at_every_call(stage, progress=say)
        else:
            ends = kill_at_random(stage, 200, random.Random(0), progress=say)
    how = "at every system call" if traced else "at random moments (no strace)"
    return Row(f"SIGKILL {how}", name, ends.total(), ends[BROKEN], in_words(ends))


def failures(name: str, traced: bool) -> Row:
    """Let the disk fail under one kind of move."""
    with memory_folder() as folder:
        stage = Stage(folder, STEPS[name], Undisturbed())
        if traced:
            kinds = None if name == "tell" else WRITES
            ends = fail_every_call(stage, ("ENOSPC", "EIO"), kinds, progress=say)
            how = "every system call" if kinds is None else "every write, sync, open and unlink"
            return Row("ENOSPC and EIO", f"{name}: {how}", ends.total(), ends[BROKEN], in_words(ends))
        ends = limit_every_size(stage, by=400)
    return Row("file size limited (no strace)", name, ends.total(), ends[BROKEN], in_words(ends))


def power(setting: Setting, traced: bool, disks: int) -> Row:
    """Cut the power, with SQLite set in one way."""
    with memory_folder() as folder:
        log = record(folder, setting) if traced else load()
        if not traced and setting != Setting():
            log = [entry for entry in log if not (entry.what == "sync" and entry.name == "")]
        cuts = cut_everywhere(
            log, folder / "disk", Undisturbed(), disks, random.Random(0), progress=named(str(setting))
        )
    return power_row(setting, cuts, traced)


def power_row(setting: Setting, cuts: Cuts, traced: bool) -> Row:
    """Return the figures of the simulated power cuts as a line."""
    ours = setting == Setting()
    part = "power cut" if traced else "power cut (log recorded earlier, no strace)"
    what = f"{setting}{' (ours)' if ours else ''}"
    if not traced and not ours:
        what = "as if the folder were never synced"
    worst = "; ".join(f"{n}x {why}" for why, n in cuts.reasons.most_common(2))
    remarks = f"{cuts.moments} moments" + (f"; {worst}" if worst else "")
    return Row(part, what, cuts.disks, cuts.lost, remarks, promised=ours)


def bits() -> Row:
    """Flip a bit of every byte."""
    with memory_folder() as folder:
        tally = flip_every_byte(folder, random.Random(0), progress=say)
    return Row("one bit flipped", "every byte of a store", tally.total(), tally["wrong"], in_words(tally))


def malformed() -> Row:
    """Spoil pages, headers and tables."""
    with memory_folder() as folder:
        tally = spoil_in_every_way(folder, random.Random(0), progress=say, each=400)
    return Row("malformed database", "pages, headers and tables", tally.total(), tally["wrong"], in_words(tally))


def starved(name: str) -> Row:
    """Let memory run out under one kind of move."""
    with memory_folder() as folder:
        ends = starve_of_memory(Stage(folder, STEPS[name], Undisturbed()), progress=say)
    return Row("out of memory", name, ends.total(), ends[BROKEN], in_words(ends))


def crowds(processes: int, moves: int) -> Row:
    """Let many processes loose, on a real disk."""
    with tempfile.TemporaryDirectory() as folder:
        done = crowd(Path(folder) / "lab.db", processes, moves)
    errors = done.errors.total()
    remarks = f"{in_words(done.moves)}; {errors} errors"
    return Row("many processes", f"{processes} x {moves} moves", done.moves.total() + errors, errors, remarks)


def in_words(tally: Counter[str]) -> str:
    """Return a tally as text, the largest first."""
    return ", ".join(f"{n} {what}" for what, n in tally.most_common())


def say(line: str) -> None:
    """Show progress."""
    print(f"  {line}", file=sys.stderr, flush=True)


def named(name: str) -> Callable[[str], None]:
    """Return a way to show progress with a name before it."""
    return lambda line: say(f"{name}: {line}")


def jobs(traced: bool, disks: int) -> list[Job]:
    """Return everything there is to do, the longest first."""
    work: list[Job] = [functools.partial(power, Setting(), traced, disks)]
    work += [functools.partial(failures, name, traced) for name in FAILING]
    work += [functools.partial(kills, name, traced) for name in STEPS]
    weaker = WEAKER if traced else WEAKER[:1]
    work += [functools.partial(power, setting, traced, disks // 4) for setting in weaker]
    work += [functools.partial(starved, name) for name in STEPS]
    return [*work, bits, malformed]


def guarded(job: Job) -> Row:
    """Do a job; a broken promise is a line of the result, too."""
    try:
        return job()
    except Broken as broken:
        name = getattr(job, "func", job).__name__
        what = ", ".join(map(str, getattr(job, "args", ())))
        return Row(name, what, 1, 1, f"BROKEN: {broken}")


def run(traced: bool, disks: int, at_once: int) -> list[Row]:
    """Do all jobs, so many at a time, then the crowd with the machine to itself."""
    work = jobs(traced, disks)
    rows: dict[int, Row] = {}
    begun = time.monotonic()
    with ProcessPoolExecutor(at_once, mp_context=get_context("fork")) as pool:
        waiting = {pool.submit(guarded, job): place for place, job in enumerate(work)}
        for done in as_completed(waiting):
            rows[waiting[done]] = row = done.result()
            minutes = (time.monotonic() - begun) / 60
            say(f"[{len(rows)} of {len(work)}, {minutes:.1f} min] {row.part}, {row.what}: {row.lost} lost")
    return [*(rows[place] for place in sorted(rows)), guarded(functools.partial(crowds, 8, 200))]


def write(rows: Iterable[Row], traced: bool) -> None:
    """Write the results."""
    rows = sorted(rows, key=lambda row: (row.part, not row.promised))
    with (HERE / "faults.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, [one.name for one in fields(Row)])
        table.writeheader()
        table.writerows(asdict(row) for row in rows)
    shown = Table("disturbance", "of what")
    for head in ("times", "lost"):
        shown.add_column(head, justify="right")
    shown.add_column("remarks")
    for row in rows:
        shown.add_row(row.part, row.what, f"{row.disturbances:,}", f"{row.lost:,}", row.remarks)
    promised = [row for row in rows if row.promised]
    total, lost = sum(row.disturbances for row in promised), sum(row.lost for row in promised)
    missing = "" if traced else MISSING
    with_what = f"SQLite {sqlite3.sqlite_version}, Python {platform.python_version()}, {platform.system()}"
    (HERE / "faults.md").write_text(
        TEXT.format(
            moves=len(SCRIPT), total=total, lost=lost, missing=missing, with_what=with_what, table=as_markdown(shown)
        )
    )


TEXT = """# Faults

What `SqliteStore` lost, written by `python benchmarks/faults.py` ({with_what}):
**{lost} of {total:,} disturbances** lost something acknowledged, handed a trial out twice, read a wrong
number, or left a study that went on otherwise than undisturbed. The rows of weaker settings are not in that
sum: they are there to show that the simulation finds what they lose.
{missing}
After each kill, failure and cut the store is opened again: every acknowledged move must be there, the move
that was under way wholly or not at all; it is sent again with the same request, which must leave it there
once; the next move must give the same stop as in an undisturbed run, to the last bit.

- *SIGKILL*: the process is killed before the n-th system call on the store's files, for every n.
- *ENOSPC, EIO*: the n-th call fails, once, and again with all calls of its kind that follow. "Refused" is a
  `StoreError` and nothing stored; "unsure" is one that says it cannot be read now whether it was stored, and
  to send it again.
- *Power cut*: the writes of {moves} moves are recorded with their data; the power fails after each of them,
  and what was not synced is kept, dropped, or torn at sectors of 512 bytes; new and deleted names last only
  once the folder is synced. Each different disk this leaves is one case.
- *One bit flipped*: what is then read must be right, or a `StoreError`.
- *Malformed database*: pages exchanged, doubled, emptied or overwritten, ends cut or added, numbers in headers changed,
  tables and triggers made otherwise by another program. What is read must be right, or a `StoreError`; what is then
  written must be there.
- *Out of memory*: the move has too little memory, in steps up to enough, once for SQLite alone and once for the whole
  process. It may then end in any way; what it wrote is there wholly or not at all.
- *Many processes*: mixed moves on one study; an error of any kind would count as lost.

{table}
"""
MISSING = """
strace was not used: kills came at random moments, a limit on file size took the place of failing system
calls, and the power was cut in a log recorded earlier.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-strace", action="store_true", help="do what can be done without")
    parser.add_argument("--record", action="store_true", help=f"only write {RECORDED.name} anew")
    parser.add_argument("--disks", type=int, default=60, help="random disks for each moment of a power cut")
    parser.add_argument("--jobs", type=int, default=2, help="how many disturbances at a time")
    given = parser.parse_args()
    traced = strace_works() and not given.without_strace
    if given.record:
        with memory_folder() as folder:
            save(record(folder, Setting()))
        return 0
    if not traced:
        say("without strace: random kills, limited file sizes, and a log recorded earlier")
    rows = run(traced, given.disks, given.jobs)
    write(rows, traced)
    return int(any(row.lost for row in rows if row.promised))


if __name__ == "__main__":
    sys.exit(main())

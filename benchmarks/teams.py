"""Teams: many workers at one study in PostgreSQL, beside one worker, and beside Optuna's storage on the same server.

``python benchmarks/teams.py`` starts a PostgreSQL server of its own, lets 32 processes ask and tell until 1,600 trials
are done, then one process a part of them, then Optuna's workers; and opens a study of 10,000 trials in the database and
in a file in turn. It writes teams.md and teams.csv beside itself, and ends with 1 if anything was lost or handed out
twice, or a target is missed.
"""

import argparse
import csv
import math
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import numpy as np
from attrs import asdict, fields, frozen
from rich.table import Table

import wayfare as wf
from size import make_study, seconds
from tables import as_markdown
from wayfare.store import PostgresStore, SqliteStore, upgrade
from wayfare.study import moves

HERE = Path(__file__).parent
WORKERS, TRIALS, ALONE = 32, 1600, 100
WORK = 1.0
"""Mean seconds that an experiment takes: two cores must not be what 32 workers wait for."""
MOST_PLANS, MOST_TELL, MOST_OPEN = 1.3, 3.0, 1.5
LONG = 10_000
SPACE = wf.Space(wf.Real("x", -5, 10), wf.Real("y", 0, 15))

Said: TypeAlias = dict[str, Any]
"""What a worker did: the seconds of its asks and tells, what it told by trial, how often it planned, its CPU time."""


def branin(x: float, y: float) -> float:
    """Return the value to make small."""
    a, b = y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6, 10 * (1 - 1 / (8 * math.pi)) * math.cos(x)
    return a * a + b + 10


def work(ask: Callable[[], Any], tell: Callable[[Any, float], object], seconds: float, seed: int, begin: Any) -> Said:
    """Ask, work and tell until no more is handed out.

    Args:
        ask: returns a trial, with ``params`` and ``number``, or None.
        tell: tells what was found.
        seconds: that an experiment takes on average.
        seed: of the times that they take.
        begin: a barrier at which all workers begin.
    """
    chance, said = random.Random(seed), Said(asks=[], tells=[], told={}, planned=0)
    begin.wait()
    cpu = time.process_time()
    while True:
        begun = time.perf_counter()
        trial = ask()
        said["asks"].append(time.perf_counter() - begun)
        if trial is None:
            break
        time.sleep(chance.uniform(0, 2 * seconds))
        found, begun = branin(**trial.params), time.perf_counter()
        tell(trial, found)
        said["tells"].append(time.perf_counter() - begun)
        said["told"][trial.number] = found
    return said | {"cpu": time.process_time() - cpu}


def our_worker(address: str, number: int, seconds: float, begin: Any) -> Said:
    """Work at a study of ours."""
    study, plan, planned = wf.Study.open(address, "team"), moves.plan, []

    def counted(state: Any) -> Any:
        planned.append(state.version)
        return plan(state)

    moves.plan = counted
    said = work(lambda: study.ask(f"worker {number}"), study.tell, seconds, number, begin)
    return said | {"planned": len(planned)}


def optuna_worker(address: str, number: int, seconds: float, begin: Any, trials: int = 0) -> Said:
    """Work at a study of Optuna's, with the sampler that costs least."""
    import optuna

    uniform = optuna.distributions.FloatDistribution
    space, left = {"x": uniform(-5, 10), "y": uniform(0, 15)}, iter(range(trials))
    sampler = optuna.samplers.RandomSampler(seed=number)
    study = optuna.load_study(study_name="team", storage=address, sampler=sampler)
    return work(lambda: None if next(left, None) is None else study.ask(space), study.tell, seconds, number, begin)


@frozen
class Run:
    """One study that a team shared.

    Attributes:
        code: which library, and how it chooses.
        workers: number of processes.
        trials: that were told.
        planned: routes computed; 0 where there are none.
        stored: routes stored.
        ask_p50: median time of an ask, in seconds.
        ask_p95: its 95th percentile.
        tell_p50: median time of a tell.
        tell_p95: its 95th percentile.
        wall: mean time of an ask and a tell together.
        cpu: CPU time of an ask and a tell together, the server's not counted.
        lost: results acknowledged that are not in the store.
        twice: trials handed out to two workers.
    """

    code: str
    workers: int
    trials: int
    planned: int
    stored: int
    ask_p50: float
    ask_p95: float
    tell_p50: float
    tell_p95: float
    wall: float
    cpu: float
    lost: int
    twice: int


def crowd(worker: Callable[..., Said], workers: int, address: str, seconds: float, *more: object) -> list[Said]:
    """Let workers work, each in a process, all begun at once; return what each said."""
    print(f"{workers} x {worker.__name__}", file=sys.stderr, flush=True)
    fork = get_context("fork")  # all that they import is loaded already
    begin, said = fork.Barrier(workers), fork.SimpleQueue()

    def one(number: int) -> None:
        said.put(worker(address, number, seconds, begin, *more))

    processes = [fork.Process(target=one, args=(number,)) for number in range(workers)]
    for process in processes:
        process.start()
    done = [said.get() for _ in processes]
    for process in processes:
        process.join()
    return done


def row(code: str, said: Sequence[Said], stored: int, kept: dict[int, float | None]) -> Run:
    """Return the figures of what workers said, ``kept`` being the results in the store."""
    asks, tells = (np.array([one for each in said for one in each[what]]) for what in ("asks", "tells"))
    told = [item for one in said for item in one["told"].items()]
    (ask50, ask95), (tell50, tell95) = (np.quantile(kind, (0.5, 0.95)).tolist() for kind in (asks, tells))
    return Run(
        code,
        len(said),
        len(told),
        sum(one["planned"] for one in said),
        stored,
        *(ask50, ask95, tell50, tell95),
        wall=float(asks.sum() + tells.sum()) / len(told),
        cpu=sum(one["cpu"] for one in said) / len(told),
        lost=sum(kept.get(number) != value for number, value in told),
        twice=len(told) - len(dict(told)),
    )


def ours(address: str, method: str, workers: int, trials: int, seconds: float) -> Run:
    """Return the figures of our workers."""
    stated: dict[str, Any] = {
        "direction": "minimize",
        "travel": wf.Euclidean(),
        "start": {"x": 0, "y": 0},
        "method": method,
    }
    wf.Study.create(SPACE, trials=trials, store=address, name="team", **stated)
    said = crowd(our_worker, workers, address, seconds)
    state = wf.Study.open(address, "team").state
    return row(f"wayfare, `{method}`", said, len(state.plans), {trial.number: trial.value for trial in state.trials})


def optunas(address: str, workers: int, trials: int, seconds: float) -> Run:
    """Return the figures of Optuna's workers."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    at = address.replace("postgresql://", "postgresql+psycopg://")
    optuna.create_study(study_name="team", storage=at)
    said = crowd(optuna_worker, workers, at, seconds, trials // workers)
    kept = {trial.number: trial.value for trial in optuna.load_study(study_name="team", storage=at).trials}
    return row(f"Optuna {optuna.__version__}, `RandomSampler`", said, 0, kept)


def opening(address: str, folder: Path) -> dict[str, float]:
    """Return the median seconds that a long study takes to open in both stores, and to read its last events."""
    file = folder / "lab.db"
    for place in (address, file):
        make_study(place, LONG)
    stores: dict[str, PostgresStore | SqliteStore] = {"database": PostgresStore(address), "file": SqliteStore(file)}
    events = len(stores["file"].read("long").events)
    taken: dict[str, list[float]] = {}
    for _ in range(7):  # in turn, so that both see the same machine
        for name, store in stores.items():
            for what, call in _calls(store, events).items():
                taken.setdefault(f"{name} {what}", []).extend(seconds(call, 1))
    return {name: median(times) for name, times in taken.items()}


def _calls(store: PostgresStore | SqliteStore, events: int) -> dict[str, Callable[[], object]]:
    return {
        "open": lambda: wf.Study.open(store, "long").state,
        "read 10 more": lambda: store.read("long", events - 10),
        "read 1000 more": lambda: store.read("long", events - 1000),
        "read all": lambda: store.read("long"),
    }


def write(runs: Sequence[Run], opened: dict[str, float], version: str) -> bool:
    """Write the page; return whether every target is met."""
    with (HERE / "teams.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, [one.name for one in fields(Run)])
        table.writeheader()
        table.writerows(asdict(one) for one in runs)
    heads = ("code", "workers", "trials", "plans computed / stored", "ask p50 ms", "ask p95 ms", "tell p50 ms")
    shown = Table(*heads, "tell p95 ms", "ask + tell ms", "its CPU ms", "lost", "twice")
    for column in shown.columns[1:]:
        column.justify = "right"
    for one in runs:
        times = (one.ask_p50, one.ask_p95, one.tell_p50, one.tell_p95, one.wall, one.cpu)
        plans = f"{one.planned} / {one.stored}" if one.stored else "-"
        counts = (f"{one.workers}", f"{one.trials:,}", plans)
        shown.add_row(one.code, *counts, *(f"{1000 * time:.1f}" for time in times), f"{one.lost}", f"{one.twice}")
    many, alone, plain, theirs = runs[0], runs[1], runs[2], runs[3]
    lost = sum(one.lost + one.twice for one in runs if one.stored)
    aims = Table("aim", "measured", "at most", "")
    aims.columns[1].justify = aims.columns[2].justify = "right"
    holds = True
    for what, found, most in (
        ("lost or handed out twice", lost, 0),
        (
            "routes computed for each that is stored",
            max(one.planned / one.stored for one in runs if one.stored),
            MOST_PLANS,
        ),
        ("tell p95, over that of one worker", many.tell_p95 / alone.tell_p95, MOST_TELL),
        ("ask + tell, over Optuna's RDB storage with `RandomSampler`", plain.wall / theirs.wall, 1.0),
        ("its CPU time, over the same", plain.cpu / theirs.cpu, 1.0),
        ("opening 10,000 trials, over a file", opened["database open"] / opened["file open"], MOST_OPEN),
    ):
        holds &= found <= most
        aims.add_row(what, f"{found:.2f}", f"{most:g}", "holds" if found <= most else "MISSED")
    reading = Table("10,000 trials", "PostgreSQL ms", "SQLite ms")
    for column in reading.columns[1:]:
        column.justify = "right"
    for what in _calls(PostgresStore("postgresql:///none"), 0):
        reading.add_row(what, *(f"{1000 * opened[f'{store} {what}']:.1f}" for store in ("database", "file")))
    tables = {"runs": as_markdown(shown), "aims": as_markdown(aims), "reading": as_markdown(reading)}
    (HERE / "teams.md").write_text(TEXT.format(**tables, work=WORK, version=version))
    return holds


TEXT = """# Teams

Many processes at one study of Branin in {version}, each of which asks, works for a random time of
{work:g} s on average, tells, and asks again; and Optuna's workers in the same way on the same server. The server writes
to a disk, and all of it runs on one machine with two cores. Written by `python benchmarks/teams.py`.

{runs}

*Plans* are routes; the computed ones that are not stored were made in vain. *Ask + tell* is the mean of both together,
all planning counted; *CPU* is that of the worker, without the server's. *Lost* counts results that were acknowledged
and are not in the store, *twice* trials that two workers were given. Where a method plans, an ask waits for the route
that another worker computes.

{aims}

Opening a study of 10,000 trials, and reading it, in the database and in a file in turn (medians of 7):

{reading}
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=WORKERS, help="how many processes share a study")
    parser.add_argument("--trials", type=int, default=TRIALS, help="how many trials they share")
    parser.add_argument("--work", type=float, default=WORK, help="mean seconds of an experiment")
    given = parser.parse_args()
    many, work = (given.workers, given.trials), given.work
    sys.path.append(str(HERE.parent))  # where the tests are, which have a server of their own, and no types
    server: Any = import_module("tests.store.server").Server()
    try:
        wf.minimize(branin, SPACE, travel=wf.Euclidean(), trials=20)  # loads what planning needs
        upgrade(address := server.database())
        version = PostgresStore(address).server().partition(" (")[0].partition(",")[0]
        runs = [
            ours(server.database(), "wayfare", *many, work),
            ours(server.database(), "wayfare", 1, ALONE, work / 10),
            ours(server.database(), "random", *many, work),
            optunas(server.database(), *many, work),
        ]
        with tempfile.TemporaryDirectory() as folder:
            opened = opening(server.database(), Path(folder))
    finally:
        server.remove()
    return int(not write(runs, opened, version))


if __name__ == "__main__":
    sys.exit(main())

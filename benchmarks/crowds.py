"""Workers who share one study: how often a route is planned in vain, and how long an ``ask`` takes.

``python benchmarks/crowds.py --old COMMIT`` lets six processes ask and tell until all 60 trials of a study with the
default method are done, with this code and with that of an earlier commit in turn, on one machine. It writes
crowds.md and crowds.csv beside itself, and ends with 1 if anything was lost or handed out twice, or a target is missed.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from statistics import median

import numpy as np
from attrs import asdict, fields, frozen
from rich.table import Table

from crashes.child import memory_folder
from tables import as_markdown

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src"
TRIALS = 60
MOST_PLANS = 1.3  # computed for each that is stored
MOST_WAIT = 0.5  # the 95th percentile of an ask, over that of the old commit
WORKS = (0.0, 0.1)  # mean seconds that an experiment takes
NEW = "this commit"

MAKE = """
import sys, wayfare as wf
space = wf.Space(wf.Real("x", -5, 10), wf.Real("y", 0, 15))
wf.Study.create(space, direction="minimize", travel=wf.Euclidean(), trials=int(sys.argv[2]), seed=int(sys.argv[3]),
    start={"x": 0, "y": 0}, store=sys.argv[1], name="crowd")
"""
WORK = """
import json, math, random, sys, time
import wayfare as wf
from wayfare.study import moves
path, me, seed, work = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
plan, planned, asks, told = moves.plan, [], [], {}
def counted(state):
    planned.append(state.version)
    return plan(state)
moves.plan = counted
def branin(x, y):
    a, b = y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6, 10 * (1 - 1 / (8 * math.pi)) * math.cos(x)
    return a * a + b + 10
study, chance = wf.Study.open(path, "crowd"), random.Random(f"{seed} {me}")
wf.minimize(branin, study.spec.space, travel=wf.Euclidean(), trials=20)  # loads what planning needs
planned.clear()
print("ready", flush=True)
sys.stdin.readline()
while True:
    begun = time.perf_counter()
    trial = study.ask(me)
    asks.append(time.perf_counter() - begun)
    if trial is None:
        break
    time.sleep(chance.uniform(0, 2 * work))
    told[trial.number] = branin(**trial.params)
    study.tell(trial, told[trial.number])
print(json.dumps({"planned": len(planned), "asks": asks, "told": told}))
"""
READ = """
import json, sys, wayfare as wf
state = wf.Study.open(sys.argv[1], "crowd").state
print(json.dumps({"stored": len(state.plans), "told": {trial.number: trial.value for trial in state.trials},
    "moved": sum(trial.leg for trial in state.trials if trial.is_visit)}))
"""


@frozen
class Run:
    """One study that was shared by a crowd.

    Attributes:
        code: which code it ran.
        work: mean seconds that an experiment took.
        seed: of the study.
        workers: number of processes.
        planned: number of routes computed.
        stored: number of routes stored.
        p50: median time of an ask, in seconds.
        p95: its 95th percentile.
        longest: the longest ask.
        took: seconds until all was done.
        moved: the movement.
        lost: results acknowledged that are not in the store.
        twice: trials handed out to two workers.
    """

    code: str
    work: float
    seed: int
    workers: int
    planned: int
    stored: int
    p50: float
    p95: float
    longest: float
    took: float
    moved: float
    lost: int
    twice: int


def run(code: str, source: Path, work: float, seed: int, workers: int) -> Run:
    """Let a crowd share a study.

    Args:
        code: what to call the code.
        source: the folder that holds the package.
        work: mean seconds that an experiment takes.
        seed: of the study.
        workers: number of processes.
    """
    once = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    environment = os.environ | once | {"PYTHONPATH": str(source), "PYTHONWARNINGS": "ignore"}

    def python(*given: object) -> list[str]:
        return [sys.executable, "-c", *map(str, given)]

    with memory_folder() as folder:
        path = folder / "lab.db"
        subprocess.run(python(MAKE, path, TRIALS, seed), env=environment, check=True)
        crowd = [
            subprocess.Popen(
                python(WORK, path, f"worker {n}", seed, work),
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for n in range(workers)
        ]
        for one in crowd:
            assert one.stdout is not None
            one.stdout.readline()  # ready
        begun = time.perf_counter()
        for one in crowd:
            assert one.stdin is not None
            one.stdin.write("go\n")
            one.stdin.flush()
        said = [json.loads(one.communicate()[0]) for one in crowd]
        took = time.perf_counter() - begun
        done = subprocess.run(python(READ, path), env=environment, check=True, capture_output=True, text=True)
        kept = json.loads(done.stdout)
    told = [item for one in said for item in one["told"].items()]
    asks = np.array([seconds for one in said for seconds in one["asks"]])
    return Run(
        code,
        work,
        seed,
        workers,
        planned=sum(one["planned"] for one in said),
        stored=kept["stored"],
        p50=float(np.median(asks)),
        p95=float(np.quantile(asks, 0.95)),
        longest=float(asks.max()),
        took=took,
        moved=kept["moved"],
        lost=sum(kept["told"].get(number) != value for number, value in told),
        twice=len(told) - len(dict(told)),
    )


@contextmanager
def code_of(commit: str) -> Iterator[Path]:
    """Give the package as it was at a commit."""
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=HERE.parent, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder) / "src"


def write(runs: Sequence[Run], old: str) -> bool:
    """Write the page; return whether every target is met."""
    with (HERE / "crowds.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, [one.name for one in fields(Run)])
        table.writeheader()
        table.writerows(asdict(one) for one in runs)
    heads = ("experiment s", "code", "studies", "planned", "stored", "planned per stored")
    shown = Table(*heads, "ask p50 s", "ask p95 s", "longest s", "study s", "movement", "lost", "twice")
    for column in (*shown.columns[:1], *shown.columns[2:]):
        column.justify = "right"
    holds, said = True, []
    for work in WORKS:
        p95 = {}
        for code in (old, NEW):
            rows = [one for one in runs if (one.code, one.work) == (code, work)]
            planned, stored = sum(one.planned for one in rows), sum(one.stored for one in rows)
            p95[code] = median(one.p95 for one in rows)
            lost, twice = sum(one.lost for one in rows), sum(one.twice for one in rows)
            times = [median(getattr(one, key) for one in rows) for key in ("p50", "p95", "longest", "took")]
            shown.add_row(
                f"{work:g}",
                f"`{code}`" if code == old else code,
                *(f"{number}" for number in (len(rows), planned, stored)),
                f"{planned / stored:.2f}",
                *(f"{seconds:.3f}" for seconds in times),
                f"{median(one.moved for one in rows):.1f}",
                *(f"{number}" for number in (lost, twice)),
            )
        holds &= planned <= MOST_PLANS * stored and p95[NEW] <= MOST_WAIT * p95[old] and not lost + twice
        said.append(f"{p95[NEW] / p95[old]:.2f} times with experiments of {work:g} s")
    text = TEXT.format(old=old, workers=runs[0].workers, trials=TRIALS, table=as_markdown(shown), ratio=", ".join(said))
    (HERE / "crowds.md").write_text(text)
    return holds


TEXT = """# Crowds

{workers} processes share one study of {trials} trials with the default method on Branin: each asks, works for a random
time of the given mean, tells, and asks again. All have planned before, so nothing has to be loaded, and the store is in
memory, so that no disk decides. Written by `python benchmarks/crowds.py --old {old}`, which runs this code and that of
commit `{old}` in turn on the same machine. Times are medians over the studies; the 95th percentile of an ask is
{ratio} that of the old code.

*Planned* counts every route that was computed, *stored* those that were kept. *Lost* counts results that were
acknowledged and are not in the store, *twice* trials that two workers were given; both must be 0. At most {most_plans}
routes may be computed for each that is stored, and the 95th percentile may be at most {most_wait} times the old one.

{{table}}
""".format(
    old="{old}", workers="{workers}", trials="{trials}", ratio="{ratio}", most_plans=MOST_PLANS, most_wait=MOST_WAIT
).replace("{{table}}", "{table}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--old", required=True, help="the commit to compare with")
    parser.add_argument("--workers", type=int, default=6, help="how many processes share a study")
    parser.add_argument("--studies", type=int, default=5, help="how many studies for each row")
    given = parser.parse_args()
    runs = []
    with code_of(given.old) as before:
        for seed in range(given.studies):
            for work in WORKS:
                for code, source in ((given.old, before), (NEW, SOURCE)):
                    runs.append(run(code, source, work, seed, given.workers))
                    print(runs[-1], file=sys.stderr, flush=True)
    return int(not write(runs, given.old))


if __name__ == "__main__":
    sys.exit(main())

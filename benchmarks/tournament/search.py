"""What candidates for a default find and pay, against a baseline under the same seeds, on the problems of ``grounds``.

``python -m benchmarks.tournament search --methods ucb,wayfare,control --trials 60 --seeds 8`` runs what
results/search.csv does not have, or had by other code, keeps it there, and prints a line per method.
"""

import csv
import math
import multiprocessing
import os
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported, here and in the workers

import numpy as np
from rich.progress import track

from tournament.candidates import builder
from tournament.grounds import grounds
from tournament.run import DEVELOPMENT_SEEDS
from tournament.score import Logs, ratio
from wayfare._core.arrays import Features
from wayfare._core.rng import one_thread
from wayfare.bench.cell import own_digest
from wayfare.bench.report import markdown
from wayfare.bench.results import as_csv, write_whole
from wayfare.bench.run import run_problem
from wayfare.errors import GuaranteeWarning

ROWS = Path(__file__).resolve().parent / "results" / "search.csv"
FLOOR, MISSED = 0.01, 0.05
"""Parts of what there is to gain: less simple regret than the first counts as that, a place short by more than the
second is missed."""
LEAST = 1e-3
"""Less mean regret than this part of what there is to gain counts as that."""
SAME = 1e-3
"""Two places are the same if no axis differs by more than this part of it."""


class Row(NamedTuple):
    """A study: which, what it paid, and its regrets as parts of what there is to gain.

    ``places`` counts the different places visited; ``code`` is a digest of the code that ran it.
    """

    kind: str
    problem: str
    trials: int
    method: str
    seed: int
    movement: float
    mean_regret: float
    last_half_regret: float
    simple_regret: float
    places: int
    planner_cpu: float
    code: str

    @property
    def cell(self) -> tuple[str, int, int]:
        """What it has in common with the row of another method."""
        return self.problem, self.trials, self.seed

    @property
    def missed(self) -> bool:
        """Whether a clearly worse place is kept."""
        return self.simple_regret > MISSED


Job = tuple[str, int, str, int]


def measure(job: Job) -> Row:
    """Run a study: problem, trials, method, seed."""
    name, trials, method, seed = job
    ground = grounds()[name]
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", GuaranteeWarning)
        problem = ground.under(seed)
        run = run_problem(problem, builder(method)(), trials, seed, label=method)
        return Row(
            kind=ground.kind,
            problem=name,
            trials=trials,
            method=method,
            seed=seed,
            movement=run.movement,
            mean_regret=run.mean_regret / ground.gain,
            last_half_regret=run.last_half_regret / ground.gain,
            simple_regret=run.simple_regret / ground.gain,
            places=different(problem.space.encode(run.x)),
            planner_cpu=run.planner_cpu,
            code=own_digest(),
        )


def different(features: Features) -> int:
    """Return how many of the places are new: none before is the same."""
    return sum(
        not (np.abs(features[:i] - features[i]).max(axis=1, initial=0.0) < SAME).any() for i in range(len(features))
    )


def run_missing(jobs: Iterable[Job], rows: Path = ROWS, workers: int = 2) -> list[Row]:
    """Return all rows that are kept, after running the jobs that have none, or one by other code."""
    kept, code = {(row.problem, row.trials, row.method, row.seed): row for row in read_rows(rows)}, own_digest()
    missing = [job for job in jobs if job not in kept or kept[job].code != code]
    if missing:
        try:
            # Not forked: the limit on the threads of BLAS is set at import.
            with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
                for row in track(pool.map(measure, missing), "studies", total=len(missing)):
                    kept[row.problem, row.trials, row.method, row.seed] = row
        finally:  # a run that is interrupted goes on where it stopped
            write_rows(kept.values(), rows)
    return list(kept.values())


def read_rows(path: Path = ROWS) -> list[Row]:
    """Return the rows of the table; none if there is no table."""
    if not path.exists():
        return []
    kinds = Row.__annotations__
    with path.open(newline="") as file:
        return [Row(**{name: kinds[name](value) for name, value in line.items()}) for line in csv.DictReader(file)]


def write_rows(rows: Iterable[Row], path: Path = ROWS) -> None:
    """Write the table, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ordered = sorted(rows, key=lambda row: (row.trials, row.method, row.kind, row.problem, row.seed))
    write_whole(
        path, as_csv(Row._fields, [[f"{v:.6g}" if isinstance(v, float) else v for v in row] for row in ordered])
    )


def logs_of(pairs: Sequence[tuple[Row, Row]], measure: str, least: float) -> Logs:
    """Return of each problem the logarithms of its paired ratios of a measure."""
    logs: Logs = defaultdict(list)
    for own, other in pairs:
        mine, theirs = (max(getattr(row, measure), least) for row in (own, other))
        logs[own.problem].append(math.log(mine / theirs))
    return logs


MEASURES = {"movement": 1e-12, "mean_regret": LEAST, "last_half_regret": LEAST, "simple_regret": FLOOR}
"""What is compared, and the least of it that counts."""


def compared(pairs: Sequence[tuple[Row, Row]]) -> tuple[str, ...]:
    """Return paired ratios to the baseline, how often each missed, and how often one did and not the other."""
    lost = sum(row.missed and not other.missed for row, other in pairs)
    found = sum(other.missed and not row.missed for row, other in pairs)
    missed = [np.mean([row.missed for row in side]) for side in zip(*pairs, strict=True)]
    ratios = [str(ratio(logs_of(pairs, name, least))) for name, least in MEASURES.items()]
    return (*ratios, *(f"{share:.0%}" for share in missed), f"{lost}, {found}")


def columns(baseline: str) -> tuple[str, ...]:
    """Return the heads of the columns that ``compared`` fills."""
    return (*(name.replace("_", " ") for name in MEASURES), "missed", f"missed by `{baseline}`", "lost, found")


def paired(rows: Sequence[Row], method: str, trials: int, baseline: str) -> list[tuple[Row, Row]]:
    """Return the rows of a method with those of the baseline on the same problem under the same seed."""
    theirs = {row.cell: row for row in rows if (row.method, row.trials) == (baseline, trials)}
    own = [row for row in rows if (row.method, row.trials) == (method, trials) and row.cell in theirs]
    return [(row, theirs[row.cell]) for row in own]


def summary(
    rows: Sequence[Row], methods: Sequence[str], trials: int, baseline: str = "ucb", *, kinds: bool = True
) -> str:
    """Return a line per method, and per kind of problem: how it compares, and how many of its places were new."""
    lines = []
    for method in methods:
        every = paired(rows, method, trials, baseline)
        for kind in ("all", *(dict.fromkeys(row.kind for row, _ in every) if kinds else ())):
            pairs = [(row, other) for row, other in every if kind in ("all", row.kind)]
            problems = len({row.problem for row, _ in pairs})
            new = f"{np.mean([row.places / trials for row, _ in pairs]):.0%}"
            lines.append((f"`{method}`", f"{kind} ({problems})", *compared(pairs), new))
    return markdown(("method", "problems", *columns(baseline), "new places"), lines)


def in_short(rows: Sequence[Row], method: str, baseline: str = "ucb") -> str:
    """Return how a method compares on all problems together, a line per number of trials."""
    lines = [(str(trials), *compared(paired(rows, method, trials, baseline))) for trials in SHOWN]
    return markdown(("T", *columns(baseline)), lines)


SHOWN: dict[int, tuple[str, ...]] = {
    30: ("wayfare", "thrifty"),
    60: ("wayfare", "thrifty", "tucb", "control"),
    100: ("wayfare", "thrifty", "control"),
}
"""The methods that docs/method.md shows at each number of trials."""
PARTS = ("wayfare", "short-survey", "no-survey", "no-price", "no-batches", "always-explore", "two-sd")
"""The method and what is left of it without each ingredient."""


def blocks(rows: Sequence[Row]) -> dict[str, str]:
    """Return the tables of README.md and docs/method.md by the names of their blocks."""
    found = {f"search-{trials}": summary(rows, methods, trials) for trials, methods in SHOWN.items()}
    return found | {"search": in_short(rows, "wayfare"), "parts": summary(rows, PARTS, 60, kinds=False)}


def search(methods: Sequence[str], trials: Sequence[int], seeds: int, workers: int) -> None:
    """Run the methods, keep the rows and print what they come to."""
    jobs = [
        (name, horizon, method, seed)
        for horizon in trials
        for seed in range(DEVELOPMENT_SEEDS, DEVELOPMENT_SEEDS + seeds)
        for method in methods
        for name in grounds()
    ]
    rows = run_missing(jobs, workers=workers)
    for horizon in trials:
        print(f"\nT = {horizon}\n\n{summary(rows, methods, horizon)}")

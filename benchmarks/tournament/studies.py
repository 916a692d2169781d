"""What methods find and pay on the problems of ``grounds``: a row per study, run once and kept.

A study is run plainly; or with results known before it (*old*), with ten results out whenever the next place is asked
for (*out*), or with a budget (*budget*): what ``ucb`` pays in 30 trials on the same problem under the same seed. Or it
is run plainly and *watched*: then a visit is idle only if ``study.progress()`` did not say before it that the best
place is probably found.
"""

import csv
import math
import multiprocessing
import os
import warnings
from collections.abc import Container, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Literal, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported, here and in the workers

import numpy as np
from attrs import evolve
from rich.progress import track

from tournament.candidates import builder
from tournament.grounds import Part, grounds
from tournament.peers import PEERS, PeerRun, peer_code, run_peer
from wayfare._core import checks
from wayfare._core.arrays import Features
from wayfare._core.rng import one_thread
from wayfare.bench.cell import own_digest
from wayfare.bench.results import as_csv, write_whole
from wayfare.bench.run import Run, last_half, run_problem
from wayfare.errors import GuaranteeWarning, InvalidInput
from wayfare.record.events import Asked
from wayfare.record.state import apply, replay
from wayfare.report.progress import SURE, progress_of
from wayfare.study.study import Study

Condition = Literal["plain", "old", "out", "budget", "watched"]
RESULTS = Path(__file__).resolve().parent / "results"
FIRST_SEED: dict[Part, int] = {"search": 1000, "report": 0}
"""The seeds of the two parts never meet."""
MISSED = 0.05
"""A place that is short by more than this part of what there is to gain is missed."""
KNOWN = 0.02
"""A place is known if its results say what it is worth to within this part of what there is to gain."""
SAME = 1e-3
"""Two places are the same if no axis differs by more than this part of it."""
OUT, BUDGET_TRIALS = 10, 30
"""How many results are out, and the trials of ``ucb`` whose movement is the budget."""


class Job(NamedTuple):
    """A study to run."""

    part: Part
    problem: str
    trials: int
    method: str
    seed: int
    condition: Condition = "plain"


class Row(NamedTuple):
    """A study: which, what it paid, and its regrets as parts of what there is to gain.

    ``places`` counts the different places visited, ``idle`` the visits to a place that was known (if watched, before
    the study said that it is done); ``budget`` is 0 without one; ``code`` is a digest of the code that ran it.
    """

    part: Part
    kind: str
    problem: str
    trials: int
    method: str
    seed: int
    condition: Condition
    movement: float
    mean_regret: float
    last_half_regret: float
    simple_regret: float
    places: int
    idle: int
    budget: float
    planner_cpu: float
    code: str

    @property
    def job(self) -> Job:
        """What was run."""
        return Job(self.part, self.problem, self.trials, self.method, self.seed, self.condition)

    @property
    def cell(self) -> tuple[str, int]:
        """What it has in common with the row of another method: the problem and the seed."""
        return self.problem, self.seed

    @property
    def missed(self) -> bool:
        """Whether a clearly worse place is kept."""
        return self.simple_regret > MISSED


def measure(job: Job) -> Row:
    """Run a study."""
    ground = grounds(job.part)[job.problem]
    problem = ground.under(job.seed)
    if job.condition == "old":
        problem = evolve(problem, initial=2 * ground.d)
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", GuaranteeWarning)  # ramps are no metric, on purpose
        budget = None
        if job.condition == "budget":
            # A hair more, so that rounding does not refuse the last leg.
            budget = run_problem(problem, builder("ucb")(), BUDGET_TRIALS, job.seed).movement * (1 + 1e-9)
        delay = OUT if job.condition == "out" else 0
        run: Run | PeerRun
        if job.method in PEERS:
            run = run_peer(problem, job.method, job.trials, job.seed)
        else:
            run = run_problem(problem, builder(job.method)(), job.trials, job.seed, delay=delay, budget=budget)
    before = visits_before(problem.space.encode(run.x))
    idle = [at for at, visits in enumerate(before) if visits >= results_to_know(problem.noise / ground.gain)]
    if job.condition == "watched" and isinstance(run, Run):
        idle = unfinished(run.study, idle)
    return Row(
        part=job.part,
        kind=ground.kind,
        problem=job.problem,
        trials=job.trials,
        method=job.method,
        seed=job.seed,
        condition=job.condition,
        movement=run.movement,
        mean_regret=float(run.regret.mean()) / ground.gain,
        last_half_regret=last_half(run.regret) / ground.gain,
        simple_regret=run.simple_regret / ground.gain,
        places=before.count(0),
        idle=len(idle),
        budget=budget or 0.0,
        planner_cpu=run.planner_cpu,
        code=code_of(job.method),
    )


def code_of(method: str) -> str:
    """Return what says by which code a study was run."""
    return peer_code() if method in PEERS else own_digest()


def visits_before(features: Features) -> list[int]:
    """Return for each visit how many went to the same place before it."""
    return [
        int((np.abs(features[:i] - features[i]).max(axis=1, initial=0.0) < SAME).sum()) for i in range(len(features))
    ]


def unfinished(study: Study, trials: Container[int]) -> list[int]:
    """Return those of the trials before which the study did not say that its best place is probably found."""
    state, found = replay(study.spec, []), []
    for event in study.events:
        if isinstance(event, Asked) and event.number in trials and progress_of(state).found < SURE:
            found.append(event.number)
        state = apply(state, [event])
    return found


def results_to_know(noise: float) -> int:
    """Return how many results tell a place to within ``KNOWN``: the sd of the mean of n is ``noise`` / sqrt(n)."""
    return max(1, math.ceil((noise / KNOWN) ** 2))


def run_missing(jobs: Sequence[Job], folder: Path = RESULTS, workers: int = 2) -> list[Row]:
    """Return all rows that are kept of a part, after running the jobs that have none, or one by other code."""
    (part,) = {job.part for job in jobs}
    file = folder / f"{part}.csv"
    kept = {row.job: row for row in read_rows(file)}
    codes = {method: code_of(method) for method in {job.method for job in jobs}}
    missing = [job for job in jobs if job not in kept or kept[job].code != codes[job.method]]
    if missing:
        try:
            # Not forked: the limit on the threads of BLAS is set at import.
            with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
                for row in track(pool.map(measure, missing), "studies", total=len(missing)):
                    kept[row.job] = row
        finally:  # a run that is interrupted goes on where it stopped
            write_rows(kept.values(), file)
    return list(kept.values())


def read_rows(file: Path) -> list[Row]:
    """Return the rows of a table; none if there is no table."""
    if not file.exists():
        return []
    numbers = {name: kind for name, kind in Row.__annotations__.items() if kind in (int, float)}
    with file.open(newline="") as lines:
        return [
            Row(**{name: numbers.get(name, str)(value) for name, value in line.items()})
            for line in csv.DictReader(lines)
        ]


def write_rows(rows: Iterable[Row], file: Path) -> None:
    """Write the table, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    ordered = sorted(rows, key=lambda row: (row.condition, row.trials, row.method, row.kind, row.problem, row.seed))
    lines = [[f"{value:.5g}" if isinstance(value, float) else value for value in row] for row in ordered]
    write_whole(file, as_csv(Row._fields, lines))


def jobs_for(
    part: Part,
    methods: Sequence[str],
    trials: Sequence[int],
    seeds: int,
    condition: Condition = "plain",
    problems: Sequence[str] = (),
) -> list[Job]:
    """Return the studies of every problem of a part, or of some, seed by seed."""
    first, every = FIRST_SEED[part], grounds(part)
    for name in problems:
        if name not in every:
            raise InvalidInput(f"problem: none is called {name!r}; {checks.nearest(name, every, 'problems')}")
    return [
        Job(part, name, horizon, method, seed, condition)
        for horizon in trials
        for seed in range(first, first + seeds)
        for method in methods
        for name in problems or every
    ]

"""The rows behind docs/field.md: what whole studies in the field paid and found, seed by seed.

The studies are those of the suite ``field`` with twenty seeds: the same problem, method, seed and number of
trials give the same study, from the problem's own start.
"""

import csv
import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from wayfare._core.arrays import Values
from wayfare._core.rng import one_thread
from wayfare.bench.cell import Cell, own_digest
from wayfare.bench.compare import Ratio, paired_ratio
from wayfare.bench.named import find_method, find_problem
from wayfare.bench.results import as_csv, write_whole
from wayfare.bench.run import run_problem
from wayfare.bench.suites import SUITES
from wayfare.errors import GuaranteeWarning
from wayfare.report.costs import as_chosen, journey
from wayfare.study.study import Study

ROWS = Path(__file__).resolve().parent / "field" / "savings.csv"
BASELINE, SUBJECT, OTHERS = "ucb", "wayfare", ("tucb", "tts")
SUITE = SUITES["field"].restricted(methods=(BASELINE, SUBJECT, *OTHERS), seeds=20)
CLOSE = 1e-9
"""What is less than this share of a cost is rounding."""
CLEARLY = 0.01
"""By which share of the best value one kept place must exceed another to be called better."""


class Row(NamedTuple):
    """A study: which, its ledger in ``unit``, what it found, and a digest of the code that ran it.

    ``first_saved`` is the part of ``saved`` that is due to the first route, the survey of `wayfare`.
    """

    problem: str
    trials: int
    method: str
    seed: int
    unit: str
    paid: float
    unordered: float
    saved: float
    first_saved: float
    mean_regret: float
    simple_regret: float
    code: str

    @property
    def cell(self) -> Cell:
        """The cell of the suite that it is the ledger of."""
        return Cell(self.problem, self.trials, 0, self.method, self.seed, SUITE.start)


def measure(cell: Cell) -> Row:
    """Run the study of a cell and return its row."""
    code = own_digest()
    with one_thread(), warnings.catch_warnings():
        # What the guarantees need is said with the problem, not once per study.
        warnings.simplefilter("ignore", GuaranteeWarning)
        run = run_problem(find_problem(cell.problem), find_method(cell.method), cell.trials, cell.seed)
        found = (run.mean_regret, run.simple_regret)
    ledger = run.study.ledger()
    costs = (ledger.paid, ledger.unordered, ledger.saved, saved_at_first(run.study))
    return Row(cell.problem, cell.trials, cell.method, cell.seed, ledger.unit, *costs, *found, code)


def saved_at_first(study: Study) -> float:
    """Return what ordering saved on the first route, which ends at its last stop."""
    visits = [trial for trial in study.trials if trial.is_visit and trial.plan == 0]
    chosen = as_chosen(study.state, visits)
    return journey(study.state, visits, chosen) - journey(study.state, visits, visits)


def run_missing(cells: Sequence[Cell], file: Path, jobs: int) -> None:
    """Run the cells that have no row of this code in the file; every row is written when it is there."""
    before = read_rows(file) if file.exists() else []
    done = {row.cell: row for row in before if row.code == own_digest()}
    # Seed by seed: the first part of a run is a fair sample of the rest.
    missing = sorted((cell for cell in cells if cell not in done), key=lambda cell: cell.seed)
    print(f"{len(cells) - len(missing)} of {len(cells)} studies are there", file=sys.stderr)
    file.parent.mkdir(exist_ok=True)
    for row in measured(missing, jobs):
        done[row.cell] = row
        # In the order of the suite, so that the file is the same for any number of jobs and cuts.
        write_whole(file, as_csv(Row._fields, [done[cell] for cell in cells if cell in done]))
        print(row.cell, file=sys.stderr)


def measured(cells: Sequence[Cell], jobs: int) -> Iterator[Row]:
    """Yield the rows of the cells, run over that many processes, or in this one."""
    if jobs == 1:
        yield from map(measure, cells)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(measure, cells)


def read_rows(file: Path = ROWS) -> list[Row]:
    """Return the rows of a file."""
    kinds = Row.__annotations__.values()
    with file.open(newline="") as lines:
        sheet = csv.reader(lines)
        if (head := tuple(next(sheet, ()))) != Row._fields:
            raise SystemExit(f"{file}: these columns are not ours: {', '.join(head)}; delete it")
        return [Row(*(kind(cell) for kind, cell in zip(kinds, row, strict=True))) for row in sheet]


@frozen
class Pairs:
    """The studies of a method on a problem, each beside that of the baseline under the same seed."""

    ours: Sequence[Row]
    theirs: Sequence[Row]

    @property
    def unit(self) -> str:
        """The unit of all that is paid and saved."""
        return self.ours[0].unit

    @property
    def saved(self) -> Values:
        """What was saved against the baseline, seed by seed; negative where more was paid."""
        return column(self.theirs, "paid") - column(self.ours, "paid")

    @property
    def share_saved(self) -> Values:
        """The same in percent of what the baseline paid."""
        return 100 * self.saved / column(self.theirs, "paid")

    @property
    def ordered(self) -> Values:
        """What was saved against the same places unordered; negative where their order cost more."""
        return column(self.ours, "saved")

    @property
    def share_ordered(self) -> Values:
        """The same in percent of what they cost unordered."""
        return 100 * self.ordered / column(self.ours, "unordered")

    @property
    def paid_more(self) -> NDArray[np.bool_]:
        """Whether more was paid than by the baseline, seed by seed."""
        return np.asarray(self.saved < -CLOSE * column(self.theirs, "paid"))

    @property
    def best(self) -> float:
        """The best value there is on the problem."""
        return best_of(self.ours[0].problem)

    @property
    def kept_worse(self) -> int:
        """Under how many seeds the place kept in the end was clearly worse than the baseline's."""
        return int((self._behind > CLEARLY * self.best).sum())

    @property
    def kept_better(self) -> int:
        """Under how many seeds it was clearly better."""
        return int((self._behind < -CLEARLY * self.best).sum())

    @property
    def _behind(self) -> Values:
        return column(self.ours, "simple_regret") - column(self.theirs, "simple_regret")

    @property
    def mean_regret(self) -> Ratio:
        """The mean regret over that of the baseline."""
        both = [column(rows, "mean_regret") for rows in (self.ours, self.theirs)]
        return paired_ratio(np.column_stack(both))


def pairs_of(rows: Sequence[Row], problem: str, trials: int, method: str) -> Pairs:
    """Return the pairs of a method on a problem after so many trials, in the order of their seeds."""
    by_seed = [
        {row.seed: row for row in rows if (row.problem, row.trials, row.method) == (problem, trials, name)}
        for name in (method, BASELINE)
    ]
    if (seeds := sorted(by_seed[0])) != sorted(by_seed[1]) or not seeds:
        raise SystemExit(f"{method} on {problem}, T = {trials}: not the seeds of {BASELINE}; run it to its end")
    ours, theirs = ([own[seed] for seed in seeds] for own in by_seed)
    return Pairs(ours, theirs)


@cache
def best_of(problem: str) -> float:
    """Return the best value there is on a problem."""
    return find_problem(problem).optimum


def column(rows: Sequence[Row], name: str) -> Values:
    """Return a number of every row."""
    return np.array([getattr(row, name) for row in rows], dtype=np.float64)

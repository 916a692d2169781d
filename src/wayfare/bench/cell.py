"""A cell of a benchmark: one method on one problem under one seed, and what was measured there."""

import hashlib
import platform
import threading
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import scipy
import scipy.linalg  # here, for a BLAS that is loaded later would not be held to one thread
from attrs import field, frozen

from wayfare._core.arrays import Values, read_only
from wayfare._core.rng import stream
from wayfare._core.threads import one_thread
from wayfare._version import __version__
from wayfare.bench.named import code_of, find_method, find_problem, portable
from wayfare.bench.run import last_half, run_problem
from wayfare.errors import GuaranteeWarning

# A digest of wayfare's own code: results of other code are other results, whatever its version says.


PACKAGE = Path(__file__).parent.parent
EDGES = ("cli", "plot", "testing")
"""Packages without which a run gives the same numbers."""
REPORTING = ("compare", "figures", "report", "tables")
"""Modules of the benchmark that only show what others measured."""


@cache  # as it was loaded: a process that runs for days does not notice that files have changed since
def own_digest(package: Path = PACKAGE) -> str:
    """Return twelve hex digits that change with any file that the numbers of a run may depend on."""
    digest = hashlib.sha256()
    for file in sorted(sources(package)):
        content = (package / file).read_bytes()
        digest.update(f"{file} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:12]


def sources(package: Path) -> Iterator[str]:
    """Yield those files, as paths from the package on."""
    for file in (*package.rglob("*.py"), *package.glob("bench/data/*")):
        path = file.relative_to(package)
        reports = path.parent.as_posix() == "bench" and path.stem in REPORTING
        # Hidden ones are an editor's, and may point nowhere.
        if not reports and path.parts[0] not in EDGES and not path.name.startswith(".") and file.is_file():
            yield path.as_posix()


Start = Literal["drawn", "own"]
"""Where the traveller stands at first: drawn anew for each seed, alike for all methods; or the problem's."""

VERSIONS = {
    "wayfare": __version__,
    "python": platform.python_version(),
    "numpy": np.__version__,
    "scipy": scipy.__version__,
}
MEASURES = {
    "mean_regret": "mean regret",
    "last_half_regret": "last-half regret",
    "simple_regret": "simple regret",
    "mean_movement": "mean movement",
    "last_half_movement": "last-half movement",
}
"""What is compared, and how it is called; the less, the better."""

# A Dask worker may have several threads, but CPU time and the threads of BLAS are the whole process's.
ALONE = threading.Lock()


@frozen
class Cell:
    """One run: on the same kind of machine the same cell gives the same numbers, in any process, at any time.

    Another CPU or BLAS may change their last bits, and what follows from these.
    """

    problem: str
    trials: int
    delay: int
    method: str
    seed: int
    start: Start

    @property
    def file(self) -> str:
        """The name of its file; no other cell has it."""
        problem, method = portable(self.problem), portable(self.method)
        return f"{problem}.T{self.trials}.d{self.delay}.{method}.s{self.seed}.json"

    @property
    def versions(self) -> dict[str, str]:
        """What its numbers depend on besides itself: our versions and code, and the code of whom it names."""
        return our_versions() | code_of((self.problem, self.method))

    def __str__(self) -> str:
        """Say which: ``tucb on branin, T = 100, seed 3``."""
        late = f", {self.delay} late" if self.delay else ""
        return f"{self.method} on {self.problem}, T = {self.trials}{late}, seed {self.seed}"


@frozen(eq=False)
class Measured:
    """What a cell gave: the regret and the leg of every trial, in ``unit`` of the travel cost."""

    cell: Cell
    unit: str
    regret: Values = field(converter=read_only, repr=False)
    legs: Values = field(converter=read_only, repr=False)
    simple_regret: float
    plans: int
    versions: dict[str, str] = field(repr=False)
    planner_cpu: float

    @property
    def mean_regret(self) -> float:
        """R_T / T."""
        return float(self.regret.mean())

    @property
    def last_half_regret(self) -> float:
        """The mean regret over the last half of the trials."""
        return last_half(self.regret)

    @property
    def mean_movement(self) -> float:
        """C_T / T."""
        return float(self.legs.mean())

    @property
    def last_half_movement(self) -> float:
        """The mean leg over the last half of the trials."""
        return last_half(self.legs)

    def measure(self, name: str) -> float:
        """Return one of the ``MEASURES``."""
        return float(getattr(self, name))


@frozen
class Failure:
    """A cell that could not be run, and why."""

    cell: Cell
    why: str

    def __str__(self) -> str:
        """Say both."""
        return f"{self.cell}: {self.why}"


def our_versions() -> dict[str, str]:
    """Return the versions that every cell depends on, and a digest of our code."""
    return VERSIONS | {"wayfare code": own_digest()}


def run_cell(cell: Cell) -> Measured:
    """Run a cell."""
    problem, method = find_problem(cell.problem), find_method(cell.method)
    versions = cell.versions  # before the run: until it ends, files may change
    start = None
    if cell.start == "drawn":
        start = problem.space.sample(1, stream(cell.seed, "start", cell.problem))[0]
    with ALONE, one_thread(), warnings.catch_warnings():
        # What the guarantees need is said with the problem, not once per cell.
        warnings.simplefilter("ignore", GuaranteeWarning)
        run = run_problem(problem, method, cell.trials, cell.seed, start, delay=cell.delay, label=cell.method)
        simple_regret = run.simple_regret
    return Measured(cell, problem.unit, run.regret, run.legs, simple_regret, run.plans, versions, run.planner_cpu)


def attempt(cell: Cell) -> Measured | Failure:
    """Run a cell, whatever happens: a failure is a result too, so that the other cells go on."""
    try:
        return run_cell(cell)
    except Exception as error:  # a method may be anyone's, and fail in any way
        return Failure(cell, " ".join(f"{type(error).__name__}: {error}".split()))

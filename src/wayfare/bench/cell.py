"""A cell of a benchmark: one method on one problem under one seed, and its measurements.

Each carries the versions and a digest of the code that ran it: results of other code are other results.
"""

import hashlib
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from platform import python_version
from typing import Literal

import numpy as np
import scipy
import scipy.linalg  # here, because a BLAS that is loaded later would not be held to one thread
from attrs import field, frozen

from wayfare._core.arrays import Values, read_only
from wayfare._core.rng import one_thread, stream
from wayfare._version import __version__
from wayfare.bench.named import code_of, find_method, find_problem, one_line, portable
from wayfare.bench.run import last_half, run_problem

PACKAGE = Path(__file__).parent.parent
EDGES = ("cli", "plot", "testing")
"""Packages on which the numbers of a run do not depend."""
REPORTING = ("compare", "figures", "report")
"""Modules of ``wayfare.bench`` that only present measurements. (``wayfare.report`` counts: studies use it.)"""
VERSIONS = {"wayfare": __version__, "python": python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
_NAMES = ("mean regret", "last-half regret", "simple regret", "mean movement", "last-half movement")
MEASURES = {words.replace("-", "_").replace(" ", "_"): words for words in _NAMES} | {"loss": "L_T / T"}
"""The quantities that are compared, and their names in a report; less is better. The loss is regret and movement."""
Start = Literal["drawn", "own"]
"""The first position: drawn for each seed, the same for all methods; or the problem's own."""

# A Dask worker may have several threads, but CPU time and the threads of BLAS belong to the whole process.
_ALONE = threading.Lock()


@frozen
class Cell:
    """One run. On the same kind of machine it gives the same numbers in any process, at any time.

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
        """The name of its file, unique among cells."""
        return f"{portable(self.problem)}.T{self.trials}.d{self.delay}.{portable(self.method)}.s{self.seed}.json"

    @property
    def versions(self) -> dict[str, str]:
        """The versions and code that its numbers depend on, the modules of its own method and problem included."""
        return our_versions() | code_of((self.problem, self.method))

    def __str__(self) -> str:
        """Return ``tucb on branin, T = 100, seed 3``."""
        late = f", {self.delay} late" if self.delay else ""
        return f"{self.method} on {self.problem}, T = {self.trials}{late}, seed {self.seed}"


@frozen(eq=False)
class Measured:
    """The measurements of a cell: the regret and the leg of every trial, in ``unit`` of the travel cost."""

    cell: Cell
    unit: str
    regret: Values = field(converter=read_only, repr=False)
    legs: Values = field(converter=read_only, repr=False)
    simple_regret: float
    plans: int
    versions: dict[str, str] = field(repr=False)
    planner_cpu: float

    def measure(self, name: str) -> float:
        """Return one of the ``MEASURES``."""
        if name == "simple_regret":
            return self.simple_regret
        if name == "loss":
            return float(self.regret.mean() + self.legs.mean())
        steps = self.legs if name.endswith("movement") else self.regret
        return last_half(steps) if name.startswith("last_half") else float(steps.mean())


@frozen
class Failure:
    """A cell that could not be run, and why."""

    cell: Cell
    why: str

    def __str__(self) -> str:
        return f"{self.cell}: {self.why}"


def run_cell(cell: Cell) -> Measured:
    """Run a cell."""
    problem, method = find_problem(cell.problem), find_method(cell.method)
    versions = cell.versions  # before the run, because files may change until it ends
    start = None
    if cell.start == "drawn":
        start = problem.space.sample(1, stream(cell.seed, "start", cell.problem))[0]
    with _ALONE, one_thread():
        run = run_problem(problem, method, cell.trials, cell.seed, start, delay=cell.delay, label=cell.method)
        simple_regret = run.simple_regret
    return Measured(cell, problem.unit, run.regret, run.legs, simple_regret, run.plans, versions, run.planner_cpu)


def attempt(cell: Cell) -> Measured | Failure:
    """Run a cell; an error becomes a ``Failure``, so that the other cells go on."""
    try:
        return run_cell(cell)
    except Exception as error:  # a user's own method may raise anything
        return Failure(cell, one_line(error))


def our_versions() -> dict[str, str]:
    """Return the versions that every cell depends on, and a digest of our code."""
    return VERSIONS | {"wayfare code": own_digest()}


@cache  # the code as it was loaded: a process that runs for days keeps it when files change
def own_digest(package: Path = PACKAGE) -> str:
    """Return twelve hex digits that change with any file that the numbers of a run may depend on."""
    digest = hashlib.sha256()
    for file in sorted(sources(package)):
        content = (package / file).read_bytes()
        digest.update(f"{file} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:12]


def sources(package: Path) -> Iterator[str]:
    """Yield those files, as paths relative to the package."""
    for file in (*package.rglob("*.py"), *package.glob("bench/data/*")):
        path = file.relative_to(package)
        reports = path.parent.as_posix() == "bench" and path.stem in REPORTING
        # Hidden files belong to an editor, and may point nowhere.
        if not reports and path.parts[0] not in EDGES and not path.name.startswith(".") and file.is_file():
            yield path.as_posix()

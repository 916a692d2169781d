"""Run a suite in this process, over several processes, or over a Dask cluster, always with the same results.

A runner takes cells and yields their outcomes in any order. Only this process writes, so workers need no common disk.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from wayfare._core.extras import install
from wayfare.bench.cell import Cell, Failure, Measured, attempt
from wayfare.bench.results import CellFolder, remove_results, write_results
from wayfare.bench.suites import Suite
from wayfare.errors import InvalidInput, WayfareError

Outcome = Measured | Failure
Runner = Callable[[Sequence[Cell]], Iterator[Outcome]]

PATIENCE = 10.0
"""Seconds within which a Dask scheduler must answer."""


def run_suite(
    suite: Suite,
    out: Path,
    runner: Runner | None = None,
    on_begin: Callable[[int, int], None] = lambda done, cells: None,
    on_cell: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Failure]:
    """Run the cells of a suite that the folder ``out`` does not have yet, and write the results; return the failures.

    Failed cells are tried again by the next run. Finished cells that the suite does not ask for stay, but are not among
    its results. If there is anything to run, the results of an earlier run are removed first, so that they cannot be
    taken for those of this one.
    ``on_begin`` is called with the numbers of finished cells and of all cells, ``on_cell`` with each outcome.
    """
    suite.check()
    folder = CellFolder.begin(out / suite.name, suite)
    cells = suite.cells()
    finished = folder.finished(cells)
    on_begin(len(finished), len(cells))
    # Seed by seed: the first part of a run is a fair sample of the rest, and so is the time it takes.
    missing = sorted((cell for cell in cells if cell not in finished), key=lambda cell: cell.seed)
    if missing:
        remove_results(out, suite.name)
    folder.note(suite)
    failures = []
    for outcome in (runner or one_by_one)(missing) if missing else ():
        outcome = _checked(outcome)
        if isinstance(outcome, Measured):
            folder.keep(outcome)
        else:
            failures.append(outcome)
        on_cell(outcome)
    write_results(list(folder.finished(cells).values()), out, suite.name)
    return failures


def _checked(outcome: Outcome) -> Outcome:
    """Return the outcome, or a failure if a worker made it with other versions or code."""
    if isinstance(outcome, Failure) or outcome.versions == (here := outcome.cell.versions):
        return outcome
    there = outcome.versions
    names = [name for name in here | there if here.get(name) != there.get(name)]
    theirs, ours = (", ".join(f"{name} {one.get(name, 'unknown')}" for name in names) for one in (there, here))
    return Failure(outcome.cell, f"the worker has {theirs}; here it is {ours}")


def one_by_one(cells: Sequence[Cell]) -> Iterator[Outcome]:
    """Run the cells in this process."""
    return map(attempt, cells)


def over_processes(jobs: int) -> Runner:
    """Return a runner over that many processes of this machine; needs joblib."""
    try:
        import joblib
        from joblib.externals.loky.process_executor import BrokenProcessPool
    except ImportError as error:
        raise missing_extra("joblib", "bench") from error

    def run(cells: Sequence[Cell]) -> Iterator[Outcome]:
        with joblib.parallel_config("loky", inner_max_num_threads=1):
            parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
            try:
                yield from parallel(joblib.delayed(attempt)(cell) for cell in cells)
            except BrokenProcessPool as error:
                raise WayfareError(
                    "a worker process was killed, perhaps for want of memory; the same command goes on"
                ) from error

    return run


def over_dask(address: str) -> Runner:
    """Return a runner over the Dask cluster whose scheduler has that address; needs distributed."""
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise missing_extra("distributed", "dask") from error

    def run(cells: Sequence[Cell]) -> Iterator[Outcome]:
        try:
            client = Client(address, timeout=PATIENCE)
        except (OSError, TimeoutError, ValueError) as error:
            raise InvalidInput(f"--dask: no scheduler answers at {address!r}: {error}") from error
        with client:
            futures = {client.submit(attempt, cell, pure=False): cell for cell in cells}
            for future in as_completed(list(futures)):
                cell = futures.pop(future)  # without a reference the cluster may forget it
                # The cell's own failure is a result; an exception is that of its worker.
                lost = future.exception()
                yield Failure(cell, f"lost with its worker: {lost}") if lost else future.result()

    return run


def missing_extra(package: str, extra: str) -> InvalidInput:
    """Return the refusal to work without a package that is not installed."""
    return InvalidInput(f"{package} is not installed; {install(package, extra)}")

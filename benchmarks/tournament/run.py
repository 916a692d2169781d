"""Runs of the tournament: every method on every function under every seed, each cell once for all.

What a cell gave is appended to a file of lines and looked up there the next time, or in the table beside it
that an earlier run wrote. Its key is the cell and the fingerprint of the method, that is of everything
``repr`` says about its parts: a method that is composed otherwise is run anew, the baselines are not. A
change in the code behind the same parts, or of a function, does not show in the key: run with ``fresh`` then.
"""

import csv
import hashlib
import json
import multiprocessing
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported, here and in the workers

from attrs import asdict, evolve, fields, frozen
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tournament.functions import development, reporting
from tournament.problems import Noise, Start, Travel, problem, variant_of
from wayfare._core.rng import one_thread
from wayfare.bench.run import run_problem
from wayfare.errors import GuaranteeWarning, InvalidInput
from wayfare.planning.method import Method

DEVELOPMENT_SEEDS = 1000
"""Development has the seeds from here on."""
REPORTING_SEEDS = range(20)


@frozen
class Cell:
    """One study to run, whatever the method."""

    function: str
    d: int
    noise: Noise
    start: Start
    travel: Travel
    trials: int
    seed: int


@frozen
class Row:
    """What a method did in a cell; ``composition`` is the fingerprint of what the method was then."""

    function: str
    d: int
    noise: Noise
    start: Start
    travel: Travel
    trials: int
    method: str
    seed: int
    movement: float
    mean_regret: float
    last_half_regret: float
    simple_regret: float
    planner_cpu: float
    composition: str = ""


def run(
    methods: Mapping[str, Callable[[], Method]],
    functions: Sequence[str],
    trials: Sequence[int],
    seeds: Sequence[int],
    jobs: int,
    cache: Path,
    *,
    report: bool = False,
    fresh: Iterable[str] = (),
) -> tuple[list[Row], list[str]]:
    """Return a row per cell and method, and what went wrong; only what is not kept is run.

    Kept is what is in ``cache``, and in the table of the same name beside it.

    The methods in ``fresh`` are run in any case. Rows at other numbers of trials that the cache has of these
    methods, functions and seeds come along. Without ``report`` no function of the reporting set is touched.
    """
    check_set(functions, seeds, report)
    built = {name: build() for name, build in methods.items()}
    prints = {name: fingerprint(method) for name, method in built.items()}
    cells = design(functions, trials, seeds, report)
    kept = {key(cell_of(row), row.composition): row for row in written(cache.with_suffix(".csv"))} | read(cache)
    again = set(fresh)
    wanted = [(cell, name) for cell in cells for name in built if name in again or key(cell, prints[name]) not in kept]
    failures = []
    for cell, name, row in measure_all(wanted, built, jobs):
        if isinstance(row, str):
            failures.append(f"{name} on {cell.function}, T = {cell.trials}, seed {cell.seed}: {row}")
        else:
            kept[key(cell, prints[name])] = row
            append(cache, key(cell, prints[name]), row)
    earlier = {row.trials for row in kept.values()} | set(trials)
    rows = [
        evolve(kept[key(cell, prints[name])], method=name)
        for cell in design(functions, sorted(earlier), seeds, report)
        for name in built
        if key(cell, prints[name]) in kept
    ]
    return rows, failures


def check_set(functions: Sequence[str], seeds: Sequence[int], report: bool) -> None:
    """Refuse what would let development see what is reported."""
    mine = reporting() if report else development()
    for name in functions:
        if name not in mine and name in reporting():
            raise InvalidInput(f"{name} is for reporting only; nothing may be chosen by it: use report")
        if name not in mine:
            raise InvalidInput(f"function: {name!r} is not one of this set: {', '.join(mine)}")
    for seed in seeds:
        if report and seed not in REPORTING_SEEDS:
            raise InvalidInput(f"reporting has seeds 0 to {REPORTING_SEEDS[-1]}, got {seed}")
        if not report and seed < DEVELOPMENT_SEEDS:
            raise InvalidInput(f"development has seeds from {DEVELOPMENT_SEEDS} on, got {seed}")


def design(functions: Sequence[str], trials: Sequence[int], seeds: Sequence[int], report: bool) -> list[Cell]:
    """Return the cells, seed by seed: a run that is stopped has done some seeds of everything."""
    mine = reporting() if report else development()
    order = list(mine)
    return [
        Cell(name, mine[name].d, *variant_of(order.index(name), seed), horizon, seed)
        for horizon in trials
        for seed in seeds
        for name in functions
    ]


def fingerprint(method: Method) -> str:
    """Return twelve digits that change with any part of the method."""
    text = repr(method)
    if re.search(r" at 0x[0-9a-f]+>", text):
        raise InvalidInput(f"a part of the method does not say what it is, so results cannot be kept: {text}")
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def key(cell: Cell, print_: str) -> str:
    """Return what a result is kept under."""
    return "|".join([*map(str, asdict(cell).values()), print_])


def cell_of(row: Row) -> Cell:
    """Return the cell of a row."""
    return Cell(*(getattr(row, field.name) for field in fields(Cell)))


def measure_all(
    wanted: Sequence[tuple[Cell, str]], built: Mapping[str, Method], jobs: int
) -> Iterator[tuple[Cell, str, Row | str]]:
    """Yield what each cell gave as it comes, or what went wrong, with a bar on stderr."""
    if not wanted:
        return
    columns = (SpinnerColumn(), TextColumn("{task.completed}/{task.total} studies"))
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=len(wanted))
        if jobs == 1:
            for cell, name in wanted:
                yield cell, name, attempt(cell, name, built[name])
                progress.advance(task)
            return
        # Not forked: the bar has a thread, and the limit on the threads of BLAS is set at import.
        with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
            futures = {pool.submit(attempt, cell, name, built[name]): (cell, name) for cell, name in wanted}
            try:
                for future in as_completed(futures):
                    yield *futures[future], future.result()
                    progress.advance(task)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def attempt(cell: Cell, name: str, method: Method) -> Row | str:
    """Run a cell, whatever happens: a candidate may fail in any way, and the others go on."""
    try:
        return measure(cell, name, method)
    except Exception as error:
        return " ".join(f"{type(error).__name__}: {error}".split())


def measure(cell: Cell, name: str, method: Method) -> Row:
    """Run a cell."""
    search = problem(cell.function, cell.noise, cell.start, cell.travel, cell.seed)
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", GuaranteeWarning)  # ramps are no metric, on purpose
        done = run_problem(search, method, cell.trials, cell.seed, label=name)
        return Row(
            **asdict(cell),
            method=name,
            movement=done.movement,
            mean_regret=done.mean_regret,
            last_half_regret=done.last_half_regret,
            simple_regret=done.simple_regret,
            planner_cpu=done.planner_cpu,
            composition=fingerprint(method),
        )


def read(cache: Path) -> dict[str, Row]:
    """Return what is kept, the later of two under the same key; a line cut short by a kill is passed over."""
    if not cache.exists():
        return {}
    kept = {}
    for line in cache.read_text().splitlines():
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        # The last part of a key is the composition.
        kept[entry["key"]] = Row(**entry["row"] | {"composition": entry["key"].rpartition("|")[2]})
    return kept


def append(cache: Path, key: str, row: Row) -> None:
    """Keep a result, in one write so that two runs may share the file."""
    cache.parent.mkdir(parents=True, exist_ok=True)
    with cache.open("a+b") as file:
        # After a line that was cut short, begin a new one.
        cut = file.tell() > 0 and (file.seek(-1, os.SEEK_END), file.read(1))[1] != b"\n"
        file.write((b"\n" if cut else b"") + json.dumps({"key": key, "row": asdict(row)}).encode() + b"\n")


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write a line per row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        sheet = csv.writer(file, lineterminator="\n")
        names = [field.name for field in fields(Row)]
        sheet.writerow(names)
        for row in rows:
            values = (getattr(row, name) for name in names)
            sheet.writerow([f"{value:.6g}" if isinstance(value, float) else value for value in values])


def read_csv(path: Path) -> list[Row]:
    """Return the rows that were written, their numbers to six digits."""
    if not path.exists():
        raise InvalidInput(f"there is no {path}; the command report writes it")
    with path.open(newline="") as file:
        sheet = csv.DictReader(file)
        names = [field.name for field in fields(Row)]
        if sheet.fieldnames != names:
            raise InvalidInput(f"the columns of {path} should be {', '.join(names)}")
        numbers = {field.name: field.type for field in fields(Row) if field.type in (int, float)}
        return [Row(**{name: numbers.get(name, str)(value) for name, value in line.items()}) for line in sheet]


def written(path: Path) -> list[Row]:
    """Return the rows of a table that there may be."""
    return read_csv(path) if path.exists() else []


def with_others(rows: Sequence[Row], path: Path, builder: Callable[[str], Callable[[], Method]]) -> list[Row]:
    """Return the rows, and those a table may have of other methods, if they are still what they were."""
    ran = {row.method for row in rows}
    others = [row for row in written(path) if row.method not in ran]
    now = {name: fingerprint(builder(name)()) for name in {row.method for row in others}}
    return [*rows, *(row for row in others if row.composition == now[row.method])]

"""The results of a suite as tidy tables: a row per cell, and a row per trial for the curves.

``SUITE.csv`` and ``SUITE-steps.csv.gz`` are the same, bit for bit, however the cells were run on machines of
the same kind; ``SUITE-cpu.csv`` holds what is not, the seconds that planning took.
"""

import csv
import gzip
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from wayfare.bench.cell import MEASURES, VERSIONS, Cell, Measured
from wayfare.bench.folder import asked_for, write_whole
from wayfare.errors import InvalidInput

KEYS = ("problem", "trials", "delay", "method", "seed")
HEAD = (*KEYS, "start", "unit", *MEASURES, "plans", *VERSIONS)
STEPS_HEAD = (*KEYS, "step", "regret", "leg")
CPU_HEAD = (*KEYS, "planner_cpu_s")


def paths(out: Path, name: str) -> tuple[Path, Path, Path]:
    """Return the files of cells, of steps and of CPU times."""
    return out / f"{name}.csv", out / f"{name}-steps.csv.gz", out / f"{name}-cpu.csv"


def write_results(cells: Sequence[Measured], out: Path, name: str) -> None:
    """Write the three tables of a suite into the folder ``out``."""
    main, steps, cpu = paths(out, name)
    # Without a name or a time in its head, the same content gives the same file.
    packed = gzip.compress(as_csv(STEPS_HEAD, step_rows(cells)), mtime=0)
    write_whole(steps, packed)
    write_whole(cpu, as_csv(CPU_HEAD, ((*keys(cell), cell.planner_cpu) for cell in cells)))
    write_whole(main, as_csv(HEAD, map(cell_row, cells)))


def remove_results(out: Path, name: str) -> None:
    """Remove the tables of a suite; its cells stay, and give them again."""
    for file in paths(out, name):  # the main one first: without it nobody reads the others
        file.unlink(missing_ok=True)


def read_results(out: Path, name: str) -> list[Measured]:
    """Return the cells of a suite as written by ``write_results``; the CPU times may be missing."""
    main, steps, cpu = paths(out, name)
    for file in (main, steps):
        if not file.exists():
            asked = asked_for(out, name)
            command = asked.command if asked else f"wayfare bench run {name}"
            raise InvalidInput(f"{file}: no such file; `{command}` makes it when it comes to its end")
    try:
        regret, legs = defaultdict(list), defaultdict(list)
        for row in csv.DictReader(io.StringIO(gzip.decompress(steps.read_bytes()).decode())):
            regret[key_of(row)].append(float(row["regret"]))
            legs[key_of(row)].append(float(row["leg"]))
        times = {key_of(row): float(row["planner_cpu_s"]) for row in rows_of(cpu)} if cpu.exists() else {}
        cells = []
        for row in rows_of(main):
            at = key_of(row)
            cells.append(
                Measured(
                    cell_of(row),
                    row["unit"],
                    regret[at],
                    legs[at],
                    float(row["simple_regret"]),
                    int(row["plans"]),
                    {package: row[package] for package in VERSIONS},
                    times.get(at, float("nan")),
                )
            )
    except (KeyError, ValueError, EOFError, OSError) as error:
        raise InvalidInput(f"{main}: is not as `wayfare bench run` wrote it: {error}") from error
    broken = [measured.cell for measured in cells if len(measured.regret) != measured.cell.trials]
    if broken:
        raise InvalidInput(f"{steps}: does not belong to {main.name}: {broken[0]} has other trials there")
    return cells


def keys(measured: Measured) -> tuple[str | int, ...]:
    """Return what tells a cell from the others."""
    return tuple(getattr(measured.cell, key) for key in KEYS)


def cell_row(measured: Measured) -> tuple[object, ...]:
    """Return a row of the main table."""
    measures = (measured.measure(name) for name in MEASURES)
    versions = (measured.versions[package] for package in VERSIONS)
    return (*keys(measured), measured.cell.start, measured.unit, *measures, measured.plans, *versions)


def step_rows(cells: Iterable[Measured]) -> Iterator[tuple[object, ...]]:
    """Yield a row per trial of each cell, steps counted from 1."""
    for measured in cells:
        at = keys(measured)
        pairs = zip(measured.regret.tolist(), measured.legs.tolist(), strict=True)
        for step, (regret, leg) in enumerate(pairs, 1):
            yield (*at, step, regret, leg)


def as_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return a table as CSV, every float in full."""
    text = io.StringIO()
    sheet = csv.writer(text, lineterminator="\n")
    sheet.writerow(head)
    sheet.writerows(rows)
    return text.getvalue().encode()


def rows_of(file: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(file.read_text())))


def key_of(row: dict[str, str]) -> tuple[str, ...]:
    """Return what tells a row's cell from the others."""
    return tuple(row[key] for key in KEYS)


def cell_of(row: dict[str, str]) -> Cell:
    """Return the cell that a row is of."""
    start = row["start"]
    if start not in ("drawn", "own"):
        raise ValueError(f"column 'start' has {start!r}")
    numbers = {key: int(row[key]) for key in ("trials", "delay", "seed")}
    return Cell(row["problem"], method=row["method"], start="own" if start == "own" else "drawn", **numbers)

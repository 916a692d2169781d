"""The results of a suite as tidy tables: a row per cell, and a row per trial for the curves.

``SUITE.csv`` and ``SUITE-steps.csv.gz`` are the same, bit for bit, however the cells were run on machines of
the same kind; ``SUITE-cpu.csv`` holds what is not, the seconds that planning took.
"""

import csv
import gzip
import io
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from wayfare.bench.cell import MEASURES, VERSIONS, Cell, Measured, our_versions
from wayfare.bench.suites import Suite
from wayfare.errors import InvalidInput

# Where the finished cells of a suite are kept, so that a run that was cut off goes on where it stopped.
#
# Later runs may ask for other cells: those that are there are taken, the others are left alone.


SETTINGS = "settings.json"
AXES = ("methods", "problems", "trials", "delays")


@frozen
class CellFolder:
    """A folder with a file per finished cell, the settings that all share, and what was asked for last."""

    path: Path

    @classmethod
    def begin(cls, path: Path, suite: Suite) -> "CellFolder":
        """Return the folder of a suite, made anew or found again; one with cells of other code is refused."""
        (path / "cells").mkdir(parents=True, exist_ok=True)
        if any((path / "cells").glob("*.json")):
            file = path / SETTINGS
            before, now = load(file), settings(suite)
            if not isinstance(before, dict):
                raise InvalidInput(f"{file}: cannot be read; choose another --out or delete {path}")
            check_same(path, {key: before.get(key) for key in now}, now)
        return cls(path)

    def note(self, suite: Suite) -> None:
        """Write down what is asked for now."""
        asked = {key: getattr(suite, key) for key in (*AXES, "seeds")}
        plain = settings(suite) | {"asked": asked}
        write_whole(self.path / SETTINGS, json.dumps(plain, indent=1) + "\n")

    def keep(self, measured: Measured) -> None:
        """Write a finished cell, whole or not at all."""
        write_whole(self._file(measured.cell), json.dumps(as_plain(measured), allow_nan=False) + "\n")

    def finished(self, cells: Sequence[Cell]) -> dict[Cell, Measured]:
        """Return those of the cells that are finished, in the order given; of other code they are refused."""
        found = ((cell, self._read(cell)) for cell in cells)
        return {cell: measured for cell, measured in found if measured is not None}

    def _file(self, cell: Cell) -> Path:
        return self.path / "cells" / cell.file

    def _read(self, cell: Cell) -> Measured | None:
        """Return what a cell gave; None if it is not there, or not all of it."""
        plain = load(self._file(cell))
        try:
            measured = Measured(Cell(**plain.pop("cell")), **plain)
        except (AttributeError, KeyError, TypeError, ValueError):
            return None
        whole = len(measured.regret) == len(measured.legs) == cell.trials
        if not whole or measured.cell != cell:
            return None
        # The modules that a cell names are its own: those of other cells may change.
        check_same(self.path, measured.versions, cell.versions)
        return measured


def asked_for(out: Path, name: str) -> Suite | None:
    """Return the suite as the last run in ``out`` was asked for it; None if that is not known."""
    plain = load(out / name / SETTINGS)
    try:
        asked = plain["asked"]
        methods, problems, trials, delays = (tuple(asked[key]) for key in AXES)
        return Suite(name, "", methods, problems, trials, asked["seeds"], delays, plain["start"])
    except (KeyError, TypeError, ValueError):
        return None


def settings(suite: Suite) -> dict[str, Any]:
    """Return what must be the same for all cells of a folder."""
    return {"start": suite.start, "versions": our_versions()}


def check_same(path: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse to mix results of different code or settings, saying in what they differ."""
    if said := "; ".join(differences(before, now)):
        raise InvalidInput(f"{path}: was begun with {said}; choose another --out or delete it")


def differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield what differs, key by key, and of a table within only the keys that do."""
    for key in now | before:
        old, new = before.get(key, "unknown"), now.get(key, "unknown")
        if isinstance(old, dict) and isinstance(new, dict):
            yield from differences(old, new)
        elif old != new:
            yield f"{key} {old}, now {new}"


def as_plain(measured: Measured) -> dict[str, Any]:
    """Return a cell as JSON values, every float in full."""
    plain = asdict(measured)
    return plain | {"regret": measured.regret.tolist(), "legs": measured.legs.tolist()}


def load(file: Path) -> Any:
    """Return what a JSON file holds; None if there is no such file, or it was cut off."""
    try:
        return json.loads(file.read_text())
    except (FileNotFoundError, UnicodeDecodeError, json.JSONDecodeError):
        return None


def write_whole(file: Path, content: str | bytes) -> None:
    """Write a file at once: after a kill or a power cut there is the whole of it, or what was before."""
    data = content.encode() if isinstance(content, str) else content
    aside = file.with_name(f".{file.name}.{os.getpid()}.new")
    with aside.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    aside.replace(file)


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

"""The results of a suite on disk: a file per finished cell, and tidy tables of all cells.

The files let a run that was interrupted go on where it stopped, also if a later run asks for other cells. ``SUITE.csv``
(a row per cell) and ``SUITE-steps.csv.gz`` (a row per trial) are the same, bit for bit, however the cells were run on
machines of the same kind; ``SUITE-cpu.csv`` holds the seconds of planning, which differ.
"""

import csv
import gzip
import io
import json
import math
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, astuple, frozen

from wayfare.bench.cell import MEASURES, VERSIONS, Cell, Measured, our_versions
from wayfare.bench.suites import Suite
from wayfare.errors import InvalidInput

SETTINGS = "settings.json"
AXES = ("methods", "problems", "trials", "delays")
KEYS = ("problem", "trials", "delay", "method", "seed")  # the fields of a cell but for the last, its start
HEAD = (*KEYS, "start", "unit", *MEASURES, "plans", *VERSIONS)


@frozen
class CellFolder:
    """A folder with a file per finished cell, the settings that all share, and the suite that was asked for last."""

    path: Path

    @classmethod
    def begin(cls, path: Path, suite: Suite) -> "CellFolder":
        """Return the folder of a suite, new or found again; refuse one with cells of other code."""
        (path / "cells").mkdir(parents=True, exist_ok=True)
        if any((path / "cells").glob("*.json")):
            before, now = _load(file := path / SETTINGS), _settings(suite)
            if not isinstance(before, dict):
                raise InvalidInput(f"{file}: cannot be read; choose another --out or delete {path}")
            _check_same(path, {key: before.get(key) for key in now}, now)
        return cls(path)

    def note(self, suite: Suite) -> None:
        """Record the suite that is asked for now."""
        asked = {key: getattr(suite, key) for key in (*AXES, "seeds")}
        write_whole(self.path / SETTINGS, json.dumps(_settings(suite) | {"asked": asked}, indent=1) + "\n")

    def keep(self, measured: Measured) -> None:
        """Write a finished cell, every float in full."""
        plain = json.dumps(asdict(measured), default=np.ndarray.tolist, allow_nan=False)
        write_whole(self.path / "cells" / measured.cell.file, plain + "\n")

    def finished(self, cells: Sequence[Cell]) -> dict[Cell, Measured]:
        """Return those of the cells that are finished, in the order given; refuse cells of other code."""
        found = {cell: self._read(cell) for cell in cells}
        return {cell: measured for cell, measured in found.items() if measured is not None}

    def _read(self, cell: Cell) -> Measured | None:
        """Return a finished cell; None if its file is missing or damaged."""
        plain = _load(self.path / "cells" / cell.file)
        try:
            measured = Measured(Cell(**plain.pop("cell")), **plain)
        except (AttributeError, KeyError, TypeError, ValueError):
            return None
        if measured.cell != cell or not len(measured.regret) == len(measured.legs) == cell.trials:
            return None
        # A cell depends on the modules that it names; those of other cells may change.
        _check_same(self.path, measured.versions, cell.versions)
        return measured


def asked_for(out: Path, name: str) -> Suite | None:
    """Return the suite as the last run in ``out`` was asked for it; None if that is unknown."""
    plain = _load(out / name / SETTINGS)
    try:
        asked = plain["asked"]
        methods, problems, trials, delays = (tuple(asked[key]) for key in AXES)
        return Suite(name, "", methods, problems, trials, asked["seeds"], delays, plain["start"])
    except (KeyError, TypeError, ValueError):
        return None


def _settings(suite: Suite) -> dict[str, Any]:
    return {"start": suite.start, "versions": our_versions()}


def _check_same(path: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse to mix results of different code or settings."""
    if said := "; ".join(_differences(before, now)):
        raise InvalidInput(f"{path}: was begun with {said}; choose another --out or delete it")


def _differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield the differences, key by key, also within nested tables."""
    for key in now | before:
        old, new = before.get(key, "unknown"), now.get(key, "unknown")
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differences(old, new)
        elif old != new:
            yield f"{key} {old}, now {new}"


def _load(file: Path) -> Any:
    """Return the content of a JSON file; None if it is missing or damaged."""
    try:
        return json.loads(file.read_text())
    except (FileNotFoundError, UnicodeDecodeError, json.JSONDecodeError):
        return None


def write_whole(file: Path, content: str | bytes) -> None:
    """Write a file at once: after a kill or a power cut it has the new content or the old, never a part."""
    aside = file.with_name(f".{file.name}.{os.getpid()}.new")
    with aside.open("wb") as stream:
        stream.write(content.encode() if isinstance(content, str) else content)
        stream.flush()
        os.fsync(stream.fileno())
    aside.replace(file)


def paths(out: Path, name: str) -> tuple[Path, Path, Path]:
    """Return the files of cells, of steps and of CPU times."""
    return out / f"{name}.csv", out / f"{name}-steps.csv.gz", out / f"{name}-cpu.csv"


def write_results(cells: Sequence[Measured], out: Path, name: str) -> None:
    """Write the three tables of a suite into the folder ``out``."""
    main, steps, cpu = paths(out, name)
    keys = {cell.cell: astuple(cell.cell)[: len(KEYS)] for cell in cells}
    rows = (
        (*keys[one.cell], step, *pair)
        for one in cells
        for step, pair in enumerate(zip(one.regret.tolist(), one.legs.tolist(), strict=True), 1)
    )
    # A gzip head without name and time: the same content gives the same file.
    write_whole(steps, gzip.compress(as_csv((*KEYS, "step", "regret", "leg"), rows), mtime=0))
    write_whole(cpu, as_csv((*KEYS, "planner_cpu_s"), ((*keys[one.cell], one.planner_cpu) for one in cells)))
    write_whole(main, as_csv(HEAD, map(_cell_row, cells)))


def _cell_row(one: Measured) -> tuple[object, ...]:
    measures = (one.measure(name) for name in MEASURES)
    return (*astuple(one.cell), one.unit, *measures, one.plans, *(one.versions[package] for package in VERSIONS))


def remove_results(out: Path, name: str) -> None:
    """Remove the tables of a suite; its cells stay, and give them again."""
    for file in paths(out, name):  # the main table first: without it the others are not read
        file.unlink(missing_ok=True)


def read_results(out: Path, name: str) -> list[Measured]:
    """Return the cells of a suite as written by ``write_results``; the CPU times may be missing."""
    main, steps, cpu = paths(out, name)
    key_of = itemgetter(*KEYS)
    for file in (main, steps):
        if not file.exists():
            asked = asked_for(out, name)
            command = asked.command if asked else f"wayfare bench run {name}"
            raise InvalidInput(f"{file}: no such file; `{command}` makes it when it comes to its end")
    try:
        trials, seconds = defaultdict(list), defaultdict(lambda: math.nan)
        for row in csv.DictReader(io.StringIO(gzip.decompress(steps.read_bytes()).decode())):
            trials[key_of(row)].append((float(row["regret"]), float(row["leg"])))
        for row in rows_of(cpu) if cpu.exists() else ():
            seconds[key_of(row)] = float(row["planner_cpu_s"])
        cells = [_measured(row, trials[key_of(row)], seconds[key_of(row)]) for row in rows_of(main)]
    except (KeyError, ValueError, EOFError, OSError) as error:
        raise InvalidInput(f"{main}: is not as `wayfare bench run` wrote it: {error}") from error
    broken = [measured.cell for measured in cells if len(measured.regret) != measured.cell.trials]
    if broken:
        raise InvalidInput(f"{steps}: does not belong to {main.name}: {broken[0]} has other trials there")
    return cells


def _measured(row: dict[str, str], trials: Sequence[tuple[float, float]], seconds: float) -> Measured:
    """Return a cell from its row, the regret and leg of each of its trials and its CPU time."""
    if (start := row["start"]) not in ("drawn", "own"):
        raise ValueError(f"column 'start' has {start!r}")
    numbers = {key: int(row[key]) for key in ("trials", "delay", "seed")}
    cell = Cell(row["problem"], method=row["method"], start="own" if start == "own" else "drawn", **numbers)
    regret, legs = np.array(trials).reshape(-1, 2).T
    versions = {package: row[package] for package in VERSIONS}
    return Measured(cell, row["unit"], regret, legs, float(row["simple_regret"]), int(row["plans"]), versions, seconds)


def as_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return a table as CSV, every float in full."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue().encode()


def rows_of(file: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(file.read_text())))

"""Where the finished cells of a suite are kept, so that a run that was cut off goes on where it stopped.

Later runs may ask for other cells: those that are there are taken, the others are left alone.
"""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from wayfare.bench.cell import Cell, Measured, our_versions
from wayfare.bench.suites import Suite
from wayfare.errors import InvalidInput

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

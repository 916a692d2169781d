"""Where the finished cells of a suite are kept, so that a run that was cut off goes on where it stopped."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from wayfare.bench.cell import VERSIONS, Cell, Measured
from wayfare.bench.named import code_of
from wayfare.bench.suites import Suite
from wayfare.errors import InvalidInput

SETTINGS = "settings.json"


@frozen
class CellFolder:
    """A folder with a file per finished cell, and the settings that all of them share."""

    path: Path

    @classmethod
    def begin(cls, path: Path, suite: Suite) -> "CellFolder":
        """Return the folder of a suite, made anew or found again; one of other settings is refused."""
        wanted = settings(suite)
        file = path / SETTINGS
        if file.exists():
            check_same(path, load(file), wanted)
        else:
            (path / "cells").mkdir(parents=True, exist_ok=True)
            write_whole(file, json.dumps(wanted, indent=1) + "\n")
        return cls(path)

    def keep(self, measured: Measured) -> None:
        """Write a finished cell, whole or not at all."""
        write_whole(self._file(measured.cell), json.dumps(as_plain(measured), allow_nan=False) + "\n")

    def finished(self, cells: Sequence[Cell]) -> dict[Cell, Measured]:
        """Return those of the cells that are finished, in the order given."""
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
        return measured if whole and measured.cell == cell else None


def settings(suite: Suite) -> dict[str, Any]:
    """Return what must be the same for results to stand in one file."""
    plain = asdict(suite)
    for shown in ("summary", "baseline", "pictures"):  # in lists and reports only
        del plain[shown]
    versions = VERSIONS | code_of((*suite.methods, *suite.problems))
    return dict(json.loads(json.dumps(plain | {"versions": versions})))


def check_same(path: Path, before: Any, now: dict[str, Any]) -> None:
    """Refuse to mix results of different settings, saying in what they differ."""
    if not isinstance(before, dict):
        raise InvalidInput(f"{path / SETTINGS}: cannot be read; delete {path} or choose another --out")
    if said := "; ".join(differences(before, now)):
        raise InvalidInput(f"{path}: was begun with {said}; choose another --out or delete it")


def differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield what differs, key by key, and of a table within only the keys that do."""
    for key in now | before:
        old, new = before.get(key), now.get(key)
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

"""The columns of a CSV file: those every study has, and one for each axis."""

from collections.abc import Sequence

from wayfare import door, frame
from wayfare.errors import InvalidInput
from wayfare.exchange.cells import bare
from wayfare.space import AnySpace
from wayfare.typed import shown

BEFORE = ("number", "state")
AFTER = ("leg", "value", "spent", "worker", "why", "prior")
RUNS = ("count", "variance")
"""Only in a table where some trial has several results."""


def column_of(axis: str, runs: bool = True) -> str:
    """Return what the column of an axis is called, in a table with the columns of runs or without."""
    return frame.column_of(axis, (*BEFORE, *AFTER, *(RUNS if runs else ())))


def columns_of(space: AnySpace, runs: bool) -> list[str]:
    """Return the names of all columns."""
    return [*BEFORE, *(column_of(axis, runs) for axis in space.names), *AFTER, *(RUNS if runs else ())]


def read_header(cells: Sequence[str], space: AnySpace, line: int) -> list[str]:
    """Return which column each cell names, as it is called beside those of runs.

    A fixed column but ``value`` may be left out.
    """
    runs = _has_room_for_runs(cells, space)
    known = columns_of(space, runs)
    names: list[str] = []
    for cell in cells:
        name = next((name for name in (bare(cell), cell, cell.strip(" ")) if name in known), None)
        if name is None:
            raise InvalidInput(f"line {line}: {_unknown(cell, known, cells)}")
        if name in names:
            raise InvalidInput(f"line {line}: column {shown(name)} is there twice; drop one")
        names.append(name)
    for name in (*(column_of(axis, runs) for axis in space.names), "value"):
        if name not in names:
            raise InvalidInput(
                f"line {line}: there is no column {shown(name)}; every axis and 'value' need one"
            )
    called = dict(zip(known, columns_of(space, True), strict=False))
    return [called[name] for name in names]


def _has_room_for_runs(cells: Sequence[str], space: AnySpace) -> bool:
    """Return whether ``count`` and ``variance`` are what they say, not axes that are called so."""
    return all(column_of(axis) in map(bare, cells) for axis in space.names if axis in RUNS)


def _unknown(cell: str, known: Sequence[str], cells: Sequence[str]) -> str:
    if not cell.strip():
        return "a column has no name; name it or drop it"
    hint = door.nearest(cell[:80], known, "columns")
    if hint.startswith("the columns") and "value" not in (other.strip(" ") for other in cells):
        hint = f"the result goes in 'value', and {hint}"
    return f"unknown column {shown(cell)}; {hint}"

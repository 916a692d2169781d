"""The columns of a CSV file: those every study has, and one for each axis."""

from collections.abc import Sequence

from wayfare import door, frame
from wayfare.errors import InvalidInput
from wayfare.exchange.cells import bare
from wayfare.space import AnySpace
from wayfare.typed import shown

BEFORE = ("number", "state")
AFTER = ("leg", "value", "spent", "worker", "why", "prior")


def column_of(axis: str) -> str:
    """Return what the column of an axis is called."""
    return frame.column_of(axis, (*BEFORE, *AFTER))


def columns_of(space: AnySpace) -> list[str]:
    """Return the names of all columns."""
    return [*BEFORE, *map(column_of, space.names), *AFTER]


def read_header(cells: Sequence[str], space: AnySpace, line: int) -> list[str]:
    """Return which column each cell names; a fixed column but ``value`` may be left out."""
    known = columns_of(space)
    names: list[str] = []
    for cell in cells:
        name = next((name for name in (bare(cell), cell, cell.strip(" ")) if name in known), None)
        if name is None:
            raise InvalidInput(f"line {line}: {_unknown(cell, known, cells)}")
        if name in names:
            raise InvalidInput(f"line {line}: column {shown(name)} is there twice; drop one")
        names.append(name)
    for name in (*map(column_of, space.names), "value"):
        if name not in names:
            raise InvalidInput(
                f"line {line}: there is no column {shown(name)}; every axis and 'value' need one"
            )
    return names


def _unknown(cell: str, known: Sequence[str], cells: Sequence[str]) -> str:
    if not cell.strip():
        return "a column has no name; name it or drop it"
    hint = door.nearest(cell[:80], known, "columns")
    if hint.startswith("the columns") and "value" not in (other.strip(" ") for other in cells):
        hint = f"the result goes in 'value', and {hint}"
    return f"unknown column {shown(cell)}; {hint}"

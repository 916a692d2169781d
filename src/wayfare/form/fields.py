"""The fields of travel costs: how each is read and written, whichever cost it belongs to."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from attrs import evolve, frozen

from wayfare.arrays import Matrix
from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.plain import DEEPEST, path
from wayfare.space import AnySpace
from wayfare.travel.square import read_square


@frozen
class Ground:
    """Where a cost is read: the study's space, whether customs may stand in it, and how deep we are."""

    space: AnySpace
    customs: bool = True
    level: int = 1

    def below(self, where: str) -> "Ground":
        """Return the ground of a cost within a cost."""
        if self.level == DEEPEST:
            raise InvalidInput(f"{where[:60]}…: costs nested more than {DEEPEST} deep; join them in one")
        return evolve(self, level=self.level + 1)


@frozen
class Field:
    """How a field is read and written; None is left out of the form."""

    read: Callable[[Any, str, Ground], Any]
    write: Callable[[Any, str, Ground], Any] = lambda value, where, ground: value


def _read_axis(name: object, where: str, ground: Ground) -> str:
    return keys.one_of(name, where, ground.space.names, "axis")


def _write_axis(axis: str | int, where: str, ground: Ground) -> str:
    return ground.space.names[ground.space.column(axis)]


def _read_axes(names: object, where: str, ground: Ground) -> list[str]:
    return [_read_axis(name, f"{where}[{i}]", ground) for i, name in enumerate(keys.listed(names, where))]


def _write_axes(axes: tuple[str | int, ...] | None, where: str, ground: Ground) -> list[str] | None:
    return None if axes is None else [_write_axis(axis, where, ground) for axis in axes]


def _read_scale(scale: object, where: str, ground: Ground) -> float | dict[str, float]:
    if not isinstance(scale, Mapping):
        return keys.positive(scale, where)
    keys.table(scale, where, ground.space.names)
    return {name: keys.positive(value, path(where, name)) for name, value in scale.items()}


def _write_scale(scale: Any, where: str, ground: Ground) -> Any:
    if not isinstance(scale, Mapping):
        return scale
    return {_write_axis(axis, where, ground): value for axis, value in scale.items()}


def _read_fee(fee: object, where: str, ground: Ground) -> float | Matrix:
    return (
        _read_matrix(fee, where, ground) if isinstance(fee, list | tuple) else keys.not_negative(fee, where)
    )


def _write_fee(fee: float | Matrix, where: str, ground: Ground) -> Any:
    return fee.tolist() if isinstance(fee, np.ndarray) else fee


def _read_matrix(rows: object, where: str, ground: Ground) -> Matrix:
    for i, row in enumerate(keys.listed(rows, where)):
        cells = keys.listed(row, f"{where}[{i}]")
        if not set(map(type, cells)) <= {int, float}:
            for j, cell in enumerate(cells):
                keys.number(cell, f"{where}[{i}][{j}]")
    return read_square(rows, where)


def _read_list(values: object, where: str, ground: Ground) -> list[Any]:
    return list(keys.listed(values, where))


def _write_list(values: Any, where: str, ground: Ground) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _read_snap(snap: object, where: str, ground: Ground) -> object:
    return snap if isinstance(snap, str) else keys.not_negative(snap, where)


def _plainly(read: Callable[[Any, str], Any]) -> Field:
    return Field(lambda value, where, ground: read(value, where))


LEAVES = {
    "axis": Field(_read_axis, _write_axis),
    "axes": Field(_read_axes, _write_axes),
    "lat": Field(_read_axis, _write_axis),
    "lon": Field(_read_axis, _write_axis),
    "x": Field(_read_axis, _write_axis),
    "y": Field(_read_axis, _write_axis),
    "scale": Field(_read_scale, _write_scale),
    "up": _plainly(keys.positive),
    "down": _plainly(keys.positive),
    "speed": _plainly(keys.positive),
    "threshold": _plainly(keys.positive),
    "per_fold": _plainly(keys.not_negative),
    "factor": _plainly(keys.positive),
    "amount": _plainly(keys.not_negative),
    "unit": _plainly(keys.text),
    "fee": Field(_read_fee, _write_fee),
    "matrix": Field(_read_matrix, _write_fee),
    "grid": Field(_read_list, _write_list),
    "columns": Field(_read_list, _write_list),
    "rows": Field(_read_list, _write_list),
    "cell": Field(_read_list, _write_list),
    "moves": _plainly(keys.text),
    "snap": Field(_read_snap),
    "edges": Field(_read_list, lambda edges, where, ground: [list(row) for row in edges.rows]),
    "directed": _plainly(keys.flag),
}
"""The fields that hold no further cost."""

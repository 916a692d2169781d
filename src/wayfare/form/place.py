"""One place as plain data, and back."""

from typing import Any, cast

from wayfare.arrays import Values
from wayfare.form import keys
from wayfare.form.plain import path
from wayfare.space import AnySpace, Integer, Places, Space
from wayfare.space.axes import Axis


def write_place(place: Values, space: AnySpace) -> dict[str, Any]:
    """Return a place by the names of its axes."""
    form: dict[str, Any] = {}
    for axis, number in zip(_axes(space), place.tolist(), strict=True):
        is_plain = axis.choices is None and not isinstance(axis, Integer)
        form[axis.name] = number if is_plain else axis.value(number)
    return form


def read_place(form: object, where: str, space: AnySpace) -> dict[str, Any]:
    """Return the place, if it has a value for each axis and nothing else."""
    place = keys.table(form, where, space.names)
    for axis in _axes(space):
        at = path(where, axis.name)
        value = keys.needed(place, axis.name, where, "give a value for each axis")
        if axis.choices is None:
            keys.number(value, at)
        elif not isinstance(value, str | bool | int | float):
            keys.refuse(at, "text, a number or a boolean", value)
        with keys.refused_at(at):
            axis.read(value)
    return dict(place)


def _axes(space: AnySpace) -> tuple[Axis, ...]:
    return space.frame.axes if isinstance(space, Places) else cast(Space, space).axes

"""The axes a travel cost speaks of: by name until bound to a space, by column from then on."""

from collections.abc import Iterable
from typing import TypeAlias

from wayfare import door
from wayfare.arrays import Values
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace

AxisName: TypeAlias = str | int
"""An axis by its name, or by its column."""


def as_axis(axis: object, what: str = "the axis of a travel cost") -> AxisName:
    """Return ``axis`` if it is a name or a column number."""
    if isinstance(axis, str):
        return door.name(axis, what)
    column = door.whole(axis, what)
    if column < 0:
        raise InvalidInput(f"{what} must be a name or a column from 0 on, got {axis!r}")
    return column


def as_axes(axes: object, what: str = "axes of a travel cost") -> tuple[AxisName, ...] | None:
    """Return ``axes`` as a tuple of different axes; None means all of them."""
    if axes is None:
        return None
    listed = list(axes) if isinstance(axes, Iterable) and not isinstance(axes, str) else [axes]
    names = tuple(as_axis(axis, what) for axis in listed)
    if not names:
        raise InvalidInput(f"{what} must name at least one, got {axes!r}; leave them out for all")
    _check_different(names, what)
    return names


def numeric_columns(axes: tuple[AxisName, ...] | None, space: AnySpace, what: str) -> tuple[int, ...]:
    """Return the columns of ``axes``, refusing choices; None takes every axis that holds numbers."""
    if axes is None:
        columns = tuple(column for column, values in enumerate(space.choices) if values is None)
        if not columns:
            raise InvalidInput(f"{what} needs axes of numbers, but {space.names} are all choices; use Switch")
        return columns
    columns = tuple(space.column(axis) for axis in axes)
    for column in columns:
        if space.choices[column] is not None:
            raise InvalidInput(f"{what} cannot measure the choice {space.names[column]!r}; use Switch for it")
    _check_different(columns, what)
    return columns


def columns_of(axes: tuple[AxisName, ...]) -> list[int]:
    """Return bound axes as columns, refusing those that are still names."""
    for axis in axes:
        if isinstance(axis, str):
            raise InvalidInput(f"the column of axis {axis!r} is not known yet; call cost.bind(space) first")
    return list(axes)  # type: ignore[arg-type]  # no names among them


def place_in_words(place: Values, axes: tuple[AxisName, ...], names: tuple[str, ...]) -> str:
    """Return what a refusal calls a place: its values on ``axes`` by name, or all where no name is known."""
    if not names:
        return str(place.tolist())
    return f"({', '.join(f'{names[at]}={place[at]:.10g}' for at in columns_of(axes))})"


def _check_different(names: tuple[AxisName, ...], what: str) -> None:
    if len(set(names)) < len(names):
        raise InvalidInput(f"{what} must each be named once, got {names!r}")

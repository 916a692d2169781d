"""Axes as plain data: ``{name = "temp_C", low = 40, high = 120}``."""

from collections.abc import Callable
from typing import Any

from attrs import frozen

from wayfare.form import keys
from wayfare.form.plain import path
from wayfare.space import Choice, Integer, Real, Space
from wayfare.space.axes import Axis, Scalar


def _scalars(values: object, where: str) -> list[Scalar]:
    some = keys.listed(values, where)
    for i, value in enumerate(some):
        if not isinstance(value, str | bool | int | float):
            keys.refuse(f"{where}[{i}]", "text, a number or a boolean", value)
    return list(some)


@frozen
class _Kind:
    """A kind of axis: how its fields are read, and which may be left out."""

    build: type[Axis]
    read: dict[str, Callable[[Any, str], Any]]
    optional: tuple[str, ...] = ()


KINDS = {
    "real": _Kind(Real, {"low": keys.number, "high": keys.number, "log": keys.flag}, ("log",)),
    "integer": _Kind(Integer, {"low": keys.whole, "high": keys.whole, "step": keys.whole}, ("step",)),
    "choice": _Kind(Choice, {"values": _scalars}),
}


def read_axes(forms: object, where: str) -> Space:
    """Return the space that a list of axes spans."""
    if not isinstance(forms, list | tuple):
        keys.refuse(where, f"a list of tables, each under [[{where}]]", forms)
    axes = [read_axis(form, f"{where}[{i}]") for i, form in enumerate(forms)]
    with keys.refused_at(where):
        return Space(*axes)


def read_axis(form: object, where: str) -> Axis:
    """Return the axis; without a ``kind`` it is real."""
    fields = keys.table(form, where)
    word = keys.one_of(fields.get("kind", "real"), path(where, "kind"), KINDS, "kind")
    kind = KINDS[word]
    keys.table(form, where, ["name", "kind", *kind.read])
    name = keys.name(keys.needed(fields, "name", where, "every axis has one"), path(where, "name"))
    values = {
        key: read(keys.needed(fields, key, where, f"an axis of kind {word!r} needs it"), path(where, key))
        for key, read in kind.read.items()
        if key in fields or key not in kind.optional
    }
    with keys.refused_at(where):
        return kind.build(name, **values)


def write_axis(axis: Axis) -> dict[str, Any]:
    """Return the axis as plain data, nothing left out."""
    word, kind = next((word, kind) for word, kind in KINDS.items() if kind.build is type(axis))
    form: dict[str, Any] = {"name": axis.name, "kind": word}
    for key in kind.read:
        value = getattr(axis, key)
        form[key] = list(value) if isinstance(value, tuple) else value
    return form

"""Spaces as plain data: axes, tables of places, forbidden regions, and one place in any of them.

An axis is ``{name = "temp_C", low = 40, high = 120}``; a table is written in columns, inline or in a CSV file beside
the study file.
"""

import json
import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from wayfare._core.arrays import Values
from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.files import file_below, read_csv
from wayfare.form.keys import check_plain, path, shown
from wayfare.space import AnySpace, Choice, Integer, Linear, Only, Places, Product, Real, Space
from wayfare.space.axes import Axis, Scalar
from wayfare.space.constraints import AbsentRule, Constraint


def write_space(space: AnySpace) -> dict[str, Any]:
    """Return the keys of a form that state the space."""
    # By the class itself: a subclass is the user's own, and cannot be rebuilt from its axes.
    if type(space) is Space:
        regions = [
            {s.axis: _write_ends(s.low, s.high) if s.values is None else list(s.values) for s in region.sides}
            for region in space.forbidden
        ]
        rules = [_write_constraint(one) for one in space.constraints]
        more = {"forbidden": regions, "constraint": rules}
        return {"axis": [_write_axis(axis) for axis in space.axes]} | {key: some for key, some in more.items() if some}
    if type(space) is Places:
        return {"places": write_places(space)}
    raise InvalidInput(f"space: only a Space or Places can be kept, got {type(space).__name__}")


MOST_PLACES = 250_000
"""Places of a study file, and open cells of its map: beyond, beginning the study would take minutes."""


def check_size(many: int, what: str, way_out: str) -> None:
    """Refuse a study file of too many places."""
    if many > MOST_PLACES:
        raise InvalidInput(f"{what}; a study file may have {MOST_PLACES:,} at most: {way_out}")


def read_space(form: Mapping[str, Any], folder: Path | None, *, customs: bool = False) -> Space | Places:
    """Return the space that a form states.

    Args:
        form: plain data.
        folder: a CSV file must be below it; without one none is read.
        customs: a constraint may be a Python function, of which only the name is known.
    """
    if "axis" in form and "places" in form:
        raise InvalidInput("axis and places exclude each other; leave one of them out")
    if "places" in form:
        places = read_places(form["places"], "places", folder)
        for key in ("forbidden", "constraint"):
            if key in form:
                raise InvalidInput(f"{key} belongs to axes; of [places], leave out the rows that must not be visited")
        return places
    space = read_axes(keys.needed(form, "axis", "", "give an [[axis]] for each, or [places]"), "axis")
    regions = read_regions(form["forbidden"], space) if "forbidden" in form else []
    if "constraint" not in form:
        return Space(*space.axes, forbidden=regions) if regions else space
    return Space(*space.axes, forbidden=regions, constraints=read_constraints(form["constraint"], customs))


def _scalars(values: object, where: str) -> list[Scalar]:
    some = keys.listed(values, where)
    for i, value in enumerate(some):
        if not isinstance(value, Scalar):  # a path for every cell would make large tables slow
            keys.scalar(value, f"{where}[{i}]")
    return list(some)


@frozen
class _Kind:
    """A kind of axis: how its fields are read, and which may be left out."""

    build: type[Axis]
    read: dict[str, Callable[[Any, str], Any]]
    optional: tuple[str, ...] = ()
    spared: tuple[str, ...] = ("unit",)
    """Written only if they say something: a study of an earlier version has none of them."""


_ENDS = {"low": keys.number, "high": keys.number, "log": keys.flag}
KINDS = {
    "real": _Kind(
        Real,
        {**_ENDS, "step": keys.positive, "digits": partial(keys.count, least=0), "unit": keys.text},
        ("log", "step", "digits", "unit"),
        ("step", "digits", "unit"),  # digits are kept as a step
    ),
    "integer": _Kind(
        Integer,
        {"low": keys.whole, "high": keys.whole, "step": keys.whole, "log": keys.flag, "unit": keys.text},
        ("step", "log", "unit"),
        ("log", "unit"),
    ),
    "choice": _Kind(
        Choice, {"values": _scalars, "unit": keys.text, "retired": _scalars}, ("unit", "retired"), ("unit", "retired")
    ),
}


def read_axes(forms: object, where: str) -> Space:
    """Return the box of the axes that a list of tables states."""
    axes = [_read_axis(form, f"{where}[{i}]") for i, form in enumerate(keys.tables(forms, where))]
    with keys.refused_at(where):
        return Space(*axes)


def _read_axis(form: object, where: str) -> Axis:
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


def _write_axis(axis: Axis) -> dict[str, Any]:
    word, kind = next((word, kind) for word, kind in KINDS.items() if kind.build is type(axis))
    values = {key: getattr(axis, key, None) for key in kind.read}
    kept = {key: value for key, value in values.items() if value or key not in kind.spared}
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in kept.items()}
    return {"name": axis.name, "kind": word, **plain}


def write_place(place: Values, space: AnySpace) -> dict[str, Any]:
    """Return a place by the names of its axes."""
    # A real number is written bit for bit, a step as an int and a choice as its value.
    return {
        axis.name: number if isinstance(axis, Real) else axis.value(number)
        for axis, number in zip(_axes(space), place.tolist(), strict=True)
    }


def read_place(form: object, where: str, space: AnySpace) -> dict[str, Any]:
    """Return the place, if it has a value for each axis and nothing else."""
    place = keys.table(form, where, space.names)
    for axis in _axes(space):
        at = path(where, axis.name)
        value = keys.needed(place, axis.name, where, "give a value for each axis")
        (keys.number if axis.choices is None else keys.scalar)(value, at)
        with keys.refused_at(at):
            axis.read(value)
    return dict(place)


def _axes(space: AnySpace) -> tuple[Axis, ...]:
    return space.frame.axes if isinstance(space, Places) else cast(Space, space).axes


def read_places(form: object, where: str, folder: Path | None) -> Places:
    """Return the places of ``columns``, or of a ``file`` below ``folder``.

    ``frame`` are the axes, if they span more than the table: the rest of a larger table keeps the scaling and the
    choices of the whole.
    """
    if isinstance(form, str):
        raise InvalidInput(
            f"{where} must be a table, got {shown(form)}; a CSV file is named by {where} = "
            f"{{file = {json.dumps(form[:80], ensure_ascii=False)}}}"
        )
    fields = keys.table(form, where, ["file", "columns", "names", "once", "frame"])
    if ("file" in fields) == ("columns" in fields):
        raise InvalidInput(f"{where} needs either a file or columns, {'not both' if fields else 'got neither'}")
    if "file" in fields:
        at = path(where, "file")
        file = keys.name(fields["file"], at)
        with keys.refused_at(at):
            columns: Mapping[str, Any] = read_csv(file_below(folder, file))
        check_plain(columns, at, new=True)
    else:
        columns = _read_columns(fields["columns"], path(where, "columns"))
    if "names" in fields:
        at = path(where, "names")
        names = enumerate(keys.listed(fields["names"], at))
        columns = {keys.one_of(name, f"{at}[{i}]", columns, "column"): columns[name] for i, name in names}
    once = keys.flag(fields.get("once", False), path(where, "once"))
    with keys.refused_at(where):
        places = Places(list(zip(*columns.values(), strict=True)), list(columns), once)
    if "frame" not in fields:
        return places
    at = path(where, "frame")
    frame = read_axes(fields["frame"], at)
    with keys.refused_at(at):
        rows = frame.points([places.params(row) for row in places.table])
        if not frame.contains(rows).all():
            raise InvalidInput("does not hold all of the places")
    return Places.framed(rows, frame, places.once, places._whole)


def _read_columns(form: object, where: str) -> dict[str, Any]:
    columns = {key: keys.listed(cells, path(where, key)) for key, cells in keys.table(form, where).items()}
    first = next(iter(columns), "")
    for key, cells in columns.items():
        if (many := len(cells)) != (n := len(columns[first])):
            raise InvalidInput(f"{path(where, key)} has {many} values, but {path(where, first)} has {n}")
        _scalars(cells, path(where, key))
    return columns


def write_places(places: Places) -> dict[str, Any]:
    """Return the places as plain data: the table in columns, and the frame if it spans more than the table.

    A column that was whole is written in whole numbers and comes back so.
    """
    columns: dict[str, list[Any]] = {}
    for at, (name, values) in enumerate(zip(places.names, places.choices, strict=True)):
        numbers = places.table[:, at].tolist()
        if values is not None:
            columns[name] = [values[int(number)] for number in numbers]
        else:
            columns[name] = [int(number) for number in numbers] if places._whole[at] else numbers
    form: dict[str, Any] = {"columns": columns, "once": places.once}
    # Made of the table alone, the places would have another frame if rows were taken out before.
    if Places(list(zip(*columns.values(), strict=True)), list(columns), places.once) != places:
        form["frame"] = [_write_axis(axis) for axis in places.frame.axes]
    return form


def _weights(value: object, where: str) -> dict[str, float]:
    if isinstance(value, list):
        return dict.fromkeys((keys.name(axis, f"{where}[{i}]") for i, axis in enumerate(value)), 1.0)
    return {axis: keys.number(number, path(where, axis)) for axis, number in keys.table(value, where).items()}


_BOUNDS = {"at_most": keys.number, "at_least": keys.number}
CONSTRAINTS: dict[str, tuple[type, dict[str, Callable[[Any, str], Any]]]] = {
    "linear": (Linear, {"of": _weights, **_BOUNDS, "equals": keys.number}),
    "product": (Product, {"of": _weights, **_BOUNDS}),
    "only": (Only, {"axis": keys.name, "when": keys.table, "otherwise": keys.scalar}),
}
"""The kinds of constraint: their class, and how their keys are read; those without a bound are needed."""


def _read_constraint(form: object, where: str, customs: bool) -> Any:
    fields = keys.table(form, where)
    if fields.get("kind") == "custom":
        if not customs:
            raise InvalidInput(
                f"{path(where, 'kind')}: a study file cannot hold a Python function ('custom'); use another kind, or "
                "create the study from Python"
            )
        name = keys.needed(fields, "function", where, "what is it called?")
        return AbsentRule(keys.text(name, path(where, "function")))
    word = keys.one_of(
        keys.needed(fields, "kind", where, f"the kinds are {', '.join(CONSTRAINTS)}"),
        path(where, "kind"),
        CONSTRAINTS,
        "kind",
    )
    build, read = CONSTRAINTS[word]
    keys.table(form, where, ["kind", *read])
    needed = [key for key in read if key not in (*_BOUNDS, "equals")]
    for key in needed:
        keys.needed(fields, key, where, f"a constraint of kind {word!r} needs it")
    values = {key: reader(fields[key], path(where, key)) for key, reader in read.items() if key in fields}
    with keys.refused_at(where):
        first = values.pop(needed[0])
        return build(first, **values)


def _write_constraint(one: Constraint) -> dict[str, Any]:
    if isinstance(one, Only):
        when = {name: list(values) for name, values in one.when.items()}
        return {"kind": "only", "axis": one.axis, "when": when, "otherwise": one.otherwise}
    if isinstance(one, Linear | Product):
        kind = "linear" if isinstance(one, Linear) else "product"
        ends = {"equals": one.low} if one.low == one.high else {"at_least": one.low, "at_most": one.high}
        return {"kind": kind, "of": dict(one.of)} | {key: end for key, end in ends.items() if math.isfinite(end)}
    return {"kind": "custom", "function": str(one)}


def read_constraints(forms: object, customs: bool) -> list[Any]:
    """Return the constraints, each ``{kind = "linear", of = {a = 1, b = 1}, at_most = 1}``."""
    listed = keys.tables(forms, "constraint")
    return [_read_constraint(one, f"constraint[{i}]", customs) for i, one in enumerate(listed)]


def read_regions(forms: object, space: Space) -> list[dict[str, Any]]:
    """Return the regions, each ``{temp_C = [100, 120], solvent = ["ether"]}``."""
    regions = []
    for i, form in enumerate(keys.tables(forms, "forbidden")):
        where = f"forbidden[{i}]"
        table = keys.table(form, where, space.names)
        regions.append({name: _read_side(side, path(where, name)) for name, side in table.items()})
    return regions


def _read_side(side: object, where: str) -> Any:
    if not isinstance(side, Mapping):
        return side
    ends = keys.table(side, where, ["low", "high"])
    return tuple(keys.number(ends[end], path(where, end)) if end in ends else None for end in ("low", "high"))


def open_ends(form: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the form with open ends of forbidden regions as JSON can hold them.

    An open end is ``inf`` or ``-inf``, which TOML has and JSON has not; so ``[100, inf]`` becomes ``{low = 100}``.
    """
    regions = form.get("forbidden") if isinstance(form, Mapping) else None
    if not isinstance(regions, list | tuple):
        return form
    opened = [
        {name: _write_ends(*side) if _has_open_end(side) else side for name, side in region.items()}
        if isinstance(region, Mapping)
        else region
        for region in regions
    ]
    return {**form, "forbidden": opened}


def _has_open_end(side: Any) -> bool:
    two = isinstance(side, list | tuple) and len(side) == 2
    return two and any(isinstance(end, float) and math.isinf(end) for end in side)


def _write_ends(low: float, high: float) -> list[float] | dict[str, float]:
    ends = {name: end for name, end, open_end in (("low", low, -math.inf), ("high", high, math.inf)) if end != open_end}
    return [low, high] if len(ends) == 2 else ends

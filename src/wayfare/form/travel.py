"""Travel costs as plain data: ``{kind = "ramp", axis = "temp_C", up = 0.083, down = 0.033}``.

A kind's keys are the fields of its class. A field's name says how it is read and written, whichever class it belongs
to, so a new kind made of known fields is one line in ``KINDS``.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import attrs
import numpy as np
from attrs import evolve, frozen

from wayfare import travel as costs
from wayfare._core.arrays import Matrix, Points
from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.keys import DEEPEST, check_same, path
from wayfare.form.space import read_places, write_places
from wayfare.space import AnySpace, Places
from wayfare.travel import MissingCost, Scaled, TravelCost, as_cost
from wayfare.travel.table import read_square

_WORDS = "euclidean manhattan chebyshev ramp settling switch fee serial parallel scaled haversine raster network table"
KINDS: dict[str, type[Any]] = {word: getattr(costs, word.capitalize()) for word in _WORDS.split()}
"""Each kind and its class; studies are stored with these words."""
JOINED = ("serial", "parallel")
"""The kinds that have no unit of their own, so that their key ``unit`` is free to state the study's."""


@frozen
class Ground:
    """Where a cost is read: the study's space, whether Python functions may be in it, and the level of nesting."""

    space: AnySpace
    customs: bool = True
    level: int = 1

    def below(self, where: str) -> "Ground":
        """Return the ground of a cost within a cost."""
        if self.level == DEEPEST:
            raise InvalidInput(f"{where[:60]}…: costs nested more than {DEEPEST} deep; join them in one")
        return evolve(self, level=self.level + 1)


def read_cost(form: object, where: str, ground: Ground) -> TravelCost:
    """Return the cost, its axes still by name."""
    fields = keys.table(form, where)
    word = keys.needed(fields, "kind", where, f"it is one of {', '.join(KINDS)}")
    kind = keys.one_of(word, path(where, "kind"), [*KINDS, "custom"], "kind")
    if kind == "custom":
        return _read_custom(fields, where, ground)
    cls = KINDS[kind]
    keys.table(form, where, ["kind", *(one.name for one in kept_fields(cls))])
    values: dict[str, Any] = {}
    for one in kept_fields(cls):
        if one.name in fields:
            values[one.name] = FIELDS[one.name].read(fields[one.name], path(where, one.name), ground)
        elif one.name == "places":
            if not isinstance(ground.space, Places):
                keys.needed(fields, "places", where, "a table prices the study's [places], but it has axes")
            values["places"] = ground.space
        elif one.default is attrs.NOTHING:
            keys.needed(fields, one.name, where, f"a cost of kind {kind!r} needs it")
    with keys.refused_at(where):
        cost: TravelCost = cls(**values)
        if "parts" not in values and "cost" not in values:  # each of the inner costs was bound when it was read
            cost.bind(ground.space)  # refused here, it has a path
    return cost


def write_cost(cost: TravelCost, where: str, ground: Ground) -> dict[str, Any]:
    """Return the cost as plain data; of one that is not ours, only its name."""
    # By the class itself: a subclass is the user's own, and may cost anything.
    cls = type(cost)
    kind = next((kind for kind, ours in KINDS.items() if ours is cls), None)
    if kind is None:
        function = getattr(cost, "function", cost)
        name = cost.name if isinstance(cost, AbsentCost) else getattr(function, "__name__", type(function).__name__)
        return {"kind": "custom", "function": name, "metric": bool(cost.is_metric), "unit": cost.unit}
    names = [one.name for one in kept_fields(cls)]
    form = {name: FIELDS[name].write(getattr(cost, name), path(where, name), ground) for name in names}
    return {"kind": kind} | {name: written for name, written in form.items() if written is not None}


def kept_fields(cls: type[Any]) -> list[Any]:
    """Return the fields of a class that are in its form: all but those that binding fills in."""
    return [one for one in attrs.fields(cls) if not one.name.startswith("_")]


def check_same_cost(stored: TravelCost, given: TravelCost, where: str, ground: Ground) -> None:
    """Refuse a cost that differs from the stored one, except in Python functions."""
    one, other = (write_cost(cost.bind(ground.space), where, ground) for cost in (stored, given))
    check_same(one, other, where)


def _read_custom(fields: Mapping[str, Any], where: str, ground: Ground) -> "AbsentCost":
    if not ground.customs:
        raise InvalidInput(
            f"{path(where, 'kind')}: a study file cannot hold a Python function ('custom'); "
            "use another kind, or create the study in Python with Study.create(..., travel=...)"
        )
    keys.table(fields, where, ["kind", "function", "metric", "unit"])
    return AbsentCost(
        keys.text(fields.get("function", "unknown"), path(where, "function")),
        keys.flag(fields.get("metric", False), path(where, "metric")),
        keys.text(fields.get("unit", ""), path(where, "unit")),
        "also" if where.startswith("also[") else "travel",
    )


@frozen
class AbsentCost:
    """Stands in for a travel cost that could not be stored: only its name is known.

    A study can be opened, read and told without the real cost. A call of this one refuses and says how to supply it.
    """

    name: str
    is_metric: bool
    unit: str
    argument: str = "travel"
    """The argument of ``Study.open`` that takes the real cost: ``travel`` or ``also``."""

    def bind(self, space: AnySpace) -> Self:
        """Return itself."""
        return self

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Refuse: the function is not here."""
        raise MissingCost(
            f"a travel cost of this study is the Python function {self.name!r}, which cannot be kept; "
            f"Study.open(..., {self.argument}=...) supplies it"
        )


@frozen
class Field:
    """How a field is read and written; None is left out of the form."""

    read: Callable[[Any, str, Ground], Any]
    write: Callable[[Any, str, Ground], Any] = lambda value, where, ground: value


def _plain(read: Callable[[Any, str], Any]) -> Field:
    return Field(lambda value, where, ground: read(value, where))


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
    return _read_matrix(fee, where, ground) if isinstance(fee, list | tuple) else keys.not_negative(fee, where)


def _read_matrix(rows: object, where: str, ground: Ground) -> Matrix:
    for i, row in enumerate(keys.listed(rows, where)):
        cells = keys.listed(row, f"{where}[{i}]")
        if not set(map(type, cells)) <= {int, float}:  # only then is a path for every cell worth its time
            for j, cell in enumerate(cells):
                keys.number(cell, f"{where}[{i}][{j}]")
    return read_square(rows, where)


def _write_array(values: Any, where: str, ground: Ground) -> Any:
    if isinstance(values, np.ndarray):
        return values.tolist()
    return list(values) if isinstance(values, tuple) else values


def _read_parts(forms: object, where: str, ground: Ground) -> tuple[TravelCost, ...]:
    below = ground.below(where)
    return tuple(read_cost(form, f"{where}[{i}]", below) for i, form in enumerate(keys.listed(forms, where)))


def _write_parts(parts: tuple[TravelCost, ...], where: str, ground: Ground) -> list[dict[str, Any]]:
    below = ground.below(where)
    return [write_cost(part, f"{where}[{i}]", below) for i, part in enumerate(parts)]


def read_snap(snap: object, where: str) -> Any:
    """Return how far a place off the map may be from it: a word, or a number in the unit of the map."""
    return snap if isinstance(snap, str) else keys.not_negative(snap, where)


_LIST = Field(lambda values, where, ground: list(keys.listed(values, where)), _write_array)
FIELDS = {
    **dict.fromkeys(("axis", "lat", "lon", "x", "y"), Field(_read_axis, _write_axis)),
    "axes": Field(_read_axes, _write_axes),
    "scale": Field(_read_scale, _write_scale),
    **dict.fromkeys(("up", "down", "speed", "threshold", "factor"), _plain(keys.positive)),
    **dict.fromkeys(("per_fold", "amount"), _plain(keys.not_negative)),
    **dict.fromkeys(("unit", "moves"), _plain(keys.text)),
    "directed": _plain(keys.flag),
    "snap": _plain(read_snap),
    "fee": Field(_read_fee, _write_array),
    "matrix": Field(_read_matrix, _write_array),
    **dict.fromkeys(("grid", "columns", "rows", "cell"), _LIST),
    "edges": Field(_LIST.read, lambda edges, where, ground: [list(row) for row in edges.rows]),
    "parts": Field(_read_parts, _write_parts),
    "cost": Field(
        lambda form, where, ground: read_cost(form, where, ground.below(where)),
        lambda cost, where, ground: write_cost(cost, where, ground.below(where)),
    ),
    "places": Field(
        lambda form, where, ground: read_places(form, where, None),
        lambda places, where, ground: None if places == ground.space else write_places(places),
    ),
}


def read_also(forms: object, space: AnySpace, given: Sequence[TravelCost] | None, new: bool) -> list[TravelCost]:
    """Return the costs in further currencies; the ``given`` ones, if they are the same but for Python functions."""
    # A study file may name a Python function only if the caller supplies it.
    ground = Ground(space, customs=not new or given is not None)
    stored = [_read_one(form, f"also[{i}]", ground) for i, form in enumerate(keys.tables(forms, "also"))]
    if given is None:
        return stored
    if not isinstance(given, list | tuple):
        raise InvalidInput(f"also must be a list of travel costs, got {given!r}")
    if len(given) != len(stored):
        raise InvalidInput(f"also: the study reports {len(stored)} further costs, got {len(given)}; supply each")
    for i, (one, own) in enumerate(zip(stored, given, strict=True)):
        check_same_cost(one, as_cost(own), f"also[{i}]", ground)
    return list(given)


def _read_one(form: object, where: str, ground: Ground) -> TravelCost:
    fields = keys.table(form, where)
    if fields.get("kind") not in JOINED or "unit" not in fields:
        return read_cost(form, where, ground)
    # A sum or a maximum has the unit of its parts; if they have none, it is stated here.
    unit = keys.text(fields["unit"], path(where, "unit"))
    cost = read_cost({key: value for key, value in fields.items() if key != "unit"}, where, ground)
    if cost.unit not in ("", unit):
        raise InvalidInput(f"{path(where, 'unit')} is {unit!r}, but its parts are in {cost.unit!r}; leave it out")
    return cost if cost.unit else Scaled(cost, 1.0, unit)

"""Travel costs as plain data: ``{kind = "ramp", axis = "temp_C", up = 0.083, down = 0.033}``.

A kind's keys are the fields of its class. A field's name says how it is read and written, whichever class
it belongs to, so a new kind made of known fields is one line in ``KINDS``.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, Self

import attrs
import numpy as np
from attrs import evolve, frozen

from wayfare._core.arrays import Matrix, Points
from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.keys import DEEPEST, check_same, path
from wayfare.form.space import read_places, write_places
from wayfare.record.events import StudySpec
from wayfare.space import AnySpace, Places
from wayfare.travel import (
    Chebyshev,
    Euclidean,
    Fee,
    Haversine,
    Manhattan,
    MissingCost,
    Network,
    Parallel,
    Ramp,
    Raster,
    Scaled,
    Serial,
    Settling,
    Switch,
    Table,
    TravelCost,
    as_cost,
)
from wayfare.travel.table import read_square

# The fields of travel costs: how each is read and written, whichever cost it belongs to.


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
    return _read_matrix(fee, where, ground) if isinstance(fee, list | tuple) else keys.not_negative(fee, where)


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


# Stand-ins for what only Python can hold: a user's own cost, or a part of a method that is not ours.
#
# A study can be opened, looked at and told without them. What needs the real one refuses, and says how to
# supply it.


@frozen
class AbsentCost:
    """Stands where a travel cost was that could not be kept: all that is known is its name."""

    name: str
    metric: bool
    unit: str
    argument: str = "travel"
    """Where ``Study.open`` takes it: as ``travel``, or in ``also``."""

    @property
    def is_metric(self) -> bool:
        """Whether the real one was."""
        return self.metric

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
class AbsentPart:
    """Stands where a policy, schedule, surrogate, planner or opening was that could not be kept."""

    name: str

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise InvalidInput(
            f"the method of this study has a part of the Python class {self.name!r}, which cannot be kept; "
            "Study.open(..., method=...) supplies it"
        )

    propose = is_due = batch_size = fit = recall = order = places = _refuse


KINDS: dict[str, type[Any]] = {
    "euclidean": Euclidean,
    "manhattan": Manhattan,
    "chebyshev": Chebyshev,
    "ramp": Ramp,
    "settling": Settling,
    "switch": Switch,
    "fee": Fee,
    "serial": Serial,
    "parallel": Parallel,
    "scaled": Scaled,
    "haversine": Haversine,
    "raster": Raster,
    "network": Network,
    "table": Table,
}
NAMES = {cls: kind for kind, cls in KINDS.items()}


def read_cost(form: object, where: str, ground: Ground) -> TravelCost:
    """Return the cost, its axes still by name."""
    fields = keys.table(form, where)
    at = path(where, "kind")
    word = keys.needed(fields, "kind", where, f"it is one of {', '.join(KINDS)}")
    kind = keys.one_of(word, at, [*KINDS, "custom"], "kind")
    if kind == "custom":
        return _read_custom(fields, where, ground)
    cls = KINDS[kind]
    keys.table(form, where, ["kind", *(one.name for one in kept_fields(cls))])
    values: dict[str, Any] = {}
    for one in kept_fields(cls):
        if one.name in fields:
            values[one.name] = FIELDS[one.name].read(fields[one.name], path(where, one.name), ground)
        elif one.name == "places":
            values["places"] = _own_places(where, ground)
        elif one.default is attrs.NOTHING:
            keys.needed(fields, one.name, where, f"a cost of kind {kind!r} needs it")
    with keys.refused_at(where):
        cost: TravelCost = cls(**values)
        if "parts" not in values and "cost" not in values:
            cost.bind(ground.space)  # refused here, it has a path
    return cost


def kept_fields(cls: type[Any]) -> list[Any]:
    """Return the fields that stand in a form: all but those that binding fills in."""
    return [one for one in attrs.fields(cls) if not one.name.startswith("_")]


def write_cost(cost: TravelCost, where: str, ground: Ground) -> dict[str, Any]:
    """Return the cost as plain data; of one that is not ours only the name is kept."""
    cls = type(cost)
    if cls not in NAMES:
        return _write_custom(cost)
    form: dict[str, Any] = {"kind": NAMES[cls]}
    for one in kept_fields(cls):
        written = FIELDS[one.name].write(getattr(cost, one.name), path(where, one.name), ground)
        if written is not None:
            form[one.name] = written
    return form


def _read_custom(fields: Mapping[str, Any], where: str, ground: Ground) -> AbsentCost:
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


def _write_custom(cost: TravelCost) -> dict[str, Any]:
    function = getattr(cost, "function", cost)
    name = getattr(function, "__name__", type(function).__name__)
    if isinstance(cost, AbsentCost):
        name = cost.name
    return {"kind": "custom", "function": name, "metric": bool(cost.is_metric), "unit": cost.unit}


def _read_parts(forms: object, where: str, ground: Ground) -> tuple[TravelCost, ...]:
    below = ground.below(where)
    return tuple(read_cost(form, f"{where}[{i}]", below) for i, form in enumerate(keys.listed(forms, where)))


def _write_parts(parts: tuple[TravelCost, ...], where: str, ground: Ground) -> list[dict[str, Any]]:
    below = ground.below(where)
    return [write_cost(part, f"{where}[{i}]", below) for i, part in enumerate(parts)]


def _own_places(where: str, ground: Ground) -> Places:
    if not isinstance(ground.space, Places):
        raise InvalidInput(f"{path(where, 'places')} is missing; a table prices the study's [places], but it has axes")
    return ground.space


FIELDS = LEAVES | {
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


# Costs in further currencies as plain data: a list of tables, each like that of ``travel``.


def write_also(spec: StudySpec) -> dict[str, Any]:
    """Return the costs in the order they are reported; nothing if there are none."""
    ground = Ground(spec.space)
    costs = [write_cost(one.travel, f"also[{i}]", ground) for i, one in enumerate(spec.also)]
    return {"also": costs} if costs else {}


def write_dwell(spec: StudySpec) -> float | dict[str, float] | None:
    """Return what taking one result costs: a number, or one by unit; None if it costs nothing."""
    besides = {one.unit: one.dwell for one in spec.also if one.dwell}
    own = spec.limits.dwell
    if not besides:
        return own or None
    return ({spec.unit: own} if own else {}) | besides


def read_dwell(form: object) -> float | dict[str, float]:
    """Return what taking one result costs: a number, or one by unit."""
    if not isinstance(form, Mapping):
        return keys.not_negative(form, "dwell")
    return {unit: keys.not_negative(amount, path("dwell", unit)) for unit, amount in form.items()}


def read_also(forms: object, space: AnySpace, given: Sequence[TravelCost] | None, new: bool) -> list[TravelCost]:
    """Return the costs, those that are ``given`` where the form's are Python functions."""
    if not isinstance(forms, list | tuple):
        keys.refuse("also", "a list of tables, each under [[also]]", forms)
    ground = Ground(space, customs=not new or given is not None)
    costs = [_read_one(form, f"also[{i}]", ground) for i, form in enumerate(forms)]
    if given is None:
        return costs
    if not isinstance(given, list | tuple):
        raise InvalidInput(f"also must be a list of travel costs, got {given!r}")
    if len(given) != len(costs):
        raise InvalidInput(f"also: the study reports {len(costs)} further costs, got {len(given)}; supply each")
    for i, (kept, own) in enumerate(zip(costs, given, strict=True)):
        where = f"also[{i}]"
        check_same(
            write_cost(kept.bind(space), where, ground), write_cost(as_cost(own).bind(space), where, ground), where
        )
    return list(given)


def _read_one(form: object, where: str, ground: Ground) -> TravelCost:
    fields = keys.table(form, where)
    if fields.get("kind") not in ("serial", "parallel") or "unit" not in fields:
        return read_cost(form, where, ground)
    # A sum or a maximum has the unit of its parts; where they have none, it is said here.
    unit = keys.text(fields["unit"], path(where, "unit"))
    cost = read_cost({key: value for key, value in fields.items() if key != "unit"}, where, ground)
    if cost.unit not in ("", unit):
        raise InvalidInput(f"{path(where, 'unit')} is {unit!r}, but its parts are in {cost.unit!r}; leave it out")
    return cost if cost.unit else Scaled(cost, 1.0, unit)

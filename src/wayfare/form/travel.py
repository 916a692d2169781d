"""Travel costs as plain data: ``{kind = "ramp", axis = "temp_C", up = 0.083, down = 0.033}``.

A kind's keys are the fields of its class. A field's name says how it is read and written, whichever class
it belongs to, so a new kind made of known fields is one line in ``KINDS``.
"""

from collections.abc import Mapping
from typing import Any

import attrs

from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.absent import AbsentCost
from wayfare.form.fields import LEAVES, Field, Ground
from wayfare.form.places import read_places, write_places
from wayfare.form.plain import path
from wayfare.space import Places
from wayfare.travel import (
    Chebyshev,
    Euclidean,
    Fee,
    Haversine,
    Manhattan,
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
)

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
        raise InvalidInput(
            f"{path(where, 'places')} is missing; a table prices the study's [places], but it has axes"
        )
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

"""A map of polygons in a study file: turned into the places and the travel cost that it stands for."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.fields import Ground
from wayfare.form.files import read_text
from wayfare.form.places import write_places
from wayfare.form.plain import path
from wayfare.form.travel import write_cost
from wayfare.travel import Raster

KEYS = ("allowed", "obstacles", "cell", "bounds", "geographic", "moves", "once")
KIND = "map"


def without_map(form: Mapping[str, Any], folder: Path | None) -> Mapping[str, Any]:
    """Return the form with its ``map`` written out: ``places``, its open cells, and ``travel`` over it.

    A study is kept with its cells, so the files of the map are read once. Where the form has places or axes
    of its own, those stay; and in ``travel`` a cost of the kind "map" stands for the way over it.
    """
    if "map" not in form:
        return form
    fields = keys.table(form["map"], "map", KEYS)
    raster = _read_map(fields, folder)
    places = raster.places(keys.flag(fields.get("once", False), "map.once"))
    over = write_cost(raster, "travel", Ground(places))
    whole = {key: value for key, value in form.items() if key != "map"}
    if "places" not in whole and "axis" not in whole:
        whole["places"] = write_places(places)
    elif "once" in fields:
        raise InvalidInput("map.once is about the cells of the map; say it of your own [places]")
    return whole | {"travel": _with_cost(form.get("travel", {"kind": KIND}), over, "travel")}


def _read_map(fields: Mapping[str, Any], folder: Path | None) -> Raster:
    """Return the largest part of the map all of whose cells can reach each other."""
    cell = keys.positive(keys.needed(fields, "cell", "map", "how wide is a cell, in m?"), "map.cell")
    polygons = {what: _read_file(fields[what], what, folder) for what in KEYS[:2] if what in fields}
    geographic = keys.flag(fields.get("geographic", True), "map.geographic")
    bounds = None
    if "bounds" in fields:
        listed = keys.listed(fields["bounds"], "map.bounds")
        bounds = [keys.number(bound, f"map.bounds[{i}]") for i, bound in enumerate(listed)]
    moves = keys.one_of(fields.get("moves", "any"), "map.moves", ("eight", "any"), "moves")
    with keys.refused_at("map"):
        return Raster.from_polygons(
            geographic=geographic, cell=cell, bounds=bounds, moves=moves, **polygons
        ).largest_part()


def _read_file(name: object, what: str, folder: Path | None) -> Any:
    where = path("map", what)
    file = (folder or Path()) / keys.name(name, where)
    with keys.refused_at(where):
        text = read_text(file)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"{file}: not valid GeoJSON: {error}") from error


def _with_cost(cost: Any, over: Mapping[str, Any], where: str) -> Any:
    """Return a cost, or one made of others, with the way over the map in it."""
    if not isinstance(cost, Mapping):
        return cost
    if cost.get("kind") == KIND:
        keys.table(cost, where, ["kind", "unit"])
        if over["unit"] and cost.get("unit", over["unit"]) != over["unit"]:
            raise InvalidInput(
                f"{path(where, 'unit')}: a geographic map is in m; for others use "
                '{kind = "scaled", cost = {kind = "map"}, factor = 0.001, unit = "km"}'
            )
        return {**over, **({"unit": cost["unit"]} if "unit" in cost else {})}
    within = dict(cost)
    if isinstance(parts := cost.get("parts"), list):
        at = path(where, "parts")
        within["parts"] = [_with_cost(part, over, f"{at}[{i}]") for i, part in enumerate(parts)]
    if "cost" in cost:
        within["cost"] = _with_cost(cost["cost"], over, path(where, "cost"))
    return within

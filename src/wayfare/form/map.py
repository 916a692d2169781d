"""A map of polygons in a study file: turned into the places and the travel cost that it stands for."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve

from wayfare._core.arrays import Values
from wayfare.errors import InvalidInput, warn
from wayfare.form import keys
from wayfare.form.keys import path, read_text
from wayfare.form.space import write_places
from wayfare.form.travel import Ground, write_cost
from wayfare.travel import Raster
from wayfare.travel.base import place_in_words

KEYS = ("allowed", "obstacles", "cell", "bounds", "geographic", "moves", "snap", "once")
KIND = "map"
ENDS = ("start", "home", "anchor")
"""What a form may name a place for, beside those to visit."""


def without_map(form: Mapping[str, Any], folder: Path | None) -> Mapping[str, Any]:
    """Return the form with its ``map`` written out: ``places``, its open cells, and ``travel`` over it.

    A study is kept with its cells, so the files of the map are read once. Where the form has places or axes
    of its own, those stay; and in ``travel`` a cost of the kind "map" stands for the way over it.
    """
    if "map" not in form:
        return form
    fields = keys.table(form["map"], "map", KEYS)
    whole = _read_map(fields, folder)
    stated = form.get("travel", {"kind": KIND})
    # Who flies may start on land.
    named = ENDS if _with_cost(stated, {"unit": ""}, "travel") != stated else ()
    ends = {what: xy for what in named if (xy := _spot(form.get(what), whole)) is not None}
    raster = _kept_part(whole, ends.get("start"))
    for what, xy in ends.items():
        _check_end(what, xy, whole, raster)
    places = raster.places(keys.flag(fields.get("once", False), "map.once"))
    over = write_cost(raster, "travel", Ground(places))
    written = {key: value for key, value in form.items() if key != "map"}
    if "places" not in written and "axis" not in written:
        written["places"] = write_places(places)
    elif "once" in fields:
        raise InvalidInput("map.once is about the cells of the map; say it of your own [places]")
    return written | {"travel": _with_cost(stated, over, "travel")}


def _read_map(fields: Mapping[str, Any], folder: Path | None) -> Raster:
    """Return the map with all its parts, also those that no way joins."""
    cell = keys.positive(keys.needed(fields, "cell", "map", "how wide is a cell, in m?"), "map.cell")
    polygons = {what: _read_file(fields[what], what, folder) for what in KEYS[:2] if what in fields}
    geographic = keys.flag(fields.get("geographic", True), "map.geographic")
    bounds = None
    if "bounds" in fields:
        listed = keys.listed(fields["bounds"], "map.bounds")
        bounds = [keys.number(bound, f"map.bounds[{i}]") for i, bound in enumerate(listed)]
    moves = keys.one_of(fields.get("moves", "any"), "map.moves", ("eight", "any"), "moves")
    snap = fields.get("snap", 0.0)
    snap = snap if isinstance(snap, str) else keys.not_negative(snap, "map.snap")
    with keys.refused_at("map"):
        return Raster.from_polygons(geographic=geographic, cell=cell, bounds=bounds, moves=moves, snap=snap, **polygons)


def _read_file(name: object, what: str, folder: Path | None) -> Any:
    where = path("map", what)
    file = (folder or Path()) / keys.name(name, where)
    with keys.refused_at(where):
        text = read_text(file)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"{file}: not valid GeoJSON: {error}") from error


def _spot(place: object, raster: Raster) -> Values | None:
    """Return where on the map a place of the form is; None if it is none, which others refuse."""
    if not isinstance(place, Mapping):
        return None
    xy = [place.get(axis) for axis in (raster.x, raster.y)]
    return np.array(xy, dtype=np.float64) if all(type(at) in (int, float) for at in xy) else None


def _kept_part(whole: Raster, start: Values | None) -> Raster:
    """Return the cells that can be reached from the start or, where that says nothing, the most there are."""
    largest = whole.largest_part()
    if start is None or largest.covers(start[None, :])[0] or not whole.covers(start[None, :])[0]:
        return largest
    part = whole.part_with(start)
    cells = len(part.open_cells())
    if cells == 1:  # no way leads anywhere
        return largest
    warn(
        f"map: {cells} of its {len(whole.open_cells())} open cells can be reached from start, and "
        f"{len(largest.open_cells())} others from each other; the study keeps to the {cells}",
        UserWarning,
    )
    return part


def _check_end(what: str, xy: Values, whole: Raster, part: Raster) -> None:
    """Refuse a place that is not on the part of the map that is kept, and say what of the map may be why."""
    if part.covers(xy[None, :])[0]:
        return
    names = (str(part.x), str(part.y))
    place = f"{what}: the place {place_in_words(xy, (0, 1), names)}"
    if whole.covers(xy[None, :])[0]:
        raise InvalidInput(
            f"{place} is open, but no way leads from there to the rest of the map; choose another place, or "
            "a smaller map.cell if a strait between them is closed"
        )
    if evolve(part, snap="nearest").covers(xy[None, :])[0]:
        try:
            part.part_with(xy)
        except InvalidInput as error:
            # An anchor is one of the places to visit, so it must be where it is said to be.
            out = "" if what == "anchor" else "; go there, or let map.snap be as far"
            raise InvalidInput(f"{what}: {error}{out}") from error
    if _spans(part, xy[::-1]):
        first = "GeoJSON has longitude first" if names == ("lon", "lat") else "polygons have x first"
        raise InvalidInput(
            f"{place} is off the map, but on it with {names[0]} and {names[1]} swapped; {first}: see whether "
            f"the polygons of the map are swapped, or else swap those of {what}"
        )


def _spans(raster: Raster, xy: Values) -> bool:
    """Return whether x and y lie between the edges of the map, give or take half a cell."""
    ends = np.sort([raster.columns, raster.rows], axis=1)
    cell = (ends[:, 1] - ends[:, 0]) / (np.array(raster.grid.shape[::-1]) - 1)
    return bool(np.all((xy > ends[:, 0] - cell) & (xy < ends[:, 1] + cell)))


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

"""A map of polygons in a study file: replaced by the places and the travel cost that it stands for.

The store keeps the open cells and not the polygons, so the files of a map are read once, when the study is created.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve

from wayfare._core.arrays import Values
from wayfare.errors import InvalidInput, warn
from wayfare.form import keys
from wayfare.form.files import file_below, read_geojson
from wayfare.form.keys import path
from wayfare.form.space import check_size, write_places
from wayfare.form.travel import Ground, read_snap, write_cost
from wayfare.travel import Raster
from wayfare.travel.base import place_in_words

_FILES = ("allowed", "obstacles")
KEYS = (*_FILES, "cell", "bounds", "geographic", "moves", "snap", "once")
_KIND = "map"
_ENDS = ("start", "home", "anchor")
"""The keys of a form that hold one place."""


def without_map(form: Mapping[str, Any], folder: Path | None) -> Mapping[str, Any]:
    """Return the form with its ``map`` written out: its open cells as ``places``, and ``travel`` over it.

    Places or axes that the form has of its own stay. In ``travel``, a cost of kind "map" is replaced by the cost of
    moving over the map.
    """
    if "map" not in form:
        return form
    fields = keys.table(form["map"], "map", KEYS)
    whole = _read_map(fields, folder)
    check_size(many := len(whole.open_cells()), f"map: it has {many:,} open cells", "choose a larger map.cell")
    stated = form.get("travel", {"kind": _KIND})
    # If no cost is over the map, as for a drone, the traveller may start off it.
    named = _ENDS if _with_cost(stated, {"unit": ""}, "travel") != stated else ()
    ends = {what: xy for what in named if (xy := _spot(form.get(what), whole)) is not None}
    raster = _kept_part(whole, ends.get("start"))
    for what, xy in ends.items():
        _check_end(what, xy, whole, raster)
    # The form goes on as if the user had written the cells: from here on there is one way to read it.
    places = raster.places(keys.flag(fields.get("once", False), "map.once"))
    over = write_cost(raster, "travel", Ground(places))
    written = {key: value for key, value in form.items() if key != "map"}
    if "places" not in written and "axis" not in written:
        written["places"] = write_places(places)
    elif "once" in fields:
        raise InvalidInput("map.once is about the cells of the map; say it of your own [places]")
    return written | {"travel": _with_cost(stated, over, "travel")}


def _read_map(fields: Mapping[str, Any], folder: Path | None) -> Raster:
    cell = keys.positive(keys.needed(fields, "cell", "map", "how wide is a cell, in m?"), "map.cell")
    polygons = {}
    for what in (what for what in _FILES if what in fields):
        name = keys.name(fields[what], path("map", what))
        with keys.refused_at(path("map", what)):
            polygons[what] = read_geojson(file_below(folder, name))
    geographic = keys.flag(fields.get("geographic", True), "map.geographic")
    listed = enumerate(keys.listed(fields["bounds"], "map.bounds") if "bounds" in fields else ())
    bounds = [keys.number(bound, f"map.bounds[{i}]") for i, bound in listed] or None
    moves = keys.one_of(fields.get("moves", "any"), "map.moves", ("eight", "any"), "moves")
    snap = read_snap(fields.get("snap", 0.0), "map.snap")
    with keys.refused_at("map"):
        return Raster.from_polygons(geographic=geographic, cell=cell, bounds=bounds, moves=moves, snap=snap, **polygons)


def _spot(place: object, raster: Raster) -> Values | None:
    """Return x and y of a place of the form; None if it has none, which is refused elsewhere."""
    if not isinstance(place, Mapping):
        return None
    xy = [place.get(axis) for axis in (raster.x, raster.y)]
    return np.array(xy, dtype=np.float64) if all(type(at) in (int, float) for at in xy) else None


def _kept_part(whole: Raster, start: Values | None) -> Raster:
    """Return the part of the map that holds the start; the largest part if the start is in none."""
    largest = whole.largest_part()
    if start is None or largest.covers(start[None, :])[0] or not whole.covers(start[None, :])[0]:
        return largest
    part = whole.part_with(start)
    if (cells := len(part.open_cells())) == 1:  # nothing can be reached from there
        return largest
    warn(
        f"map: {cells} of its {len(whole.open_cells())} open cells can be reached from start, and "
        f"{len(largest.open_cells())} others from each other; the study keeps to the {cells}",
        UserWarning,
    )
    return part


def _check_end(what: str, xy: Values, whole: Raster, part: Raster) -> None:
    """Refuse a place that is not on the part of the map that is kept, with the likely reason."""
    if part.covers(xy[None, :])[0]:
        return
    place = f"{what}: the place {place_in_words(xy, (0, 1), names := (str(part.x), str(part.y)))}"
    if whole.covers(xy[None, :])[0]:
        raise InvalidInput(
            f"{place} is open, but no way leads from there to the rest of the map; choose another place, or "
            "a smaller map.cell if a strait between them is closed"
        )
    if evolve(part, snap="nearest").covers(xy[None, :])[0]:
        try:
            part.part_with(xy)
        except InvalidInput as error:
            # Results are taken at an anchor, so it cannot be snapped to another place.
            out = "" if what == "anchor" else "; go there, or let map.snap be as far"
            raise InvalidInput(f"{what}: {error}{out}") from error
    if _spans(part, xy[::-1]):
        first = "GeoJSON has longitude first" if names == ("lon", "lat") else "polygons have x first"
        raise InvalidInput(
            f"{place} is off the map, but on it with {names[0]} and {names[1]} swapped; {first}: see whether "
            f"the polygons of the map are swapped, or else swap those of {what}"
        )


def _spans(raster: Raster, xy: Values) -> bool:
    """Return whether x and y lie between the edges of the map, with half a cell to spare."""
    ends = np.sort([raster.columns, raster.rows], axis=1)  # rows usually run from north to south
    cell = (ends[:, 1] - ends[:, 0]) / (np.array(raster.grid.shape[::-1]) - 1)
    return bool(np.all((xy > ends[:, 0] - cell) & (xy < ends[:, 1] + cell)))


def _with_cost(cost: Any, over: Mapping[str, Any], where: str) -> Any:
    """Return the form of a cost, with every cost of kind "map" in it replaced by that over the map."""
    if not isinstance(cost, Mapping):
        return cost
    if cost.get("kind") == _KIND:
        keys.table(cost, where, ["kind", "unit"])
        if over["unit"] and cost.get("unit", over["unit"]) != over["unit"]:
            raise InvalidInput(
                f"{path(where, 'unit')}: a geographic map is in m; for others use "
                '{kind = "scaled", cost = {kind = "map"}, factor = 0.001, unit = "km"}'
            )
        return {**over, **({"unit": cost["unit"]} if "unit" in cost else {})}
    replaced = dict(cost)
    if isinstance(parts := cost.get("parts"), list):
        at = path(where, "parts")
        replaced["parts"] = [_with_cost(part, over, f"{at}[{i}]") for i, part in enumerate(parts)]
    return replaced | ({"cost": _with_cost(cost["cost"], over, path(where, "cost"))} if "cost" in cost else {})

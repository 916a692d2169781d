"""Places on the earth: axes named latitude or longitude, and polygons (GeoJSON, shapely, ``__geo_interface__``).

Polygons of any source become one shapely geometry, checked once, so that rasters deal with one type.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wayfare._core.checks import LARGEST_PLACE
from wayfare._core.extras import install
from wayfare._core.format import LATITUDE, LONGITUDE
from wayfare.errors import InvalidInput

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

RADIUS = 6_371_008.8
"""Mean radius of the earth's ellipsoid in metres, (2a + b) / 3, by the IUGG."""
DEEPEST = 20
"""Levels of collections and lists of polygons within each other."""
MOST_CORNERS = 1_000_000
"""Corners of all polygons together."""
MOST_CROSSINGS = 1_000_000
"""Pairs of edges that may cross; with more, finding the union of the polygons takes a minute or much longer."""


def latitudes(names: Iterable[str]) -> list[str]:
    """Return the names that mean latitude: by nothing else or, if none does, by one of their words.

    ``site_lat`` and ``Latitude (deg)`` have such a word, ``plateau`` has none; ``lat_lon`` means neither.
    """
    return _meaning(list(names), LATITUDE, LONGITUDE)


def longitudes(names: Iterable[str]) -> list[str]:
    """Return the names that mean longitude, likewise."""
    return _meaning(list(names), LONGITUDE, LATITUDE)


def _meaning(names: list[str], these: Sequence[str], not_those: Sequence[str]) -> list[str]:
    # Digits and underscores separate words, too: lat1, site_lat.
    words = {name: set(re.findall(r"[^\W\d_]+", name.casefold())) for name in names}
    alone = [name for name in names if name.casefold() in these]
    return alone or [name for name in names if words[name] & set(these) and not words[name] & set(not_those)]


def read_polygons(source: Any, geographic: bool, what: str) -> "BaseGeometry":
    """Return the union of all polygons in ``source``.

    Args:
        source: GeoJSON, shapely geometries, objects with ``__geo_interface__``, or a list of them.
        geographic: coordinates are degrees, longitude first, as in GeoJSON.
        what: names the source in error messages.
    """
    shapely = import_shapely()
    shapes = list(_shapes(source, what))
    if not shapes:
        raise InvalidInput(f"{what} has no polygons; give at least one, or leave it out")
    for shape in shapes:
        if shape.geom_type not in ("Polygon", "MultiPolygon"):
            raise InvalidInput(
                f"{what} has a {shape.geom_type}, which has no area; use polygons, or shape.buffer(width)"
            )
        if shape.is_empty or not shape.is_valid:
            reason = "it is empty" if shape.is_empty else shapely.is_valid_reason(shape)
            raise InvalidInput(f"{what} has a polygon that cannot be used: {reason}; shapely.make_valid may mend it")
        if geographic:
            _check_degrees(shape, what)
    if len(shapes) > 1:
        _check_crossings(shapes, what)
    union: BaseGeometry = shapely.union_all(shapes)
    return union


def import_shapely() -> Any:
    """Return the shapely module, or raise InvalidInput with the command that installs it."""
    try:
        import shapely
    except ImportError as error:
        raise InvalidInput(f"polygons need shapely; install it with {install('shapely', 'geo')}") from error
    return shapely


_PARTS = {"FeatureCollection": "features", "Feature": "geometry", "GeometryCollection": "geometries"}
"""The member of a GeoJSON object that holds others, by its type."""


def _shapes(source: Any, what: str, level: int = 0) -> "Iterator[BaseGeometry]":
    """Yield the single geometries, collections taken apart."""
    if level > DEEPEST:
        raise InvalidInput(f"{what} has collections nested more than {DEEPEST} deep; list the polygons in one")
    if isinstance(source, list | tuple):
        for one in source:
            yield from _shapes(one, what, level + 1)
    elif hasattr(source, "geom_type") and hasattr(source, "bounds"):
        inside = list(source.geoms) if source.geom_type == "GeometryCollection" else None
        yield from [source] if inside is None else _shapes(inside, what, level + 1)
    elif isinstance(form := getattr(source, "__geo_interface__", source), Mapping):
        if part := _PARTS.get(str(form.get("type"))):
            inner = form.get(part) or []
            if part != "geometry" and not isinstance(inner, list | tuple):
                raise InvalidInput(f"{what}: {part} must be a list, got {inner!r:.60}")
            yield from _shapes(inner, what, level + 1)
            return
        _check_corners(form, what)
        try:
            yield import_shapely().geometry.shape(form)
        except Exception as error:  # shapely raises whatever it met, from KeyError to its own
            raise InvalidInput(
                f"{what} is not GeoJSON that can be read: {' '.join(str(error).split())[:200]}"
            ) from error
    else:
        hint = "; read a file first, with json.load" if isinstance(source, str | Path) else ""
        raise InvalidInput(f"{what} must be GeoJSON or shapely polygons, got {source!r:.60}{hint}")


def _check_corners(form: Mapping[str, Any], what: str) -> None:
    """Refuse polygons whose corners are anything but finite numbers; shapely would read text as a number."""
    kind, polygons = form.get("type"), form.get("coordinates") or []
    if kind not in ("Polygon", "MultiPolygon"):
        return
    for polygon in [polygons] if kind == "Polygon" else polygons if isinstance(polygons, list | tuple) else [polygons]:
        for ring in polygon if isinstance(polygon, list | tuple) else [polygon]:
            try:
                corners = np.array(ring)
            except (OverflowError, ValueError):
                corners = np.array(None)
            numbers = corners.ndim == 2 and corners.shape[1] in (2, 3) and corners.dtype.kind in "if"
            if not numbers or not (np.abs(corners) <= LARGEST_PLACE).all():
                raise InvalidInput(
                    f"{what}: the corners of a polygon must be a list of [x, y], numbers, got {ring!r:.60}"
                )


def _check_crossings(shapes: "Sequence[BaseGeometry]", what: str) -> None:
    """Refuse polygons whose union would take very long: of too many corners, or edges that cross all over."""
    shapely = import_shapely()
    rings = shapely.get_rings(shapely.get_parts(shapes))
    corners, ring = shapely.get_coordinates(rings, return_index=True)
    if len(corners) > MOST_CORNERS:
        raise InvalidInput(f"{what}: the polygons have {len(corners)} corners; simplify them to {MOST_CORNERS} at most")
    within = ring[1:] == ring[:-1]
    edges = shapely.linestrings(np.stack([corners[:-1][within], corners[1:][within]], axis=1))
    tree, left = shapely.STRtree(edges), MOST_CROSSINGS + 10 * len(edges)  # an edge meets itself and its neighbours
    chunk = max(1, 4 * MOST_CROSSINGS // len(edges))
    for start in range(0, len(edges), chunk):
        left -= tree.query(edges[start : start + chunk]).shape[1]
        if left < 0:
            raise InvalidInput(f"{what}: the edges of its polygons cross too often; join them first, shapely.union_all")


def _check_degrees(shape: "BaseGeometry", what: str) -> None:
    west, south, east, north = shape.bounds
    lon, lat = max(east, west, key=abs), max(north, south, key=abs)
    projected = "metres of a map projection, say geographic=False"
    if abs(lat) > 90:
        swapped = "longitude and latitude look swapped, and GeoJSON has longitude first"
        hint = swapped if abs(lon) <= 90 and abs(lat) <= 180 else f"if they are {projected}"
        raise InvalidInput(f"{what} has the latitude {lat:g}, beyond 90 degrees; {hint}")
    if abs(lon) > 360:
        raise InvalidInput(f"{what} has the longitude {lon:g}, beyond 360 degrees; if it is {projected}")

"""Places on the earth: axes named latitude or longitude, and polygons (GeoJSON, shapely, ``__geo_interface__``).

Polygons of any source become one shapely geometry, checked once, so that rasters deal with one type.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wayfare._core.format import LATITUDE, LONGITUDE
from wayfare.errors import InvalidInput

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

RADIUS = 6_371_008.8
"""Mean radius of the earth's ellipsoid in metres, (2a + b) / 3, by the IUGG."""


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
    union: BaseGeometry = shapely.union_all(shapes)
    return union


def import_shapely() -> Any:
    """Return the shapely module, or raise InvalidInput with the command that installs it."""
    try:
        import shapely
    except ImportError as error:
        raise InvalidInput("polygons need shapely; install it with pip install 'wayfare[geo]'") from error
    return shapely


_PARTS = {"FeatureCollection": "features", "Feature": "geometry", "GeometryCollection": "geometries"}
"""The member of a GeoJSON object that holds others, by its type."""


def _shapes(source: Any, what: str) -> "Iterator[BaseGeometry]":
    """Yield the single geometries, collections taken apart."""
    if isinstance(source, list | tuple):
        for one in source:
            yield from _shapes(one, what)
    elif hasattr(source, "geom_type") and hasattr(source, "bounds"):
        yield from _shapes(list(source.geoms), what) if source.geom_type == "GeometryCollection" else [source]
    elif isinstance(form := getattr(source, "__geo_interface__", source), Mapping):
        if part := _PARTS.get(str(form.get("type"))):
            inner = form.get(part)
            yield from _shapes(inner if part == "geometry" else list(inner or ()), what)
            return
        try:
            yield import_shapely().geometry.shape(form)
        except Exception as error:  # shapely raises whatever it met, from KeyError to its own
            raise InvalidInput(f"{what} is not GeoJSON that can be read: {error}") from error
    else:
        hint = "; read a file first, with json.load" if isinstance(source, str | Path) else ""
        raise InvalidInput(f"{what} must be GeoJSON or shapely polygons, got {source!r:.60}{hint}")


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

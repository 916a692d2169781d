"""Polygons as users have them (GeoJSON, shapely's, ``__geo_interface__``), read into one shape."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wayfare.errors import InvalidInput

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry


AREAS = ("Polygon", "MultiPolygon")


def read_polygons(source: Any, geographic: bool, what: str) -> "BaseGeometry":
    """Return the union of all polygons in ``source``, or refuse it; ``what`` names it in the refusal.

    Coordinates that are ``geographic`` are degrees, longitude first, as GeoJSON has them.
    """
    shapely = import_shapely()
    shapes = list(_shapes(source, what))
    if not shapes:
        raise InvalidInput(f"{what} has no polygons; give at least one, or leave it out")
    for shape in shapes:
        if shape.geom_type not in AREAS:
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
    """Return shapely, or say how to get it."""
    try:
        import shapely
    except ImportError as error:
        raise InvalidInput("polygons need shapely; install it with pip install 'wayfare[geo]'") from error
    return shapely


def _shapes(source: Any, what: str) -> "Iterator[BaseGeometry]":
    """Yield the single geometries, collections taken apart."""
    if isinstance(source, list | tuple):
        for one in source:
            yield from _shapes(one, what)
    elif hasattr(source, "geom_type") and hasattr(source, "bounds"):
        if source.geom_type == "GeometryCollection":
            yield from _shapes(list(source.geoms), what)
        else:
            yield source
    elif isinstance(source, Mapping):
        yield from _geojson(source, what)
    elif hasattr(source, "__geo_interface__"):
        yield from _geojson(source.__geo_interface__, what)
    else:
        hint = "; read a file first, with json.load" if isinstance(source, str | Path) else ""
        raise InvalidInput(f"{what} must be GeoJSON or shapely polygons, got {source!r:.60}{hint}")


def _geojson(form: Mapping[str, Any], what: str) -> "Iterator[BaseGeometry]":
    kind = form.get("type")
    if kind == "FeatureCollection":
        yield from _shapes(list(form.get("features") or ()), what)
    elif kind == "Feature":
        yield from _shapes(form.get("geometry"), what)
    elif kind == "GeometryCollection":
        yield from _shapes(list(form.get("geometries") or ()), what)
    else:
        try:
            yield import_shapely().geometry.shape(form)
        except Exception as error:  # shapely raises whatever it met, from KeyError to its own
            raise InvalidInput(f"{what} is not GeoJSON that can be read: {error}") from error


def _check_degrees(shape: "BaseGeometry", what: str) -> None:
    west, south, east, north = shape.bounds
    if max(abs(south), abs(north)) > 90:
        lat = south if abs(south) > abs(north) else north
        swapped = max(abs(west), abs(east)) <= 90 and max(abs(south), abs(north)) <= 180
        way_out = (
            "longitude and latitude look swapped, and GeoJSON has longitude first"
            if swapped
            else "if they are metres of a map projection, say geographic=False"
        )
        raise InvalidInput(f"{what} has the latitude {lat:g}, beyond 90 degrees; {way_out}")
    if max(abs(west), abs(east)) > 360:
        lon = west if abs(west) > abs(east) else east
        raise InvalidInput(
            f"{what} has the longitude {lon:g}, beyond 360 degrees; if it is metres of a map projection, "
            "say geographic=False"
        )


# The earth as a ball.


RADIUS = 6_371_008.8
"""In metres: the mean radius of the ellipsoid, (2a + b) / 3, by the IUGG."""

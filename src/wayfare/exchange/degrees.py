"""Where a place is on the earth: which axes are latitude and longitude, and how high it lies."""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from wayfare import door
from wayfare.errors import InvalidInput
from wayfare.space import AnySpace
from wayfare.words import LATITUDE, LONGITUDE


@frozen
class Position:
    """Degrees north and east, and metres up where someone said; east goes from -180 to below 180."""

    lat: float
    lon: float
    alt: float | None


@frozen
class Degrees:
    """How a place becomes a position: by the axes ``lat`` and ``lon``, and an axis or metres for ``alt``."""

    lat: str
    lon: str
    alt: str | float | None

    def position(self, params: Mapping[str, Any], what: str) -> Position:
        """Return where a place is; ``what`` names it in the refusal of one that is nowhere on the earth."""
        lat, lon = float(params[self.lat]), float(params[self.lon])
        if not -90 <= lat <= 90:
            raise InvalidInput(
                f"{what}: {self.lat}={lat:g} is no latitude, which goes from -90 to 90 degrees; if lat and "
                "lon are swapped, say which is which (--lat, --lon)"
            )
        if not -180 <= lon <= 360:
            raise InvalidInput(
                f"{what}: {self.lon}={lon:g} is no longitude, which goes from -180 to 180 degrees, or to 360"
            )
        alt = float(params[self.alt]) if isinstance(self.alt, str) else self.alt
        return Position(lat, lon if lon < 180 else lon - 360, alt)


def degrees_of(
    space: AnySpace, lat: str | None = None, lon: str | None = None, alt: str | float | None = None
) -> Degrees:
    """Return which axes say where a place is; those left out are found by their names, whatever their case.

    An altitude is never guessed: an axis called elevation may mean the ground.
    """
    north, east = (
        _found(space, names, what) if said is None else number_axis(space, said, what)
        for said, names, what in ((lat, LATITUDE, "lat"), (lon, LONGITUDE, "lon"))
    )
    if north == east:
        raise InvalidInput(f"lat and lon are both the axis {north!r}; they must be two axes")
    if isinstance(alt, str):
        return Degrees(north, east, number_axis(space, alt, "alt"))
    return Degrees(north, east, None if alt is None else door.number(alt, "alt"))


def _found(space: AnySpace, names: Sequence[str], what: str) -> str:
    found = [axis for axis in space.names if axis.lower() in names]
    if len(found) == 1:
        return number_axis(space, found[0], what)
    said = f"the axes {' and '.join(map(repr, found))} are" if found else "no axis is"
    raise InvalidInput(
        f"{what}: {said} called {' or '.join(names)}; name the one meant with {what} (--{what}); "
        f"{door.nearest('', space.names, 'axes')}"
    )


def number_axis(space: AnySpace, axis: str, what: str) -> str:
    """Return ``axis`` if it is one of the space and holds numbers; ``what`` names it in the refusal."""
    if axis not in space.names:
        raise InvalidInput(f"{what}: there is no axis {axis!r}; {door.nearest(axis, space.names, 'axes')}")
    if space.choices[space.column(axis)] is not None:
        raise InvalidInput(f"{what}: the axis {axis!r} is a choice; it must hold numbers")
    return axis

"""``Haversine``: the great-circle distance between places on the earth, or the time it takes."""

from typing import Self

import numpy as np
from attrs import Factory, evolve, field, frozen

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points, Values
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space.base import AnySpace
from wayfare.space.geographic import RADIUS, latitudes, longitudes
from wayfare.travel.base import AxisName, as_axis, as_unit, columns_of, numeric_columns, place_in_words
from wayfare.travel.combine import Cost

LENGTHS = {"m": 1.0, "km": 1000.0}
"""The units without a speed, in metres."""
TIMES = {"s": 1.0, "min": 60.0, "h": 3600.0}
"""The units with a speed, in seconds."""
FAR_DEGREES = 1e6
"""Outside every axis: the nearest place of a box is at its bounds."""
MOST_PLACES = 1_000_000
SAMPLED = 256
"""Of a space with more than ``MOST_PLACES``, binding looks at so many."""


def _as_speed(speed: object) -> float | None:
    return None if speed is None else checks.positive(speed, "speed of a Haversine")


@frozen
class Haversine(Cost):
    """The great circle between places given in degrees, on a ball with the mean radius of the earth.

    The distance over the true, flattened earth differs by up to 0.6%. Longitudes may be from -180 to 180 or
    from 0 to 360, and the shorter direction around the earth is taken.

    Attributes:
        lat: the axis of the latitude, in degrees.
        lon: the axis of the longitude, in degrees.
        speed: in metres per second; without one, the cost is the distance.
        unit: "m" (the default) or "km"; with a speed "s" (the default), "min" or "h".
    """

    lat: AxisName = field(converter=as_axis)
    lon: AxisName = field(converter=as_axis)
    speed: float | None = field(default=None, converter=_as_speed)
    unit: str = field(default=Factory(lambda cost: "m" if cost.speed is None else "s", True), converter=as_unit)
    _names: tuple[str, ...] = field(default=(), eq=False, repr=False, kw_only=True)
    """The axes of the space, once bound."""
    is_metric = True

    def __attrs_post_init__(self) -> None:
        units, speed = (LENGTHS, "without a speed") if self.speed is None else (TIMES, "with a speed")
        if self.unit not in units:
            raise InvalidInput(
                f"unit of a Haversine {speed} must be one of {', '.join(units)}, got {self.unit!r}; "
                "for another use Scaled(cost, factor, unit)"
            )
        lat, lon = (
            self._names[axis] if self._names and isinstance(axis, int) else str(axis) for axis in (self.lat, self.lon)
        )
        if longitudes([lat]) and latitudes([lon]):
            raise InvalidInput(
                f"the latitude of a Haversine is {lat!r} and its longitude {lon!r}: swapped? "
                "It takes the latitude first"
            )

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the columns of its axes, if they can be latitudes and longitudes."""
        lat, lon = numeric_columns((self.lat, self.lon), space, "Haversine")
        bound = evolve(self, lat=lat, lon=lon, names=space.names)
        far = np.full((1, space.d), FAR_DEGREES)
        bound._radians(np.concatenate([space.snap(far), space.snap(-far)]))
        places = space.everything(MOST_PLACES)
        bound._radians(space.sample(SAMPLED, stream(0, "haversine")) if places is None else places)
        return bound

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs; refuse latitudes beyond 90 degrees and longitudes beyond 360."""
        (lat, lon), (to_lat, to_lon) = self._radians(origins), self._radians(targets)
        turn = np.subtract.outer(lon, to_lon) / 2
        wide = np.multiply.outer(np.cos(lat), np.cos(to_lat))
        # The haversines to the place and to its antipode add up to 1. Each has all its digits where it is
        # small, so near places keep theirs, and so do places on opposite sides of the earth.
        near = np.sin(np.subtract.outer(lat, to_lat) / 2) ** 2 + wide * np.sin(turn) ** 2
        far = np.sin(np.add.outer(lat, to_lat) / 2) ** 2 + wide * np.cos(turn) ** 2
        metres = 2 * RADIUS * np.arctan2(np.sqrt(near), np.sqrt(far))
        per_unit = LENGTHS[self.unit] if self.speed is None else self.speed * TIMES[self.unit]
        return np.asarray(metres / per_unit)

    def _radians(self, x: Points) -> tuple[Values, Values]:
        axes = self.lat, self.lon
        columns = columns_of(axes)
        lat, lon = x[:, columns].T
        for at, name, degrees, most in zip(columns, ("latitude", "longitude"), (lat, lon), (90, 360), strict=True):
            if not (beyond := np.abs(degrees) > most).any():
                continue
            row = int(np.argmax(beyond))
            looks_swapped = name == "latitude" and abs(lat[row]) <= 360 and abs(lon[row]) <= 90
            hint = "are latitude and longitude swapped? Haversine takes the latitude first"
            axis = f" of axis {self._names[at]!r}" if self._names else ""
            raise InvalidInput(
                f"the {name}{axis} must be within {most} degrees, got {degrees[row]:.10g} at the place "
                f"{place_in_words(x[row], axes, self._names)}; {hint if looks_swapped else 'give it in degrees'}"
            )
        return np.radians(lat), np.radians(lon)

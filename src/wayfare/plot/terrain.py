"""A study on a map: which two of its axes lie on the ground, and how they are scaled."""

from collections.abc import Iterator
from math import cos, radians

from attrs import frozen

from wayfare.arrays import Points
from wayfare.space import Choice, Space
from wayfare.state import StudyState
from wayfare.travel import Haversine, Parallel, Raster, Scaled, Serial, TravelCost
from wayfare.words import LATITUDE, LONGITUDE

FLATTEST = 0.05
"""The cosine of a latitude is taken to be no less: near a pole no map is true."""


@frozen
class Terrain:
    """The columns that go across and up on a map, and how much longer a unit up is than one across.

    None: they are degrees, and it depends on the latitude.
    """

    columns: tuple[int, int]
    tall: float | None = None

    def aspect(self, columns: tuple[int, ...], drawn: Points) -> float | None:
        """Return the aspect at which a kilometre is as long up as across; None if something else is drawn.

        In the middle of the places ``drawn`` over these columns.
        """
        if sorted(columns) != sorted(self.columns):
            return None
        mirrored = columns != self.columns
        tall = self.tall
        if tall is None:
            tall = 1 / max(cos(radians(float(drawn[:, 0 if mirrored else 1].mean()))), FLATTEST)
        return 1 / tall if mirrored else tall


def terrain_of(state: StudyState, frame: Space) -> Terrain | None:
    """Return the map that a study is on: by the names of its axes, else by its travel cost; None without."""
    numbers = [at for at, axis in enumerate(frame.axes) if axis.width and not isinstance(axis, Choice)]
    east, north = (
        [at for at in numbers if frame.axes[at].name.lower() in names] for names in (LONGITUDE, LATITUDE)
    )
    if len(east) == len(north) == 1:
        return Terrain((east[0], north[0]))
    found = set(terrains_in(state.spec.travel))
    if len(found) != 1 or not set((one := found.pop()).columns) <= set(numbers):
        return None
    return one


def terrains_in(travel: TravelCost) -> Iterator[Terrain]:
    """Yield the maps of all parts of a bound travel cost."""
    if isinstance(travel, Haversine):
        yield Terrain((int(travel.lon), int(travel.lat)))
    elif isinstance(travel, Raster):
        (west, east), (top, bottom) = travel.columns, travel.rows
        rows, columns = travel.grid.shape
        across, up = abs(east - west) / (columns - 1), abs(bottom - top) / (rows - 1)
        tall = (travel.cell[1] / up) / (travel.cell[0] / across)
        yield Terrain((int(travel.x), int(travel.y)), tall)
    elif isinstance(travel, Scaled):
        yield from terrains_in(travel.cost)
    elif isinstance(travel, Serial | Parallel):
        for part in travel.parts:
            yield from terrains_in(part)

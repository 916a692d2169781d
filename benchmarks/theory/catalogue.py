"""All parts of the theory benchmark by name."""

from theory.arms import ARMED
from theory.boxes import BOXES
from theory.dimensions import DIMENSION
from theory.growth import GROWTH
from theory.lipschitz import LIPSCHITZ
from theory.part import Part
from theory.paths import PATHS

PARTS: dict[str, Part] = {part.name: part for part in (PATHS, DIMENSION, GROWTH, BOXES, ARMED, LIPSCHITZ)}

"""What the theorems say about movement, beside what is measured: ``wayfare bench theory``.

Each part is a module with a ``Part`` in it: what is measured, in cells that can be shared out; the table
for the terminal; the picture. To add one, write its module and name it in ``PARTS``.
"""

from wayfare.bench.theory.arms import ARMED
from wayfare.bench.theory.dimensions import DIMENSION
from wayfare.bench.theory.growth import GROWTH
from wayfare.bench.theory.lipschitz import LIPSCHITZ
from wayfare.bench.theory.part import Part, run_part
from wayfare.bench.theory.paths import PATHS

PARTS: dict[str, Part] = {part.name: part for part in (PATHS, DIMENSION, GROWTH, ARMED, LIPSCHITZ)}

__all__ = ["PARTS", "Part", "run_part"]

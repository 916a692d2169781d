"""Travel over a map of cells: the cost of the shortest path around what cannot be passed.

The modules build on each other, in this order:

- ``polygons``: draws polygons into the cells of a map (needs shapely).
- ``grid``: checks what a map is made of; ``Cells`` numbers the open cells and finds the cell of an x and y.
- ``search``: ``Searches`` finds shortest paths over any graph and keeps them; ``Network`` uses it, too.
- ``graph``: ``CellGraph`` is the graph of the steps from cell to cell.
- ``nearby``: on a large map, the exact cost of one leg by a search around its two ends.
- ``coarse``: on a large map, approximate costs between many stops, to order them by.
- ``raster``: ``Raster``, the travel cost. It looks up the cells of places, and asks ``graph`` for their costs;
  for a single leg on a large map ``nearby``, and for approximate costs ``coarse``.
"""

from wayfare.travel.raster.raster import Raster

__all__ = ["Raster"]

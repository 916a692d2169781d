"""Travel costs: norms, machines, maps, networks, tables and functions, alone or put together.

Anything with the methods of ``TravelCost`` is one; ``priced`` calls it and checks the answer.
"""

from wayfare.travel.base import MissingCost, TravelCost, as_cost, priced, rough
from wayfare.travel.check import Report, check
from wayfare.travel.combine import Cost, Parallel, Scaled, Serial, leaves, parallel, serial
from wayfare.travel.custom import Custom
from wayfare.travel.embedding import Embedding, embedding
from wayfare.travel.haversine import Haversine
from wayfare.travel.lines import way
from wayfare.travel.machines import Fee, Ramp, Settling, Switch
from wayfare.travel.network import Network
from wayfare.travel.norms import Chebyshev, Euclidean, Manhattan
from wayfare.travel.raster import Raster
from wayfare.travel.table import Table

__all__ = ["Chebyshev", "Custom", "Euclidean", "Fee", "Haversine", "Manhattan", "Network", "Ramp", "Raster", "Settling"]
__all__ += ["Cost", "Embedding", "Parallel", "Scaled", "Serial", "Switch", "Table", "TravelCost", "parallel", "serial"]
__all__ += ["MissingCost", "Report", "as_cost", "check", "embedding", "leaves", "priced", "rough", "way"]

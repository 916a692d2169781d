"""What moving costs: norms, machines, maps, networks, tables and functions, alone or put together."""

from wayfare.travel.base import Cost, TravelCost
from wayfare.travel.check import Report, check
from wayfare.travel.combine import Parallel, Scaled, Serial, as_cost, parallel, serial
from wayfare.travel.custom import Custom
from wayfare.travel.haversine import Haversine
from wayfare.travel.machines import Fee, Ramp, Switch
from wayfare.travel.network import Network
from wayfare.travel.norms import Chebyshev, Euclidean, Manhattan
from wayfare.travel.price import MissingCost, priced
from wayfare.travel.raster import Raster
from wayfare.travel.rough import rough
from wayfare.travel.settling import Settling
from wayfare.travel.table import Table
from wayfare.travel.turns import way

__all__ = [
    "Chebyshev",
    "Cost",
    "Custom",
    "Euclidean",
    "Fee",
    "Haversine",
    "Manhattan",
    "MissingCost",
    "Network",
    "Parallel",
    "Ramp",
    "Raster",
    "Report",
    "Scaled",
    "Serial",
    "Settling",
    "Switch",
    "Table",
    "TravelCost",
    "as_cost",
    "check",
    "parallel",
    "priced",
    "rough",
    "serial",
    "way",
]

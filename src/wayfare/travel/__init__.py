"""What moving costs: norms, machines, maps, networks, tables and functions, alone or put together."""

from wayfare.travel.base import Cost, MissingCost, TravelCost, priced, rough, way
from wayfare.travel.check import Report, check
from wayfare.travel.combine import Parallel, Scaled, Serial, as_cost, parallel, serial
from wayfare.travel.custom import Custom
from wayfare.travel.haversine import Haversine
from wayfare.travel.machines import Fee, Ramp, Settling, Switch
from wayfare.travel.network import Network
from wayfare.travel.norms import Chebyshev, Euclidean, Manhattan
from wayfare.travel.raster.raster import Raster
from wayfare.travel.table import Table

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

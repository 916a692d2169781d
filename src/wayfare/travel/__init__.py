"""What moving costs: norms, machines, tables and functions, alone or put together."""

from wayfare.travel.base import Cost, TravelCost
from wayfare.travel.check import Report, check
from wayfare.travel.combine import Parallel, Scaled, Serial, as_cost, parallel, serial
from wayfare.travel.custom import Custom
from wayfare.travel.machines import Fee, Ramp, Switch
from wayfare.travel.norms import Chebyshev, Euclidean, Manhattan
from wayfare.travel.price import priced
from wayfare.travel.table import Table

__all__ = [
    "Chebyshev",
    "Cost",
    "Custom",
    "Euclidean",
    "Fee",
    "Manhattan",
    "Parallel",
    "Ramp",
    "Report",
    "Scaled",
    "Serial",
    "Switch",
    "Table",
    "TravelCost",
    "as_cost",
    "check",
    "parallel",
    "priced",
    "serial",
]

"""Reports on a study: costs, what is left, the ledger, the route ahead, the best place, drift."""

from wayfare.report.allowance import Allowance
from wayfare.report.best import Best
from wayfare.report.drift import Drift
from wayfare.report.ledger import Account, Ledger
from wayfare.report.route_ahead import Detour, NewRoute, RouteAhead, Stop

__all__ = ["Account", "Allowance", "Best", "Detour", "Drift", "Ledger", "NewRoute", "RouteAhead", "Stop"]

"""Routes: a batch in a good visiting order, from where the traveller stands.

``plan_route`` (``route``) prices the places, merges equal ones and asks a ``RoutePlanner`` (``base``) for the order.
``ShortRoute`` is the default: the optimum for few stops, else the nearest stop next, improved by iterated local search
(``search``) with 3-opt moves, or moves that respect the direction of travel (``moves``). ``Shuffled`` leaves part of
any planner's order to chance, ``FastTsp`` spends seconds on large tables. Beyond a thousand stops whose costs are
distances, ``ShortRoute`` needs no table of them (``points``).
"""

from wayfare.route.base import PointPlanner, Randomised, RoutePlanner, path_cost, randomised
from wayfare.route.route import AsGiven, FastTsp, HeldKarp, NearestNext, Route, ShortRoute, Shuffled, plan_route

__all__ = ["AsGiven", "FastTsp", "HeldKarp", "NearestNext", "PointPlanner", "Randomised", "Route"]
__all__ += ["RoutePlanner", "ShortRoute", "Shuffled", "path_cost", "plan_route", "randomised"]

"""Routes: a batch in a good visiting order, from where the traveller stands.

``plan_route`` prices and merges the places and asks a ``RoutePlanner`` for the order. ``ShortRoute``
is the default: exact for few stops (``exact``), else a first route (``construct``) closed into a
``ring``, improved by local search (``improve``; ``directed`` where the way back costs otherwise)
and kicked (``search``). ``Shuffled`` exchanges some stops of any planner's route. ``bounds`` says what no
route can beat.
"""

from wayfare.route.base import RoutePlanner, path_cost
from wayfare.route.bounds import range_bound, spanning_tree_bound
from wayfare.route.exact import HeldKarp
from wayfare.route.fast import FastTsp
from wayfare.route.planner import AsGiven, NearestNext, Route, ShortRoute, plan_route
from wayfare.route.shuffle import Shuffled

__all__ = [
    "AsGiven",
    "FastTsp",
    "HeldKarp",
    "NearestNext",
    "Route",
    "RoutePlanner",
    "ShortRoute",
    "Shuffled",
    "path_cost",
    "plan_route",
    "range_bound",
    "spanning_tree_bound",
]

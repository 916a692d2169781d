"""How a route is made: the method and its catalogue, the limits, and the plan. Start with ``plan.py``."""

from wayfare.planning.catalogue import CATALOGUE
from wayfare.planning.itinerary import Itinerary
from wayfare.planning.layout import Plan
from wayfare.planning.method import Method
from wayfare.planning.opening import JustStart, NoOpening, Opening, Survey
from wayfare.planning.plan import Task, plan_batch
from wayfare.planning.reach import Limits, Reach

__all__ = [
    "CATALOGUE",
    "Itinerary",
    "JustStart",
    "Limits",
    "Method",
    "NoOpening",
    "Opening",
    "Plan",
    "Reach",
    "Survey",
    "Task",
    "plan_batch",
]
